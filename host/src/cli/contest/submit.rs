//! `sandboard contest submit`, `ask`: what an entrant does, with his token, where the folder of the contest is.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::json;

use super::{desk, read, shown};
use crate::cli::usage;
use crate::contest::ContestFolder;
use crate::contest::desk::Who;
use crate::contest::store::{Entrant, State, Submission};
use crate::engine::wasm::scan::MODULE_BYTES;

/// How often the answer is looked for.
const EVERY: Duration = Duration::from_millis(200);
/// The variable that has an entrant's token.
const TOKEN: &str = "SANDBOARD_TOKEN";

/// Submit an entry to a contest, and say what came of it
///
/// Exit codes: 0 it is accepted, 1 it is not, 2 it was asked for wrongly, or it is not told yet. For example:
/// sandboard contest submit target/sandboard/mine.wasm --dir autumn
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

/// Who somebody is, and in which contest.
#[derive(clap::Args, Debug)]
struct EntrantArgs {
    /// The folder of the contest
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's token [default: $SANDBOARD_TOKEN, which no list of processes shows]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

impl EntrantArgs {
    fn open(&self) -> Result<(ContestFolder, Entrant)> {
        let folder = ContestFolder::open(&self.dir)?;
        let token = self.token.clone().or_else(|| std::env::var(TOKEN).ok());
        let token = token.ok_or_else(|| {
            usage(format!("say who you are: --token TOKEN, or the variable {TOKEN}"))
        })?;
        let who = folder.block_on(desk(&folder).who(folder.founding(), &token))?;
        match who {
            Some(Who::Entrant(entrant)) => Ok((folder, entrant)),
            Some(Who::Organiser) => {
                Err(usage("this is the organiser's token: an entrant has one of his own"))
            }
            None => Err(usage("nobody in this contest has this token")),
        }
    }
}

/// Submits an entry.
pub fn submit(args: &SubmitArgs) -> Result<()> {
    let (folder, entrant) = args.entrant.open()?;
    let bytes = read(&args.entry, MODULE_BYTES)?;
    let number = folder.block_on(desk(&folder).submit(&entrant, &bytes)).map_err(shown)?;
    let until = Instant::now() + Duration::from_secs(args.wait);
    if !args.json {
        println!("entry {number} is taken");
    }
    let entry = loop {
        let entry = folder.wait(folder.store().entry(number))?;
        let entry = entry.ok_or_else(|| anyhow!("entry {number} is lost"))?;
        if !entry.waits() || Instant::now() >= until {
            break entry;
        }
        std::thread::sleep(EVERY);
    };
    tell(args, &folder, &entry)
}

fn tell(args: &SubmitArgs, folder: &ContestFolder, entry: &Submission) -> Result<()> {
    let report: Option<serde_json::Value> =
        entry.report.as_deref().map(serde_json::from_str).transpose()?;
    if args.json {
        let told = json!({ "entry": entry.number, "state": entry.state, "report": report });
        println!("{told}");
    } else if let Some(stages) = report.as_ref().and_then(|it| it["stages"].as_array()) {
        for stage in stages {
            let word = |field: &str| stage[field].as_str().unwrap_or_default().to_owned();
            println!(
                "{:>3} {:10} {:7} {}",
                stage["number"],
                word("name"),
                word("outcome"),
                word("sentence")
            );
            for finding in stage["findings"].as_array().into_iter().flatten() {
                for field in ["asked", "came_back", "expected", "help"] {
                    println!("      {field:9} {}", finding[field].as_str().unwrap_or_default());
                }
            }
        }
    }
    let number = entry.number;
    match entry.state {
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
            let run = if folder.is_run() { "" } else { "; nobody runs the contest now" };
            eprintln!("entry {number} is kept and waits for its test{run}");
            Err(crate::cli::Undecided.into())
        }
    }
}

/// Asks for an unrated bout.
pub fn ask(args: &AskArgs) -> Result<()> {
    let (folder, entrant) = args.entrant.open()?;
    let desk = desk(&folder);
    let asked = desk.ask(&entrant, args.entry, &args.house, args.side);
    let number = folder.block_on(asked).map_err(shown)?;
    println!("unrated bout {number} is asked for");
    Ok(())
}
