//! Tests of the exact content of the CSV tables.

use proptest::prelude::*;
use sandboard_tournament::schedule::Format;

use crate::present::samples::{
    HOSTILE, empty, game, hostile, hostile_game, many, match_of_two, three,
};
use crate::present::sanitize::sanitize;
use crate::present::{games_csv, standings_csv};
use sandboard_arena_plan::{GameRow, View};

fn standings(view: &View) -> String {
    let mut out = Vec::new();
    standings_csv(view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn games(view: &View, rows: &[GameRow]) -> String {
    let mut out = Vec::new();
    games_csv(view, &mut rows.iter().cloned(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The fields of each line, read by a separate parser of RFC 4180.
fn fields(csv: &str) -> Vec<Vec<String>> {
    let (mut lines, mut line, mut field, mut quoted) = (vec![], vec![], String::new(), false);
    let mut letters = csv.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => line.push(std::mem::take(&mut field)),
            '\r' if !quoted => {
                assert_eq!(letters.next(), Some('\n'), "a line ends with CR and LF");
                line.push(std::mem::take(&mut field));
                lines.push(std::mem::take(&mut line));
            }
            letter => field.push(letter),
        }
    }
    assert!(!quoted && line.is_empty() && field.is_empty(), "the last line is complete");
    lines
}

/// Checks fields of the player on this line, from 1.
fn check(view: &View, line: usize, expected: &[(&str, &str)]) {
    let csv = fields(&standings(view));
    for (column, expected) in expected {
        let place = csv[0].iter().position(|title| title == column);
        let place = place.unwrap_or_else(|| panic!("a column {column}"));
        assert_eq!(csv[line][place], *expected, "{column} of line {line}");
    }
}

#[test]
fn players() {
    let expected = [
        ("place", "2"),
        ("player", "五子棋"),
        ("options", "equals=2"),
        ("withdrawn", "false"),
        ("points", "11.5"),
        ("wins", "10"),
        ("draws", "3"),
        ("losses", "11"),
        ("first_seat_losses", "5"),
        ("rating_elo", "-7.2"),
        ("rating_low_elo", "-37.2"),
        ("rating_high_elo", "22.8"),
        ("unrated", ""),
        ("glicko", ""),
        ("faults_games", "2"),
        ("wall_us_per_move", "1500"),
        ("cpu_us_per_move", ""),
        ("fuel_per_move", "2000000000"),
        ("memory_max_bytes", "3145728"),
        ("faults", "timeout=2"),
    ];
    check(&match_of_two(), 2, &expected);
    check(&three(), 1, &[("points", "2"), ("unrated", "above"), ("rating_elo", "")]);
    check(&three(), 2, &[("withdrawn", "true"), ("unrated", "below")]);
    check(&three(), 3, &[("byes_points", "2"), ("unrated", "no-games"), ("wall_us_per_move", "")]);
    check(&many(40), 40, &[("place", "40"), ("tie_Buchholz", "40.25"), ("tie_wins", "12")]);
}

#[test]
fn every_line_has_all_columns() {
    let format = Format::Match { pairs: 1 };
    for view in [
        empty(&[], format),
        empty(&["a", "b"], format),
        match_of_two(),
        three(),
        many(40),
        hostile(),
    ] {
        let csv = fields(&standings(&view));
        assert_eq!(csv.len(), 1 + view.ranking.len());
        assert!(csv.iter().all(|line| line.len() == csv[0].len()), "{csv:?}");
    }
}

#[test]
fn the_rows_of_games_are_exact() {
    let head = "game,pair_from_1,round_from_1,opening_from_1,player_1,player_2,points_1,\
                points_2,moves,fault,end,stored_at_utc\r\n";
    assert_eq!(games(&match_of_two(), &[]), head);
    let fault = GameRow {
        fault: Some("timeout".into()),
        opening: None,
        sentence: "late, as \"ever\"".into(),
        ..game(2)
    };
    let rows = "pair-000001-2,1,1,1,五子棋,alpha,0.5,0.5,40,,black has five in a row,2026-01-01T00:00:01Z\r\n\
                pair-000002-1,2,1,,alpha,五子棋,1,0,40,timeout,\"late, as \"\"ever\"\"\",2026-01-01T00:00:02Z\r\n";
    assert_eq!(games(&match_of_two(), &[game(1), fault]), format!("{head}{rows}"));
}

#[test]
fn no_text_is_a_formula() {
    let check = |text: &str, expected: &str| {
        let mut view = match_of_two();
        view.players[0].name = text.into();
        assert_eq!(fields(&standings(&view))[1][1], expected);
    };
    check("=1+1", "'=1+1");
    check("+1", "'+1");
    check("-1", "'-1");
    check("@sum", "'@sum");
    check("＝1", "'＝1");
    check("=a,\"b\"", "'=a,\"b\"");
    // Hidden characters before it are escaped.
    check("\t=1", "\\u{9}=1");
    check("\u{feff}=1", "\\u{feff}=1");
    // These are not formulas.
    check("a=1", "a=1");
    check("1-1", "1-1");
    check("'=1", "'=1");
}

#[test]
fn hostile_texts_stay_in_their_fields() {
    let rows: Vec<GameRow> = HOSTILE.iter().map(|text| hostile_game(text)).collect();
    let csv = fields(&standings(&hostile())).into_iter().chain(fields(&games(&hostile(), &rows)));
    for (text, line) in
        csv.flat_map(|line| line.clone().into_iter().map(move |t| (t, line.clone())))
    {
        assert!(!text.contains(sandboard_common::text::is_hidden), "{text:?}");
        let number = text.parse::<f64>().is_ok();
        assert!(
            number || !text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']),
            "{line:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_is_one_field(text in any::<String>()) {
        let mut view = match_of_two();
        view.players[0].name = text.clone();
        let field = fields(&standings(&view))[1][1].clone();
        let sanitized = sanitize(&text);
        prop_assert!(field == sanitized || field == format!("'{sanitized}"), "{field:?}");
    }
}

/// `docs/arena-reports.md` documents all columns, and no others.
#[test]
fn columns_are_documented() {
    let doc = include_str!("../../../../../docs/arena-reports.md");
    let heads = doc.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('|'));
    let mut documented: Vec<&str> = heads
        .flat_map(|(names, _)| names.split(['`', ',', ' ']))
        .filter(|name| !name.is_empty())
        .collect();
    let mut view = match_of_two();
    view.players[0].tie_breaks = vec![("…".into(), 1.0)];
    let [standings, games] =
        [standings(&view), games(&view, &[])].map(|csv| fields(&csv).remove(0));
    let mut there: Vec<&str> = standings.iter().chain(&games).map(String::as_str).collect();
    documented.sort_unstable();
    there.sort_unstable();
    assert_eq!(documented, there);
}
