//! How games end, each rule with a near miss.

use super::*;

fn check(id: &str, text: &str, moves: &str, expected: Option<(Option<u8>, &str)>) {
    let game = game(id, text, moves);
    let found = |game: &dyn DynGame| {
        let reason = game.ending()?.reason.into_owned();
        Some((game.winner().map(|side| side.0), reason))
    };
    let expected = expected.map(|(winner, reason)| (winner, reason.to_owned()));
    assert_eq!(found(&*game), expected, "{text} {moves}\n{}", game.diagram(Observer::Everything));
    // The text says the same.
    let again = (INFO.new)(&variant(id), Some(&game.position())).unwrap();
    assert_eq!(found(&*again), expected, "{}", game.position());
}

const WHITE: Option<u8> = Some(0);
const BLACK: Option<u8> = Some(1);

#[test]
fn mate_and_stalemate() {
    let check = |text: &str, moves: &str, expected| check("standard", text, moves, expected);
    check("", "f3 e5 g4 Qh4", Some((BLACK, "checkmate")));
    check("", "f3 e5 h4 Qxh4", None);
    check("", "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", Some((WHITE, "checkmate")));
    // The king takes the queen if no bishop protects it.
    check("", "e4 e5 d3 Nc6 Qh5 Nf6 Qxf7", None);
}

#[test]
fn stalemate_needs_a_side_without_any_move() {
    let check = |text: &str, expected| check("standard", text, "", expected);
    check("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some((None, "stalemate")));
    check("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", None);
    check("7k/5Q2/6K1/8/8/8/p7/8 b - - 0 1", None);
    check("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some((WHITE, "checkmate")));
    // The pawn is pinned and blocked, the king has no square.
    check("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1", Some((None, "stalemate")));
    check("8/8/8/8/8/2k5/1p6/1K6 w - - 0 1", None);
    // The only move is a capture en passant.
    check("k7/2K5/1Q6/8/3pP3/3P4/8/8 b - e3 0 1", None);
    check("k7/2K5/1Q6/8/3pP3/3P4/8/8 b - - 0 1", Some((None, "stalemate")));
}

#[test]
fn material_that_cannot_mate() {
    let dead = Some((None, "insufficient material"));
    let check = |text: &str, expected| check("standard", text, "", expected);
    check("4k3/8/8/8/8/8/8/4K3 w - - 0 1", dead);
    check("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", dead);
    check("4k1n1/8/8/8/8/8/8/4K3 w - - 0 1", dead);
    // Bishops on squares of one colour, on one side or on both; and of two colours.
    check("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", dead);
    check("4kb2/8/8/8/8/4B3/8/2B1K3 w - - 0 1", dead);
    check("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", None);
    check("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", None);
    // A mate is possible with the help of the other side.
    check("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1", None);
    check("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", None);
    check("4k1n1/8/8/8/8/8/8/4KB2 w - - 0 1", None);
    check("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", None);
    check("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1", None);
    check("4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", None);
}

#[test]
fn a_capture_can_leave_too_little_material() {
    let text = "4k3/8/8/8/8/8/4r3/4KB2 w - - 0 1";
    check("standard", text, "Kxe2", Some((None, "insufficient material")));
    check("standard", text, "Kd1", None);
}

#[test]
fn fifty_moves_without_progress() {
    let draw = Some((None, "fifty-move rule"));
    let check = |text: &str, moves: &str, expected| check("standard", text, moves, expected);
    let rooks = "4k3/r7/8/8/8/8/R6P/4K3 w - - 98 80";
    check(rooks, "Rb2", None);
    check(rooks, "Rb2 Rb7", draw);
    // A capture, or a pawn's move, counts from 0 again.
    check("4k3/r7/8/8/8/8/R6P/4K3 w - - 99 80", "h3", None);
    check("4k3/r7/8/8/8/8/R6P/4K3 w - - 99 80", "Rxa7", None);
    check("4k3/r7/8/8/8/8/R6P/4K3 w - - 99 80", "Rb2", draw);
    // Castling is no progress.
    check("4k3/r7/8/8/8/8/8/4K2R w K - 99 80", "O-O", draw);
    // Mate with the hundredth ply wins.
    check("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "Qf8", Some((WHITE, "checkmate")));
    check("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80", "Qe1", draw);
}

#[test]
fn the_third_occurrence_of_a_position() {
    let draw = Some((None, "threefold repetition"));
    let check = |id: &str, text: &str, moves: &str, expected| check(id, text, moves, expected);
    let cycle = "Nf3 Nf6 Ng1 Ng8";
    check("standard", "", &format!("{cycle} Nf3 Nf6 Ng1"), None);
    check("standard", "", &format!("{cycle} {cycle}"), draw);
    check("chess960", "", &format!("{cycle} {cycle}"), draw);
    // A pawn's move between, after which nothing can be repeated.
    check("standard", "", &format!("{cycle} e4 e5 {cycle}"), None);
    check("standard", "", &format!("e4 e5 {cycle} {cycle}"), draw);
    // The first occurrence still had the right to castle.
    let castling = "r3k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let rook = "Rg1 Ra7 Rh1 Ra8";
    check("standard", castling, &format!("{rook} {rook}"), None);
    check("standard", castling, &format!("{rook} {rook} Rg1"), draw);
    // The first occurrence allowed a capture en passant (FIDE, article 9.2.3.1).
    let capture = "4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1";
    let kings = "Kd8 Kd1 Ke8 Ke1";
    check("standard", capture, &format!("e4 {kings} {kings}"), None);
    check("standard", capture, &format!("e4 {kings} {kings} Kd8"), draw);
    // A double step beside which no pawn is, or whose capture would be check, changes nothing.
    let no_capture = "4k3/8/8/8/7p/8/4P3/4K3 w - - 0 1";
    check("standard", no_capture, &format!("e4 {kings} {kings}"), draw);
    let pinned = "8/8/8/8/1R3p1k/8/4P3/4K3 w - - 0 1";
    let kings = "Kh5 Kd1 Kh4 Ke1";
    check("standard", pinned, &format!("e4 {kings} {kings}"), draw);
}

#[test]
fn a_game_can_begin_without_its_history() {
    let played = game("standard", "", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    assert!(played.is_over());
    let fresh = played.without_history();
    assert_eq!((fresh.is_over(), fresh.hash()), (false, played.hash()));
    let check = |text: &str, expected: &str| {
        assert_eq!(position_text(&position("standard", text).without_history()), expected);
    };
    check("4k3/8/8/8/8/8/8/4K2R w - - 57 80", "4k3/8/8/8/8/8/8/4K2R w - - 0 80");
}

#[test]
fn no_move_can_be_played_after_the_end() {
    let check = |text: &str, moves: &str, mv: &str, expected: &str| {
        let mut game = game("standard", text, moves);
        assert_eq!(game.play(mv).unwrap_err().reason, expected);
        let mut listed = String::new();
        game.write_legal(&mut listed);
        listed
    };
    assert_eq!(check("", "f3 e5 g4 Qh4", "a2a3", "the game is over: checkmate"), "");
    let kings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    // Such moves are listed, so that counts of moves do not depend on draws.
    let listed = check(kings, "", "e1e2", "the game is over: insufficient material");
    assert_eq!(listed, "e1d1 e1f1 e1d2 e1e2 e1f2");
}

#[test]
fn null_moves_end_repetition_and_are_taken_back() {
    let mut game = position("standard", "");
    let before = game.clone();
    let undo = game.make_null().unwrap();
    assert_eq!((game.to_move(), game.occurrences()), (Seat(1), 1));
    let second = game.make_null().unwrap();
    assert_eq!((game.hash(), game.occurrences()), (before.hash(), 1));
    game.unmake(second);
    game.unmake(undo);
    assert_eq!(game, before);
    let mut checked = position("standard", "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1");
    assert!(checked.make_null().is_none());
}
