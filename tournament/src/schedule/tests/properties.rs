//! What holds for any format, players and order of results.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::super::setup::sets_of;
use super::*;

fn formats() -> impl Strategy<Value = (Format, usize)> {
    let of_many = prop_oneof![
        (1..4_u32).prop_map(|cycles| Format::RoundRobin { cycles }),
        (1..3_u32, 1..3_u32)
            .prop_map(|(challengers, cycles)| Format::Gauntlet { challengers, cycles }),
        (1..7_u32).prop_map(|rounds| Format::Swiss { rounds }),
        (1..3_u32, 0..3_u32).prop_map(|(pairs, tie_breaks)| Format::Knockout { pairs, tie_breaks }),
        (1..60_u32).prop_map(|pairs| Format::Ladder { pairs }),
    ];
    prop_oneof![(of_many, 3..12_usize), (1..20_u32).prop_map(|pairs| (Format::Match { pairs }, 2)),]
}

fn times_met(pairs: &[Pair]) -> BTreeMap<[u32; 2], u32> {
    let mut met = BTreeMap::new();
    for pair in pairs {
        for (index, a) in pair.players.iter().enumerate() {
            for b in &pair.players[index + 1..] {
                *met.entry([*a.min(b), *a.max(b)]).or_insert(0) += 1;
            }
        }
    }
    met
}

fn has_each_player_once_a_round(pairs: &[Pair]) -> bool {
    let players_of = |pair: &Pair| pair.players.iter().map(|it| (pair.round, *it)).collect();
    let players: Vec<(u32, u32)> = pairs.iter().flat_map::<Vec<_>, _>(players_of).collect();
    players.iter().collect::<BTreeSet<_>>().len() == players.len()
}

/// Formats of games of more than two players, with the numbers of players and seats.
fn formats_of_tables() -> impl Strategy<Value = (Format, usize, u8)> {
    let format = prop_oneof![
        (1..3_u32).prop_map(|cycles| Format::RoundRobin { cycles }),
        (1..6_u32).prop_map(|rounds| Format::Swiss { rounds }),
        (1..30_u32).prop_map(|pairs| Format::Ladder { pairs }),
    ];
    let of_many = (format, 3..6_u8, 0..5_usize)
        .prop_map(|(format, seats, more)| (format, usize::from(seats) + more, seats));
    let of_match = (1..9_u32, 3..17_u8)
        .prop_map(|(pairs, seats)| (Format::Match { pairs }, usize::from(seats), seats));
    prop_oneof![4 => of_many, 1 => of_match]
}

proptest! {
    #[test]
    fn the_order_of_results_does_not_matter(
        (format, players) in formats(), order in any::<u64>(), at_once in 1..9_usize,
    ) {
        let pairs = run(&mut schedule(format, players), 1, 0, &[]);
        prop_assert_eq!(run(&mut schedule(format, players), at_once, order, &[]), pairs);
    }

    /// The same for tables of more than two players. No player sits at two tables of a round. In a
    /// round robin each set of players meets as often as there are cycles.
    #[test]
    fn tables_do_not_depend_on_the_order_of_results(
        (format, players, seats) in formats_of_tables(), order in any::<u64>(), at_once in 1..9_usize,
    ) {
        let new = || Schedule::new(setup_of_seats(format, players, seats)).unwrap();
        let expected = new().forecast().pairs_max;
        let tables = run(&mut new(), 1, 0, &[]);
        prop_assert_eq!(run(&mut new(), at_once, order, &[]), tables.clone());
        prop_assert_eq!(tables.len() as u64, expected);
        prop_assert!(tables.iter().all(|table| table.players.len() == usize::from(seats)));
        prop_assert!(has_each_player_once_a_round(&tables));
        if let Format::RoundRobin { cycles } = format {
            let mut sets: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            for table in &tables {
                let mut set = table.players.to_vec();
                set.sort_unstable();
                *sets.entry(set).or_default() += 1;
            }
            prop_assert!(sets.values().all(|times| *times == cycles));
            let expected = sets_of(players as u64, seats.into());
            prop_assert_eq!(sets.len() as u64, expected);
        }
    }

    /// A player leaves a tournament of tables, and another joins.
    #[test]
    fn events_keep_started_tables(
        (format, players, seats) in formats_of_tables(), from_pair in 0..6_u32, order in any::<u64>(),
    ) {
        let new = || Schedule::new(setup_of_seats(format, players, seats)).unwrap();
        let join = Event { from_pair: from_pair + 1, change: Change::Join(Entrant { rating: 9 }) };
        let mut events = vec![Event { from_pair, change: Change::Withdraw(1) }];
        events.extend((!matches!(format, Format::Match { .. })).then_some(join));
        let mut first = new();
        let tables = run(&mut first, 3, order, &events);
        let mut again = new();
        first.events().iter().for_each(|event| again.apply(*event).unwrap());
        prop_assert_eq!(run(&mut again, 1, 0, &[]), tables.clone());
        let changed = first.events().first().map_or(u32::MAX, |event| event.from_pair);
        let late = tables.iter().filter(|table| table.number >= changed);
        prop_assert!(late.clone().all(|table| !table.players.contains(&1)));
    }

    #[test]
    fn round_robins_have_one_pair_per_cycle(
        players in 2..12_usize, cycles in 1..4_u32, at_once in 1..9_usize,
    ) {
        let mut schedule = schedule(Format::RoundRobin { cycles }, players);
        let met = times_met(&run(&mut schedule, at_once, 3, &[]));
        prop_assert_eq!(met.len(), players * (players - 1) / 2);
        prop_assert!(met.values().all(|times| *times == cycles));
    }

    #[test]
    fn swiss_pairings_never_repeat(
        players in 2..14_usize, rounds in 1..14_u32, order in any::<u64>(),
    ) {
        let pairs = run(&mut schedule(Format::Swiss { rounds }, players), 4, order, &[]);
        prop_assert!(times_met(&pairs).values().all(|times| *times == 1));
        prop_assert!(has_each_player_once_a_round(&pairs));
        // Until half of the opponents are met, only the odd player is unpaired.
        let full = pairs.iter().filter(|pair| (pair.round as usize) < players / 2).count();
        prop_assert_eq!(full, (players / 2) * (rounds as usize).min(players / 2));
    }

    /// A player withdraws and another joins: pairs that were started stay, and the same events
    /// applied at the start give the same pairs.
    #[test]
    fn events_keep_started_pairs(
        (format, players) in formats(), from_pair in 0..12_u32, player in 0..12_u32,
        order in any::<u64>(), at_once in 1..5_usize,
    ) {
        let leaver = player % players as u32;
        let closed = matches!(format, Format::Match { .. } | Format::Knockout { .. });
        let join = Event { from_pair: from_pair + 2, change: Change::Join(Entrant { rating: 50 }) };
        let mut events = vec![Event { from_pair, change: Change::Withdraw(leaver) }];
        events.extend((!closed).then_some(join));
        let mut first = schedule(format, players);
        let pairs = run(&mut first, at_once, order, &events);
        let undisturbed = run(&mut schedule(format, players), 1, 0, &[]);
        let events = first.events().to_vec();
        let first_changed = events.first().map_or(u32::MAX, |event| event.from_pair);
        let is_before = |pair: &Pair| pair.number < first_changed;
        prop_assert!(pairs.iter().all(|pair| is_before(pair) || !pair.players.contains(&leaver)));
        let before =
            |pairs: &[Pair]| -> Vec<Pair> { pairs.iter().copied().filter(is_before).collect() };
        prop_assert_eq!(before(&pairs), before(&undisturbed));
        let mut again = schedule(format, players);
        events.iter().for_each(|event| again.apply(*event).unwrap());
        prop_assert_eq!(run(&mut again, 1, 0, &[]), pairs.clone());
        // In a round robin all remaining players meet each other, including the new one.
        if let Format::RoundRobin { cycles } = format {
            let stays = |player: &u32| *player != leaver || events.is_empty();
            let stay: Vec<u32> = (0..first.player_count()).filter(stays).collect();
            let met = times_met(&pairs);
            for (i, a) in stay.iter().enumerate() {
                for b in &stay[i + 1..] {
                    prop_assert_eq!(met.get(&[*a, *b]), Some(&cycles));
                }
            }
        }
    }

    /// A void event gives the same schedule whether it is applied at the start or when the pair was
    /// taken.
    #[test]
    fn void_events_can_be_applied_at_the_start(
        (format, players) in formats(),
        numbers in proptest::collection::btree_set(0..20_u32, 0..4), from_pair in 0..12_u32,
    ) {
        let mut first = schedule(format, players);
        let mut withdrawal = Some(Event { from_pair, change: Change::Withdraw(0) });
        while let Some(pair) = first.take() {
            if numbers.contains(&pair.number) {
                first.apply(void(&pair, Some(pair.players[1]))).unwrap();
            } else {
                first.finish(pair.number, play(&pair)).unwrap();
            }
            let is_due = |event: &mut Event| first.first_unstarted() >= event.from_pair;
            if let Some(event) = withdrawal.take_if(is_due) {
                first.apply(Event { from_pair: first.first_unstarted(), ..event }).unwrap();
            }
        }
        let mut again = schedule(format, players);
        first.events().iter().for_each(|event| again.apply(*event).unwrap());
        while let Some(pair) = again.take() {
            prop_assert!(!again.is_void(pair.number));
            again.finish(pair.number, play(&pair)).unwrap();
        }
        prop_assert!(first.is_complete() && again.is_complete());
        prop_assert_eq!(first.results().collect::<Vec<_>>(), again.results().collect::<Vec<_>>());
    }

    /// A restored run with recorded results plays the remaining pairs.
    #[test]
    fn a_restored_run_plays_the_remaining_pairs(
        (format, players) in formats(), done in 0..40_usize,
    ) {
        let pairs = run(&mut schedule(format, players), 1, 0, &[]);
        let mut resumed = schedule(format, players);
        for pair in pairs.iter().take(done) {
            resumed.finish(pair.number, play(pair)).unwrap();
        }
        prop_assert_eq!(run(&mut resumed, 3, 1, &[]), pairs);
    }
}
