//! The evaluator of xiangqi: material and piece-square values, updated with each move, and terms
//! computed from the position ([`positional`](super::positional)). It interpolates between values
//! for the opening and the endgame by the attacking pieces that are left.

use sandboard_games::xiangqi::{Color, Move, Piece, PieceKind, Square, Xiangqi};

use super::piece_square::piece_square_value;
use super::positional::{PositionalTerms, attackers};
use super::weights::{WEIGHTS, WeightIndex};
use crate::evaluator::Evaluator;
use crate::weights::Weights;

/// The sums that are updated with each move, red's minus black's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MaterialSums {
    early: i32,
    late: i32,
    /// The attacking pieces of both sides, by `PHASES`.
    phase: i32,
}

/// The game phase at the start.
const PHASE_START: i32 = 48;

/// What a piece adds to the game phase, by kind.
const PHASES: [i32; 7] = [0, 0, 0, 3, 6, 3, 0];

/// Evaluates positions by material, piece-square tables, mobility and king safety.
#[derive(Clone, Debug)]
pub struct XiangqiEvaluator {
    /// Opening and endgame value of a piece by colour, kind and point.
    pieces: Vec<[i32; 2]>,
    pub(super) positional: PositionalTerms,
    sums: MaterialSums,
    history: Vec<MaterialSums>,
}

impl Default for XiangqiEvaluator {
    fn default() -> Self {
        Self::new(&Weights::new(&WEIGHTS))
    }
}

fn index(piece: Piece, square: Square) -> usize {
    (piece.color.index() * 7 + piece.kind.index()) * Square::INDICES + square.index()
}

impl XiangqiEvaluator {
    /// An evaluator with these weights, a table of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        let of = |name: WeightIndex| weights.value(name as usize);
        let mut pieces = vec![[0; 2]; 14 * Square::INDICES];
        for color in Color::ALL {
            let sign = if color == Color::Red { 1 } else { -1 };
            for kind in PieceKind::ALL {
                let material = match kind {
                    PieceKind::King => [0; 2],
                    PieceKind::Advisor => [of(WeightIndex::Advisor); 2],
                    PieceKind::Elephant => [of(WeightIndex::Elephant); 2],
                    PieceKind::Horse => [of(WeightIndex::Horse), of(WeightIndex::HorseLate)],
                    PieceKind::Rook => [of(WeightIndex::Rook), of(WeightIndex::RookLate)],
                    PieceKind::Cannon => [of(WeightIndex::Cannon), of(WeightIndex::CannonLate)],
                    PieceKind::Pawn => [of(WeightIndex::Pawn), of(WeightIndex::PawnLate)],
                };
                for square in Square::all() {
                    let place =
                        piece_square_value(color, kind, square) * of(WeightIndex::Places) / 100;
                    let late = if kind == PieceKind::King { place / 2 } else { place };
                    pieces[index(Piece { color, kind }, square)] =
                        [sign * (material[0] + place), sign * (material[1] + late)];
                }
            }
        }
        Self {
            pieces,
            positional: PositionalTerms::new(weights),
            sums: MaterialSums::default(),
            history: Vec::new(),
        }
    }

    /// The sums over all pieces of the board.
    pub(super) fn compute_sums(&self, position: &Xiangqi) -> MaterialSums {
        let mut sums = MaterialSums::default();
        for (piece, square) in position.pieces() {
            self.add(&mut sums, piece, square, 1);
        }
        sums
    }

    #[cfg(test)]
    pub(super) fn sums(&self) -> MaterialSums {
        self.sums
    }

    #[inline]
    fn add(&self, sums: &mut MaterialSums, piece: Piece, square: Square, sign: i32) {
        let [early, late] = self.pieces[index(piece, square)];
        sums.early += sign * early;
        sums.late += sign * late;
        sums.phase += sign * PHASES[piece.kind.index()];
    }
}

impl Evaluator<Xiangqi> for XiangqiEvaluator {
    const ASPIRATION_MARGIN: i32 = 30;

    #[inline]
    fn value(&self, position: &Xiangqi) -> i32 {
        let phase = self.sums.phase.clamp(0, PHASE_START);
        let sums = (self.sums.early * phase + self.sums.late * (PHASE_START - phase)) / PHASE_START;
        let mut value = sums + self.positional.value(position, phase);
        if attackers(position, if value > 0 { Color::Red } else { Color::Black }) == 0 {
            // A side without attacking pieces cannot win.
            value /= 8;
        }
        let value = if position.color_to_move() == Color::Red { value } else { -value };
        let value = value + self.positional.tempo;
        // The longer there was no capture, the closer the game is to a draw.
        value * (200 - i32::from(position.plies_since_capture().min(120))) / 200
    }

    fn reset(&mut self, position: &Xiangqi) {
        self.history.clear();
        self.sums = self.compute_sums(position);
    }

    #[inline]
    fn made(&mut self, after: &Xiangqi, _: Move) {
        self.history.push(self.sums);
        let Some(made) = after.last_move() else { return };
        let mut sums = self.sums;
        self.add(&mut sums, made.piece, made.mv.from, -1);
        self.add(&mut sums, made.piece, made.mv.to, 1);
        if let Some(taken) = made.taken {
            self.add(&mut sums, taken, made.mv.to, -1);
        }
        self.sums = sums;
    }

    #[inline]
    fn unmade(&mut self, _: &Xiangqi, _: Move) {
        self.sums = self.history.pop().unwrap_or(self.sums);
    }
}
