//! Analyzer and evaluator for the SDK's search on 8×8, until the endgame can be solved.

use sandboard_sdk::games::reversi::{Color, Move, Reversi, bits};
use sandboard_sdk::games::{Outcome, Rules};
use sandboard_sdk::{Analyzer, Candidate, Evaluator, ProbCut, Scope};

use crate::eval::{DISC, Discs, Features, Weights, shallow_depth};

/// The move ordering score of each square in the quarter of the board with a1; the other quarters
/// are symmetric.
const SQUARE_SCORES: [[i32; 4]; 4] =
    [[120, -40, 20, 10], [-40, -60, -10, -10], [20, -10, 10, 5], [10, -10, 5, 0]];

/// The move ordering penalty for each move of the opponent.
const MOBILITY_PENALTY: i32 = 20;

/// Move ordering: moves that leave few answers first (the idea of C. Frank's "fastest first",
/// 1998), and corners before the squares next to them.
#[derive(Clone, Copy, Debug, Default)]
pub struct MobilityAnalyzer;

impl Analyzer<Reversi> for MobilityAnalyzer {
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
            let score = square_score(bit) - MOBILITY_PENALTY * count_moves(answers);
            out.push(Candidate { mv: Move::Disc(square(bit)), score });
        }
        Scope::Quiet
    }
}

fn square(bit: u32) -> sandboard_sdk::games::reversi::Square {
    sandboard_sdk::games::reversi::Square::from_bit(bit)
}

/// The number of moves; moves to corners count twice.
#[inline]
fn count_moves(moves: u64) -> i32 {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

#[inline]
fn square_score(bit: u32) -> i32 {
    let near = |line: u32| (line ^ if line > 3 { 7 } else { 0 }) as usize;
    SQUARE_SCORES[near(bit >> 3 & 7)][near(bit & 7)]
}

/// Evaluates positions by patterns, in 128ths of a disc.
#[derive(Clone, Debug)]
pub struct PatternEvaluator {
    weights: &'static Weights,
    /// The margin of ProbCut in tenths of a standard deviation; 0: no ProbCut.
    margin_tenths: i32,
    state: BoardState,
    history: Vec<BoardState>,
}

/// The board from black's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoardState {
    features: Features,
    black: u64,
    white: u64,
}

impl BoardState {
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

impl PatternEvaluator {
    /// An evaluator with these weights. `margin_tenths` is the margin of ProbCut in tenths of a
    /// standard deviation; 0: no ProbCut.
    pub fn new(weights: &'static Weights, margin_tenths: i32) -> Self {
        let state = BoardState { features: Features::new(0, 0), black: 0, white: 0 };
        Self { weights, margin_tenths, state, history: Vec::new() }
    }

    /// Whether the updated state equals that of the position.
    #[cfg(test)]
    pub(crate) fn is_up_to_date(&self, position: &Reversi) -> bool {
        self.state == BoardState::new(position)
    }
}

impl Evaluator<Reversi> for PatternEvaluator {
    const ASPIRATION_MARGIN: i32 = 2 * DISC;

    #[inline]
    fn value(&self, position: &Reversi) -> i32 {
        let Some((own, opponent)) = position.discs() else { return 0 };
        let black = position.color_to_move() == Color::Black;
        self.weights.value(&self.state.features, Discs { own, opponent }, black)
    }

    fn score(&self, value: i32) -> i32 {
        (value + value.signum() * DISC / 2) / DISC
    }

    fn prob_cut(&self, position: &Reversi, depth: u32) -> Option<ProbCut> {
        let cut = self.weights.cut_table().get(depth, 64 - position.empties())?;
        (self.margin_tenths > 0).then_some(ProbCut {
            depth: shallow_depth(depth),
            slope: cut.slope.into(),
            offset: cut.offset.into(),
            margin: i32::from(cut.sigma) * self.margin_tenths / 10,
        })
    }

    /// Final discs, at any distance from the root: a higher win has a higher value.
    fn final_value(&self, position: &Reversi, outcome: Outcome, _: u32) -> i32 {
        final_discs(position, outcome) * DISC
    }

    fn reset(&mut self, position: &Reversi) {
        self.history.clear();
        self.state = BoardState::new(position);
    }

    #[inline]
    fn made(&mut self, after: &Reversi, mv: Move) {
        self.history.push(self.state);
        let Move::Disc(square) = mv else { return };
        let (black, white) = colors(after);
        let BoardState { features, black: b, white: w } = &mut self.state;
        // Flipped discs are those that were there before and have another colour now.
        let by_black = after.color_to_move() == Color::White;
        let flipped = if by_black { *w & black } else { *b & white };
        features.play(square.bit(), flipped, by_black);
        (*b, *w) = (black, white);
    }

    #[inline]
    fn unmade(&mut self, _after: &Reversi, _mv: Move) {
        if let Some(previous) = self.history.pop() {
            self.state = previous;
        }
    }
}

/// The result in discs for the side that would be to move.
pub fn final_discs(position: &Reversi, outcome: Outcome) -> i32 {
    match Reversi::side(position.to_move()).0 {
        0 => outcome.score,
        _ => -outcome.score,
    }
}
