//! `arena join`, `withdraw`, `finish`, `stop`: sends a request to an arena. The request is written
//! into the arena's store; the process that plays the arena answers it there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::output::out_line;
use crate::seat::SeatSpec;
use sandboard_arena::store::RequestAnswer;
use sandboard_arena::{OpenFolder, Request};
use sandboard_engine::Budget;

/// The time limit for an answer: the engine of a `join` is compiled first.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The interval at which the store is polled for the answer.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Add an engine to an arena in progress, from the next round on
///
/// For example: sandboard arena join DIR delta:depth=4 --budget 100ms/move
#[derive(clap::Args, Debug)]
pub(super) struct JoinArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The engine, from the engines folder of the process that plays the arena:
    /// `id:option=value:threads=2@5s/move`
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// The engine's budget, unless ENGINE has its own [default: 1s/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// The engine's known strength in Elo
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    rating: i32,
}

/// Remove a player from an arena; its pairs that have not started are cancelled
///
/// For example: sandboard arena withdraw DIR delta
#[derive(clap::Args, Debug)]
pub(super) struct WithdrawArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The player's name
    #[arg(value_name = "NAME")]
    player: String,
}

/// Finish a tournament for good: no further pair starts; for example, to finish a ladder
///
/// For example: sandboard arena finish DIR
#[derive(clap::Args, Debug)]
pub(super) struct FinishArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Stop the process that plays an arena, after the games in progress; it can be resumed
///
/// For example: sandboard arena stop DIR
#[derive(clap::Args, Debug)]
pub(super) struct StopArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// `sandboard arena join`.
pub(super) fn join(args: &JoinArgs) -> Result<()> {
    // A malformed engine argument is refused before the request is stored.
    args.engine.parse::<SeatSpec>().map_err(crate::usage)?.engine()?;
    let budget = args.budget.map(|budget| budget.to_string());
    send(&args.dir, &Request::Join { engine: args.engine.clone(), budget, rating: args.rating })
}

/// `sandboard arena finish`.
pub(super) fn finish(args: &FinishArgs) -> Result<()> {
    send(&args.dir, &Request::Finish)
}

/// `sandboard arena withdraw`.
pub(super) fn withdraw(args: &WithdrawArgs) -> Result<()> {
    send(&args.dir, &Request::Withdraw { player: args.player.clone() })
}

/// `sandboard arena stop`.
pub(super) fn stop(args: &StopArgs) -> Result<()> {
    if OpenFolder::holds_arena(&args.dir) && !OpenFolder::open_to_read(&args.dir)?.is_running() {
        out_line!("the arena is not being played");
        return Ok(());
    }
    send(&args.dir, &Request::Stop)
}

fn send(dir: &Path, request: &Request) -> Result<()> {
    let (folder, number) = OpenFolder::send_request(dir, &serde_json::to_string(request)?)?;
    let until = Instant::now() + ANSWER_TIMEOUT;
    loop {
        // Checked before the answer is read: the playing process may end right after it answers.
        let is_running = folder.is_running();
        match folder.wait(folder.reader().answer(number))? {
            Some(RequestAnswer { done: true, text }) => {
                out_line!("{text}");
                return Ok(());
            }
            Some(RequestAnswer { done: false, text }) => bail!("{text}"),
            None if !is_running => break,
            None if Instant::now() > until => {
                bail!(
                    "the process that plays the arena did not answer within {} s",
                    ANSWER_TIMEOUT.as_secs()
                )
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    }
    out_line!("the arena is not being played; the request is carried out when it is resumed");
    Ok(())
}
