//! What an organiser does to a contest: takes people out and lets them back in, has an entry tried or the final played again. Each
//! is written into the contest's book.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Result, bail};

use super::{desk, shown};
use crate::arena::OpenFolder;
use crate::cli::usage;
use crate::contest::runner::{FINAL_PAPER, OVER_PAPER};
use crate::contest::store::{Act, Status, Write};
use crate::contest::{ContestFolder, now_ms};
use crate::record::{of_date, rfc3339};

/// Take somebody out of a contest without blame, or let somebody back in
///
/// His entries play no more from the next round on; games that are played count. For example:
/// sandboard contest withdraw autumn "Ann Lee" --reason "at her own wish"
#[derive(clap::Args, Debug)]
pub struct WithdrawArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name
    #[arg(value_name = "NAME")]
    name: String,
    /// Why; everybody who looks at the contest is told
    #[arg(long, default_value = "")]
    reason: String,
    /// Let him back in
    #[arg(long)]
    back: bool,
}

/// Take somebody out of a contest for a reason
///
/// He is out of the standings as well. For example: sandboard contest disqualify autumn Bob --reason "a copy of entry 7"
#[derive(clap::Args, Debug)]
pub struct DisqualifyArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name
    #[arg(value_name = "NAME")]
    name: String,
    /// Why; everybody who looks at the contest is told
    #[arg(long)]
    reason: String,
}

/// Have a contest take entries until another date, or no more from now on
///
/// For example: sandboard contest close autumn --at 2026-12-24T18:00:00Z
#[derive(clap::Args, Debug)]
pub struct CloseArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The moment, with its zone [default: now]
    #[arg(long, value_name = "DATE")]
    at: Option<String>,
}

/// Have an entry tried again, or the final played again
///
/// An entry that may play does so meanwhile. A final that is played again is another one, with a seed of its own out of the
/// contest's; what was played before is kept. For example: sandboard contest rerun autumn --entry 7
#[derive(clap::Args, Debug)]
pub struct RerunArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The number of the entry
    #[arg(long, value_name = "N", required_unless_present = "final_again")]
    entry: Option<i64>,
    /// The final
    #[arg(long = "final", conflicts_with = "entry")]
    final_again: bool,
}

/// Takes somebody out, or back in.
pub fn withdraw(args: &WithdrawArgs) -> Result<()> {
    let status = if args.back { Status::In } else { Status::Withdrawn };
    set(&args.dir, &args.name, status, &args.reason)
}

/// Takes somebody out for a reason.
pub fn disqualify(args: &DisqualifyArgs) -> Result<()> {
    set(&args.dir, &args.name, Status::Disqualified, &args.reason)
}

fn set(dir: &std::path::Path, name: &str, status: Status, reason: &str) -> Result<()> {
    let folder = ContestFolder::open(dir)?;
    folder.block_on(desk(&folder).set_status(name, status, reason)).map_err(shown)?;
    println!("{name} is {}", crate::contest::desk::word(status));
    Ok(())
}

/// Changes the date.
pub fn close(args: &CloseArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let at = match &args.at {
        None => SystemTime::now(),
        Some(text) => of_date(text).ok_or_else(|| {
            usage(format!("--at: `{text}` is no moment; write it as 2026-12-01T18:00:00Z"))
        })?,
    };
    folder.block_on(desk(&folder).set_closes(at)).map_err(shown)?;
    println!("entries are taken until {}", rfc3339(at));
    Ok(())
}

/// Has something done again.
pub fn rerun(args: &RerunArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    if let Some(number) = args.entry {
        let entry = folder.block_on(desk(&folder).try_again(number)).map_err(shown)?;
        println!("entry {number} of {} is tried again", entry.entrant);
        return Ok(());
    }
    let named = folder.wait(folder.store().paper(FINAL_PAPER))?;
    let Some(named) = named.filter(|name| OpenFolder::is_one(&args.dir.join(name))) else {
        bail!("no final of this contest was played yet");
    };
    if folder.is_run() {
        bail!("the contest is being run: stop that first (Ctrl-C), then say this again");
    }
    let mut names = (2_u32..).map(|number| format!("{FINAL_PAPER}-{number}"));
    let next = names.find(|name| !args.dir.join(name).exists()).unwrap_or_default();
    let text = format!("the final is played again: {next} takes the place of {named}");
    let paper = |name: &str, text: &str| Write::Paper { name: name.into(), text: text.into() };
    let act = Write::Act(Act { at_ms: now_ms(), text: text.clone() });
    let writes = [act, paper(FINAL_PAPER, &next), paper(OVER_PAPER, "")];
    folder.wait(folder.store().commit(&writes))?;
    println!("{text}");
    Ok(())
}
