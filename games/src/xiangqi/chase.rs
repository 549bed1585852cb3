//! The verdict on a repetition: who checks or chases with every move. It is that of
//! Pikafish (`rule_judge` at the root of its search, with `chased` and `detect_chases`),
//! a practical form of the Asian rules: what a side attacks is asked of single positions,
//! and a chase is a piece that every move of the cycle attacks anew.

use super::Xiangqi;
use super::board::{Board, piece_of};
use super::ending::{Cause, Judgement};
use super::square::{Color, Kind, Move, Piece, Square};

impl Xiangqi {
    /// The verdict on the last `plies` moves, which lead from this position to this
    /// position; none of them takes anything.
    pub fn judge(&self, plies: usize) -> Judgement {
        let mover = self.board.mover;
        let cycle = &self.history[self.history.len().saturating_sub(plies)..];
        // After the last move and every other one before it who moves now was in check.
        let checked_back = |back: usize| match back {
            0 => self.checked,
            _ => cycle[cycle.len() - back].checked,
        };
        let checks = |first: usize| (first..cycle.len()).step_by(2).map(checked_back);
        let perpetual = |first: usize| checks(first).all(|check| check);
        let lost = |loser, cause| Judgement { loser: Some(loser), cause };
        match (perpetual(0), perpetual(1)) {
            (true, true) => return Judgement::draw(Cause::BothCheck),
            (true, false) => return lost(mover.other(), Cause::Check),
            (false, true) => return lost(mover, Cause::Check),
            (false, false) => {}
        }
        if checks(0).chain(checks(1)).any(|check| check) {
            return Judgement::draw(Cause::Neither);
        }
        let moves = cycle.iter().rev().map(|entry| (entry.mv, entry.taken));
        let chased = chased(&self.board, moves);
        match Color::ALL.map(|color| chased[color.index()].map(|kind| (color, kind))) {
            [None, None] => Judgement::draw(Cause::Neither),
            [Some(_), Some(_)] => Judgement::draw(Cause::BothChase),
            [Some((chaser, kind)), None] | [None, Some((chaser, kind))] => {
                lost(chaser, Cause::Chase(kind))
            }
        }
    }
}

/// By side, what it chases with each of its moves, given latest first: the kind of the
/// most valuable such piece.
fn chased(end: &Board, moves: impl Iterator<Item = (Move, u8)>) -> [Option<Kind>; 2] {
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
    let worth = [Kind::Rook, Kind::Horse, Kind::Cannon, Kind::Elephant, Kind::Advisor, Kind::Pawn];
    chased.map(|slots| {
        let is_chased = |kind: &Kind| slots_in(slots).any(|slot| piece_of(slot).kind == *kind);
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

/// A bit for each slot that `color` attacks in the sense of a chase, whoever moves.
pub(super) fn attacked(board: &mut Board, color: Color) -> u32 {
    let theirs = board.alive() & of_color(color.other());
    let mut victims = 0;
    for slot in slots_in(board.alive() & of_color(color)) {
        let (from, kind) = (board.square_of(slot), piece_of(slot).kind);
        // Kings and pawns may chase.
        if matches!(kind, Kind::King | Kind::Pawn) {
            continue;
        }
        let pinners = pinners(board, color, from);
        for victim in slots_in(theirs & !victims) {
            let to = board.square_of(victim);
            let worth_it = match pinners {
                0 => can_be_chased(piece_of(victim), to),
                _ => pinners >> victim & 1 != 0 && piece_of(victim).kind != Kind::King,
            };
            if worth_it && is_attack(board, color, Move { from, to }) {
                victims |= 1 << victim;
            }
        }
    }
    victims
}

/// The slots that could take the king of `color` if what is on `from` were not there.
fn pinners(board: &Board, color: Color, from: Square) -> u32 {
    let gone = Move { from, to: Square::NONE };
    board.attackers(color, board.king(color), gone)
}

/// Kings are checked, and pawns that have not crossed the river are nobody's prey.
fn can_be_chased(piece: Piece, at: Square) -> bool {
    match piece.kind {
        Kind::King => false,
        Kind::Pawn => piece.color.rank(at.rank()) >= 5,
        _ => true,
    }
}

/// Whether to take this piece is legal, and worth while by the kinds of the two or since
/// nobody takes back.
fn is_attack(board: &mut Board, color: Color, capture: Move) -> bool {
    let kind_at = |board: &Board, square| board.piece_at(square).map(|piece: Piece| piece.kind);
    if !board.goes(capture) || !is_safe(board, color, capture) {
        return false;
    }
    let (by, victim) = (kind_at(board, capture.from), kind_at(board, capture.to));
    match (by, victim) {
        (Some(Kind::Horse | Kind::Cannon), Some(Kind::Rook)) => true,
        (Some(Kind::Advisor | Kind::Elephant), Some(Kind::Rook | Kind::Horse | Kind::Cannon)) => {
            true
        }
        _ if is_protected(board, color.other(), capture) => false,
        // Two of a kind attack each other, unless one of them cannot.
        _ if by == victim => {
            let back = Move { from: capture.to, to: capture.from };
            !board.goes(back) || !is_safe(board, color.other(), back)
        }
        _ => true,
    }
}

/// Whether a move leaves the king of `color`, whose it is, safe.
fn is_safe(board: &Board, color: Color, mv: Move) -> bool {
    let king = board.king(color);
    !board.is_attacked(color, if mv.from == king { mv.to } else { king }, mv)
}

/// Whether `color` can legally take back what captures one of its pieces.
fn is_protected(board: &mut Board, color: Color, capture: Move) -> bool {
    let taken = board.make(capture);
    let back = slots_in(board.alive() & of_color(color)).any(|slot| {
        let back = Move { from: board.square_of(slot), to: capture.to };
        board.goes(back) && is_safe(board, color, back)
    });
    board.unmake(capture, taken);
    back
}
