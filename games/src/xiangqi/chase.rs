//! Verdicts on repetitions: perpetual checks and chases. Follows Pikafish (`rule_judge` at the root
//! of its search, with `chased` and `detect_chases`), a practical form of the Asian rules: attacks
//! are evaluated in single positions, and a chase is a piece that every move of the cycle attacks
//! again.

use super::Xiangqi;
use super::board::{Board, piece_of};
use super::ending::{RepetitionCause, RepetitionVerdict};
use super::square::{Color, Move, Piece, PieceKind, Square};

impl Xiangqi {
    /// The verdict on the last `plies` moves, which lead from this position back to itself without
    /// a capture.
    pub fn judge_cycle(&self, plies: usize) -> RepetitionVerdict {
        let mover = self.board.mover;
        let cycle = &self.history[self.history.len().saturating_sub(plies)..];
        // Whether the side now to move was in check `back` plies ago.
        let checked_back = |back: usize| match back {
            0 => self.in_check,
            _ => cycle[cycle.len() - back].in_check,
        };
        let checks = |first: usize| (first..cycle.len()).step_by(2).map(checked_back);
        let perpetual = |first: usize| checks(first).all(|check| check);
        let lost = |loser, cause| RepetitionVerdict { loser: Some(loser), cause };
        match (perpetual(0), perpetual(1)) {
            (true, true) => return RepetitionVerdict::draw(RepetitionCause::BothCheck),
            (true, false) => return lost(mover.other(), RepetitionCause::Check),
            (false, true) => return lost(mover, RepetitionCause::Check),
            (false, false) => {}
        }
        if checks(0).chain(checks(1)).any(|check| check) {
            return RepetitionVerdict::draw(RepetitionCause::Neither);
        }
        let moves = cycle.iter().rev().map(|entry| (entry.mv, entry.taken));
        let chased = chased(&self.board, moves);
        match Color::ALL.map(|color| chased[color.index()].map(|kind| (color, kind))) {
            [None, None] => RepetitionVerdict::draw(RepetitionCause::Neither),
            [Some(_), Some(_)] => RepetitionVerdict::draw(RepetitionCause::BothChase),
            [Some((chaser, kind)), None] | [None, Some((chaser, kind))] => {
                lost(chaser, RepetitionCause::Chase(kind))
            }
        }
    }
}

/// By side: the most valuable kind of piece that it chases with each of its moves. `moves` are
/// given latest first.
fn chased(end: &Board, moves: impl Iterator<Item = (Move, u8)>) -> [Option<PieceKind>; 2] {
    let mut board = end.clone();
    let mut chased = [u32::MAX; 2];
    for (mv, taken) in moves {
        let chaser = board.mover.other();
        let still = &mut chased[chaser.index()];
        let after = if *still == 0 { 0 } else { attacked(&mut board, chaser) };
        board.unmake(mv, taken);
        if *still & after != 0 {
            *still &= after & !attacked(&mut board, chaser);
        } else {
            *still = 0;
        }
    }
    let worth = [
        PieceKind::Rook,
        PieceKind::Horse,
        PieceKind::Cannon,
        PieceKind::Elephant,
        PieceKind::Advisor,
        PieceKind::Pawn,
    ];
    chased.map(|slots| {
        let is_chased = |kind: &PieceKind| slots_in(slots).any(|slot| piece_of(slot).kind == *kind);
        worth.into_iter().find(is_chased)
    })
}

fn slots_in(mut slots: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let slot = (slots != 0).then(|| slots.trailing_zeros() as u8)?;
        slots &= slots - 1;
        Some(slot)
    })
}

fn of_color(color: Color) -> u32 {
    0xffff << (color.index() * 16)
}

/// A bit for each slot that `color` attacks in the sense of a chase, regardless of the turn.
pub(super) fn attacked(board: &mut Board, color: Color) -> u32 {
    let theirs = board.alive() & of_color(color.other());
    let mut victims = 0;
    for slot in slots_in(board.alive() & of_color(color)) {
        let (from, kind) = (board.square_of(slot), piece_of(slot).kind);
        // Kings and pawns are allowed to chase.
        if matches!(kind, PieceKind::King | PieceKind::Pawn) {
            continue;
        }
        let pinners = pinners(board, color, from);
        for victim in slots_in(theirs & !victims) {
            let to = board.square_of(victim);
            let worth_it = match pinners {
                0 => can_be_chased(piece_of(victim), to),
                _ => pinners >> victim & 1 != 0 && piece_of(victim).kind != PieceKind::King,
            };
            if worth_it && is_attack(board, color, Move { from, to }) {
                victims |= 1 << victim;
            }
        }
    }
    victims
}

/// The slots that would attack the king of `color` without the piece on `from`.
fn pinners(board: &Board, color: Color, from: Square) -> u32 {
    let gone = Move { from, to: Square::NONE };
    board.attackers(color, board.king(color), gone)
}

/// Kings are checked, not chased; pawns that have not crossed the river may be chased.
fn can_be_chased(piece: Piece, at: Square) -> bool {
    match piece.kind {
        PieceKind::King => false,
        PieceKind::Pawn => piece.color.rank(at.rank()) >= 5,
        _ => true,
    }
}

/// Whether a capture is legal and worthwhile, either by the kinds of the two pieces or because it
/// cannot be recaptured.
fn is_attack(board: &mut Board, color: Color, capture: Move) -> bool {
    let kind_at = |board: &Board, square| board.piece_at(square).map(|piece: Piece| piece.kind);
    if !board.can_reach(capture) || !is_safe(board, color, capture) {
        return false;
    }
    let (by, victim) = (kind_at(board, capture.from), kind_at(board, capture.to));
    match (by, victim) {
        (Some(PieceKind::Horse | PieceKind::Cannon), Some(PieceKind::Rook)) => true,
        (
            Some(PieceKind::Advisor | PieceKind::Elephant),
            Some(PieceKind::Rook | PieceKind::Horse | PieceKind::Cannon),
        ) => true,
        _ if is_protected(board, color.other(), capture) => false,
        // Two pieces of a kind attack each other, unless one of them cannot capture.
        _ if by == victim => {
            let back = Move { from: capture.to, to: capture.from };
            !board.can_reach(back) || !is_safe(board, color.other(), back)
        }
        _ => true,
    }
}

/// Whether a move of `color` leaves its king safe.
fn is_safe(board: &Board, color: Color, mv: Move) -> bool {
    let king = board.king(color);
    !board.is_attacked(color, if mv.from == king { mv.to } else { king }, mv)
}

/// Whether `color` can legally recapture after this capture.
fn is_protected(board: &mut Board, color: Color, capture: Move) -> bool {
    let taken = board.make(capture);
    let back = slots_in(board.alive() & of_color(color)).any(|slot| {
        let back = Move { from: board.square_of(slot), to: capture.to };
        board.can_reach(back) && is_safe(board, color, back)
    });
    board.unmake(capture, taken);
    back
}
