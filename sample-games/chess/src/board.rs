//! The board as data.

use cozy_chess::{Color, File, Piece, Rank, Square};
use sandboard_game_sdk::games::board::{
    Board, Color as BoardColor, Fill, Grid, HighlightKind, Piece as BoardPiece, Shape,
};
use sandboard_game_sdk::games::{MoveSet, Rules};

use super::{Chess, Move, castled_king, color_name, is_castling, piece_name};

/// The board with the squares of the last move, a king in check and the legal moves.
pub(crate) fn of(game: &Chess, last: Option<Move>) -> Board {
    let mut grid = Grid::square(File::NUM, Rank::NUM);
    let is_dark =
        |square: &Square| (square.file() as usize + square.rank() as usize).is_multiple_of(2);
    let dark = Square::ALL.into_iter().filter(is_dark).map(|square| square.to_string()).collect();
    grid.fills = vec![Fill { color: BoardColor::Brown, places: dark }];
    let mut board = Board::of(grid);
    board.seats_face_each_other = true;
    board.pieces = Square::ALL.into_iter().filter_map(|square| piece_on(game, square)).collect();
    if let Some(last) = last {
        board.highlight(HighlightKind::Last, squares_of(game, last).map(|it| it.to_string()));
    }
    if game.in_check() {
        let king = game.board().king(game.board().side_to_move());
        board.highlight(HighlightKind::Threat, [king.to_string()]);
    }
    if game.outcome().is_none() {
        add_moves(&mut board, game);
    }
    board
}

fn piece_on(game: &Chess, square: Square) -> Option<BoardPiece> {
    let (piece, color) = (game.board().piece_on(square)?, game.board().color_on(square)?);
    // The filled glyphs, in the colour of the side.
    let glyph = match piece {
        Piece::Pawn => "♟",
        Piece::Knight => "♞",
        Piece::Bishop => "♝",
        Piece::Rook => "♜",
        Piece::Queen => "♛",
        Piece::King => "♚",
    };
    let shade = if color == Color::White { BoardColor::White } else { BoardColor::Black };
    let name = format!("{} {}", color_name(color), piece_name(piece));
    Some(BoardPiece::new(square.to_string(), Shape::Glyph, glyph).colored(shade).named(name))
}

/// Lists the legal moves with the two squares of their texts. Promotions on the same squares have
/// the name of the new piece as label.
fn add_moves(board: &mut Board, game: &Chess) {
    let mut moves = Vec::new();
    game.generate(MoveSet::All, &mut moves);
    for mv in moves {
        let mut text = String::new();
        game.write_move(mv, &mut text);
        let places = [text[..2].to_owned(), text[2..4].to_owned()];
        board.add_move(text, places);
        if let (Some(entry), Some(piece)) = (board.moves.last_mut(), mv.promotion()) {
            entry.label = piece_name(piece).into();
        }
    }
}

/// The squares that the moved piece has left and reached; in castling those of the king.
fn squares_of(game: &Chess, mv: Move) -> [Square; 2] {
    let played = game.history.last().filter(|played| played.mv == Some(mv));
    match played.is_some_and(|played| is_castling(&played.before, mv)) {
        true => [mv.from_square(), castled_king(mv.from_square(), mv.to_square())],
        false => [mv.from_square(), mv.to_square()],
    }
}
