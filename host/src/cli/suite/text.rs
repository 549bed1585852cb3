//! A run as people read it: the list and the summary. Prints nothing itself.

use std::fmt::Write;

use super::{Report, Verdict};
use crate::suite::{Case, Change, Difference, Outcome, Run};

/// The longest text of what is wanted that is shown.
const WANTED: usize = 24;
/// Ids that a summary lists.
const LISTED: usize = 20;

/// The line that a run begins with.
pub fn head(run: &Run, positions: usize) -> String {
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

/// How wide the columns of the list are.
pub struct Columns {
    number: usize,
    id: usize,
    wanted: usize,
}

impl Columns {
    /// Wide enough for these.
    pub fn of(cases: &[Case]) -> Self {
        let widest = |of: fn(&Case) -> usize, least| cases.iter().map(of).fold(least, usize::max);
        Self {
            number: widest(|case| case.number.to_string().len(), 1),
            id: widest(|case| case.id.chars().count(), 2).min(32),
            wanted: widest(|case| cut(&case.answer.to_string()).chars().count(), 6),
        }
    }

    /// The line over the list.
    pub fn titles(&self) -> String {
        let titles = ["result", "move", "wanted", "score", "depth", "nodes", "time", "solved at"];
        self.row("#", "id", titles, "").trim_end().to_owned()
    }

    /// The line of a position.
    pub fn line(&self, outcome: &Outcome, change: Option<Change>) -> String {
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

fn score(outcome: &Outcome) -> String {
    let sign = match outcome.bound.as_deref() {
        Some("exact") => "=",
        Some("at-least") => ">=",
        Some("at-most") => "<=",
        _ => "",
    };
    outcome.score.map_or("-".into(), |score| format!("{sign}{score}"))
}

fn notes(outcome: &Outcome, change: Option<Change>) -> Vec<String> {
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
            notes.push("score not as known".into());
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

/// What a run comes to; `against` is what was asked for to compare with.
pub fn summary(report: &Report, against: &str) -> String {
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
            "known scores (score, ce, dm): {} of {} right",
            totals.scores_right, totals.scores
        )?;
    }
    if report.left_out > 0 {
        writeln!(out, "left out: {} positions of the file", report.left_out)?;
    }
    let speed = totals.nodes_per_second.map_or(String::new(), |n| format!(", {n} nodes/s"));
    writeln!(out, "time {}, {} nodes{speed}", seconds(totals.time_us), totals.nodes)?;
    match (&report.against, against) {
        (Some(difference), _) => write_difference(out, report, difference)?,
        (None, "last") => writeln!(out, "there is no earlier run like this to compare with")?,
        _ => (),
    }
    if let Some(Verdict { bar, needed, holds }) = &report.bar {
        let verdict = if *holds { "holds" } else { "is missed" };
        writeln!(out, "the bar of {bar} ({needed} of {positions}) {verdict}")?;
    }
    match &report.kept {
        Some(path) => writeln!(out, "kept: {}", path.display()),
        None => Ok(()),
    }
}

fn write_difference(
    out: &mut String,
    report: &Report,
    difference: &Difference,
) -> std::fmt::Result {
    let Difference { created_at, solved_before, newly_solved, newly_failed, .. } = difference;
    let (more, fewer) = (newly_solved.len(), newly_failed.len());
    write!(out, "against the run of {created_at}, which solved {solved_before}: ")?;
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
    let Difference { only_now, only_before, .. } = difference;
    if only_now + only_before > 0 {
        writeln!(out, "  not compared: {only_now} only in this run, {only_before} only in that")?;
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
    difference.unlike.iter().try_for_each(|unlike| writeln!(out, "  {unlike}"))
}
