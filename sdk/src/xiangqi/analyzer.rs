//! The analyzer of xiangqi: move ordering, noisy moves, when null moves are sound, and the value of
//! repetitions within the search.

use sandboard_games::MoveSet;
use sandboard_games::xiangqi::{Color, Move, MoveList, Piece, PieceKind, Xiangqi};

use crate::analyzer::{Analyzer, Candidate, Scope, URGENT};
use crate::search::SearchParams;

/// The value of a captured piece by kind, in hundredths of a pawn. Used only to order moves and to
/// estimate the gain of a capture.
const CAPTURE_VALUES: [i32; 7] = [20_000, 200, 200, 420, 950, 450, 120];

/// The value of a win by repetition: more than any material, but less than mate, since the opponent
/// may still avoid it.
const REPETITION: i32 = 20_000;

/// The score of captures that lose material: they come after all quiet moves.
const LOSING_CAPTURE: i32 = -100_000;

/// The most that a position may gain by a capture beyond the captured piece.
const CAPTURE_SURPLUS: i32 = 150;

/// Proposes all moves, captures first.
#[derive(Clone, Debug, Default)]
pub struct XiangqiAnalyzer {
    moves: MoveList,
}

/// The late move reduction: half the product of the natural logarithms of depth and index, computed
/// as a quarter of the product of those to base two, which is a little more.
fn late_move_reduction(depth: u32, index: usize) -> u32 {
    // Logarithms to base two in 16ths, linear between the powers.
    let log = |n: u32| (n.ilog2() << 4) + ((n << 4 >> n.ilog2()) - 16);
    (64 + log(depth.max(1)) * log((index as u32).max(1)) / 4) >> 8
}

fn capture_value(piece: Option<Piece>) -> i32 {
    piece.map_or(0, |piece| CAPTURE_VALUES[piece.kind.index()])
}

/// The score of a capture: most valuable victim first, then least valuable attacker. A capture
/// comes last if the attacker is worth more and can be recaptured.
fn capture_score(position: &Xiangqi, mv: Move, victim: i32) -> i32 {
    let attacker = capture_value(position.piece_at(mv.from)).min(2_000);
    let loses = attacker > victim + 50 && position.can_be_recaptured(mv);
    let score = victim * 16 - attacker;
    if loses { LOSING_CAPTURE + score } else { URGENT + score }
}

impl Analyzer<Xiangqi> for XiangqiAnalyzer {
    const COMPLETE: bool = true;
    const LISTS_NOISY_MOVES: bool = true;
    const PARAMS: SearchParams = SearchParams {
        killer_bonus: 30_000,
        history_max: 20_000,
        history_entries: 1 << 15,
        history_malus: true,
        late_move_reduction,
        late_move_count: |depth| 6 + 2 * (depth * depth) as usize,
        extension_plies_max: 16,
        extends_all_threats: true,
        margin_per_ply: 90,
        widens_gradually: true,
    };

    fn candidates(&mut self, position: &Xiangqi, out: &mut Vec<Candidate<Move>>) -> Scope {
        self.moves.clear();
        position.moves(MoveSet::All, &mut self.moves);
        for &mv in self.moves.iter() {
            let victim = capture_value(position.piece_at(mv.to));
            let score = if victim > 0 { capture_score(position, mv, victim) } else { 0 };
            out.push(Candidate { mv, score });
        }
        if position.in_check() { Scope::Answers } else { Scope::Quiet }
    }

    #[inline]
    fn is_candidate(&self, position: &Xiangqi, mv: Move) -> bool {
        position.is_move(mv)
    }

    fn noisy_moves(&mut self, position: &Xiangqi, min_gain: i32, out: &mut Vec<Candidate<Move>>) {
        self.moves.clear();
        position.moves(MoveSet::Noisy, &mut self.moves);
        for &mv in self.moves.iter() {
            let victim = capture_value(position.piece_at(mv.to));
            if position.in_check() {
                let score = if victim > 0 { URGENT + victim } else { 0 };
                out.push(Candidate { mv, score });
            } else if victim + CAPTURE_SURPLUS >= min_gain {
                let score = capture_score(position, mv, victim);
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
    fn makes_threat(&self, position: &Xiangqi, mv: Move) -> bool {
        position.gives_check(mv)
    }

    /// With little left but pawns, a null move may be best (zugzwang).
    fn allows_null_move(&self, position: &Xiangqi) -> bool {
        let color = position.color_to_move();
        let count = |kind| position.count(Piece { color, kind });
        2 * count(PieceKind::Rook) + count(PieceKind::Horse) + count(PieceKind::Cannon) >= 2
    }

    /// Judges the first repetition since the root like the third occurrence in a game.
    fn repetition_value(&self, position: &Xiangqi, plies: u32) -> Option<i32> {
        let ago = position.plies_since_occurrence(1).filter(|&ago| ago <= plies as usize)?;
        let sign = |loser: Color| if loser == position.color_to_move() { -1 } else { 1 };
        let loser = position.judge_cycle(ago).loser;
        Some(loser.map_or(0, |loser| sign(loser) * (REPETITION - plies as i32)))
    }
}
