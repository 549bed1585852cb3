//! Conversions of xiangqi by the real binary: three move notations, GBK encoding, XQStudio files.

use super::{check, home, moves, read, record};

const GAME: &str = "[Game \"Chinese Chess\"]\n[Red \"王\"]\n[Black \"李\"]\n[Result \"0-1\"]\n\n\
    1. 炮二平五 {中} 马８进７ (1... 马２进３) 2. 马二进三 车９平８ 0-1\n";

/// Encodes the text above in GBK: each of its characters as two bytes.
fn gbk(text: &str) -> Vec<u8> {
    let table: &[(char, &[u8])] = &[
        ('王', b"\xcd\xf5"),
        ('李', b"\xc0\xee"),
        ('炮', b"\xc5\xda"),
        ('二', b"\xb6\xfe"),
        ('平', b"\xc6\xbd"),
        ('五', b"\xce\xe5"),
        ('中', b"\xd6\xd0"),
        ('马', b"\xc2\xed"),
        ('８', b"\xa3\xb8"),
        ('进', b"\xbd\xf8"),
        ('７', b"\xa3\xb7"),
        ('２', b"\xa3\xb2"),
        ('３', b"\xa3\xb3"),
        ('三', b"\xc8\xfd"),
        ('车', b"\xb3\xb5"),
        ('９', b"\xa3\xb9"),
    ];
    let mut bytes = Vec::new();
    for character in text.chars() {
        match table.iter().find(|(known, _)| *known == character) {
            Some((_, pair)) => bytes.extend(*pair),
            None => bytes.push(u8::try_from(character).expect("a plain character")),
        }
    }
    bytes
}

#[test]
fn a_game_survives_conversion_through_every_notation() {
    let old = gbk(GAME);
    let home = home(&[("new.pgn", GAME.as_bytes()), ("old.pgn", &old)]);
    check(&home, "new.pgn a.wxf --game xiangqi", 0, "a.wxf\n", "");
    check(&home, "a.wxf a.iccs", 0, "a.iccs\n", "");
    check(&home, "a.iccs a.pgn", 0, "a.pgn\n", "");
    check(&home, "old.pgn old.wxf --game xiangqi", 0, "old.wxf\n", "");
    assert_eq!(read(&home, "old.wxf"), read(&home, "a.wxf"));
    let again = read(&home, "a.pgn");
    assert!(again.contains("[Red \"王\"]") && again.contains("[Format \"Chinese\"]"), "{again}");
    let body = "1. 炮二平五 {中}\n1... 马８进７\n(1... 马２进３)\n2. 马二进三 车９平８\n0-1\n";
    assert!(again.contains(body), "{again}");
    let wxf = "1. C2=5 {中}\n1... H8+7\n(1... H2+3)\n2. H2+3 R9=8\n0-1\n";
    assert!(read(&home, "a.wxf").contains(wxf), "{}", read(&home, "a.wxf"));
    check(&home, "a.wxf a.json", 0, "a.json\n", "left out: 1 comment");
    let from_file = record(home.file("a.json"));
    assert_eq!(moves(&from_file), "h2e2 h9g7 h0g2 i9h9");
    check(&home, "a.json a.fen", 0, "a.fen\n", "left out: 2 names");
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    assert_eq!(read(&home, "a.fen"), format!("{start} moves h2e2 h9g7 h0g2 i9h9\n"));
}

/// An XQStudio file with two moves and 炮 as the comment of the first.
fn xqf() -> Vec<u8> {
    let mut bytes = vec![0; 0x400];
    bytes[..3].copy_from_slice(b"XQ\x0a");
    let pieces: [u8; 32] = [
        0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83, //
        9, 19, 29, 39, 49, 59, 69, 79, 89, 17, 77, 6, 26, 46, 66, 86,
    ];
    bytes[0x10..0x30].copy_from_slice(&pieces);
    bytes[0x130..0x133].copy_from_slice(b"\x02\xcd\xf5");
    bytes.extend([0x18, 0x20, 0xf0, 0xff, 0, 0, 0, 0]);
    bytes.extend([72 + 24, 42 + 32, 0xf0, 0, 2, 0, 0, 0, 0xc5, 0xda]);
    bytes.extend([79 + 24, 67 + 32, 0x00, 0, 0, 0, 0, 0]);
    bytes
}

#[test]
fn xqstudio_files_are_read_with_their_texts() {
    let whole = xqf();
    let mut later = whole.clone();
    later[2] = 18;
    let home = home(&[("a.xqf", &whole), ("later.xqf", &later), ("cut.xqf", &whole[..1041])]);
    check(&home, "a.xqf a.pgn", 0, "a.pgn\n", "");
    let text = read(&home, "a.pgn");
    assert!(text.contains("[Red \"王\"]\n") && text.contains("1. 炮二平五 {炮}\n"), "{text}");
    check(&home, "later.xqf b.pgn", 1, "", "later.xqf: byte 2: version 1.8 is scrambled");
    check(&home, "cut.xqf b.pgn", 1, "", "cut.xqf: byte 1036: a comment of 2 bytes is longer");
    check(&home, "a.pgn b.xqf --game xiangqi", 2, "", "format xqf can only be read");
}

#[test]
fn errors_name_file_and_location() {
    let home = home(&[
        ("illegal.pgn", "\n1. 炮二平五 马８进７\n2. 马二进五 *\n".as_bytes()),
        ("two.pgn", "3. C+=4".as_bytes()),
        ("bytes.pgn", b"1. C2=5 \xff\xff"),
        ("kings.fen", b"4k4/9/9/9/9/9/9/9/9/4K4 w\n"),
    ]);
    let none = "illegal.pgn: line 3: move 3: `马二进五` is refused: no legal move has this name";
    check(&home, "illegal.pgn a.fen --game xiangqi", 1, "", none);
    check(&home, "two.pgn a.fen --game xiangqi", 1, "", "no legal move has this name");
    let bytes = "bytes.pgn: byte 8: the text is neither UTF-8 nor GB 18030";
    check(&home, "bytes.pgn a.fen --game xiangqi", 1, "", bytes);
    check(
        &home,
        "kings.fen a.pgn --game xiangqi",
        1,
        "",
        "the kings face each other with nothing between",
    );
}
