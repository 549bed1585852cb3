//! What is seen of a position as it is: how far pieces reach, and how safe the kings are.

use sandboard_games::xiangqi::{Color, Kind, Piece, Square, Xiangqi};

use super::weights::Name;
use crate::weights::Weights;

/// The weights that are asked at each look.
#[derive(Clone, Debug)]
pub(super) struct Shape {
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

/// The phase at the beginning, of which the safety of kings takes its share.
const PHASE: i32 = 48;

/// How many pieces a side has that can cross the river and attack.
#[inline]
pub(super) fn attack(position: &Xiangqi, color: Color) -> u32 {
    let count = |kind| position.count(Piece { color, kind });
    count(Kind::Rook) + count(Kind::Horse) + count(Kind::Cannon) + count(Kind::Pawn)
}

impl Shape {
    pub(super) fn new(weights: &Weights) -> Self {
        let of = |name: Name| weights.value(name as usize);
        Self {
            rook_point: of(Name::RookPoint),
            horse_leg: of(Name::HorseLeg),
            horse_stuck: of(Name::HorseStuck),
            cannon_point: of(Name::CannonPoint),
            linked_pawns: of(Name::LinkedPawns),
            hollow_cannon: of(Name::HollowCannon),
            cannon_behind_two: of(Name::CannonBehindTwo),
            bottom_cannon: of(Name::BottomCannon),
            open_rook: of(Name::OpenRook),
            advisors_gone: of(Name::AdvisorsGone),
            elephants_gone: of(Name::ElephantsGone),
            near: of(Name::Near),
            tempo: of(Name::Tempo),
        }
    }

    /// Red's less black's.
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
        let advisors_gone = defenders(Kind::Advisor) * self.advisors_gone;
        let elephants_gone = defenders(Kind::Elephant) * self.elephants_gone;
        let near = |square: Square| {
            let steps = |a: u8, b: u8| i32::from(a.abs_diff(b));
            let off = steps(square.file(), king.file()) + steps(square.rank(), king.rank());
            (10 - off).max(0) * self.near
        };
        let (mut reach, mut danger) = (0, 0);
        for rook in of(Kind::Rook) {
            reach += position.points_seen(rook) as i32 * self.rook_point;
            danger += advisors_gone + near(rook);
            if rook.file() == king.file() || rook.file().abs_diff(4) == 1 {
                danger += self.open_rook;
            }
        }
        for horse in of(Kind::Horse) {
            let legs = position.free_legs(horse) as i32;
            reach += legs * self.horse_leg - if legs < 2 { self.horse_stuck } else { 0 };
            danger += advisors_gone + near(horse);
        }
        for cannon in of(Kind::Cannon) {
            reach += position.points_seen(cannon) as i32 * self.cannon_point;
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
        for pawn in of(Kind::Pawn).filter(|pawn| color.rank(pawn.rank()) >= 5) {
            let rank = &mut crossed[usize::from(pawn.rank() & 15)];
            let (left, right) = (*rank << 1 >> pawn.file() & 1, *rank >> 1 >> pawn.file() & 1);
            reach += i32::from(left + right) * self.linked_pawns;
            *rank |= 1 << pawn.file();
            danger += elephants_gone + near(pawn);
        }
        reach + danger * (phase + PHASE / 2) / (PHASE + PHASE / 2)
    }
}
