//! What is counted over the games of an arena, added up pair by pair in the order of the schedule. Pure.

use std::collections::BTreeMap;

use sandboard_tournament::schedule::Pair;
use sandboard_tournament::stats::{PlayedPair, Tables, Totals};

use super::job::GameKey;
use super::outcome::GameResult;
use crate::record::Pondering;

/// A pair that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedPair {
    /// Which.
    pub pair: Pair,
    /// Half points of its first player in both games.
    pub half_points: [u8; 2],
    /// Whether an engine did something wrong in it.
    pub faulty: bool,
}

/// Which pairs are looked at; what is empty wants any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Between these players alone.
    pub players: Vec<u32>,
    /// From this opening.
    pub opening: Option<u32>,
    /// Of this round.
    pub round: Option<u32>,
    /// Only where no engine did anything wrong.
    pub no_faults: bool,
}

/// Games that a player lost by one kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// How many.
    pub games: u64,
    /// The first such game of the schedule.
    pub first: GameKey,
    /// How that one ended.
    pub sentence: String,
    /// How many moves had been played in it.
    pub at_ply: u32,
    /// Which of the players of its pair it was.
    pub player: usize,
}

/// The counts over an arena's pairs, from its first one on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The pairs, in the order of the schedule.
    pub pairs: Vec<CountedPair>,
    /// Pairs among them that brought nobody anything, since a game of them could not be played.
    pub void: Vec<Pair>,
    /// Who did what against whom.
    pub tables: Tables,
    /// What each player spent, by number.
    pub totals: BTreeMap<u32, Totals>,
    /// What each did on its opponents' time.
    pub pondering: BTreeMap<u32, Pondering>,
    /// What each did wrong, by player and the word for it.
    pub faults: BTreeMap<(u32, String), Faults>,
    /// Moves made.
    pub plies: u64,
}

impl Filter {
    /// Whether it wants everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a pair is wanted, whose opening is that (none: the start).
    pub fn wants(&self, pair: &CountedPair, openings: u32) -> bool {
        let opening = pair.pair.opening.checked_rem(openings).unwrap_or(pair.pair.opening);
        let plays = |player: &u32| self.players.contains(player);
        (self.players.is_empty() || pair.pair.players.iter().all(plays))
            && self.opening.is_none_or(|wanted| wanted == opening)
            && self.round.is_none_or(|wanted| wanted == pair.pair.round)
            && !(self.no_faults && pair.faulty)
    }
}

impl CountedPair {
    /// It as the tables count it, of so many openings.
    pub fn played(&self, openings: u32) -> PlayedPair {
        let Pair { players, opening, .. } = self.pair;
        let opening = opening.checked_rem(openings).unwrap_or(opening);
        PlayedPair { players, opening, half_points: self.half_points }
    }
}

impl Standing {
    /// Counts the next pair of the schedule, of so many openings.
    pub fn add(&mut self, pair: Pair, games: &[GameResult; 2], openings: u32) {
        let counted = CountedPair {
            pair,
            half_points: games.each_ref().map(|game| game.half_points),
            faulty: games.iter().any(|game| game.fault.is_some()),
        };
        self.tables.add(&counted.played(openings));
        self.pairs.push(counted);
        for (game, number) in games.iter().zip(0..) {
            self.plies += game.plies;
            for (index, player) in pair.players.into_iter().enumerate() {
                self.totals.entry(player).or_default().add(&game.spent[index]);
                self.pondering.entry(player).or_default().add(game.pondering[index]);
            }
            if let Some(fault) = &game.fault {
                let first = || Faults {
                    games: 0,
                    first: GameKey { pair: pair.number, game: number },
                    sentence: game.sentence.clone(),
                    at_ply: fault.at_ply,
                    player: fault.player & 1,
                };
                let whose = (pair.players[fault.player & 1], fault.code.clone());
                self.faults.entry(whose).or_insert_with(first).games += 1;
            }
        }
    }

    /// The tables of those pairs alone that are wanted, of so many openings.
    pub fn tables_of(&self, filter: &Filter, openings: u32) -> Tables {
        let mut tables = Tables::default();
        for pair in self.pairs.iter().filter(|pair| filter.wants(pair, openings)) {
            tables.add(&pair.played(openings));
        }
        tables
    }
}
