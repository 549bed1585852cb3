//! Conversions of reversi by the real binary: passes are added and omitted, scores and times are
//! kept, one database file stores many games.

use super::{check, home, moves, read, record};

/// A whole game whose two passes are omitted; black wins by 10.
const PASSES: &str = "f5d6c4f4f3b3d7g5e6e3g4e7f7c3d3h4c5f6g3b5c6d2d1c2e2c7a3a4c1a2h3f1g6h2b6f2d8a7e1\
                      b1b4h5a5a6h6h7g2c8b8e8f8g7b2a1b7g1h1h8g8";
const SHORTEST: &str = "e6f4e3f6g5d6e7f5c5";

#[test]
fn a_game_survives_conversion_through_every_format() {
    let home = home(&[("a.transcript", format!("{PASSES}\n").as_bytes())]);
    check(&home, "a.transcript a.json", 0, "a.json\n", "");
    let from_file = record(home.file("a.json"));
    assert!(moves(&from_file).ends_with("g1 h1 pass h8 pass g8"), "{}", moves(&from_file));
    let result = from_file.result.as_ref().expect("it is finished");
    assert_eq!(result.sentence, "black (black) wins: neither side can move");
    check(&home, "a.json a.ggf", 0, "a.ggf\n", "");
    let ggf = read(&home, "a.ggf");
    assert!(ggf.contains("RE[+10.00]") && ggf.ends_with("B[H1]W[PA]B[H8]W[PA]\nB[G8];)\n"));
    check(&home, "a.ggf a.wtb", 0, "a.wtb\n", "a.ggf: left out: 2 names");
    check(&home, "a.wtb b.json", 0, "b.json\n", "left out: 1 comment");
    assert_eq!(moves(&record(home.file("b.json"))), moves(&from_file));
    let left_out = "left out: 1 comment, 2 names, the result, the variant, standard-8";
    check(&home, "a.wtb b.transcript", 0, "b.transcript\n", left_out);
    assert_eq!(read(&home, "b.transcript"), format!("{PASSES}\n"));
}

#[test]
fn a_database_file_stores_many_games() {
    let games = format!("{PASSES}\n{SHORTEST}\n");
    let home = home(&[("two.transcript", games.as_bytes())]);
    check(&home, "two.transcript two.wtb", 0, "two.wtb\n", "");
    let bytes = std::fs::read(home.file("two.wtb")).unwrap();
    assert_eq!((bytes.len(), &bytes[4..8]), (16 + 2 * 68, &[2, 0, 0, 0][..]));
    check(&home, "two.wtb two.ggf", 0, "two.ggf\n", "two.wtb: game 2: left out: 1 comment");
    assert_eq!(read(&home, "two.ggf").matches("(;GM[Othello]").count(), 2);
    check(&home, "two.ggf again.wtb", 0, "again.wtb\n", "left out: 2 names");
    assert_eq!(std::fs::read(home.file("again.wtb")).unwrap(), bytes);
}

#[test]
fn other_board_sizes_and_start_positions() {
    let files: &[(&str, &[u8])] = &[
        ("small.transcript", b"a2c1d4a3b1d3b4a1d2c4a4\n"),
        ("stuck.ggf", b"(;TY[4]BO[4 *O-- ---- ---- ---O O]B[C1//0.250];)\n"),
        ("scores.obf", b"-----OX--XO----- X; B1:+3; A2:-1\n"),
    ];
    let home = home(files);
    let words = "small.transcript small.json --variant standard-4";
    check(&home, words, 0, "small.json", "");
    let small = record(home.file("small.json"));
    assert!(moves(&small).ends_with("c4 pass a4"), "{}", moves(&small));
    assert_eq!(small.result.expect("it is finished").winner, Some(1));
    check(&home, "small.json small.wtb", 1, "", "wthor can only store boards of 8");

    check(&home, "stuck.ggf stuck.json", 0, "stuck.json", "");
    let stuck = record(home.file("stuck.json"));
    assert_eq!(moves(&stuck), "pass c1");
    assert_eq!(stuck.start.as_deref(), Some("XO-------------O O"));
    assert_eq!(stuck.plies[1].spent.wall_us, 250_000);
    check(&home, "stuck.json stuck.transcript", 1, "", "transcript cannot store a start position");

    check(&home, "scores.obf again.obf", 0, "again.obf", "");
    assert_eq!(read(&home, "again.obf"), "-----OX--XO----- X; B1:+3; A2:-1;\n");
    check(&home, "scores.obf line.ggf --line 2", 0, "line.ggf", "1 other line");
    assert!(read(&home, "line.ggf").contains("B[A2/-1]"));
}

#[test]
fn errors_name_file_and_location() {
    let files: &[(&str, &[u8])] = &[
        ("twice.transcript", b"# a game\nf5d6f5\n"),
        ("early.transcript", b"f5d6passc3\n"),
        ("white.ggf", b"(;GM[Othello]\nW[F5];)\n"),
        ("cut.wtb", &[20, 1, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1]),
        ("odd.obf", b"-----OX--XO---- X\n"),
        ("anti.ggf", b"(;TY[8a]B[F5];)\n"),
    ];
    let home = home(files);
    let fails = |words: &str, err: &str| check(&home, words, 1, "", err);
    let disc = "move 3: `f5` is refused: a black disc is on f5";
    fails("twice.transcript out.json", &format!("error: twice.transcript: line 2: {disc}"));
    let pass = "move 3: `pass` is refused: black can place a disc and must not pass";
    fails("early.transcript out.json", &format!("error: early.transcript: line 1: {pass}"));
    fails("white.ggf out.json", "error: white.ggf: line 2: move 1 is white's, not black's");
    fails("cut.wtb out.json", "error: cut.wtb: byte 17: the file ends inside game 1 of 1");
    fails("odd.obf out.ggf", "error: odd.obf: line 1: 15 squares and a side to move");
    let other = "anti.ggf: unknown variant `anti`: converted as standard-8";
    check(&home, "anti.ggf out.json", 0, "out.json", other);
}
