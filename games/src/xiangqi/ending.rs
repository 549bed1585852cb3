//! Ends of games: no legal move, repetition, plies without a capture, insufficient material.

use super::Xiangqi;
use super::history::MAX_PLIES_WITHOUT_CAPTURE;
use super::square::{Color, Move, Piece, PieceKind, Square};
use crate::messages;
use crate::rules::{Outcome, Side};

/// What happens in a repeated cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepetitionCause {
    /// One side checks with every move.
    Check,
    /// One side chases the same piece, of this kind, with every move.
    Chase(PieceKind),
    /// Both sides check with every move.
    BothCheck,
    /// Both sides chase with every move.
    BothChase,
    /// Neither side does anything forbidden.
    Neither,
}

/// The verdict on a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepetitionVerdict {
    /// The losing side; `None` for a draw.
    pub loser: Option<Color>,
    /// The cause of the verdict.
    pub cause: RepetitionCause,
}

impl RepetitionVerdict {
    pub(super) const fn draw(cause: RepetitionCause) -> RepetitionVerdict {
        RepetitionVerdict { loser: None, cause }
    }

    /// The verdict in a few words, as the reason of an outcome.
    pub(crate) const fn reason(self) -> &'static str {
        match (self.cause, self.loser) {
            (RepetitionCause::Check, Some(Color::Red)) => messages::RED_CHECKS,
            (RepetitionCause::Check, Some(Color::Black)) => messages::BLACK_CHECKS,
            (RepetitionCause::Chase(kind), Some(Color::Red)) => match kind {
                PieceKind::Rook => messages::RED_CHASES_ROOK,
                PieceKind::Horse => messages::RED_CHASES_HORSE,
                PieceKind::Cannon => messages::RED_CHASES_CANNON,
                PieceKind::Elephant => messages::RED_CHASES_ELEPHANT,
                PieceKind::Advisor => messages::RED_CHASES_ADVISOR,
                PieceKind::Pawn | PieceKind::King => messages::RED_CHASES_PAWN,
            },
            (RepetitionCause::Chase(kind), Some(Color::Black)) => match kind {
                PieceKind::Rook => messages::BLACK_CHASES_ROOK,
                PieceKind::Horse => messages::BLACK_CHASES_HORSE,
                PieceKind::Cannon => messages::BLACK_CHASES_CANNON,
                PieceKind::Elephant => messages::BLACK_CHASES_ELEPHANT,
                PieceKind::Advisor => messages::BLACK_CHASES_ADVISOR,
                PieceKind::Pawn | PieceKind::King => messages::BLACK_CHASES_PAWN,
            },
            (RepetitionCause::BothCheck, _) => messages::BOTH_CHECK,
            (RepetitionCause::BothChase, _) => messages::BOTH_CHASE,
            (RepetitionCause::Neither | RepetitionCause::Check | RepetitionCause::Chase(_), _) => {
                messages::THIRD_OCCURRENCE
            }
        }
    }
}

impl Xiangqi {
    /// The verdict on the cycle since the first occurrence, at the third occurrence of a position
    /// since the last capture.
    pub(crate) fn repetition(&self) -> Option<RepetitionVerdict> {
        self.plies_since_occurrence(2).map(|plies| self.judge_cycle(plies))
    }

    pub(super) fn ending(&self) -> Option<Outcome> {
        if !self.has_move() {
            let reason = if self.in_check { messages::CHECKMATE } else { messages::STALEMATE };
            return Some(outcome(Some(self.board.mover), reason));
        }
        if let Some(verdict) = self.repetition() {
            return Some(outcome(verdict.loser, verdict.reason()));
        }
        if self.count >= MAX_PLIES_WITHOUT_CAPTURE {
            return Some(outcome(None, messages::WITHOUT_CAPTURE));
        }
        self.lacks_material().then(|| outcome(None, messages::INSUFFICIENT_MATERIAL))
    }

    /// Why a move cannot be played; `None` if it can.
    pub(super) fn refusal_reason(&self, mv: Move) -> Option<String> {
        let Some(piece) = self.piece_at(mv.from) else {
            return Some(messages::no_piece(mv.from));
        };
        let mover = self.board.mover;
        if piece.color != mover {
            return Some(messages::piece_of_other(piece.kind.name(), mv.from, piece.color.name()));
        }
        if let Some(outcome) = self.ending() {
            return Some(messages::game_is_over(outcome.reason));
        }
        if !self.board.can_reach(mv) {
            let own = self.piece_at(mv.to).filter(|other| other.color == mover);
            return Some(match own {
                Some(other) => messages::own_piece(other.kind.name(), mv.to),
                None => messages::piece_cannot_move(piece.kind.name(), mv.from, mv.to),
            });
        }
        if !self.board.exposes(mv) {
            return None;
        }
        let (red, black) = (self.king(Color::Red), self.king(Color::Black));
        let after = |king: Square| if king == mv.from { mv.to } else { king };
        let faces = self.faces(after(red), after(black), mv);
        Some(match (faces, self.in_check) {
            (true, _) => messages::KINGS_WOULD_FACE.to_owned(),
            (false, true) => messages::still_in_check(mover.name()),
            (false, false) => messages::would_be_in_check(mover.name()),
        })
    }

    /// Whether nothing is between the kings on these points after a move.
    fn faces(&self, red: Square, black: Square, mv: Move) -> bool {
        let mut occupied = (red.rank() + 1..black.rank())
            .filter_map(|rank| Square::new(red.file(), rank))
            .map(|square| square == mv.to || square != mv.from && self.piece_at(square).is_some());
        red.file() == black.file() && !occupied.any(|it| it)
    }

    /// Whether the remaining pieces cannot force mate: there is no pawn, and so little else that at
    /// most a mate in one is possible (the rule of Pikafish).
    fn lacks_material(&self) -> bool {
        let of = |color: Color, kind: PieceKind| self.count(Piece { color, kind });
        let both = |kind: PieceKind| of(Color::Red, kind) + of(Color::Black, kind);
        if both(PieceKind::Pawn) > 0 || both(PieceKind::Rook) > 0 || both(PieceKind::Horse) > 0 {
            return false;
        }
        // An immediate mate keeps the game open while it is possible.
        let unless_mate = || !self.mates_at_once();
        match [Color::Red, Color::Black].map(|color| of(color, PieceKind::Cannon)) {
            [0, 0] => true,
            [1, 1] => {
                both(PieceKind::Advisor) == 0 && (both(PieceKind::Elephant) == 0 || unless_mate())
            }
            [red, black] if red + black == 1 => {
                let owner = if red == 1 { Color::Red } else { Color::Black };
                let elephants = of(owner, PieceKind::Elephant);
                of(owner, PieceKind::Advisor) == 0
                    && match of(owner.other(), PieceKind::Advisor) {
                        0 => true,
                        1 => elephants == 0 || unless_mate(),
                        _ => elephants == 0 && unless_mate(),
                    }
            }
            _ => false,
        }
    }

    /// Whether a move of the side to move leaves the opponent without a legal move.
    fn mates_at_once(&self) -> bool {
        let mut moves = super::MoveList::new();
        self.moves(crate::rules::MoveSet::All, &mut moves);
        let mut after = self.clone();
        moves.iter().any(|&mv| {
            after.advance(mv);
            let mates = !after.has_move();
            after.retreat();
            mates
        })
    }
}

fn outcome(loser: Option<Color>, reason: &'static str) -> Outcome {
    let winner = loser.map(|color| Side(color.other().index() as u8));
    Outcome { winner, reason, score: 0 }
}
