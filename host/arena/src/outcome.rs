//! The result of a finished game, which an arena stores beside the record. It is computed from the
//! record.

use sandboard_games::Side;
use sandboard_tournament::stats::Totals;
use serde::{Deserialize, Serialize};

use super::job::Job;
use sandboard_bout::record::{PonderingStatistics, Record};
use sandboard_bout::referee::{EventKind, EventRecord, Termination};
use sandboard_engine::{CallName, Usage};

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Half points of the first player of its pair, 0 to 2.
    pub half_points: u8,
    /// The number of moves of both players.
    pub plies: u64,
    /// The resources that the first and the second player of the pair used.
    pub spent: [Totals; 2],
    /// The pondering of the first and the second player of the pair.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub pondering: [PonderingStatistics; 2],
    /// The fault that ended the game, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<GameFault>,
    /// How it ended, as a sentence.
    pub sentence: String,
}

/// Whether the field can be omitted from the JSON.
fn is_empty(pondering: &[PonderingStatistics; 2]) -> bool {
    *pondering == [PonderingStatistics::default(); 2]
}

/// A fault by which an engine lost a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFault {
    /// The player of the pair, 0 or 1.
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
        let half_points = result.half_points(Side(job.side_of(0)))?;
        let mut spent = [0, 1].map(|_| Totals { games: 1, ..Totals::default() });
        for ply in &record.plies {
            let owns = |player: &usize| record.players[*player].owns(ply.seat);
            let Some(player) = (0..record.players.len().min(2)).find(owns) else { continue };
            add_move(&mut spent[player], &ply.spent);
        }
        let code = match &result.termination {
            Termination::Timeout => Some("timeout".to_owned()),
            Termination::IllegalMove => Some("illegal-move".to_owned()),
            Termination::Fault { fault } => Some(fault.to_string()),
            _ => None,
        };
        let fault = code.map(|code| GameFault {
            player: usize::from(half_points == 2),
            code,
            at_ply: record.plies.len() as u32,
            in_start: record.plies.is_empty() && record.events.iter().any(is_failed_start),
        });
        if let Some(fault) = &fault {
            spent[fault.player].faults.insert(fault.code.clone(), 1);
        }
        Some(Self {
            half_points,
            plies: record.plies.len() as u64,
            spent,
            pondering: [0, 1].map(|player| match record.players.get(player) {
                Some(about) if about.ponders => record.pondering(player),
                _ => PonderingStatistics::default(),
            }),
            fault,
            sentence: result.sentence.clone(),
        })
    }
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
