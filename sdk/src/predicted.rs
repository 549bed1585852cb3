//! A board on which moves are tried out: the position, the way to it and a
//! value that is provisional until somebody has looked further. Chooses nothing.

use sandboard_games::{Outcome, Rules, Side};

use crate::evaluator::{Evaluator, WIN_BOUND};

/// A position that may lie ahead, with its evaluator up to date.
#[derive(Clone, Debug)]
pub struct PredictedBoard<R: Rules, E> {
    position: R,
    evaluator: E,
    made: Vec<(Option<R::Move>, R::Undo)>,
}

impl<R: Rules, E: Evaluator<R>> PredictedBoard<R, E> {
    /// A board with this position on it.
    pub fn new(position: R, mut evaluator: E) -> Self {
        evaluator.reset(&position);
        Self { position, evaluator, made: Vec::new() }
    }

    /// Puts another position on it, to which no moves lead.
    pub fn set(&mut self, position: &R) {
        self.position.clone_from(position);
        self.evaluator.reset(position);
        self.made.clear();
    }

    /// The position now.
    #[inline]
    pub fn position(&self) -> &R {
        &self.position
    }

    /// The evaluator.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    /// The side that moves next.
    #[inline]
    pub fn side(&self) -> Side {
        R::side(self.position.to_move())
    }

    /// How many moves were made here, passed turns included.
    pub fn plies(&self) -> usize {
        self.made.len()
    }

    /// The last move made here; none after a passed turn.
    #[inline]
    pub fn last(&self) -> Option<R::Move> {
        self.made.last().and_then(|(mv, _)| *mv)
    }

    /// Makes a generated, legal move of a game that is not over.
    #[inline]
    pub fn make(&mut self, mv: R::Move) {
        let undo = self.position.make(mv);
        self.evaluator.made(&self.position, mv);
        self.made.push((Some(mv), undo));
    }

    /// Passes the turn, if that can be; whether it did. The evaluator is not told.
    #[inline]
    pub fn pass(&mut self) -> bool {
        let undo = self.position.make_null();
        let passed = undo.is_some();
        self.made.extend(undo.map(|undo| (None, undo)));
        passed
    }

    /// Takes back the last move made here or the turn passed; nothing if there is none.
    #[inline]
    pub fn unmake(&mut self) {
        if let Some((mv, undo)) = self.made.pop() {
            if let Some(mv) = mv {
                self.evaluator.unmade(&self.position, mv);
            }
            self.position.unmake(undo);
        }
    }

    /// The provisional value for the side to move, never that of a forced win.
    #[inline]
    pub fn value(&self) -> i32 {
        self.evaluator.value(&self.position).clamp(1 - WIN_BOUND, WIN_BOUND - 1)
    }

    /// The value of a game that has ended here, `plies` from the root.
    pub fn final_value(&self, outcome: Outcome, plies: u32) -> i32 {
        self.evaluator.final_value(&self.position, outcome, plies)
    }
}
