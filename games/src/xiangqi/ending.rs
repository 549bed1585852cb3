//! How games end: no move, repetition, plies without a capture, want of material.

use super::Xiangqi;
use super::history::MOST_PLIES;
use super::square::{Color, Kind, Move, Piece, Square};
use crate::rules::{Outcome, Side};

/// What a repetition comes of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// One side checks with every move.
    Check,
    /// One side chases the same piece with every move: one of this kind.
    Chase(Kind),
    /// Both sides check with every move.
    BothCheck,
    /// Both sides chase with every move.
    BothChase,
    /// Neither side does anything that is forbidden.
    Neither,
}

/// The verdict on a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The side that loses; none: it is a draw.
    pub loser: Option<Color>,
    /// Why.
    pub cause: Cause,
}

impl Judgement {
    pub(super) const fn draw(cause: Cause) -> Judgement {
        Judgement { loser: None, cause }
    }

    /// The verdict in a few words.
    pub const fn reason(self) -> &'static str {
        match (self.cause, self.loser) {
            (Cause::Check, Some(Color::Red)) => "red loses: perpetual check",
            (Cause::Check, Some(Color::Black)) => "black loses: perpetual check",
            (Cause::Chase(kind), Some(Color::Red)) => match kind {
                Kind::Rook => "red loses: perpetual chase of a rook",
                Kind::Horse => "red loses: perpetual chase of a horse",
                Kind::Cannon => "red loses: perpetual chase of a cannon",
                Kind::Elephant => "red loses: perpetual chase of an elephant",
                Kind::Advisor => "red loses: perpetual chase of an advisor",
                Kind::Pawn | Kind::King => "red loses: perpetual chase of a pawn",
            },
            (Cause::Chase(kind), Some(Color::Black)) => match kind {
                Kind::Rook => "black loses: perpetual chase of a rook",
                Kind::Horse => "black loses: perpetual chase of a horse",
                Kind::Cannon => "black loses: perpetual chase of a cannon",
                Kind::Elephant => "black loses: perpetual chase of an elephant",
                Kind::Advisor => "black loses: perpetual chase of an advisor",
                Kind::Pawn | Kind::King => "black loses: perpetual chase of a pawn",
            },
            (Cause::BothCheck, _) => "third occurrence, both sides check perpetually",
            (Cause::BothChase, _) => "third occurrence, both sides chase perpetually",
            (Cause::Neither | Cause::Check | Cause::Chase(_), _) => "third occurrence",
        }
    }
}

impl Xiangqi {
    /// The verdict at the third occurrence of a position since the last capture: on all
    /// moves since the first one.
    pub fn repetition(&self) -> Option<Judgement> {
        self.earlier(2).map(|plies| self.judge(plies))
    }

    pub(super) fn ending(&self) -> Option<Outcome> {
        if !self.has_move() {
            let reason = if self.checked { "checkmate" } else { "stalemate" };
            return Some(outcome(Some(self.board.mover), reason));
        }
        if let Some(judgement) = self.repetition() {
            return Some(outcome(judgement.loser, judgement.reason()));
        }
        if self.count >= MOST_PLIES {
            return Some(outcome(None, "120 plies without a capture"));
        }
        self.lacks_material().then(|| outcome(None, "insufficient material"))
    }

    /// Why a move cannot be played; none: it can.
    pub(super) fn why_not(&self, mv: Move) -> Option<String> {
        let Some(piece) = self.piece_at(mv.from) else {
            return Some(format!("nothing stands on {}", mv.from));
        };
        let mover = self.board.mover;
        if piece.color != mover {
            return Some(format!(
                "the {} on {} is {}'s",
                piece.kind.name(),
                mv.from,
                piece.color.name()
            ));
        }
        if let Some(outcome) = self.ending() {
            return Some(format!("the game is over: {}", outcome.reason));
        }
        if !self.board.goes(mv) {
            let own = self.piece_at(mv.to).filter(|other| other.color == mover);
            return Some(match own {
                Some(other) => format!("its own {} stands on {}", other.kind.name(), mv.to),
                None => format!("a {} on {} does not go to {}", piece.kind.name(), mv.from, mv.to),
            });
        }
        if !self.board.exposes(mv) {
            return None;
        }
        let (red, black) = (self.king(Color::Red), self.king(Color::Black));
        let after = |king: Square| if king == mv.from { mv.to } else { king };
        let faces = self.faces(after(red), after(black), mv);
        Some(match (faces, self.checked) {
            (true, _) => "the kings would face each other".to_owned(),
            (false, true) => format!("{} would still be in check", mover.name()),
            (false, false) => format!("{}'s king could be taken", mover.name()),
        })
    }

    /// Whether nothing stands between the kings, on these points, once a move is made.
    fn faces(&self, red: Square, black: Square, mv: Move) -> bool {
        let mut stands = (red.rank() + 1..black.rank())
            .filter_map(|rank| Square::new(red.file(), rank))
            .map(|square| square == mv.to || square != mv.from && self.piece_at(square).is_some());
        red.file() == black.file() && !stands.any(|stands| stands)
    }

    /// Whether what is left can force no mate: no pawn, and so little else that only a
    /// mate in one could still be (the rule of Pikafish).
    fn lacks_material(&self) -> bool {
        let of = |color: Color, kind: Kind| self.count(Piece { color, kind });
        let both = |kind: Kind| of(Color::Red, kind) + of(Color::Black, kind);
        if both(Kind::Pawn) > 0 || both(Kind::Rook) > 0 || both(Kind::Horse) > 0 {
            return false;
        }
        // What may still mate at once keeps the game open as long as it does.
        let unless_mate = || !self.mates_at_once();
        match [Color::Red, Color::Black].map(|color| of(color, Kind::Cannon)) {
            [0, 0] => true,
            [1, 1] => both(Kind::Advisor) == 0 && (both(Kind::Elephant) == 0 || unless_mate()),
            [red, black] if red + black == 1 => {
                let owner = if red == 1 { Color::Red } else { Color::Black };
                let elephants = of(owner, Kind::Elephant);
                of(owner, Kind::Advisor) == 0
                    && match of(owner.other(), Kind::Advisor) {
                        0 => true,
                        1 => elephants == 0 || unless_mate(),
                        _ => elephants == 0 && unless_mate(),
                    }
            }
            _ => false,
        }
    }

    /// Whether a move of who moves leaves the other without one.
    fn mates_at_once(&self) -> bool {
        let mut moves = super::MoveList::new();
        self.moves(crate::rules::Generate::All, &mut moves);
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
