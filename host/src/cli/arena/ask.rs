//! What is asked of an arena that another process plays, or will play: it is written into its store, and answered by
//! whoever plays.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::arena::store::Answer;
use crate::arena::{OpenFolder, Request};
use crate::budget::Budget;
use crate::cli::seat::SeatSpec;

/// How long whoever plays may take to answer: an engine that joins is compiled first.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often the answer is looked for.
const EVERY: Duration = Duration::from_millis(100);

/// Let an engine join an arena that is being played, from the next round on
///
/// For example: sandboard arena join DIR delta:depth=4 --budget 100ms/move
#[derive(clap::Args, Debug)]
pub struct JoinArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The engine, from the engines folder of whoever plays: `id:option=value:threads=2@5s/move`
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// What it may spend, where it does not say so itself [default: 1s/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// What is known of its strength, in Elo
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    rating: i32,
}

/// Let a player leave an arena: its pairs that were not begun fall out
///
/// For example: sandboard arena withdraw DIR delta
#[derive(clap::Args, Debug)]
pub struct WithdrawArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The player's name
    #[arg(value_name = "NAME")]
    player: String,
}

/// Have a tournament be over with the pairs that were begun, for good: a ladder, say
///
/// For example: sandboard arena end DIR
#[derive(clap::Args, Debug)]
pub struct EndArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Have whoever plays an arena finish the games in play and stop
///
/// For example: sandboard arena stop DIR
#[derive(clap::Args, Debug)]
pub struct StopArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// `sandboard arena join`.
pub fn join(args: &JoinArgs) -> Result<()> {
    // What is no engine's name is said at once.
    args.engine.parse::<SeatSpec>().map_err(crate::cli::usage)?.engine()?;
    let budget = args.budget.map(|budget| budget.to_string());
    ask(&args.dir, &Request::Join { engine: args.engine.clone(), budget, rating: args.rating })
}

/// `sandboard arena end`.
pub fn end(args: &EndArgs) -> Result<()> {
    ask(&args.dir, &Request::End)
}

/// `sandboard arena withdraw`.
pub fn withdraw(args: &WithdrawArgs) -> Result<()> {
    ask(&args.dir, &Request::Withdraw { player: args.player.clone() })
}

/// `sandboard arena stop`.
pub fn stop(args: &StopArgs) -> Result<()> {
    if OpenFolder::is_one(&args.dir) && !OpenFolder::look(&args.dir)?.is_played() {
        println!("nobody plays it");
        return Ok(());
    }
    ask(&args.dir, &Request::Stop)
}

fn ask(dir: &Path, request: &Request) -> Result<()> {
    let (folder, number) = OpenFolder::ask(dir, &serde_json::to_string(request)?)?;
    let until = Instant::now() + PATIENCE;
    loop {
        // In this order: whoever answered may be gone at once.
        let is_played = folder.is_played();
        match folder.wait(folder.reader().answer(number))? {
            Some(Answer { done: true, text }) => {
                println!("{text}");
                return Ok(());
            }
            Some(Answer { done: false, text }) => bail!("{text}"),
            None if !is_played => break,
            None if Instant::now() > until => {
                bail!("whoever plays it has not answered within a minute")
            }
            None => std::thread::sleep(EVERY),
        }
    }
    println!("nobody plays it now; it is done when somebody goes on with it");
    Ok(())
}
