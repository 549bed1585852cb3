//! Patterns of one row: patterns, near misses, and comparison with the documentation's definitions
//! by trying stones one by one.

use crate::pattern::{Pattern, PatternCounts, Row};
use crate::weights::WEIGHTS;

/// The row of a text from the point of view of `own`: `X`, `o`, `_` for an empty point.
fn row(text: &str, own: char, overline_wins: bool) -> Row {
    let word = |wanted: &dyn Fn(char) -> bool| {
        (0..).zip(text.chars()).map(|(bit, c)| u32::from(wanted(c)) << bit).sum::<u32>()
    };
    let other = |c: char| c != own && c != '_';
    let length = text.len() as u32;
    Row { own: word(&|c| c == own), other: word(&other), length, overline_wins }
}

/// The patterns by the documentation's names, in ascending order.
fn describe(counts: PatternCounts) -> String {
    let name = |pattern| match pattern {
        Pattern::ClosedTwo => "closed two",
        Pattern::OpenTwo => "open two",
        Pattern::ClosedThree => "closed three",
        Pattern::OpenThree => "open three",
        Pattern::ClosedFour => "closed four",
        Pattern::OpenFour => "open four",
    };
    let all = Pattern::ALL.into_iter();
    let all = all.flat_map(|pattern| vec![name(pattern); counts.count(pattern) as usize]);
    match all.collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => "nothing".to_owned(),
        some => some,
    }
}

/// Checks the patterns of `X`, if five or more win, and if exactly five win.
#[track_caller]
fn check_both(text: &str, freestyle: &str, standard: &str) {
    for (overline_wins, expected) in [(true, freestyle), (false, standard)] {
        let found = describe(row(text, 'X', overline_wins).pattern_counts());
        assert_eq!(found, expected, "{text}, overlines win: {overline_wins}");
        let mirrored: String = text.chars().rev().collect();
        assert_eq!(
            describe(row(&mirrored, 'X', overline_wins).pattern_counts()),
            expected,
            "{mirrored}"
        );
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_both(text, expected, expected);
}

#[test]
fn twos() {
    check("___XX___", "open two");
    check("__X_X_", "open two");
    check("_X__X_", "open two");
    // Too far apart for an open three.
    check("_X___X_", "closed two");
    check("X____X_", "nothing");
    // Room for five points, and for six.
    check("__XX_", "closed two");
    check("__XX__", "open two");
    check("oXX___", "closed two");
    check("oXX__o", "nothing");
    check("o_XX_o", "nothing");
    check("o_XX__o", "closed two");
    check("____X____", "nothing");
}

#[test]
fn threes() {
    check("__XXX__", "open three");
    check("_XXX__", "open three");
    check("_X_XX_", "open three");
    check("_XXX_", "closed three");
    check("oXXX__", "closed three");
    check("o_XXX_o", "closed three");
    check("oXXX_o", "nothing");
    check("oX_XX_", "closed three");
    check("X_X_X", "closed three");
    check("XX__X_", "closed three");
    // One more stone makes two fours, but no straight four.
    check("X_X_X_X", "closed three");
    // A stone further off spoils one end if only exactly five win.
    check_both("o_XXX__X", "open three", "closed three");
}

#[test]
fn fours() {
    check("_XXXX_", "open four");
    check("oXXXX_", "closed four");
    check("oXXXXo", "nothing");
    check("XXXX_", "closed four");
    check("_XX_XX_", "closed four");
    check("X_XXX", "closed four");
    // Two gaps, each of which makes a five.
    check("X_XXX_X", "open four");
    check("XX_XX_XX", "open four");
    // One gap, for either five of the six points.
    check_both("XXX_XX", "closed four", "nothing");
    check_both("oXXXX_Xo", "closed four", "nothing");
    check_both("XXXX_X__", "closed four", "nothing");
}

#[test]
fn each_stretch_between_opponents_stones_counts_once() {
    check("_XX___o_XXX__o", "open two and open three");
    check("__XX__o__XX__", "open two and open two");
    check("__XX__oXX_", "open two");
    // In one stretch the best pattern counts: the most stones, then an open one.
    check("__XXX____XX__", "open three");
    check("oXXX___XX___", "closed three");
    check("oXXX_____XXX__", "open three");
    check("oXX______XX___", "open two");
}

#[test]
fn examples_in_the_documentation_are_correct() {
    let text = include_str!("../../../../docs/gomoku.md");
    let mut shown = 0;
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, row, counts, ..] = cells[..] else { continue };
        let row = row.trim_matches('`');
        if row.is_empty() || row.contains(|c: char| !"Xo_".contains(c)) {
            continue;
        }
        let (freestyle, standard) = counts.split_once("; ").unwrap_or((counts, counts));
        check_both(row, freestyle, standard.trim_end_matches(" where exactly five win"));
        shown += 1;
    }
    assert_eq!(shown, 13);
    for weight in &WEIGHTS {
        let entry = format!("| `{}` | {} |", weight.name, weight.initial);
        assert!(text.contains(&entry), "no {entry}");
    }
}

/// The points of a row: empty (`None`), own (`Some(true)`) or the opponent's (`Some(false)`).
type Points = Vec<Option<bool>>;

/// Whether an own stone at this point makes a five, by counting its neighbours.
fn makes_five(points: &Points, at: usize, overline_wins: bool) -> bool {
    if points[at].is_some() {
        return false;
    }
    let own = |point: &&Option<bool>| **point == Some(true);
    let run = 1
        + points[at + 1..].iter().take_while(own).count()
        + points[..at].iter().rev().take_while(own).count();
    run == 5 || run > 5 && overline_wins
}

/// Four own stones side by side, and a point at each end that makes a five.
fn has_straight_four(points: &Points, overline_wins: bool) -> bool {
    (0..points.len().saturating_sub(5)).any(|first| {
        points[first + 1..first + 5].iter().all(|&point| point == Some(true))
            && makes_five(points, first, overline_wins)
            && makes_five(points, first + 5, overline_wins)
    })
}

/// Whether `stones` more own stones can make `end` true.
fn can_reach(points: &Points, stones: u32, end: &dyn Fn(&Points) -> bool) -> bool {
    if stones == 0 {
        return end(points);
    }
    (0..points.len()).any(|at| {
        let mut after = points.clone();
        points[at].is_none() && {
            after[at] = Some(true);
            can_reach(&after, stones - 1, end)
        }
    })
}

/// The best pattern of a stretch, found by trying stones.
fn pattern_by_definition(stretch: &Points, overline_wins: bool) -> Option<Pattern> {
    let five_points = |points: &Points| {
        (0..points.len()).filter(|&at| makes_five(points, at, overline_wins)).count()
    };
    let four = |points: &Points| five_points(points) > 0;
    let straight = |points: &Points| has_straight_four(points, overline_wins);
    match five_points(stretch) {
        0 => {}
        1 => return Some(Pattern::ClosedFour),
        _ => return Some(Pattern::OpenFour),
    }
    let kinds =
        [(1, Pattern::OpenThree, Pattern::ClosedThree), (2, Pattern::OpenTwo, Pattern::ClosedTwo)];
    let (stones, open, closed) =
        kinds.into_iter().find(|&(stones, ..)| can_reach(stretch, stones, &four))?;
    Some(if can_reach(stretch, stones, &straight) { open } else { closed })
}

#[test]
fn patterns_agree_with_their_definitions() {
    const LENGTH: u32 = 9;
    let mut seen = [0; 2];
    for number in 0..3u32.pow(LENGTH) {
        let letter = |place| ['_', 'X', 'o'][(number / 3u32.pow(place) % 3) as usize];
        let text: String = (0..LENGTH).map(letter).collect();
        if text.contains("XXXXX") {
            // The game would be over.
            continue;
        }
        for (seen, overline_wins) in seen.iter_mut().zip([true, false]) {
            let stretches = text.split('o').map(|stretch| {
                stretch.chars().map(|c| (c == 'X').then_some(true)).collect::<Points>()
            });
            let expected: Vec<_> = stretches
                .filter_map(|stretch| pattern_by_definition(&stretch, overline_wins))
                .collect();
            let counts = row(&text, 'X', overline_wins).pattern_counts();
            for pattern in Pattern::ALL {
                let count = expected.iter().filter(|&&expected| expected == pattern).count();
                assert_eq!(counts.count(pattern) as usize, count, "{pattern:?} of {text}");
                *seen += count;
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 3_000), "{seen:?}");
}
