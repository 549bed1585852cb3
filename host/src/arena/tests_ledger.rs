//! The ledger: whatever the order in which games are done, and however often a
//! match is interrupted, the same games are played and the same is counted.

use proptest::prelude::*;

use super::outcome::{GameFault, GameResult, Spending};
use super::{Ledger, Schedule, Standing, Tally};

/// The result of a game, which like an engine's depends on its job alone.
fn play(index: u32) -> GameResult {
    let half_points = (index.wrapping_mul(2_654_435_761) >> 16) % 3;
    let faulty = index.is_multiple_of(5) && half_points != 1;
    GameResult {
        half_points: half_points as u8,
        plies: u64::from(10 + index % 7),
        spent: [1, 2].map(|n| Spending {
            moves: 5,
            wall_us: n * u64::from(index),
            ..Spending::default()
        }),
        fault: faulty.then(|| GameFault {
            player: usize::from(half_points == 2),
            code: ["timeout", "crash"][(index / 5 % 2) as usize].into(),
            sentence: format!("game {index}"),
            at_ply: 3,
        }),
    }
}

fn undisturbed(schedule: Schedule) -> Ledger {
    let mut ledger = Ledger::new(schedule);
    while let Some(job) = ledger.take() {
        assert!(ledger.add(job.index, play(job.index)));
    }
    ledger
}

/// The open games of a match that was loaded from what is done.
fn remaining(schedule: Schedule, done: &[u32]) -> Vec<u32> {
    let mut ledger = Ledger::new(schedule);
    for index in done {
        ledger.add(*index, play(*index));
    }
    std::iter::from_fn(|| ledger.take()).map(|job| job.index).collect()
}

#[test]
fn games_are_handed_out_once_and_in_order() {
    let mut ledger = Ledger::new(Schedule { pairs: 2, openings: 0, seed: 1 });
    let take = |ledger: &mut Ledger| ledger.take().map(|job| job.index);
    assert_eq!([0; 3].map(|_| take(&mut ledger)), [Some(0), Some(1), Some(2)]);
    ledger.give_back(1);
    ledger.give_back(3);
    assert_eq!([0; 3].map(|_| take(&mut ledger)), [Some(1), Some(3), None]);
    assert!(ledger.add(1, play(1)));
    ledger.give_back(1);
    assert_eq!(take(&mut ledger), None);
}

#[test]
fn nothing_counts_twice_or_out_of_turn() {
    let mut ledger = Ledger::new(Schedule { pairs: 2, openings: 0, seed: 1 });
    assert!(ledger.add(3, play(3)));
    assert!(!ledger.add(3, play(0)));
    assert!(!ledger.add(4, play(4)));
    assert!(ledger.add(1, play(1)));
    assert_eq!((ledger.done(), ledger.not_counted()), (2, 2));
    assert_eq!(ledger.standing(), &Standing::default());
    assert!(ledger.add(0, play(0)));
    assert_eq!((ledger.done(), ledger.not_counted()), (3, 1));
    assert_eq!(ledger.standing().score.games().games(), 2);
    assert!(!ledger.is_complete());
    assert!(ledger.add(2, play(2)));
    assert!(ledger.is_complete());
    assert!(!ledger.add(0, play(0)));
    assert_eq!(ledger.standing().score.games().games(), 4);
}

#[test]
fn a_match_of_no_pairs_is_complete() {
    let mut ledger = Ledger::new(Schedule { pairs: 0, openings: 0, seed: 1 });
    assert!(ledger.is_complete());
    assert_eq!(ledger.take(), None);
}

#[test]
fn sides_and_faults_are_counted_by_player() {
    let ledger = undisturbed(Schedule { pairs: 20, openings: 0, seed: 1 });
    let standing = ledger.standing();
    let total = standing.score.games();
    let sum = |player: usize| {
        let [a, b] = standing.by_side[player];
        assert_eq!((a.games(), b.games()), (20, 20));
        Tally { wins: a.wins + b.wins, draws: a.draws + b.draws, losses: a.losses + b.losses }
    };
    assert_eq!(sum(0), total);
    assert_eq!(sum(1), Tally { wins: total.losses, draws: total.draws, losses: total.wins });
    let faults = |player: usize| standing.faults[player].values().map(|f| f.games).sum::<u64>();
    let expected = (0..40).filter(|index| play(*index).fault.is_some()).count() as u64;
    assert!(expected > 0);
    assert_eq!(faults(0) + faults(1), expected);
}

proptest! {
    #[test]
    fn any_order_and_any_interruption_end_alike(
        pairs in 0..30u32,
        sessions in prop::collection::vec((1..5usize, 0..40usize, any::<u64>()), 0..4),
    ) {
        let schedule = Schedule { pairs, openings: 3, seed: 9 };
        let mut done: Vec<u32> = Vec::new();
        let last = (3, usize::MAX, 1);
        for (threads, kill_after, mut dice) in sessions.into_iter().chain([last]) {
            // What is loaded comes in any order, too.
            done.reverse();
            let open = remaining(schedule, &done);
            let mut sorted: Vec<u32> = done.iter().copied().chain(open.iter().copied()).collect();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..2 * pairs).collect::<Vec<_>>());
            prop_assert!(open.is_sorted());
            let mut ledger = Ledger::new(schedule);
            done.iter().for_each(|index| assert!(ledger.add(*index, play(*index))));
            let mut playing = Vec::new();
            for _ in 0..kill_after {
                while playing.len() < threads && let Some(job) = ledger.take() {
                    playing.push(job.index);
                }
                if playing.is_empty() {
                    break;
                }
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let index = playing.swap_remove((dice >> 33) as usize % playing.len());
                if dice >> 62 == 0 {
                    ledger.give_back(index);
                } else {
                    prop_assert!(ledger.add(index, play(index)));
                    done.push(index);
                }
            }
            prop_assert_eq!(ledger.done() as usize, done.len());
        }
        let mut resumed = Ledger::new(schedule);
        done.iter().for_each(|index| assert!(resumed.add(*index, play(*index))));
        let undisturbed = undisturbed(schedule);
        prop_assert!(resumed.is_complete() && undisturbed.is_complete());
        prop_assert_eq!(resumed.standing(), undisturbed.standing());
        prop_assert_eq!(
            resumed.standing().score.sample().elo(),
            undisturbed.standing().score.sample().elo()
        );
    }
}
