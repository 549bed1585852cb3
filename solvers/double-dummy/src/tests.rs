//! The solver against a search without any technique, and against itself: what must not
//! change a value.

mod known;

use std::collections::HashMap;

use proptest::prelude::*;
use sandboard_games::bridge::{Card, Cards, Compass, Strain, Suit, Table};

use crate::deal::Deal;
use crate::sure::{Sure, later, own_trumps, quick};
use crate::turns::Turn;
use crate::{DealError, Solver, Stopped, Techniques, TraceError};

const SMALL: usize = 1 << 16;

/// A table dealt by numbers: so many cards each, of the whole pack or of its highest, and so
/// many cards already on the table.
fn table(
    cards: usize,
    of: usize,
    strain: usize,
    leader: usize,
    mut seed: u64,
    played: usize,
) -> Table {
    let mut draw = |below: usize| {
        // splitmix64
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % below as u64) as usize
    };
    let mut pack: Vec<Card> = Cards::PACK.iter().collect();
    pack.sort_by_key(|card| std::cmp::Reverse(card.rank()));
    pack.truncate(of.max(4 * cards));
    let mut hands = [Cards::NONE; 4];
    for hand in &mut hands {
        for _ in 0..cards {
            let card = pack.swap_remove(draw(pack.len()));
            *hand = hand.with(card);
        }
    }
    let mut table = Table::new(hands, Strain::ALL[strain], Compass::ALL[leader]).unwrap();
    for _ in 0..played {
        let legal: Vec<Card> = table.legal().iter().collect();
        table.play(legal[draw(legal.len())]);
    }
    table
}

/// Tricks of the side to move by trying everything; what is seen again between two tricks is
/// not tried again.
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
    fn every_card_has_the_value_that_trying_everything_gives(table in tables(5, 19)) {
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
    fn what_is_sure_is_there(table in tables(4, 0)) {
        let value = exhaustive(&table, &mut HashMap::new());
        let (deal, left) = (Deal::new(&table), table.tricks_left());
        for want in 1..=left {
            let marks = |sure: Sure| sure.marked & !deal.all == 0;
            let now = quick(&deal.hands, deal.leader, deal.trump, want);
            prop_assert!(now.tricks.min(want) <= value && marks(now), "{:?} {:?}", now, table);
            let then = later(&deal.hands, deal.leader, deal.trump, want, left);
            prop_assert!(then.tricks <= left - value && marks(then), "{:?} {:?}", then, table);
            if deal.trump {
                let own = own_trumps(&deal.hands, deal.leader, want);
                prop_assert!(own.tricks <= value && marks(own), "{:?} {:?}", own, table);
            }
        }
    }

    #[test]
    fn no_technique_changes_a_value(table in tables(6, 5)) {
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
        let expected = Solver::with(SMALL, Techniques { equals: true, table: true, ..Techniques::NONE }).tricks(&table, &|| true);
        for techniques in some {
            let found = Solver::with(SMALL, techniques).tricks(&table, &|| true);
            prop_assert_eq!(found, expected, "{:?} {:?}", techniques, table);
        }
    }
}

/// The same table with seats turned clockwise and suits renamed.
fn moved(table: &Table, places: usize, suits: [usize; 4]) -> Table {
    let other = |suit: Suit| Suit::ALL[suits[suit.index()]];
    let card = |card: Card| Card::new(other(card.suit()), card.rank()).unwrap();
    let mut hands = [Cards::NONE; 4];
    for of in Compass::ALL {
        hands[of.after(places).index()] = table.hand(of).iter().map(card).collect();
    }
    let mut trick: Vec<Card> = table.trick().map(card).collect();
    let leader = table.leader().after(places);
    for (place, card) in trick.iter().enumerate() {
        let hand = &mut hands[leader.after(place).index()];
        *hand = hand.with(*card);
    }
    let strain = table.strain().trump().map_or(Strain::NoTrump, |suit| Strain::Trump(other(suit)));
    let mut moved = Table::new(hands, strain, leader).unwrap();
    for card in trick.drain(..) {
        moved.play(card);
    }
    moved
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn seats_and_names_of_suits_do_not_matter(
        table in tables(7, 7),
        places in 0..4usize,
        suits in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        prop_assert_eq!(tricks(&table), tricks(&moved(&table, places, suits)), "{:?}", table);
    }

    #[test]
    fn the_best_card_keeps_the_value_and_no_card_raises_it(table in tables(7, 7)) {
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
    fn both_sides_together_take_all(table in tables(7, 0)) {
        // The same hands with the sides exchanged: what was ours is theirs.
        let turned = moved(&table, 1, [0, 1, 2, 3]);
        let trace = |table: &Table| Solver::new(SMALL).trace(table, &[], &|| true).unwrap()[0];
        prop_assert_eq!(trace(&table) + trace(&turned), table.tricks_left());
    }

    #[test]
    fn the_smallest_table_changes_nothing(table in tables(8, 7)) {
        let usual = Solver::new(1 << 20).tricks(&table, &|| true);
        prop_assert_eq!(Solver::new(0).tricks(&table, &|| true), usual, "{:?}", table);
    }

    #[test]
    fn a_far_horizon_is_none(table in tables(6, 7), horizon in 0..8u32) {
        let mut solver = Solver::new(SMALL);
        let exact = solver.tricks(&table, &|| true).unwrap();
        let left = table.tricks_left();
        let near = solver.tricks_within(&table, horizon, &|| true).unwrap();
        prop_assert!(near <= left);
        if horizon >= left {
            prop_assert_eq!(near, exact);
        }
        // What was estimated is not taken for known afterwards.
        prop_assert_eq!(solver.tricks(&table, &|| true), Ok(exact));
        let scores = solver.scores_within(&table, left, &|| true);
        prop_assert_eq!(scores, solver.scores(&table, &|| true));
    }
}

#[test]
fn a_horizon_of_nothing_sees_what_is_sure() {
    // Three aces to cash, and nothing to search.
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
fn a_search_stops_when_it_is_told() {
    let table = table(13, 52, 4, 0, 7, 0);
    let mut solver = Solver::new(SMALL);
    assert_eq!(solver.tricks(&table, &|| false), Err(Stopped));
    assert_eq!(solver.scores(&table, &|| false), Err(Stopped));
    assert_eq!(solver.table(table.hands(), &|| false), Err(DealError::Stopped));
    let hands = [table.hand(Compass::North); 4];
    assert_eq!(solver.table(hands, &|| true), Err(DealError::Hands));
}

#[test]
fn a_trace_names_the_card_that_cannot_be_played() {
    let table = table(3, 12, 4, 0, 7, 0);
    let mut next = table;
    let first = table.legal().iter().next().unwrap();
    next.play(first);
    let mut solver = Solver::new(SMALL);
    // The card has just been played.
    let error = TraceError::Illegal { at: 1, card: first };
    assert_eq!(solver.trace(&table, &[first, first], &|| true), Err(error));
    assert_eq!(error.to_string(), format!("card 2, {first}, cannot be played there"));
    assert_eq!(solver.trace(&table, &[first], &|| true).unwrap().len(), 2);
}

/// Tricks that are sure to the side that is not on lead, North leading without trumps.
fn check_later(hands: [&str; 4], expected: u32) {
    let hands = hands.map(|hand| hand.split(' ').filter_map(Card::of_text).collect::<Cards>());
    let table = Table::new(hands, Strain::NoTrump, Compass::North).unwrap();
    let (deal, left) = (Deal::new(&table), table.tricks_left());
    let sure =
        |want: &u32| later(&deal.hands, deal.leader, deal.trump, *want, left).tricks >= *want;
    let found = (1..=left).rev().find(sure).unwrap_or(0);
    assert_eq!(found, expected, "{table:?}");
    assert!(expected <= left - exhaustive(&table, &mut HashMap::new()), "{table:?}");
}

#[test]
fn winners_behind_a_partner_or_too_many_to_keep_are_not_sure() {
    // West has the highest card of all suits that it holds, and East nothing above it.
    check_later(["SQ ST D8", "S9 DT D9", "HK HQ CQ", "SK HA CK"], 2);
    // East must take the king over with its lone ace, and has no way back.
    check_later(["SQ ST DA", "SA DJ DT", "HK HQ CQ", "SK HA CK"], 1);
    // West's winners in spades and diamonds lie under East's aces, which are alone.
    check_later(["DQ CK CQ CJ", "SA HK HQ DA", "SJ HA DJ DT", "SQ HT DK CA"], 1);
}

/// Cards as PBN writes the suits of a hand.
fn hand(text: &str) -> Cards {
    let suits = Suit::ALL.into_iter().zip(text.split('.'));
    let cards = suits.flat_map(|(suit, ranks)| {
        ranks.chars().filter_map(move |rank| Card::of_text(&format!("{}{rank}", suit.letter())))
    });
    cards.collect()
}

#[test]
fn a_deal_that_looks_the_same_from_other_seats_is_solved_once() {
    let check = |hands: [&str; 4], turns: usize| {
        let hands = hands.map(hand);
        assert_eq!(Turn::of(&hands).count(), turns, "{hands:?}");
        let values = Solver::new(SMALL).table(hands, &|| true).unwrap();
        for strain in Strain::ALL {
            for declarer in Compass::ALL {
                // One value alone is never taken from another.
                let table = Table::new(hands, strain, declarer.after(1)).unwrap();
                let found = table.tricks_left() - tricks(&table);
                let value = u32::from(values.get(declarer, strain));
                assert_eq!(value, found, "{declarer:?} {strain:?}");
            }
        }
    };
    check(["Q8.AJ9.KT.", "AJ9.KT..Q8", "KT..Q8.AJ9", ".Q8.AJ9.KT"], 3);
    // The two lowest hearts exchanged.
    check(["Q8.AJT.KT.", "AJ9.K9..Q8", "KT..Q8.AJ9", ".Q8.AJ9.KT"], 0);
    // Only the opposite seat sees the same.
    check(["AK.Q.2.3", "J.T9..A2", "2.3.AK.Q", ".A2.J.T9"], 1);
}
