//! What holds along any game and for any text, tried on random ones.

use proptest::collection::vec;
use proptest::prelude::*;

use super::twin::Twin;
use super::{gomoku, legal_moves, noisy_moves, text_of, variant};
use crate::gomoku::{Color, Gomoku, MAX_SIZE, Point, Rule};
use crate::rules::{Outcome, Rules};

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![Just(Rule::Freestyle), Just(Rule::Standard), Just(Rule::Caro), Just(Rule::Renju)]
}

/// A filled board: crowded, so that rows of five and their near misses occur.
fn boards(sizes: std::ops::RangeInclusive<u8>) -> impl Strategy<Value = Twin> {
    let cell = || prop_oneof![3 => Just(0u8), 1 => Just(1u8), 3 => Just(2u8)];
    (rules(), sizes, any::<bool>()).prop_flat_map(move |(rule, size, black_moves)| {
        let size = usize::from(size);
        vec(cell(), size * size)
            .prop_map(move |cells| Twin::filled(rule, size, &cells, black_moves))
    })
}

/// A board with room between black stones, so that threes and fours meet.
fn open_boards() -> impl Strategy<Value = Twin> {
    let cell = || prop_oneof![6 => Just(0u8), 1 => Just(1u8), 14 => Just(2u8)];
    (5usize..=9).prop_flat_map(move |size| {
        vec(cell(), size * size)
            .prop_map(move |cells| Twin::filled(Rule::Renju, size, &cells, true))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn state_along_a_game_is_the_state_from_its_text(
        rule in rules(), size in 5u8..=10, choices in vec(any::<prop::sample::Index>(), 0..100),
    ) {
        check_game(rule, size, &choices)?;
    }

    #[test]
    fn state_along_a_game_is_the_state_from_its_text_on_large_boards(
        rule in rules(), size in 11u8..=22, choices in vec(any::<prop::sample::Index>(), 0..20),
    ) {
        check_game(rule, size, &choices)?;
    }

    #[test]
    fn any_board_has_the_outcome_that_its_twin_has(twin in boards(5..=22)) {
        check_outcome(&twin)?;
    }

    #[test]
    fn noisy_moves_are_those_of_the_twin(twin in boards(5..=7)) {
        if !twin.is_over() {
            prop_assert_eq!(noisy_moves(&twin), twin.noisy());
        }
    }

    #[test]
    fn forbidden_points_are_those_of_the_twin(twin in open_boards()) {
        check_fouls(&twin)?;
    }

    #[test]
    fn forbidden_points_of_crowded_boards_are_those_of_the_twin(twin in boards(5..=12)) {
        check_fouls(&twin)?;
    }

    #[test]
    fn lines_are_the_stones_in_order(twin in boards(5..=22)) {
        if !twin.is_over() {
            check_lines(&gomoku(&twin))?;
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
    fn reading_nearly_right_text_does_not_panic(text in "[a-wxo0-9/ bw]{0,60}") {
        check_reading(&text);
    }

    #[test]
    fn what_is_read_is_written_canonically(text in "[xo1-3]{3,5}(/[xo1-3]{3,5}){4} [bw]") {
        if let Ok(game) = Gomoku::parse_position(&variant("freestyle"), &text) {
            prop_assert_eq!(text_of(&game), Twin::read(Rule::Freestyle, &text).text());
        }
    }
}

/// Plays the chosen moves, then takes all of them back.
fn check_game(rule: Rule, size: u8, choices: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let mut twin = Twin::empty(rule, usize::from(size));
    let mut game = gomoku(&twin);
    let mut undos = Vec::new();
    for choice in choices {
        let legal = twin.legal();
        prop_assert_eq!(&legal_moves(&game), &legal);
        check_numbers(&game, &legal)?;
        if legal.is_empty() {
            break;
        }
        let text = choice.get(&legal);
        let before = game.clone();
        let (_, undo) = game.play(text).expect("legal");
        undos.push((before, undo));
        twin = twin.after(text);
        prop_assert_eq!(&game, &gomoku(&twin));
        prop_assert_eq!(text_of(&game), twin.text());
        prop_assert_eq!(game.outcome().is_some(), twin.is_over());
    }
    while let Some((before, undo)) = undos.pop() {
        game.unmake(undo);
        prop_assert_eq!(&game, &before);
    }
    Ok(())
}

/// Moves by their numbers are those of the list, where they can be had so: in play of whom nothing is forbidden to.
fn check_numbers(game: &Gomoku, legal: &[String]) -> Result<(), TestCaseError> {
    let by_number = |number: usize| game.nth_move(number as u64).map(|mv| mv.to_string());
    let found: Vec<Option<String>> = (0..legal.len() + 2).map(by_number).collect();
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

/// Every empty point: what is forbidden, what is legal, and how a foul ends the game.
fn check_fouls(twin: &Twin) -> Result<(), TestCaseError> {
    let board = twin.text().split(' ').next().expect("rows").to_owned() + " b";
    let Ok(game) = Gomoku::parse_position(&variant("renju"), &board) else { return Ok(()) };
    for point in game.empty_points().collect::<Vec<_>>() {
        let expected = twin.foul(&point.to_string());
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

fn check_outcome(twin: &Twin) -> Result<(), TestCaseError> {
    let read = Gomoku::parse_position(&super::variant_of(twin), &twin.text());
    let winner = match (twin.has_won('x'), twin.has_won('o')) {
        (true, true) => {
            prop_assert!(read.is_err());
            return Ok(());
        }
        (true, false) => Some(Gomoku::side(crate::Seat(0))),
        (false, true) => Some(Gomoku::side(crate::Seat(1))),
        (false, false) => None,
    };
    let game = read.expect("a position");
    prop_assert_eq!(game.outcome().is_some(), twin.is_over());
    prop_assert_eq!(game.outcome().and_then(|outcome: Outcome| outcome.winner), winner);
    prop_assert_eq!(text_of(&game), twin.text());
    Ok(())
}

/// Holds every line through every point against single points.
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
            assert!(!error.0.is_empty() && error.0.iter().all(|fault| fault.at <= text.len()));
        }
        let _ = Gomoku::start(&variant(name)).parse_move(text);
    }
}
