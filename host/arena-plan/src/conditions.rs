//! What the games of an arena or a tuning run have in common, and how a job becomes a bout. A pure
//! value.

use sandboard_games::{GameInfo, SetupError};

use super::job::{Job, Plan};
use sandboard_bout::driver::{BoutSetup, EnginePlayer, Participant, RecordDestination};
use sandboard_bout::referee::BoutSettings;
use sandboard_bout::solver;
use sandboard_bout::solver::SolverError;
use sandboard_bout::start::StartPosition;
use sandboard_engine::Budget;

/// What the games of an arena have in common.
pub struct Conditions {
    /// The start of games without an opening; its variant includes the board size.
    pub start: StartPosition,
    /// The seats of each place at the board; a player has those of its place.
    pub seats: Vec<Vec<u8>>,
    /// The openings, by number; empty if there are none.
    pub openings: Vec<StartPosition>,
    /// The openings and seeds of its jobs.
    pub plan: Plan,
    /// The rules of its bouts beyond those of the game.
    pub settings: BoutSettings,
}

/// A player of an arena.
#[derive(Clone)]
pub struct ArenaPlayer {
    /// Its name in records and results.
    pub name: String,
    /// Its budget in each game.
    pub budget: Budget,
    /// The engine that plays.
    pub engine: EnginePlayer,
    /// Whether it ponders: thinks on its opponent's time.
    pub ponders: bool,
}

/// The seats of each player in games from this start. Fails if only one player plays the game.
fn seats_by_side(start: &StartPosition) -> Result<Vec<Vec<u8>>, SetupError> {
    start.set_up()?;
    let seats = start.game.seats_of_players(&start.variant);
    match seats.len() {
        ..=1 => Err(SetupError::ForOne { game: start.game.id }),
        _ => Ok(seats),
    }
}

impl Conditions {
    /// Conditions for games from this start or these openings. Fails if no game can begin there, or
    /// if only one player plays the game.
    pub fn new(
        start: StartPosition,
        openings: Vec<StartPosition>,
        plan: Plan,
        settings: BoutSettings,
    ) -> Result<Self, SetupError> {
        Ok(Self { seats: seats_by_side(&start)?, start, openings, plan, settings })
    }

    /// As [`new`](Self::new), and fails unless two players play the game.
    pub fn for_two(
        start: StartPosition,
        openings: Vec<StartPosition>,
        plan: Plan,
        settings: BoutSettings,
    ) -> Result<Self, SetupError> {
        let conditions = Self::new(start, openings, plan, settings)?;
        match conditions.seats.len() {
            2 => Ok(conditions),
            players => Err(SetupError::NotForTwo { game: conditions.start.game.id, players }),
        }
    }

    /// The game that is played.
    pub fn game(&self) -> &'static GameInfo {
        self.start.game
    }

    /// The start of a game: its opening. Without one, the start position, or the deal with the
    /// opening's number in games that begin with a deal.
    pub fn start_of(&self, job: &Job) -> StartPosition {
        let opening = job.opening.and_then(|opening| self.openings.get(opening as usize));
        let start = opening.unwrap_or(&self.start);
        match self.game().deal.filter(|_| opening.is_none()) {
            Some(deal) => {
                let seed = self.plan.deal_seed(job.pair.opening);
                StartPosition { position: Some(deal(&start.variant, seed)), ..start.clone() }
            }
            None => start.clone(),
        }
    }

    /// The bout of a job between some of these players. Its record is returned in the report only.
    /// Fails if the positions of the game carry their solved value and the start position cannot
    /// be solved.
    pub fn bout(&self, job: &Job, players: &[ArenaPlayer]) -> Result<BoutSetup, SolverError> {
        let participant = |index: usize| {
            let player = players.get(job.pair.players[index] as usize)?;
            let mut engine = player.engine.clone();
            engine.seed = engine.seed.or_else(|| self.plan.engine_seed(job, index));
            Some(Participant {
                name: player.name.clone(),
                seats: self.seats.get(usize::from(job.side_of(index)))?.clone(),
                budget: player.budget,
                engine: Some(engine),
                ponders: player.ponders,
            })
        };
        Ok(BoutSetup {
            start: solver::with_mark(&self.start_of(job), &|| true)?,
            seed: job.seed,
            settings: self.settings,
            players: (0..job.pair.players.len()).filter_map(participant).collect(),
            hint: None,
            output_listener: None,
            destination: RecordDestination::Unsaved,
            resumed_from: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use sandboard_games::{bridge, reversi};

    use super::*;

    #[test]
    fn a_tournament_needs_two_players() {
        static THREE: GameInfo = GameInfo { seats: 3, sides: &["a", "b", "c"], ..reversi::INFO };
        static ONE: GameInfo = GameInfo { seats: 1, sides: &["a"], ..reversi::INFO };
        let check = |game: &'static GameInfo,
                     position: Option<String>,
                     expected: Result<Vec<Vec<u8>>, &str>| {
            let start = StartPosition::new(game, game.default_variant(), position);
            let found = seats_by_side(&start).map_err(|error| error.to_string());
            assert_eq!(found, expected.map_err(str::to_owned), "{}", game.id);
        };
        check(&reversi::INFO, None, Ok(vec![vec![0], vec![1]]));
        let deal = bridge::INFO.deal.map(|deal| deal(&bridge::INFO.default_variant(), 1));
        check(&bridge::INFO, deal, Ok(vec![vec![0, 2], vec![1, 3]]));
        check(&THREE, None, Ok(vec![vec![0], vec![1], vec![2]]));
        let start =
            |game: &'static GameInfo| StartPosition::new(game, game.default_variant(), None);
        let plan = Plan { openings: 0, seed: 1, seed_key: None, shares_chance: false };
        let for_two = |game: &'static GameInfo| {
            Conditions::for_two(start(game), Vec::new(), plan, BoutSettings::default())
                .map_or_else(|error| error.to_string(), |found| found.seats.len().to_string())
        };
        assert_eq!(for_two(&reversi::INFO), "2");
        let refused = "contests and tuning need a game of two players, and reversi is played by 3";
        assert_eq!(for_two(&THREE), refused);
        check(
            &ONE,
            None,
            Err("a tournament needs a game of two players or more, and reversi is for one"),
        );
    }
}
