//! `sandboard contest export`: what a contest keeps leaves its folder. Decides nothing itself.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use crate::contest::ContestFolder;
use crate::contest::export::Exported;
use crate::counted;

/// Write all that a contest keeps into files: entries, reports, records, what was done
///
/// It is for the organiser: it has everybody's entries. No token is in it, and the seed only when all is played. For example:
/// sandboard contest export autumn -o autumn-files
#[derive(clap::Args, Debug)]
pub struct ExportArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The folder that is made
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object: `dir`, `entries`, `trials`, `games`
    #[arg(long)]
    json: bool,
}

/// Writes everything into files.
pub fn export(args: &ExportArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let exported = crate::contest::export::export(&folder, &args.out)?;
    let Exported { entries, trials, games } = exported;
    if args.json {
        let dir = args.out.to_string_lossy();
        println!("{}", json!({ "dir": dir, "entries": entries, "trials": trials, "games": games }));
        return Ok(());
    }
    let [trials, games] = [counted(trials, "unrated bout"), counted(games, "game")];
    println!("{}: entries {entries}, {trials}, {games}", args.out.display());
    Ok(())
}
