//! Steps 13 and 16: memory, and what is said. Only reads the receipts.

use sandboard_abi::{Unit, limits};

use super::super::bench::{Ask, Bench, Way};
use super::super::outcome::{Finding, Verdict};
use crate::budget::Budget;
use crate::clock::Clock;
use crate::counted;
use crate::engine::Caps;
use crate::engine::wasm::Metering;

/// Own moves of the long game.
const MOVES: usize = 60;
/// Games that are begun and thrown away.
const INSTANCES: usize = 40;
/// What each move of the long game may take, in microseconds; and in units of fuel, where nothing else counts.
const MOVE_US: u64 = 3_000;
const MOVE_FUEL: u64 = 3_000_000;
/// Memory that grows at so many tenths of the moves in the second half of a game is a leak.
const GROWING_TENTHS: usize = 5;
/// A share of the cap from which on it is worth a word, in percent.
const NEARLY_FULL_PERCENT: u64 = 80;

/// The longest of a few random games, asked about at every ply: what the memory
/// was after each move, what was logged, and the most lines of one call.
struct LongGame {
    peaks: Vec<u64>,
    logged: u64,
    reports: u64,
    scene: String,
    cap: u64,
}

fn long_game(bench: &Bench<'_>) -> Verdict<LongGame> {
    let boards = bench.small_boards();
    let seeds = (0..8).map(|index| bench.settings.seed.wrapping_add(index));
    let games = seeds.flat_map(|seed| boards.iter().map(move |b| (b, b.random_game(seed))));
    let longest = games.max_by_key(|(_, moves)| moves.len().min(MOVES));
    let nothing = || super::super::outcome::Wrong::Skipped("there is no game to play".into());
    let (board, moves) = longest.ok_or_else(nothing)?;
    let budget = match bench.metering() {
        Metering::Deadline => Budget::wall_per_move(MOVE_US),
        Metering::Fuel => bench.settings.budget.at_most_per_move(MOVE_FUEL),
    };
    let ask = Ask { limits: Clock::new(budget).limits(bench.grace()), label: budget.to_string() };
    let mut player = bench.seat(board, &[], Way::Played, Unit::Wall)?;
    let cap = bench.engine(Unit::Wall)?.caps.memory_bytes;
    let mut long = LongGame { peaks: Vec::new(), logged: 0, reports: 0, scene: String::new(), cap };
    for mv in moves.iter().take(MOVES) {
        let chosen = player.choose(&ask, &[])?;
        long.peaks.extend(chosen.spent.peak_memory_bytes);
        long.logged = chosen.spent.logged_bytes;
        long.reports = long.reports.max(chosen.reports);
        player.played(mv)?;
    }
    let played = moves.len().min(MOVES);
    long.scene = format!("{}, {} under {}", board.text(), counted(played, "move"), ask.label);
    Ok(long)
}

pub fn memory(bench: &mut Bench<'_>) -> Verdict {
    let long = long_game(bench)?;
    for board in bench.small_boards().iter().cycle().take(INSTANCES) {
        bench.seat(board, &[], Way::Played, Unit::Wall)?;
    }
    let many = format!("{INSTANCES} instances begun and dropped");
    let (Some(first), Some(peak)) = (long.peaks.first().copied(), long.peaks.last().copied())
    else {
        return Ok(format!(
            "{many}; a native library in this process can be held to no cap, and its memory is not \
             told apart from the host's"
        ));
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
        bench.warn(Finding {
            sentence: format!(
                "its memory grows from move to move, by {} KiB lately; it lasts for about {left} \
                 more moves",
                each / 1024
            ),
            asked: long.scene.clone(),
            came_back: format!("{} KiB, {} KiB, {peak_kib} KiB", first / 1024, middle / 1024),
            expected: "memory that is used again, or a table of a fixed size".into(),
            help: bench.help(),
        });
    } else if is_full {
        bench.warn(Finding {
            sentence: format!("it uses {peak_kib} of its {cap_kib} KiB"),
            asked: long.scene.clone(),
            came_back: format!("{peak_kib} KiB at most"),
            expected: format!("less than {NEARLY_FULL_PERCENT} % of {cap_kib} KiB"),
            help: "ask for more in the manifest (Limits memory), or use less: docs/manifest.md"
                .into(),
        });
    }
    Ok(format!(
        "{peak_kib} of {cap_kib} KiB after {} moves, {} KiB after the first; {many}",
        long.peaks.len(),
        first / 1024
    ))
}

pub fn output(bench: &mut Bench<'_>) -> Verdict {
    let long = long_game(bench)?;
    let asked_for = bench.subject.entry.limits.log_bytes;
    let quota = asked_for.unwrap_or(Caps::default().log_bytes).min(Caps::default().log_bytes);
    let most = u64::from(limits::REPORTS_PER_CALL);
    if long.logged > quota {
        bench.warn(Finding {
            sentence: format!(
                "it logs {} bytes in a game, of which at most {quota} are kept",
                long.logged
            ),
            asked: long.scene.clone(),
            came_back: format!("{} bytes", long.logged),
            expected: format!("at most {quota}; what is more is dropped"),
            help: bench.help(),
        });
    }
    if long.reports > most / 10 {
        bench.warn(Finding {
            sentence: format!("it reports {} lines in one call", long.reports),
            asked: long.scene.clone(),
            came_back: format!("{} lines", long.reports),
            expected: format!("far fewer than {most}, at which a call fails"),
            help: bench.help(),
        });
    }
    Ok(format!(
        "{} of {quota} bytes logged in a game, at most {} of {most} lines in a call",
        long.logged, long.reports
    ))
}
