//! `sandboard convert` by the real binary: each format to each other, omitted features, refusals.
//! The examples of `docs/formats.md` run here.

mod reversi;
mod xiangqi;

use std::path::PathBuf;

use sandboard_bout::record::{Record, load};
use sandboard_games::Games;
use sandboard_tests::root;
use serde_json::Value;

use crate::cli::{CommandOutput, TestHome};

/// A bout in Piskvork's format: black wins with the ninth stone.
const WON: &str = "Piskvorky 15x15, 0:0, 0\n8,8,0\n8,7,1200\n9,8,70\n9,7,0\n10,8,0\n10,7,0\n\
                   11,8,0\n11,7,0\n12,8,5\npela.exe\nyixin.zip\n0\n";
const WON_MOVES: &str = "h8 h9 i8 i9 j8 j9 k8 k9 l8";
/// A RenLib file: h8, then i8 j8 or h7, with texts.
const LIBRARY: &[u8] = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\
      \0\0\x78\x08best\0\0\x79\x80\x7a\x40\x88\x49\0\x01note\0\0W1\0\0";

fn home(files: &[(&str, &[u8])]) -> TestHome {
    let home = TestHome::without_engines();
    for (name, bytes) in files {
        std::fs::write(home.file(name), bytes).unwrap();
    }
    home
}

fn convert(home: &TestHome, words: &str, input: &str) -> CommandOutput {
    let words: Vec<&str> = words.split(' ').collect();
    home.run(&[&["convert"], words.as_slice()].concat(), input)
}

/// The conversion exits with `code`; `out` and `err` are parts of its output.
#[track_caller]
fn check(home: &TestHome, words: &str, code: i32, out: &str, err: &str) {
    let ended = convert(home, words, "");
    assert_eq!(ended.code, Some(code), "{words}: {}\n{}", ended.out, ended.err);
    assert!(ended.out.contains(out), "{words}: no {out:?} in\n{}", ended.out);
    assert!(ended.err.contains(err), "{words}: no {err:?} in\n{}", ended.err);
    if err.is_empty() {
        assert_eq!(ended.err, "", "{words}");
    }
}

fn read(home: &TestHome, name: &str) -> String {
    std::fs::read_to_string(home.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn record(path: PathBuf) -> Record {
    load(&path, &Games::default()).expect("a sound record")
}

/// The moves of a record, which every format preserves.
fn moves(record: &Record) -> String {
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    moves.join(" ")
}

#[test]
fn a_game_survives_conversion_through_every_format() {
    let home = home(&[("won.psq", WON.as_bytes())]);
    check(&home, "won.psq won.json", 0, "won.json\n", "");
    check(&home, "won.json won.sgf", 0, "won.sgf\n", "");
    // The times are comments there.
    let left = "left out: 3 comments, the result, the variant, freestyle-15";
    check(&home, "won.sgf won.rec", 0, "", left);
    let words = "won.rec won.txt --variant freestyle-15";
    check(&home, words, 0, "", "left out: 2 names, the result, the variant, freestyle-15");
    assert_eq!(read(&home, "won.txt"), format!("{WON_MOVES}\n"));
    check(&home, "won.json again.psq", 0, "again.psq", "left out: the result");
    assert_eq!(read(&home, "again.psq"), WON);
    assert!(read(&home, "won.sgf").contains("PB[pela.exe]PW[yixin.zip]RE[B+]"));

    let record = record(home.file("won.json"));
    assert_eq!(moves(&record), WON_MOVES);
    let result = record.result.as_ref().expect("it is finished");
    assert_eq!(result.sentence, "pela.exe (black) wins: five in a row");
    let spent: Vec<u64> = record.plies.iter().map(|ply| ply.spent.wall_us).collect();
    assert_eq!(spent, [0, 1_200_000, 70_000, 0, 0, 0, 0, 0, 5_000]);
}

#[test]
fn other_commands_accept_a_converted_record() {
    let home = home(&[("won.psq", WON.as_bytes()), ("begun.txt", b"h8 h9 i8\n")]);
    check(&home, "won.psq won.json", 0, "won.json", "");
    check(&home, "begun.txt begun.json", 0, "begun.json", "");
    let seats = ["--seat", "human", "--seat", "human"];
    let from = |from: &str, input: &str| {
        let words =
            [&["play", "--json", "--record", "next.json", "--from", from], &seats[..]].concat();
        let line: Value = serde_json::from_str(&home.succeed(&words, input)).expect("it is JSON");
        let next = record(home.file("next.json"));
        assert_eq!(line["plies"], next.plies.len());
        let earlier: Vec<&str> = next.opening.iter().map(|mv| mv.r#move.as_str()).collect();
        (earlier.join(" "), next)
    };
    let (earlier, next) = from("won.json@8", "l8\n");
    assert_eq!(earlier.split(' ').count(), 8, "{earlier}");
    assert_eq!(next.result.expect("it is over").winner, Some(0));
    let (earlier, next) = from("begun.json", "i9\n");
    assert_eq!((earlier.as_str(), moves(&next).as_str()), ("h8 h9 i8", "i9"));
    // An unfinished record can be resumed.
    let resumed = home.run(&["play", "--json", "--resume", "begun.json"], "i9\n");
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert_eq!(moves(&record(home.file("begun.json"))), "h8 h9 i8 i9");
    // A record of people has no engine to replay.
    let replayed = home.run(&["replay", "won.json", "--ply", "1"], "");
    assert_eq!(replayed.code, Some(2));
    assert!(replayed.err.contains("the record has no engine"), "{}", replayed.err);
}

#[test]
fn variations_are_kept_if_the_format_stores_them() {
    let home = home(&[("a.lib", LIBRARY)]);
    check(&home, "a.lib a.sgf", 0, "a.sgf", "");
    let sgf = read(&home, "a.sgf");
    let moves = ";B[hh]C[best]\n(;W[ih];B[jh])\n(;W[hi]LB[hi:W1]C[note]))\n";
    assert!(sgf.ends_with(moves), "{sgf}");
    let other = "a.lib: left out: 1 other line (--line N chooses another, up to 2)";
    check(&home, "a.lib a.txt", 0, "a.txt", other);
    assert_eq!(read(&home, "a.txt"), "h8 i8 j8\n");
    check(&home, "a.lib b.txt --line 2", 0, "b.txt", "left out: 2 comments, 1 label");
    assert_eq!(read(&home, "b.txt"), "h8 h7\n");
    check(&home, "a.sgf b.sgf --line 2", 0, "b.sgf", "left out: 1 other line");
    assert!(read(&home, "b.sgf").ends_with(";B[hh]C[best];W[hi]LB[hi:W1]C[note])\n"));
    check(&home, "a.lib c.txt --line 3", 2, "", "a.lib has 2 lines: use --line 1 to 2");
    check(&home, "a.sgf a.lib --force", 2, "", "format renlib can only be read");
    assert_eq!(std::fs::read(home.file("a.lib")).unwrap(), LIBRARY);
}

#[test]
fn several_games_become_one_file_or_one_each() {
    let home = home(&[("two.txt", b"h8 i9\n\na1 b2 c3\n")]);
    check(&home, "two.txt two.sgf", 0, "two.sgf", "");
    assert_eq!(read(&home, "two.sgf").matches("(;FF[4]").count(), 2);
    check(&home, "two.sgf back.txt", 0, "back.txt", "two.sgf: game 2: left out: the variant");
    assert_eq!(read(&home, "back.txt"), "h8 i9\na1 b2 c3\n");
    let choice = "two.txt has 2 games, but a file in the format psq stores only one: choose one with \
                  --pick N, or put %d into the name of OUT, such as game-%d.psq";
    check(&home, "two.txt two.psq", 2, "", choice);
    assert!(!home.file("two.psq").exists());
    check(&home, "two.txt two-%d.psq", 0, "two-1.psq\ntwo-2.psq\n", "");
    assert!(read(&home, "two-2.psq").contains("1,15,0\n2,14,0\n3,13,0\n"));
    // If one of the files exists, none is written.
    std::fs::remove_file(home.file("two-1.psq")).unwrap();
    check(&home, "two.txt two-%d.psq", 2, "", "two-2.psq exists");
    assert!(!home.file("two-1.psq").exists());
    check(&home, "two.txt second.json --pick 2", 0, "second.json", "");
    assert_eq!(moves(&record(home.file("second.json"))), "a1 b2 c3");
    check(&home, "two.txt third.json --pick 3", 2, "", "two.txt has 2 games, not 3");
}

#[test]
fn errors_name_file_and_location() {
    let cut = &LIBRARY[..24];
    let files: &[(&str, &[u8])] = &[
        ("bad.psq", b"Piskvorky 15x15, 0:0, 0\n8,8,0\n8,x,0\n"),
        ("twice.psq", b"Piskvorky 15x15, 0:0, 0\n8,8,0\n8,7,0\n8,8,0\n"),
        ("twice.txt", b"h8 h9\nh8 h9 h8 i8\n"),
        ("twice.sgf", b"(;SZ[15];B[hh]\n;W[ih](;B[jj])\n(;B[hh]))"),
        ("cut.lib", cut),
        ("pass.lib", &[&LIBRARY[..20], b"\x78\0\0\0\x01\x40"].concat()),
        ("bad.json", b"{\"format\": \"other\"}"),
        ("start.sgf", b"(;SZ[5]AB[aa]AW[bb];B[cc])"),
    ];
    let home = home(files);
    let fails = |words: &str, err: &str| {
        check(&home, words, 1, "", err);
        assert!(!home.file("out.json").exists() && !home.file("out.psq").exists());
    };
    fails("bad.psq out.json", "error: bad.psq: line 3: `8,x,0` is not a move such as 1,1,0");
    let stone = "`h8` is refused: a black stone is on h8";
    fails("twice.psq out.json", &format!("error: twice.psq: line 4: move 3: {stone}"));
    fails("twice.txt out.json --pick 2", &format!("twice.txt: game 2: line 2: move 3: {stone}"));
    fails("twice.sgf out.sgf", &format!("error: twice.sgf: line 3: move 3: {stone}"));
    fails("cut.lib out.sgf", "error: cut.lib: byte 24: the file ends before the end of a comment");
    fails("pass.lib out.json", "error: pass.lib: byte 22: move 2: `pass` is refused");
    fails("bad.json out.psq", "error: bad.json: `format` is not \"sandboard-record\"");
    fails("missing.psq out.json", "error: cannot read missing.psq: ");
    let start = "start.sgf cannot be written: psq cannot store a start position";
    fails("start.sgf out.psq", start);
    // Lines that are not converted may be illegal, and illegal moves can be skipped.
    check(&home, "twice.sgf first.txt --line 1", 0, "first.txt", "1 other line");
    let skipped = "left out: 1 illegal move, and all moves after them";
    check(&home, "twice.txt skipped.txt --skip-illegal", 0, "skipped.txt", skipped);
    assert_eq!(read(&home, "skipped.txt"), "h8 h9\nh8 h9\n");
}

#[test]
fn usage_errors_are_explained() {
    let home = home(&[("won.psq", WON.as_bytes()), ("there.sgf", b"mine")]);
    let fails = |words: &str, err: &str| check(&home, words, 2, "", err);
    fails("won.psq there.sgf", "error: there.sgf exists: use --force to replace it");
    assert_eq!(read(&home, "there.sgf"), "mine");
    let names = "record, psq, rec, sgf, renlib, moves";
    fails(
        "won.psq out.psqq",
        "unknown format `psqq` of gomoku; did you mean `psq`? values of --to: ",
    );
    fails("won.psq out", &format!("`out` has no extension; set its format with --to: {names}"));
    fails("won.psq -", &format!("`-` has no extension; set its format with --to: {names}"));
    fails(
        "won.psq out.sgf --from chess",
        &format!("unknown format `chess`; values of --from: {names}"),
    );
    fails("won.psq out.sgf --game shogi", "unknown game `shogi`");
    fails("won.psq out.sgf --variant draughts", "gomoku has no variant `draughts`");
    fails("won.psq - --to sgf --json", "--json and OUT `-` both print to standard output");
    let size = "the board of the file has size 15, but standard-19 was requested";
    check(&home, "won.psq out.sgf --variant standard-19", 1, "", size);
    check(&home, "won.psq there.sgf --force --variant standard", 0, "there.sgf", "");
    assert!(read(&home, "there.sgf").contains("RU[standard]"));
}

#[test]
fn pipes_and_json_output() {
    let home = home(&[("won.psq", WON.as_bytes())]);
    let piped = convert(&home, "- - --from moves --to psq --variant freestyle-5", "a5 b4\n");
    assert_eq!((piped.code, piped.err.as_str()), (Some(0), ""), "{}", piped.err);
    assert_eq!(piped.out, "Piskvorky 5x5, 0:0, 0\n1,1,0\n2,2,0\n-1\n");
    let wrong = convert(&home, "- - --from moves --to psq", "h8 h8\n");
    assert_eq!((wrong.code, wrong.out.as_str()), (Some(1), ""));
    assert!(wrong.err.contains("standard input: line 1: move 2: `h8` is refused"), "{}", wrong.err);

    let report = convert(&home, "won.psq won.txt --json", "");
    let report: Value = serde_json::from_str(&report.out).expect("it is JSON");
    assert_eq!(
        (&report["from"], &report["to"], &report["game"]),
        (&"psq".into(), &"moves".into(), &"gomoku".into())
    );
    assert_eq!(report["written"], serde_json::json!(["won.txt"]));
    let game = &report["games"][0];
    assert_eq!(
        (&game["moves"], &game["lines"], &game["variant"]),
        (&9.into(), &1.into(), &"freestyle-15".into())
    );
    let note = "left out: 3 measured times, 2 names, the result, the variant, freestyle-15";
    assert_eq!(game["notes"], serde_json::json!([note]));
}

#[test]
fn the_table_in_the_docs_matches_the_formats() {
    let docs = std::fs::read_to_string(root().join("docs/formats.md")).unwrap();
    for info in sandboard_games::GAMES {
        for format in info.formats {
            let row = format!("| `{}` |", format.id);
            let row = docs.lines().find(|line| line.starts_with(&row));
            let row = row.unwrap_or_else(|| panic!("no row for {} of {}", format.id, info.id));
            for (word, stored) in format.features.fields() {
                assert_eq!(row.contains(word), stored, "{word}: {row}");
            }
            for extension in format.extensions {
                assert!(row.contains(&format!("`.{extension}`")), "{extension}: {row}");
            }
            let (read, write) = (format.read.is_some(), format.write.is_some());
            assert_eq!((row.contains("read"), row.contains("written")), (read, write), "{row}");
        }
    }
}

#[test]
fn the_examples_in_the_docs_work() {
    let docs = std::fs::read_to_string(root().join("docs/formats.md")).unwrap();
    let lines = docs.lines().map(|line| line.split("  #").next().unwrap_or_default().trim());
    let examples: Vec<&str> =
        lines.filter_map(|line| line.strip_prefix("sandboard convert ")).collect();
    assert!(examples.len() > 4, "{examples:?}");
    let database = std::fs::read(root().join("tests/fixtures/fuzz/formats/wthor")).unwrap();
    let files: &[(&str, &[u8])] = &[
        ("game.psq", WON.as_bytes()),
        ("openings.lib", LIBRARY),
        ("games.txt", b"h8 i9\na1 b2\n"),
        ("games.wtb", &database),
    ];
    let home = home(files);
    for example in examples {
        let ended = convert(&home, &example.replace('\'', ""), "");
        assert_eq!(ended.code, Some(0), "{example}: {}", ended.err);
    }
}
