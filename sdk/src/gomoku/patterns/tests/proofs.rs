//! Wins that are claimed, played out by the rules against every answer; the
//! known tactics; and near misses.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Gomoku, INFO, Move};

use super::{Patterns, Skill, position};
use crate::analyzer::{Analyzer, Effort, Forced};
use crate::gomoku::{PATTERN_WEIGHTS, StrongGomokuSearch};
use crate::{Host, Switches, Task, WIN_BOUND, Weights};
use proptest::prelude::*;
use sandboard_abi::{Bound, Limits};

fn forced(position: &Gomoku, effort: Effort) -> Option<Forced<Move>> {
    let mut patterns = Patterns::default();
    patterns.reset(position);
    patterns.forced_win(position, effort, &mut || true)
}

/// Whether the side to move wins by so many fours at most: by the rules alone,
/// without what patterns keep.
fn wins_by_fours(position: &Gomoku, fours: u32) -> bool {
    let mover = position.color_to_move();
    let legal = |position: &Gomoku, point| position.is_legal(Move::Stone(point));
    if !position.winning_points(mover).is_empty() {
        return true;
    }
    let stops: Vec<_> = position.winning_points(mover.other()).iter().collect();
    if fours == 0 || stops.len() > 1 {
        return false;
    }
    position.empty_points().any(|point| {
        if stops.first().is_some_and(|&stop| stop != point) || !legal(position, point) {
            return false;
        }
        let mut after = position.clone();
        after.make(Move::Stone(point));
        let fives: Vec<_> = after.winning_points(mover).iter().collect();
        let Some(&five) = fives.first() else { return false };
        if !after.winning_points(mover.other()).is_empty() {
            return false;
        }
        if fives.len() > 1 || !legal(&after, five) {
            return true;
        }
        after.make(Move::Stone(five));
        after.outcome().is_none() && wins_by_fours(&after, fours - 1)
    })
}

/// Whether the side to move wins within so many plies against every legal
/// answer: its own moves are those that are claimed, its opponent's all.
fn holds(position: &Gomoku, first: Move, plies: u32) -> Result<(), String> {
    let mut after = position.clone();
    if !after.is_legal(first) {
        return Err(format!("{first} is forbidden"));
    }
    after.make(first);
    if after.outcome().is_some() {
        let won = after.outcome().unwrap().winner == Some(Gomoku::side(position.to_move()));
        return if won { Ok(()) } else { Err(format!("{first} ends otherwise")) };
    }
    if plies < 3 {
        return Err(format!("{first} is too slow"));
    }
    for answer in after.empty_points().collect::<Vec<_>>() {
        if !after.is_legal(Move::Stone(answer)) {
            continue;
        }
        let mut next = after.clone();
        next.make(Move::Stone(answer));
        if next.outcome().is_some() {
            return Err(format!("{first} {answer} ends"));
        }
        let Some(reply) = forced(&next, Effort::Study(20_000)) else {
            return Err(format!("{first} {answer}: no win"));
        };
        if reply.plies > plies - 2 {
            return Err(format!("{first} {answer}: {} plies", reply.plies));
        }
        // What fours do, an independent search confirms.
        if reply.plies <= 5 && !wins_by_fours(&next, 2) {
            holds(&next, reply.first, reply.plies)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn fours_win_exactly_where_the_rules_say_so(
        choices in prop::collection::vec(any::<u8>(), 8..26),
        variant in prop::sample::select(&["freestyle-7", "standard-7", "renju-8", "caro-7"][..]),
    ) {
        let position = crate::search::tests::random_game(variant, &choices);
        let weights = Weights::new(&PATTERN_WEIGHTS);
        let skill = Skill { threes: false, ..Skill::ALL };
        let mut patterns = Patterns::new(&weights, skill, 1 << 16);
        patterns.reset(&position);
        let found = patterns.forced_win(&position, Effort::Study(400_000), &mut || true);
        if position.outcome().is_none() && position.rule().blocked_five_wins() {
            prop_assert_eq!(found.is_some(), wins_by_fours(&position, 12), "{:?}", found);
        }
        if let Some(found) = found {
            prop_assert!(found.proved);
            let mut line = Vec::new();
            patterns.forced_line(&position, &mut line);
            prop_assert_eq!(line[0], found.first);
            replay(&position, &line, found.plies);
        }
    }

    #[test]
    fn claimed_wins_by_threes_hold_against_every_answer(
        choices in prop::collection::vec(any::<u8>(), 6..14),
        variant in prop::sample::select(&["freestyle-8", "standard-8", "renju-9"][..]),
    ) {
        let position = crate::search::tests::random_game(variant, &choices);
        let found = forced(&position, Effort::Study(2_000));
        if let Some(found) = found.filter(|found| found.plies > 3 && found.plies < 10) {
            prop_assert_eq!(holds(&position, found.first, found.plies + 2), Ok(()));
        }
    }
}

/// Plays a line by the rules; it may stop early, but goes on no longer than was said.
fn replay(position: &Gomoku, line: &[Move], plies: u32) {
    let mut board = position.clone();
    for mv in line {
        assert!(board.outcome().is_none(), "{line:?} goes on after the end");
        board.play(&mv.to_string()).unwrap();
    }
    assert!(line.len() as u32 <= plies, "{line:?} takes more than {plies}");
}

#[track_caller]
fn check(variant: &str, text: &str, effort: Effort, expected: Option<(&str, u32)>) {
    let found = forced(&position(variant, text), effort);
    let found = found.map(|found| (found.first.to_string(), found.plies));
    assert_eq!(found, expected.map(|(first, plies)| (first.to_owned(), plies)));
}

#[test]
fn wins_and_their_near_misses() {
    let (glance, study) = (Effort::Glance, Effort::Study(10_000));
    check("freestyle", "9/9/9/9/1xxxx4/9/9/oooo5/9 b", glance, Some(("a5", 1)));
    check("freestyle", "9/9/9/9/2xxx4/9/9/9/2ooo4 b", glance, Some(("b5", 3)));
    // The opponent's five comes first.
    check("freestyle", "9/9/9/9/2xxx4/9/9/9/xoooo4 b", study, None);
    // A five between two stones of the other wins, but not in caro; a six does not.
    check("standard", "9/9/9/9/oxxx1xoo1/9/9/9/9 b", glance, Some(("e5", 1)));
    check("caro", "9/9/9/9/oxxx1xoo1/9/9/9/9 b", glance, None);
    check("standard", "9/9/9/9/oxxx1xxo1/9/9/9/9 b", glance, None);
    // Two open threes at once, in freestyle and for white in renju; black may not.
    let fork = "9/9/5x3/5x3/9/2xx5/9/9/9 b";
    check("freestyle-9", fork, study, Some(("f4", 5)));
    // White has a three, too, and four of it is no more than a delay; but not if that is two fours.
    check("freestyle-9", "ooo6/9/5x3/5x3/9/2xx5/9/9/9 b", study, Some(("f4", 7)));
    // Then the fork does not win; nor where it is forbidden.
    let two_fours = "ooo6/3o5/3o1x3/3o1x3/9/2xx5/9/9/9 b";
    for (variant, text) in [("freestyle-9", two_fours), ("renju-9", fork)] {
        let other = forced(&position(variant, text), study).map(|found| found.first.to_string());
        assert_ne!(other.as_deref(), Some("f4"), "{variant} {text}");
    }
}

#[test]
fn a_search_for_proof_asks_before_each_move_and_stops() {
    let text = "15/15/15/15/15/7x7/6xox6/6oxo6/7x7/8o6/15/15/15/15/15 b";
    let position = position("freestyle", text);
    for nodes in [0, 1, 7, 100] {
        let mut patterns = Patterns::default();
        patterns.reset(&position);
        let mut asked = 0;
        let mut spend = || {
            asked += 1;
            asked <= nodes
        };
        patterns.forced_win(&position, Effort::Study(1_000_000), &mut spend);
        assert!(asked <= nodes + 60, "{asked} of {nodes}");
        assert!(patterns.cells.are_up_to_date(&position));
    }
}

/// The attacks of one colour are no proofs for the other, which the same table holds.
#[test]
fn what_one_colour_proves_the_other_does_not_take_for_his() {
    // Black attacks, white to move: white's own search meets positions of that proof.
    let mut game = position("freestyle-9", "ooo6/9/5x3/5x3/9/2xx5/9/9/9 b");
    let mut patterns = Patterns::default();
    patterns.reset(&game);
    let won = patterns.forced_win(&game, Effort::Study(20_000), &mut || true).unwrap();
    game.make(won.first);
    patterns.reset(&game);
    assert_eq!(patterns.forced_win(&game, Effort::Study(20_000), &mut || true), None);
}

#[test]
fn known_tactics_are_solved() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/gomoku/tactics.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let fixture: serde_json::Value = serde_json::from_str(&text).unwrap();
    let records = fixture["records"].as_array().unwrap();
    let failed: Vec<_> = records.iter().filter_map(|record| solve(record).err()).collect();
    assert_eq!(records.len(), 55);
    assert!(failed.len() <= 5, "{failed:#?}");
}

fn solve(record: &serde_json::Value) -> Result<(), String> {
    let variant = INFO.variant(record["rule"].as_str().unwrap()).unwrap();
    let mut position = Gomoku::start(&variant);
    for mv in record["moves"].as_array().unwrap() {
        position.play(mv.as_str().unwrap()).unwrap();
    }
    let limits = Limits { nodes: Some(40_000), ..Limits::default() };
    let task = Task { limits: &limits, barred: &[], host: &Host::none() };
    let found = StrongGomokuSearch::new(Switches::ALL, 1 << 22).run(&position, task);
    let score = found.line.score.unwrap();
    let best = found.best.unwrap();
    // Fours alone are found for certain, and their win is exact.
    if record["kind"] == "vcf" {
        assert!(score.value >= WIN_BOUND && score.bound == Bound::Exact, "{record}");
        replay(&position, &found.expected, (30_000 - score.value) as u32);
    }
    let known = record["best"].as_array().unwrap();
    let listed = known.iter().any(|mv| mv.as_str() == Some(&best.to_string()));
    // Wins that are not listed are played out, if they are short enough.
    let short = score.value >= 30_000 - 9;
    if listed || short && holds(&position, best, (30_000 - score.value) as u32 + 2).is_ok() {
        return Ok(());
    }
    Err(format!("{}: {:?}", record["id"], found.line))
}
