//! `contest submit`, `trial`: the commands of an entrant, with the entrant's token, at a folder or
//! a server.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::client::{EntrantArgs, EntryStatus};
use super::read;
use crate::output::{error_line, out_line};
use sandboard_contest_rules::State;
use sandboard_engine_wasm::scan::MODULE_BYTES_MAX;

/// The interval at which the result is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Submit an entry to a contest, and wait for the result of its test
///
/// Exit codes: 0: accepted; 1: not accepted; 2: usage error, or no result yet. For example:
/// sandboard contest submit mine.wasm --at https://arena.example.org/#/contests/autumn
#[derive(clap::Args, Debug)]
pub(super) struct SubmitArgs {
    /// The entry: a WebAssembly component, as `sandboard build` makes it
    #[arg(value_name = "FILE")]
    entry: PathBuf,
    #[command(flatten)]
    entrant: EntrantArgs,
    /// How long to wait for the test, in seconds, at most a day; 0: do not wait
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=86_400))]
    wait: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Request an unrated bout of an accepted entry against a house engine
///
/// For example: sandboard contest trial gomoku-simple --dir autumn --side 1
#[derive(clap::Args, Debug)]
pub(super) struct TrialArgs {
    /// The house engine
    #[arg(value_name = "ENGINE")]
    house: String,
    #[command(flatten)]
    entrant: EntrantArgs,
    /// The entry's number [default: the latest accepted one]
    #[arg(long, value_name = "N")]
    entry: Option<i64>,
    /// The side of the entry, 0 or 1
    #[arg(long, default_value_t = 0)]
    side: u8,
}

/// Submits an entry.
pub(super) fn submit(args: &SubmitArgs) -> Result<()> {
    let client = args.entrant.client()?;
    let number = client.submit(&read(&args.entry, MODULE_BYTES_MAX)?)?;
    let until = Instant::now() + Duration::from_secs(args.wait);
    if !args.json {
        out_line!("entry {number} is submitted");
    }
    let mut shown = Vec::new();
    let status = loop {
        let status = match client.entry(number) {
            Ok(status) => status,
            Err(error) => {
                error_line!(
                    "entry {number} is submitted, but its status is not available: {error:#}"
                );
                return Err(crate::Inconclusive.into());
            }
        };
        if !args.json {
            print_stages(&status, &mut shown);
        }
        if status.state != State::Waiting || Instant::now() >= until {
            break status;
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    print_result(args, number, &status)
}

/// Prints the stages that are not printed yet. If the entry is tested again, starts at the first
/// stage that differs.
fn print_stages(status: &EntryStatus, shown: &mut Vec<Value>) {
    let stages = status.report.as_ref().and_then(|it| it["stages"].as_array());
    let stages = stages.map_or(&[][..], Vec::as_slice);
    let same = stages.iter().zip(&*shown).take_while(|(one, other)| one == other).count();
    if same == stages.len() {
        return;
    }
    for stage in &stages[same..] {
        let word = |field: &str| stage[field].as_str().unwrap_or_default().to_owned();
        let [name, outcome, sentence] = ["name", "outcome", "sentence"].map(word);
        let number = stage["number"].as_u64().unwrap_or_default();
        out_line!("{number:>3} {name:10} {outcome:7} {sentence}");
        for finding in stage["findings"].as_array().into_iter().flatten() {
            for field in ["request", "response", "expected", "advice"] {
                out_line!("      {field:9} {}", finding[field].as_str().unwrap_or_default());
            }
        }
    }
    *shown = stages.to_vec();
}

fn print_result(args: &SubmitArgs, number: i64, status: &EntryStatus) -> Result<()> {
    let EntryStatus { state, report } = status;
    if args.json {
        out_line!("{}", json!({ "entry": number, "state": state, "report": report }));
    }
    match state {
        State::Accepted | State::Retrying => {
            if !args.json {
                out_line!("entry {number} is accepted");
            }
            Ok(())
        }
        State::Refused => Err(anyhow!("entry {number} is not accepted")),
        State::Undecided => {
            error_line!(
                "entry {number} is undecided, which is not its fault: the organiser can have it \
                 tested again"
            );
            Err(crate::Inconclusive.into())
        }
        State::Waiting => {
            error_line!("entry {number} is stored, and waits for `contest run` to test it");
            Err(crate::Inconclusive.into())
        }
    }
}

/// Requests an unrated bout.
pub(super) fn trial(args: &TrialArgs) -> Result<()> {
    let number = args.entrant.client()?.request_trial(args.entry, &args.house, args.side)?;
    out_line!("unrated bout {number} is requested");
    Ok(())
}
