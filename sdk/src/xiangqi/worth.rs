//! What a position of xiangqi is worth: material and places, kept up to date with each move,
//! and what is seen of the position as it is ([`shape`](super::shape)). Between the values of
//! the beginning and of the end it goes by what is left of the pieces that attack.

use sandboard_games::xiangqi::{Color, Kind, Move, Piece, Square, Xiangqi};

use super::shape::{Shape, attack};
use super::tables::place;
use super::weights::{Name, WEIGHTS};
use crate::evaluator::Evaluator;
use crate::weights::Weights;

/// What is kept up to date, red's less black's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    early: i32,
    late: i32,
    /// What attacks, of both sides.
    phase: i32,
}

/// The phase at the beginning.
const PHASE: i32 = 48;

/// What a kind adds to the phase.
const PHASES: [i32; 7] = [0, 0, 0, 3, 6, 3, 0];

/// Values positions by material, places, mobility and the safety of kings.
#[derive(Clone, Debug)]
pub struct Worth {
    /// By colour, kind and point: early and late.
    pieces: Vec<[i32; 2]>,
    pub(super) shape: Shape,
    now: Sums,
    before: Vec<Sums>,
}

impl Default for Worth {
    fn default() -> Self {
        Self::new(&Weights::new(&WEIGHTS))
    }
}

fn index(piece: Piece, square: Square) -> usize {
    (piece.color.index() * 7 + piece.kind.index()) * Square::INDICES + square.index()
}

impl Worth {
    /// Values by these weights of [`WEIGHTS`].
    pub fn new(weights: &Weights) -> Self {
        let of = |name: Name| weights.value(name as usize);
        let mut pieces = vec![[0; 2]; 14 * Square::INDICES];
        for color in Color::ALL {
            let sign = if color == Color::Red { 1 } else { -1 };
            for kind in Kind::ALL {
                let material = match kind {
                    Kind::King => [0; 2],
                    Kind::Advisor => [of(Name::Advisor); 2],
                    Kind::Elephant => [of(Name::Elephant); 2],
                    Kind::Horse => [of(Name::Horse), of(Name::HorseLate)],
                    Kind::Rook => [of(Name::Rook), of(Name::RookLate)],
                    Kind::Cannon => [of(Name::Cannon), of(Name::CannonLate)],
                    Kind::Pawn => [of(Name::Pawn), of(Name::PawnLate)],
                };
                for square in Square::all() {
                    let place = place(color, kind, square) * of(Name::Places) / 100;
                    let late = if kind == Kind::King { place / 2 } else { place };
                    pieces[index(Piece { color, kind }, square)] =
                        [sign * (material[0] + place), sign * (material[1] + late)];
                }
            }
        }
        Self { pieces, shape: Shape::new(weights), now: Sums::default(), before: Vec::new() }
    }

    /// All that stands on the board, summed up anew.
    pub(super) fn sums(&self, position: &Xiangqi) -> Sums {
        let mut sums = Sums::default();
        for (piece, square) in position.pieces() {
            self.add(&mut sums, piece, square, 1);
        }
        sums
    }

    #[cfg(test)]
    pub(super) fn kept(&self) -> Sums {
        self.now
    }

    #[inline]
    fn add(&self, sums: &mut Sums, piece: Piece, square: Square, sign: i32) {
        let [early, late] = self.pieces[index(piece, square)];
        sums.early += sign * early;
        sums.late += sign * late;
        sums.phase += sign * PHASES[piece.kind.index()];
    }
}

impl Evaluator<Xiangqi> for Worth {
    const USUAL_CHANGE: i32 = 30;

    #[inline]
    fn value(&self, position: &Xiangqi) -> i32 {
        let phase = self.now.phase.clamp(0, PHASE);
        let sums = (self.now.early * phase + self.now.late * (PHASE - phase)) / PHASE;
        let mut value = sums + self.shape.value(position, phase);
        if attack(position, if value > 0 { Color::Red } else { Color::Black }) == 0 {
            // Who has nothing to attack with cannot win.
            value /= 8;
        }
        let value = if position.color_to_move() == Color::Red { value } else { -value };
        let value = value + self.shape.tempo;
        // Long without a capture, a game is nearly drawn.
        value * (200 - i32::from(position.plies_counted().min(120))) / 200
    }

    fn reset(&mut self, position: &Xiangqi) {
        self.before.clear();
        self.now = self.sums(position);
    }

    #[inline]
    fn made(&mut self, after: &Xiangqi, _: Move) {
        self.before.push(self.now);
        let Some(made) = after.last() else { return };
        let mut sums = self.now;
        self.add(&mut sums, made.piece, made.mv.from, -1);
        self.add(&mut sums, made.piece, made.mv.to, 1);
        if let Some(taken) = made.taken {
            self.add(&mut sums, taken, made.mv.to, -1);
        }
        self.now = sums;
    }

    #[inline]
    fn unmade(&mut self, _: &Xiangqi, _: Move) {
        self.now = self.before.pop().unwrap_or(self.now);
    }
}
