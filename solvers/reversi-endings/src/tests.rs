//! Tests of the solver: positions with known scores, a reference implementation based on the rules
//! of the game, stopping, and invalid input.

mod reference;

use std::cell::Cell;
use std::fs;

use proptest::prelude::*;
use sandboard_games::reversi::bits::{flips, moves};
use serde_json::Value;

use crate::board::Board;
use crate::{EMPTIES_MAX, POSITIONS_PER_STOP_CHECK, SolveError, Solver, TABLE_BYTES};

/// The discs of a board of 64 characters, those of `mover` first.
fn discs(board: &str, mover: char) -> (u64, u64) {
    let of = |sign: char| {
        let squares = board.chars().enumerate();
        squares.map(|(at, cell)| u64::from(cell == sign) << at).sum()
    };
    let other = if mover == 'X' { 'O' } else { 'X' };
    (of(mover), of(other))
}

/// The positions of a fixture with at most `most` empty squares: id, discs, score.
fn known(file: &str, most: u64) -> Vec<(String, u64, u64, i32)> {
    let path = format!("{}/../../tests/fixtures/reversi/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let text = |value: &Value, name: &str| value[name].as_str().expect("a text").to_owned();
    let position = |value: &Value| {
        let mover = if text(value, "side") == "X" { 'X' } else { 'O' };
        let (own, opponent) = discs(&text(value, "board"), mover);
        let score = value["score"].as_i64().expect("a score") as i32;
        (text(value, "id"), own, opponent, score)
    };
    let positions = file["positions"].as_array().expect("positions").iter();
    positions.filter(|it| it["empties"].as_u64().expect("a number") <= most).map(position).collect()
}

#[test]
fn positions_with_known_scores() {
    let mut solver = Solver::new(TABLE_BYTES);
    let positions = [known("ffo.json", 14), known("endgame.json", 14)].concat();
    assert!(positions.len() > 100, "{}", positions.len());
    for (id, own, opponent, score) in positions {
        assert_eq!(solver.score(own, opponent, &|| true), Ok(score), "{id}");
    }
}

#[test]
fn finished_games_and_last_moves() {
    let check = |board: &str, mover: char, expected: i32| {
        let (own, opponent) = discs(board, mover);
        let found = Solver::new(0).score(own, opponent, &|| true);
        assert_eq!(found, Ok(expected), "{board} {mover}");
    };
    let full = |row: &str| row.to_owned() + &"X".repeat(56);
    // A full board, and a drawn one.
    check(&full("XXXXXXXX"), 'X', 64);
    check(&full("OOOOXXXX"), 'O', 8 - 64);
    check(&("X".repeat(32) + &"O".repeat(32)), 'O', 0);
    // Black has all discs: the game is over, and the empty squares count for black.
    check(&full("--------"), 'O', -64);
    check(&full("--------"), 'X', 64);
    // Neither player can take the corner; next to a white disc black can, and flips it.
    check(&("X-".to_owned() + &"X".repeat(61) + "O"), 'X', 64 - 2);
    check(&full("-OXXXXXX"), 'X', 64);
    // White must pass, and black takes all discs. With the white disc one square further, black
    // must pass.
    check(&full("-OXXXXXX"), 'O', -64);
    check(&full("-XOXXXXX"), 'X', 61 - 3);
    check(&full("-XOXXXXX"), 'O', 3 - 61);
}

#[test]
fn invalid_positions_are_refused() {
    let check = |own: u64, opponent: u64, expected: SolveError| {
        assert_eq!(Solver::new(0).score(own, opponent, &|| true), Err(expected));
    };
    check(1, 1, SolveError::Overlap);
    let empties = EMPTIES_MAX + 1;
    check(u64::MAX << empties, 0, SolveError::TooManyEmpty { empties });
    assert_eq!(Solver::new(0).score(u64::MAX << EMPTIES_MAX, 0, &|| true), Ok(64));
}

#[test]
fn a_stopped_solver_can_be_used_again() {
    let mut positions = known("endgame.json", 16);
    positions.sort_by_key(|(_, own, opponent, _)| (own | opponent).count_ones());
    let (id, own, opponent, score) = positions.remove(0);
    let mut solver = Solver::new(TABLE_BYTES);
    assert_eq!(solver.score(own, opponent, &|| false), Err(SolveError::Stopped), "{id}");
    let calls = Cell::new(0_u64);
    let once = || calls.replace(calls.get() + 1) == 0;
    let before = solver.nodes();
    assert_eq!(solver.score(own, opponent, &once), Err(SolveError::Stopped), "{id}");
    assert_eq!(calls.get(), 2);
    let searched = solver.nodes() - before;
    assert!(searched < 2 * POSITIONS_PER_STOP_CHECK, "{searched}");
    assert_eq!(solver.score(own, opponent, &|| true), Ok(score), "{id}");
    // The result is kept.
    let before = solver.nodes();
    assert_eq!(solver.score(own, opponent, &|| true), Ok(score), "{id}");
    assert_eq!(solver.nodes() - before, 1);
}

/// A position of a random game with this number of empty squares, if the game lasts that long.
fn game_position(choices: &[u8], empties: u32) -> Option<(u64, u64)> {
    let (mut own, mut opponent) = (0x0000_0008_1000_0000_u64, 0x0000_0010_0800_0000_u64);
    let mut choices = choices.iter();
    while (own | opponent).count_zeros() > empties {
        let mut legal = moves(own, opponent);
        if legal == 0 {
            (own, opponent) = (opponent, own);
            legal = moves(own, opponent);
        }
        for _ in 0..u32::from(*choices.next()?).checked_rem(legal.count_ones())? {
            legal &= legal - 1;
        }
        let square = legal.trailing_zeros();
        let flipped = flips(square, own, opponent);
        (own, opponent) = (opponent ^ flipped, own | flipped | 1 << square);
    }
    Some((own, opponent))
}

fn check_reference(own: u64, opponent: u64) -> Result<(), TestCaseError> {
    let expected = reference::score(own, opponent);
    // With a minimal table, and with a table that is used twice.
    prop_assert_eq!(Solver::new(0).score(own, opponent, &|| true), Ok(expected));
    let mut solver = Solver::new(1 << 12);
    prop_assert_eq!(solver.score(own, opponent, &|| true), Ok(expected));
    prop_assert_eq!(solver.score(opponent, own, &|| true), Ok(reference::score(opponent, own)));
    prop_assert_eq!(solver.score(own, opponent, &|| true), Ok(expected));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Positions from games, and boards that no game reaches: full except for some squares, with
    /// many passes and sometimes no discs of one side.
    #[test]
    fn scores_match_the_reference_implementation(
        choices in proptest::collection::vec(any::<u8>(), 64),
        empties in 0..10_u32,
        own in any::<u64>(),
        few in any::<u64>(),
        holes in proptest::collection::btree_set(0..64_u32, 0..9),
    ) {
        if let Some((own, opponent)) = game_position(&choices, empties) {
            check_reference(own, opponent)?;
        }
        let empty = holes.iter().fold(0_u64, |all, hole| all | 1 << hole);
        check_reference(own & !empty, !own & !empty)?;
        let sparse = own & few & few.rotate_left(17) & few.rotate_left(31);
        check_reference(sparse & !empty, !sparse & !empty)?;
    }

    /// The incremental state of a board equals the state computed from its discs.
    #[test]
    fn incremental_boards_match_new_boards(choices in proptest::collection::vec(any::<u8>(), 64)) {
        let (own, opponent) = game_position(&choices, 30).unwrap_or((1, 2));
        let mut board = Board::new(own, opponent);
        for choice in choices {
            let legal = moves(board.own, board.opponent);
            let mut squares = (0..64).cycle().skip(choice.into()).take(64);
            board = match squares.find(|square| legal >> square & 1 == 1) {
                Some(square) => board.after(square, board.flips(square)),
                None => board.passed(),
            };
            prop_assert_eq!(board, Board::new(board.own, board.opponent));
        }
    }
}
