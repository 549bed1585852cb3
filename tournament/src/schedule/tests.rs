//! Tests of schedules: the pairs of each format (`formats`), players that join or leave and void
//! pairs (`changes`), and what holds for any order of results (`properties`). This file plays
//! schedules for them.

mod changes;
mod formats;
mod properties;

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

/// The event that makes this pair void.
fn void(pair: &Pair, at_fault: Option<u32>) -> Event {
    Event { from_pair: pair.number, change: Change::Void { players: pair.players, at_fault } }
}
