//! Properties of random games and random texts.

use proptest::collection::vec;
use proptest::prelude::*;

use super::reference::Reference;
use super::{gomoku, legal_moves, noisy_moves, text_of, variant};
use crate::gomoku::{Color, Gomoku, MAX_SIZE, Point, Rule};
use crate::rules::{Outcome, Rules};

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![Just(Rule::Freestyle), Just(Rule::Standard), Just(Rule::Caro), Just(Rule::Renju)]
}

/// A crowded board, so that rows of five and near misses occur.
fn boards(sizes: std::ops::RangeInclusive<u8>) -> impl Strategy<Value = Reference> {
    let cell = || prop_oneof![3 => Just(0u8), 1 => Just(1u8), 3 => Just(2u8)];
    (rules(), sizes, any::<bool>()).prop_flat_map(move |(rule, size, black_moves)| {
        let size = usize::from(size);
        vec(cell(), size * size)
            .prop_map(move |cells| Reference::filled(rule, size, &cells, black_moves))
    })
}

/// A board with room between black stones, so that threes and fours meet.
fn open_boards() -> impl Strategy<Value = Reference> {
    let cell = || prop_oneof![6 => Just(0u8), 1 => Just(1u8), 14 => Just(2u8)];
    (5usize..=9).prop_flat_map(move |size| {
        vec(cell(), size * size)
            .prop_map(move |cells| Reference::filled(Rule::Renju, size, &cells, true))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_state_equals_the_state_read_from_text(
        rule in rules(), size in 5u8..=10, choices in vec(any::<prop::sample::Index>(), 0..100),
    ) {
        check_game(rule, size, &choices)?;
    }

    #[test]
    fn incremental_state_equals_the_state_read_from_text_on_large_boards(
        rule in rules(), size in 11u8..=22, choices in vec(any::<prop::sample::Index>(), 0..20),
    ) {
        check_game(rule, size, &choices)?;
    }

    #[test]
    fn outcomes_match_the_reference(reference in boards(5..=22)) {
        check_outcome(&reference)?;
    }

    #[test]
    fn noisy_moves_match_the_reference(reference in boards(5..=7)) {
        if !reference.is_over() {
            prop_assert_eq!(noisy_moves(&reference), reference.noisy());
        }
    }

    #[test]
    fn forbidden_points_match_the_reference(reference in open_boards()) {
        check_fouls(&reference)?;
    }

    #[test]
    fn forbidden_points_of_crowded_boards_match_the_reference(reference in boards(5..=12)) {
        check_fouls(&reference)?;
    }

    #[test]
    fn lines_match_single_points(reference in boards(5..=22)) {
        if !reference.is_over() {
            check_lines(&gomoku(&reference))?;
        }
    }

    #[test]
    fn move_texts_round_trip(column in 0..MAX_SIZE, row in 0..MAX_SIZE) {
        let point = Point::new(column, row).expect("on the board");
        let game = Gomoku::start(&variant("freestyle-22"));
        let mut text = String::new();
        game.write_move(point.into(), &mut text);
        prop_assert_eq!(game.parse_move(&text), Ok(point.into()));
        prop_assert_eq!(game.parse_move(&text.to_uppercase()), Ok(point.into()));
        prop_assert_eq!(point.to_string(), text);
    }

    #[test]
    fn reading_any_text_does_not_panic(text in any::<String>()) {
        check_reading(&text);
    }

    #[test]
    fn reading_nearly_valid_text_does_not_panic(text in "[a-wxo0-9/ bw]{0,60}") {
        check_reading(&text);
    }

    #[test]
    fn positions_are_written_canonically(text in "[xo1-3]{3,5}(/[xo1-3]{3,5}){4} [bw]") {
        if let Ok(game) = Gomoku::parse_position(&variant("freestyle"), &text) {
            prop_assert_eq!(text_of(&game), Reference::read(Rule::Freestyle, &text).text());
        }
    }
}

/// Plays the chosen moves, then takes all of them back.
fn check_game(rule: Rule, size: u8, choices: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let mut reference = Reference::empty(rule, usize::from(size));
    let mut game = gomoku(&reference);
    let mut undos = Vec::new();
    for choice in choices {
        let legal = reference.legal();
        prop_assert_eq!(&legal_moves(&game), &legal);
        check_nth_moves(&game, &legal)?;
        if legal.is_empty() {
            break;
        }
        let text = choice.get(&legal);
        let before = game.clone();
        let (_, undo) = game.play(text).expect("legal");
        undos.push((before, undo));
        reference = reference.after(text);
        prop_assert_eq!(&game, &gomoku(&reference));
        prop_assert_eq!(text_of(&game), reference.text());
        prop_assert_eq!(game.outcome().is_some(), reference.is_over());
    }
    while let Some((before, undo)) = undos.pop() {
        game.unmake(undo);
        prop_assert_eq!(&game, &before);
    }
    Ok(())
}

/// `nth_move` agrees with the list of legal moves, where `count_moves` is available: in ordinary
/// play of a colour without forbidden points.
fn check_nth_moves(game: &Gomoku, legal: &[String]) -> Result<(), TestCaseError> {
    let nth = |number: usize| game.nth_move(number as u64).map(|mv| mv.to_string());
    let found: Vec<Option<String>> = (0..legal.len() + 2).map(nth).collect();
    if game.count_moves().is_none() {
        prop_assert!(found.iter().all(Option::is_none));
        prop_assert!(legal.is_empty() || game.rule().forbids(game.color_to_move()));
        return Ok(());
    }
    prop_assert_eq!(game.count_moves(), Some(legal.len() as u64));
    let listed = legal.iter().cloned().map(Some).chain([None, None]);
    prop_assert_eq!(found, listed.collect::<Vec<_>>());
    Ok(())
}

/// Compares every empty point: the foul, the legality, and the end of the game by a foul.
fn check_fouls(reference: &Reference) -> Result<(), TestCaseError> {
    let board = reference.text().split(' ').next().expect("rows").to_owned() + " b";
    let Ok(game) = Gomoku::parse_position(&variant("renju"), &board) else { return Ok(()) };
    for point in game.empty_points().collect::<Vec<_>>() {
        let expected = reference.foul(&point.to_string());
        prop_assert_eq!(
            game.forbidden(point).map(|foul| foul.name()),
            expected,
            "{} {}",
            point,
            board
        );
        if game.outcome().is_none() {
            check_played(&game, point, expected)?;
        }
    }
    Ok(())
}

fn check_played(
    game: &Gomoku,
    point: Point,
    expected: Option<&'static str>,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(game.is_legal(point.into()), expected.is_none());
    let mut after = game.clone();
    let (_, undo) = after.play(&point.to_string()).expect("a foul can be played");
    let foul = expected.map(|foul| format!("{foul} foul"));
    let reason = after.outcome().map(|outcome| outcome.reason.to_owned());
    let ends_by_foul = reason.filter(|reason| reason.ends_with("foul"));
    prop_assert_eq!(ends_by_foul, foul);
    let again = Gomoku::parse_position(&variant("renju"), &text_of(&after));
    prop_assert_eq!(again.as_ref(), Ok(&after));
    after.unmake(undo);
    prop_assert_eq!(&after, game);
    Ok(())
}

fn check_outcome(reference: &Reference) -> Result<(), TestCaseError> {
    let read = Gomoku::parse_position(&super::variant_of(reference), &reference.text());
    let winner = match (reference.has_won('x'), reference.has_won('o')) {
        (true, true) => {
            prop_assert!(read.is_err());
            return Ok(());
        }
        (true, false) => Some(Gomoku::side(crate::Seat(0))),
        (false, true) => Some(Gomoku::side(crate::Seat(1))),
        (false, false) => None,
    };
    let game = read.expect("a position");
    prop_assert_eq!(game.outcome().is_some(), reference.is_over());
    prop_assert_eq!(game.outcome().and_then(|outcome: Outcome| outcome.winner), winner);
    prop_assert_eq!(text_of(&game), reference.text());
    Ok(())
}

/// Compares every line through every point with single points.
fn check_lines(game: &Gomoku) -> Result<(), TestCaseError> {
    for (direction, first) in game.lines() {
        for color in Color::ALL {
            let whole = game.line(color, direction, first);
            prop_assert_eq!(whole.at, 0);
            for at in 0..whole.length {
                let point = first.step(direction, at as i32).expect("on the line");
                let line = game.line(color, direction, point);
                prop_assert_eq!((line.bits, line.at, line.length), (whole.bits, at, whole.length));
                let number = game.line_number(direction, point);
                prop_assert_eq!(number, game.line_number(direction, first));
                prop_assert_eq!(line.bits >> at & 1 == 1, game.stone_at(point) == Some(color));
            }
            prop_assert_eq!(whole.bits >> whole.length, 0);
            let beyond = first.step(direction, whole.length as i32);
            let size = game.size();
            prop_assert!(beyond.is_none_or(|p| p.column() >= size || p.row() >= size));
        }
    }
    Ok(())
}

fn check_reading(text: &str) {
    for name in ["freestyle", "standard-15", "freestyle-22"] {
        if let Err(error) = Gomoku::parse_position(&variant(name), text) {
            assert!(!error.0.is_empty() && error.0.iter().all(|fault| fault.offset <= text.len()));
        }
        let _ = Gomoku::start(&variant(name)).parse_move(text);
    }
}
