//! Tests of GGF: what servers and programs write, and what is wrong.

use super::{PASSES, SHORTEST, check, check_asked, game, moves, read, written};
use crate::formats::{By, Told};
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
        "8: Saio1200-Saio3000 None Unsaid d3@10 c3=-0.12@12300 c4=1.5",
    );
    check("(;GM[othello]TY[8]RE[?];)", "8:");
    check("(;B[F5]W[D6];)", "8: f5 d6");
    check("(;;)", "8:");
    check("(;)", "8:");
    // Several games, what stands between them, and two that a server played at once.
    check("1 (;B[F5];)\nnext 2 (;B[d3];)(;TY[s8r20]B[c4];)", "8: f5 | 8: d3 | 8: c4");
    check("(;TY[8a]B[F5];)", "8: anti: f5");
    check("(;RE[+64.00:r]B[F5];)", "8: Some(0) Resignation f5");
    check("(;RE[-2.00:t]B[F5];)", "8: Some(1) Time f5");
    check("(;RE[-2.00]B[F5];)", "8: Some(1) Unsaid f5");
    check("(;RE[-0.00:s]B[F5];)", "8: None Unsaid f5");
    check("(;RE[nan]B[F5];)", "8: f5");
    // Bytes that are no UTF-8 are Latin-1.
    super::check("ggf", b"(;PB[Andr\xe9]B[F5];)", "8: Andr\u{e9}-? f5");
}

#[test]
fn boards_and_their_sides_are_starts() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("(;TY[4]BO[4 ---- -O*- -*O- ---- *];)", "4:");
    check("(;BO[4 ---- -O*- -*O- ---- O]W[c1];)", "4: <-----OX--XO----- O> c1");
    check("(;BO[4----\n-O*-\n-*O-\n---- O]W[c1];)", "4: <-----OX--XO----- O> c1");
    check("(;TY[4]B[b1];)", "4: b1");
    check_asked("ggf", "(;B[b1];)", "standard-4", "4: b1");
    check(
        "(;TY[6]BO[4 ---- -O*- -*O- ---- *];)",
        "line 1: a board of 4 where one of 6 was told of",
    );
    check("(;TY[5];)", "line 1: `5` is no size of a board: 4, 6 to 16");
    check("(;BO[---- *];)", "line 1: nothing is no size of a board: 4, 6 to 16");
    check("(;BO[4 ---- -OX- -*O- ---- *];)", "line 1: `X` is neither *, O nor -");
    check(
        "\n(;BO[4 ---- -O*- -*O- --- *];)",
        "line 2: BO is no board with a side to move: at byte 0: 15 squares instead of the 16 of a \
         board of 4",
    );
    check("(;B[F5]BO[4 ---- -O*- -*O- ---- *];)", "line 1: BO changes the board after moves");
}

#[test]
fn colours_alternate_but_for_passes() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("(;W[F5];)", "line 1: move 1 is white's, not black's");
    check("(;B[F5]\nB[D6];)", "line 2: move 2 is black's, not white's");
    let stuck = "BO[4 *O-- ---- ---- ---O O]";
    let position = "<XO-------------O O>";
    check(&format!("(;{stuck}W[PA]B[C1];)"), &format!("4: {position} pass c1"));
    check(&format!("(;{stuck}W[pass]B[C1];)"), &format!("4: {position} pass c1"));
    // A pass that is left out is put in, for the side that made none.
    check(&format!("(;{stuck}B[C1];)"), &format!("4: {position} pass c1"));
    check(&format!("(;{stuck}W[C1];)"), "line 1: move 2 is white's, not black's");
    // Behind an illegal move nobody knows whose turn it is; the rules tell of the move.
    check("(;B[A1]B[F5]W[D6];)", "8: a1 f5 d6");
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let check = |text: &str, expected: &str| check("ggf", text, expected);
    check("", "line 1: the file ends, and nowhere began a game: `(;`");
    check("f5d6c3\n", "line 2: the file ends, and nowhere began a game: `(;`");
    check("(;GM[Amazons];)", "line 1: GM says that it is a game of `Amazons`");
    check("(;\nB[F5]", "line 2: the file ends within a game: no `;)`");
    check("(;B[F5", "line 1: the file ends within the value that begins here: no `]`");
    check("(;B;)", "line 1: `B` has no value: `[`");
    check("(;B[];)", "line 1: nothing is no move");
    check("(;\n(;B[F5];)", "line 2: `(` is no property, and does not end the game: `;)`");
    check("(;B[F5])\n(;B[?]", "line 2: the file ends within a game: no `;)`");
}

#[test]
fn games_are_written_with_what_is_known() {
    let mut tree = game("f5 d6 c3");
    let head = "(;GM[Othello]PC[Sandboard]";
    let body = format!("TY[8]{START}\n");
    assert_eq!(
        written("ggf", &tree, "standard"),
        format!("{head}PB[]PW[]RE[?]{body}B[F5]W[D6]B[C3];)\n")
    );
    tree.set_used_ms(1205);
    tree.names = vec![Some("A[1]\\".into()), Some("Zoë\n".into())];
    tree.result = Some(Told { winner: Some(Side(1)), by: By::Time });
    let names = "PB[A(1)/]PW[Zoë]";
    let text = format!("{head}{names}RE[-64.00:t]{body}B[F5]W[D6]B[C3//1.205];)\n");
    assert_eq!(written("ggf", &tree, "standard"), text);
    check("ggf", &text, "8: A(1)/-Zoë Some(1) Time f5 d6 c3@1205");
    tree.result = Some(Told { winner: None, by: By::Unsaid });
    assert!(written("ggf", &tree, "standard").contains("RE[+0.00:s]"));
    tree.result = Some(Told { winner: Some(Side(0)), by: By::Resignation });
    assert!(written("ggf", &tree, "standard").contains("RE[+64.00:r]"));

    let mut tree = game("pass c1");
    tree.start = Some("XO-------------O O".into());
    let text = format!("{head}PB[]PW[]RE[+14.00]TY[4]BO[4 *O-- ---- ---- ---O O]\nW[PA]B[C1];)\n");
    assert_eq!(written("ggf", &tree, "standard-4"), text);
    check("ggf", &text, "4: <XO-------------O O> Some(0) Unsaid pass c1");
}

#[test]
fn whole_games_tell_their_score() {
    for (played, score) in [(PASSES, "+10.00"), (SHORTEST, "+64.00")] {
        let text = written("ggf", &game(played), "standard");
        assert!(text.contains(&format!("RE[{score}]")), "{text}");
        let again = read("ggf", text.as_bytes(), "").unwrap();
        assert_eq!(moves(&again[0]), moves(&game(played)));
    }
}
