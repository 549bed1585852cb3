//! The analyzer of a strong gomoku engine: knows what each colour makes on every
//! point, proposes and values from that, and finds wins by continuous fours and
//! threes. No rule of the game is here: what is forbidden, the rules say.

mod answers;
mod cells;
mod fours;
mod kinds;
mod lanes;
mod proofs;
mod prove;
#[cfg(test)]
mod tests;
mod threes;

use sandboard_games::gomoku::{Color, Gomoku, Move, Point};
use sandboard_games::{Phase, Rules};

use self::cells::Cells;
pub use self::kinds::WEIGHTS as PATTERN_WEIGHTS;
use self::kinds::{Codes, Kind, TO_MOVE};
use self::proofs::Proofs;
use crate::analyzer::{Analyzer, Candidate, Effort, Forced, Scope};
use crate::noise::Noise;
use crate::weights::Weights;

/// The analyzer of gomoku by what each line makes of each point.
#[derive(Clone, Debug)]
pub struct Patterns {
    cells: Cells,
    /// Of each move made: whether it put a stone.
    put: Vec<bool>,
    /// The worth of the right to move.
    to_move: i32,
    /// The board of proofs; none while one is at work on it.
    board: Option<Box<Gomoku>>,
    proofs: Proofs,
    /// How much it looks for.
    skill: Skill,
}

/// What of its skill an analyzer uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Looks for wins by continuous fours.
    pub fours: bool,
    /// Looks for wins by continuous threes.
    pub threes: bool,
    /// Sees an open three before it is a four. (A four, everybody sees.)
    pub foresight: bool,
    /// Is mistaken about values.
    pub noise: Noise,
}

impl Skill {
    /// All of it.
    pub const ALL: Skill = Skill { fours: true, threes: true, foresight: true, noise: Noise::NONE };
}

impl Patterns {
    /// An analyzer with these weights, a table of [`PATTERN_WEIGHTS`], that
    /// remembers proofs in at most so many bytes.
    pub fn new(weights: &Weights, skill: Skill, proof_bytes: usize) -> Self {
        Self {
            cells: Cells::new(Codes::new(weights)),
            put: Vec::new(),
            to_move: weights.value(TO_MOVE),
            board: None,
            proofs: Proofs::new(proof_bytes),
            skill,
        }
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Self::new(&Weights::new(&PATTERN_WEIGHTS), Skill::ALL, 1 << 20)
    }
}

/// Whether a colour may put a stone there. Costs nothing where nothing is forbidden.
#[inline]
fn may(position: &Gomoku, color: Color, point: Point) -> bool {
    !position.rule().forbids(color) || position.forbidden(point).is_none()
}

impl Analyzer<Gomoku> for Patterns {
    const VALUES: bool = true;
    const PROVES: bool = true;

    fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
        if position.phase() != Phase::Play {
            // A step of a procedure: the search takes all that is legal.
            return Scope::Quiet;
        }
        if self.answers(position, out) {
            return Scope::Answers;
        }
        self.quiet(position, out);
        Scope::Quiet
    }

    fn reset(&mut self, position: &Gomoku) {
        self.cells.reset(position);
        self.put.clear();
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        // In a procedure a point may be offered, which puts no stone yet.
        let stone = mv.point().and_then(|point| Some((after.stone_at(point)?, point)));
        if let Some((color, point)) = stone {
            self.cells.put(color, point);
        }
        self.put.push(stone.is_some());
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        if self.put.pop() == Some(true) {
            self.cells.take();
        }
    }

    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let (own, other) = (self.cells.total(mover), self.cells.total(mover.other()));
        own.worth[0] + other.worth[1] + self.to_move + self.skill.noise.of(position.hash())
    }

    fn must_answer(&self, position: &Gomoku) -> bool {
        if position.phase() != Phase::Play {
            return false;
        }
        let mover = position.color_to_move();
        self.cells.count(mover.other(), Kind::Five) > 0
            || self.skill.foresight
                && !self.cells.law().blocks_from_outside()
                && self.winning(position, mover.other()).next().is_some()
    }

    fn forced_win(
        &mut self,
        position: &Gomoku,
        effort: Effort,
        spend: &mut dyn FnMut() -> bool,
    ) -> Option<Forced<Move>> {
        self.prove(position, effort, spend)
    }

    fn forget(&mut self) {
        self.proofs.clear();
    }

    fn forced_line(&mut self, position: &Gomoku, out: &mut Vec<Move>) {
        self.line_of_win(position, out);
    }
}
