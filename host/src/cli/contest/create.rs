//! `sandboard contest create`, `enter`: a contest is made, and people are let in. Decides nothing itself.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use super::{desk, read_contest, shown};
use crate::arena::Openings;
use crate::cli::engines::shell_word;
use crate::cli::usage;
use crate::contest::{ContestFolder, lot};
use crate::database::{Place, TypedPlace};

/// Make a contest of its file
///
/// Prints the organiser's token, which is told once and kept nowhere, and the hash of the seed that all chance of the contest comes
/// from: publish it before anybody submits anything. For example: sandboard contest create autumn.toml --dir autumn
#[derive(clap::Args, Debug)]
pub struct CreateArgs {
    /// The file of the contest (docs/contests.md)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The folder that is made for it
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Keep entrants and entries in this database, postgres://USER@HOST/DATABASE, and not in a file of the folder
    #[arg(long, value_name = "URL")]
    store: Option<TypedPlace>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Let somebody into a contest, or give somebody a new token
///
/// Prints the entrant's token, which is told once and kept nowhere; a new one takes the place of the old one. For example:
/// sandboard contest enter autumn "Ann Lee"
#[derive(clap::Args, Debug)]
pub struct EnterArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name, as it will stand in records and results
    #[arg(value_name = "NAME")]
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Makes a contest.
pub fn create(args: &CreateArgs) -> Result<()> {
    let (text, contest) = read_contest(&args.file)?;
    let openings = contest.openings.as_ref().map(|name| args.file.with_file_name(name));
    let openings = openings.map(|file| Openings::read(&file, contest.game, &contest.variant));
    let openings = openings.transpose().map_err(usage)?.map(|openings| openings.bytes);
    let database = match args.store.as_ref().map(TypedPlace::place).transpose().map_err(usage)? {
        None => None,
        Some(Place::Server(url)) => Some(url),
        Some(Place::File(_)) => {
            return Err(usage(
                "--store takes the URL of a database, postgres://USER@HOST/DATABASE; a file is in the folder that --dir names",
            ));
        }
    };
    let (folder, token) = ContestFolder::create(&args.dir, database.as_ref(), &text, openings)?;
    let commitment = lot::commitment(&folder.founding().seed);
    if args.json {
        println!("{}", json!({ "dir": args.dir, "token": token, "commitment": commitment }));
        return Ok(());
    }
    let dir = shell_word(&args.dir.to_string_lossy());
    println!("{} is made: {}", contest.name, args.dir.display());
    println!("organiser's token   {token}");
    println!("hash of the seed    {commitment}");
    println!(
        "\nKeep the token: it is told this once. Publish the hash before the first entry. Then:"
    );
    println!("  sandboard contest enter {dir} NAME    lets somebody in");
    println!("  sandboard contest run {dir}           tries entries and plays the games");
    println!("  sandboard contest show {dir}          says how it stands");
    Ok(())
}

/// Lets somebody in.
pub fn enter(args: &EnterArgs) -> Result<()> {
    let folder = ContestFolder::open(&args.dir)?;
    let token = folder.block_on(desk(&folder).let_in(&args.name)).map_err(shown)?;
    if args.json {
        println!("{}", json!({ "name": args.name, "token": token }));
        return Ok(());
    }
    println!("{token}");
    eprintln!(
        "note: this is the token of {}: it is told this once, to be handed on by you alone",
        args.name
    );
    Ok(())
}
