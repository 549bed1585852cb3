//! XQF: header, pieces, moves and comments, built byte by byte.

use super::{moves, read};
use crate::formats::{GameTree, RecordedResult, ResultCause, preserved_bytes};
use crate::rules::Side;

/// The points of the pieces at the start of a game, in header order.
const START: [u8; 32] = [
    0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83, //
    9, 19, 29, 39, 49, 59, 69, 79, 89, 17, 77, 6, 26, 46, 66, 86,
];

/// A file with these pieces, and moves as points, flags and comments.
fn file(pieces: [u8; 32], moves: &[(u8, u8, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 0x400];
    bytes[..3].copy_from_slice(b"XQ\x0a");
    bytes[0x10..0x30].copy_from_slice(&pieces);
    let root: (u8, u8, u8, &[u8]) = (0, 0, 0xf0, b"");
    for (from, to, flags, comment) in std::iter::once(&root).chain(moves) {
        bytes.extend([from + 24, to + 32, *flags, 0xff]);
        bytes.extend((comment.len() as u32).to_le_bytes());
        bytes.extend(*comment);
    }
    bytes
}

fn text(header: &mut [u8], at: usize, text: &[u8]) {
    header[at] = text.len() as u8;
    header[at + 1..at + 1 + text.len()].copy_from_slice(text);
}

fn one(bytes: &[u8]) -> GameTree {
    read("xqf", bytes).unwrap_or_else(|error| panic!("{error}")).remove(0)
}

#[track_caller]
fn check_wrong(bytes: &[u8], expected: &str) {
    let found = read("xqf", bytes).map(|games| moves(&games[0]));
    assert_eq!(found.map_err(|error| error.to_string()), Err(expected.to_owned()));
}

#[test]
fn a_game_is_read_with_its_texts() {
    // 炮 in GBK; its second byte is not ASCII.
    let cannon: &[u8] = b"\xc5\xda";
    let mut bytes = file(START, &[(72, 42, 0xf0, cannon), (79, 67, 0, b"a\r\nb")]);
    bytes[0x33] = 2;
    text(&mut bytes, 0x130, b"\xcd\xf5");
    text(&mut bytes, 0x50, b"Final");
    let tree = one(&bytes);
    assert_eq!(moves(&tree), "1 h2e2, 2 h9g7");
    assert_eq!(tree.start, None);
    assert_eq!(
        tree.result,
        Some(RecordedResult { winner: Some(Side(1)), cause: ResultCause::Unspecified })
    );
    assert_eq!(tree.comment.as_deref(), Some("Final"));
    let red = tree.names[0].as_deref().and_then(preserved_bytes);
    assert_eq!((red, &tree.names[1]), (Some(b"\xcd\xf5".to_vec()), &None));
    let comments = |index| tree.node(index).and_then(|node| node.comment);
    assert_eq!(comments(0).and_then(preserved_bytes), Some(cannon.to_vec()));
    assert_eq!(comments(1), Some("a\nb"));
}

#[test]
fn map_texts_replaces_names_and_comments() {
    let mut tree = one(&file(START, &[(72, 42, 0xf0, b"\xc5\xda"), (79, 67, 0, b"b")]));
    tree.names[0] = Some("x".to_owned());
    tree.map_texts(|text| format!("<{}>", preserved_bytes(text).map_or(0, |bytes| bytes.len())))
        .expect("room");
    let comments: Vec<_> = tree.nodes().filter_map(|node| node.comment).collect();
    assert_eq!(comments, ["<2>", "<1>"]);
    assert_eq!(tree.names[0].as_deref(), Some("<1>"));
}

#[test]
fn variations_come_after_the_continuation_of_the_move_they_replace() {
    let bytes = file(
        START,
        &[
            (72, 42, 0xff, b""), // 1 h2e2, another first move is to come
            (79, 67, 0x0f, b""), // 2 h9g7, another answer is to come
            (19, 27, 0xf0, b""), // 2 b9c7
            (70, 62, 0x00, b""), // 3 h0g2
            (12, 42, 0x00, b""), // 1 b2e2
        ],
    );
    assert_eq!(moves(&one(&bytes)), "1 h2e2, 2 h9g7, 2 b9c7, 3 h0g2, 1 b2e2");
}

#[test]
fn start_positions_are_kept_and_the_first_move_sets_the_turn() {
    let mut pieces = [0xff; 32];
    // Red's king and a rook, black's king.
    (pieces[4], pieces[0], pieces[20]) = (30, 0, 49);
    let start = |bytes: &[u8]| one(bytes).start;
    let red = "4k4/9/9/9/9/9/9/9/9/R2K5 w - - 0 1";
    assert_eq!(start(&file(pieces, &[(0, 9, 0, b"")])).as_deref(), Some(red));
    let black = "4k4/9/9/9/9/9/9/9/9/R2K5 b - - 0 1";
    assert_eq!(start(&file(pieces, &[(49, 48, 0, b"")])).as_deref(), Some(black));
    // Without a move the header decides.
    let mut none = file(pieces, &[]);
    assert_eq!(start(&none).as_deref(), Some(red));
    none[0x32] = 1;
    assert_eq!(start(&none).as_deref(), Some(black));
}

#[test]
fn faults_are_reported_with_their_byte() {
    let whole = file(START, &[(72, 42, 0, b"abc")]);
    check_wrong(b"", "byte 0: not an XQStudio file: it does not start with XQ");
    check_wrong(&whole[..100], "byte 100: the file ends inside its 1024-byte header");
    check_wrong(&whole[..1030], "byte 1030: the file ends inside an 8-byte move");
    check_wrong(&whole[..1042], "byte 1036: a comment of 3 bytes is longer than the file");
    let follows = file(START, &[(72, 42, 0xf0, b"")]);
    check_wrong(&follows, "byte 1040: the file ends inside an 8-byte move");
    check_wrong(&file(START, &[(95, 42, 0, b"")]), "byte 1032: 0x774a is not a move");
    let mut twice = START;
    twice[1] = 0;
    check_wrong(&file(twice, &[]), "byte 17: two pieces are on a0");
    let mut later = whole;
    later[2] = 18;
    check_wrong(
        &later,
        "byte 2: version 1.8 is scrambled; the newest supported version is 1.0: save the file \
         as 1.0 or as PGN",
    );
}
