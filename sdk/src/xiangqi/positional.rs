//! Positional terms of the evaluation, computed from the position: mobility and king safety.

use sandboard_games::xiangqi::{Color, Piece, PieceKind, Square, Xiangqi};

use super::weights::WeightIndex;
use crate::weights::Weights;

/// The weights of the positional terms.
#[derive(Clone, Debug)]
pub(super) struct PositionalTerms {
    rook_point: i32,
    horse_leg: i32,
    horse_stuck: i32,
    cannon_point: i32,
    linked_pawns: i32,
    hollow_cannon: i32,
    cannon_behind_two: i32,
    bottom_cannon: i32,
    open_rook: i32,
    advisors_gone: i32,
    elephants_gone: i32,
    near: i32,
    pub(super) tempo: i32,
}

/// The game phase at the start; king safety counts in proportion to the phase.
const PHASE_START: i32 = 48;

/// The number of a side's pieces that can cross the river and attack.
#[inline]
pub(super) fn attackers(position: &Xiangqi, color: Color) -> u32 {
    let count = |kind| position.count(Piece { color, kind });
    count(PieceKind::Rook)
        + count(PieceKind::Horse)
        + count(PieceKind::Cannon)
        + count(PieceKind::Pawn)
}

impl PositionalTerms {
    pub(super) fn new(weights: &Weights) -> Self {
        let of = |name: WeightIndex| weights.value(name as usize);
        Self {
            rook_point: of(WeightIndex::RookPoint),
            horse_leg: of(WeightIndex::HorseLeg),
            horse_stuck: of(WeightIndex::HorseStuck),
            cannon_point: of(WeightIndex::CannonPoint),
            linked_pawns: of(WeightIndex::LinkedPawns),
            hollow_cannon: of(WeightIndex::HollowCannon),
            cannon_behind_two: of(WeightIndex::CannonBehindTwo),
            bottom_cannon: of(WeightIndex::BottomCannon),
            open_rook: of(WeightIndex::OpenRook),
            advisors_gone: of(WeightIndex::AdvisorsGone),
            elephants_gone: of(WeightIndex::ElephantsGone),
            near: of(WeightIndex::Near),
            tempo: of(WeightIndex::Tempo),
        }
    }

    /// Red's terms minus black's.
    #[inline]
    pub(super) fn value(&self, position: &Xiangqi, phase: i32) -> i32 {
        let sides = Color::ALL.map(|color| self.side(position, color, phase));
        sides[0] - sides[1]
    }

    fn side(&self, position: &Xiangqi, color: Color, phase: i32) -> i32 {
        let other = color.other();
        let king = position.king(other);
        let of = |kind| position.squares(Piece { color, kind });
        let defenders = |kind| 2 - position.count(Piece { color: other, kind }) as i32;
        let advisors_gone = defenders(PieceKind::Advisor) * self.advisors_gone;
        let elephants_gone = defenders(PieceKind::Elephant) * self.elephants_gone;
        let near = |square: Square| {
            let steps = |a: u8, b: u8| i32::from(a.abs_diff(b));
            let distance = steps(square.file(), king.file()) + steps(square.rank(), king.rank());
            (10 - distance).max(0) * self.near
        };
        let (mut mobility, mut danger) = (0, 0);
        for rook in of(PieceKind::Rook) {
            mobility += position.rook_reach(rook) as i32 * self.rook_point;
            danger += advisors_gone + near(rook);
            if rook.file() == king.file() || rook.file().abs_diff(4) == 1 {
                danger += self.open_rook;
            }
        }
        for horse in of(PieceKind::Horse) {
            let legs = position.free_legs(horse) as i32;
            mobility += legs * self.horse_leg - if legs < 2 { self.horse_stuck } else { 0 };
            danger += advisors_gone + near(horse);
        }
        for cannon in of(PieceKind::Cannon) {
            mobility += position.rook_reach(cannon) as i32 * self.cannon_point;
            danger += elephants_gone;
            let screens = position.screens_between(cannon, king);
            if cannon.file() == king.file() {
                danger += match screens {
                    Some(0) => self.hollow_cannon,
                    Some(2) => self.cannon_behind_two,
                    _ => 0,
                };
            } else if screens == Some(0) {
                danger += self.bottom_cannon;
            }
        }
        let mut crossed = [0u16; 16];
        for pawn in of(PieceKind::Pawn).filter(|pawn| color.rank(pawn.rank()) >= 5) {
            let rank = &mut crossed[usize::from(pawn.rank() & 15)];
            let (left, right) = (*rank << 1 >> pawn.file() & 1, *rank >> 1 >> pawn.file() & 1);
            mobility += i32::from(left + right) * self.linked_pawns;
            *rank |= 1 << pawn.file();
            danger += elephants_gone + near(pawn);
        }
        mobility + danger * (phase + PHASE_START / 2) / (PHASE_START + PHASE_START / 2)
    }
}
