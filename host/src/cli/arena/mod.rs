//! `sandboard arena`: what was typed, and which part of it does the work. Plays nothing itself.

mod ask;
mod begin;
mod bundle;
#[cfg(feature = "nats")]
mod nats;
mod notes;
mod openings;
mod play;
mod players;
mod previous;
mod schedule;
mod show;
mod sprt;

use std::path::PathBuf;

use anyhow::Result;

pub use begin::usual_folder;
pub use bundle::{modules_of, tell as tell_bundle};
pub use notes::{of_players, repeated};
pub use play::view_of;
pub use players::{common_game, contestant, contestant_again, sized};

use super::engines::EngineArgs;
use super::ponder::MatchPonder;
use super::seat::SeatSpec;
use super::usage;
use crate::arena::CONCURRENCY_MAX;
use crate::budget::Budget;
use crate::database::TypedPlace;
use crate::referee::Adjudication;
use sprt::SprtArg;

const EXAMPLES: &str = "\
An arena is a folder with one file, arena.db, which holds every game; it can be killed at any moment and gone on with.
With --store the games are in a database of PostgreSQL, and the folder says where.
While one is played, others may look at it (`arena show DIR`, `sandboard serve`) and ask of it (`arena join`).

Examples:
  sandboard arena match alpha beta --pairs 100 --budget 100ms/move
  sandboard arena match alpha:depth=4 alpha:depth=5 --sprt 0,10 --openings book.txt
  sandboard arena round-robin alpha beta gamma --folds 10 --budget fuel:1e8/move
  sandboard arena swiss alpha beta gamma delta --rounds 5
  sandboard arena --against-previous alpha --openings book.txt --budget 100ms/move
  sandboard arena match alpha beta --pairs 100 --store postgres://club@localhost/arenas
  sandboard arena match alpha beta --pairs 1000 --budget fuel:1e8/move --nats nats://broker:4222
  sandboard arena --resume ~/.local/share/sandboard/arena/alpha-beta-20260701-123456
  sandboard arena show ~/.local/share/sandboard/arena/alpha-beta-20260701-123456";

/// Play many games between engines: matches, tournaments, ladders
///
/// For example: sandboard arena match alpha beta --pairs 100
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct ArenaArgs {
    #[command(subcommand)]
    command: Option<ArenaCommand>,
    /// Go on with the arena in this folder, as it was begun; beside it --concurrency, --json and where engines are
    #[arg(long, value_name = "DIR", conflicts_with_all = BEGINS)]
    resume: Option<PathBuf>,
    /// Let the build of an engine that is on hand play against the one before it, until a sequential test has decided
    /// (--sprt, 0,10 unless told). Builds are kept by their hashes when they are asked about here
    #[arg(long, value_name = "ENGINE")]
    against_previous: Option<SeatSpec>,
    /// With --against-previous: the test, `ELO0,ELO1[,alpha=0.05][,beta=0.05][,logistic]`
    #[arg(long, value_name = "TEST", requires = "against_previous", allow_hyphen_values = true)]
    sprt: Option<SprtArg>,
    #[command(flatten)]
    begin: BeginArgs,
}

/// What an arena is begun with, and does not change when it is gone on with.
const BEGINS: [&str; 12] = [
    "against_previous",
    "openings",
    "game",
    "variant",
    "budget",
    "seed",
    "ratings",
    "plies_max",
    "adjudicate",
    "ponder",
    "dir",
    "store",
];

#[derive(clap::Subcommand, Debug)]
enum ArenaCommand {
    Match(Box<schedule::MatchArgs>),
    Gauntlet(Box<schedule::GauntletArgs>),
    RoundRobin(Box<schedule::RoundRobinArgs>),
    /// Let everybody play two pairs against everybody
    ///
    /// For example: sandboard arena double-round-robin alpha beta gamma
    DoubleRoundRobin(Box<schedule::RoundRobinArgs>),
    Swiss(Box<schedule::SwissArgs>),
    Knockout(Box<schedule::KnockoutArgs>),
    Ladder(Box<schedule::LadderArgs>),
    List(show::ListArgs),
    Show(show::ShowArgs),
    Games(show::GamesArgs),
    Game(show::GameArgs),
    Join(ask::JoinArgs),
    Withdraw(ask::WithdrawArgs),
    Stop(ask::StopArgs),
    End(ask::EndArgs),
    Bundle(bundle::Args),
    Openings(Box<openings::Args>),
}

/// How an arena is played, be it begun or gone on with.
#[derive(clap::Args, Debug)]
pub struct PlayArgs {
    /// Games played at once [default: one for each core; fewer where a game keeps several busy,
    /// with --ponder or `threads`]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    #[cfg(feature = "nats")]
    #[command(flatten)]
    nats: nats::NatsArgs,
    /// Print JSON lines: each game when it is kept, and everything at the end
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// What an arena is begun with, whatever its format.
#[derive(clap::Args, Debug)]
pub struct BeginArgs {
    /// A file of openings: on each line moves from the start position, or a position; `#`
    /// begins a comment. Pairs take them in turn [default: the start position; of a game that
    /// begins by chance a deal for each opening, from the seed]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The game [default: the only one that all play]
    #[arg(long)]
    game: Option<String>,
    /// The variant [default: the game's first]
    #[arg(long)]
    variant: Option<String>,
    /// What each may spend, where it does not say so itself [default: 1s/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// What all randomness is drawn from [default: drawn]
    #[arg(long)]
    seed: Option<u64>,
    /// What is known of the players' strength, in Elo, in their order: the seeding of a knockout and of a Swiss
    /// system, where a ladder begins
    #[arg(long, value_name = "ELO,…", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(i32).range(-10_000..=10_000))]
    ratings: Vec<i32>,
    /// End games early: `win=SCORE/PLIES` when both engines see one side ahead by so much for so many plies,
    /// `draw=SCORE/PLIES@AFTER` when both see neither ahead, `exact=LEFT` by perfect play when so little is left
    /// (empty squares of reversi, tricks of bridge); several joined by commas [default: never]
    #[arg(long, value_name = "RULES")]
    adjudicate: Option<Adjudication>,
    /// After so many moves a game is a draw [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    plies_max: Option<u32>,
    /// Who thinks on the opponent's time: nobody (`off`), all (`on`, or --ponder alone), one of
    /// the players of a match (`a`, `b`), or all where there is a core for each engine of all games at once
    /// (`auto`); not under fuel [default: off, since games of an arena share the cores]
    #[arg(long, value_enum, value_name = "WHO", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "on")]
    ponder: Option<MatchPonder>,
    /// The folder of the arena [default: `arena/NAMES-DATE` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Keep everything in a database of PostgreSQL, `postgres://USER@HOST/DATABASE`, which may hold many arenas; the folder
    /// then names it, without a password, which is looked for in $PGPASSWORD and ~/.pgpass [default: a file in the folder]
    #[arg(long, value_name = "URL")]
    store: Option<TypedPlace>,
    #[command(flatten)]
    play: PlayArgs,
}

/// Runs the command.
pub fn run(args: &ArenaArgs) -> Result<()> {
    match (&args.command, &args.resume) {
        (Some(command), _) => run_command(command),
        (None, Some(dir)) => play::go_on(dir, &args.begin.play),
        (None, None) if let Some(spec) = &args.against_previous => {
            previous::run(spec, args.sprt, &args.begin)
        }
        (None, None) => Err(usage(
            "say what to play (`arena match A B --pairs 10`), or go on with --resume DIR",
        )),
    }
}

fn run_command(command: &ArenaCommand) -> Result<()> {
    match command {
        ArenaCommand::Match(args) => args.run(),
        ArenaCommand::Gauntlet(args) => args.run(),
        ArenaCommand::RoundRobin(args) => args.run(false),
        ArenaCommand::DoubleRoundRobin(args) => args.run(true),
        ArenaCommand::Swiss(args) => args.run(),
        ArenaCommand::Knockout(args) => args.run(),
        ArenaCommand::Ladder(args) => args.run(),
        ArenaCommand::List(args) => show::list(args),
        ArenaCommand::Show(args) => show::show(args),
        ArenaCommand::Games(args) => show::games(args),
        ArenaCommand::Game(args) => show::game(args),
        ArenaCommand::Join(args) => ask::join(args),
        ArenaCommand::Withdraw(args) => ask::withdraw(args),
        ArenaCommand::Stop(args) => ask::stop(args),
        ArenaCommand::End(args) => ask::end(args),
        ArenaCommand::Bundle(args) => bundle::run(args),
        ArenaCommand::Openings(args) => openings::run(args),
    }
}
