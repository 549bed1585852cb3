//! The text diagram of a position.

use cozy_chess::{File, Rank, Square};

use super::{Chess, Move, castled_king, is_castling};

/// Appends the board as white sees it: white's pieces in capital letters, the squares of the last
/// move in brackets.
pub(crate) fn write(game: &Chess, last: Option<Move>, out: &mut String) {
    let marked = last.map(|mv| marked(game, mv));
    for rank in Rank::ALL.into_iter().rev() {
        out.push(rank.into());
        out.push(' ');
        for file in File::ALL {
            let square = Square::new(file, rank);
            let letter = letter_on(game, square).unwrap_or('.');
            let [before, after] = match marked.is_some_and(|squares| squares.contains(&square)) {
                true => ['[', ']'],
                false => [' ', ' '],
            };
            out.extend([before, letter, after]);
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out.push_str("   a  b  c  d  e  f  g  h\n");
}

/// The letter of a piece in FEN.
pub(crate) fn letter_on(game: &Chess, square: Square) -> Option<char> {
    let (board, white) = (game.board(), cozy_chess::Color::White);
    let letter = char::from(board.piece_on(square)?);
    Some(if board.colors(white).has(square) { letter.to_ascii_uppercase() } else { letter })
}

/// The squares that the moved piece has left and reached; in castling those of the king.
fn marked(game: &Chess, mv: Move) -> [Square; 2] {
    let played = game.history.last().filter(|played| played.mv == Some(mv));
    match played.is_some_and(|played| is_castling(&played.before, mv)) {
        true => [mv.from_square(), castled_king(mv.from_square(), mv.to_square())],
        false => [mv.from_square(), mv.to_square()],
    }
}
