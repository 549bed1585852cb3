//! `sandboard contest show`: how a contest stands, for its organiser.

use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::arena::{Filter, OpenFolder};
use crate::cli::arena::view_of;
use crate::contest::likeness::{Flag, PAPER};
use crate::contest::runner::{FINAL_PAPER, LADDER, OVER_PAPER};
use crate::contest::store::{State, Status, Submission};
use crate::contest::{Contest, ContestFolder, Phase, Row, lot, standings, version_name};
use crate::record::rfc3339;

/// Say how a contest stands: its standings, its entrants, their entries
///
/// For example: sandboard contest show autumn
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Show the report of this entry, too
    #[arg(long, value_name = "N")]
    entry: Option<i64>,
    /// Print one JSON object, with all that the organiser did
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct EntryLine {
    number: i64,
    name: String,
    entrant: String,
    sha256: String,
    bytes: u64,
    submitted_at: String,
    state: State,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let (contest, store) = (folder.contest(), folder.store());
    let entrants = folder.wait(store.entrants())?;
    let entries = folder.wait(store.entries(None))?;
    let over = folder.wait(store.paper(OVER_PAPER))?.filter(|text| !text.is_empty());
    let named = folder.wait(store.paper(FINAL_PAPER))?;
    let arenas = [named.as_deref().unwrap_or(FINAL_PAPER), LADDER];
    let played = arenas.into_iter().find(|name| OpenFolder::is_one(&args.dir.join(name)));
    let rows = match played {
        None => Vec::new(),
        Some(name) => {
            let arena = OpenFolder::look(&args.dir.join(name))?;
            standings(&view_of(&arena, &Filter::default(), false)?, &entrants, &entries)
        }
    };
    let line = |entry: &Submission| EntryLine {
        number: entry.number,
        name: version_name(&entries, entry),
        entrant: entry.entrant.clone(),
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
        submitted_at: date(entry.submitted_ms),
        state: entry.state,
    };
    let lines: Vec<EntryLine> = entries.iter().map(line).collect();
    let report = match args.entry {
        None => None,
        Some(number) => folder.wait(store.entry(number))?.and_then(|entry| entry.report),
    };
    let report: Option<serde_json::Value> =
        report.as_deref().map(serde_json::from_str).transpose()?;
    let flags = folder.wait(store.paper(PAPER))?;
    let flags: Vec<Flag> =
        flags.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let commitment = lot::commitment(&folder.founding().seed);
    let phase = contest.phase(SystemTime::now());
    if args.json {
        let people: Vec<_> = entrants
            .iter()
            .map(|it| json!({ "name": it.name, "status": it.status, "reason": it.reason }))
            .collect();
        let told = json!({
            "contest": contest, "phase": phase, "over": over, "commitment": commitment, "is_run": folder.is_run(),
            "arena": played, "standings": rows, "entrants": people, "entries": lines, "report": report,
            "flags": flags, "acts": folder.wait(store.acts())?,
        });
        return Ok(writeln!(out, "{told}")?);
    }
    writeln!(
        out,
        "{}: {} {}, {}",
        contest.name,
        contest.game.id,
        contest.variant.text(),
        contest.budget
    )?;
    writeln!(out, "{}", when(contest, phase, over.as_deref()))?;
    if !folder.is_run() && over.is_none() {
        writeln!(out, "nobody runs it now: sandboard contest run {}", args.dir.display())?;
    }
    writeln!(out, "hash of the seed: {commitment}")?;
    if let Some(name) = played {
        writeln!(out, "\n{name}")?;
        for row in &rows {
            writeln!(out, "{}", standing(row))?;
        }
    }
    if !lines.is_empty() {
        writeln!(out, "\nentries")?;
    }
    for line in &lines {
        let EntryLine { number, name, state, submitted_at, sha256, .. } = line;
        let word = serde_json::to_value(state)?;
        let word = word.as_str().unwrap_or_default();
        writeln!(
            out,
            "{number:4} {name:30} {word:10} {submitted_at}  {}",
            &sha256[..12.min(sha256.len())]
        )?;
    }
    for entrant in entrants.iter().filter(|entrant| entrant.status != Status::In) {
        let word = crate::contest::desk::word(entrant.status);
        let why = if entrant.reason.is_empty() { "" } else { ": " };
        writeln!(out, "{} is {word}{why}{}", entrant.name, entrant.reason)?;
    }
    for flag in &flags {
        let [one, other] = &flag.names;
        let alike = match flag.identical {
            true => "are the same program".to_owned(),
            false => format!("have {} % of their own code in common", flag.share_percent),
        };
        let [first, second] = flag.entries;
        writeln!(out, "look at entries {first} ({one}) and {second} ({other}): they {alike}")?;
    }
    if let Some(report) = report {
        writeln!(out, "\n{}", serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}

fn standing(row: &Row) -> String {
    let place = row.place.map_or("  -".into(), |place| format!("{place:3}"));
    let whose = if row.entrant.is_some() { "" } else { "(house)" };
    let rating = row.rating.map_or(String::new(), |it| format!("{:+.0}", it.value));
    let points = row.half_points as f64 / 2.0;
    format!("{place} {:30} {rating:>6} {points:8.1} of {} {whose}", row.name, row.games)
        .trim_end()
        .to_owned()
}

fn when(contest: &Contest, phase: Phase, over: Option<&str>) -> String {
    let date = |date: Option<SystemTime>| date.map_or_else(|| "an open date".into(), rfc3339);
    match (phase, over) {
        (_, Some(over)) => format!("everything was played on {over}"),
        (Phase::Announced, _) => format!("it opens on {}", date(contest.opens)),
        (Phase::Open, _) => format!("it is open until {}", date(contest.closes)),
        (Phase::Closed, _) => format!("it was closed on {}", date(contest.closes)),
    }
}

/// A time of the store, as RFC 3339.
fn date(ms: i64) -> String {
    let since = std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    rfc3339(SystemTime::UNIX_EPOCH + since)
}
