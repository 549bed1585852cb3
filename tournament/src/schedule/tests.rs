//! Tests of schedules as text, and of the property that the order of results does not matter.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::setup::{EVENTS_MAX, PAIRS_MAX, PLAYERS_MAX};
use super::*;
use sandboard_games::splitmix::SplitMix64;

fn setup(format: Format, players: usize) -> Setup {
    setup_of_seats(format, players, 2)
}

fn setup_of_seats(format: Format, players: usize, seats: u8) -> Setup {
    Setup { format, entrants: vec![Entrant::default(); players], seed: 5, seats }
}

/// The outcome of a pair of two players by the half points of the first, 0 to 4.
fn of_first(half_points: u16) -> Outcome {
    Outcome::HalfPoints([half_points, 4 - half_points].into())
}

fn schedule(format: Format, players: usize) -> Schedule {
    Schedule::new(setup(format, players)).unwrap()
}

/// A result that depends only on the pair; the player with the lower number is stronger.
fn play(pair: &Pair) -> Outcome {
    let Some([a, b]) = pair.players.both() else { return play_table(pair) };
    let half_points =
        SplitMix64::new(u64::from(pair.number) << 20 ^ u64::from(a * 64 + b)).below(5) as u16;
    of_first(if a < b { half_points.max(1) } else { half_points.min(3) })
}

/// In each game of a table of more than two, the players with lower numbers beat the others, but
/// one random player is last.
fn play_table(pair: &Pair) -> Outcome {
    let seats = pair.players.len();
    let mut random = SplitMix64::new(u64::from(pair.number));
    let mut half_points = vec![0_u16; seats];
    for _ in 0..seats {
        let mut order: Vec<usize> = (0..seats).collect();
        order.sort_by_key(|index| std::cmp::Reverse(pair.players[*index]));
        let last = order.remove(random.below(seats));
        order.insert(0, last);
        for (beaten, index) in order.into_iter().enumerate() {
            half_points[index] += 2 * beaten as u16;
        }
    }
    Outcome::HalfPoints(half_points.into_iter().collect())
}

/// Plays the schedule in random order with at most `at_once` pairs in progress, and applies each
/// event as soon as possible.
fn run(schedule: &mut Schedule, at_once: usize, order: u64, events: &[Event]) -> Vec<Pair> {
    let mut rng = SplitMix64::new(order);
    let mut events = events.iter().peekable();
    let mut open = Vec::new();
    loop {
        while let Some(event) =
            events.next_if(|event| schedule.first_unstarted() >= event.from_pair)
        {
            let now = Event { from_pair: schedule.first_unstarted(), ..*event };
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
        let pair = open.swap_remove(rng.below(open.len()));
        schedule.finish(pair.number, play(&pair)).unwrap();
    }
    assert!(schedule.is_complete());
    assert_eq!(schedule.forecast(), Forecast { pairs_max: 0, pairs_expected: 0 });
    schedule.results().map(|(pair, _)| pair).collect()
}

/// Checks the pairs as `round:first-second/opening`.
fn check(format: Format, players: usize, expected: &str) {
    let pairs = run(&mut schedule(format, players), 1, 0, &[]);
    let text = |pair: &Pair| {
        let [a, b] = pair.players.both().unwrap();
        format!("{}:{a}-{b}/{}", pair.round, pair.opening)
    };
    assert_eq!(pairs.iter().map(text).collect::<Vec<_>>().join(" "), expected, "{format:?}");
}

#[test]
fn fixed_formats() {
    check(Format::Match { pairs: 3 }, 2, "0:0-1/0 1:0-1/1 2:0-1/2");
    check(Format::Gauntlet { challengers: 1, cycles: 2 }, 3, "0:0-1/0 0:0-2/0 1:0-1/1 1:0-2/1");
    check(Format::Gauntlet { challengers: 2, cycles: 1 }, 4, "0:0-2/0 0:1-2/0 0:0-3/0 0:1-3/0");
    check(Format::RoundRobin { cycles: 1 }, 4, "0:0-3/0 0:1-2/0 1:0-2/1 1:3-1/1 2:0-1/2 2:2-3/2");
    check(Format::RoundRobin { cycles: 1 }, 3, "0:1-2/0 1:0-2/1 2:0-1/2");
}

fn check_setup(format: Format, players: usize, expected: &str) {
    let found =
        Schedule::new(setup(format, players)).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(found, Err(expected.to_owned()));
}

#[test]
fn invalid_setups_are_refused() {
    check_setup(Format::Swiss { rounds: 3 }, 1, "a tournament needs at least 2 players, not 1");
    check_setup(Format::Match { pairs: 3 }, 3, "a match needs exactly 2 players, not 3");
    let many = "a tournament has at most 2000 players, not 2001";
    check_setup(Format::Ladder { pairs: 1 }, 2001, many);
    let challengers = "2 of 2 players cannot be challengers of a gauntlet: \
                       at least one player must be a challenger, and at least one must not";
    check_setup(Format::Gauntlet { challengers: 2, cycles: 1 }, 2, challengers);
    let check_seats = |format: Format, players: usize, seats: u8, expected: &str| {
        let found = Schedule::new(setup_of_seats(format, players, seats)).map(drop);
        assert_eq!(found.map_err(|error| error.to_string()), Err(expected.to_owned()));
    };
    let swiss = Format::Swiss { rounds: 3 };
    check_seats(swiss, 3, 4, "a tournament needs at least 4 players, not 3");
    check_seats(Format::Match { pairs: 3 }, 5, 4, "a match needs exactly 4 players, not 5");
    check_seats(swiss, 20, 17, "a game of a tournament has 2 to 16 players, not 17");
    check_seats(swiss, 20, 1, "a game of a tournament has 2 to 16 players, not 1");
    let only = "a gauntlet or a knockout needs a game of 2 players, not of 3: choose a round \
                robin, a Swiss system or a ladder";
    check_seats(Format::Knockout { pairs: 1, tie_breaks: 0 }, 4, 3, only);
    check_seats(Format::Gauntlet { challengers: 1, cycles: 1 }, 4, 3, only);
    let sets = "a round robin has at most 1000000 sets of players, not 121399651100: choose a \
                Swiss system or a ladder";
    check_seats(Format::RoundRobin { cycles: 1 }, 50, 12, sets);
    // 70 players have 916,895 sets of four.
    let fits = setup_of_seats(Format::RoundRobin { cycles: 1 }, 70, 4);
    assert!(fits.check().is_ok());
    let most = "a tournament has at most 100000000 pairs, not 100858450";
    check_seats(Format::RoundRobin { cycles: 110 }, 70, 4, most);
    check_setup(Format::RoundRobin { cycles: 0 }, 4, "a tournament of 0 cycles has no games");
    check_setup(
        Format::Match { pairs: u32::MAX },
        2,
        "a tournament has at most 100000000 pairs, not 4294967295",
    );
}

#[test]
fn players_cannot_join_a_full_tournament() {
    let entrants = vec![Entrant::default(); PLAYERS_MAX - 1];
    let setup = Setup { format: Format::Ladder { pairs: 9 }, entrants, seed: 0, seats: 2 };
    let mut schedule = Schedule::new(setup).unwrap();
    let join = Event { from_pair: 5, change: Change::Join(Entrant::default()) };
    assert_eq!(schedule.apply(join), Ok(()));
    assert_eq!(schedule.apply(join), Err(EventError::TooManyPlayers));
}

#[test]
fn a_round_robin_of_tables_admits_players_up_to_its_limit() {
    // 28 players have 376,740 sets of six; 33 players have 1,107,568.
    let setup = setup_of_seats(Format::RoundRobin { cycles: 1 }, 6, 6);
    let mut schedule = Schedule::new(setup).unwrap();
    let from_pair = 9_000_000;
    let join = Event { from_pair, change: Change::Join(Entrant::default()) };
    let joined = (0..99).map_while(|_| schedule.apply(join).ok()).count();
    assert_eq!((joined, schedule.apply(join)), (26, Err(EventError::TooManySets)));
}

/// Checks the pairs of a knockout of players with ratings. `results` are half points of the first
/// player by pair number; 2 if missing.
fn check_knockout(ratings: &[i32], format: Format, results: &[(u32, u16)], expected: &str) {
    let entrants = ratings.iter().map(|rating| Entrant { rating: *rating }).collect();
    let mut schedule = Schedule::new(Setup { format, entrants, seed: 0, seats: 2 }).unwrap();
    let results: BTreeMap<u32, u16> = results.iter().copied().collect();
    let mut text = Vec::new();
    while let Some(pair) = schedule.take() {
        let [a, b] = pair.players.both().unwrap();
        text.push(format!("{}:{a}-{b}", pair.round));
        let half_points = results.get(&pair.number).copied().unwrap_or(2);
        schedule.finish(pair.number, of_first(half_points)).unwrap();
    }
    assert!(schedule.is_complete());
    let rounds_won = schedule.knockout_rounds_won().unwrap().iter();
    let rounds_won: Vec<_> =
        rounds_won.map(|(player, rounds)| format!("{player}:{rounds}")).collect();
    assert_eq!(format!("{} > {}", text.join(" "), rounds_won.join(" ")), expected, "{ratings:?}");
}

#[test]
fn knockouts() {
    let one = Format::Knockout { pairs: 1, tie_breaks: 0 };
    // A level match is won by the better seed. Seeds 0 and 1 meet in the final.
    check_knockout(&[0; 4], one, &[], "0:0-3 0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 4], one, &[(0, 1), (1, 0)], "0:0-3 0:1-2 1:2-3 > 2:2 3:1");
    check_knockout(&[0, 0, 0, 100], one, &[], "0:3-2 0:0-1 1:3-0 > 0:1 3:2");
    // The top seeds get the byes.
    check_knockout(&[0; 3], one, &[], "0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 5], one, &[(0, 0)], "0:3-4 1:0-4 1:1-2 2:0-1 > 0:3 1:2 2:1 4:1");
    // Level matches continue, decided ones do not.
    let two = Format::Knockout { pairs: 2, tie_breaks: 2 };
    check_knockout(&[0; 2], two, &[(0, 3)], "0:0-1 0:0-1 > 0:1");
    check_knockout(&[0; 2], two, &[(0, 3), (1, 1), (2, 1)], "0:0-1 0:0-1 0:0-1 > 1:1");
    check_knockout(&[0; 2], two, &[], "0:0-1 0:0-1 0:0-1 0:0-1 > 0:1");
}

#[test]
fn invalid_events_and_results_are_refused() {
    let mut schedule = schedule(Format::Match { pairs: 3 }, 2);
    let pair = schedule.take().unwrap();
    let apply =
        |schedule: &mut Schedule, from_pair, change| schedule.apply(Event { from_pair, change });
    assert_eq!(
        apply(&mut schedule, 0, Change::Stop),
        Err(EventError::TooLate { from_pair: 0, first_unstarted: 1 })
    );
    assert_eq!(
        apply(&mut schedule, 1, Change::Withdraw(2)),
        Err(EventError::UnknownPlayer { player: 2 })
    );
    assert_eq!(
        apply(&mut schedule, 1, Change::Join(Entrant::default())),
        Err(EventError::NoLateEntry)
    );
    assert_eq!(apply(&mut schedule, 2, Change::Withdraw(1)), Ok(()));
    assert_eq!(
        apply(&mut schedule, 2, Change::Withdraw(1)),
        Err(EventError::AlreadyWithdrawn { player: 1 })
    );
    assert_eq!(
        apply(&mut schedule, 1, Change::Stop),
        Err(EventError::OutOfOrder { from_pair: 1, last: 2 })
    );
    for (points, found) in [(vec![4, 1], 5), (vec![4], 4), (vec![2, 1], 3), (vec![2, 1, 1], 4)] {
        let points = Outcome::HalfPoints(points.into_iter().collect());
        let wrong = FinishError::WrongPoints { number: 0, expected: 4, found };
        assert_eq!(schedule.finish(0, points), Err(wrong));
    }
    assert_eq!(schedule.finish(0, play(&pair)), Ok(()));
    assert_eq!(schedule.finish(0, Outcome::Void), Err(FinishError::AlreadyFinished { number: 0 }));
    assert_eq!(schedule.finish(9, Outcome::Void), Err(FinishError::NotPlanned { number: 9 }));
    assert_eq!(schedule.finish(1, Outcome::Void), Ok(()));
    assert!(schedule.is_complete());
}

#[test]
fn pairs_are_handed_out_once() {
    let mut schedule = schedule(Format::RoundRobin { cycles: 1 }, 4);
    let numbers = |schedule: &mut Schedule, n: usize| -> Vec<u32> {
        (0..n).map_while(|_| schedule.take()).map(|pair| pair.number).collect()
    };
    assert_eq!(numbers(&mut schedule, 3), [0, 1, 2]);
    schedule.release(1);
    schedule.release(4);
    assert_eq!(schedule.ready().next().map(|pair| pair.number), Some(1));
    assert_eq!(numbers(&mut schedule, 9), [1, 3, 4, 5]);
    assert_eq!(schedule.forecast().pairs_max, 6);
}

/// Plays all pairs even, one by one, with these events, and checks the pairs that were played or
/// cancelled.
fn check_changes(format: Format, players: usize, events: &[(u32, Change)], expected: &str) {
    let mut schedule = schedule(format, players);
    for (from_pair, change) in events {
        schedule.apply(Event { from_pair: *from_pair, change: *change }).unwrap();
    }
    let mut text = Vec::new();
    let mut next = 0;
    while let Some(pair) = schedule.take() {
        text.extend((next..pair.number).map(|_| "out".to_owned()));
        next = pair.number + 1;
        let [a, b] = pair.players.both().unwrap();
        text.push(format!("{}:{a}-{b}", pair.round));
        schedule.finish(pair.number, of_first(2)).unwrap();
    }
    assert!(schedule.is_complete());
    assert_eq!(text.join(" "), expected, "{format:?} {events:?}");
}

#[test]
fn players_leave_and_join() {
    let knockout = Format::Knockout { pairs: 2, tie_breaks: 0 };
    check_changes(knockout, 4, &[], "0:0-3 0:0-3 0:1-2 0:1-2 1:0-1 1:0-1");
    // The opponent of a withdrawn player advances, even in the middle of a match.
    check_changes(knockout, 4, &[(1, Change::Withdraw(0))], "0:0-3 out 0:1-2 0:1-2 1:1-3 1:1-3");
    check_changes(knockout, 4, &[(4, Change::Withdraw(0))], "0:0-3 0:0-3 0:1-2 0:1-2 1:1-3 1:1-3");
    check_changes(knockout, 4, &[(5, Change::Withdraw(0))], "0:0-3 0:0-3 0:1-2 0:1-2 1:0-1");
    let both = [(4, Change::Withdraw(0)), (4, Change::Withdraw(3))];
    check_changes(knockout, 4, &both, "0:0-3 0:0-3 0:1-2 0:1-2");
    let join = Change::Join(Entrant::default());
    // The new player gets the next number and catches up after the cycle.
    let gauntlet = Format::Gauntlet { challengers: 1, cycles: 2 };
    check_changes(gauntlet, 3, &[(1, join)], "0:0-1 0:0-2 1:0-3 2:0-1 2:0-2 2:0-3");
    let changes = [(1, join), (3, Change::Withdraw(3))];
    check_changes(gauntlet, 3, &changes, "0:0-1 0:0-2 1:0-3 2:0-1 2:0-2");
    check_changes(gauntlet, 3, &[(1, Change::Withdraw(0))], "0:0-1");
    check_changes(Format::Match { pairs: 9 }, 2, &[(2, Change::Stop)], "0:0-1 1:0-1");
    check_changes(Format::Match { pairs: 9 }, 2, &[(0, Change::Stop)], "");
}

/// Plays all pairs even, except those that become void when they are taken, and checks the results.
fn check_void(
    format: Format,
    players: usize,
    numbers: &[u32],
    at_fault: Option<u32>,
    expected: &str,
) {
    let mut schedule = schedule(format, players);
    while let Some(pair) = schedule.take() {
        if numbers.contains(&pair.number) {
            schedule.apply(void(&pair, at_fault)).unwrap();
        } else {
            schedule.finish(pair.number, of_first(2)).unwrap();
        }
    }
    assert!(schedule.is_complete());
    let text = |(pair, outcome): (Pair, Outcome)| match outcome {
        Outcome::Void => "void".to_owned(),
        Outcome::HalfPoints(_) => format!("{}:{}-{}", pair.round, pair.players[0], pair.players[1]),
    };
    let text: Vec<String> = schedule.results().map(text).collect();
    assert_eq!(text.join(" "), expected, "{format:?} {numbers:?}");
}

#[test]
fn void_pairs_have_no_result() {
    check_void(Format::Match { pairs: 3 }, 2, &[], None, "0:0-1 1:0-1 2:0-1");
    check_void(Format::Match { pairs: 3 }, 2, &[1], Some(1), "0:0-1 void 2:0-1");
    check_void(Format::Match { pairs: 2 }, 2, &[0, 1], None, "void void");
    check_void(Format::Swiss { rounds: 1 }, 4, &[1], None, "0:0-1 void");
    // A match with a void pair continues as if it were level; the better seed advances.
    let knockout = Format::Knockout { pairs: 1, tie_breaks: 1 };
    check_void(knockout, 2, &[0], None, "void 0:0-1");
    check_void(knockout, 2, &[0, 1], None, "void void");
    // The player at fault loses, even as the better seed.
    check_void(knockout, 2, &[0], Some(0), "void");
    let one = Format::Knockout { pairs: 1, tie_breaks: 0 };
    check_void(one, 4, &[0], None, "void 0:1-2 1:0-1");
    check_void(one, 4, &[0], Some(3), "void 0:1-2 1:0-1");
    check_void(one, 4, &[0], Some(0), "void 0:1-2 1:1-3");
}

/// The event that makes this pair void.
fn void(pair: &Pair, at_fault: Option<u32>) -> Event {
    Event { from_pair: pair.number, change: Change::Void { players: pair.players, at_fault } }
}

#[test]
fn finished_pairs_cannot_become_void() {
    let mut schedule = schedule(Format::Match { pairs: 4 }, 2);
    let pairs: Vec<Pair> = (0..3).map_while(|_| schedule.take()).collect();
    schedule.finish(0, play(&pairs[0])).unwrap();
    assert_eq!(schedule.apply(void(&pairs[0], None)), Err(EventError::PairFinished { number: 0 }));
    let number = PAIRS_MAX as u32;
    let beyond = Pair { number, ..pairs[0] };
    assert_eq!(schedule.apply(void(&beyond, None)), Err(EventError::UnknownPair { number }));
    assert_eq!(schedule.apply(void(&pairs[2], None)), Ok(()));
    assert_eq!(schedule.apply(void(&pairs[2], None)), Err(EventError::PairFinished { number: 2 }));
    assert_eq!(
        schedule.finish(2, play(&pairs[2])),
        Err(FinishError::AlreadyFinished { number: 2 })
    );
    schedule.release(2);
    schedule.release(1);
    assert_eq!(schedule.take().map(|pair| pair.number), Some(1));
    // Void events and other changes are ordered independently, and apply to the pairs that they
    // name.
    assert_eq!(schedule.apply(Event { from_pair: 3, change: Change::Stop }), Ok(()));
    assert_eq!(schedule.apply(void(&pairs[1], None)), Ok(()));
    assert!(schedule.is_complete() && schedule.is_void(1) && !schedule.is_void(0));
}

/// Pair 3 of a round robin was void when its process was killed. After a restart a player withdraws
/// before pair 3: the pair that gets its number instead is played.
#[test]
fn a_void_number_reused_by_another_pair_is_played() {
    let format = Format::RoundRobin { cycles: 1 };
    let pairs = run(&mut schedule(format, 4), 1, 0, &[]);
    let mut again = schedule(format, 4);
    again.apply(void(&pairs[3], None)).unwrap();
    again.finish(0, play(&pairs[0])).unwrap();
    let from_pair = again.first_unstarted();
    let leaver = pairs[3].players[0];
    again.apply(Event { from_pair, change: Change::Withdraw(leaver) }).unwrap();
    while let Some(pair) = again.take() {
        assert!(!pair.players.contains(&leaver) && !again.is_void(pair.number));
        again.finish(pair.number, play(&pair)).unwrap();
    }
    assert!(again.is_complete());
    assert!(again.results().all(|(_, outcome)| outcome != Outcome::Void));
}

#[test]
fn the_number_of_events_is_limited() {
    let mut schedule = schedule(Format::Match { pairs: 200_000 }, 2);
    let pair = |number| Pair { number, round: number, players: [0, 1].into(), opening: number };
    for number in 0..EVENTS_MAX as u32 {
        schedule.apply(void(&pair(number), None)).unwrap();
    }
    let more = schedule.apply(void(&pair(EVENTS_MAX as u32), None));
    assert_eq!(more, Err(EventError::TooManyEvents));
}

/// Checks the forecast, largest and expected, after `played` even pairs.
fn check_forecast(format: Format, players: usize, played: usize, expected: [u64; 2]) {
    let mut schedule = schedule(format, players);
    for _ in 0..played {
        let pair = schedule.take().unwrap();
        schedule.finish(pair.number, of_first(2)).unwrap();
    }
    let found = schedule.forecast();
    assert_eq!([found.pairs_max, found.pairs_expected], expected, "{format:?} {played}");
}

#[test]
fn forecasts() {
    check_forecast(Format::Match { pairs: 90_000_000 }, 2, 0, [90_000_000; 2]);
    check_forecast(Format::Match { pairs: 9 }, 2, 9, [0; 2]);
    check_forecast(Format::RoundRobin { cycles: 2 }, 5, 3, [17; 2]);
    check_forecast(Format::Gauntlet { challengers: 2, cycles: 3 }, 5, 7, [11; 2]);
    check_forecast(Format::Swiss { rounds: 4 }, 7, 4, [8; 2]);
    check_forecast(Format::Ladder { pairs: 30 }, 6, 4, [26; 2]);
    // Two matches and the final; each may have a tie-break.
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 0, [9, 6]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 4, [5, 4]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 6, [3, 2]);
}

#[test]
fn byes_of_a_swiss_system() {
    let mut schedule = schedule(Format::Swiss { rounds: 3 }, 3);
    let pair = schedule.take().unwrap();
    let unpaired = (0..3).find(|player| !pair.players.contains(player)).unwrap();
    assert_eq!(schedule.byes(), BTreeMap::from([(unpaired, 4)]));
    schedule.finish(0, Outcome::Void).unwrap();
    // The player with the bye has the points of a win, and the others have none: it plays, and
    // another one gets the bye.
    let pair = schedule.take().unwrap();
    assert_eq!((pair.players[0], schedule.byes().len()), (unpaired, 2));
}

#[test]
fn rounds_in_which_no_pair_meets_twice() {
    let check = |players: u32, expected: u32| assert_eq!(swiss_rounds_max(players), expected);
    check(0, 0);
    check(2, 1);
    check(3, 3);
    check(4, 3);
    check(5, 5);
    check(2000, 1999);
}

#[test]
fn setups_and_events_are_stored_as_json() {
    let format = r#"{"format":"knockout","pairs":2,"tie_breaks":1}"#;
    let text = format!(
        r#"{{"format":{format},"entrants":[{{"rating":5}},{{"rating":0}}],"seed":7,"seats":2}}"#
    );
    let setup: Setup = serde_json::from_str(&text).unwrap();
    assert_eq!(setup.format, Format::Knockout { pairs: 2, tie_breaks: 1 });
    assert_eq!(serde_json::to_string(&setup).unwrap(), text);
    let event = Event { from_pair: 3, change: Change::Withdraw(1) };
    assert_eq!(
        serde_json::to_string(&event).unwrap(),
        r#"{"from_pair":3,"change":{"withdraw":1}}"#
    );
}

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
            let expected = super::setup::sets_of(players as u64, seats.into());
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
