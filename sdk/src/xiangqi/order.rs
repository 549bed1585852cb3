//! In which order moves are tried, which of them are noisy, when passing says something, and
//! what a repetition within the search is worth. Values no position otherwise.

use sandboard_games::Generate;
use sandboard_games::xiangqi::{Color, Kind, Move, MoveList, Piece, Xiangqi};

use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};
use crate::search::Manner;

/// What is taken, in hundredths of a pawn; only the order of moves and what a capture can
/// bring at most rest on it.
const WORTH: [i32; 7] = [20_000, 200, 200, 420, 950, 450, 120];

/// What repetition wins or loses: more than any pieces, less than a mate, which it is not: the
/// opponent may still turn aside.
const REPETITION: i32 = 20_000;

/// Captures that lose more than they take come after all quiet moves.
const LOSING: i32 = -100_000;

/// How much more than a capture takes a position may gain by it.
const SURPLUS: i32 = 150;

/// Proposes the moves of xiangqi.
#[derive(Clone, Debug, Default)]
pub struct Order {
    moves: MoveList,
}

/// Late moves are searched less deep by half the product of the natural logarithms of depth
/// and place, a little more than elsewhere: a quarter of the product of those to base two.
fn reduction(depth: u32, index: usize) -> u32 {
    // Logarithms to base two in 16ths, straight between the powers.
    let log = |n: u32| (n.ilog2() << 4) + ((n << 4 >> n.ilog2()) - 16);
    (64 + log(depth.max(1)) * log((index as u32).max(1)) / 4) >> 8
}

fn worth(piece: Option<Piece>) -> i32 {
    piece.map_or(0, |piece| WORTH[piece.kind.index()])
}

/// A capture's place: what it takes counts more than what takes; if that is worth more and can
/// be taken back, it comes late.
fn rank(position: &Xiangqi, mv: Move, victim: i32) -> i32 {
    let taker = worth(position.piece_at(mv.from)).min(2_000);
    let loses = taker > victim + 50 && position.is_answered(mv);
    let rank = victim * 16 - taker;
    if loses { LOSING + rank } else { URGENT + rank }
}

impl Analyzer<Xiangqi> for Order {
    const COMPLETE: bool = true;
    const NOISY: bool = true;
    const MANNER: Manner = Manner {
        killer: 30_000,
        history_max: 20_000,
        history_entries: 1 << 15,
        unlearns: true,
        reduction,
        cut_after: |depth| 6 + 2 * (depth * depth) as usize,
        extra: 16,
        lengthens_threats: true,
        margin: 90,
        widens: true,
    };

    fn candidates(&mut self, position: &Xiangqi, out: &mut Vec<Candidate<Move>>) -> Scope {
        self.moves.clear();
        position.moves(Generate::All, &mut self.moves);
        for &mv in self.moves.iter() {
            let victim = worth(position.piece_at(mv.to));
            let score = if victim > 0 { rank(position, mv, victim) } else { 0 };
            out.push(Candidate { mv, score });
        }
        if position.in_check() { Scope::Answers } else { Scope::Quiet }
    }

    #[inline]
    fn is_candidate(&self, position: &Xiangqi, mv: Move) -> bool {
        position.is_move(mv)
    }

    fn noisy(&mut self, position: &Xiangqi, least: i32, out: &mut Vec<Candidate<Move>>) {
        self.moves.clear();
        position.moves(Generate::Noisy, &mut self.moves);
        for &mv in self.moves.iter() {
            let victim = worth(position.piece_at(mv.to));
            if position.in_check() {
                let score = if victim > 0 { URGENT + victim } else { 0 };
                out.push(Candidate { mv, score });
            } else if victim + SURPLUS >= least {
                let score = rank(position, mv, victim);
                if score >= URGENT {
                    out.push(Candidate { mv, score });
                }
            }
        }
    }

    #[inline]
    fn must_answer(&self, position: &Xiangqi) -> bool {
        position.in_check()
    }

    #[inline]
    fn threatens(&self, position: &Xiangqi, mv: Move) -> bool {
        position.gives_check(mv)
    }

    /// Where little but pawns is left, passing may be best.
    fn may_pass(&self, position: &Xiangqi) -> bool {
        let color = position.color_to_move();
        let count = |kind| position.count(Piece { color, kind });
        2 * count(Kind::Rook) + count(Kind::Horse) + count(Kind::Cannon) >= 2
    }

    /// A position that was there before, since the root once, is judged as at its third time.
    fn foreseen(&self, position: &Xiangqi, plies: u32) -> Option<i32> {
        let ago = position.earlier(1).filter(|&ago| ago <= plies as usize)?;
        let sign = |loser: Color| if loser == position.color_to_move() { -1 } else { 1 };
        let loser = position.judge(ago).loser;
        Some(loser.map_or(0, |loser| sign(loser) * (REPETITION - plies as i32)))
    }
}
