//! Test cases for WTHOR: bytes by the description of the format, and faults.

use super::{PASSES, SHORTEST, check, format, game, moves, read, row, write, written};
use crate::formats::{FormatError, RecordedResult, ResultCause};
use crate::reversi::formats::wthor;
use crate::rules::Side;

/// A file with the header date 2 March 2001 and the year 1999, then games.
fn file(depth: u8, games: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![20, 1, 3, 2, games.len() as u8, 0, 0, 0, 0, 0, 0xcf, 0x07, 8, 0, depth, 0];
    bytes.extend(games.concat());
    bytes
}

/// A game of tournament 513 between players 2 and 256.
fn record(real: u8, theoretical: u8, moves: &str) -> Vec<u8> {
    let mut bytes = vec![1, 2, 2, 0, 0, 1, real, theoretical];
    let squares = row(moves).into_bytes();
    bytes.extend(squares.chunks(2).map(|square| (square[1] - b'0') * 10 + square[0] - b'a' + 1));
    bytes.resize(68, 0);
    bytes
}

#[test]
fn games_are_read_with_their_passes_and_scores() {
    let all = PASSES.split_whitespace().collect::<Vec<_>>().join(" ");
    check(
        "wthor",
        file(22, &[record(37, 31, PASSES)]),
        &format!(
            "8: #2-#256 Some(0) Unspecified \"tournament #513: 37-27, 31-33 by perfect play of the \
             last 22 squares\" {all}"
        ),
    );
    check(
        "wthor",
        file(0, &[record(64, 64, SHORTEST), record(32, 0, "f5"), record(2, 0, "")]),
        &format!(
            "8: #2-#256 Some(0) Unspecified \"tournament #513: 64-0\" {SHORTEST} | \
             8: #2-#256 None Unspecified \"tournament #513: 32-32\" f5 | \
             8: #2-#256 Some(1) Unspecified \"tournament #513: 2-62\""
        ),
    );
    // An illegal move is kept; the rules report it later.
    let illegal = read("wthor", &file(0, &[record(32, 0, "f5f5")]), "").unwrap();
    assert_eq!(moves(&illegal[0]), "f5 f5");
    let places: Vec<String> = illegal[0].nodes().map(|node| node.location.to_string()).collect();
    assert_eq!(places, ["byte 24", "byte 25"]);
}

#[test]
fn faults_are_reported_with_their_byte() {
    let good = file(0, &[record(37, 31, PASSES), record(37, 31, PASSES)]);
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let check = |bytes: &[u8], expected: &str| check("wthor", bytes, expected);
    check(b"", "byte 0: the file ends inside its 16-byte header");
    check(&good[..15], "byte 15: the file ends inside its 16-byte header");
    check(&good[..16], "byte 16: the file ends inside game 1 of 2");
    check(&good[..151], "byte 151: the file ends inside game 2 of 2");
    check(&[&good[..], b"x"].concat(), "byte 152: 1 bytes follow the 2 games");
    check(&changed(4, 1), "byte 84: 68 bytes follow the 1 games");
    check(
        &changed(4, 0),
        "byte 4: the file has no games; player and tournament files are not supported",
    );
    check(&changed(7, 1), "byte 4: the file has 16777218 games; the limit is 100000");
    check(&changed(12, 10), "byte 12: board size 10 is not supported; only 8 is");
    check(&changed(13, 1), "byte 13: the file contains endgame problems, not games");
    check(&changed(22, 65), "byte 22: black has 65 discs of 64");
    check(&changed(91, 65), "byte 91: black has 65 discs of 64");
    check(&changed(24, 9), "byte 24: 9 is not a square: expected 10 × row + column, each 1 to 8");
    check(&changed(24, 19), "byte 24: 19 is not a square: expected 10 × row + column, each 1 to 8");
    check(&changed(24, 20), "byte 24: 20 is not a square: expected 10 × row + column, each 1 to 8");
    check(&changed(24, 91), "byte 24: 91 is not a square: expected 10 × row + column, each 1 to 8");
    check(&changed(30, 0), "byte 31: a move after the end of the moves");
    // The default size 8 may be omitted.
    assert_eq!(read("wthor", &changed(12, 0), "").map(|games| games.len()), Ok(2));
}

#[test]
fn finished_games_are_written() {
    let mut tree = game(PASSES);
    tree.names = vec![Some("#2".into()), Some("Ada".into())];
    let bytes = write("wthor", &tree, "standard").expect("it is written");
    let mut expected = vec![0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0];
    expected.extend([&[0, 0, 2, 0, 0, 0, 37, 37][..], &record(0, 0, PASSES)[8..]].concat());
    assert_eq!(bytes, expected);

    let result = |winner: Option<u8>, cause| {
        let recorded = RecordedResult { winner: winner.map(Side), cause };
        let mut tree = game("f5 d6");
        tree.result = Some(recorded);
        write("wthor", &tree, "standard").expect("it is written")[22]
    };
    assert_eq!(result(Some(0), ResultCause::Resignation), 64);
    assert_eq!(result(Some(1), ResultCause::Time), 0);
    assert_eq!(result(None, ResultCause::Unspecified), 32);
    let check = |moves: &str, variant: &str, expected: &str| {
        assert_eq!(written("wthor", &game(moves), variant), expected);
    };
    check("f5 d6", "standard", "wthor can only store finished games; this one has no result");
    check("b1", "standard-4", "wthor can only store boards of 8");
    let cut = PASSES.trim_end_matches(" g8");
    check(cut, "standard", "move 60: wthor cannot store a pass as the last move");
}

#[test]
fn files_can_be_joined() {
    let one = |moves: &str| write("wthor", &game(moves), "standard").expect("it is written");
    let (first, second) = (one(PASSES), one(SHORTEST));
    let both = format("wthor").join_files(&[&first, &second]).expect("they are joined");
    assert_eq!(both.len(), 16 + 2 * 68);
    let again = read("wthor", &both, "").expect("it is read");
    let again: Vec<String> = again.iter().map(moves).collect();
    assert_eq!(again, [moves(&game(PASSES)), moves(&game(SHORTEST))]);
    assert_eq!(wthor::join(&[&first]), Ok::<_, FormatError>(first.clone()));
    // Files of other formats are concatenated.
    assert_eq!(format("ggf").join_files(&[b"(;;)\n", b"(;;)\n"]), Ok(b"(;;)\n(;;)\n".to_vec()));
}
