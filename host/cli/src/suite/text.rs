//! Formats a run for people: the list and the summary. Prints nothing itself.

use std::fmt::Write;

use super::{Report, Verdict};
use sandboard_analysis::suite::{Case, PositionChange, PositionResult, RunDifference, SuiteRun};

/// The longest expected answer that is shown, in characters.
const WANTED: usize = 24;
/// The most ids in a list of the summary.
const LISTED: usize = 20;

/// The first line of a run.
pub(super) fn head(run: &SuiteRun, positions: usize) -> String {
    let engine = &run.engine;
    let options = engine.options.iter().map(|(name, value)| format!(":{name}={value}"));
    let variant = run.variant.as_ref().map_or(String::new(), |variant| format!(" {variant}"));
    format!(
        "{}: {positions} positions of {}{variant}; {} {}{}, budget {}, seed {}",
        run.suite.file,
        run.game,
        engine.id,
        engine.version,
        options.collect::<String>(),
        run.budget,
        run.seed
    )
}

/// The widths of the columns of the list, in characters.
pub(super) struct Columns {
    number: usize,
    id: usize,
    wanted: usize,
}

impl Columns {
    /// Columns that are wide enough for these positions.
    pub(super) fn of(cases: &[Case]) -> Self {
        let widest = |of: fn(&Case) -> usize, least| cases.iter().map(of).fold(least, usize::max);
        Self {
            number: widest(|case| case.number.to_string().len(), 1),
            id: widest(|case| case.id.chars().count(), 2).min(32),
            wanted: widest(|case| cut(&case.solution.to_string()).chars().count(), 6),
        }
    }

    /// The titles of the columns.
    pub(super) fn titles(&self) -> String {
        let titles = ["result", "move", "wanted", "score", "depth", "nodes", "time", "solved at"];
        self.row("#", "id", titles, "").trim_end().to_owned()
    }

    /// The line of one position.
    pub(super) fn line(&self, outcome: &PositionResult, change: Option<PositionChange>) -> String {
        let mv = outcome.r#move.as_deref().unwrap_or("-");
        let at = outcome.solved_at.map_or(String::new(), |at| seconds(at.time_us));
        let cells = [
            if outcome.solved { "solved" } else { "FAILED" },
            mv,
            &cut(&outcome.wanted),
            &score(outcome),
            &outcome.depth.to_string(),
            &outcome.nodes.to_string(),
            &seconds(outcome.time_us),
            &at,
        ];
        let notes = notes(outcome, change).join(", ");
        self.row(&outcome.number.to_string(), &outcome.id, cells, &notes).trim_end().to_owned()
    }

    fn row(&self, number: &str, id: &str, cells: [&str; 8], notes: &str) -> String {
        let Self { number: n, id: i, wanted: w } = self;
        let [result, mv, wanted, score, depth, nodes, time, at] = cells;
        format!(
            "{number:>n$}  {id:i$}  {result:6}  {mv:5}  {wanted:w$}  {score:>7}  {depth:>5}  \
             {nodes:>10}  {time:>9}  {at:>9}  {notes}"
        )
    }
}

fn cut(text: &str) -> String {
    match text.chars().count() > WANTED {
        true => text.chars().take(WANTED - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn score(outcome: &PositionResult) -> String {
    let sign = match outcome.bound.as_deref() {
        Some("exact") => "=",
        Some("at-least") => ">=",
        Some("at-most") => "<=",
        _ => "",
    };
    outcome.score.map_or("-".into(), |score| format!("{sign}{score}"))
}

fn notes(outcome: &PositionResult, change: Option<PositionChange>) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(change) = change {
        match (change.solved_before, outcome.solved) {
            (false, true) => notes.push("newly solved".into()),
            (true, false) => notes.push("newly failed".into()),
            _ => (),
        }
        notes.extend(change.nodes_ratio.map(ratio));
    }
    match (&outcome.fault, &outcome.r#move) {
        (Some(fault), _) => notes.push(format!("the engine {}", fault.sentence)),
        (None, None) => notes.push("the engine resigns".into()),
        (None, Some(_)) if outcome.score_fits == Some(false) => {
            notes.push("wrong score".into());
        }
        _ => (),
    }
    notes
}

fn ratio(ratio: f64) -> String {
    format!("nodes x{ratio:.2}")
}

fn seconds(us: u64) -> String {
    let ms = us / 1000;
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

/// The summary of a run; `against` is the value of --against.
pub(super) fn summary(report: &Report, against: &str) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_summary(&mut text, report, against);
    text
}

fn write_summary(out: &mut String, report: &Report, against: &str) -> std::fmt::Result {
    let totals = &report.totals;
    let share = totals.solved as f64 * 100.0 / totals.positions.max(1) as f64;
    let (solved, positions) = (totals.solved, totals.positions);
    writeln!(out, "\nsolved {solved} of {positions} ({share:.1} %)")?;
    if totals.faults > 0 {
        writeln!(out, "faults of the engine: {}", totals.faults)?;
    }
    if totals.scores > 0 {
        writeln!(
            out,
            "known scores (score, ce, dm): {} of {} correct",
            totals.scores_right, totals.scores
        )?;
    }
    if report.skipped > 0 {
        writeln!(out, "skipped: {} positions of the file", report.skipped)?;
    }
    let speed = totals.nodes_per_second.map_or(String::new(), |n| format!(", {n} nodes/s"));
    writeln!(out, "time {}, {} nodes{speed}", seconds(totals.time_us), totals.nodes)?;
    match (&report.comparison, against) {
        (Some(difference), _) => write_difference(out, report, difference)?,
        (None, "last") => writeln!(out, "no earlier run of this suite to compare with")?,
        _ => (),
    }
    if let Some(Verdict { bar, needed, holds }) = &report.bar {
        let verdict = if *holds { "is met" } else { "is missed" };
        writeln!(out, "the bar of {bar} ({needed} of {positions}) {verdict}")?;
    }
    match &report.saved_to {
        Some(path) => writeln!(out, "saved: {}", path.display()),
        None => Ok(()),
    }
}

fn write_difference(
    out: &mut String,
    report: &Report,
    difference: &RunDifference,
) -> std::fmt::Result {
    let RunDifference { created_at, solved_before, newly_solved, newly_failed, .. } = difference;
    let (more, fewer) = (newly_solved.len(), newly_failed.len());
    write!(out, "compared with the run of {created_at}, which solved {solved_before}: ")?;
    match more + fewer {
        0 => write!(out, "no difference")?,
        _ => write!(out, "+{more} -{fewer}")?,
    }
    match difference.nodes_ratio {
        Some(mean) => {
            let count = difference.nodes_ratio_positions;
            writeln!(out, "; {} (geometric mean of {count} solved in both)", ratio(mean))?;
        }
        None => writeln!(out)?,
    }
    for (what, ids) in [("newly solved", newly_solved), ("newly failed", newly_failed)] {
        if !ids.is_empty() {
            let more = ids.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let ids: Vec<&str> = ids.iter().take(LISTED).map(String::as_str).collect();
            writeln!(out, "  {what}: {}{more}", ids.join(", "))?;
        }
    }
    let RunDifference { only_now, only_before, .. } = difference;
    if only_now + only_before > 0 {
        writeln!(
            out,
            "  not compared: {only_now} only in this run, {only_before} only in the earlier one"
        )?;
    }
    let engine = &report.run.engine;
    let short = |sha256: &str| sha256.chars().take(12).collect::<String>();
    match difference.same_module {
        true => writeln!(out, "  the engine's module is the same")?,
        false => writeln!(
            out,
            "  the engine's module changed: {} {}, now {} {}",
            difference.version_before,
            short(&difference.module_sha256_before),
            engine.version,
            short(&engine.module_sha256)
        )?,
    }
    difference.differences.iter().try_for_each(|differences| writeln!(out, "  {differences}"))
}
