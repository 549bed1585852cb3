//! Computes the view of an arena from its counted results. Pure: the same setup, players and
//! results give the same view, apart from the status of a running session.

use std::collections::BTreeMap;

use sandboard_games::GameInfo;
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{
    CrossTable, Elo, Estimate, Fit, FitOptions, Glicko2, GlickoRating, HeadToHead, NormalizedElo,
    PeriodGame, PlayerRating, RankedPlayer, Sample, SeatAdvantage, Tally, TieBreak, rank_players,
};

use super::counted_results::{CountedPair, CountedResults, Filter};
use super::ledger::Ledger;
use super::score_statistics::ScoreStatistics;
use super::setup::{ArenaSetup, Contestant, OpeningsSource};
use super::status::Status;
use super::view::{
    FaultView, HeadToHeadView, Interval, MatchStatistics, OpeningView, PlayerView, PonderView,
    Progress, RatingSnapshot, SprtView, State, Unrated, View,
};
use sandboard_bout::record::PonderingStatistics;

/// The most entries of the rating history.
const HISTORY_MAX: usize = 100;
/// With more players than this only the current ratings are fitted, since each entry of the history
/// needs another fit.
const HISTORY_PLAYERS_MAX: usize = 64;
/// With more players than this no ratings are fitted: the time grows with the cube of their number.
const FIT_PLAYERS_MAX: usize = 500;

/// Everything from which the view of an arena is computed.
pub struct ArenaStatistics<'a> {
    /// The name of its folder.
    pub name: &'a str,
    /// The game that is played.
    pub game: &'static GameInfo,
    /// The setup of the arena.
    pub setup: &'a ArenaSetup,
    /// The players, by number.
    pub players: &'a [Contestant],
    /// The texts of the openings, by number.
    pub openings: &'a [String],
    /// The games that are done.
    pub ledger: &'a Ledger,
    /// Whether a process plays it.
    pub is_running: bool,
    /// The status of that process.
    pub status: Option<&'a Status>,
}

impl ArenaStatistics<'_> {
    /// The view of all games or of the selected ones. Ratings, places and tables are of the
    /// selected games; progress, resources and faults are always of all.
    pub fn view(&self, filter: &Filter) -> View {
        let counted = self.ledger.counted_results();
        let filtered;
        let tables = match filter.is_empty() {
            true => &counted.cross_table,
            false => {
                filtered = counted.cross_table_of(filter, self.ledger.plan().openings);
                &filtered
            }
        };
        let numbers: Vec<u32> = (0..self.players.len() as u32).collect();
        let ratings = self.ratings(tables, &numbers);
        let scores = self.score_statistics(counted, filter);
        let ranks = self.ranks(tables, &numbers, filter);
        let glicko = self.glicko(counted, filter);
        let players = numbers.iter().zip(self.players).map(|(number, player)| {
            let rank = ranks.iter().find(|rank| rank.player == *number);
            let ratings = (&ratings, glicko.get(*number as usize));
            let view = self.player(*number, player, rank, tables, ratings);
            scores.add_to(view)
        });
        View {
            id: self.setup.id.clone(),
            name: self.name.to_owned(),
            created_at: self.setup.created_at.clone(),
            state: self.state(),
            format: self.ledger.schedule().format(),
            game: self.setup.game.clone(),
            variant: self.setup.variant.clone(),
            sides: self.sides().iter().map(|side| (*side).to_owned()).collect(),
            seats: self.setup.seats,
            seed: self.setup.seed,
            openings: self.setup.openings.clone().map(OpeningsSource::without_path),
            settings: self.setup.settings,
            progress: self.progress(),
            players: players.collect(),
            ranking: ranks.iter().map(|rank| rank.player).collect(),
            head_to_head: head_to_heads(tables, &ratings),
            by_opening: self.by_opening(tables),
            first_seat: ratings.fit.as_ref().and_then(|fit| match fit.seat_advantage {
                SeatAdvantage::Fitted(estimate) => Some(interval(estimate)),
                _ => None,
            }),
            match_statistics: self.match_statistics(tables),
            history: self.history(counted, filter, &numbers),
            faults: self.faults(counted),
        }
    }

    /// The names of the sides of the variant that is played.
    fn sides(&self) -> &'static [&'static str] {
        let variant = self.game.variant(&self.setup.variant);
        variant.map_or(self.game.sides, |variant| self.game.sides_of(&variant))
    }

    /// Whether the arena is being played.
    pub fn state(&self) -> State {
        match self.status {
            _ if self.ledger.is_complete() => State::Complete,
            _ if !self.is_running => State::Open,
            Some(status) if status.stopping => State::Stopping,
            _ => State::Running,
        }
    }

    /// The progress of the arena.
    pub fn progress(&self) -> Progress {
        let (counted, forecast) = (self.ledger.counted_results(), self.ledger.forecast());
        let status = self.status.filter(|_| self.is_running && !self.ledger.is_complete());
        Progress {
            pairs: counted.pairs.len() as u32,
            pairs_void: counted.void.len() as u32,
            games_waiting: self.ledger.not_counted(),
            games_playing: status.map_or(0, |status| status.games.len() as u32),
            pairs_left: forecast.pairs_expected,
            pairs_left_max: forecast.pairs_max,
            games: u64::from(self.setup.seats) * counted.pairs.len() as u64,
            plies: counted.plies,
            seconds_left: status.and_then(|status| status.seconds_left),
            long_game: status.and_then(|status| status.long_game),
            plies_per_second: status.and_then(|status| status.plies_per_second),
        }
    }

    /// The tie-breaks between players with equal points.
    fn tie_breaks(&self) -> &'static [TieBreak] {
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

    /// The places: in a knockout by the stages won, otherwise by points.
    fn ranks(&self, tables: &CrossTable, numbers: &[u32], filter: &Filter) -> Vec<RankedPlayer> {
        let mut ranks = rank_players(tables, numbers, &self.byes(filter), self.tie_breaks());
        if let Some(passed) =
            self.ledger.schedule().knockout_rounds_won().filter(|_| filter.is_empty())
        {
            let stages = |rank: &RankedPlayer| passed.get(&rank.player).copied().unwrap_or(0);
            ranks.sort_by_key(|rank| std::cmp::Reverse(stages(rank)));
            for index in 0..ranks.len() {
                let better = ranks.iter().take_while(|rank| stages(rank) > stages(&ranks[index]));
                ranks[index].rank = better.count() as u32 + 1;
            }
        }
        ranks
    }

    fn player(
        &self,
        number: u32,
        player: &Contestant,
        rank: Option<&RankedPlayer>,
        tables: &CrossTable,
        (ratings, glicko): (&Ratings, Option<&GlickoRating>),
    ) -> PlayerView {
        let counted = self.ledger.counted_results();
        let (rating, unrated) = ratings.of(number, tables);
        let tie_breaks =
            self.tie_breaks().iter().zip(rank.map_or(&[][..], |rank| &rank.tie_breaks));
        let pondering = counted.pondering.get(&number).filter(|_| player.ponders);
        PlayerView {
            number,
            name: player.name.clone(),
            engine: player.engine.clone(),
            version: player.version.clone(),
            module_sha256: player.module_sha256.clone(),
            options: player.options.clone(),
            budget: player.budget.to_string(),
            withdrawn: self.ledger.schedule().is_withdrawn(number),
            place: rank.map_or(1, |rank| rank.rank),
            half_points: rank.map_or(0, |rank| rank.half_points),
            byes_half_points: self.ledger.schedule().byes().get(&number).copied().unwrap_or(0),
            tie_breaks: tie_breaks.map(|(tie, value)| tie_value(*tie, *value)).collect(),
            by_seat: self.by_seat(tables, number),
            rating,
            unrated,
            glicko: glicko.map(|rating| Interval {
                value: rating.rating,
                low: Some(rating.rating - 2.0 * rating.deviation),
                high: Some(rating.rating + 2.0 * rating.deviation),
            }),
            mean_score: None,
            duplicate_score: None,
            skill: None,
            totals: counted.totals.get(&number).cloned().unwrap_or_default(),
            pondering: pondering.map(|PonderingStatistics { time, predictions, hits }| {
                PonderView {
                    predictions: *predictions,
                    hits: *hits,
                    wall_us: time.wall_us,
                    cpu_us: time.cpu_us,
                }
            }),
        }
    }

    /// Whether two players play a game for two.
    fn is_match(&self) -> bool {
        (self.players.len(), self.setup.seats) == (2, 2)
    }

    /// The ratings in Elo of games of two players. In other games, the results of each two players
    /// of a game depend on each other.
    fn ratings(&self, tables: &CrossTable, numbers: &[u32]) -> Ratings {
        let options = FitOptions { fit_seat_advantage: true, ..FitOptions::default() };
        let is_fitted = self.setup.seats == 2 && numbers.len() <= FIT_PLAYERS_MAX;
        Ratings {
            fit: is_fitted.then(|| Fit::new(tables, numbers, &options)),
            elo: self.is_match().then(|| match_sample(tables).elo()).flatten(),
        }
    }

    /// Mean scores and skills of the selected pairs.
    fn score_statistics(&self, counted: &CountedResults, filter: &Filter) -> ScoreStatistics {
        let openings = self.ledger.plan().openings;
        let pairs = counted.pairs.iter().filter(|pair| filter.matches(pair, openings));
        let has_luck = self.setup.shares_chance || self.game.deal.is_some();
        ScoreStatistics::new(pairs, self.players.len(), self.setup.seats > 2, has_luck)
    }

    /// The games of a player by seat, with zeros for seats that it did not have yet.
    fn by_seat(&self, tables: &CrossTable, player: u32) -> Vec<Tally> {
        let mut by_seat = tables.by_seat(player).to_vec();
        by_seat.resize(self.setup.seats.into(), Tally::default());
        by_seat
    }

    fn by_opening(&self, tables: &CrossTable) -> Vec<OpeningView> {
        if self.setup.openings.is_none() {
            return Vec::new();
        }
        let row =
            |(opening, row): (u32, &sandboard_tournament::stats::OpeningResults)| OpeningView {
                opening,
                text: self.openings.get(opening as usize).cloned().unwrap_or_default(),
                first_seat: row.first_seat,
                pairs_by_margin: row.pairs_by_margin,
            };
        tables.openings().map(row).collect()
    }

    fn match_statistics(&self, tables: &CrossTable) -> Option<MatchStatistics> {
        if !self.is_match() {
            return None;
        }
        let pairs = match_pairs(tables);
        let sample = match_sample(tables);
        let [low, high] = sample.interval()?;
        let elo = sample.elo();
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let normalized = NormalizedElo::new(&pairs).map(|it| Interval {
            value: it.nelo,
            low: Some(it.nelo - it.error),
            high: Some(it.nelo + it.error),
        });
        Some(MatchStatistics {
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

    /// Glicko-2 ratings of a ladder; its rounds are the rating periods.
    fn glicko(&self, counted: &CountedResults, filter: &Filter) -> Vec<GlickoRating> {
        if !matches!(self.setup.schedule, Format::Ladder { .. }) || self.setup.seats != 2 {
            return Vec::new();
        }
        let mut ratings = vec![GlickoRating::default(); self.players.len()];
        for (rating, player) in ratings.iter_mut().zip(self.players) {
            rating.rating += f64::from(player.rating);
        }
        let openings = self.ledger.plan().openings;
        let pairs: Vec<&CountedPair> =
            counted.pairs.iter().filter(|pair| filter.matches(pair, openings)).collect();
        for round in pairs.chunk_by(|a, b| a.pair.round == b.pair.round) {
            let games = round.iter().flat_map(|pair| {
                let players = pair.pair.players.both();
                let players = players.map(|both| both.map(|player| player as usize));
                let halves = pair.half_points.iter().filter_map(|of_game| of_game.first().copied());
                players.into_iter().flat_map(move |players| {
                    let game = |half| PeriodGame { players, score: f64::from(half) / 2.0 };
                    halves.clone().map(game).collect::<Vec<_>>()
                })
            });
            ratings = Glicko2::default().period(&ratings, &games.collect::<Vec<_>>());
        }
        ratings
    }

    fn history(
        &self,
        counted: &CountedResults,
        filter: &Filter,
        numbers: &[u32],
    ) -> Vec<RatingSnapshot> {
        let openings = self.ledger.plan().openings;
        let pairs: Vec<&CountedPair> =
            counted.pairs.iter().filter(|pair| filter.matches(pair, openings)).collect();
        let entries = match numbers.len() {
            _ if self.setup.seats != 2 => 0,
            few if few <= HISTORY_PLAYERS_MAX => HISTORY_MAX.min(pairs.len()),
            _ => 1.min(pairs.len()),
        };
        let mut tables = CrossTable::default();
        let (mut history, mut added) = (Vec::with_capacity(entries), 0);
        for entry in 1..=entries {
            let until = pairs.len() * entry / entries;
            for pair in &pairs[added..until] {
                tables.add(&pair.pair_result(openings));
            }
            added = until;
            let fitted = self.ratings(&tables, numbers);
            let ratings = numbers.iter().map(|number| fitted.of(*number, &tables).0);
            history.push(RatingSnapshot { pairs: until as u32, ratings: ratings.collect() });
        }
        history
    }

    fn faults(&self, counted: &CountedResults) -> Vec<FaultView> {
        let fault =
            |((player, code), faults): (&(u32, String), &super::counted_results::FaultCount)| {
                FaultView {
                    player: *player,
                    code: code.clone(),
                    games: faults.games,
                    first: faults.first.name(),
                    sentence: faults.sentence.clone(),
                    at_ply: faults.at_ply,
                    record_player: faults.player,
                    replay: None,
                }
            };
        counted.faults.iter().map(fault).collect()
    }
}

/// The ratings of the players.
struct Ratings {
    /// The joint fit, with the advantage of the first seat; none: it is too large, or the game is
    /// for more players.
    fit: Option<Fit>,
    /// The Elo difference of the players of a match, from the first one's view. It comes from the
    /// score alone, without the advantage of a seat: each player has each seat once in a pair.
    elo: Option<Elo>,
}

impl Ratings {
    /// The rating of a player, or why there is none. In a match, each of the two has half of the
    /// Elo difference, so that the tables and the result of the match are one estimate.
    fn of(&self, number: u32, tables: &CrossTable) -> (Option<Interval>, Option<Unrated>) {
        if tables.total(number).games() == 0 {
            return (None, Some(Unrated::NoGames));
        }
        if let Some(elo) = self.elo.filter(|elo| elo.elo.is_finite()) {
            let half = |value: f64| Some(value / 2.0).filter(|value| value.is_finite());
            let (value, low, high) = match number {
                0 => (elo.elo, elo.low, elo.high),
                // Avoids −0.
                _ => (0.0 - elo.elo, 0.0 - elo.high, 0.0 - elo.low),
            };
            return (Some(Interval { value: value / 2.0, low: half(low), high: half(high) }), None);
        }
        let fit = self.fit.as_ref();
        let rating =
            fit.and_then(|fit| fit.player_ratings.iter().find(|(player, _)| *player == number));
        match rating.map(|(_, rating)| *rating) {
            Some(PlayerRating::Rated(estimate)) => (Some(interval(estimate)), None),
            Some(PlayerRating::Above) => (None, Some(Unrated::Above)),
            Some(PlayerRating::Below) => (None, Some(Unrated::Below)),
            Some(PlayerRating::Unconnected) => (None, Some(Unrated::Unconnected)),
            None => (None, None),
        }
    }

    /// The probability that the first of two players is stronger.
    fn superiority(&self, first: u32, second: u32) -> Option<f64> {
        match self.elo {
            Some(elo) if first == 0 => Some(elo.superiority),
            Some(elo) => Some(1.0 - elo.superiority),
            None => self.fit.as_ref().and_then(|fit| fit.superiority(first, second)),
        }
    }
}

/// The pairs of a match by the half points of the first player.
fn match_pairs(tables: &CrossTable) -> [u64; 5] {
    tables.head_to_head(0, 1).unwrap_or_default().pairs
}

fn match_sample(tables: &CrossTable) -> Sample {
    Sample::new(&match_pairs(tables))
}

fn interval(Estimate { elo, error }: Estimate) -> Interval {
    let bounded = |bound: f64| Some(bound).filter(|bound| bound.is_finite());
    Interval { value: elo, low: bounded(elo - error), high: bounded(elo + error) }
}

fn head_to_heads(tables: &CrossTable, ratings: &Ratings) -> Vec<HeadToHeadView> {
    let meeting = |([first, second], meeting): ([u32; 2], &HeadToHead)| HeadToHeadView {
        players: [first, second],
        first_seat: meeting.first_seat,
        second_seat: meeting.second_seat,
        pairs: meeting.pairs,
        superiority: ratings.superiority(first, second),
    };
    tables.head_to_heads().map(meeting).collect()
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
