//! Test cases for Piskvork's and Gomotur's files. The complete files are in the form of Piskvork's
//! `savePsq`.

use super::{check, check_asked, game, written};

#[test]
fn psq_counts_from_one_and_from_the_top() {
    let corners = "Piskvorky 15x15, 0:0, 0\n1,1,0\n15,1,20\n1,15,0\n15,15,1300\n8,7,5\n-1\n";
    check("psq", corners, "15: a15 o15@20 a1 o1@1300 h9@5");
    // The same numbers are other points on a larger board.
    let larger = corners.replacen("15x15", "20x20", 1);
    check("psq", larger, "20: a20 o20@20 a6 o6@1300 h14@5");
}

#[test]
fn rec_counts_from_zero_and_from_the_top() {
    let corners = "ada\nbob\n0,0,0\n19,0,20\n0,19,0\n19,19,1300\n8,7,5\n0\n";
    check("rec", corners, "20: ada-bob a20 t20@20 a1 t1@1300 i13@5");
    let smaller = "ada\nhomo-2\n0,0\n14,0\n0,14\n14,14\n8,7\n";
    check_asked("rec", smaller, "standard-15", "15: ada-? a15 o15 a1 o1 i8");
    check_asked("rec", smaller, "standard", "20: ada-? a20 o20 a6 o6 i13");
}

#[test]
fn psq_has_names_and_a_code_after_the_moves() {
    let check = |rest: &str, expected| {
        check("psq", format!("Piskvorky 15x15, 11:0, 0\n1,1,0\n{rest}"), expected);
    };
    check("", "15: a15");
    check("0\n", "15: a15");
    check("pela.exe\nyixin.zip\n0\n", "15: pela.exe-yixin.zip a15");
    check("homo-1\r\nyixin.zip\r\n0\r\n", "15: ?-yixin.zip a15");
    check("a, b\n3 stones\n", "15: a, b-3 stones a15");
    check("\nn\u{e9}\nb\n\n15\n", "15: n\u{e9}-b a15");
    check("pela\n", "line 3: `pela` is neither a move nor an end code");
    check("a\nb\nc\n", "line 5: `c` is neither a move nor an end code");
    check("a\nb\n0\n0\n", "line 6: unexpected line `0` after the moves");
    check("0\n2,2,0\n", "line 4: a move after the end of the moves");
    // The names belong to the players; the header tells which of them started.
    let swapped = "Piskvorky 15x15, 0:0, 1\n1,1,0\nada\nbob\n0\n";
    super::check("psq", swapped, "15: bob-ada a15");
}

#[test]
fn faults_of_a_psq_header_are_reported() {
    let check = |head: &str, expected: &str| {
        check("psq", format!("{head}\n1,1,0\n"), &format!("line 1: {expected}"));
    };
    check("", "an empty text is not `Piskvorky 15x15, 0:0, 0`");
    check("piskvorky 15x15, 0:0, 0", "`piskvorky 15x15, 0:0, 0` is not `Piskvorky 15x15, 0:0, 0`");
    check(
        "Piskvorky 15x15",
        "expected a board size, two levels and the first player after `Piskvorky`",
    );
    check("Piskvorky 15, 0:0, 0", "`15` is not a board size such as 15x15");
    check("Piskvorky 15x-15, 0:0, 0", "`15x-15` is not a board size such as 15x15");
    check("Piskvorky 20x15, 0:0, 0", "a board of `20x15`; boards are square, of size 5 to 22");
    check("Piskvorky 4x4, 0:0, 0", "a board of `4x4`; boards are square, of size 5 to 22");
    check("Piskvorky 23x23, 0:0, 0", "a board of `23x23`; boards are square, of size 5 to 22");
    check("Piskvorky 15x15, 0, 0", "`0` is not two levels such as 0:0");
    check("Piskvorky 15x15, 0:0, 2", "`2` is not a first player, 0 or 1");
    super::check("psq", "Piskvorky 5x5,-1:0,0\n1,1\n", "5: a5");
}

#[test]
fn invalid_moves_are_reported_with_their_line() {
    let check = |line: &str, expected: &str| {
        let text = format!("Piskvorky 15x15, 0:0, 0\n1,1,0\n{line}\n2,2,0\n");
        check("psq", text, &format!("line 3: {expected}"));
    };
    check("16,1,0", "16,1 is not on the board; columns and rows are 1 to 15");
    check("1,16,0", "1,16 is not on the board; columns and rows are 1 to 15");
    check("0,1,0", "0,1 is not on the board; columns and rows are 1 to 15");
    check("1,x,0", "`1,x,0` is not a move such as 1,1,0");
    check("1,1,0,0", "`1,1,0,0` is not a move such as 1,1,0");
    check("1,-1,0", "`1,-1,0` is not a move such as 1,1,0");
    check("1,1,999999999999999999999", "`1,1,99999999999999999999…` is not a move such as 1,1,0");
    let rec = "a\nb\n0,0,0\n20,0,0\n";
    super::check("rec", rec, "line 4: 20,0 is not on the board; columns and rows are 0 to 19");
}

#[test]
fn faults_of_a_rec_file_are_reported() {
    let none = "no moves follow the two lines of names";
    check("rec", "", none);
    check("rec", "a\nb\n-1\n", none);
    check("rec", "a\nb\n0,0\nc\n", "line 4: `c` is neither a move nor an end code");
    check("rec", "a\nb\n0,0\n0\n0\n", "line 5: a line after the end code");
}

#[test]
fn games_are_written_in_piskvorks_form() {
    let mut tree = game("a15 o15");
    tree.set_used_ms(70);
    assert_eq!(
        written("psq", &tree, "freestyle-15"),
        "Piskvorky 15x15, 0:0, 0\n1,1,0\n15,1,70\n-1\n"
    );
    tree.names = vec![None, Some("1,2".into())];
    tree.result = Some(crate::formats::RecordedResult {
        winner: None,
        cause: crate::formats::ResultCause::Unspecified,
    });
    assert_eq!(
        written("psq", &tree, "freestyle-15"),
        "Piskvorky 15x15, 0:0, 0\n1,1,0\n15,1,70\nhomo-1\n_1,2\n0\n"
    );
    assert_eq!(written("rec", &tree, "freestyle-15"), "homo-1\n_1,2\n0,0,0\n14,0,70\n0\n");
}
