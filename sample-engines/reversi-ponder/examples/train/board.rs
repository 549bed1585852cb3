//! A position of the training: discs, features and the side to move.

use reversi_ponder::eval::{Discs, Features, Weights};
use sandboard_sdk::games::reversi::bits;

/// The start position.
const START: Discs = Discs { own: 1 << 28 | 1 << 35, opponent: 1 << 27 | 1 << 36 };

#[derive(Clone, Copy)]
pub(crate) struct Board {
    pub discs: Discs,
    features: Features,
    /// Whether the features have the mover's point of view.
    own: bool,
}

impl Board {
    pub(crate) fn start() -> Board {
        Board::of(START)
    }

    pub(crate) fn of(discs: Discs) -> Board {
        Board { discs, features: Features::new(discs.own, discs.opponent), own: true }
    }

    /// The legal moves, as a set of squares.
    pub(crate) fn moves(&self) -> u64 {
        bits::moves(self.discs.own, self.discs.opponent)
    }

    /// Whether neither side has a legal move.
    pub(crate) fn is_over(&self) -> bool {
        self.moves() == 0 && bits::moves(self.discs.opponent, self.discs.own) == 0
    }

    pub(crate) fn empties(&self) -> u32 {
        (!(self.discs.own | self.discs.opponent)).count_ones()
    }

    /// The board after a move to a legal square.
    #[must_use]
    pub(crate) fn after(&self, square: u32) -> Board {
        let Discs { own, opponent } = self.discs;
        let flipped = bits::flips(square, own, opponent);
        let mut features = self.features;
        features.play(square, flipped, self.own);
        let discs = Discs { own: opponent & !flipped, opponent: own | flipped | 1 << square };
        Board { discs, features, own: !self.own }
    }

    /// The board after a pass.
    #[must_use]
    pub(crate) fn passed(&self) -> Board {
        let Discs { own, opponent } = self.discs;
        Board { discs: Discs { own: opponent, opponent: own }, own: !self.own, ..*self }
    }

    pub(crate) fn value(&self, weights: &Weights) -> i32 {
        weights.value(&self.features, self.discs, self.own)
    }

    /// The result of a finished game for the side to move, in discs, empty squares to the winner.
    pub(crate) fn result(&self) -> i32 {
        let lead = self.discs.own.count_ones() as i32 - self.discs.opponent.count_ones() as i32;
        lead + lead.signum() * self.empties() as i32
    }
}

/// The squares of a set, in ascending order.
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = set.trailing_zeros();
        let some = set != 0;
        set &= set.wrapping_sub(1);
        some.then_some(square)
    })
}
