//! `contest create`, `add-entrant`: creates a contest and adds entrants. Decides nothing itself.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use super::{read_contest, service, shown};
use crate::engines::shell_word;
use crate::output::{error_line, out_line};
use crate::usage;
use sandboard_arena::Openings;
use sandboard_arena::database::{DatabaseLocation, LocationArgument};
use sandboard_contest::{ContestFolder, seed_commitment};

/// Create a contest from its file
///
/// Prints the organiser's token, which is shown once and not stored, and the seed commitment: the
/// hash of the seed of everything random in the contest. Publish it before the first entry. For
/// example: sandboard contest create autumn.toml --dir autumn
#[derive(clap::Args, Debug)]
pub(super) struct CreateArgs {
    /// The contest file (docs/contests.md)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The folder to create for it
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Store entrants and entries in this database, postgres://USER@HOST/DATABASE, instead of a
    /// file in the folder
    #[arg(long, value_name = "URL")]
    store: Option<LocationArgument>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Add an entrant to a contest, or give an entrant a new token
///
/// Prints the entrant's token, which is shown once and not stored; a new token replaces the
/// previous one. For example: sandboard contest add-entrant autumn "Ann Lee"
#[derive(clap::Args, Debug)]
pub(super) struct AddEntrantArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name, as shown in records and results
    #[arg(value_name = "NAME")]
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Creates a contest.
pub(super) fn create(args: &CreateArgs) -> Result<()> {
    let (text, contest) = read_contest(&args.file)?;
    let openings = contest.openings.as_ref().map(|name| args.file.with_file_name(name));
    let openings = openings.map(|file| Openings::read(&file, contest.game, &contest.variant));
    let openings = openings.transpose().map_err(usage)?.map(|openings| openings.bytes);
    let database = match args
        .store
        .as_ref()
        .map(LocationArgument::location)
        .transpose()
        .map_err(usage)?
    {
        None => None,
        Some(DatabaseLocation::Server(url)) => Some(url),
        Some(DatabaseLocation::File(_)) => {
            return Err(usage(
                "--store needs the URL of a database, postgres://USER@HOST/DATABASE; to choose a \
                 folder, use --dir",
            ));
        }
    };
    let (folder, token) = ContestFolder::create(&args.dir, database.as_ref(), &text, openings)?;
    let commitment = seed_commitment::commitment(&folder.founding().seed);
    if args.json {
        out_line!("{}", json!({ "dir": args.dir, "token": token, "commitment": commitment }));
        return Ok(());
    }
    let dir = shell_word(&args.dir.to_string_lossy());
    out_line!("created {}: {}", contest.name, args.dir.display());
    out_line!("organiser's token   {token}");
    out_line!("seed commitment     {commitment}");
    out_line!(
        "\nKeep the token: it is not shown again. Publish the commitment before the first entry. Then:"
    );
    out_line!("  sandboard contest add-entrant {dir} NAME   # adds an entrant");
    out_line!("  sandboard contest run {dir}                # tests entries and plays the games");
    out_line!("  sandboard contest show {dir}               # shows the state of the contest");
    Ok(())
}

/// Adds an entrant.
pub(super) fn add_entrant(args: &AddEntrantArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let token = folder.block_on(service(&folder).admit(&args.name)).map_err(shown)?;
    if args.json {
        out_line!("{}", json!({ "name": args.name, "token": token }));
        return Ok(());
    }
    out_line!("{token}");
    error_line!(
        "note: this is the token of {}; it is not shown again, so send it to the entrant now",
        args.name
    );
    Ok(())
}
