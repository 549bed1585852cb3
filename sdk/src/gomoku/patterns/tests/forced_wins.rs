//! Claimed wins played out by the rules against every answer, known tactics, and near misses.

use sandboard_games::Rules;
use sandboard_games::gomoku::{Gomoku, INFO, Move};

use super::{PatternAnalyzer, Skill, position};
use crate::analyzer::{Analyzer, ForcedWin, ProofEffort};
use crate::gomoku::{PATTERN_WEIGHTS, StrongGomokuSearch};
use crate::{Host, SearchTask, Switches, WIN_BOUND, Weights};
use proptest::prelude::*;
use sandboard_abi::{Bound, Limits};

fn forced(position: &Gomoku, effort: ProofEffort) -> Option<ForcedWin<Move>> {
    let mut analyzer = PatternAnalyzer::default();
    analyzer.reset(position);
    analyzer.forced_win(position, effort, &mut || true)
}

/// Whether the side to move wins by at most this many fours, by the rules alone.
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

/// Checks that `first` wins against every legal answer. The winner's later moves are those that the
/// analyzer claims. How long it takes is not compared: a proof that begins at a later position may
/// find another win, which is not always the shortest.
fn check_win(position: &Gomoku, first: Move) -> Result<(), String> {
    let mut after = position.clone();
    if !after.is_legal(first) {
        return Err(format!("{first} is forbidden"));
    }
    after.make(first);
    if after.outcome().is_some() {
        let won = after.outcome().unwrap().winner == Some(Gomoku::side(position.to_move()));
        return if won { Ok(()) } else { Err(format!("{first} ends otherwise")) };
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
        let Some(reply) = forced(&next, ProofEffort::Root(20_000)) else {
            return Err(format!("{first} {answer}: no win"));
        };
        // Short wins by fours are confirmed by the independent search.
        if reply.plies <= 5 && !wins_by_fours(&next, 2) {
            check_win(&next, reply.first)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn vcf_agrees_with_the_rules(
        choices in prop::collection::vec(any::<u8>(), 8..26),
        variant in prop::sample::select(&["freestyle-7", "standard-7", "renju-8", "caro-7"][..]),
    ) {
        let position = crate::search::tests::random_game(variant, &choices);
        let weights = Weights::new(&PATTERN_WEIGHTS);
        let skill = Skill { vct: false, ..Skill::ALL };
        let mut analyzer = PatternAnalyzer::new(&weights, skill, 1 << 16);
        analyzer.reset(&position);
        let found = analyzer.forced_win(&position, ProofEffort::Root(400_000), &mut || true);
        if position.outcome().is_none() && position.rule().blocked_five_wins() {
            prop_assert_eq!(found.is_some(), wins_by_fours(&position, 12), "{:?}", found);
        }
        if let Some(found) = found {
            prop_assert!(found.proved);
            let mut line = Vec::new();
            analyzer.forced_line(&position, &mut line);
            prop_assert_eq!(line[0], found.first);
            replay(&position, &line, found.plies);
        }
    }

    #[test]
    fn claimed_wins_by_threats_hold_against_every_answer(
        choices in prop::collection::vec(any::<u8>(), 6..14),
        variant in prop::sample::select(&["freestyle-8", "standard-8", "renju-9"][..]),
    ) {
        prop_assert_eq!(check_claim(variant, &choices), Ok(()));
    }
}

/// Checks the win that is claimed after these moves, if it takes 4 to 9 plies.
fn check_claim(variant: &str, choices: &[u8]) -> Result<(), String> {
    let position = crate::search::tests::random_game(variant, choices);
    let mut analyzer = PatternAnalyzer::default();
    analyzer.reset(&position);
    let found = analyzer.forced_win(&position, ProofEffort::Root(2_000), &mut || true);
    let Some(found) = found.filter(|found| found.plies > 3 && found.plies < 10) else {
        return Ok(());
    };
    let mut line = Vec::new();
    analyzer.forced_line(&position, &mut line);
    replay(&position, &line, found.plies);
    check_win(&position, found.first)
}

/// After d5 d2 a proof of its own finds a win in 11 plies, although c4 wins in 7.
#[test]
fn a_later_proof_may_be_longer() {
    let choices = [48, 64, 62, 60, 187, 51, 233, 35, 22, 82, 83, 66, 193];
    assert_eq!(check_claim("renju-9", &choices), Ok(()));
}

/// Plays a line by the rules. It may stop early, but must not be longer than `plies`.
fn replay(position: &Gomoku, line: &[Move], plies: u32) {
    let mut board = position.clone();
    for mv in line {
        assert!(board.outcome().is_none(), "{line:?} goes on after the end");
        board.play(&mv.to_string()).unwrap();
    }
    assert!(line.len() as u32 <= plies, "{line:?} takes more than {plies}");
}

#[track_caller]
fn check(variant: &str, text: &str, effort: ProofEffort, expected: Option<(&str, u32)>) {
    let found = forced(&position(variant, text), effort);
    let found = found.map(|found| (found.first.to_string(), found.plies));
    assert_eq!(found, expected.map(|(first, plies)| (first.to_owned(), plies)));
}

#[test]
fn wins_and_their_near_misses() {
    let (leaf, root) = (ProofEffort::Leaf, ProofEffort::Root(10_000));
    check("freestyle", "9/9/9/9/1xxxx4/9/9/oooo5/9 b", leaf, Some(("a5", 1)));
    check("freestyle", "9/9/9/9/2xxx4/9/9/9/2ooo4 b", leaf, Some(("b5", 3)));
    // The opponent's five comes first.
    check("freestyle", "9/9/9/9/2xxx4/9/9/9/xoooo4 b", root, None);
    // A five between two stones of the other wins, but not in caro; a six does not.
    check("standard", "9/9/9/9/oxxx1xoo1/9/9/9/9 b", leaf, Some(("e5", 1)));
    check("caro", "9/9/9/9/oxxx1xoo1/9/9/9/9 b", leaf, None);
    check("standard", "9/9/9/9/oxxx1xxo1/9/9/9/9 b", leaf, None);
    // Two open threes at once win in freestyle; in renju they are forbidden for black.
    let fork = "9/9/5x3/5x3/9/2xx5/9/9/9 b";
    check("freestyle-9", fork, root, Some(("f4", 5)));
    // A four from white's own three only delays the win, unless it makes two fours.
    check("freestyle-9", "ooo6/9/5x3/5x3/9/2xx5/9/9/9 b", root, Some(("f4", 7)));
    // If it makes two fours, the fork does not win; nor does it win where it is forbidden.
    let two_fours = "ooo6/3o5/3o1x3/3o1x3/9/2xx5/9/9/9 b";
    for (variant, text) in [("freestyle-9", two_fours), ("renju-9", fork)] {
        let other = forced(&position(variant, text), root).map(|found| found.first.to_string());
        assert_ne!(other.as_deref(), Some("f4"), "{variant} {text}");
    }
}

#[test]
fn a_proof_takes_a_node_before_each_move_and_stops() {
    let text = "15/15/15/15/15/7x7/6xox6/6oxo6/7x7/8o6/15/15/15/15/15 b";
    let position = position("freestyle", text);
    for nodes in [0, 1, 7, 100] {
        let mut analyzer = PatternAnalyzer::default();
        analyzer.reset(&position);
        let mut calls = 0;
        let mut take_node = || {
            calls += 1;
            calls <= nodes
        };
        analyzer.forced_win(&position, ProofEffort::Root(1_000_000), &mut take_node);
        assert!(calls <= nodes + 60, "{calls} of {nodes}");
        assert!(analyzer.threat_map.is_up_to_date(&position));
    }
}

/// Both colours' proofs are in the same table, and must not be confused.
#[test]
fn proofs_of_one_colour_do_not_count_for_the_other() {
    // After black's proof, white's search reaches positions of that proof.
    let mut game = position("freestyle-9", "ooo6/9/5x3/5x3/9/2xx5/9/9/9 b");
    let mut analyzer = PatternAnalyzer::default();
    analyzer.reset(&game);
    let won = analyzer.forced_win(&game, ProofEffort::Root(20_000), &mut || true).unwrap();
    game.make(won.first);
    analyzer.reset(&game);
    assert_eq!(analyzer.forced_win(&game, ProofEffort::Root(20_000), &mut || true), None);
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
    let task = SearchTask { limits: &limits, barred: &[], host: &Host::null() };
    let found = StrongGomokuSearch::new(Switches::ALL, 1 << 22).run(&position, task);
    let score = found.line.score.unwrap();
    let best = found.best.unwrap();
    // Wins by fours alone are always found, and are exact.
    if record["kind"] == "vcf" {
        assert!(score.value >= WIN_BOUND && score.bound == Bound::Exact, "{record}");
        replay(&position, &found.expected, (30_000 - score.value) as u32);
    }
    let known = record["best"].as_array().unwrap();
    let listed = known.iter().any(|mv| mv.as_str() == Some(&best.to_string()));
    // Short wins that are not listed are played out.
    let short = score.value >= 30_000 - 9;
    if listed || short && check_win(&position, best).is_ok() {
        return Ok(());
    }
    Err(format!("{}: {:?}", record["id"], found.line))
}
