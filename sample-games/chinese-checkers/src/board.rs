//! The board as data: the star with its triangles in the colours of the players.

use sandboard_game_sdk::games::board::{
    Board, Color, Fill, Grid, GridStyle, HighlightKind, Tiling,
};
use sandboard_game_sdk::games::general::{GeneralRules, Next, Observer};

use super::star::{HOLES, SIZE, hole_at, name, triangle_of};
use super::{ChineseCheckers, Move};

/// The colours of the seats.
const COLORS: [Color; 6] =
    [Color::Red, Color::Blue, Color::Green, Color::Yellow, Color::Purple, Color::White];

/// The board. Each player's target triangle has its colour. Moves are those of the observer, or for
/// an observer without a seat those of the player to move.
pub(crate) fn of(game: &ChineseCheckers, observer: Observer, last: Option<&Move>) -> Board {
    let row = |row: usize| (0..SIZE).map(|column| hole_at(column, row).map(name)).collect();
    let mut grid = Grid {
        tiling: Tiling::Hex,
        style: GridStyle::Points,
        rows: (0..SIZE).map(row).collect(),
        ..Grid::default()
    };
    let holes = || 0..HOLES as u8;
    for seat in 0..game.count {
        let target = Some(game.target_of(seat));
        let places = holes().filter(|hole| triangle_of(*hole) == target).map(name).collect();
        grid.fills.push(Fill { color: COLORS[usize::from(seat)], places });
    }
    let mut board = Board::of(grid);
    board.seats_face_each_other = game.count == 2;
    for (hole, seat) in holes().zip(&game.holes) {
        if let Some(seat) = seat {
            board.add_disc(name(hole), COLORS[usize::from(*seat)]);
        }
    }
    if let Some(Move::Piece { from, to }) = last {
        board.highlight(HighlightKind::Last, [name(*from), name(*to)]);
    }
    let mut moves = Vec::new();
    match (observer, game.next()) {
        (Observer::Seat(seat), _) => game.generate(seat, &mut moves),
        (_, Next::Seats(seats)) => seats.iter().for_each(|seat| game.generate(seat, &mut moves)),
        _ => (),
    }
    for mv in moves {
        match mv {
            Move::Piece { from, to } => board.add_move(mv.to_string(), [name(from), name(to)]),
            Move::Pass => board.add_button(mv.to_string(), "Pass"),
        }
    }
    board
}
