//! Test cases for PBN: files of programs, and faults.

use std::slice::from_ref;

use super::{DEAL, describe};
use crate::bridge::{Board, Compass, Strain, TrickTable, Vulnerability, read_pbn, write_pbn};

#[track_caller]
fn check(text: impl AsRef<[u8]>, expected: &str) {
    let text = text.as_ref();
    assert_eq!(describe(read_pbn(text)), expected, "{}", text.escape_ascii());
}

/// A deal of two cards per hand with more tags.
fn game(tags: &str) -> String {
    format!("[Deal \"{DEAL}\"]\n{tags}\n")
}

/// Checks the description of such a game after the hands.
#[track_caller]
fn check_tags(tags: &str, expected: &str) {
    check(game(tags), format!("{DEAL} {expected}").trim());
}

#[test]
fn games_of_other_programs_are_read() {
    let text = "% PBN 2.1\r\n% EXPORT\r\n%Creator: somebody\r\n\r\n\
        [Event \"Club \\\"A\\\"\"]\r\n[Site \"\"]\r\n[Date \"2024.06.01\"]\r\n[Board \"7\"]\r\n\
        [West \"Wim\"]\r\n[North \"Nora\"]\r\n[East \"?\"]\r\n[South \"-\"]\r\n[Dealer \"S\"]\r\n\
        [Vulnerable \"All\"]\r\n\
        [Deal \"S:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432\"]\r\n\
        [Scoring \"IMP\"]\r\n[Declarer \"S\"]\r\n[Contract \"7NTX\"]\r\n[Result \"13\"]\r\n\
        [Auction \"S\"]\r\n7NT =1= Pass Pass X\r\nAP\r\n[Note \"1:to play\"]\r\n\
        [Play \"W\"]\r\nST S3 S2 SJ\r\n*\r\n";
    let hands = "N:6543.876.876.876 2.5432.5432.5432 AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9";
    check(
        text,
        &format!(
            "#7 (Club \"A\") Nora-?-?-Wim S All {hands} [7NT Pass Pass X Pass Pass Pass] 7NTX by S \
             ST S3 S2 SJ =13"
        ),
    );
    // A deal alone, from any first seat, with one missing hand.
    let described = "N:6543.876.876.876 2.5432.5432.5432 AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9";
    check("[Deal \"S:AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9 - 2.5432.5432.5432\"]", described);
    check("[Deal \"S:- T987.JT9.JT9.JT9 6543.876.876.876 2.5432.5432.5432\"]", described);
    // Bytes that are not UTF-8 are read as Latin-1.
    check(
        game("[North \"Andr\u{e9}\"]").chars().map(|c| c as u8).collect::<Vec<_>>(),
        &format!("Andr\u{e9}-?-?-? {DEAL}"),
    );
}

#[test]
fn comments_and_escape_lines_are_skipped() {
    let deal = format!("[Deal \"{DEAL}\"]");
    check(
        format!(
            "{{a comment\n\nwith [Deal \"?\"]}} {deal} ; and [another\n% [Board \"1\"]\n[Board \"2\"]"
        ),
        &format!("#2 {DEAL}"),
    );
    // An escape must be at the start of a line; elsewhere it is a word.
    check(format!("{deal} % [Board \"1\"]\n"), &format!("#1 {DEAL}"));
    check(
        format!(" {deal}[Board \"3\"][Foo \"\"] words \"[of\" it\n\n\n\n"),
        &format!("#3 {DEAL}"),
    );
    check(
        format!("{deal}\n{{no end"),
        "line 2: the comment that starts here is not closed: `}` is missing",
    );
}

#[test]
fn an_invalid_game_does_not_hide_the_others() {
    let (good, bad) = (game("[Board \"1\"]"), game("[Dealer \"X\"]"));
    let wrong = "Dealer: `X` is not one of N, E, S and W";
    check(format!("{good}\n{bad}\n{good}"), &format!("#1 {DEAL} | line 5: {wrong} | #1 {DEAL}"));
    // Each game reports its first fault.
    check(
        format!("{bad}\n[Board \"2\"]\n"),
        &format!("line 2: {wrong} | line 4: the game has no Deal"),
    );
    check("[Deal \"\"]\n", "line 1: the game has no Deal");
    check("\n\n", "line 3: the file has no game: expected tags such as [Deal \"N:…\"]");
}

#[test]
fn values_are_inherited_from_the_previous_game() {
    let first = game("[Event \"Cup\"]\n[North \"Nora\"]\n[Board \"1\"]");
    check(
        format!(
            "{first}\n[Event \"#\"]\n[North \"?\"]\n[Board \"2\"]\n[Deal \"#\"]\n\n[Event \"#\"]\n[Deal \"##\"]\n"
        ),
        &format!("#1 (Cup) Nora-?-?-? {DEAL} | #2 (Cup) {DEAL} | (Cup) {DEAL}"),
    );
    check("[Deal \"#\"]", "line 1: the game has no Deal");
}

#[test]
fn faults_of_tags_are_reported() {
    let check = |tags: &str, expected: &str| check(game(tags), expected);
    check("[Vulnerable \"Love\"]", &format!("None {DEAL}"));
    check("[Vulnerable \"?\"]", DEAL);
    check("[Vulnerable \"N\"]", "line 2: Vulnerable: `N` is not one of None, NS, EW and All");
    check("[Board \"A3\"]", DEAL);
    check("[Declarer \"^S\"]", &format!("{DEAL} by S"));
    check("[Contract \"8S\"]", "line 2: Contract: `8S` is not a contract such as 4S, 3NTX or Pass");
    check("[Denomination \"X\"]", "line 2: Denomination: `X` is not one of S, H, D, C and NT");
    check("[Result \"NS 9\"]", &format!("{DEAL} =9"));
    check("[Result \"^9\"]", &format!("{DEAL} =9"));
    check("[Result \"\"]", DEAL);
    check("[Result \"14\"]", "line 2: Result: `14` is not a number of tricks");
    check(
        "[Dealer \"N\"]\n[Dealer \"N\"]",
        "line 3: Dealer occurs twice; separate games by an empty line",
    );
    let (long, cut) = (format!(" {} ", "x".repeat(1000)), "x".repeat(80));
    check(&format!("[Event \"{long}\"]"), &format!("({cut}) {DEAL}"));
    let longer = "x".repeat(1025);
    check(&format!("[Event \"{longer}\"]"), "line 2: Event: a value of more than 1024 bytes");
    check(&format!("[Other \"{longer}\"]"), DEAL);
    let form = "is not a tag such as [Board \"1\"]";
    check("[]", &format!("line 2: `[` {form}: it has no name"));
    check(
        "[Board 1]",
        &format!("line 2: `[Board ` {form}: expected a quoted value after the name"),
    );
    check(
        "[Board \"1]",
        &format!("line 2: `[Board \"1]` {form}: the value is not closed")
            .replace("`[Board \"1]`", "`[Board \\\"1]`"),
    );
    check(
        "[Board \"1\" x]",
        &format!("line 2: `[Board \\\"1\\\" ` {form}: expected `]` after the value"),
    );
}

#[test]
fn faults_of_deals_are_reported() {
    let check = |deal: &str, expected: &str| {
        check(format!("\n[Deal \"{deal}\"]"), &format!("line 2: Deal: {expected}"))
    };
    check("N:A2... K3... Q4...", "at byte 19: 3 hands instead of four");
    check("N:A2... K3... Q4... A5...", "at byte 20: SA occurs twice");
    check("N:A2... K3... Q4... J5... ...", "at byte 26: unexpected text after the fourth hand");
    check("N:A2... K3... Q4... J1...", "at byte 21: `1` is not a rank");
    check(
        "N:A2... K3... Q4... J...",
        "the hands have 2, 2, 2 and 1 cards; all must have the same number",
    );
    check("N:... ... ... ...", "the hands are empty");
    check("N:A2... K3... Q4... -", "west's hand is missing, and the others do not have 39 cards");
    check("N:A2... - Q4... -", "2 hands are missing");
}

#[test]
fn auctions_are_read() {
    let check_game = |tags: &str, expected: &str| check(game(tags), expected);
    // The auction also gives the dealer.
    let check = |calls: &str, expected: &str| {
        check_game(&format!("[Auction \"N\"]\n{calls}"), &format!("N {DEAL} {expected}"));
    };
    check("1S Pass! 2NT =1= $4 X\nXX AP", "[1S Pass 2NT X XX Pass Pass Pass] 2NTXX by S");
    check("AP", "[Pass Pass Pass Pass] passed out");
    check("1C AP", "[1C Pass Pass Pass] 1C by N");
    check("1c p p 1n?\n*", "[1C Pass Pass 1NT]");
    check("- - 1C Pass +", "[1C Pass]");
    // Tags take precedence.
    check_game(
        "[Declarer \"W\"]\n[Contract \"3C\"]\n[Auction \"N\"]\n1C AP",
        &format!("N {DEAL} [1C Pass Pass Pass] 3C by W"),
    );
    let wrong = |calls: &str, expected: &str| {
        check_game(&format!("[Auction \"N\"]\n{calls}"), &format!("line 3: {expected}"));
    };
    wrong("1C 2Z", "Auction: `2Z` is not a call");
    wrong(&"Pass ".repeat(320), "Auction: more than 319 calls");
    wrong(&"Pass ".repeat(1025), "a section of more than 1024 words");
}

#[test]
fn plays_are_converted_to_the_order_of_play() {
    let check_game = |tags: &str, expected: &str| check(game(tags), expected);
    let check = |play: &str, expected: &str| {
        let tags = format!("[Contract \"1NT\"]\n[Declarer \"S\"]\n[Play \"W\"]\n{play}");
        check_tags(&tags, &format!("1NT by S {expected}"));
    };
    // Columns are west, north, east, south; north wins the first trick and leads.
    check("SJ SA S3 S4\nS5 S2 SK SQ\n*", "SJ SA S3 S4 S2 SK SQ S5");
    check("SJ SA S3 S4 S5 S2 SK SQ", "SJ SA S3 S4 S2 SK SQ S5");
    check("SJ SA S3 S4\n- S2 SK -\n*", "SJ SA S3 S4 S2 SK");
    check("SJ $1 SA! S3 =2= S4", "SJ SA S3 S4");
    check("SJ + SA", "SJ");
    check("*", "");
    // Nothing can be followed after a missing card.
    check("SJ - S3 S4\nS5 S2 SK SQ", "SJ");
    check("- - - -", "");
    let wrong = |play: &str, expected: &str| {
        let tags = format!("[Contract \"1NT\"]\n[Declarer \"S\"]\n[Play \"W\"]\n{play}");
        check_game(&tags, expected);
    };
    wrong("SJ SA S1", "line 5: Play: `S1` is not a card");
    wrong("SJ SA\nSJ", "line 6: Play: SJ is played twice");
    wrong(&"- ".repeat(53), "line 5: Play: more than thirteen tricks of four cards");
    check_game(
        "[Play \"W\"]\nSJ SA",
        "line 3: Play: tricks cannot be followed without Contract and Declarer",
    );
    // With another strain another player wins; the first column need not be the leader's.
    check_tags(
        "[Denomination \"H\"]\n[Declarer \"S\"]\n[Play \"N\"]\nSA H3 S4 SJ\nD2 H5 D4 D5",
        "in H by S SJ SA H3 S4 H5 D4 D5 D2",
    );
}

#[test]
fn tables_of_tricks_are_read_by_their_columns() {
    let rows = |order: &str, none: &str| -> String {
        let row = |by: char| {
            let strains = [none, "S", "H", "D", "C"].into_iter().enumerate();
            strains
                .map(move |(at, strain)| format!("{by} {strain:>2} {:>2}\n", at + by as usize % 8))
                .collect::<String>()
        };
        order.chars().map(row).collect()
    };
    // N 6, S 3, E 5, W 7 for no trump, one more for each further strain.
    let described = "789a6 67895 45673 89ab7";
    let head = "[OptimumResultTable \"Declarer;Denomination\\2R;Result\\2R\"]\n";
    check_tags(&format!("{head}{}", rows("NSEW", "NT")), described);
    check_tags(&format!("{head}{}", rows("WNES", "N")), described);
    let digits = "[DoubleDummyTricks \"6789a3456756789789ab\"]\n";
    check_tags(digits, described);
    check_tags(&format!("{digits}{head}{}", rows("NSEW", "NT")), described);
    let other = "[OptimumResultTable \"Denomination\\2L;Rank;+Declarer;Result\"]\n";
    let mut shuffled = String::new();
    for row in rows("NSEW", "NT").lines() {
        let [by, strain, tricks] = *row.split_whitespace().collect::<Vec<_>>() else {
            panic!("{row}")
        };
        shuffled += &format!("{strain} 0 {by} {tricks}\n");
    }
    check_tags(&format!("{other}{shuffled}"), described);
    let wrong = |tags: &str, expected: &str| check(game(tags), expected);
    let all = rows("NSEW", "NT");
    wrong(
        &format!("{head}{}", rows("NSE", "NT")),
        "line 2: OptimumResultTable: 15 rows instead of twenty",
    );
    wrong(&format!("{head}{all}N NT 6\n"), "line 23: OptimumResultTable: N NT occurs twice");
    wrong(
        &format!("{head}{}", all.replacen('6', "14", 1)),
        "line 3: OptimumResultTable: `14` is not a number of tricks",
    );
    wrong(
        &format!("{head}{}", all.replacen("NT", "X", 1)),
        "line 3: OptimumResultTable: `X` is not a denomination",
    );
    wrong(
        &format!("{head}{}", all.replacen('N', "X", 1)),
        "line 3: OptimumResultTable: `X` is not a declarer",
    );
    wrong(
        &format!("{head}{all}N"),
        "line 23: OptimumResultTable: an empty text is not a denomination",
    );
    wrong(
        "[OptimumResultTable \"Declarer;Result\"]",
        "line 2: OptimumResultTable: column Denomination is missing",
    );
    wrong(
        "[DoubleDummyTricks \"6789a3456756789789a\"]",
        "line 2: DoubleDummyTricks: `6789a3456756789789a` is not twenty hexadecimal digits up to d",
    );
    wrong(
        "[DoubleDummyTricks \"e789a3456756789789ab\"]",
        "line 2: DoubleDummyTricks: `e789a3456756789789ab` is not twenty hexadecimal digits up to d",
    );
    let differ = digits.replacen('6', "7", 1);
    wrong(
        &format!("{differ}{head}{all}"),
        "line 3: OptimumResultTable and DoubleDummyTricks contradict each other",
    );
}

#[test]
fn boards_are_written_with_the_known_data() {
    let mut board =
        read_board(&game("[Contract \"1S\"]\n[Declarer \"S\"]\n[Play \"W\"]\nSJ SA S3 S4\n- S2"));
    let head = "% PBN 2.1\n% EXPORT\n[Event \"?\"]\n[Site \"?\"]\n[Date \"?\"]\n[Board \"?\"]\n[West \"?\"]\n\
                [North \"?\"]\n[East \"?\"]\n[South \"?\"]\n[Dealer \"?\"]\n[Vulnerable \"?\"]\n";
    let deal = format!("[Deal \"{DEAL}\"]\n[Scoring \"?\"]\n");
    let written = |board: &Board| String::from_utf8(write_pbn(from_ref(board))).expect("a text");
    assert_eq!(
        written(&board),
        format!(
            "{head}{deal}[Declarer \"S\"]\n[Contract \"1S\"]\n[Result \"?\"]\n[Play \"W\"]\n\
             SJ SA S3 S4\n-  S2 -  -\n*\n\n"
        )
    );
    board = read_board(&game("[Contract \"Pass\"]\n[Dealer \"E\"]\n[Auction \"E\"]\nAP"));
    assert!(written(&board).ends_with(
        "[Declarer \"\"]\n[Contract \"Pass\"]\n[Result \"\"]\n[Auction \"E\"]\nPass Pass Pass Pass\n\n"
    ));
    board.names[0] = Some("\"Zoë\" \\ Ω".into());
    let bytes = write_pbn(&[board]);
    let mut lines = bytes.split(|&byte| byte == b'\n');
    assert!(lines.any(|line| line == b"[North \"\\\"Zo\xeb\\\" \\\\ ?\"]"));
}

#[test]
fn tables_are_written_with_the_par_score() {
    let hands = "N:6543.876.876.876 2.5432.5432.5432 AKQJ.AKQ.AKQ.AKQ T987.JT9.JT9.JT9";
    let mut board =
        read_board(&format!("[Deal \"{hands}\"]\n[Dealer \"N\"]\n[Vulnerable \"NS\"]\n"));
    let mut table = TrickTable::default();
    for strain in Strain::ALL {
        table.set(Compass::North, strain, 13);
        table.set(Compass::South, strain, 13);
    }
    board.table = Some(table);
    let written = |board: &Board| String::from_utf8(write_pbn(from_ref(board))).expect("a text");
    let text = written(&board);
    let end = "[OptimumScore \"NS 2220\"]\n[DoubleDummyTricks \"dddddddddd0000000000\"]\n\
               [OptimumResultTable \"Declarer;Denomination\\2R;Result\\2R\"]\nN NT 13\nN  S 13\n";
    assert!(text.contains(end), "{text}");
    assert!(text.ends_with("W  D  0\nW  C  0\n\n"), "{text}");
    assert_eq!(
        describe(read_pbn(text.as_bytes())),
        format!("N NS {hands} ddddd 00000 ddddd 00000")
    );
    board.vulnerability = None;
    assert!(!written(&board).contains("OptimumScore"));
    board.vulnerability = Some(Vulnerability::None);
    table = TrickTable::default();
    table.set(Compass::East, Strain::NoTrump, 7);
    board.table = Some(table);
    assert!(written(&board).contains("[OptimumScore \"EW "), "{}", written(&board));
}

fn read_board(text: &str) -> Board {
    read_pbn(text.as_bytes()).remove(0).expect("a board")
}
