//! From what is counted of an arena to what is told of it. Pure: the same setup, players and results make the same
//! view, but for what only a running session knows.

use std::collections::BTreeMap;

use sandboard_games::GameInfo;
use sandboard_tournament::schedule::{Format, Pair};
use sandboard_tournament::stats::{
    Estimate, Fit, FitOptions, Glicko2, GlickoRating, Meeting, NormalizedElo, PeriodGame, Rank,
    Sample, SeatStrength, Strength, Tables, TieBreak, ranking,
};

use super::ledger::Ledger;
use super::live::Status;
use super::setup::{ArenaSetup, Contestant, OpeningsSource};
use super::standing::{CountedPair, Filter, Standing};
use super::view::{
    Duel, FaultView, Interval, MeetingView, Moment, OpeningView, PlayerView, PonderView, Progress,
    SprtView, State, Unrated, View,
};
use crate::record::Pondering;

/// So many moments of its past are told, at most.
const MOMENTS: usize = 100;
/// With more players than this only their ratings of now are fitted: each moment takes as long again.
const PLAYERS_WITH_PAST: usize = 64;
/// With more players than this nothing is fitted: the time that it takes grows with their number's cube.
const PLAYERS_FITTED: usize = 500;

/// An arena to be told of.
pub struct Survey<'a> {
    /// The name of its folder.
    pub name: &'a str,
    /// The game.
    pub game: &'static GameInfo,
    /// As it was begun.
    pub setup: &'a ArenaSetup,
    /// Who plays.
    pub players: &'a [Contestant],
    /// The texts of the openings, by number.
    pub openings: &'a [String],
    /// What is done.
    pub ledger: &'a Ledger,
    /// Whether a process plays it.
    pub is_played: bool,
    /// What that says of it.
    pub status: Option<&'a Status>,
}

impl Survey<'_> {
    /// All of it, or the games that are wanted: ratings, places and tables are of these, progress and what engines
    /// spent and did wrong are of all.
    pub fn view(&self, filter: &Filter) -> View {
        let standing = self.ledger.standing();
        let filtered;
        let tables = match filter.is_empty() {
            true => &standing.tables,
            false => {
                filtered = standing.tables_of(filter, self.ledger.plan().openings);
                &filtered
            }
        };
        let numbers: Vec<u32> = (0..self.players.len() as u32).collect();
        let fit = fit(tables, &numbers);
        let ranks = self.ranks(tables, &numbers, filter);
        let glicko = self.glicko(standing, filter);
        let players = numbers.iter().zip(self.players).map(|(number, player)| {
            let rank = ranks.iter().find(|rank| rank.player == *number);
            self.player(*number, player, rank, tables, fit.as_ref(), glicko.get(*number as usize))
        });
        View {
            id: self.setup.id.clone(),
            name: self.name.to_owned(),
            created_at: self.setup.created_at.clone(),
            state: self.state(),
            format: self.setup.schedule,
            game: self.setup.game.clone(),
            variant: self.setup.variant.clone(),
            sides: self.game.sides.map(str::to_owned),
            seed: self.setup.seed,
            openings: self.setup.openings.clone().map(OpeningsSource::without_path),
            settings: self.setup.settings,
            progress: self.progress(),
            players: players.collect(),
            ranking: ranks.iter().map(|rank| rank.player).collect(),
            meetings: meetings(tables, fit.as_ref()),
            by_opening: self.by_opening(tables),
            first_seat: fit.as_ref().and_then(|fit| match fit.first_seat {
                SeatStrength::Worth(estimate) => Some(interval(estimate)),
                _ => None,
            }),
            duel: self.duel(tables),
            history: self.history(standing, filter, &numbers),
            faults: self.faults(standing),
        }
    }

    /// Whether it goes on.
    pub fn state(&self) -> State {
        match self.status {
            _ if self.ledger.is_complete() => State::Complete,
            _ if !self.is_played => State::Open,
            Some(status) if status.stopping => State::Stopping,
            _ => State::Running,
        }
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let (standing, forecast) = (self.ledger.standing(), self.ledger.forecast());
        let status = self.status.filter(|_| self.is_played && !self.ledger.is_complete());
        Progress {
            pairs: standing.pairs.len() as u32,
            pairs_void: standing.void.len() as u32,
            games_waiting: self.ledger.not_counted(),
            games_playing: status.map_or(0, |status| status.games.len() as u32),
            pairs_left: forecast.expected,
            pairs_left_most: forecast.most,
            games: 2 * standing.pairs.len() as u64,
            plies: standing.plies,
            seconds_left: status.and_then(|status| status.seconds_left),
            plies_per_second: status.and_then(|status| status.plies_per_second),
        }
    }

    /// What decides between players with as many points.
    fn ties(&self) -> &'static [TieBreak] {
        match self.setup.schedule {
            Format::Swiss { .. } => &[
                TieBreak::Buchholz,
                TieBreak::SonnebornBerger,
                TieBreak::HeadToHead,
                TieBreak::Wins,
            ],
            Format::RoundRobin { .. } => {
                &[TieBreak::HeadToHead, TieBreak::SonnebornBerger, TieBreak::Wins]
            }
            Format::Match { .. } | Format::Knockout { .. } => &[],
            Format::Gauntlet { .. } | Format::Ladder { .. } => &[TieBreak::Wins],
        }
    }

    fn byes(&self, filter: &Filter) -> BTreeMap<u32, u64> {
        match filter.is_empty() {
            true => self.ledger.schedule().byes(),
            false => BTreeMap::new(),
        }
    }

    /// Places: of a knockout by the stages that somebody has passed, elsewhere by points.
    fn ranks(&self, tables: &Tables, numbers: &[u32], filter: &Filter) -> Vec<Rank> {
        let mut ranks = ranking(tables, numbers, &self.byes(filter), self.ties());
        if let Some(passed) = self.ledger.schedule().stages_passed().filter(|_| filter.is_empty()) {
            let stages = |rank: &Rank| passed.get(&rank.player).copied().unwrap_or(0);
            ranks.sort_by_key(|rank| std::cmp::Reverse(stages(rank)));
            for index in 0..ranks.len() {
                let better = ranks.iter().take_while(|rank| stages(rank) > stages(&ranks[index]));
                ranks[index].place = better.count() as u32 + 1;
            }
        }
        ranks
    }

    fn player(
        &self,
        number: u32,
        player: &Contestant,
        rank: Option<&Rank>,
        tables: &Tables,
        fit: Option<&Fit>,
        glicko: Option<&GlickoRating>,
    ) -> PlayerView {
        let standing = self.ledger.standing();
        let (rating, unrated) = rating(number, tables, fit);
        let ties = self.ties().iter().zip(rank.map_or(&[][..], |rank| &rank.ties));
        let pondering = standing.pondering.get(&number).filter(|_| player.ponders);
        PlayerView {
            number,
            name: player.name.clone(),
            engine: player.engine.clone(),
            version: player.version.clone(),
            module_sha256: player.module_sha256.clone(),
            options: player.options.clone(),
            budget: player.budget.to_string(),
            withdrawn: self.ledger.schedule().is_withdrawn(number),
            place: rank.map_or(1, |rank| rank.place),
            half_points: rank.map_or(0, |rank| rank.half_points),
            byes_half_points: self.ledger.schedule().byes().get(&number).copied().unwrap_or(0),
            ties: ties.map(|(tie, value)| tie_value(*tie, *value)).collect(),
            by_seat: tables.by_seat(number),
            rating,
            unrated,
            glicko: glicko.map(|rating| Interval {
                value: rating.rating,
                low: Some(rating.rating - 2.0 * rating.deviation),
                high: Some(rating.rating + 2.0 * rating.deviation),
            }),
            totals: standing.totals.get(&number).cloned().unwrap_or_default(),
            pondering: pondering.map(|Pondering { pondered, predictions, hits }| PonderView {
                predictions: *predictions,
                hits: *hits,
                wall_us: pondered.wall_us,
                cpu_us: pondered.cpu_us,
            }),
        }
    }

    fn by_opening(&self, tables: &Tables) -> Vec<OpeningView> {
        if self.setup.openings.is_none() {
            return Vec::new();
        }
        let row = |(opening, row): (u32, &sandboard_tournament::stats::OpeningRow)| OpeningView {
            opening,
            text: self.openings.get(opening as usize).cloned().unwrap_or_default(),
            first_seat: row.first_seat,
            pairs_by_margin: row.pairs_by_margin,
        };
        tables.openings().map(row).collect()
    }

    fn duel(&self, tables: &Tables) -> Option<Duel> {
        if self.players.len() != 2 {
            return None;
        }
        let pairs = tables.meeting(0, 1).unwrap_or_default().pairs;
        let sample = Sample::new(&pairs);
        let [low, high] = sample.interval()?;
        let elo = sample.elo();
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let normalized = NormalizedElo::new(&pairs).map(|it| Interval {
            value: it.nelo,
            low: Some(it.nelo - it.error),
            high: Some(it.nelo + it.error),
        });
        Some(Duel {
            score: Interval { value: sample.mean, low: Some(low), high: Some(high) },
            pairs,
            elo: elo.as_ref().and_then(|elo| finite(elo.elo)),
            elo_low: elo.as_ref().and_then(|elo| finite(elo.low)),
            elo_high: elo.as_ref().and_then(|elo| finite(elo.high)),
            superiority: elo.as_ref().map(|elo| elo.superiority),
            normalized,
            sprt: self.ledger.test().map(|(sprt, state)| {
                let setup = sprt.setup();
                SprtView {
                    model: setup.model,
                    elo0: setup.elo0,
                    elo1: setup.elo1,
                    alpha: setup.alpha,
                    beta: setup.beta,
                    llr: state.llr,
                    lower: state.lower,
                    upper: state.upper,
                    verdict: state.verdict,
                }
            }),
        })
    }

    /// Rating periods of a ladder are its rounds.
    fn glicko(&self, standing: &Standing, filter: &Filter) -> Vec<GlickoRating> {
        if !matches!(self.setup.schedule, Format::Ladder { .. }) {
            return Vec::new();
        }
        let mut ratings = vec![GlickoRating::default(); self.players.len()];
        for (rating, player) in ratings.iter_mut().zip(self.players) {
            rating.rating += f64::from(player.rating);
        }
        let openings = self.ledger.plan().openings;
        let pairs: Vec<&CountedPair> =
            standing.pairs.iter().filter(|pair| filter.wants(pair, openings)).collect();
        for round in pairs.chunk_by(|a, b| a.pair.round == b.pair.round) {
            let games = round.iter().flat_map(|pair| {
                let Pair { players, .. } = pair.pair;
                let players = players.map(|player| player as usize);
                pair.half_points.map(|half| PeriodGame { players, score: f64::from(half) / 2.0 })
            });
            ratings = Glicko2::default().period(&ratings, &games.collect::<Vec<_>>());
        }
        ratings
    }

    fn history(&self, standing: &Standing, filter: &Filter, numbers: &[u32]) -> Vec<Moment> {
        let openings = self.ledger.plan().openings;
        let pairs: Vec<&CountedPair> =
            standing.pairs.iter().filter(|pair| filter.wants(pair, openings)).collect();
        let moments = match numbers.len() {
            few if few <= PLAYERS_WITH_PAST => MOMENTS.min(pairs.len()),
            _ => 1.min(pairs.len()),
        };
        let mut tables = Tables::default();
        let (mut history, mut added) = (Vec::with_capacity(moments), 0);
        for moment in 1..=moments {
            let until = pairs.len() * moment / moments;
            for pair in &pairs[added..until] {
                tables.add(&pair.played(openings));
            }
            added = until;
            let fit = fit(&tables, numbers);
            let ratings = numbers.iter().map(|number| rating(*number, &tables, fit.as_ref()).0);
            history.push(Moment { pairs: until as u32, ratings: ratings.collect() });
        }
        history
    }

    fn faults(&self, standing: &Standing) -> Vec<FaultView> {
        let fault =
            |((player, code), faults): (&(u32, String), &super::standing::Faults)| FaultView {
                player: *player,
                code: code.clone(),
                games: faults.games,
                first: faults.first.name(),
                sentence: faults.sentence.clone(),
                at_ply: faults.at_ply,
                record_player: faults.player,
                replay: None,
            };
        standing.faults.iter().map(fault).collect()
    }
}

fn fit(tables: &Tables, numbers: &[u32]) -> Option<Fit> {
    let options = FitOptions { first_seat: true, ..FitOptions::default() };
    (numbers.len() <= PLAYERS_FITTED).then(|| Fit::new(tables, numbers, &options))
}

fn rating(number: u32, tables: &Tables, fit: Option<&Fit>) -> (Option<Interval>, Option<Unrated>) {
    if tables.total(number).games() == 0 {
        return (None, Some(Unrated::NoGames));
    }
    let strength = fit.and_then(|fit| fit.strengths.iter().find(|(player, _)| *player == number));
    match strength.map(|(_, strength)| *strength) {
        Some(Strength::Rated(estimate)) => (Some(interval(estimate)), None),
        Some(Strength::Above) => (None, Some(Unrated::Above)),
        Some(Strength::Below) => (None, Some(Unrated::Below)),
        Some(Strength::Apart) => (None, Some(Unrated::Apart)),
        None => (None, None),
    }
}

fn interval(Estimate { elo, error }: Estimate) -> Interval {
    let bounded = |bound: f64| Some(bound).filter(|bound| bound.is_finite());
    Interval { value: elo, low: bounded(elo - error), high: bounded(elo + error) }
}

fn meetings(tables: &Tables, fit: Option<&Fit>) -> Vec<MeetingView> {
    let meeting = |([first, second], meeting): ([u32; 2], &Meeting)| MeetingView {
        players: [first, second],
        first_seat: meeting.first_seat,
        second_seat: meeting.second_seat,
        pairs: meeting.pairs,
        superiority: fit.and_then(|fit| fit.superiority(first, second)),
    };
    tables.meetings().map(meeting).collect()
}

/// Its name, and its value in points (of wins, games).
fn tie_value(tie: TieBreak, value: u64) -> (String, f64) {
    let (name, unit) = match tie {
        TieBreak::HeadToHead => ("head-to-head", 4.0),
        TieBreak::Buchholz => ("buchholz", 4.0),
        TieBreak::SonnebornBerger => ("sonneborn-berger", 4.0),
        TieBreak::Wins => ("wins", 1.0),
    };
    (name.to_owned(), value as f64 / unit)
}
