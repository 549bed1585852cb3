//! The solver against a search without any technique, and against itself: what must not
//! change a value.

use std::collections::HashMap;

use proptest::prelude::*;
use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table};

use crate::{Solver, Techniques};

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

/// Tricks of the side to move by trying everything.
fn exhaustive(table: &Table, seen: &mut HashMap<Table, u32>) -> u32 {
    if table.tricks_left() == 0 {
        return 0;
    }
    if let Some(tricks) = seen.get(table) {
        return *tricks;
    }
    let best = table.legal().iter().map(|card| exhaustive_after(table, card, seen)).max();
    let best = best.unwrap_or(0);
    seen.insert(*table, best);
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
    fn every_card_has_the_value_that_trying_everything_gives(table in tables(4, 15)) {
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
