//! Early ends: their texts, what they make of what engines say, and bouts that end by them, each
//! with its near miss.

use proptest::prelude::*;

use super::super::adjudication::{Said, Verdict, verdict};
use super::*;

const EE: &str = "e:none e:none";

fn rules(text: &str) -> Adjudication {
    text.parse().unwrap()
}

#[test]
fn texts_and_what_is_none() {
    let check = |text: &str, expected: &str| match text.parse::<Adjudication>() {
        Ok(rules) => assert_eq!(rules.to_string(), expected, "{text}"),
        Err(error) => {
            let told = error.to_string();
            assert!(!expected.is_empty() && told.contains(expected), "{text}: {told}");
        }
    };
    check("none", "none");
    check("win=600/8", "win=600/8");
    check(" draw=10/8@40 , win=600/8", "win=600/8,draw=10/8@40");
    check("draw=0/2@0", "draw=0/2");
    check("exact=12,draw=10/8@40,win=600/8", "win=600/8,draw=10/8@40,exact=12");
    check("win=2147483647/4294967295", "win=2147483647/4294967295");
    check("", "``: it is empty; write none, win=SCORE/PLIES");
    check("win=600/8,", "``: it is empty");
    check("none,win=600/8", "`none`: it stands alone");
    check("win", "`win`: it has no value");
    check("won=600/8", "`won=600/8`: there is no such rule");
    check("win=600", "`win=600`: it does not say for how many plies");
    check("win=600/1", "`win=600/1`: 2 plies or more are needed for both sides to say so");
    check("draw=10/1", "`draw=10/1`: 2 plies or more");
    check("win=0/8", "`win=0/8`: a lead is 1 or more");
    check("win=1/2", "win=1/2");
    check("win=-600/8", "`win=-600/8`: its score is no whole number from 0 on");
    check("win=+600/8", "its score is no whole number from 0 on");
    check("win=2147483648/8", "its score is no whole number from 0 on");
    check("win=600/8@3", "what follows `/` is no number of plies");
    check("win=600/4294967296", "what follows `/` is no number of plies");
    check("draw=10/8@", "what follows `@` is no number of plies");
    check("exact=0", "`exact=0`: with nothing left it is over anyway");
    check("exact=x", "what follows `=` is no number");
    check("win=600/8,win=700/8", "`win=700/8`: it is there twice");
    check("draw=600/8,win=600/8", "a lead of 600 cannot win when 600 still is a draw");
    check("draw=599/8,win=600/8", "win=600/8,draw=599/8");
    check(&"é".repeat(100), &format!("`{}…`", "é".repeat(32)));
}

#[test]
fn records_leave_out_what_is_none() {
    let json = |settings: &Settings| serde_json::to_string(settings).unwrap();
    let off = Settings::default();
    assert!(!json(&off).contains("adjudication"), "{}", json(&off));
    let on = Settings { adjudication: rules("win=600/8,exact=3"), ..off };
    assert!(json(&on).ends_with(r#""adjudication":"win=600/8,exact=3"}"#), "{}", json(&on));
    for settings in [off, on] {
        assert_eq!(serde_json::from_str::<Settings>(&json(&settings)).unwrap(), settings);
    }
    let error = serde_json::from_str::<Settings>(r#"{"adjudication": "win=600"}"#).unwrap_err();
    assert!(error.to_string().contains("it does not say for how many plies"), "{error}");
}

#[test]
fn games_that_nobody_solves_are_refused() {
    let check = |game: &str, variant: &str, exact: u32, expected: &str| {
        let info = sandboard_games::game(game).unwrap_or(&COUNTING);
        let game = (info.new)(&info.variant(variant).unwrap(), None).unwrap();
        let adjudication = Adjudication { exact: Some(exact), ..Adjudication::NONE };
        let setup = |player: u8| PlayerSetup {
            name: String::new(),
            seats: (player..info.seats).step_by(2).collect(),
            budget: Default::default(),
            kind: PlayerKind::Engine,
            ponder_threads: None,
        };
        let settings = Settings { adjudication, ..Settings::default() };
        let made = Referee::new(game, vec![setup(0), setup(1)], settings);
        let told = made.err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(told, expected);
    };
    check("bridge", "", 13, "");
    check("bridge", "double-dummy-5", 13, "");
    check("reversi", "", 16, "");
    check(
        "reversi",
        "",
        17,
        "adjudication: `exact=17`: at most 16 empty squares of reversi can be solved",
    );
    let solved = "bridge (tricks left, up to 13), reversi (empty squares left, up to 16)";
    let none = |game: &str| {
        format!("adjudication: `exact=9`: no ending of {game} is solved here, but of {solved}")
    };
    check("reversi", "standard-6", 9, &none("reversi standard-6"));
    check("gomoku", "", 9, &none("gomoku freestyle-15"));
    check("counting", "", 9, &none("counting to-21"));
    check(
        "reversi",
        "",
        0,
        &format!(
            "adjudication: `exact=0`: with nothing left it is over anyway; write {ADJUDICATION_FORMS}"
        ),
    );
}

/// What was said of the moves of a bout, in the order of the moves, sides in turn but where a
/// word begins with `=`, as the one before; `?` is a move of which nothing was said.
fn said(text: &str) -> Vec<Option<Said>> {
    let mut side = Side(1);
    let one = |word: &str| {
        side = if word.starts_with('=') { side } else { side.other() };
        let word = word.trim_start_matches('=');
        (word != "?").then(|| Said { side, score: score(word) })
    };
    text.split_whitespace().map(one).collect()
}

#[test]
fn what_engines_agree_on() {
    let check = |text: &str, words: &str, expected: &str| {
        let found = match verdict(&rules(text), said(words).into_iter()) {
            None => "goes on".to_owned(),
            Some(Verdict::Win(side, _)) => format!("side {} wins", side.0),
            Some(Verdict::Draw(_)) => "draw".into(),
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
    // A proved score and a bound count where they say it.
    check(win, "600! -600! 600+ -600-", "side 0 wins");
    check(win, "600 -600 600- -600", "goes on");
    check(win, "600 -600 600 -600+", "goes on");
    check(win, "-600- 600+ -600! 600", "side 1 wins");
    // Of both sides: who moves again has not heard the other.
    check(win, "600 =600 =600 =600", "goes on");
    check(win, "600 =600 =600 -600", "side 0 wins");
    check("win=600/2", "-600 600 =600 =600", "side 1 wins");
    // The worst number has no opposite.
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
    // A lead goes before.
    check("win=20/2,draw=10/2", "20 -20", "side 0 wins");
    check("win=20/2,draw=10/2", "10 -10", "draw");
    check("win=20/2,draw=10/2", "15 -15", "goes on");
    check("none", "600 -600 600 -600", "goes on");
}

fn endless(players: &str, adjudication: &str) -> Referee {
    let variant = COUNTING.variant("endless").unwrap();
    let settings = Settings { adjudication: rules(adjudication), ..Settings::default() };
    referee_of((COUNTING.new)(&variant, None).unwrap(), players, settings)
}

#[test]
fn bouts_that_end_by_what_engines_say() {
    let referee = check_from(
        endless(EE, "win=600/3"),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 1 says 700 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         2 move 1 #2 1 says -700 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #3
         3 move 0 #3 1 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #4
         4 move 1 #4 1 says -600 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #5
         5 move 0 #5 1 says 600! => 0 moved 1, tell 0 1, tell 1 1, ask 1 #6
         6 move 1 #6 1 says -601- => 1 moved 1, tell 0 1, tell 1 1, end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more for 3 plies
         7 undo 1 => no: the bout is over; another one may start from any of its plies",
    );
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Adjudicated { by: Adjudicator::Win });
    assert_eq!((result.score, result.half_points(Side(0))), (None, Some(2)));
    let referee = check_from(
        endless("e:1s e:1s", "draw=10/2@1"),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1 left 1000000
         1 move 0 #1 1 says 1 => 0 moved 1, tell 0 1, tell 1 1, arm 2050002, ask 1 #2 left 1000000
         2 move 1 #2 1 says 1 => 1 moved 1, tell 0 1, tell 1 1, arm 2050003, ask 0 #3 left 1000000
         3 move 0 #3 1 says 1 => 0 moved 1, tell 0 1, tell 1 1, disarm, end: nobody: draw by adjudication: both sides saw nobody ahead by more than 10 for 2 plies",
    );
    let json = serde_json::to_string(referee.result().unwrap()).unwrap();
    assert!(json.contains(r#""termination":"adjudicated","by":"draw""#), "{json}");
    assert!(referee.result().unwrap().is_draw());
    // The rules come first, and the limit of plies last.
    let settings = |plies_max| {
        let adjudication = rules("win=600/2");
        Settings { adjudication, plies_max, ..Settings::default() }
    };
    check(
        EE,
        settings(20),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 9 => 0 moved 9, tell 0 9, tell 1 9, ask 1 #2
         0 move 1 #2 9 says -700 => 1 moved 9, tell 0 9, tell 1 9, ask 0 #3
         0 move 0 #3 2 says 700 => 0 moved 2, tell 0 2, tell 1 2, end: nobody: draw: twenty",
    );
    check(
        EE,
        settings(2),
        "0 begin => began, start 0, start 1, ask 0 #1
         0 move 0 #1 1 says 700 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         0 move 1 #2 1 says -700 => 1 moved 1, tell 0 1, tell 1 1, end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more for 2 plies",
    );
}

#[test]
fn nobody_ends_a_persons_bout_early() {
    check_from(
        endless("e:none p:none", "win=600/2"),
        "0 begin => began, start 0, ask 0 #1
         1 move 0 #1 1 says 700 => 0 moved 1, tell 0 1, ask 1 #2
         2 move 1 #2 1 says -700 => 1 moved 1, tell 0 1, ask 0 #3
         3 move 0 #3 1 says 700 => 0 moved 1, tell 0 1, ask 1 #4",
    );
}

#[test]
fn moves_that_were_undone_say_nothing_any_more() {
    check_from(
        endless(EE, "win=600/3"),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 1 says 700 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #2
         2 move 1 #2 1 says -700 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #3
         3 undo 1 => stop 0 #3, back 0 1, back 1 1, undone 1, ask 1 #4
         4 move 1 #4 1 says 0 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #5
         5 move 0 #5 1 says 700 => 0 moved 1, tell 0 1, tell 1 1, ask 1 #6
         6 undo 2 => stop 1 #6, back 0 2, back 1 2, undone 2, ask 1 #7
         7 move 1 #7 1 says -700 => 1 moved 1, tell 0 1, tell 1 1, ask 0 #8
         8 move 0 #8 1 says 700 => 0 moved 1, tell 0 1, tell 1 1, end: side 0: n0 (odd) wins by adjudication: both sides saw it ahead by 600 or more for 3 plies",
    );
}

/// Two tricks: North's ace takes one, the other is East's king's.
fn deal(players: &str, exact: u32) -> Referee {
    let info = sandboard_games::game("bridge").unwrap();
    let variant = info.variant("double-dummy-2").unwrap();
    let game = (info.new)(&variant, Some("N:A2... K3... Q4... J5... NT N -")).unwrap();
    let adjudication = Adjudication { exact: Some(exact), ..Adjudication::NONE };
    referee_of(game, players, Settings { adjudication, ..Settings::default() })
}

const TRICK: &str = "0 begin => began, start 0, start 1, ask 0 #1
    1 move 0 #1 SA => 0 moved SA, tell 0 SA, tell 1 SA, ask 1 #2
    2 move 1 #2 S3 => 1 moved S3, tell 0 S3, tell 1 S3, ask 0 #3
    3 move 0 #3 S4 => 0 moved S4, tell 0 S4, tell 1 S4, ask 1 #4
    3 settle #4 0 => no: the bout is not being settled, or not any more\n";

#[test]
fn bouts_that_perfect_play_ends() {
    let last = "4 move 1 #4 S5 => 1 moved S5, tell 0 S5, tell 1 S5, settle #5\n";
    let end = "5 settle #5 0 => end: nobody: draw by adjudication: perfect play from here gives NS 1 and EW 1
        6 settle #5 0 => no: the bout is over; another one may start from any of its plies";
    let referee = check_from(deal(EE, 1), &[TRICK, last, end].concat());
    let result = referee.result().unwrap();
    assert_eq!(result.termination, Termination::Adjudicated { by: Adjudicator::Exact });
    assert_eq!((result.winner, result.score), (None, Some(0)));
    let settled = Incident { at_ply: 4, what: What::Settled { score: 0 } };
    assert_eq!(referee.incidents().last(), Some(&settled));
    // What cannot be is refused, and what can is waited for.
    let refused = "5 settle #4 0 => no: the bout is not being settled, or not any more
        5 settle #5 -2 => no: the game cannot end with a score of -2
        5 settle #5 1 => no: the game cannot end with a score of 1
        5 pause => paused
        5 resume => resumed
        5 settle #5 2 => end: side 0: n0 (NS) wins by adjudication: perfect play from here gives NS 2 and EW 0";
    let referee = check_from(deal(EE, 1), &[TRICK, last, refused].concat());
    assert_eq!(referee.result().unwrap().score, Some(2));
    // Moves may be taken back meanwhile, and whoever goes on begins to think.
    let undone = "5 undo 1 => back 0 1, back 1 1, undone 1, ask 1 #6
        6 settle #5 0 => no: the bout is not being settled, or not any more
        7 move 1 #6 S5 => 1 moved S5, tell 0 S5, tell 1 S5, settle #7
        8 settle #7 0 => end: nobody: draw by adjudication: perfect play from here gives NS 1 and EW 1";
    check_from(deal(EE, 1), &[TRICK, last, undone].concat());
    // An engine that fails as it is told of the move has lost before.
    let fault = "5 fault 1 crash => 1 fault crash, end: side 0: n1 (EW) loses: it did it
        6 settle #5 0 => no: the bout is over; another one may start from any of its plies";
    check_from(deal(EE, 1), &[TRICK, last, fault].concat());
    // Two tricks are left after the first card, too, but not before it.
    check_from(
        deal(EE, 2),
        "0 begin => began, start 0, start 1, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, tell 0 SA, tell 1 SA, settle #2",
    );
    // No clock runs meanwhile.
    check_from(
        deal("e:1s/move e:1s/move", 2),
        "0 begin => began, start 0, start 1, arm 2050001, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, tell 0 SA, tell 1 SA, disarm, settle #2
         9000000 tick =>",
    );
    // A person plays on.
    check_from(
        deal("e:none p:none", 2),
        "0 begin => began, start 0, ask 0 #1
         1 move 0 #1 SA => 0 moved SA, tell 0 SA, ask 1 #2",
    );
}

/// Counts forwards what `verdict` counts backwards: how long what is said last has been said.
fn twin(rules: &Adjudication, said: &[Option<Said>]) -> Option<String> {
    let mut runs = [(0_u32, [false; 2]); 3];
    for (ply, said) in said.iter().enumerate() {
        for (kind, (count, sides)) in runs.iter_mut().enumerate() {
            let holds = said.is_some_and(|Said { side, score }| {
                let own = i64::from(score.value);
                let (at_least, at_most) = match score.bound {
                    Bound::Estimate | Bound::Exact => (own, own),
                    Bound::AtLeast => (own, i64::MAX),
                    Bound::AtMost => (i64::MIN, own),
                };
                // A value anywhere between these is one that the rule takes.
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
            match said.filter(|_| holds) {
                Some(said) => {
                    *count += 1;
                    sides[usize::from(said.side.0)] = true;
                }
                None => (*count, *sides) = (0, [false; 2]),
            }
        }
    }
    let agreed = |kind: usize, plies: u32| runs[kind].1 == [true; 2] && runs[kind].0 >= plies;
    let wins = |side: usize| rules.win.is_some_and(|win| agreed(side, win.plies));
    match () {
        () if wins(0) => Some("0".into()),
        () if wins(1) => Some("1".into()),
        () if rules.draw.is_some_and(|draw| agreed(2, draw.plies)) => Some("draw".into()),
        () => None,
    }
}

fn told(verdict: Option<Verdict>) -> Option<String> {
    verdict.map(|verdict| match verdict {
        Verdict::Win(side, _) => side.0.to_string(),
        Verdict::Draw(_) => "draw".into(),
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
        exact in proptest::option::of(1..99_u32),
    ) -> Adjudication {
        let win = WinRule { score: draw_score + more, plies };
        let draw = DrawRule { score: draw_score, plies: draw_plies, after };
        Adjudication {
            win: (which != 1).then_some(win),
            draw: (which != 2).then_some(draw),
            exact,
        }
    }
}

/// A part of a text, or nearly one.
fn any_part() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "win=[0-9]{1,3}/[0-9]{1,2}",
        3 => "draw=[0-9]{1,2}/[0-9]{1,2}(@[0-9]{1,2})?",
        3 => "exact=[0-9]{1,2}",
        1 => "(win|draw|exact|none)[=/@0-9é -]{0,8}",
    ]
}

/// Often the same again, for that is what rules wait for; from side 0's view.
fn any_score() -> impl Strategy<Value = Option<(i32, char)>> {
    let value = prop_oneof![4 => Just(40), 4 => Just(-40), 4 => Just(0), 2 => -45..45_i32];
    let bound = prop_oneof![8 => Just(' '), 1 => Just('!'), 1 => Just('+'), 1 => Just('-')];
    prop_oneof![1 => Just(None), 12 => (value, bound).prop_map(Some)]
}

fn any_said() -> impl Strategy<Value = Vec<(u8, Option<(i32, char)>)>> {
    let run = (any_score(), 1..7_usize).prop_map(|(score, times)| vec![score; times]);
    let runs = proptest::collection::vec(run, 0..6).prop_map(|runs| runs.concat());
    (runs, any::<u64>(), any::<bool>()).prop_map(|(scores, skips, turns)| {
        let side = |ply: usize| if turns { ply as u8 & 1 } else { (skips >> (ply % 64)) as u8 & 1 };
        scores.into_iter().enumerate().map(|(ply, score)| (side(ply), score)).collect()
    })
}

fn of_side((side, score): &(u8, Option<(i32, char)>)) -> Option<Said> {
    let (value, bound) = (*score)?;
    // As the mover sees it.
    let value = if *side == 0 { value } else { -value };
    Some(Said { side: Side(*side), score: super::score(format!("{value}{bound}").trim()) })
}

proptest! {
    #[test]
    fn texts_are_read_as_they_are_written(rules in any_rules()) {
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
    fn verdicts_are_those_of_the_twin(rules in any_rules(), said in any_said()) {
        let said: Vec<_> = said.iter().map(of_side).collect();
        prop_assert_eq!(told(verdict(&rules, said.iter().copied())), twin(&rules, &said));
    }

    /// A bout ends just when what was said of the moves that stand is enough, whatever was undone
    /// on the way.
    #[test]
    fn bouts_end_when_the_twin_says_so(
        rules in any_rules(),
        said in any_said(),
        undone in proptest::collection::vec(0..12_u8, 40),
    ) {
        let rules = Adjudication { exact: None, ..rules };
        let mut referee = endless(EE, &rules.to_string());
        let mut out = Vec::new();
        referee.handle(0, Event::Begin, &mut out);
        let mut standing: Vec<Option<Said>> = Vec::new();
        for ((_, score), undo) in said.into_iter().zip(undone) {
            let Some((player, Some(call))) = referee.to_move() else { break };
            let said = of_side(&(player as u8, score));
            let line = said.map(|said| Line { score: Some(said.score), ..Line::default() });
            let decision = Decision::Play("1".into());
            let choice = Choice { decision, offers_draw: false, line };
            let (spent, reported) = (Spent::default(), Vec::new());
            let event = Event::Chosen { player, call, choice, spent, reported };
            referee.handle(0, event, &mut out);
            standing.push(said);
            let expected = twin(&rules, &standing);
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
