//! `sandboard contest show`: shows the state of a contest to its organiser.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::arena::view_of;
use crate::known_games;
use sandboard_arena::OpenFolder;
use sandboard_arena_plan::Filter;
use sandboard_common::date::rfc3339;
use sandboard_contest::similarity::{Flags, HouseCopy, PROPERTY};
use sandboard_contest::store::{OVER_PROPERTY, Submission, final_arena};
use sandboard_contest::{ContestFolder, FLAGGED_NS, Row, SUSPENDED_NS, standings, version_name};
use sandboard_contest_rules::arena_rules::LADDER;
use sandboard_contest_rules::{Contest, Phase, State, Status};

/// Show a contest: its standings, its entrants, their entries
///
/// For example: sandboard contest show autumn
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Also show the report of this entry
    #[arg(long, value_name = "N")]
    entry: Option<i64>,
    /// Print one JSON object, with the audit log
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
pub(super) fn run(args: &Args) -> Result<()> {
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let (contest, store) = (folder.contest(), folder.store());
    let entrants = folder.wait(store.entrants())?;
    let entries = folder.wait(store.entries(None))?;
    let over = folder.wait(store.property(OVER_PROPERTY))?.filter(|text| !text.is_empty());
    let arenas = [folder.wait(final_arena(&**store))?.name(), LADDER.to_owned()];
    let played = arenas.into_iter().find(|name| OpenFolder::holds_arena(&args.dir.join(name)));
    let rows = match &played {
        None => Vec::new(),
        Some(name) => {
            let arena = OpenFolder::open_to_read(&args.dir.join(name))?;
            standings(
                &view_of(&arena, &known_games(), &Filter::default(), false)?,
                &entrants,
                &entries,
            )
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
    let flags = folder.wait(store.property(PROPERTY))?;
    let flags: Flags = flags.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
    let of_entries = rows.iter().filter(|row| row.entry.is_some());
    let speeds: BTreeMap<&str, f64> =
        of_entries.filter_map(|row| Some((row.name.as_str(), row.ns_per_fuel?))).collect();
    let slow = speeds.iter().filter(|(_, ns)| **ns >= FLAGGED_NS);
    let mut out = crate::output::stdout();
    let commitment = folder.founding().commitment();
    let phase = contest.phase(SystemTime::now());
    if args.json {
        let people: Vec<_> = entrants
            .iter()
            .map(|it| json!({ "name": it.name, "status": it.status, "reason": it.reason }))
            .collect();
        let line = json!({
            "contest": contest, "phase": phase, "over": over, "commitment": commitment, "is_run": folder.is_running(),
            "arena": played, "standings": rows, "entrants": people, "entries": lines, "report": report,
            "flags": flags.similar, "house_copies": flags.house_copies, "ns_per_fuel": speeds,
            "audit_log": folder.wait(store.audit_log())?,
        });
        return Ok(writeln!(out, "{line}")?);
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
    if !folder.is_running() && over.is_none() {
        writeln!(out, "not running; to run it: sandboard contest run {}", args.dir.display())?;
    }
    writeln!(out, "commitment: {commitment}")?;
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
        let word = sandboard_contest::service::status_word(entrant.status);
        let why = if entrant.reason.is_empty() { "" } else { ": " };
        writeln!(out, "{} is {word}{why}{}", entrant.name, entrant.reason)?;
    }
    for (name, ns) in slow {
        writeln!(
            out,
            "look at {name}: it takes {ns:.1} ns of CPU time for a unit of fuel; usual is about 1, from \
             {SUSPENDED_NS} on an entry is suspended"
        )?;
    }
    for copy in &flags.house_copies {
        let HouseCopy { entry, name, house, share_percent, identical } = copy;
        let alike = match identical {
            true => format!("is the same program as the house engine {house}"),
            false => format!("has {share_percent} % of its code from the house engine {house}"),
        };
        writeln!(out, "look at entry {entry} ({name}): it {alike}")?;
    }
    for flag in &flags.similar {
        let [one, other] = &flag.names;
        let alike = match flag.identical {
            true => "contain the same program".to_owned(),
            false => format!("share {} % of their own code", flag.share_percent),
        };
        let [first, second] = flag.entries;
        writeln!(out, "compare entries {first} ({one}) and {second} ({other}): they {alike}")?;
    }
    if let Some(report) = report {
        writeln!(out, "\n{}", serde_json::to_string_pretty(&report)?)?;
    }
    Ok(())
}

fn standing(row: &Row) -> String {
    let place = row.place.map_or("  -".into(), |place| format!("{place:3}"));
    let note = if row.entrant.is_some() { "" } else { "(house)" };
    let rating = row.rating.map_or(String::new(), |it| format!("{:+.0}", it.value));
    let points = row.half_points as f64 / 2.0;
    format!("{place} {:30} {rating:>6} {points:8.1} of {} {note}", row.name, row.games)
        .trim_end()
        .to_owned()
}

fn when(contest: &Contest, phase: Phase, over: Option<&str>) -> String {
    let date =
        |date: Option<SystemTime>| date.map_or_else(|| "a date that is not set".into(), rfc3339);
    match (phase, over) {
        (_, Some(over)) => format!("over since {over}"),
        (Phase::Announced, _) => format!("opens on {}", date(contest.opens)),
        (Phase::Open, _) => format!("open until {}", date(contest.closes)),
        (Phase::Closed, _) => format!("closed on {}", date(contest.closes)),
    }
}

/// A time of the store in RFC 3339, from milliseconds since 1970.
fn date(ms: i64) -> String {
    let since = std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    rfc3339(SystemTime::UNIX_EPOCH + since)
}
