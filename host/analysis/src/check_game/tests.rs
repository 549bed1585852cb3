//! Tests of the check on the built-in games, and on wrong games that break one property at a time.

mod leaking_game;
mod wrong_game;

use sandboard_games::{GAMES, GameInfo};

use super::{GameCheckSettings, GameTarget, STEPS, StepReport, run};
use crate::check::{CheckObserver, StepOutcome};
use leaking_game::{Leak, leaking};
use wrong_game::{Wrong, wrong_bridge, wrong_reversi};

struct NullObserver;

impl CheckObserver for NullObserver {}

fn reports(info: &'static GameInfo, variant: Option<&str>, only: &[u8]) -> Vec<StepReport> {
    let settings = GameCheckSettings {
        variant: variant.map(str::to_owned),
        seed: 1,
        only: only.to_vec(),
        rerun_command: "sandboard check wrong --seed 1".into(),
    };
    run(&GameTarget::BuiltIn(info), &settings, &mut NullObserver)
}

/// The steps that did not pass, each as `name outcome sentence`.
fn rows(reports: &[StepReport]) -> Vec<String> {
    let others = reports.iter().filter(|report| report.outcome != StepOutcome::Passed);
    let row = |it: &StepReport| format!("{} {} {}", it.name, it.outcome.word(), it.sentence);
    others.map(row).collect()
}

/// `expected` has the start of the row of each step that does not pass.
fn check_rows(what: &str, reports: &[StepReport], expected: &[&str]) {
    let rows = rows(reports);
    let fits = |(row, expected): (&String, &&str)| row.starts_with(expected);
    let all = rows.len() == expected.len() && rows.iter().zip(expected).all(fits);
    assert!(all, "{what}: {rows:#?}, not {expected:#?}");
    for finding in reports.iter().flat_map(|report| &report.findings) {
        let texts = [&finding.sentence, &finding.request, &finding.response, &finding.expected];
        assert!(texts.iter().all(|text| !text.is_empty()), "{finding:?}");
        let advice = "sandboard check wrong --seed 1 --step ";
        assert!(finding.advice.starts_with(advice), "{finding:?}");
    }
}

/// All steps but the last one, which takes time and fails only by a fault.
const UNTIMED: [u8; 11] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// Checks reversi with this property broken, on a small board.
fn check(wrong: Wrong, expected: &[&str]) {
    check_only(wrong, &UNTIMED, expected);
}

/// As [`check`], with only these steps.
fn check_only(wrong: Wrong, only: &[u8], expected: &[&str]) {
    let reports = reports(wrong_reversi(wrong), Some("standard-4"), only);
    check_rows(&format!("{wrong:?}"), &reports, expected);
}

#[test]
fn built_in_games_pass_every_step() {
    for info in GAMES {
        let reports = reports(info, None, &[]);
        assert_eq!(reports.len(), STEPS.len());
        check_rows(info.id, &reports, &[]);
    }
}

#[test]
fn a_game_that_is_not_wrong_passes_in_its_wrapper() {
    check(Wrong::Nothing, &[]);
}

#[test]
fn rules_that_begin_no_game_fail_the_first_step() {
    let skipped = |name: &str, step: &str| format!("{name} skipped step {step}");
    let check = |wrong: Wrong, sentence: &str| {
        let names = ["positions", "moves", "copies", "undo"];
        let mut expected = vec![format!("module failed {sentence}")];
        expected.extend(names.map(|name| skipped(name, "1 (module) failed")));
        expected.push(skipped("counts", "4 (copies) was skipped"));
        expected.push(skipped("playouts", "3 (moves) was skipped"));
        let names = ["determinism", "texts"];
        expected.extend(names.map(|name| skipped(name, "1 (module) failed")));
        expected.push(skipped("views", "3 (moves) was skipped"));
        expected.push(skipped("boards", "1 (module) failed"));
        expected.push(skipped("speed", "1 (module) failed"));
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_only(wrong, &[], &expected);
    };
    check(Wrong::RulesFail, "the rules of wrong failed: trapped: no start");
    check(Wrong::OtherVariant, "it begins `standard-6` instead of `standard-4`");
}

#[test]
fn wrong_position_texts_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| {
        check(wrong, &[&format!("positions failed {sentence}")]);
    };
    let again = "after a position is set up again from its text, the position text differs";
    check(Wrong::PositionIgnored, again);
    let refused = "its own position text is refused: not a position of wrong: at byte 0: ";
    check(Wrong::PositionRefused, &format!("{refused}a new rule"));
    check(Wrong::SizeRequired, &format!("{refused}no size"));
}

#[test]
fn wrong_moves_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| {
        let moves = format!("moves failed {sentence}");
        let expected = [&*moves, "playouts skipped step 3 (moves)", "views skipped step 3 (moves)"];
        check(wrong, &expected);
    };
    check(Wrong::AnyTextPlayed, "it plays ``, which it does not list");
    check(Wrong::RefusalPlays, "after `` is refused, the position text differs");
    check(Wrong::UpperCaseReturned, "it lists `");
    check(Wrong::Duplicate, "it lists the move `");
}

#[test]
fn a_refused_listed_move_fails_its_step_and_skips_those_that_need_it() {
    let skipped = |name| format!("{name} skipped a listed move cannot be played, which step 3 ");
    let expected = [
        skipped("positions"),
        "moves failed it refuses `".into(),
        skipped("copies"),
        skipped("undo"),
        "counts skipped step 4 (copies) was skipped".into(),
        "playouts skipped step 3 (moves) failed".into(),
        skipped("determinism"),
        skipped("texts"),
        "views skipped step 3 (moves) failed".into(),
        skipped("boards"),
    ];
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(Wrong::LastRefused, &expected);
    let sentence = "playouts failed it refuses a move that it lists";
    check_only(Wrong::LastRefused, &[7], &[sentence]);
}

#[test]
fn refusals_without_a_reason_are_a_warning() {
    check(Wrong::NoReason, &["moves warned it refuses `` without a reason, and "]);
    // Another spelling of a listed move is no fault.
    check(Wrong::UpperCasePlayed, &[]);
}

#[test]
fn wrong_copies_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| {
        let expected = [&*format!("copies failed {sentence}"), "counts skipped step 4 (copies)"];
        check(wrong, &expected);
    };
    check(Wrong::SharedCopy, "on a copy, after a move on the original, the position text differs");
    check(Wrong::ForgetfulCopy, "on a copy, the list of moves so far differs");
    check(Wrong::CanonicalPlays, "the canonical text of `");
}

#[test]
fn a_wrong_undo_fails_its_step() {
    let check = |wrong: Wrong, sentence: &str| {
        check(wrong, &[&format!("undo failed {sentence}")]);
    };
    check(Wrong::UndoTooShort, "after 1 of ");
    check(Wrong::UndoMiscounted, "it takes back 0 plies instead of 1");
    check(Wrong::UndoForgets, "after 1 of ");
}

#[test]
fn wrong_counts_fail_their_step() {
    let sentence = "counts failed it counts 13 move sequences of depth 2 instead of 12";
    check(Wrong::Counts, &[sentence]);
}

#[test]
fn wrong_endings_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| {
        check(wrong, &[&format!("playouts failed {sentence}")]);
    };
    check(Wrong::ScoresSwapped, "the winner is not the side with the higher score");
    check(Wrong::OneScore, "the number of scores is not that of the seats");
    check(Wrong::MovesAfterEnd, "it lists moves after the end of the game");
    check(Wrong::OtherPlayouts, "its random games are not those of its lists of moves");
    check(Wrong::NoEnding, "it lists no moves, but the game is in progress");
    let reports = reports(wrong_bridge(), Some("double-dummy-3"), &UNTIMED);
    check_rows("bridge", &reports, &["playouts failed seats of one side have different scores"]);
}

#[test]
fn a_game_without_end_is_a_warning() {
    let sentence = "playouts warned a random game has not ended after 10000 plies, and 5 more";
    check_only(Wrong::Endless, &[7], &[sentence]);
}

#[test]
fn different_answers_of_two_games_fail_their_step() {
    let same = "determinism failed in a second game with the same calls";
    check(Wrong::UnstableDiagram, &[&format!("{same}, the diagram differs")]);
    check(Wrong::UnstableBoard, &[&format!("{same}, the board differs")]);
    check_only(Wrong::UnstableMoves, &[8], &["determinism failed "]);
}

#[test]
fn wrong_texts_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| {
        check(wrong, &[&format!("texts failed {sentence}")]);
    };
    check(Wrong::EmptyDiagram, "the diagram is empty");
    check(Wrong::WideDiagram, "the diagram has a line of 201 characters");
    check(Wrong::OtherSideNames, "the names of the sides are not those that are declared");
    check(Wrong::PromptInPlay, "it has a prompt in ordinary play");
    check(Wrong::OtherLastMove, "the text of the last move is not the move that was played");
}

#[test]
fn wrong_boards_fail_their_step() {
    let check = |wrong: Wrong, sentence: &str| check(wrong, &[&format!("boards {sentence}")]);
    let invalid = "failed the board is not valid: ";
    check(Wrong::IllegalOnBoard, &format!("{invalid}lists the move `z9`, which is not legal"));
    check(Wrong::SeatBoard, &format!("{invalid}two places are called `a1`"));
    check(Wrong::BoardAtTimes, "failed it has a board in some positions only");
    check(Wrong::MoveNotOnBoard, "warned the board does not list the legal move `");
    let has_board = reports(wrong_reversi(Wrong::Board), Some("standard-4"), &[11]);
    let sentence = "boards in ";
    assert!(has_board[1].sentence.starts_with(sentence), "{}", has_board[1].sentence);
    assert!(has_board[1].sentence.ends_with(", of at most 16 places"));
}

#[test]
fn a_fault_of_the_rules_fails_each_step() {
    // Reversi hides nothing, so that no move is played to test its views.
    for step in STEPS[1..].iter().filter(|step| step.name != "views") {
        let row = format!("{} failed the rules failed: trapped: out of discs", step.name);
        check_only(Wrong::FaultInPlay, &[step.number], &[&row]);
    }
}

#[test]
fn a_failure_can_be_repeated() {
    let reports = reports(wrong_reversi(Wrong::AnyTextPlayed), Some("standard-4"), &[3]);
    let finding = &reports[1].findings[0];
    let request = "begin wrong standard-4, play ``; query the result of ``";
    assert_eq!(finding.request, request);
    assert_eq!(finding.response, "it is played as ``; in progress");
    assert_eq!(finding.expected, "a refusal, or the end of the game by a foul");
    let advice =
        "sandboard check wrong --seed 1 --step 3 --verbose; docs/check.md, game step 3, moves";
    assert_eq!(finding.advice, advice);
}

#[test]
fn the_seed_determines_the_check() {
    let games = |seed: u64| {
        let info = wrong_reversi(Wrong::Nothing);
        let settings =
            GameCheckSettings { seed, only: UNTIMED.into(), ..GameCheckSettings::default() };
        let reports = run(&GameTarget::BuiltIn(info), &settings, &mut NullObserver);
        reports[1..].iter().map(|report| report.sentence.clone()).collect::<Vec<_>>()
    };
    assert_eq!(games(1), games(1));
    assert_ne!(games(1), games(2));
}

#[test]
fn views_that_tell_too_much_fail_their_step() {
    let check = |leak: Leak, expected: &[&str]| {
        let reports = reports(leaking(leak), None, &[3, 10]);
        check_rows(&format!("{leak:?}"), &reports, expected);
    };
    check(Leak::Nothing, &[]);
    let differ = "an earlier game differs, in which it saw the same";
    let leaks = [
        (Leak::LegalMoves, "its legal moves tell seat 1"),
        (Leak::Diagram, "its diagram tells seat 1"),
        (Leak::Board, "its board tells seat 1"),
        (Leak::Prompt, "its prompt tells seat 1"),
        (Leak::SideName, "its names of sides tell seat 1"),
    ];
    for (leak, tells) in leaks {
        check(leak, &[&format!("views failed {tells} more than it knows: {differ}")]);
    }
    let early = "views failed seat 0 sees a move before all seats of its step have moved";
    check(Leak::UnfinishedStep, &[early]);
    let depends =
        "views failed the legal moves of seat 1 depend on what other seats of the step have chosen";
    check(Leak::LegalMovesOfStep, &[depends]);
    let open = "views warned it declares hidden information, but every view is the whole position";
    check(Leak::WholePosition, &[open]);
}
