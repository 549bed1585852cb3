//! Tests of the text and the live view of an arena.

use proptest::prelude::*;
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, Verdict};

use crate::present::samples::{HOSTILE, empty, hostile, many, match_of_two, three};
use crate::present::sanitize::width;
use crate::present::{live, text};
use sandboard_arena_plan::{SprtView, View};

fn check(view: &View, columns: usize, expected: &str) {
    let text = text(view, "my arena", columns);
    assert_eq!(text, expected.trim_start_matches('\n'), "in {columns}:\n{text}");
}

fn check_live(view: &View, columns: usize, expected: &[&str]) {
    assert_eq!(live(view, columns), expected, "in {columns}");
}

#[test]
fn nothing_played() {
    let view = empty(&["a", "b"], Format::Swiss { rounds: 1 });
    let expected = "
spring: gomoku freestyle-15, Swiss system of 1 round
  state    open: 0 pairs counted (0 games, 0 moves), 10 left

  #  player  points  games  won  drawn  lost  Elo
  1  a            0      0    0      0     0    –
  1  b            0      0    0      0     0    –
";
    check(&view, 80, expected);
    let table = expected.lines().skip(4);
    let live: Vec<&str> = ["open: 0 pairs, 10 to play"].into_iter().chain(table).collect();
    check_live(&view, 80, &live);
    let without_players = empty(&[], Format::Swiss { rounds: 1 });
    check_live(
        &without_players,
        80,
        &["open: 0 pairs, 10 to play", "  #  player  points  games  won  drawn  lost"],
    );
}

#[test]
fn void_pairs_are_reported() {
    let check = |pairs_void: u32, expected: &str| {
        let mut view = match_of_two();
        view.progress.pairs_void = pairs_void;
        let text = crate::present::phrases::progress(&view);
        assert!(text.contains(expected), "{text}");
    };
    check(0, "38 left; 2 games being played");
    check(1, "38 left; 1 pair void, since a game could not be played; 2 games being played");
    check(2, "38 left; 2 pairs void, since");
}

#[test]
fn two_players() {
    let wide = "
spring: gomoku freestyle-15, match of 50 pairs
  state    running: 12 pairs counted (24 games, 960 moves), 38 left; 2 games being played; 1 game
           done, waiting for an earlier one
  speed    1234 moves/s, 3 min 20 s left
  score    alpha 12½ of 24 against 五子棋
           11 won, 3 drawn, 10 lost: 52.1 %, 41.0 to 63.2 % with 95 % confidence
  pairs    0 points 1×, ½ points 3×, 1 points 2×, 1½ points 5×, 2 points 1×
  Elo      +14.5 ± 75.4 with 95 % confidence
  LOS      64.0 %: the probability that alpha is stronger
  nElo     +20.0 ± 80.5 (normalised Elo)
  SPRT     0.0 Elo or less, or +5.0 or more? (α 5.0 %, β 5.0 %)
           LLR 0.13 between −2.94 and 2.94: not decided yet

  #  player  points  games  won  drawn  lost   share  faults  time/move  fuel/move   memory
  1  alpha      12½     24   11      3    10  52.1 %       0     1.5 ms     2.00e9  3.0 MiB
  2  五子棋     11½     24   10      3    11  47.9 %       2     1.5 ms     2.00e9  3.0 MiB

  fault    五子棋: timeout in 2 games
           first in pair-000004-2 after 31 moves: 五子棋 did not move in time
           sandboard arena game 'my arena' pair-000004-2
";
    check(&match_of_two(), 100, wide);
    let narrow = "
spring: gomoku freestyle-15, match of 50
pairs
  state    running: 12 pairs counted (24
           games, 960 moves), 38 left; 2
           games being played; 1 game done,
           waiting for an earlier one
  speed    1234 moves/s, 3 min 20 s left
  score    alpha 12½ of 24 against 五子棋
           11 won, 3 drawn, 10 lost: 52.1 %,
           41.0 to 63.2 % with 95 %
           confidence
  pairs    0 points 1×, ½ points 3×, 1 points
           2×, 1½ points 5×, 2 points 1×
  Elo      +14.5 ± 75.4 with 95 % confidence
  LOS      64.0 %: the probability that alpha
           is stronger
  nElo     +20.0 ± 80.5 (normalised Elo)
  SPRT     0.0 Elo or less, or +5.0 or more?
           (α 5.0 %, β 5.0 %)
           LLR 0.13 between −2.94 and 2.94:
           not decided yet

  #  player  points  games  faults  time/move
  1  alpha      12½     24       0     1.5 ms
  2  五子棋     11½     24       2     1.5 ms

  fault    五子棋: timeout in 2 games
           first in pair-000004-2 after 31
           moves: 五子棋 did not move in time
           sandboard arena game 'my arena' pair-000004-2
";
    check(&match_of_two(), 45, narrow);
    let live = [
        "running: 12 pairs, 38 to play, 1234 moves/s, 3 min 20 s left",
        "  12½ of 24 (52.1 %): alpha against 五子棋",
        "  Elo +14.5 ± 75.4, LOS 64.0 %",
        "  LLR 0.13 between −2.94 and 2.94: not decided yet",
        "  2 games lost by faults, as by timeout of 五子棋",
    ];
    check_live(&match_of_two(), 60, &live);
    let narrow = [
        "running: 12 pairs, …",
        "  12½ of 24 (52.1 %…",
        "  Elo +14.5 ± 75.4,…",
        "  LLR 0.13 between …",
        "  2 games lost by f…",
    ];
    check_live(&match_of_two(), 20, &narrow);
    let mut begun = empty(&["a", "b"], Format::Match { pairs: 2 });
    begun.match_statistics = match_of_two().match_statistics;
    check_live(&begun, 60, &["open: 0 pairs, 10 to play", "  a against b: no pair yet"]);
}

#[test]
fn verdicts_of_a_test() {
    let check = |change: fn(&mut SprtView), expected: &str| {
        let mut view = match_of_two();
        change(view.match_statistics.as_mut().unwrap().sprt.as_mut().unwrap());
        let text = text(&view, "my arena", 200);
        assert!(text.contains(expected), "{expected}:\n{text}");
    };
    check(|sprt| sprt.verdict = Verdict::Upper, "decided: +5.0 Elo or more\n");
    check(|sprt| sprt.verdict = Verdict::Lower, "decided: 0.0 Elo or less\n");
    check(|sprt| sprt.model = EloModel::Normalized, "0.0 normalised Elo or less, or +5.0 or more?");
    check(|sprt| sprt.llr = -3.0, "LLR −3.00 between −2.94 and 2.94: not decided yet\n");
}

#[test]
fn one_sided_scores() {
    let check = |share: f64, bounds: [Option<f64>; 2], expected: &str| {
        let mut view = match_of_two();
        let stats = view.match_statistics.as_mut().unwrap();
        (stats.score.value, stats.elo) = (share, None);
        [stats.elo_low, stats.elo_high] = bounds;
        let text = text(&view, "my arena", 200);
        assert!(text.contains(expected), "{expected}:\n{text}");
    };
    check(1.0, [Some(182.7), None], "  Elo      +∞, at least +182.7 with 95 % confidence\n");
    check(0.0, [None, Some(-182.7)], "  Elo      −∞, at most −182.7 with 95 % confidence\n");
}

#[test]
fn three_players() {
    let expected = "
spring: gomoku freestyle-15, round robin, 1 pair per pairing
  state    open: 1 pair counted (2 games, 31 moves), 0 to 2 left

   #  player  points  games  won  drawn  lost    share  byes        Elo
   1  strong       2      2    2      0     0  100.0 %     0  above all
  †2  weak         0      2    0      0     2    0.0 %     0  below all
   2  new          2      0    0      0     0        –     2          –
  †: withdrawn
  above all: stronger than all rated players; no result shows by how much
  below all: weaker than all rated players; no result shows by how much

     points  1  2  3
  1  strong  ·  2
  2  weak    0  ·
  3  new           ·
";
    check(&three(), 100, expected);
    let live = [
        "open: 1 pair, 0 to 2 to play",
        "   #  player  points  games        Elo",
        "   1  strong       2      2  above all",
        "  †2  weak         0      2  below all",
        "   2  new          2      0          –",
    ];
    check_live(&three(), 40, &live);
}

#[test]
fn forty_players_have_no_crosstable() {
    let lines = |players, columns| text(&many(players), "d", columns).lines().count();
    // Title, state, a blank line, the head, the players.
    assert_eq!(lines(40, 200), 4 + 40);
    assert_eq!(lines(13, 200), 4 + 13);
    assert_eq!(lines(12, 200), 4 + 12 + 2 + 12);
    // If the width does not suffice, a line gives the needed width.
    let needs = |columns| text(&many(12), "d", columns).contains("the cross table needs");
    assert_eq!([61, 62, 63].map(needs), [true, false, false]);
    assert_eq!(live(&many(40), 100).len(), 11);
    assert_eq!(live(&many(40), 100)[10], "  … and 32 more");
}

/// Checks that no line but a command is wider than `columns`, and none has hidden characters.
fn check_lines(view: &View, columns: usize) {
    let text = text(view, HOSTILE[3], columns);
    for line in text.lines() {
        let is_command = line.trim_start().starts_with("sandboard arena game");
        assert!(is_command || width(line) <= columns, "{line:?} in {columns}");
        assert!(!line.ends_with(' '), "{line:?}");
    }
    let live = live(view, columns);
    assert!(live.len() <= 12);
    for line in &live {
        assert!(width(line) <= columns, "{line:?} in {columns}");
    }
    for line in text.lines().chain(live.iter().map(String::as_str)) {
        assert!(!line.contains(sandboard_common::text::is_hidden), "{line:?}");
    }
}

#[test]
fn all_lines_fit() {
    for columns in [20, 40, 80, 200] {
        for view in [match_of_two(), three(), many(12), many(40), hostile()] {
            check_lines(&view, columns);
        }
    }
}

proptest! {
    #[test]
    fn all_lines_fit_with_any_name(
        names in proptest::collection::vec(any::<String>(), 3),
        columns in 20..120_usize,
    ) {
        let mut view = three();
        for (player, name) in view.players.iter_mut().zip(names) {
            player.name = name;
        }
        view.faults = match_of_two().faults;
        check_lines(&view, columns);
    }
}
