//! `contest create`, `add-entrant`: creates a contest and adds entrants. Decides nothing itself.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;

use super::{house, read_contest, service, shown};
use crate::engines::{EngineArgs, shell_word};
use crate::output::{error_line, out_line};
use crate::{known_games, usage};
use sandboard_arena::database::{DatabaseLocation, LocationArgument};
use sandboard_arena::read_openings;
use sandboard_contest::ContestFolder;

/// Create a contest from its file
///
/// Prints the organiser's token, which is shown once and not stored, and the commitment: a hash of
/// the contest file, its openings, and the seed of everything random in the contest. Publish it
/// before the first entry; `sandboard verify --bundle FILE --commitment HASH` compares with it. For
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
    /// The engines folder with the house engines [default: the same as for other commands]
    #[arg(long, value_name = "DIR")]
    engines_dir: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Add an entrant to a contest, or give an entrant a new token
///
/// Prints the entrant's token, which is shown once and not stored. The name of an existing entrant
/// is refused; with --new-token, a new token replaces the entrant's previous one. For example:
/// sandboard contest add-entrant autumn "Ann Lee"
#[derive(clap::Args, Debug)]
pub(super) struct AddEntrantArgs {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The entrant's name, as shown in records and results
    #[arg(value_name = "NAME")]
    name: String,
    /// Give an existing entrant a new token; the previous one becomes invalid
    #[arg(long)]
    new_token: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Creates a contest.
pub(super) fn create(args: &CreateArgs) -> Result<()> {
    let (text, contest) = read_contest(&args.file)?;
    if !contest.house.is_empty() {
        let engines_dir = args.engines_dir.clone();
        let engines = EngineArgs { engines_dir, ..EngineArgs::default() };
        let dir = engines.folder()?;
        let catalog = engines.catalog(&dir)?;
        house::check(&catalog, &dir, &contest)
            .map_err(|error| usage(format!("{}: {error}", args.file.display())))?;
    }
    let openings = contest.openings.as_ref().map(|name| args.file.with_file_name(name));
    let openings = openings.map(|file| read_openings(&file, contest.game, &contest.variant));
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
    let (folder, token) =
        ContestFolder::create(&args.dir, database.as_ref(), &text, openings, &known_games())?;
    let commitment = folder.founding().commitment();
    if args.json {
        out_line!("{}", json!({ "dir": args.dir, "token": token, "commitment": commitment }));
        return Ok(());
    }
    let dir = shell_word(&args.dir.to_string_lossy());
    out_line!("created {}: {}", contest.name, args.dir.display());
    out_line!("organiser's token   {token}");
    out_line!("commitment          {commitment}");
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
    let folder = ContestFolder::open(&args.dir, &known_games())?;
    let service = service(&folder);
    let token = match args.new_token {
        true => folder.block_on(service.renew_token(&args.name)),
        false => folder.block_on(service.admit(&args.name)),
    };
    let token = token.map_err(shown)?;
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
