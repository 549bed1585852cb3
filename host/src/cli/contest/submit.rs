//! `sandboard contest submit`, `ask`: what an entrant does, with his token, at a folder or a server.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::counter::{EntrantArgs, Told};
use super::read;
use crate::contest::store::State;
use crate::engine::wasm::scan::MODULE_BYTES;

/// How often the answer is looked for.
const EVERY: Duration = Duration::from_millis(200);

/// Submit an entry to a contest, and say what came of it
///
/// Exit codes: 0 it is accepted, 1 it is not, 2 it was asked for wrongly, or it is not told yet. For example:
/// sandboard contest submit target/sandboard/mine.wasm --at https://arena.example.org/#/contests/autumn
#[derive(clap::Args, Debug)]
pub struct SubmitArgs {
    /// The entry: a WebAssembly component, as `sandboard build` makes it
    #[arg(value_name = "FILE")]
    entry: PathBuf,
    #[command(flatten)]
    entrant: EntrantArgs,
    /// How long its test is waited for, in seconds; 0: not at all
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Ask for an unrated bout of an accepted entry against an engine of the house
///
/// For example: sandboard contest ask gomoku-simple --dir autumn --side 1
#[derive(clap::Args, Debug)]
pub struct AskArgs {
    /// The engine of the house
    #[arg(value_name = "ENGINE")]
    house: String,
    #[command(flatten)]
    entrant: EntrantArgs,
    /// The number of the entry [default: the latest that was accepted]
    #[arg(long, value_name = "N")]
    entry: Option<i64>,
    /// The side that the entry has, 0 or 1
    #[arg(long, default_value_t = 0)]
    side: u8,
}

/// Submits an entry.
pub fn submit(args: &SubmitArgs) -> Result<()> {
    let counter = args.entrant.counter()?;
    let number = counter.submit(&read(&args.entry, MODULE_BYTES)?)?;
    let until = Instant::now() + Duration::from_secs(args.wait);
    if !args.json {
        println!("entry {number} is taken");
    }
    let mut shown = Vec::new();
    let told = loop {
        let told = match counter.entry(number) {
            Ok(told) => told,
            Err(error) => {
                eprintln!("entry {number} is taken, and what came of it is not known: {error:#}");
                return Err(crate::cli::Undecided.into());
            }
        };
        if !args.json {
            tell_stages(&told, &mut shown);
        }
        if told.state != State::Waiting || Instant::now() >= until {
            break told;
        }
        std::thread::sleep(EVERY);
    };
    tell(args, number, &told)
}

/// Tells the stages that were not told: all from the first on that is another one, when it is tried again.
fn tell_stages(told: &Told, shown: &mut Vec<Value>) {
    let stages = told.report.as_ref().and_then(|it| it["stages"].as_array());
    let stages = stages.map_or(&[][..], Vec::as_slice);
    let same = stages.iter().zip(&*shown).take_while(|(one, other)| one == other).count();
    if same == stages.len() {
        return;
    }
    for stage in &stages[same..] {
        let word = |field: &str| stage[field].as_str().unwrap_or_default().to_owned();
        let [name, outcome, sentence] = ["name", "outcome", "sentence"].map(word);
        let number = stage["number"].as_u64().unwrap_or_default();
        println!("{number:>3} {name:10} {outcome:7} {sentence}");
        for finding in stage["findings"].as_array().into_iter().flatten() {
            for field in ["asked", "came_back", "expected", "help"] {
                println!("      {field:9} {}", finding[field].as_str().unwrap_or_default());
            }
        }
    }
    *shown = stages.to_vec();
}

fn tell(args: &SubmitArgs, number: i64, told: &Told) -> Result<()> {
    let Told { state, report } = told;
    if args.json {
        println!("{}", json!({ "entry": number, "state": state, "report": report }));
    }
    match state {
        State::Accepted | State::Retrying => {
            if !args.json {
                println!("entry {number} is accepted");
            }
            Ok(())
        }
        State::Refused => Err(anyhow!("entry {number} is not accepted")),
        State::Undecided => {
            eprintln!(
                "entry {number} is undecided, by no fault of its own: its organiser can have it tried again"
            );
            Err(crate::cli::Undecided.into())
        }
        State::Waiting => {
            eprintln!("entry {number} is kept, and waits for whoever runs the contest to test it");
            Err(crate::cli::Undecided.into())
        }
    }
}

/// Asks for an unrated bout.
pub fn ask(args: &AskArgs) -> Result<()> {
    let number = args.entrant.counter()?.ask(args.entry, &args.house, args.side)?;
    println!("unrated bout {number} is asked for");
    Ok(())
}
