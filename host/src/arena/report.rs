//! What is said of a match at its end, as text for people and as one JSON
//! object: the same values, of which those of an undisturbed and of a resumed
//! match are equal; what a clock measured stands apart in `timing`.

use std::collections::BTreeMap;
use std::time::Duration;

use sandboard_tournament::stats::{Elo, Tally};
use serde::Serialize;

use super::folder::MatchFolder;
use super::ledger::Ledger;
use super::outcome::Spending;
use super::setup::MatchSetup;
use super::standing::Faults;
use super::table::elo_text;
use crate::record::Pondering;
use crate::replay;

/// The result of a match, or of what is counted of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The folder of the match.
    pub folder: String,
    /// The game's id.
    pub game: String,
    /// The variant's text.
    pub variant: String,
    /// The seed of the match.
    pub seed: u64,
    /// How many pairs there are to be.
    pub pairs: u32,
    /// Openings of the match; 0: the start position alone.
    pub openings: u32,
    /// Whether all games are done.
    pub complete: bool,
    /// Games that are done but not counted: one before them is not done.
    pub not_counted: u32,
    /// The first player against the second.
    pub score: ScoreReport,
    /// The first player's strength less the second's; null before the first pair.
    pub elo: Option<EloReport>,
    /// The players.
    pub players: [PlayerReport; 2],
    /// Moves made.
    pub plies: u64,
    /// What a clock measured.
    pub timing: Timing,
}

/// Counts of games.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreReport {
    /// Games counted.
    pub games: u64,
    /// The first player's points.
    pub points: f64,
    /// The 95 % interval of its share of all points, 0 to 1; null before the first pair.
    pub interval: Option<[f64; 2]>,
    /// Its wins, draws and losses.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which it had 0, ½, 1, 1½ and 2 points.
    pub pairs: [u64; 5],
}

/// An estimate of strength. Null is infinite: the first player won all points,
/// or lost all; a bound that is null is none.
#[derive(Clone, Debug, Serialize)]
pub struct EloReport {
    /// The difference.
    pub difference: Option<f64>,
    /// Half the 95 % interval.
    pub error: Option<f64>,
    /// Its lower bound.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// How likely the first player is the stronger one, 0 to 1.
    pub superiority: f64,
    #[serde(skip)]
    pub(super) text: String,
}

/// What concerns one player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerReport {
    /// Its name.
    pub name: String,
    /// Its engine's id.
    pub engine: String,
    /// The engine's version.
    pub version: String,
    /// The hash of the engine's module.
    pub module_sha256: String,
    /// Options that are set.
    pub options: BTreeMap<String, String>,
    /// Its budget.
    pub budget: String,
    /// Its results by the side it had, as the game calls that side at first.
    pub sides: BTreeMap<&'static str, Tally>,
    /// Games it lost by doing something wrong, by kind.
    pub faults: BTreeMap<String, Faults>,
    /// Moves that it made.
    pub moves: u64,
    /// What it did on its opponent's time; absent where it did not think then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pondering: Option<PonderReport>,
}

/// What a player did on its opponent's time.
#[derive(Clone, Debug, Serialize)]
pub struct PonderReport {
    /// Its moves that named the reply they expected, and got one.
    pub predictions: u64,
    /// How many of these replies were the expected ones.
    pub hits: u64,
    /// The share of them, 0 to 1; null where there are none.
    pub hit_rate: Option<f64>,
}

/// What a clock measured; differs from run to run.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// How long this session played.
    pub session_seconds: f64,
    /// Games of this session.
    pub session_games: u64,
    /// Moves of this session in a second.
    pub session_plies_per_second: Option<f64>,
    /// Microseconds that a move took each player on average, over the match.
    pub us_per_move: [Option<f64>; 2],
    /// The same in CPU time, over the moves of which it was counted; null where it never was.
    pub cpu_us_per_move: [Option<f64>; 2],
    /// Microseconds of the opponent's time that each player thought on, for each of its own moves;
    /// null where it did not.
    pub pondered_us_per_move: [Option<f64>; 2],
    /// The same in CPU time, where that is counted.
    pub pondered_cpu_us_per_move: [Option<f64>; 2],
}

/// This run of the program, which may have played only a part of the match.
#[derive(Clone, Copy, Debug, Default)]
pub struct Session {
    /// How long it took.
    pub elapsed: Duration,
    /// Games that it finished.
    pub games: u64,
    /// Moves in them.
    pub plies: u64,
}

impl Report {
    /// The report with the folder of the match, and with what to type there; `arguments`
    /// say where its engines are.
    pub fn in_folder(mut self, folder: &MatchFolder, arguments: &str) -> Self {
        self.folder = folder.dir().display().to_string();
        for (player, report) in self.players.iter_mut().enumerate() {
            for faults in report.faults.values_mut() {
                let file = folder.game_path(&faults.first);
                faults.replay = replay::command(&file, faults.at_ply, player) + arguments;
            }
        }
        self
    }

    /// The report of a match whose sides are called so at first.
    pub fn new(
        setup: &MatchSetup,
        sides: [&'static str; 2],
        ledger: &Ledger,
        session: Session,
    ) -> Self {
        let standing = ledger.standing();
        let (games, sample) = (standing.score.games(), standing.score.sample());
        let player = |index: usize| {
            let player = &setup.players[index];
            let results = sides.into_iter().zip(standing.by_side[index]).collect();
            PlayerReport {
                name: player.name.clone(),
                engine: player.engine.clone(),
                version: player.version.clone(),
                module_sha256: player.module_sha256.clone(),
                options: player.options.clone(),
                budget: player.budget.to_string(),
                sides: results,
                faults: standing.faults[index].clone(),
                moves: standing.spent[index].moves,
                pondering: player.ponders.then(|| PonderReport::new(&standing.spent[index])),
            }
        };
        let seconds = session.elapsed.as_secs_f64();
        let per_move = |of: fn(&Spending) -> Option<u64>| {
            [0, 1].map(|index| {
                let spent = &standing.spent[index];
                let on = setup.players[index].ponders && spent.moves > 0;
                Some(of(spent)? as f64 / spent.moves as f64).filter(|_| on)
            })
        };
        Self {
            folder: String::new(),
            game: setup.game.clone(),
            variant: setup.variant.clone(),
            seed: setup.seed,
            pairs: setup.pairs,
            openings: setup.openings.as_ref().map_or(0, |openings| openings.count),
            complete: ledger.is_complete(),
            not_counted: ledger.not_counted(),
            score: ScoreReport {
                games: games.games(),
                points: games.half_points() as f64 / 2.0,
                interval: sample.interval(),
                tally: games,
                pairs: standing.score.pairs(),
            },
            elo: sample.elo().map(|elo| EloReport::new(&elo)),
            players: [player(0), player(1)],
            plies: standing.plies,
            timing: Timing {
                session_seconds: seconds,
                session_games: session.games,
                session_plies_per_second: (seconds > 0.0 && session.plies > 0)
                    .then(|| session.plies as f64 / seconds),
                us_per_move: standing.spent.map(|spent| spent.us_per_move()),
                cpu_us_per_move: standing.spent.map(|spent| spent.cpu_us_per_move()),
                pondered_us_per_move: per_move(|spent| Some(spent.pondering.pondered.wall_us)),
                pondered_cpu_us_per_move: per_move(|spent| spent.pondering.pondered.cpu_us),
            },
        }
    }
}

impl PonderReport {
    fn new(spent: &Spending) -> Self {
        let Pondering { predictions, hits, .. } = spent.pondering;
        Self { predictions, hits, hit_rate: spent.pondering.hit_rate() }
    }
}

impl EloReport {
    fn new(elo: &Elo) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            difference: finite(elo.elo),
            error: elo.error(),
            low: finite(elo.low),
            high: finite(elo.high),
            superiority: elo.superiority,
            text: elo_text(elo),
        }
    }
}
