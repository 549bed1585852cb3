//! Ends of games: mate, stalemate, material, repetition, moves without progress.

use cozy_chess::{BitBoard, Board, Piece};
use sandboard_game_sdk::games::Outcome;

use super::{Chess, side_of};

/// The plies without a capture or pawn move that end a game: 50 moves of each side.
const PLIES_WITHOUT_PROGRESS: u8 = 100;
/// The occurrences of a position that end a game.
const OCCURRENCES: usize = 3;

impl Chess {
    /// How the game has ended. Mate counts before every draw, such as on the last of 50 moves
    /// (FIDE, article 9.6.2, for 75 moves).
    pub(crate) fn ending(&self) -> Option<Outcome> {
        let mover = self.board.side_to_move();
        let ended = |winner, reason| Some(Outcome { winner, reason, score: 0 });
        if !self.any_moves(|_| true) {
            return match self.in_check() {
                true => ended(Some(side_of(mover).other()), "checkmate"),
                false => ended(None, "stalemate"),
            };
        }
        if is_dead(&self.board) {
            return ended(None, "insufficient material");
        }
        if self.board.halfmove_clock() >= PLIES_WITHOUT_PROGRESS {
            return ended(None, "fifty-move rule");
        }
        match self.occurrences() >= OCCURRENCES {
            true => ended(None, "threefold repetition"),
            false => None,
        }
    }
}

/// Whether no sequence of moves mates, by the material alone: beside the kings there is at most one
/// knight, or only bishops on squares of one colour (FIDE, article 5.2.2).
fn is_dead(board: &Board) -> bool {
    let strong = [Piece::Pawn, Piece::Rook, Piece::Queen];
    if strong.into_iter().any(|piece| !board.pieces(piece).is_empty()) {
        return false;
    }
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    let one_color = [BitBoard::DARK_SQUARES, BitBoard::LIGHT_SQUARES];
    match knights.len() {
        0 => one_color.into_iter().any(|squares| bishops.is_subset(squares)),
        knights => knights == 1 && bishops.is_empty(),
    }
}
