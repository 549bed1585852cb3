//! Results and changes of a running tournament: what is refused, and what follows from it.

use super::super::setup::{EVENTS_MAX, PAIRS_MAX};
use super::*;

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

/// Plays `before` to its end, extends it, and plays on. The pairs are those of a tournament that
/// was as long from the beginning.
fn check_extended(before: Format, count: u32, players: usize) {
    let play_on = |schedule: &mut Schedule| {
        while let Some(pair) = schedule.take() {
            schedule.finish(pair.number, play(&pair)).unwrap();
        }
        assert!(schedule.is_complete());
    };
    let after = before.with_length(count);
    let mut extended = schedule(before, players);
    play_on(&mut extended);
    let played = extended.first_unstarted();
    let extend = Event { from_pair: played, change: Change::Extend(count) };
    extended.apply(extend).unwrap();
    assert!(!extended.is_complete(), "{before:?}");
    assert_eq!(extended.format(), after);
    assert!(extended.forecast().pairs_expected > 0, "{before:?}");
    play_on(&mut extended);
    assert!(extended.first_unstarted() > played);
    let results = |schedule: &Schedule| schedule.results().collect::<Vec<_>>();
    let mut restored = schedule(before, players);
    restored.apply(extend).unwrap();
    for (pair, outcome) in results(&extended) {
        restored.finish(pair.number, outcome).unwrap();
    }
    assert!(restored.is_complete());
    assert_eq!(results(&restored), results(&extended), "{before:?}");
    // A ladder cuts its last round to its length, so that the rounds after it are others.
    if !matches!(before, Format::Ladder { .. }) {
        let mut longer = schedule(after, players);
        play_on(&mut longer);
        assert_eq!(results(&longer), results(&extended), "{before:?}");
    }
}

#[test]
fn a_finished_tournament_is_extended() {
    check_extended(Format::Match { pairs: 3 }, 5, 2);
    check_extended(Format::RoundRobin { cycles: 1 }, 3, 5);
    check_extended(Format::Gauntlet { challengers: 2, cycles: 1 }, 2, 5);
    check_extended(Format::Swiss { rounds: 2 }, 4, 7);
    check_extended(Format::Ladder { pairs: 10 }, 17, 6);
}

#[test]
fn invalid_extensions_are_refused() {
    let check = |format: Format, changes: &[Change], count: u32, expected: EventError| {
        let mut schedule = schedule(format, 4);
        for change in changes {
            schedule.apply(Event { from_pair: 0, change: *change }).unwrap();
        }
        let extend = Event { from_pair: 0, change: Change::Extend(count) };
        assert_eq!(schedule.apply(extend), Err(expected), "{format:?}");
        assert_eq!(schedule.events().len(), changes.len());
    };
    let swiss = Format::Swiss { rounds: 2 };
    let not_longer = |now, count| EventError::NotLonger { unit: "rounds", now, count };
    check(swiss, &[], 2, not_longer(2, 2));
    check(swiss, &[], 0, not_longer(2, 0));
    check(swiss, &[Change::Extend(3)], 3, not_longer(3, 3));
    check(swiss, &[Change::Stop], 3, EventError::Finished);
    check(Format::Ladder { pairs: 9 }, &[], PAIRS_MAX as u32 + 1, EventError::TooManyPairs);
    let knockout = Format::Knockout { pairs: 1, tie_breaks: 1 };
    check(knockout, &[], 3, EventError::NotExtensible);
}
