//! The result of a finished game, which an arena stores beside the record. It is computed from the
//! record.

use std::cmp::Ordering;

use sandboard_tournament::schedule::SeatList;
use sandboard_tournament::stats::Totals;
use serde::{Deserialize, Serialize};

use super::job::Job;
use sandboard_bout::record::{PlayerRecord, PonderingStatistics, Record};
use sandboard_bout::referee::{AdjudicationRule, EventKind, EventRecord, Termination};
use sandboard_engine::{CallName, Usage};

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// The half points of each player of its pair: two for each player that it beat, and one for
    /// each with an equal score.
    pub half_points: SeatList<u8>,
    /// The score of each player of its pair in the game's unit, if the rules or perfect play ended
    /// the game; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<i32>,
    /// The number of moves of all players, and of outcomes of chance.
    pub plies: u64,
    /// The resources that each player of the pair used.
    pub spent: Vec<Totals>,
    /// The pondering of each player of the pair; empty if none ponders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pondering: Vec<PonderingStatistics>,
    /// The fault that ended the game, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<GameFault>,
    /// How it ended, as a sentence.
    pub sentence: String,
}

/// A fault by which an engine lost a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFault {
    /// The player at fault, by its index in the pair.
    pub player: usize,
    /// The kind: `timeout`, `illegal-move`, `crash`, …
    pub code: String,
    /// The number of moves played before it.
    pub at_ply: u32,
    /// Whether the engine failed to start, so that no move was played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_start: bool,
}

impl GameResult {
    /// The result in the record of this job. None: the game is unfinished or does not count, and is
    /// played again.
    pub fn from_record(record: &Record, job: &Job) -> Option<Self> {
        let result = record.result.as_ref()?;
        let count = job.pair.players.len();
        if !result.counts() || record.players.len() != count {
            return None;
        }
        let score_of =
            |player: &PlayerRecord| result.scores.get(usize::from(*player.seats.first()?)).copied();
        let scores = record.players.iter().map(score_of).collect::<Option<Vec<i32>>>()?;
        let mut spent = vec![Totals { games: 1, ..Totals::default() }; count];
        for ply in &record.plies {
            let owner = record.players.iter().position(|player| player.owns(ply.seat));
            let Some(spent) = owner.and_then(|player| spent.get_mut(player)) else { continue };
            add_move(spent, &ply.spent);
        }
        let half_points = half_points_of(&scores);
        let code = match &result.termination {
            Termination::Timeout => Some("timeout".to_owned()),
            Termination::IllegalMove => Some("illegal-move".to_owned()),
            Termination::Fault { fault } => Some(fault.to_string()),
            _ => None,
        };
        let fault = code.map(|code| GameFault {
            player: (0..count).min_by_key(|player| half_points[*player]).unwrap_or(0),
            code,
            at_ply: record.plies.len() as u32,
            in_start: record.plies.is_empty() && record.events.iter().any(is_failed_start),
        });
        if let Some(fault) = &fault {
            spent[fault.player].faults.insert(fault.code.clone(), 1);
        }
        let is_exact = matches!(
            result.termination,
            Termination::Rules { .. } | Termination::Adjudicated { by: AdjudicationRule::Solver }
        );
        let ponders = record.players.iter().any(|player| player.ponders);
        let pondering = |player: usize| match record.players[player].ponders {
            true => record.pondering(player),
            false => PonderingStatistics::default(),
        };
        Some(Self {
            half_points,
            scores: if is_exact { scores } else { Vec::new() },
            plies: record.plies.len() as u64,
            spent,
            pondering: if ponders { (0..count).map(pondering).collect() } else { Vec::new() },
            fault,
            sentence: result.sentence.clone(),
        })
    }
}

/// The half points of players with these scores.
pub(crate) fn half_points_of(scores: &[i32]) -> SeatList<u8> {
    let against = |own: i32, other: i32| match own.cmp(&other) {
        Ordering::Greater => 2,
        Ordering::Equal => 1,
        Ordering::Less => 0,
    };
    // A player is level with itself, which does not count.
    let of = |own: &i32| scores.iter().map(|other| against(*own, *other)).sum::<u8>() - 1;
    scores.iter().map(of).collect()
}

/// Whether an engine could not be loaded or started.
fn is_failed_start(event: &EventRecord) -> bool {
    matches!(event.kind, EventKind::Fault { call: Some(CallName::Start), .. })
}

/// Adds the resources of one move.
fn add_move(sum: &mut Totals, spent: &Usage) {
    sum.moves += 1;
    sum.wall_us = sum.wall_us.saturating_add(spent.wall_us);
    sum.cpu_moves += u64::from(spent.cpu_us.is_some());
    sum.cpu_us = sum.cpu_us.saturating_add(spent.cpu_us.unwrap_or(0));
    let fuel = spent.fuel.unwrap_or(0);
    sum.fuel = sum.fuel.saturating_add(fuel);
    if spent.cpu_us.is_some() {
        sum.cpu_fuel = sum.cpu_fuel.saturating_add(fuel);
    }
    sum.memory_bytes_max = sum.memory_bytes_max.max(spent.peak_memory_bytes.unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each move has wall time, CPU time, fuel and memory. Expected are moves, wall time, moves
    /// with CPU time, their CPU time and fuel, all fuel and memory.
    fn check(moves: &[(u64, Option<u64>, Option<u64>, u64)], expected: [u64; 7]) {
        let mut sum = Totals::default();
        for &(wall_us, cpu_us, fuel, peak) in moves {
            let peak_memory_bytes = (peak > 0).then_some(peak);
            add_move(
                &mut sum,
                &Usage { wall_us, cpu_us, fuel, peak_memory_bytes, ..Usage::default() },
            );
        }
        let Totals { moves: count, wall_us, cpu_moves, cpu_us, cpu_fuel, fuel, .. } = sum;
        let found = [count, wall_us, cpu_moves, cpu_us, cpu_fuel, fuel, sum.memory_bytes_max];
        assert_eq!(found, expected, "{moves:?}");
    }

    #[test]
    fn players_score_against_each_other() {
        let check = |scores: &[i32], expected: &[u8]| {
            assert_eq!(&half_points_of(scores)[..], expected, "{scores:?}");
        };
        check(&[1, -1], &[2, 0]);
        check(&[-1, 1], &[0, 2]);
        check(&[5, 5], &[1, 1]);
        check(&[0, -13, -13, 0], &[5, 1, 1, 5]);
        check(&[-26, 0, -26, -26], &[2, 6, 2, 2]);
        check(&[3, 2, 1], &[4, 2, 0]);
        check(&[i32::MIN, i32::MAX], &[0, 2]);
    }

    #[test]
    fn sums_over_moves() {
        check(&[], [0; 7]);
        check(&[(10, None, None, 0)], [1, 10, 0, 0, 0, 0, 0]);
        check(&[(10, Some(0), None, 7)], [1, 10, 1, 0, 0, 0, 7]);
        check(
            &[(10, Some(7), Some(3), 9), (1, None, None, 8), (19, Some(9), Some(4), 0)],
            [3, 30, 2, 16, 7, 7, 9],
        );
        check(
            &[(u64::MAX, None, Some(u64::MAX), 0), (1, None, Some(1), 0)],
            [2, u64::MAX, 0, 0, 0, u64::MAX, 0],
        );
    }
}
