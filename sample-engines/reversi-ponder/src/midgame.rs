//! What the SDK's search needs to play reversi on 8×8 until the end can be
//! solved: the order in which moves are tried, and what positions are worth.

use sandboard_sdk::games::reversi::{Color, Move, Reversi, bits};
use sandboard_sdk::games::{Outcome, Rules};
use sandboard_sdk::{Analyzer, Candidate, Evaluator, ProbableCut, Scope};

use crate::eval::{DISC, Discs, Features, Weights, shallow};

/// What a square is worth to the order of moves, in the quarter of the board
/// that holds a1; the other quarters are alike.
const SQUARES: [[i32; 4]; 4] =
    [[120, -40, 20, 10], [-40, -60, -10, -10], [20, -10, 10, 5], [10, -10, 5, 0]];

/// What a move of the opponent's more costs in the order of moves.
const MOBILITY: i32 = 20;

/// The order of moves: few answers first (C. Frank's "fastest first" of 1998 is the
/// same idea), corners before squares beside them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FewAnswers;

impl Analyzer<Reversi> for FewAnswers {
    const COMPLETE: bool = true;

    fn candidates(&mut self, position: &Reversi, out: &mut Vec<Candidate<Move>>) -> Scope {
        let (Some((own, opponent)), Some(mut moves)) = (position.discs(), position.moves()) else {
            return Scope::Quiet;
        };
        while moves != 0 {
            let bit = moves.trailing_zeros();
            moves &= moves - 1;
            let flipped = bits::flips(bit, own, opponent);
            let answers = bits::moves(opponent ^ flipped, own | flipped | 1 << bit);
            let score = square_value(bit) - MOBILITY * count(answers);
            out.push(Candidate { mv: Move::Disc(square(bit)), score });
        }
        Scope::Quiet
    }
}

fn square(bit: u32) -> sandboard_sdk::games::reversi::Square {
    sandboard_sdk::games::reversi::Square::of_bit(bit)
}

/// Moves, of which those to corners count twice.
#[inline]
fn count(moves: u64) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

#[inline]
fn square_value(bit: u32) -> i32 {
    let near = |line: u32| (line ^ if line > 3 { 7 } else { 0 }) as usize;
    SQUARES[near(bit >> 3 & 7)][near(bit & 7)]
}

/// The values of positions, in 128ths of a disc.
#[derive(Clone, Debug)]
pub struct Patterns {
    weights: &'static Weights,
    /// How sure a probable cut has to be, in tenths of a standard deviation; 0: none.
    caution: i32,
    now: Seen,
    before: Vec<Seen>,
}

/// The board as black sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    features: Features,
    black: u64,
    white: u64,
}

impl Seen {
    fn new(position: &Reversi) -> Self {
        let (black, white) = colors(position);
        Self { features: Features::new(black, white), black, white }
    }
}

/// The discs of black and of white.
#[inline]
fn colors(position: &Reversi) -> (u64, u64) {
    let (own, opponent) = position.discs().unwrap_or_default();
    match position.color_to_move() {
        Color::Black => (own, opponent),
        Color::White => (opponent, own),
    }
}

impl Patterns {
    /// By these weights; `caution` is how sure a probable cut has to be, in tenths of
    /// a standard deviation, 0 for none at all.
    pub fn new(weights: &'static Weights, caution: i32) -> Self {
        let now = Seen { features: Features::new(0, 0), black: 0, white: 0 };
        Self { weights, caution, now, before: Vec::new() }
    }

    /// Whether what is kept move by move is what the position shows.
    #[cfg(test)]
    pub(crate) fn is_up_to_date(&self, position: &Reversi) -> bool {
        self.now == Seen::new(position)
    }
}

impl Evaluator<Reversi> for Patterns {
    const USUAL_CHANGE: i32 = 2 * DISC;

    #[inline]
    fn value(&self, position: &Reversi) -> i32 {
        let Some((own, opponent)) = position.discs() else { return 0 };
        let black = position.color_to_move() == Color::Black;
        self.weights.value(&self.now.features, Discs { own, opponent }, black)
    }

    fn score(&self, value: i32) -> i32 {
        (value + value.signum() * DISC / 2) / DISC
    }

    fn probable_cut(&self, position: &Reversi, depth: u32) -> Option<ProbableCut> {
        let cut = self.weights.cuts().get(depth, 64 - position.empties())?;
        (self.caution > 0).then_some(ProbableCut {
            depth: shallow(depth),
            slope: cut.slope.into(),
            offset: cut.offset.into(),
            margin: i32::from(cut.sigma) * self.caution / 10,
        })
    }

    /// Final discs, however far away: a win by more is worth more.
    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        final_discs(position, outcome) * DISC
    }

    fn reset(&mut self, position: &Reversi) {
        self.before.clear();
        self.now = Seen::new(position);
    }

    #[inline]
    fn made(&mut self, after: &Reversi, mv: Move) {
        self.before.push(self.now);
        let Move::Disc(square) = mv else { return };
        let (black, white) = colors(after);
        let Seen { features, black: b, white: w } = &mut self.now;
        // Only what is flipped was there before and has another colour now.
        let by_black = after.color_to_move() == Color::White;
        let flipped = if by_black { *w & black } else { *b & white };
        features.play(square.bit(), flipped, by_black);
        (*b, *w) = (black, white);
    }

    #[inline]
    fn unmade(&mut self, _after: &Reversi, _mv: Move) {
        if let Some(before) = self.before.pop() {
            self.now = before;
        }
    }
}

/// The result for who would move.
pub fn final_discs(position: &Reversi, outcome: Outcome) -> i32 {
    match Reversi::side(position.to_move()).0 {
        0 => outcome.score,
        _ => -outcome.score,
    }
}
