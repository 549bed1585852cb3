//! A position of the training: discs, features and who moves.

use reversi_ponder::eval::{Discs, Features, Weights};
use sandboard_sdk::games::reversi::bits;

/// The beginning of a game.
const START: Discs = Discs { own: 1 << 28 | 1 << 35, opponent: 1 << 27 | 1 << 36 };

#[derive(Clone, Copy)]
pub struct Board {
    pub discs: Discs,
    features: Features,
    /// The features are from the mover's view.
    own: bool,
}

impl Board {
    pub fn start() -> Board {
        Board::of(START)
    }

    pub fn of(discs: Discs) -> Board {
        Board { discs, features: Features::new(discs.own, discs.opponent), own: true }
    }

    /// The squares to which the mover may move.
    pub fn moves(&self) -> u64 {
        bits::moves(self.discs.own, self.discs.opponent)
    }

    /// Whether nobody can move.
    pub fn is_over(&self) -> bool {
        self.moves() == 0 && bits::moves(self.discs.opponent, self.discs.own) == 0
    }

    pub fn empties(&self) -> u32 {
        (!(self.discs.own | self.discs.opponent)).count_ones()
    }

    /// The board after a move to a legal square.
    #[must_use]
    pub fn after(&self, square: u32) -> Board {
        let Discs { own, opponent } = self.discs;
        let flipped = bits::flips(square, own, opponent);
        let mut features = self.features;
        features.play(square, flipped, self.own);
        let discs = Discs { own: opponent & !flipped, opponent: own | flipped | 1 << square };
        Board { discs, features, own: !self.own }
    }

    /// The board after a pass.
    #[must_use]
    pub fn passed(&self) -> Board {
        let Discs { own, opponent } = self.discs;
        Board { discs: Discs { own: opponent, opponent: own }, own: !self.own, ..*self }
    }

    pub fn value(&self, weights: &Weights) -> i32 {
        weights.value(&self.features, self.discs, self.own)
    }

    /// The result of a game that is over, in discs, empty squares to the winner.
    pub fn result(&self) -> i32 {
        let lead = self.discs.own.count_ones() as i32 - self.discs.opponent.count_ones() as i32;
        lead + lead.signum() * self.empties() as i32
    }
}

/// The squares of a set, from the lowest on.
pub fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(square)
    })
}
