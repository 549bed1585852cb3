//! The board of a search: a position, the moves made on it and an evaluator that follows them.
//! Chooses no move.

use sandboard_games::{Outcome, Rules, Side};

use crate::evaluator::{Evaluator, WIN_BOUND};

/// A position on which a search makes and unmakes moves, with its evaluator kept up to date.
#[derive(Clone, Debug)]
pub struct SearchBoard<R: Rules, E> {
    position: R,
    evaluator: E,
    made: Vec<(Option<R::Move>, R::Undo)>,
}

impl<R: Rules, E: Evaluator<R>> SearchBoard<R, E> {
    /// A board with this position, and no moves made.
    pub fn new(position: R, mut evaluator: E) -> Self {
        evaluator.reset(&position);
        Self { position, evaluator, made: Vec::new() }
    }

    /// Replaces the position; no moves are made yet.
    pub fn set(&mut self, position: &R) {
        self.position.clone_from(position);
        self.evaluator.reset(position);
        self.made.clear();
    }

    /// The current position.
    #[inline]
    pub fn position(&self) -> &R {
        &self.position
    }

    /// The evaluator of the current position.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The side that moves next.
    #[inline]
    pub fn side(&self) -> Side {
        R::side(self.position.to_move())
    }

    /// The number of moves made on this board, null moves included.
    pub fn plies(&self) -> usize {
        self.made.len()
    }

    /// The last move made on this board; `None` if there is none or it was a null move.
    #[inline]
    pub fn last_move(&self) -> Option<R::Move> {
        self.made.last().and_then(|(mv, _)| *mv)
    }

    /// Makes a move. It must be legal, and the game must not be over.
    #[inline]
    pub fn make(&mut self, mv: R::Move) {
        let undo = self.position.make(mv);
        self.evaluator.made(&self.position, mv);
        self.made.push((Some(mv), undo));
    }

    /// Makes a null move if the rules can; returns whether it did. The evaluator is not called.
    #[inline]
    pub fn make_null(&mut self) -> bool {
        let undo = self.position.make_null();
        let made = undo.is_some();
        self.made.extend(undo.map(|undo| (None, undo)));
        made
    }

    /// Unmakes the last move or null move; does nothing if there is none.
    #[inline]
    pub fn unmake(&mut self) {
        if let Some((mv, undo)) = self.made.pop() {
            if let Some(mv) = mv {
                self.evaluator.unmade(&self.position, mv);
            }
            self.position.unmake(undo);
        }
    }

    /// The static value for the side to move, clamped between a forced loss and a forced win.
    #[inline]
    pub fn value(&self) -> i32 {
        self.evaluator.value(&self.position).clamp(1 - WIN_BOUND, WIN_BOUND - 1)
    }

    /// The value for the side to move of a game that has ended here, `plies` from the root.
    pub fn final_value(&self, outcome: Outcome, plies: u32) -> i32 {
        self.evaluator.final_value(&self.position, outcome, plies)
    }
}
