//! Test cases for GGF: files of servers and programs, and faults.

use super::{PASSES, SHORTEST, check, check_asked, game, moves, read, written};
use crate::formats::{RecordedResult, ResultCause};
use crate::rules::Side;

const START: &str =
    "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

#[test]
fn games_of_a_server_are_read() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    let head = "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]\
                RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]RE[+0.000]";
    check(
        &format!("{head}{START}B[d3//0.01]W[c3/-0.12/12.3]B[c4/1.5];)"),
        "8: Saio1200-Saio3000 None Unspecified d3@10 c3=-0.12@12300 c4=1.5",
    );
    check("(;GM[othello]TY[8]RE[?];)", "8:");
    check("(;B[F5]W[D6];)", "8: f5 d6");
    check("(;;)", "8:");
    check("(;)", "8:");
    // Several games, text between them, and two simultaneous games of a server.
    check("1 (;B[F5];)\nnext 2 (;B[d3];)(;TY[s8r20]B[c4];)", "8: f5 | 8: d3 | 8: c4");
    check("(;TY[8a]B[F5];)", "8: anti: f5");
    check("(;RE[+64.00:r]B[F5];)", "8: Some(0) Resignation f5");
    check("(;RE[-2.00:t]B[F5];)", "8: Some(1) Time f5");
    check("(;RE[-2.00]B[F5];)", "8: Some(1) Unspecified f5");
    check("(;RE[-0.00:s]B[F5];)", "8: None Unspecified f5");
    check("(;RE[nan]B[F5];)", "8: f5");
    // Bytes that are not UTF-8 are read as Latin-1.
    super::check("ggf", b"(;PB[Andr\xe9]B[F5];)", "8: Andr\u{e9}-? f5");
}

#[test]
fn boards_with_a_side_are_start_positions() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("(;TY[4]BO[4 ---- -O*- -*O- ---- *];)", "4:");
    check("(;BO[4 ---- -O*- -*O- ---- O]W[c1];)", "4: <-----OX--XO----- O> c1");
    check("(;BO[4----\n-O*-\n-*O-\n---- O]W[c1];)", "4: <-----OX--XO----- O> c1");
    check("(;TY[4]B[b1];)", "4: b1");
    check_asked("ggf", "(;B[b1];)", "standard-4", "4: b1");
    check("(;TY[6]BO[4 ---- -O*- -*O- ---- *];)", "line 1: board size 4 contradicts 6");
    check("(;TY[5];)", "line 1: `5` is not a board size: expected 4, 6 to 16");
    check("(;BO[---- *];)", "line 1: an empty text is not a board size: expected 4, 6 to 16");
    check("(;BO[4 ---- -OX- -*O- ---- *];)", "line 1: `X` is neither *, O nor -");
    check(
        "\n(;BO[4 ---- -O*- -*O- --- *];)",
        "line 2: BO is not a board with a side to move: at byte 0: 15 squares instead of 16 on a \
         board of 4",
    );
    check("(;B[F5]BO[4 ---- -O*- -*O- ---- *];)", "line 1: BO changes the board after moves");
}

#[test]
fn colours_alternate_except_after_passes() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("(;W[F5];)", "line 1: move 1 is white's, not black's");
    check("(;B[F5]\nB[D6];)", "line 2: move 2 is black's, not white's");
    let stuck = "BO[4 *O-- ---- ---- ---O O]";
    let position = "<XO-------------O O>";
    check(&format!("(;{stuck}W[PA]B[C1];)"), &format!("4: {position} pass c1"));
    check(&format!("(;{stuck}W[pass]B[C1];)"), &format!("4: {position} pass c1"));
    // An omitted pass is inserted for the other side.
    check(&format!("(;{stuck}B[C1];)"), &format!("4: {position} pass c1"));
    check(&format!("(;{stuck}W[C1];)"), "line 1: move 2 is white's, not black's");
    // After an illegal move the turn is unknown; the rules report the move later.
    check("(;B[A1]B[F5]W[D6];)", "8: a1 f5 d6");
}

#[test]
fn faults_are_reported_with_their_line() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("", "line 1: the file has no game: `(;` is missing");
    check("f5d6c3\n", "line 2: the file has no game: `(;` is missing");
    check("(;GM[Amazons];)", "line 1: GM is `Amazons` instead of Othello");
    check("(;\nB[F5]", "line 2: the file ends inside a game: `;)` is missing");
    check("(;B[F5", "line 1: the file ends inside the value that starts here: `]` is missing");
    check("(;B;)", "line 1: `B` has no value: `[` is missing");
    check("(;B[];)", "line 1: an empty text is not a move");
    check("(;\n(;B[F5];)", "line 2: `(` is not a property or the end of the game (`;)`)");
    check("(;B[F5])\n(;B[?]", "line 2: the file ends inside a game: `;)` is missing");
}

#[test]
fn games_are_written_with_the_known_data() {
    let mut tree = game("f5 d6 c3");
    let head = "(;GM[Othello]PC[Sandboard]";
    let body = format!("TY[8]{START}\n");
    assert_eq!(
        written("ggf", &tree, "standard"),
        format!("{head}PB[]PW[]RE[?]{body}B[F5]W[D6]B[C3];)\n")
    );
    tree.set_used_ms(1205);
    tree.names = vec![Some("A[1]\\".into()), Some("Zoë\n".into())];
    tree.result = Some(RecordedResult { winner: Some(Side(1)), cause: ResultCause::Time });
    let names = "PB[A(1)/]PW[Zoë]";
    let text = format!("{head}{names}RE[-64.00:t]{body}B[F5]W[D6]B[C3//1.205];)\n");
    assert_eq!(written("ggf", &tree, "standard"), text);
    check("ggf", &text, "8: A(1)/-Zoë Some(1) Time f5 d6 c3@1205");
    tree.result = Some(RecordedResult { winner: None, cause: ResultCause::Unspecified });
    assert!(written("ggf", &tree, "standard").contains("RE[+0.00:s]"));
    tree.result = Some(RecordedResult { winner: Some(Side(0)), cause: ResultCause::Resignation });
    assert!(written("ggf", &tree, "standard").contains("RE[+64.00:r]"));

    let mut tree = game("pass c1");
    tree.start = Some("XO-------------O O".into());
    let text = format!("{head}PB[]PW[]RE[+14.00]TY[4]BO[4 *O-- ---- ---- ---O O]\nW[PA]B[C1];)\n");
    assert_eq!(written("ggf", &tree, "standard-4"), text);
    check("ggf", &text, "4: <XO-------------O O> Some(0) Unspecified pass c1");
}

#[test]
fn finished_games_have_their_score() {
    for (played, score) in [(PASSES, "+10.00"), (SHORTEST, "+64.00")] {
        let text = written("ggf", &game(played), "standard");
        assert!(text.contains(&format!("RE[{score}]")), "{text}");
        let again = read("ggf", text.as_bytes(), "").unwrap();
        assert_eq!(moves(&again[0]), moves(&game(played)));
    }
}
