//! Schedules as texts, and what holds of all of them: whatever the order in which results come, the
//! same pairs are played.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::seed::Stream;

fn setup(format: Format, players: usize) -> Setup {
    Setup { format, entrants: vec![Entrant::default(); players], seed: 5 }
}

fn schedule(format: Format, players: usize) -> Schedule {
    Schedule::new(setup(format, players)).unwrap()
}

/// The result of a pair, which depends on the pair alone: the player with the lower number is better.
fn play(pair: &Pair) -> Outcome {
    let [a, b] = pair.players;
    let luck = Stream::new(u64::from(pair.number) << 20 ^ u64::from(a * 64 + b)).below(5) as u8;
    Outcome::HalfPoints(if a < b { luck.max(1) } else { luck.min(3) })
}

/// Plays it in any order, with so many pairs at once; events as soon as they can count.
fn run(schedule: &mut Schedule, at_once: usize, order: u64, events: &[Event]) -> Vec<Pair> {
    let mut stream = Stream::new(order);
    let mut events = events.iter().peekable();
    let mut open = Vec::new();
    loop {
        while let Some(event) = events.next_if(|event| schedule.place() >= event.at) {
            let now = Event { at: schedule.place(), ..*event };
            schedule.apply(now).unwrap();
        }
        while open.len() < at_once
            && let Some(pair) = schedule.take()
        {
            open.push(pair);
        }
        if open.is_empty() {
            break;
        }
        let pair = open.swap_remove(stream.below(open.len()));
        schedule.finish(pair.number, play(&pair)).unwrap();
    }
    assert!(schedule.is_complete());
    assert_eq!(schedule.forecast(), Forecast { most: 0, expected: 0 });
    schedule.counted().map(|(pair, _)| pair).collect()
}

/// Pairs as `round:first-second/opening`.
fn check(format: Format, players: usize, expected: &str) {
    let pairs = run(&mut schedule(format, players), 1, 0, &[]);
    let text = |pair: &Pair| {
        let [a, b] = pair.players;
        format!("{}:{a}-{b}/{}", pair.round, pair.opening)
    };
    assert_eq!(pairs.iter().map(text).collect::<Vec<_>>().join(" "), expected, "{format:?}");
}

#[test]
fn fixed_formats() {
    check(Format::Match { pairs: 3 }, 2, "0:0-1/0 1:0-1/1 2:0-1/2");
    check(Format::Gauntlet { heroes: 1, folds: 2 }, 3, "0:0-1/0 0:0-2/0 1:0-1/1 1:0-2/1");
    check(Format::Gauntlet { heroes: 2, folds: 1 }, 4, "0:0-2/0 0:1-2/0 0:0-3/0 0:1-3/0");
    check(Format::RoundRobin { folds: 1 }, 4, "0:0-3/0 0:1-2/0 1:0-2/1 1:3-1/1 2:0-1/2 2:2-3/2");
    check(Format::RoundRobin { folds: 1 }, 3, "0:1-2/0 1:0-2/1 2:0-1/2");
}

fn check_setup(format: Format, players: usize, expected: &str) {
    let found =
        Schedule::new(setup(format, players)).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(found, Err(expected.to_owned()));
}

#[test]
fn what_is_no_tournament_is_refused() {
    check_setup(Format::Swiss { rounds: 3 }, 1, "a tournament needs at least two players, not 1");
    check_setup(Format::Match { pairs: 3 }, 3, "a match is between two players, not 3");
    let many = "2001 players are more than 2000";
    check_setup(Format::Ladder { pairs: 1 }, 2001, many);
    let heroes = "2 of 2 players cannot run the gauntlet: at least one must, and one not";
    check_setup(Format::Gauntlet { heroes: 2, folds: 1 }, 2, heroes);
    check_setup(Format::RoundRobin { folds: 0 }, 4, "a tournament of 0 folds has no games");
    check_setup(Format::Match { pairs: u32::MAX }, 2, "4294967295 pairs are more than 100000000");
}

#[test]
fn nobody_joins_who_would_be_one_too_many() {
    let entrants = vec![Entrant::default(); PLAYERS_MAX - 1];
    let setup = Setup { format: Format::Ladder { pairs: 9 }, entrants, seed: 0 };
    let mut schedule = Schedule::new(setup).unwrap();
    let join = Event { at: 5, change: Change::Join(Entrant::default()) };
    assert_eq!(schedule.apply(join), Ok(()));
    assert_eq!(schedule.apply(join), Err(EventError::Full));
}

/// Players with ratings; half points of the first by number of the pair, 2 where not said.
fn check_knockout(ratings: &[i32], format: Format, results: &[(u32, u8)], expected: &str) {
    let entrants = ratings.iter().map(|rating| Entrant { rating: *rating }).collect();
    let mut schedule = Schedule::new(Setup { format, entrants, seed: 0 }).unwrap();
    let results: BTreeMap<u32, u8> = results.iter().copied().collect();
    let mut text = Vec::new();
    while let Some(pair) = schedule.take() {
        let [a, b] = pair.players;
        text.push(format!("{}:{a}-{b}", pair.round));
        let half_points = results.get(&pair.number).copied().unwrap_or(2);
        schedule.finish(pair.number, Outcome::HalfPoints(half_points)).unwrap();
    }
    assert!(schedule.is_complete());
    let passed = schedule.stages_passed().unwrap().iter();
    let passed: Vec<_> = passed.map(|(player, stages)| format!("{player}:{stages}")).collect();
    assert_eq!(format!("{} > {}", text.join(" "), passed.join(" ")), expected, "{ratings:?}");
}

#[test]
fn knockouts() {
    let one = Format::Knockout { pairs: 1, tie_breaks: 0 };
    // Even: the better seed goes on. 0 and 1 meet last.
    check_knockout(&[0; 4], one, &[], "0:0-3 0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 4], one, &[(0, 1), (1, 0)], "0:0-3 0:1-2 1:2-3 > 2:2 3:1");
    check_knockout(&[0, 0, 0, 100], one, &[], "0:3-2 0:0-1 1:3-0 > 0:1 3:2");
    // Byes of the first seeds.
    check_knockout(&[0; 3], one, &[], "0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 5], one, &[(0, 0)], "0:3-4 1:0-4 1:1-2 2:0-1 > 0:3 1:2 2:1 4:1");
    // Even meetings go on, decided ones do not.
    let two = Format::Knockout { pairs: 2, tie_breaks: 2 };
    check_knockout(&[0; 2], two, &[(0, 3)], "0:0-1 0:0-1 > 0:1");
    check_knockout(&[0; 2], two, &[(0, 3), (1, 1), (2, 1)], "0:0-1 0:0-1 0:0-1 > 1:1");
    check_knockout(&[0; 2], two, &[], "0:0-1 0:0-1 0:0-1 0:0-1 > 0:1");
}

#[test]
fn changes_and_results_that_cannot_be() {
    let mut schedule = schedule(Format::Match { pairs: 3 }, 2);
    let pair = schedule.take().unwrap();
    let apply = |schedule: &mut Schedule, at, change| schedule.apply(Event { at, change });
    assert_eq!(apply(&mut schedule, 0, Change::Stop), Err(EventError::TooLate { at: 0, place: 1 }));
    assert_eq!(
        apply(&mut schedule, 1, Change::Withdraw(2)),
        Err(EventError::NoPlayer { player: 2 })
    );
    assert_eq!(apply(&mut schedule, 1, Change::Join(Entrant::default())), Err(EventError::Closed));
    assert_eq!(apply(&mut schedule, 2, Change::Withdraw(1)), Ok(()));
    assert_eq!(apply(&mut schedule, 2, Change::Withdraw(1)), Err(EventError::Gone { player: 1 }));
    assert_eq!(apply(&mut schedule, 1, Change::Stop), Err(EventError::Order { at: 1, last: 2 }));
    let points = Outcome::HalfPoints(5);
    assert_eq!(schedule.finish(0, points), Err(FinishError::Points { number: 0, half_points: 5 }));
    assert_eq!(schedule.finish(0, play(&pair)), Ok(()));
    assert_eq!(schedule.finish(0, Outcome::Void), Err(FinishError::Twice { number: 0 }));
    assert_eq!(schedule.finish(9, Outcome::Void), Err(FinishError::NotPlanned { number: 9 }));
    assert_eq!(schedule.finish(1, Outcome::Void), Ok(()));
    assert!(schedule.is_complete());
}

#[test]
fn pairs_are_handed_out_once() {
    let mut schedule = schedule(Format::RoundRobin { folds: 1 }, 4);
    let numbers = |schedule: &mut Schedule, n: usize| -> Vec<u32> {
        (0..n).map_while(|_| schedule.take()).map(|pair| pair.number).collect()
    };
    assert_eq!(numbers(&mut schedule, 3), [0, 1, 2]);
    schedule.give_back(1);
    schedule.give_back(4);
    assert_eq!(schedule.ready().next().map(|pair| pair.number), Some(1));
    assert_eq!(numbers(&mut schedule, 9), [1, 3, 4, 5]);
    assert_eq!(schedule.forecast().most, 6);
}

/// Plays all pairs even, one by one, with these changes; the pairs that were played, and that fell out.
fn check_changes(format: Format, players: usize, events: &[(u32, Change)], expected: &str) {
    let mut schedule = schedule(format, players);
    for (at, change) in events {
        schedule.apply(Event { at: *at, change: *change }).unwrap();
    }
    let mut text = Vec::new();
    let mut next = 0;
    while let Some(pair) = schedule.take() {
        text.extend((next..pair.number).map(|_| "out".to_owned()));
        next = pair.number + 1;
        let [a, b] = pair.players;
        text.push(format!("{}:{a}-{b}", pair.round));
        schedule.finish(pair.number, Outcome::HalfPoints(2)).unwrap();
    }
    assert!(schedule.is_complete());
    assert_eq!(text.join(" "), expected, "{format:?} {events:?}");
}

#[test]
fn players_leave_and_join() {
    let knockout = Format::Knockout { pairs: 2, tie_breaks: 0 };
    check_changes(knockout, 4, &[], "0:0-3 0:0-3 0:1-2 0:1-2 1:0-1 1:0-1");
    // Whoever meets somebody who left goes on, be it in the middle of a meeting.
    check_changes(knockout, 4, &[(1, Change::Withdraw(0))], "0:0-3 out 0:1-2 0:1-2 1:1-3 1:1-3");
    check_changes(knockout, 4, &[(4, Change::Withdraw(0))], "0:0-3 0:0-3 0:1-2 0:1-2 1:1-3 1:1-3");
    check_changes(knockout, 4, &[(5, Change::Withdraw(0))], "0:0-3 0:0-3 0:1-2 0:1-2 1:0-1");
    let both = [(4, Change::Withdraw(0)), (4, Change::Withdraw(3))];
    check_changes(knockout, 4, &both, "0:0-3 0:0-3 0:1-2 0:1-2");
    let join = Change::Join(Entrant::default());
    // The newcomer catches up when the fold is over, with the next number.
    let gauntlet = Format::Gauntlet { heroes: 1, folds: 2 };
    check_changes(gauntlet, 3, &[(1, join)], "0:0-1 0:0-2 1:0-3 2:0-1 2:0-2 2:0-3");
    let changes = [(1, join), (3, Change::Withdraw(3))];
    check_changes(gauntlet, 3, &changes, "0:0-1 0:0-2 1:0-3 2:0-1 2:0-2");
    check_changes(gauntlet, 3, &[(1, Change::Withdraw(0))], "0:0-1");
    check_changes(Format::Match { pairs: 9 }, 2, &[(2, Change::Stop)], "0:0-1 1:0-1");
    check_changes(Format::Match { pairs: 9 }, 2, &[(0, Change::Stop)], "");
}

/// Plays all pairs even, but those that are void, which are said to be so when they were taken; the pairs that count.
fn check_void(format: Format, players: usize, numbers: &[u32], by: Option<u32>, expected: &str) {
    let mut schedule = schedule(format, players);
    while let Some(pair) = schedule.take() {
        if numbers.contains(&pair.number) {
            schedule.apply(void(&pair, by)).unwrap();
        } else {
            schedule.finish(pair.number, Outcome::HalfPoints(2)).unwrap();
        }
    }
    assert!(schedule.is_complete());
    let text = |(pair, outcome): (Pair, Outcome)| match outcome {
        Outcome::Void => "void".to_owned(),
        Outcome::HalfPoints(_) => format!("{}:{}-{}", pair.round, pair.players[0], pair.players[1]),
    };
    let text: Vec<String> = schedule.counted().map(text).collect();
    assert_eq!(text.join(" "), expected, "{format:?} {numbers:?}");
}

#[test]
fn pairs_are_void() {
    check_void(Format::Match { pairs: 3 }, 2, &[], None, "0:0-1 1:0-1 2:0-1");
    check_void(Format::Match { pairs: 3 }, 2, &[1], Some(1), "0:0-1 void 2:0-1");
    check_void(Format::Match { pairs: 2 }, 2, &[0, 1], None, "void void");
    check_void(Format::Swiss { rounds: 1 }, 4, &[1], None, "0:0-1 void");
    // A meeting goes on as if it were even, where nobody is to blame: the better seed goes through.
    let knockout = Format::Knockout { pairs: 1, tie_breaks: 1 };
    check_void(knockout, 2, &[0], None, "void 0:0-1");
    check_void(knockout, 2, &[0, 1], None, "void void");
    // Who is has lost it, be he the better seed.
    check_void(knockout, 2, &[0], Some(0), "void");
    let one = Format::Knockout { pairs: 1, tie_breaks: 0 };
    check_void(one, 4, &[0], None, "void 0:1-2 1:0-1");
    check_void(one, 4, &[0], Some(3), "void 0:1-2 1:0-1");
    check_void(one, 4, &[0], Some(0), "void 0:1-2 1:1-3");
}

/// That this pair is void.
fn void(pair: &Pair, by: Option<u32>) -> Event {
    Event { at: pair.number, change: Change::Void { players: pair.players, by } }
}

#[test]
fn what_cannot_be_void() {
    let mut schedule = schedule(Format::Match { pairs: 4 }, 2);
    let pairs: Vec<Pair> = (0..3).map_while(|_| schedule.take()).collect();
    schedule.finish(0, play(&pairs[0])).unwrap();
    assert_eq!(schedule.apply(void(&pairs[0], None)), Err(EventError::Over { number: 0 }));
    let number = PAIRS_MAX as u32;
    let beyond = Pair { number, ..pairs[0] };
    assert_eq!(schedule.apply(void(&beyond, None)), Err(EventError::NoPair { number }));
    assert_eq!(schedule.apply(void(&pairs[2], None)), Ok(()));
    assert_eq!(schedule.apply(void(&pairs[2], None)), Err(EventError::Over { number: 2 }));
    assert_eq!(schedule.finish(2, play(&pairs[2])), Err(FinishError::Twice { number: 2 }));
    schedule.give_back(2);
    schedule.give_back(1);
    assert_eq!(schedule.take().map(|pair| pair.number), Some(1));
    // Changes before and after it are in an order of their own, and count for the pairs that they name.
    assert_eq!(schedule.apply(Event { at: 3, change: Change::Stop }), Ok(()));
    assert_eq!(schedule.apply(void(&pairs[1], None)), Ok(()));
    assert!(schedule.is_complete() && schedule.is_void(1) && !schedule.is_void(0));
}

/// Pair 3 of a round robin was void when its process was killed; told of it, somebody withdraws before it: what gets its
/// number instead is played.
#[test]
fn a_number_that_becomes_another_pair_is_not_void() {
    let format = Format::RoundRobin { folds: 1 };
    let pairs = run(&mut schedule(format, 4), 1, 0, &[]);
    let mut again = schedule(format, 4);
    again.apply(void(&pairs[3], None)).unwrap();
    again.finish(0, play(&pairs[0])).unwrap();
    let place = again.place();
    let leaves = pairs[3].players[0];
    again.apply(Event { at: place, change: Change::Withdraw(leaves) }).unwrap();
    while let Some(pair) = again.take() {
        assert!(!pair.players.contains(&leaves) && !again.is_void(pair.number));
        again.finish(pair.number, play(&pair)).unwrap();
    }
    assert!(again.is_complete());
    assert!(again.counted().all(|(_, outcome)| outcome != Outcome::Void));
}

#[test]
fn a_tournament_changes_so_often_and_no_more() {
    let mut schedule = schedule(Format::Match { pairs: 200_000 }, 2);
    let pair = |number| Pair { number, round: number, players: [0, 1], opening: number };
    for number in 0..EVENTS_MAX as u32 {
        schedule.apply(void(&pair(number), None)).unwrap();
    }
    let most = EVENTS_MAX;
    let more = schedule.apply(void(&pair(EVENTS_MAX as u32), None));
    assert_eq!(more, Err(EventError::TooMany { most }));
}

/// Pairs left, at most and expected, after so many even pairs.
fn check_forecast(format: Format, players: usize, played: usize, expected: [u64; 2]) {
    let mut schedule = schedule(format, players);
    for _ in 0..played {
        let pair = schedule.take().unwrap();
        schedule.finish(pair.number, Outcome::HalfPoints(2)).unwrap();
    }
    let found = schedule.forecast();
    assert_eq!([found.most, found.expected], expected, "{format:?} {played}");
}

#[test]
fn forecasts() {
    check_forecast(Format::Match { pairs: 90_000_000 }, 2, 0, [90_000_000; 2]);
    check_forecast(Format::Match { pairs: 9 }, 2, 9, [0; 2]);
    check_forecast(Format::RoundRobin { folds: 2 }, 5, 3, [17; 2]);
    check_forecast(Format::Gauntlet { heroes: 2, folds: 3 }, 5, 7, [11; 2]);
    check_forecast(Format::Swiss { rounds: 4 }, 7, 4, [8; 2]);
    check_forecast(Format::Ladder { pairs: 30 }, 6, 4, [26; 2]);
    // Two meetings and the last one; each may have a tie-break.
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 0, [9, 6]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 4, [5, 4]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 6, [3, 2]);
}

#[test]
fn a_swiss_system_tells_its_byes() {
    let mut schedule = schedule(Format::Swiss { rounds: 3 }, 3);
    let pair = schedule.take().unwrap();
    let resting = (0..3).find(|player| !pair.players.contains(player)).unwrap();
    assert_eq!(schedule.byes(), BTreeMap::from([(resting, 4)]));
    schedule.finish(0, Outcome::Void).unwrap();
    // He has the points of a win, nobody else any: he plays, and another rests.
    let pair = schedule.take().unwrap();
    assert_eq!((pair.players[0], schedule.byes().len()), (resting, 2));
}

#[test]
fn setups_are_written_down() {
    let text = r#"{"format":{"format":"knockout","pairs":2,"tie_breaks":1},"entrants":[{"rating":5},{"rating":0}],"seed":7}"#;
    let setup: Setup = serde_json::from_str(text).unwrap();
    assert_eq!(setup.format, Format::Knockout { pairs: 2, tie_breaks: 1 });
    assert_eq!(serde_json::to_string(&setup).unwrap(), text);
    let event = Event { at: 3, change: Change::Withdraw(1) };
    assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"at":3,"change":{"withdraw":1}}"#);
}

fn formats() -> impl Strategy<Value = (Format, usize)> {
    let of_many = prop_oneof![
        (1..4_u32).prop_map(|folds| Format::RoundRobin { folds }),
        (1..3_u32, 1..3_u32).prop_map(|(heroes, folds)| Format::Gauntlet { heroes, folds }),
        (1..7_u32).prop_map(|rounds| Format::Swiss { rounds }),
        (1..3_u32, 0..3_u32).prop_map(|(pairs, tie_breaks)| Format::Knockout { pairs, tie_breaks }),
        (1..60_u32).prop_map(|pairs| Format::Ladder { pairs }),
    ];
    prop_oneof![(of_many, 3..12_usize), (1..20_u32).prop_map(|pairs| (Format::Match { pairs }, 2)),]
}

fn meetings(pairs: &[Pair]) -> BTreeMap<[u32; 2], u32> {
    let mut met = BTreeMap::new();
    for pair in pairs {
        let [a, b] = pair.players;
        *met.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
    }
    met
}

proptest! {
    #[test]
    fn the_order_of_results_does_not_matter((format, players) in formats(), order in any::<u64>(), at_once in 1..9_usize) {
        let pairs = run(&mut schedule(format, players), 1, 0, &[]);
        prop_assert_eq!(run(&mut schedule(format, players), at_once, order, &[]), pairs);
    }

    #[test]
    fn round_robins_meet_so_many_times(players in 2..12_usize, folds in 1..4_u32, at_once in 1..9_usize) {
        let met = meetings(&run(&mut schedule(Format::RoundRobin { folds }, players), at_once, 3, &[]));
        prop_assert_eq!(met.len(), players * (players - 1) / 2);
        prop_assert!(met.values().all(|times| *times == folds));
    }

    #[test]
    fn swiss_systems_never_repeat(players in 2..14_usize, rounds in 1..14_u32, order in any::<u64>()) {
        let pairs = run(&mut schedule(Format::Swiss { rounds }, players), 4, order, &[]);
        prop_assert!(meetings(&pairs).values().all(|times| *times == 1));
        let seats: Vec<(u32, u32)> = pairs.iter().flat_map(|p| p.players.map(|player| (p.round, player))).collect();
        prop_assert_eq!(seats.iter().collect::<BTreeSet<_>>().len(), seats.len());
        // Until half of the opponents are met, nobody needs to rest but for the odd one.
        let full = pairs.iter().filter(|pair| (pair.round as usize) < players / 2).count();
        prop_assert_eq!(full, (players / 2) * (rounds as usize).min(players / 2));
    }

    /// Somebody withdraws and somebody joins: what was begun stays, and the same events, told
    /// at first, give the same pairs.
    #[test]
    fn changes_keep_the_rest(
        (format, players) in formats(), at in 0..12_u32, who in 0..12_u32, order in any::<u64>(), at_once in 1..5_usize,
    ) {
        let who = who % players as u32;
        let closed = matches!(format, Format::Match { .. } | Format::Knockout { .. });
        let join = Event { at: at + 2, change: Change::Join(Entrant { rating: 50 }) };
        let mut events = vec![Event { at, change: Change::Withdraw(who) }];
        events.extend((!closed).then_some(join));
        let mut first = schedule(format, players);
        let pairs = run(&mut first, at_once, order, &events);
        let undisturbed = run(&mut schedule(format, players), 1, 0, &[]);
        let told = first.events().to_vec();
        let place = told.first().map_or(u32::MAX, |event| event.at);
        prop_assert!(pairs.iter().all(|pair| pair.number < place || !pair.players.contains(&who)));
        let before = |pairs: &[Pair]| -> Vec<Pair> { pairs.iter().copied().filter(|pair| pair.number < place).collect() };
        prop_assert_eq!(before(&pairs), before(&undisturbed));
        let mut again = schedule(format, players);
        told.iter().for_each(|event| again.apply(*event).unwrap());
        prop_assert_eq!(run(&mut again, 1, 0, &[]), pairs.clone());
        // A round robin has everybody who stays meet everybody, the newcomer among them.
        if let Format::RoundRobin { folds } = format {
            let stay: Vec<u32> = (0..first.players()).filter(|player| *player != who || told.is_empty()).collect();
            let met = meetings(&pairs);
            for (i, a) in stay.iter().enumerate() {
                for b in &stay[i + 1..] {
                    prop_assert_eq!(met.get(&[*a, *b]), Some(&folds));
                }
            }
        }
    }

    /// Whenever it is told that a pair is void, before anything is played or when it was taken, the others are the same.
    #[test]
    fn a_void_pair_is_void_from_the_beginning(
        (format, players) in formats(), numbers in proptest::collection::btree_set(0..20_u32, 0..4), at in 0..12_u32,
    ) {
        let mut first = schedule(format, players);
        let mut leaves = Some(Event { at, change: Change::Withdraw(0) });
        while let Some(pair) = first.take() {
            if numbers.contains(&pair.number) {
                first.apply(void(&pair, Some(pair.players[1]))).unwrap();
            } else {
                first.finish(pair.number, play(&pair)).unwrap();
            }
            if let Some(event) = leaves.take_if(|event| first.place() >= event.at) {
                first.apply(Event { at: first.place(), ..event }).unwrap();
            }
        }
        let mut again = schedule(format, players);
        first.events().iter().for_each(|event| again.apply(*event).unwrap());
        while let Some(pair) = again.take() {
            prop_assert!(!again.is_void(pair.number));
            again.finish(pair.number, play(&pair)).unwrap();
        }
        prop_assert!(first.is_complete() && again.is_complete());
        prop_assert_eq!(first.counted().collect::<Vec<_>>(), again.counted().collect::<Vec<_>>());
    }

    /// The stream of results resumed from the middle: those that are done are told in order.
    #[test]
    fn a_run_that_is_resumed_plays_the_rest((format, players) in formats(), done in 0..40_usize) {
        let pairs = run(&mut schedule(format, players), 1, 0, &[]);
        let mut resumed = schedule(format, players);
        for pair in pairs.iter().take(done) {
            resumed.finish(pair.number, play(pair)).unwrap();
        }
        prop_assert_eq!(run(&mut resumed, 3, 1, &[]), pairs);
    }
}
