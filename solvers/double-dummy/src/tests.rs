//! Tests of the solver against exhaustive search, and of properties that must not change a value.

mod fixtures;

use std::collections::HashMap;

use proptest::prelude::*;
use sandboard_games::bridge::{Card, Cards, Compass, Strain, Suit, Table};
use sandboard_games::splitmix::SplitMix64;

use crate::certain_tricks::{CertainTricks, later_tricks, leader_trump_tricks, quick_tricks};
use crate::deal::Deal;
use crate::symmetry::Symmetry;
use crate::{DealError, SearchStopped, Solver, Techniques, TraceError};

const SMALL: usize = 1 << 16;

/// A random table with `cards` cards in each hand, from the `of` highest cards of the pack, after
/// `played` cards.
fn table(cards: usize, of: usize, strain: usize, leader: usize, seed: u64, played: usize) -> Table {
    let mut generator = SplitMix64::new(seed);
    let mut random = |below: usize| (generator.next_u64() % below as u64) as usize;
    let mut pack: Vec<Card> = Cards::PACK.iter().collect();
    pack.sort_by_key(|card| std::cmp::Reverse(card.rank()));
    pack.truncate(of.max(4 * cards));
    let mut hands = [Cards::NONE; 4];
    for hand in &mut hands {
        for _ in 0..cards {
            let card = pack.swap_remove(random(pack.len()));
            *hand = hand.with(card);
        }
    }
    let mut table = Table::new(hands, Strain::ALL[strain], Compass::ALL[leader]).unwrap();
    for _ in 0..played {
        let legal: Vec<Card> = table.legal().iter().collect();
        table.play(legal[random(legal.len())]);
    }
    table
}

/// The tricks of the side to move by exhaustive search; positions between tricks are memoised.
fn exhaustive(table: &Table, seen: &mut HashMap<Table, u32>) -> u32 {
    if table.tricks_left() == 0 {
        return 0;
    }
    let between = table.trick().count() == 0;
    if let Some(tricks) = between.then(|| seen.get(table)).flatten() {
        return *tricks;
    }
    let best = table.legal().iter().map(|card| exhaustive_after(table, card, seen)).max();
    let best = best.unwrap_or(0);
    if between {
        seen.insert(*table, best);
    }
    best
}

fn exhaustive_after(table: &Table, card: Card, seen: &mut HashMap<Table, u32>) -> u32 {
    let mover = table.to_move();
    let mut next = *table;
    let won = next.play(card).is_some_and(|winner| winner.side() == mover.side());
    let rest = exhaustive(&next, seen);
    let same = next.to_move().side() == mover.side();
    u32::from(won) + if same { rest } else { next.tricks_left() - rest }
}

fn tricks(table: &Table) -> u32 {
    Solver::new(SMALL).tricks(table, &|| true).unwrap()
}

prop_compose! {
    fn tables(most: usize, played: usize)(
        cards in 1..=most,
        of in 4..=52usize,
        strain in 0..5usize,
        leader in 0..4usize,
        seed in any::<u64>(),
        played in 0..=played,
    ) -> Table {
        table(cards, of, strain, leader, seed, played.min(4 * cards - 1))
    }
}

fn cases(usual: u32) -> ProptestConfig {
    let slow = std::env::var_os("SLOW").is_some_and(|value| value == "1");
    ProptestConfig::with_cases(if slow { usual * 50 } else { usual })
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn scores_match_exhaustive_search(table in tables(5, 19)) {
        let mut seen = HashMap::new();
        let expected: Vec<(Card, u32)> = table
            .legal()
            .iter()
            .map(|card| (card, exhaustive_after(&table, card, &mut seen)))
            .collect();
        let scores = Solver::new(SMALL).scores(&table, &|| true).unwrap();
        prop_assert_eq!(scores, expected, "{:?}", table);
        prop_assert_eq!(tricks(&table), exhaustive(&table, &mut seen), "{:?}", table);
    }

    #[test]
    fn certain_tricks_are_lower_bounds(table in tables(4, 0)) {
        let value = exhaustive(&table, &mut HashMap::new());
        let (deal, left) = (Deal::new(&table), table.tricks_left());
        for want in 1..=left {
            let marks = |certain: CertainTricks| certain.marked & !deal.all == 0;
            let now = quick_tricks(&deal.hands, deal.leader, deal.trump, want);
            prop_assert!(now.tricks.min(want) <= value && marks(now), "{:?} {:?}", now, table);
            let then = later_tricks(&deal.hands, deal.leader, deal.trump, want, left);
            prop_assert!(then.tricks <= left - value && marks(then), "{:?} {:?}", then, table);
            if deal.trump {
                let own = leader_trump_tricks(&deal.hands, deal.leader, want);
                prop_assert!(own.tricks <= value && marks(own), "{:?} {:?}", own, table);
            }
        }
    }

    #[test]
    fn techniques_do_not_change_values(table in tables(6, 5)) {
        let all = Techniques::ALL;
        let some = [
            all,
            Techniques { table: false, ..all },
            Techniques { quick_tricks: false, ..all },
            Techniques { later_tricks: false, ..all },
            Techniques { equals: false, ..all },
            Techniques { skip_low: false, ..all },
            Techniques { order: false, ..all },
            Techniques { cutoffs: false, ..all },
            Techniques { table: true, ..Techniques::NONE },
            Techniques { quick_tricks: true, ..Techniques::NONE },
            Techniques { later_tricks: true, ..Techniques::NONE },
            Techniques { skip_low: true, ..Techniques::NONE },
        ];
        let few = Techniques { equals: true, table: true, ..Techniques::NONE };
        let expected = Solver::with(SMALL, few).tricks(&table, &|| true);
        for techniques in some {
            let found = Solver::with(SMALL, techniques).tricks(&table, &|| true);
            prop_assert_eq!(found, expected, "{:?} {:?}", techniques, table);
        }
    }
}

/// The same table with rotated seats and renamed suits.
fn transformed(table: &Table, places: usize, suits: [usize; 4]) -> Table {
    let other = |suit: Suit| Suit::ALL[suits[suit.index()]];
    let card = |card: Card| Card::new(other(card.suit()), card.rank()).unwrap();
    let mut hands = [Cards::NONE; 4];
    for seat in Compass::ALL {
        hands[seat.after(places).index()] = table.hand(seat).iter().map(card).collect();
    }
    let mut trick: Vec<Card> = table.trick().map(card).collect();
    let leader = table.leader().after(places);
    for (played, card) in trick.iter().enumerate() {
        let hand = &mut hands[leader.after(played).index()];
        *hand = hand.with(*card);
    }
    let strain = table.strain().trump().map_or(Strain::NoTrump, |suit| Strain::Trump(other(suit)));
    let mut transformed = Table::new(hands, strain, leader).unwrap();
    for card in trick.drain(..) {
        transformed.play(card);
    }
    transformed
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn values_are_invariant_under_symmetries(
        table in tables(7, 7),
        places in 0..4usize,
        suits in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        prop_assert_eq!(tricks(&table), tricks(&transformed(&table, places, suits)), "{:?}", table);
    }

    #[test]
    fn the_best_score_is_the_value_of_the_table(table in tables(7, 7)) {
        let mut solver = Solver::new(SMALL);
        let value = solver.tricks(&table, &|| true).unwrap();
        let scores = solver.scores(&table, &|| true).unwrap();
        prop_assert_eq!(scores.iter().map(|(_, tricks)| *tricks).max(), Some(value));
        for (card, score) in scores {
            let mut next = table;
            let won = next.play(card).is_some_and(|winner| winner.side() == table.to_move().side());
            let rest = tricks(&next);
            let same = next.to_move().side() == table.to_move().side();
            let rest = if same { rest } else { next.tricks_left() - rest };
            prop_assert_eq!(score, u32::from(won) + rest, "{:?} {}", table, card);
        }
    }

    #[test]
    fn the_tricks_of_both_sides_add_up(table in tables(7, 0)) {
        // The same hands with the sides exchanged.
        let rotated = transformed(&table, 1, [0, 1, 2, 3]);
        let trace = |table: &Table| Solver::new(SMALL).trace(table, &[], &|| true).unwrap()[0];
        prop_assert_eq!(trace(&table) + trace(&rotated), table.tricks_left());
    }

    #[test]
    fn the_table_size_does_not_change_values(table in tables(8, 7)) {
        let usual = Solver::new(1 << 20).tricks(&table, &|| true);
        prop_assert_eq!(Solver::new(0).tricks(&table, &|| true), usual, "{:?}", table);
    }

    #[test]
    fn a_horizon_beyond_the_end_is_exact(table in tables(6, 7), horizon in 0..8u32) {
        let mut solver = Solver::new(SMALL);
        let exact = solver.tricks(&table, &|| true).unwrap();
        let left = table.tricks_left();
        let near = solver.tricks_within(&table, horizon, &|| true).unwrap();
        prop_assert!(near <= left);
        if horizon >= left {
            prop_assert_eq!(near, exact);
        }
        // Estimates must not be used as exact values afterwards.
        prop_assert_eq!(solver.tricks(&table, &|| true), Ok(exact));
        let scores = solver.scores_within(&table, left, &|| true);
        prop_assert_eq!(scores, solver.scores(&table, &|| true));
    }
}

#[test]
fn a_horizon_of_zero_counts_certain_tricks() {
    // Three winners to cash; no search needed.
    let suit = |suit: Suit, ranks: std::ops::RangeInclusive<u8>| {
        ranks.map(|rank| Card::new(suit, rank).unwrap()).collect::<Cards>()
    };
    let hands = Suit::ALL.map(|it| suit(it, 12..=14));
    let table = Table::new(hands, Strain::NoTrump, Compass::North).unwrap();
    let mut solver = Solver::new(SMALL);
    assert_eq!(solver.tricks_within(&table, 0, &|| true), Ok(3));
    assert!(solver.nodes() < 8, "{}", solver.nodes());
}

#[test]
fn a_search_can_be_stopped() {
    let table = table(13, 52, 4, 0, 7, 0);
    let mut solver = Solver::new(SMALL);
    assert_eq!(solver.tricks(&table, &|| false), Err(SearchStopped));
    assert_eq!(solver.scores(&table, &|| false), Err(SearchStopped));
    assert_eq!(solver.table(table.hands(), &|| false), Err(DealError::Stopped));
    let hands = [table.hand(Compass::North); 4];
    assert_eq!(solver.table(hands, &|| true), Err(DealError::InvalidHands));
}

#[test]
fn a_trace_reports_the_illegal_card() {
    let table = table(3, 12, 4, 0, 7, 0);
    let mut next = table;
    let first = table.legal().iter().next().unwrap();
    next.play(first);
    let mut solver = Solver::new(SMALL);
    // The same card cannot be played twice.
    let error = TraceError::IllegalCard { index: 1, card: first };
    assert_eq!(solver.trace(&table, &[first, first], &|| true), Err(error));
    assert_eq!(error.to_string(), format!("card 2, {first}, cannot be played there"));
    assert_eq!(solver.trace(&table, &[first], &|| true).unwrap().len(), 2);
}

/// Checks the later tricks of the side not on lead, with North on lead and no trumps.
fn check_later(hands: [&str; 4], expected: u32) {
    let hands = hands.map(|hand| hand.split(' ').filter_map(Card::from_text).collect::<Cards>());
    let table = Table::new(hands, Strain::NoTrump, Compass::North).unwrap();
    let (deal, left) = (Deal::new(&table), table.tricks_left());
    let is_certain = |want: &u32| {
        later_tricks(&deal.hands, deal.leader, deal.trump, *want, left).tricks >= *want
    };
    let found = (1..=left).rev().find(is_certain).unwrap_or(0);
    assert_eq!(found, expected, "{table:?}");
    assert!(expected <= left - exhaustive(&table, &mut HashMap::new()), "{table:?}");
}

#[test]
fn blocked_or_unkept_winners_are_not_certain() {
    // West has the highest card of every suit it holds, and East has none above it.
    check_later(["SQ ST D8", "S9 DT D9", "HK HQ CQ", "SK HA CK"], 2);
    // East must overtake the king with its single ace and cannot return the lead.
    check_later(["SQ ST DA", "SA DJ DT", "HK HQ CQ", "SK HA CK"], 1);
    // West's winners in spades and diamonds are below East's single aces.
    check_later(["DQ CK CQ CJ", "SA HK HQ DA", "SJ HA DJ DT", "SQ HT DK CA"], 1);
}

/// The cards of a hand in PBN.
fn hand(text: &str) -> Cards {
    let suits = Suit::ALL.into_iter().zip(text.split('.'));
    let cards = suits.flat_map(|(suit, ranks)| {
        ranks.chars().filter_map(move |rank| Card::from_text(&format!("{}{rank}", suit.letter())))
    });
    cards.collect()
}

#[test]
fn symmetric_deals_are_solved_once() {
    let check = |hands: [&str; 4], symmetries: usize| {
        let hands = hands.map(hand);
        assert_eq!(Symmetry::of(&hands).count(), symmetries, "{hands:?}");
        let values = Solver::new(SMALL).table(hands, &|| true).unwrap();
        for strain in Strain::ALL {
            for declarer in Compass::ALL {
                // A single value is never taken from a symmetric one.
                let table = Table::new(hands, strain, declarer.after(1)).unwrap();
                let found = table.tricks_left() - tricks(&table);
                let value = u32::from(values.get(declarer, strain));
                assert_eq!(value, found, "{declarer:?} {strain:?}");
            }
        }
    };
    check(["Q8.AJ9.KT.", "AJ9.KT..Q8", "KT..Q8.AJ9", ".Q8.AJ9.KT"], 3);
    // The two lowest hearts are exchanged.
    check(["Q8.AJT.KT.", "AJ9.K9..Q8", "KT..Q8.AJ9", ".Q8.AJ9.KT"], 0);
    // Only the opposite seat is symmetric.
    check(["AK.Q.2.3", "J.T9..A2", "2.3.AK.Q", ".A2.J.T9"], 1);
}
