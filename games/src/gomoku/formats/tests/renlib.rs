//! RenLib libraries byte by byte: nodes, their texts, and corrupt files.

use super::{check, read};

const HEADER: &[u8] = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";

fn library(nodes: &[u8]) -> Vec<u8> {
    [HEADER, nodes].concat()
}

#[track_caller]
fn check_nodes(nodes: &[u8], expected: &str) {
    check("renlib", library(nodes), expected);
}

#[test]
fn points_are_half_bytes_and_counted_from_the_top() {
    // The low half is the column from 1, the high half the row from 0, as in RenLib's `PosToPoint`.
    // 0x78 is the centre.
    check_nodes(b"\x78\0\x01\0\x0f\0\xe1\0\xef\x40", "15: h8 a15 o15 a1 o1");
    check_nodes(b"\x70\x40", "byte 20: 0x70 is not a point of a board of 15");
    check_nodes(b"\xf8\x40", "byte 20: 0xf8 is not a point of a board of 15");
}

#[test]
fn children_follow_and_siblings_come_later() {
    // h8; its children a15 (with child b15) and o1.
    check_nodes(b"\x78\0\x01\x80\x02\x40\xef\x40", "15: h8 a15 b15 2.o1");
    check_nodes(b"\x78\x80\x01\x40\x79\x40", "15: h8 a15 1.i8");
    check_nodes(b"\x78\xc0\x79\xc0\x7a\x40", "15: h8 1.i8 1.j8");
    // Three siblings, the middle one with a child.
    check_nodes(b"\x78\0\x01\xc0\x02\x80\x03\x40\x04\x40", "15: h8 a15 2.b15 c15 2.d15");
}

#[test]
fn a_root_without_a_move_is_skipped() {
    check_nodes(b"\0\0\x78\x40", "15: h8");
    check_nodes(b"\0\x02\x78\x80\x01\x40\x79\x40", "15: h8 a15 1.i8");
    check_nodes(b"\0\x08hi\0\0\x78\x40", "15: \"hi\" h8");
    check_nodes(b"\0\x40", "15:");
    // In other nodes it is a pass.
    check_nodes(b"\x78\0\0\0\x01\x40", "15: h8 pass a15");
    // Files of early versions have no header.
    check("renlib", b"\x78\0\x01\x40", "15: h8 a15");
}

#[test]
fn texts_are_padded_to_pairs() {
    check_nodes(b"\x78\x48ab\0\0", "15: h8\"ab\"");
    check_nodes(b"\x78\x48abc\0", "15: h8\"abc\"");
    check_nodes(b"\x78\x48\0\0", "15: h8");
    // The second byte of a last pair is ignored.
    check_nodes(b"\x78\x48\0x", "15: h8");
    // The first line, a separator, then the other lines.
    check_nodes(b"\x78\x48a\x08b\r\nc\0\0", "15: h8\"a\\nb\\nc\"");
    check_nodes(b"\x78\x48\x08ab\0", "15: h8\"ab\"");
    // A board text follows the comment.
    check_nodes(b"\x78\x49\x00\x01a\0W1\0\0", "15: h8=W1\"a\"");
    check_nodes(b"\x78\x41\x00\x01W\0", "15: h8=W");
    check_nodes(b"\x78\x41\x01\x00", "15: h8");
    // Early comments: seven bits per byte; the last pair is marked.
    check_nodes(b"\x78\x60a\xe2", "15: h8\"ab\"");
    check_nodes(b"\x78\x60abc\x80", "15: h8\"abc\"");
    check_nodes(b"\x78\x48\xe9x\0\0", "15: h8\"\u{e9}x\"");
    check_nodes(b"\x78\x48\xc3\xa9\0\0", "15: h8\"\u{e9}\"");
}

#[test]
fn other_flags_are_ignored() {
    // The flags for no move, start and mark.
    check_nodes(b"\x78\x02\x01\x04\x02\x50", "15: h8 a15 b15");
}

#[test]
fn faults_are_reported_with_their_byte() {
    let mark = "byte 0: not a RenLib library: its signature is missing";
    check("renlib", b"", mark);
    check("renlib", b"\xffRenLip\xff", mark);
    let header = "the file ends inside its 20-byte header";
    check("renlib", &HEADER[..8], &format!("byte 8: {header}"));
    check("renlib", &HEADER[..19], &format!("byte 19: {header}"));
    let newer = b"\xffRenLib\xff\x03\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x78\x40";
    check("renlib", newer, "byte 8: version 3.5 is not supported; the newest is 3.4");
    check_nodes(b"", "byte 20: the file ends before a first node");
    check_nodes(b"\x78", "byte 21: the file ends before a first node");
    check_nodes(b"\x78\0", "byte 22: the file ends before another node");
    check_nodes(b"\x78\xc0", "byte 22: the file ends before another node");
    check_nodes(b"\x78\x41\0", "byte 23: the file ends before the extension of a node");
    check_nodes(b"\x78\x48ab", "byte 24: the file ends before the end of a comment");
    check_nodes(b"\x78\x60ab", "byte 24: the file ends before the end of a comment");
    let board = "byte 26: the file ends before the end of a board text";
    check_nodes(b"\x78\x41\0\x01ab", board);
    check_nodes(b"\x78\x40\x01\x40", "byte 22: 2 bytes follow the end of the tree");
}

#[test]
fn depth_is_limited_and_needs_no_stack() {
    let line = |nodes: usize| [HEADER, &b"\x78\x80".repeat(nodes)].concat();
    let end = "the file ends before another node";
    check("renlib", line(65_535), &format!("byte {}: {end}", 20 + 2 * 65_535));
    let full = "the game has too many moves or too many different moves";
    check("renlib", line(1_000_000), &format!("byte {}: {full}", 20 + 2 * 65_535));
}

#[test]
fn a_million_siblings_can_be_read() {
    let nodes = [b"\x78\xc0".repeat(1_000_000), b"\x78\x40".to_vec()].concat();
    let games = read("renlib", &library(&nodes), "").unwrap();
    assert_eq!((games[0].len(), games[0].lines()), (1_000_001, 1_000_001));
}
