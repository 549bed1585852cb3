//! Steps 13 and 16: memory and output. Only reads the measured usage.

use sandboard_abi::{Unit, limits};

use super::super::context::{CheckContext, MoveRequest, SetupMode};
use super::super::outcome::{Finding, StepResult};
use sandboard_bout::clock::Clock;
use sandboard_common::text::counted;
use sandboard_engine::{Budget, Caps};

/// The most moves of the long game.
const MOVES: usize = 60;
/// The number of games that are started and dropped.
const INSTANCES: usize = 40;
/// The budget of a move in the long game: microseconds, or units of fuel in a check on fuel alone.
const MOVE_US: u64 = 3_000;
const MOVE_FUEL: u64 = 3_000_000;
/// Memory that grows at this many tenths of the moves in the second half of a game is a leak.
const GROWING_TENTHS: usize = 5;
/// The share of the cap above which memory use is a warning, in percent.
const NEARLY_FULL_PERCENT: u64 = 80;

/// Measurements in the longest of a few random games, with a request at every ply: the memory after
/// each move, the logged bytes, and the most reports of one call.
struct LongGame {
    peaks: Vec<u64>,
    logged: u64,
    reports: u64,
    history: String,
    cap: u64,
}

fn long_game(context: &CheckContext<'_>) -> StepResult<LongGame> {
    let boards = context.smallest_boards();
    let seeds = (0..8).map(|index| context.settings.seed.wrapping_add(index));
    let games = seeds.flat_map(|seed| boards.iter().map(move |b| (b, b.random_game(seed))));
    let longest = games.max_by_key(|(_, moves)| moves.len().min(MOVES));
    let nothing = || super::super::outcome::StepFailure::Skipped("there is no game to play".into());
    let (board, moves) = longest.ok_or_else(nothing)?;
    let budget = match context.metering().counts_fuel() {
        false => Budget::wall_per_move(MOVE_US),
        true => context.settings.budget.at_most_per_move(MOVE_FUEL),
    };
    let move_request = MoveRequest {
        limits: Clock::new(budget).limits(context.grace()),
        label: budget.to_string(),
    };
    let mut instance = context.start_at(board, &[], SetupMode::Played, Unit::Wall)?;
    let cap = context.engine(Unit::Wall)?.caps.memory_bytes;
    let mut long =
        LongGame { peaks: Vec::new(), logged: 0, reports: 0, history: String::new(), cap };
    for mv in moves.iter().take(MOVES) {
        let chosen = instance.choose(&move_request, &[])?;
        long.peaks.extend(chosen.spent.peak_memory_bytes);
        long.logged = chosen.spent.logged_bytes;
        long.reports = long.reports.max(chosen.reports);
        instance.played(mv)?;
    }
    let played = moves.len().min(MOVES);
    long.history =
        format!("{}, {} under {}", board.text(), counted(played, "move"), move_request.label);
    Ok(long)
}

pub(crate) fn memory(context: &mut CheckContext<'_>) -> StepResult {
    let long = long_game(context)?;
    for board in context.smallest_boards().iter().cycle().take(INSTANCES) {
        context.start_at(board, &[], SetupMode::Played, Unit::Wall)?;
    }
    let many = format!("{INSTANCES} instances started and dropped");
    let (Some(first), Some(peak)) = (long.peaks.first().copied(), long.peaks.last().copied())
    else {
        return Ok(format!("{many}; the memory of a native library is not measured"));
    };
    let (peak_kib, cap_kib) = (peak / 1024, long.cap / 1024);
    let half = long.peaks.len() / 2;
    let later = &long.peaks[half..];
    let grown = later.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let is_full = peak > long.cap / 100 * NEARLY_FULL_PERCENT;
    let is_growing = later.len() > 3 && grown * 10 >= (later.len() - 1) * GROWING_TENTHS;
    if is_growing {
        let middle = later.first().copied().unwrap_or(first);
        let each = peak.saturating_sub(middle) / (later.len() as u64 - 1).max(1);
        let left = long.cap.saturating_sub(peak) / each.max(1);
        context.warn(Finding {
            sentence: format!(
                "its memory grows from move to move, recently by {} KiB; it lasts for about {left} \
                 more moves",
                each / 1024
            ),
            request: long.history.clone(),
            response: format!("{} KiB, {} KiB, {peak_kib} KiB", first / 1024, middle / 1024),
            expected: "memory that is reused, or a table of a fixed size".into(),
            advice: context.advice(),
        });
    } else if is_full {
        context.warn(Finding {
            sentence: format!("it uses {peak_kib} of its {cap_kib} KiB"),
            request: long.history.clone(),
            response: format!("{peak_kib} KiB at most"),
            expected: format!("less than {NEARLY_FULL_PERCENT} % of {cap_kib} KiB"),
            advice: "request more in the manifest (memory_bytes of Limits), or use less: \
                     docs/manifest.md"
                .into(),
        });
    }
    Ok(format!(
        "{peak_kib} of {cap_kib} KiB after {} moves, {} KiB after the first; {many}",
        long.peaks.len(),
        first / 1024
    ))
}

pub(crate) fn output(context: &mut CheckContext<'_>) -> StepResult {
    let long = long_game(context)?;
    let requested = context.target.entry.limits.log_bytes;
    let quota = requested.unwrap_or(Caps::default().log_bytes).min(Caps::default().log_bytes);
    let most = u64::from(limits::REPORTS_PER_CALL);
    if long.logged > quota {
        context.warn(Finding {
            sentence: format!(
                "it logs {} bytes in a game, of which at most {quota} are kept",
                long.logged
            ),
            request: long.history.clone(),
            response: format!("{} bytes", long.logged),
            expected: format!("at most {quota}; the rest is dropped"),
            advice: context.advice(),
        });
    }
    if long.reports > most / 10 {
        context.warn(Finding {
            sentence: format!("it reports {} lines in one call", long.reports),
            request: long.history.clone(),
            response: format!("{} lines", long.reports),
            expected: format!("far fewer than {most}, at which a call fails"),
            advice: context.advice(),
        });
    }
    Ok(format!(
        "{} of {quota} bytes logged in a game, at most {} of {most} lines in a call",
        long.logged, long.reports
    ))
}
