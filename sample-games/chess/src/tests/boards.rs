//! Boards as data.

use sandboard_game_sdk::games::board::{Board, HighlightKind};

use super::*;

/// The board of a game after these moves, which is valid.
fn board(id: &str, text: &str, moves: &str) -> Board {
    let game = game(id, text, moves);
    let board = game.board(Observer::Spectator).unwrap();
    let mut legal = String::new();
    game.write_legal(&mut legal);
    assert_eq!(board.check(&legal), Ok(()), "{id} {text} {moves}");
    board
}

#[test]
fn pieces_have_the_colors_of_their_sides() {
    let expected = concat!(
        "8 x♜ x♞ x♝ x♛ x♚ x♝ x♞ x♜\n",
        "7 x♟ x♟ x♟ x♟ x♟ x♟ x♟ x♟\n",
        "6 .  .  .  .  .  .  .  .\n",
        "5 .  .  .  .  .  .  .  .\n",
        "4 .  .  .  . *o♟ .  .  .\n",
        "3 .  .  .  .  .  .  .  .\n",
        "2 o♟ o♟ o♟ o♟*.  o♟ o♟ o♟\n",
        "1 o♜ o♞ o♝ o♛ o♚ o♝ o♞ o♜\n",
        "  a  b  c  d  e  f  g  h\n",
    );
    let board = board("standard", "", "e4");
    assert_eq!(board.diagram(), expected);
    assert_eq!(board.pieces[0].name, "white rook");
    assert!(board.seats_face_each_other);
}

#[test]
fn highlights_are_the_last_move_and_a_king_in_check() {
    let check = |id: &str, text: &str, moves: &str, expected: &[(HighlightKind, &str)]| {
        let board = board(id, text, moves);
        let found: Vec<(HighlightKind, String)> =
            board.highlights.iter().map(|it| (it.kind, it.places.join(" "))).collect();
        let expected: Vec<(HighlightKind, String)> =
            expected.iter().map(|(kind, places)| (*kind, (*places).to_owned())).collect();
        assert_eq!(found, expected, "{id} {text} {moves}");
    };
    use HighlightKind::{Last, Threat};
    check("standard", "", "", &[]);
    check("standard", "", "e4", &[(Last, "e2 e4")]);
    check("standard", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "Ra8", &[(Last, "a1 a8"), (Threat, "e8")]);
    check("standard", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "Ra7", &[(Last, "a1 a7")]);
    // In castling, the squares of the king.
    check("standard", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", &[(Last, "e1 g1")]);
    check("chess960", "4k3/8/8/8/8/8/8/1R3KR1 w G - 0 1", "f1g1", &[(Last, "f1 g1")]);
    check("chess960", "4k3/8/8/8/8/8/8/1R2KR2 w F - 0 1", "e1f1", &[(Last, "e1 g1")]);
}

#[test]
fn moves_are_clicks_on_two_squares() {
    let check = |id: &str, text: &str, moves: &str, from: &str, expected: &[&str]| {
        let board = board(id, text, moves);
        let of_square = board.moves.iter().filter(|it| it.places[0] == from);
        let found: Vec<String> =
            of_square.map(|it| format!("{} {} {}", it.mv, it.places[1], it.label)).collect();
        assert_eq!(found, expected, "{id} {text} {moves}");
    };
    check("standard", "", "", "e2", &["e2e3 e3 ", "e2e4 e4 "]);
    check("standard", "", "", "e1", &[]);
    let pawn = "8/P7/8/8/8/8/8/k1K5 w - - 0 1";
    let promotions = ["a7a8n a8 knight", "a7a8b a8 bishop", "a7a8r a8 rook", "a7a8q a8 queen"];
    check("standard", pawn, "", "a7", &promotions);
    let castle = "7k/8/8/8/8/8/7P/4K2R w K - 0 1";
    let king = |castling| ["e1d1 d1 ", "e1f1 f1 ", castling, "e1d2 d2 ", "e1e2 e2 ", "e1f2 f2 "];
    check("standard", castle, "", "e1", &king("e1g1 g1 "));
    let castle = "7k/8/8/8/8/8/7P/4K2R w H - 0 1";
    check("chess960", castle, "", "e1", &king("e1h1 h1 "));
    // After the end no move is listed, although fifty moves without a capture leave legal ones.
    let fifty = "4k3/8/8/8/8/8/8/R3K3 w - - 99 80";
    check("standard", fifty, "Ra7", "e8", &[]);
    check("standard", "4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "Ra7", "e8", &["e8d8 d8 ", "e8f8 f8 "]);
}
