//! Boards as data.

use sandboard_game_sdk::games::board::Element;

use super::*;

#[test]
fn boards_are_valid_and_list_the_moves() {
    let check = |variant: &str, moves: &str, observer: Observer, expected: usize| {
        let mut game = arranged(variant, "");
        play(&mut game, moves);
        let legal: Vec<String> = legal(&game).iter().map(Move::to_string).collect();
        let board = game.board(observer, None).expect("a board");
        assert_eq!(board.check(&legal.join(" ")), Ok(()), "{variant} {moves}");
        assert_eq!(board.moves.len(), expected, "{variant} {moves} {observer:?}");
        assert_eq!(board.pieces.len(), 10 * usize::from(game.count));
        assert_eq!(board.seats_face_each_other, variant == "two");
    };
    check("two", "", Observer::Seat(Seat(0)), 14);
    check("two", "", Observer::Seat(Seat(1)), 0);
    check("two", "e14-e13", Observer::Seat(Seat(1)), 14);
    check("two", "", Observer::Spectator, 14);
    check("two", "", Observer::Everything, 14);
    check("three", "", Observer::Seat(Seat(2)), 0);
    check("six", "e14-e13", Observer::Seat(Seat(1)), 14);
}

#[test]
fn the_board_of_the_fixture_has_the_same_holes() {
    let fixture = include_str!("../../../../tests/fixtures/boards/chinese-checkers.json");
    let board = arranged("six", "").board(Observer::Spectator, None).expect("a board");
    let Element::Grid(grid) = &board.elements[0][0] else { panic!("{board:?}") };
    let row = |row: &Vec<Option<String>>| {
        let hole = |hole: &Option<String>| {
            hole.as_ref().map_or("null".to_owned(), |name| format!("\"{name}\""))
        };
        format!("[{}]", row.iter().map(hole).collect::<Vec<_>>().join(","))
    };
    let rows = grid.rows.iter().map(row).collect::<Vec<_>>().join(",");
    assert!(fixture.contains(&format!("\"rows\":[{rows}]")), "{rows}");
}

#[test]
fn the_last_move_is_marked() {
    let game = arranged("two", "e14>e13");
    let [from, to] = ["e14", "e13"].map(|text| star::read(text).unwrap());
    let board = game.board(Observer::Spectator, Some(&Move::Piece { from, to })).expect("a board");
    assert_eq!(board.highlights[0].places, ["e14", "e13"]);
    let board = game.board(Observer::Spectator, Some(&Move::Pass)).expect("a board");
    assert!(board.highlights.is_empty());
}
