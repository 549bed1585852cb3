//! Tests of the solver's parts, compared with slow implementations: last squares, stability and
//! table.

use proptest::prelude::*;
use sandboard_sdk::games::reversi::bits::{flips, moves};

use super::super::squares::{CORNERS, NEIGHBOURS, QUADRANT, QUADRANT_SQUARES, odd_quadrants};
use super::super::stability::StabilityTable;
use super::super::table::{Key, NO_MOVE, ProvedEntry, Table};
use super::super::{last_squares, move_ordering};
use super::{random_board, random_position, slow_solver};

/// Checks a bound that was computed with this `alpha`.
fn check_bound(bound: i32, score: i32, alpha: i32) {
    if bound > alpha {
        assert!(score >= bound, "{score} is less than the lower bound {bound} (alpha {alpha})");
    } else {
        assert!(score <= bound, "{score} is more than the upper bound {bound} (alpha {alpha})");
    }
}

fn check_last(own: u64, opponent: u64, alpha: i32) {
    let score = slow_solver::score(own, opponent);
    let empty = !(own | opponent);
    let squares: Vec<u32> = (0..64).filter(|square| empty >> square & 1 != 0).collect();
    let nodes = &mut 0;
    match squares[..] {
        [] => assert_eq!(last_squares::final_score(own, opponent), score),
        [a] => assert_eq!(last_squares::one_empty(nodes, own, a), score),
        [a, b] => {
            check_bound(last_squares::two_empty(nodes, own, opponent, alpha, [a, b]), score, alpha)
        }
        [a, b, c] => {
            for squares in [[a, b, c], [b, c, a], [c, b, a]] {
                check_bound(
                    last_squares::three_empty(nodes, own, opponent, alpha, squares),
                    score,
                    alpha,
                );
            }
        }
        _ => {
            let odd = odd_quadrants(empty);
            check_bound(last_squares::four_empty(nodes, own, opponent, alpha, odd), score, alpha);
        }
    }
}

proptest! {
    #[test]
    fn last_squares_of_random_boards(
        own in any::<u64>(), holes in prop::collection::vec(0..64u32, 0..=4), alpha in -65..65i32,
    ) {
        let (own, opponent) = random_board(own, &holes);
        check_last(own, opponent, alpha);
    }

    /// Boards with few discs of one colour, on which moves flip many discs or none.
    #[test]
    fn last_squares_of_one_sided_boards(
        discs in prop::collection::vec(0..64u32, 0..6),
        holes in prop::collection::vec(0..64u32, 0..=4), alpha in -65..65i32, turn in any::<bool>(),
    ) {
        let few = discs.iter().fold(0, |few, disc| few | 1u64 << disc);
        let (own, opponent) = random_board(if turn { few } else { !few }, &holes);
        check_last(own, opponent, alpha);
    }

    #[test]
    fn last_move_flips_agree_with_flips(own in any::<u64>(), square in 0..64u32) {
        let (own, opponent) = random_board(own, &[square]);
        let flipped = flips(square, own, opponent).count_ones();
        prop_assert_eq!(last_squares::last_move_flip_value(own, square), 2 * flipped as i32);
    }

    /// Stable discs can never be flipped; corners and full edges are always stable.
    #[test]
    fn stable_discs_cannot_be_flipped(
        own in any::<u64>(), holes in prop::collection::vec(0..64u32, 0..=5),
    ) {
        let (own, opponent) = random_board(own, &holes);
        let stable = StabilityTable::new().stable_discs(own, opponent);
        let lasting = slow_solver::stable(own, opponent);
        prop_assert_eq!(stable & !lasting, 0);
        prop_assert_eq!(stable & CORNERS, own & CORNERS);
        let occupied = own | opponent;
        for edge in [0xff, 0xff << 56, 0x0101_0101_0101_0101, 0x8080_8080_8080_8080] {
            if occupied & edge == edge {
                prop_assert_eq!(stable & edge, own & edge);
            }
        }
        if occupied == u64::MAX {
            prop_assert_eq!(stable, own);
        }
    }

    #[test]
    fn stable_discs_cannot_be_flipped_in_games(choices in prop::collection::vec(any::<u8>(), 60)) {
        let Some((own, opponent)) = random_position(&choices, 5) else { return Ok(()) };
        let stability = StabilityTable::new();
        for (own, opponent) in [(own, opponent), (opponent, own)] {
            let stable = stability.stable_discs(own, opponent);
            prop_assert_eq!(stable & !slow_solver::stable(own, opponent), 0);
        }
    }

    #[test]
    fn children_agree_with_the_legal_moves(choices in prop::collection::vec(any::<u8>(), 60)) {
        let Some((own, opponent)) = random_position(&choices, 20) else { return Ok(()) };
        let legal = moves(own, opponent);
        let mut children = move_ordering::Children::<34>::of(own, opponent, legal);
        let mut tried = 0;
        for at in 0..children.all().len() {
            let child = children.next(at);
            tried |= 1 << child.square;
            prop_assert_eq!(child.own | child.opponent, own | opponent | 1 << child.square);
            prop_assert_eq!(child.own & child.opponent, 0);
        }
        prop_assert_eq!(tried, legal);
    }

    /// An entry is read as it was stored, or not at all.
    #[test]
    fn the_table_returns_no_wrong_entries(
        boards in prop::collection::vec(
            (any::<u64>(), any::<u64>(), -32..=32i32, any::<u8>()),
            1..200,
        ),
    ) {
        let mut table = Table::new(1 << 10);
        for (at, &(own, opponent, half, cost)) in boards.iter().enumerate() {
            if at % 16 == 15 {
                table.age();
            }
            let square = own.leading_zeros() as u8 % 64;
            table.put(Key::of(own, opponent), 2 * half - 1, 2 * half + 1, 2 * half, square, cost);
            for &(own, opponent, half, _) in &boards[..=at] {
                if let Some(entry) = table.get(Key::of(own, opponent)) {
                    let exact = (i32::from(entry.lower), i32::from(entry.upper));
                    prop_assert_eq!(exact, (2 * half, 2 * half));
                    prop_assert_eq!(entry.moves[0], own.leading_zeros() as u8 % 64);
                }
            }
            let last = table.get(Key::of(own, opponent));
            prop_assert!(last.is_some(), "the last entry is stored");
        }
        table.clear();
        for &(own, opponent, ..) in &boards {
            prop_assert_eq!(table.get(Key::of(own, opponent)), None);
        }
    }
}

#[test]
fn bounds_tighten_and_keep_the_move_of_the_lower_bound() {
    let table = Table::new(64);
    let key = Key::of(1, 2);
    let check = |lower, upper, moves| {
        assert_eq!(table.get(key), Some(ProvedEntry { lower, upper, moves }));
    };
    table.suggest_move(key, 7);
    check(-64, 64, [7, NO_MOVE]);
    table.put(key, 9, 10, 8, 5, 1);
    check(-64, 8, [5, 7]);
    table.put(key, -1, 0, 2, 3, 1);
    check(2, 8, [3, 5]);
    // The move of an upper bound does not replace that of a lower bound.
    table.put(key, 5, 6, 4, 9, 1);
    check(2, 4, [3, 5]);
    table.put(key, 3, 4, 4, 11, 1);
    check(4, 4, [11, 3]);
    assert_eq!(table.get(Key::of(2, 1)), None);
}

#[test]
fn quadrants_and_neighbours_are_correct() {
    let check = |square: usize, quadrant: u8, near: u64| {
        assert_eq!((QUADRANT[square], NEIGHBOURS[square]), (quadrant, near));
    };
    check(0, 1, 0x0302);
    check(7, 2, 0xc040);
    check(56, 4, 0x0203 << 48);
    check(63, 8, 0x40c0 << 48);
    check(27, 1, 0x0000_001c_141c_0000);
    check(28, 2, 0x0000_0038_2838_0000);
    assert_eq!(QUADRANT_SQUARES[0], 0);
    assert_eq!(QUADRANT_SQUARES[5], 0x0f0f_0f0f_0f0f_0f0f);
    // Two in the first quadrant, two in the second, one in the last.
    assert_eq!(odd_quadrants(0b1001_0011 | 1 << 63), 8);
}
