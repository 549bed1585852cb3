//! The counted results of an arena, added up pair by pair in the order of the schedule. A pure
//! value.

use std::collections::BTreeMap;

use sandboard_tournament::schedule::{Pair, SeatList};
use sandboard_tournament::stats::{CrossTable, PairResult, Totals};

use super::job::GameKey;
use super::outcome::{GameFault, GameResult};
use sandboard_bout::record::PonderingStatistics;

/// A pair that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedPair {
    /// The pair in the schedule.
    pub pair: Pair,
    /// The half points of each player in each game: first by game, then by the player's index in
    /// the pair.
    pub half_points: Vec<SeatList<u8>>,
    /// The scores in the game's unit, in the same order. Empty: some game did not end by the rules.
    pub scores: Vec<Vec<i32>>,
    /// Whether an engine lost one of its games by a fault.
    pub faulty: bool,
}

/// Selects pairs. An empty field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only pairs in which all players are listed here.
    pub players: Vec<u32>,
    /// Only pairs from this opening.
    pub opening: Option<u32>,
    /// Only pairs of this round.
    pub round: Option<u32>,
    /// Only pairs in which no engine lost by a fault.
    pub no_faults: bool,
}

/// Games that a player lost by one kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCount {
    /// The number of games.
    pub games: u64,
    /// The first such game of the schedule.
    pub first: GameKey,
    /// How that game ended.
    pub sentence: String,
    /// The number of moves played in it.
    pub at_ply: u32,
    /// The player at fault, by its index in the pair.
    pub player: usize,
}

/// The results of an arena's pairs, from the first one on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedResults {
    /// The pairs, in the order of the schedule.
    pub pairs: Vec<CountedPair>,
    /// Void pairs, which score nothing, since one of their games could not be played.
    pub void: Vec<Pair>,
    /// The results of each two players.
    pub cross_table: CrossTable,
    /// Resources and faults by player number.
    pub totals: BTreeMap<u32, Totals>,
    /// Pondering by player number.
    pub pondering: BTreeMap<u32, PonderingStatistics>,
    /// Faults by player and code.
    pub faults: BTreeMap<(u32, String), FaultCount>,
    /// The number of moves in all counted games.
    pub plies: u64,
}

impl Filter {
    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it selects a pair of an arena with this number of openings.
    pub fn matches(&self, pair: &CountedPair, openings: u32) -> bool {
        let opening = pair.pair.opening.checked_rem(openings).unwrap_or(pair.pair.opening);
        let plays = |player: &u32| self.players.contains(player);
        (self.players.is_empty() || pair.pair.players.iter().all(plays))
            && self.opening.is_none_or(|wanted| wanted == opening)
            && self.round.is_none_or(|wanted| wanted == pair.pair.round)
            && !(self.no_faults && pair.faulty)
    }
}

impl CountedPair {
    /// The pair as the cross table counts it, in an arena with this number of openings.
    pub fn pair_result(&self, openings: u32) -> PairResult {
        let Pair { players, opening, .. } = self.pair;
        let opening = opening.checked_rem(openings).unwrap_or(opening);
        PairResult { players, opening, half_points: self.half_points.clone() }
    }
}

impl CountedResults {
    /// Counts the next pair of the schedule, in an arena with this number of openings.
    pub fn add(&mut self, pair: Pair, games: &[GameResult], openings: u32) {
        let has_scores = games.iter().all(|game| !game.scores.is_empty());
        let counted = CountedPair {
            pair,
            half_points: games.iter().map(|game| game.half_points).collect(),
            scores: games.iter().filter(|_| has_scores).map(|game| game.scores.clone()).collect(),
            faulty: games.iter().any(|game| game.fault.is_some()),
        };
        self.cross_table.add(&counted.pair_result(openings));
        self.pairs.push(counted);
        for (game, number) in games.iter().zip(0..) {
            self.plies += game.plies;
            for (player, spent) in pair.players.iter().zip(&game.spent) {
                self.totals.entry(*player).or_default().add(spent);
            }
            for (player, pondering) in pair.players.iter().zip(&game.pondering) {
                self.pondering.entry(*player).or_default().add(*pondering);
            }
            let at_fault = |fault: &GameFault| pair.players.get(fault.player).copied();
            if let Some(fault) = &game.fault
                && let Some(player) = at_fault(fault)
            {
                let first = || FaultCount {
                    games: 0,
                    first: GameKey { pair: pair.number, game: number },
                    sentence: game.sentence.clone(),
                    at_ply: fault.at_ply,
                    player: fault.player,
                };
                let key = (player, fault.code.clone());
                self.faults.entry(key).or_insert_with(first).games += 1;
            }
        }
    }

    /// The cross table of the selected pairs, in an arena with this number of openings.
    pub fn cross_table_of(&self, filter: &Filter, openings: u32) -> CrossTable {
        let mut cross_table = CrossTable::default();
        for pair in self.pairs.iter().filter(|pair| filter.matches(pair, openings)) {
            cross_table.add(&pair.pair_result(openings));
        }
        cross_table
    }
}
