//! Adjudication: its texts, the verdicts from scores, and bouts that end by it, each with a case
//! just inside and one just outside.

use proptest::prelude::*;

use super::super::adjudication::{ADJUDICATION_FORMS, ScoreVerdict, SideScore, verdict};
use super::*;

const EE: &str = "e:none e:none";

fn rules(text: &str) -> Adjudication {
    text.parse().unwrap()
}

#[test]
fn valid_and_invalid_texts() {
    let check = |text: &str, expected: &str| match text.parse::<Adjudication>() {
        Ok(rules) => assert_eq!(rules.to_string(), expected, "{text}"),
        Err(error) => {
            let error = error.to_string();
            assert!(!expected.is_empty() && error.contains(expected), "{text}: {error}");
        }
    };
    check("none", "none");
    check("win=600/8", "win=600/8");
    check("resign=600/3", "resign=600/3");
    check("resign=1/1,win=600/8", "win=600/8,resign=1/1");
    check(" draw=10/8@40 , win=600/8", "win=600/8,draw=10/8@40");
    check("draw=0/2@0", "draw=0/2");
    check("solver=12,draw=10/8@40,win=600/8", "win=600/8,draw=10/8@40,solver=12");
    check("win=2147483647/4294967295", "win=2147483647/4294967295");
    check("", "``: the part is empty; write none, win=SCORE/PLIES");
    check("win=600/8,", "``: the part is empty");
    check("none,win=600/8", "`none`: `none` cannot be combined with other rules");
    check("win", "`win`: the value is missing");
    check("won=600/8", "`won=600/8`: the rule is unknown");
    check("win=600", "`win=600`: the number of plies is missing");
    check(
        "win=600/1",
        "`win=600/1`: the number of plies is 2 or more, so that both sides are included",
    );
    check("draw=10/1", "`draw=10/1`: the number of plies is 2 or more");
    check("win=0/8", "`win=0/8`: a lead is 1 or more");
    check("win=1/2", "win=1/2");
    check("win=-600/8", "`win=-600/8`: the score is not a whole number of 0 or more");
    check("win=+600/8", "the score is not a whole number of 0 or more");
    check("win=2147483648/8", "the score is not a whole number of 0 or more");
    check("win=600/8@3", "`/` is not followed by a whole number");
    check("win=600/4294967296", "`/` is not followed by a whole number");
    check("resign=600", "`resign=600`: the number of moves is missing");
    check("resign=600/0", "`resign=600/0`: the number of moves is 1 or more");
    check("resign=0/3", "`resign=0/3`: a lead is 1 or more");
    check("resign=600/3,resign=600/3", "the rule is given twice");
    check("draw=9/8,resign=9/8,win=600/8", "a lead of 9 cannot win while a lead of 9 is a draw");
    check("draw=8/8,resign=9/8", "resign=9/8,draw=8/8");
    check("draw=10/8@", "`@` is not followed by a number of plies");
    check("solver=0", "`solver=0`: a game with nothing left is over");
    check("solver=x", "`=` is not followed by a number");
    check("win=600/8,win=700/8", "`win=700/8`: the rule is given twice");
    check("draw=600/8,win=600/8", "a lead of 600 cannot win while a lead of 600 is a draw");
    check("draw=599/8,win=600/8", "win=600/8,draw=599/8");
    check(&"é".repeat(100), &format!("`{}…`", "é".repeat(32)));
}

#[test]
fn records_omit_the_default() {
    let json = |settings: &BoutSettings| serde_json::to_string(settings).unwrap();
    let off = BoutSettings::default();
    assert!(!json(&off).contains("adjudication"), "{}", json(&off));
    let on = BoutSettings { adjudication: rules("win=600/8,solver=3"), ..off };
    assert!(json(&on).ends_with(r#""adjudication":"win=600/8,solver=3"}"#), "{}", json(&on));
    for settings in [off, on] {
        assert_eq!(serde_json::from_str::<BoutSettings>(&json(&settings)).unwrap(), settings);
    }
    let error = serde_json::from_str::<BoutSettings>(r#"{"adjudication": "win=600"}"#).unwrap_err();
    assert!(error.to_string().contains("the number of plies is missing"), "{error}");
}

#[test]
fn games_without_a_solver_are_refused() {
    let check = |game: &str, variant: &str, left: u32, expected: &str| {
        let info = Games::default().find(game).unwrap_or(&COUNTING);
        let game = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
        let adjudication = Adjudication { solver: Some(left), ..Adjudication::NONE };
        let setup = |player: u8| PlayerSetup {
            name: String::new(),
            seats: (player..info.seats).step_by(2).collect(),
            budget: Default::default(),
            kind: PlayerKind::Engine,
            ponder_threads: None,
        };
        let settings = BoutSettings { adjudication, ..BoutSettings::default() };
        let referee = Referee::new(game, vec![setup(0), setup(1)], settings, 0);
        let error = referee.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(error, expected);
    };
    check("bridge", "", 13, "");
    check("bridge", "double-dummy-5", 13, "");
    check("reversi", "", 16, "");
    check(
        "reversi",
        "",
        17,
        "adjudication: `solver=17`: at most 16 empty squares of reversi can be solved",
    );
    let solved = "bridge (tricks left, up to 13), reversi (empty squares left, up to 16)";
    let none = |game: &str| {
        format!(
            "adjudication: `solver=9`: no solver solves the last part of {game}; it can be solved \
             in {solved}"
        )
    };
    check("reversi", "standard-6", 9, &none("reversi standard-6"));
    check("gomoku", "", 9, &none("gomoku freestyle-15"));
    check("counting", "", 9, &none("counting to-21"));
    check(
        "reversi",
        "",
        0,
        &format!(
            "adjudication: `solver=0`: a game with nothing left is over; write {ADJUDICATION_FORMS}"
        ),
    );
}

/// The scores of a bout's moves. The sides alternate, except that a word with `=` has the side of
/// the previous word; `?` is a move without a score.
fn scores(text: &str) -> Vec<SideScore> {
    let mut side = Side(1);
    let one = |word: &str| {
        side = if word.starts_with('=') { side } else { side.other() };
        let word = word.trim_start_matches('=');
        SideScore { side, score: (word != "?").then(|| score(word)) }
    };
    text.split_whitespace().map(one).collect()
}

#[test]
fn verdicts_from_scores() {
    let check = |text: &str, words: &str, expected: &str| {
        let found = match verdict(&rules(text), scores(words).into_iter()) {
            None => "goes on".to_owned(),
            Some(ScoreVerdict::Win(side, _)) => format!("side {} wins", side.0),
            Some(ScoreVerdict::Resign(side, _)) => format!("side {} loses", side.0),
            Some(ScoreVerdict::Draw(_)) => "draw".into(),
        };
        assert_eq!(found, expected, "{text}: {words}");
    };
    let win = "win=600/4";
    check(win, "600 -600 600 -600", "side 0 wins");
    check(win, "-600 600 -600 600", "side 1 wins");
    check(win, "0 0 -9 700 -800 900", "goes on");
    check(win, "0 0 -9 700 -800 900 -1000", "side 1 wins");
    check(win, "0 0 9 -700 800 -900 1000", "side 0 wins");
    check(win, "600 -600 600", "goes on");
    check(win, "599 -600 600 -600", "goes on");
    check(win, "600 -600 600 -599", "goes on");
    check(win, "600 -600 600 600", "goes on");
    check(win, "600 -600 ? -600", "goes on");
    check(win, "? -600 600 -600 600", "side 0 wins");
    check(win, "", "goes on");
    // Proved scores count; bounds count on the right side only.
    check(win, "600! -600! 600+ -600-", "side 0 wins");
    check(win, "600 -600 600- -600", "goes on");
    check(win, "600 -600 600 -600+", "goes on");
    check(win, "-600- 600+ -600! 600", "side 1 wins");
    // Scores of both sides are needed, also if one side moves several times in a row.
    check(win, "600 =600 =600 =600", "goes on");
    check(win, "600 =600 =600 -600", "side 0 wins");
    check("win=600/2", "-600 600 =600 =600", "side 1 wins");
    // The smallest 32-bit number has no opposite.
    check("win=2147483647/2", "-2147483648 2147483647", "side 1 wins");
    check("win=2147483647/2", "2147483647 -2147483648", "side 0 wins");

    let draw = "draw=10/4";
    check(draw, "10 -10 0 3!", "draw");
    check(draw, "10 -10 0 11", "goes on");
    check(draw, "-11 -10 0 10", "goes on");
    check(draw, "-2147483648 1 2 3", "goes on");
    check(draw, "10 -10 0 3+", "goes on");
    check(draw, "10 -10 0- 3", "goes on");
    check(draw, "10 -10 ?", "goes on");
    check(draw, "5 =5 =5 =5", "goes on");
    // The first plies do not count.
    check("draw=10/4@3", "0 0 0 0 0 0", "goes on");
    check("draw=10/4@3", "0 0 0 0 0 0 0", "draw");
    check("draw=10/4@3", "99 99 99 0 0 0 0", "draw");
    check("draw=10/4@4294967295", "0 0 0 0 0 0 0", "goes on");
    // A win comes before a draw.
    check("win=20/2,draw=10/2", "20 -20", "side 0 wins");
    check("win=20/2,draw=10/2", "10 -10", "draw");
    check("win=20/2,draw=10/2", "15 -15", "goes on");
    check("none", "600 -600 600 -600", "goes on");

    // Only the scores of the side that is behind count, over its own moves.
    let resign = "resign=600/3";
    check(resign, "-600 0 -600 -50 -600", "side 0 loses");
    check(resign, "-600 0 -600 -50", "goes on");
    check(resign, "-600 0 -599 -50 -600", "goes on");
    check(resign, "9 -600 9 -700 ? -800", "side 1 loses");
    check(resign, "9 -600 9 ? 9 -700 9 -800", "goes on");
    check(resign, "-600 0 -600- 0 -600!", "side 0 loses");
    check(resign, "-600 0 -600+ 0 -600", "goes on");
    check(resign, "-600 =-600 =-600", "side 0 loses");
    check(resign, "600 -599 600 -599 600 -599", "goes on");
    check("resign=600/1", "0 -600", "side 1 loses");
    check("resign=600/1", "0 -599", "goes on");
    // Both sides agreeing comes before one side's view, and that before a draw.
    check("win=600/2,resign=600/1", "600 -600", "side 0 wins");
    check("win=600/2,resign=600/1", "599 -600", "side 1 loses");
    check("resign=20/1,draw=10/2", "10 -20", "side 1 loses");
    check("resign=20/1,draw=10/2", "10 -10", "draw");
}

fn endless(players: &str, adjudication: &str) -> Referee {
    let variant = COUNTING.variant("endless").unwrap();
    let settings = BoutSettings { adjudication: rules(adjudication), ..BoutSettings::default() };
    referee_of((COUNTING.new)(&variant, None).unwrap(), players, settings)
}

#[test]
fn bouts_that_end_by_scores() {
    let referee = check_from(
        endless(EE, "win=600/3"),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 1 score 700 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         2 move 1 #2 1 score -700 => 1 moved 1, send 0 1, send 1 1, ask 0 #3
         3 move 0 #3 1 => 0 moved 1, send 0 1, send 1 1, ask 1 #4
         4 move 1 #4 1 score -600 => 1 moved 1, send 0 1, send 1 1, ask 0 #5
         5 move 0 #5 1 score 600! => 0 moved 1, send 0 1, send 1 1, ask 1 #6
         6 move 1 #6 1 score -601- => 1 moved 1, send 0 1, send 1 1, \
             end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more \
             for 3 plies
         7 undo 1 => no: the bout is finished; a new one can start from any of its plies",
    );
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Adjudicated { by: AdjudicationRule::Win });
    assert_eq!((&*result.scores, result.half_points(Side(0))), (&[1, -1, 1, -1][..], Some(2)));
    let referee = check_from(
        endless("e:1s e:1s", "draw=10/2@1"),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         1 move 0 #1 1 score 1 => 0 moved 1, send 0 1, send 1 1, arm 2050002, ask 1 #2 left 1000000
         2 move 1 #2 1 score 1 => 1 moved 1, send 0 1, send 1 1, arm 2050003, ask 0 #3 left 1000000
         3 move 0 #3 1 score 1 => 0 moved 1, send 0 1, send 1 1, disarm, \
             end: no winner: draw by adjudication: both sides saw no lead above 10 for 2 plies",
    );
    let json = serde_json::to_string(referee.result().unwrap()).unwrap();
    assert!(json.contains(r#""termination":"adjudicated","by":"draw""#), "{json}");
    assert_eq!(referee.result().unwrap().half_points(Side(0)), Some(1));
    // The rules of the game come first, and the ply limit last.
    let settings = |plies_max| {
        let adjudication = rules("win=600/2");
        BoutSettings { adjudication, plies_max, ..BoutSettings::default() }
    };
    check(
        EE,
        settings(20),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, send 0 9, send 1 9, ask 1 #2
         0 move 1 #2 9 score -700 => 1 moved 9, send 0 9, send 1 9, ask 0 #3
         0 move 0 #3 2 score 700 => 0 moved 2, send 0 2, send 1 2, end: no winner: draw: twenty",
    );
    check(
        EE,
        settings(2),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 score 700 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         0 move 1 #2 1 score -700 => 1 moved 1, send 0 1, send 1 1, \
             end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more \
             for 2 plies",
    );
}

#[test]
fn bouts_that_end_by_one_sides_scores() {
    let referee = check_from(
        endless(EE, "resign=600/2"),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 1 score -700 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         2 move 1 #2 1 score -50 => 1 moved 1, send 0 1, send 1 1, ask 0 #3
         3 move 0 #3 1 score -700 => 0 moved 1, send 0 1, send 1 1, \
             end: side 1: n1 (even) wins by adjudication: the other side saw itself behind by \
             600 or more in 2 moves in a row",
    );
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Adjudicated { by: AdjudicationRule::Resign });
    assert_eq!((&*result.scores, result.half_points(Side(0))), (&[-1, 1, -1, 1][..], Some(0)));
    let json = serde_json::to_string(result).unwrap();
    assert!(json.contains(r#""termination":"adjudicated","by":"resign""#), "{json}");
}

#[test]
fn a_bout_with_a_person_does_not_end_early() {
    check_from(
        endless("e:none p:none", "win=600/2"),
        "0 begin => began, start 0, ask 0 #1
         1 move 0 #1 1 score 700 => 0 moved 1, send 0 1, ask 1 #2
         2 move 1 #2 1 score -700 => 1 moved 1, send 0 1, ask 0 #3
         3 move 0 #3 1 score 700 => 0 moved 1, send 0 1, ask 1 #4",
    );
}

#[test]
fn scores_of_undone_moves_do_not_count() {
    check_from(
        endless(EE, "win=600/3"),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 1 score 700 => 0 moved 1, send 0 1, send 1 1, ask 1 #2
         2 move 1 #2 1 score -700 => 1 moved 1, send 0 1, send 1 1, ask 0 #3
         3 undo 1 => stop 0 #3, back 0 1, back 1 1, undone 1, ask 1 #4
         4 move 1 #4 1 score 0 => 1 moved 1, send 0 1, send 1 1, ask 0 #5
         5 move 0 #5 1 score 700 => 0 moved 1, send 0 1, send 1 1, ask 1 #6
         6 undo 2 => stop 1 #6, back 0 2, back 1 2, undone 2, ask 1 #7
         7 move 1 #7 1 score -700 => 1 moved 1, send 0 1, send 1 1, ask 0 #8
         8 move 0 #8 1 score 700 => 0 moved 1, send 0 1, send 1 1, \
             end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more \
             for 3 plies",
    );
}

/// Two tricks: North's ace takes one, East's king the other.
fn deal(players: &str, left: u32) -> Referee {
    let info = Games::default().find("bridge").unwrap();
    let variant = info.variant("double-dummy-2").unwrap();
    let game = (info.new)(&variant, Some("N:A2... K3... Q4... J5... NT N -")).unwrap();
    let adjudication = Adjudication { solver: Some(left), ..Adjudication::NONE };
    referee_of(game, players, BoutSettings { adjudication, ..BoutSettings::default() })
}

const TRICK: &str = "0 begin => began, start 0, start 1, ask 0 #1
    1 move 0 #1 SA => 0 moved SA, send 0 SA, send 1 SA, ask 1 #2
    2 move 1 #2 S3 => 1 moved S3, send 0 S3, send 1 S3, ask 0 #3
    3 move 0 #3 S4 => 0 moved S4, send 0 S4, send 1 S4, ask 1 #4
    3 solve #4 0 => no: no position is being solved under this call\n";

#[test]
fn bouts_that_end_by_a_solver() {
    let last = "4 move 1 #4 S5 => 1 moved S5, send 0 S5, send 1 S5, solve #5\n";
    let end = "5 solve #5 0 => end: no winner: draw by adjudication: perfect play from here \
        gives NS 1 and EW 1
        6 solve #5 0 => no: the bout is finished; a new one can start from any of its plies";
    let referee = check_from(deal(EE, 1), &[TRICK, last, end].concat());
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Adjudicated { by: AdjudicationRule::Solver });
    assert_eq!((result.winner, &*result.scores), (None, &[0, 0, 0, 0][..]));
    let solved = EventRecord { at_ply: 4, kind: EventKind::Solved { score: 0 } };
    assert_eq!(referee.events().last(), Some(&solved));
    // Wrong calls and impossible scores are rejected; the referee keeps waiting.
    let refused = "5 solve #4 0 => no: no position is being solved under this call
        5 solve #5 -2 => no: the game cannot end with a score of -2
        5 solve #5 1 => no: the game cannot end with a score of 1
        5 pause => paused
        5 resume => resumed
        5 solve #5 2 => end: side 0: n0 (NS) wins by adjudication: perfect play from here gives \
            NS 2 and EW 0";
    let referee = check_from(deal(EE, 1), &[TRICK, last, refused].concat());
    assert_eq!(referee.result().unwrap().scores, [2, -2, 2, -2]);
    // Undo is possible meanwhile, and the bout continues.
    let undone = "5 undo 1 => back 0 1, back 1 1, undone 1, ask 1 #6
        6 solve #5 0 => no: no position is being solved under this call
        7 move 1 #6 S5 => 1 moved S5, send 0 S5, send 1 S5, solve #7
        8 solve #7 0 => end: no winner: draw by adjudication: perfect play from here gives NS 1 \
            and EW 1";
    check_from(deal(EE, 1), &[TRICK, last, undone].concat());
    // An engine that fails on receiving the move loses before that.
    let fault = "5 fault 1 crash => 1 fault crash, end: side 0: n1 (EW) loses: it did it
        6 solve #5 0 => no: the bout is finished; a new one can start from any of its plies";
    check_from(deal(EE, 1), &[TRICK, last, fault].concat());
    // Two tricks are left after the first card; before the first move nothing is solved.
    check_from(
        deal(EE, 2),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, send 0 SA, send 1 SA, solve #2",
    );
    // No clock runs while the solver works.
    check_from(
        deal("e:1s/move e:1s/move", 2),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, send 0 SA, send 1 SA, disarm, solve #2
         9000000 tick =>",
    );
    // A bout with a person continues.
    check_from(
        deal("e:none p:none", 2),
        "0 begin => began, start 0, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, send 0 SA, ask 1 #2",
    );
}

/// A reference for `agreed_verdict`, which counts the runs from the oldest score on.
fn reference(rules: &Adjudication, scores: &[SideScore]) -> Option<String> {
    let mut runs = [(0_u32, [false; 2]); 3];
    // By side: the number of its newest moves that show it behind.
    let mut behind = [0_u32; 2];
    for (ply, SideScore { side, score }) in scores.iter().enumerate() {
        let interval = score.map(|score| {
            let own = i64::from(score.value);
            match score.bound {
                Bound::Estimate | Bound::Exact => (own, own),
                Bound::AtLeast => (own, i64::MAX),
                Bound::AtMost => (i64::MIN, own),
            }
        });
        let limit = rules.resign.map_or(i64::MIN, |resign| -i64::from(resign.score));
        let own_run = &mut behind[usize::from(side.0)];
        *own_run = match interval {
            Some((_, at_most)) if at_most <= limit => *own_run + 1,
            _ => 0,
        };
        for (kind, (count, sides)) in runs.iter_mut().enumerate() {
            let holds = interval.is_some_and(|(at_least, at_most)| {
                // The rule must hold for every value between these.
                match (kind, rules.win, rules.draw) {
                    (0 | 1, Some(win), _) if usize::from(side.0) == kind => {
                        at_least >= i64::from(win.score)
                    }
                    (0 | 1, Some(win), _) => at_most <= -i64::from(win.score),
                    (2, _, Some(draw)) => {
                        let within = -i64::from(draw.score)..=i64::from(draw.score);
                        let counts = ply as u64 >= u64::from(draw.after);
                        counts && within.contains(&at_least) && within.contains(&at_most)
                    }
                    _ => false,
                }
            });
            match holds {
                true => {
                    *count += 1;
                    sides[usize::from(side.0)] = true;
                }
                false => (*count, *sides) = (0, [false; 2]),
            }
        }
    }
    let agreed = |kind: usize, plies: u32| runs[kind].1 == [true; 2] && runs[kind].0 >= plies;
    let wins = |side: usize| rules.win.is_some_and(|win| agreed(side, win.plies));
    let resigns = |side: usize| rules.resign.is_some_and(|rule| behind[side] >= rule.moves);
    match () {
        () if wins(0) => Some("0".into()),
        () if wins(1) => Some("1".into()),
        () if resigns(0) => Some("1".into()),
        () if resigns(1) => Some("0".into()),
        () if rules.draw.is_some_and(|draw| agreed(2, draw.plies)) => Some("draw".into()),
        () => None,
    }
}

fn verdict_text(verdict: Option<ScoreVerdict>) -> Option<String> {
    verdict.map(|verdict| match verdict {
        ScoreVerdict::Win(side, _) => side.0.to_string(),
        ScoreVerdict::Resign(side, _) => side.other().0.to_string(),
        ScoreVerdict::Draw(_) => "draw".into(),
    })
}

prop_compose! {
    fn any_rules()(
        draw_score in 0..20_i32,
        more in 1..20_i32,
        plies in 2..6_u32,
        draw_plies in 2..6_u32,
        after in 0..6_u32,
        which in 0..3_u8,
        moves in proptest::option::of(1..5_u32),
        solver in proptest::option::of(1..99_u32),
    ) -> Adjudication {
        let win = WinRule { score: draw_score + more, plies };
        let draw = DrawRule { score: draw_score, plies: draw_plies, after };
        let resign = moves.map(|moves| ResignRule { score: draw_score + more, moves });
        Adjudication {
            resign,
            win: (which != 1).then_some(win),
            draw: (which != 2).then_some(draw),
            solver,
        }
    }
}

/// A valid or almost valid part of a text.
fn any_part() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "win=[0-9]{1,3}/[0-9]{1,2}",
        3 => "draw=[0-9]{1,2}/[0-9]{1,2}(@[0-9]{1,2})?",
        3 => "resign=[0-9]{1,3}/[0-9]{1,2}",
        3 => "solver=[0-9]{1,2}",
        1 => "(win|resign|draw|solver|none)[=/@0-9é -]{0,8}",
    ]
}

/// Scores from side 0's view, often the same ones, since the rules count runs.
fn any_score() -> impl Strategy<Value = Option<(i32, char)>> {
    let value = prop_oneof![4 => Just(40), 4 => Just(-40), 4 => Just(0), 2 => -45..45_i32];
    let bound = prop_oneof![8 => Just(' '), 1 => Just('!'), 1 => Just('+'), 1 => Just('-')];
    prop_oneof![1 => Just(None), 12 => (value, bound).prop_map(Some)]
}

fn any_scores() -> impl Strategy<Value = Vec<(u8, Option<(i32, char)>)>> {
    let run = (any_score(), 1..7_usize).prop_map(|(score, times)| vec![score; times]);
    let runs = proptest::collection::vec(run, 0..6).prop_map(|runs| runs.concat());
    (runs, any::<u64>(), any::<bool>()).prop_map(|(scores, skips, turns)| {
        let side = |ply: usize| if turns { ply as u8 & 1 } else { (skips >> (ply % 64)) as u8 & 1 };
        scores.into_iter().enumerate().map(|(ply, score)| (side(ply), score)).collect()
    })
}

fn side_score((side, score): &(u8, Option<(i32, char)>)) -> SideScore {
    let score = score.map(|(value, bound)| {
        // From the mover's view.
        let value = if *side == 0 { value } else { -value };
        super::score(format!("{value}{bound}").trim())
    });
    SideScore { side: Side(*side), score }
}

proptest! {
    #[test]
    fn written_texts_are_read_back(rules in any_rules()) {
        prop_assert_eq!(rules.to_string().parse(), Ok(rules));
        let json = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Adjudication>(&json).unwrap(), rules);
    }

    #[test]
    fn any_text_is_rules_or_an_error(parts in proptest::collection::vec(any_part(), 0..4)) {
        let text = parts.join(",");
        if let Ok(rules) = text.parse::<Adjudication>() {
            prop_assert_eq!(rules.check(), Ok(()));
            prop_assert_eq!(rules.to_string().parse(), Ok(rules));
        }
    }

    #[test]
    fn verdicts_equal_the_reference(rules in any_rules(), scores in any_scores()) {
        let scores: Vec<_> = scores.iter().map(side_score).collect();
        let found = verdict(&rules, scores.iter().copied());
        prop_assert_eq!(verdict_text(found), reference(&rules, &scores));
    }

    /// A bout ends as soon as the scores of the moves that stand suffice, whatever was undone
    /// before.
    #[test]
    fn bouts_end_when_the_reference_has_a_verdict(
        rules in any_rules(),
        scores in any_scores(),
        undone in proptest::collection::vec(0..12_u8, 40),
    ) {
        let rules = Adjudication { solver: None, ..rules };
        let mut referee = endless(EE, &rules.to_string());
        let mut out = Vec::new();
        referee.handle(0, Event::Begin, &mut out);
        let mut standing: Vec<SideScore> = Vec::new();
        for ((_, score), undo) in scores.into_iter().zip(undone) {
            let Some((player, Some(call))) = referee.to_move() else { break };
            let score = side_score(&(player as u8, score));
            let line = score.score.map(|it| Line { score: Some(it), ..Line::default() });
            let decision = Decision::Play("1".into());
            let choice = Choice { decision, offers_draw: false, line };
            let response = ChooseResponse { choice, spent: Usage::default() };
            let event = Event::Answered { player, call, response, reported: Vec::new() };
            referee.handle(0, event, &mut out);
            standing.push(score);
            let expected = reference(&rules, &standing);
            let found = referee.result().map(|result| {
                result.winner.map_or("draw".to_owned(), |side| side.to_string())
            });
            prop_assert_eq!(&found, &expected);
            if found.is_none() && (1..4).contains(&undo) && usize::from(undo) <= standing.len() {
                referee.handle(0, Event::Undo { plies: Some(undo.into()), by: None }, &mut out);
                standing.truncate(standing.len() - usize::from(undo));
            }
        }
    }
}
