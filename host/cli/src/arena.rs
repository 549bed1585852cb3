//! `sandboard arena`: its arguments, and the module that runs each subcommand. Plays nothing
//! itself.

mod bundle;
mod compare;
mod config;
mod create;
mod export;
mod extension;
mod for_server;
mod foreign;
mod import;
#[cfg(feature = "nats")]
mod nats;
mod notes;
mod opening_args;
mod openings;
mod openings_report;
mod play;
mod players;
mod previous;
mod programs;
mod request;
mod schedule;
mod show;
mod sprt;
mod time_control;

use std::path::PathBuf;

use anyhow::Result;

pub(crate) use bundle::{modules_of, print_written};
pub(crate) use config::expand as expand_config;
pub(crate) use create::{
    ArenaParts, check_rounds, default_folder, default_settings, new_setup, unused_dir,
};
pub(crate) use foreign::hint as foreign_hint;
#[cfg(feature = "tune")]
pub(crate) use notes::{player_notes, repeated_openings};
pub(crate) use play::view_of;
#[cfg(feature = "tune")]
pub(crate) use players::{common_game, load_contestant};
pub(crate) use players::{contestant, contestant_of, make_names_unique, sized};

use super::engines::{EngineArgs, TimeArg};
use super::ponder::MatchPonder;
use super::seat::SeatSpec;
use super::usage;
use sandboard_arena::CONCURRENCY_MAX;
use sandboard_arena::database::LocationArgument;
use sandboard_bout::referee::Adjudication;
use sandboard_engine::{Budget, HOST_OPTIONS};
use sprt::SprtArg;

const EXAMPLES: &str = "\
An arena is a folder with one file, arena.db, which stores every game. The process may be killed at
any moment; --resume continues the arena. With --store the games are in a PostgreSQL database, and
the folder refers to it. While an arena is played, other commands can show it (`arena show DIR`,
`sandboard serve`) and send it requests (`arena join DIR ENGINE`).

Examples:
  sandboard arena match alpha beta --pairs 100 --budget 100ms/move
  sandboard arena match alpha:depth=4 alpha:depth=5 --sprt 0,10 --openings book.txt
  sandboard arena round-robin alpha beta gamma --cycles 10 --budget fuel:1e8/move
  sandboard arena swiss alpha beta gamma delta --rounds 5
  sandboard arena --against-previous alpha --openings book.txt --budget 100ms/move
  sandboard arena match alpha beta --pairs 100 --store postgres://club@localhost/arenas
  sandboard arena match alpha beta --pairs 1000 --budget fuel:1e8/move --nats nats://broker:4222
  sandboard arena match --engine cmd=./new,option.Hash=16 --engine cmd=./old,option.Hash=16 \
      --game chess --trust-programs --openings book.epd --budget 10s+100ms --sprt 0,5
  sandboard arena compare my-engine main . --budget fuel:1e8/move
  sandboard arena --config tournament.toml
  sandboard arena --resume ~/.local/share/sandboard/arena/alpha-beta-20260701-123456
  sandboard arena show ~/.local/share/sandboard/arena/alpha-beta-20260701-123456";

/// Play many games between engines: matches, tournaments, ladders
///
/// For example: sandboard arena match alpha beta --pairs 100
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct ArenaArgs {
    #[command(subcommand)]
    command: Option<ArenaCommand>,
    /// Play the tournament of a TOML file: `format = "match"`, `players = ["a", "b"]`, and every
    /// option under its name, such as `pairs = 100`. Options of the command line replace those of
    /// the file. `arena config DIR` writes such a file, `arena import` translates commands of
    /// fastchess and cutechess-cli
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Continue the arena in this folder with its own setup; only --concurrency, --nats, --json,
    /// --table-every, --export, --dialogue, --trust-programs and the options of engines may be
    /// given
    #[arg(long, value_name = "DIR", conflicts_with_all = FIXED_ARGS)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    extension: extension::ExtensionArgs,
    /// Test the current build of an engine against the previous one, until a sequential test (SPRT)
    /// has decided [default test: --sprt 0,10]. Each use of this option keeps a copy of the current
    /// build
    #[arg(long, value_name = "ENGINE")]
    against_previous: Option<SeatSpec>,
    /// With --against-previous: the bounds of the test,
    /// `ELO0,ELO1[,alpha=0.05][,beta=0.05][,logistic]`
    #[arg(long, value_name = "TEST", requires = "against_previous", allow_hyphen_values = true)]
    sprt: Option<SprtArg>,
    #[command(flatten)]
    create: CreateArgs,
}

/// The arguments that are fixed when an arena is created; they conflict with --resume.
const FIXED_ARGS: [&str; 20] = [
    "against_previous",
    "openings",
    "opening_order",
    "opening_start",
    "opening_plies",
    "opening_random",
    "programs",
    "options",
    "grace",
    "game",
    "variant",
    "budget",
    "seed",
    "ratings",
    "plies_max",
    "adjudicate",
    "move_guard",
    "ponder",
    "dir",
    "store",
];

#[derive(clap::Subcommand, Debug)]
enum ArenaCommand {
    Match(Box<schedule::MatchArgs>),
    Gauntlet(Box<schedule::GauntletArgs>),
    RoundRobin(Box<schedule::RoundRobinArgs>),
    /// Play a round robin with two pairs of each two players
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
    Join(request::JoinArgs),
    Withdraw(request::WithdrawArgs),
    Stop(request::StopArgs),
    Finish(request::FinishArgs),
    Compare(Box<compare::CompareArgs>),
    Config(config::ConfigArgs),
    Import(import::ImportArgs),
    Bundle(bundle::Args),
    Openings(Box<openings::Args>),
}

/// Arguments of playing an arena, whether it is new or resumed.
#[derive(clap::Args, Debug)]
pub(crate) struct PlayArgs {
    /// The number of games played at once [default: one for each core; fewer if a game keeps
    /// several cores busy, with --ponder or `threads`]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=CONCURRENCY_MAX as i64))]
    concurrency: Option<u16>,
    #[cfg(feature = "nats")]
    #[command(flatten)]
    nats: nats::NatsArgs,
    #[cfg(not(feature = "nats"))]
    #[command(flatten)]
    _nats: crate::not_built::NatsArgs,
    /// Print JSON lines: one for each game, and the final results at the end
    #[arg(long)]
    json: bool,
    /// Print progress and standings after every N games on standard error, also when that is no
    /// terminal: for logs [default: only on a terminal, redrawn in place]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    table_every: Option<u64>,
    /// Write the games into a file while they are played, with evaluations, depths and times where
    /// the format has comments: in a format of the game that holds several games, by the extension
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Write what the host and programs by text protocols send each other: one file for each game,
    /// in `dialogue` in the arena's folder
    #[arg(long)]
    dialogue: bool,
    /// Trust the programs of --engine, by the SHA-256 of their files, while this arena is played.
    /// They run in jails
    #[arg(long)]
    trust_programs: bool,
    /// Play for a server: at a low priority, and only as long as standard input is open
    #[arg(long, hide = true)]
    for_server: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Arguments of a new arena, for every format.
#[derive(clap::Args, Debug)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    programs: programs::ProgramArgs,
    /// An option of all players that do not set it themselves: `hash=64`. May be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = common_option)]
    options: Vec<(String, String)>,
    #[command(flatten)]
    openings: opening_args::OpeningArgs,
    /// The game [default: the only game that all players support]
    #[arg(long)]
    game: Option<String>,
    /// The variant [default: the game's first]
    #[arg(long)]
    variant: Option<String>,
    /// The budget of players without their own [default: 1s/move]
    #[arg(long)]
    budget: Option<Budget>,
    /// The seed of everything random in the arena [default: a random one]
    #[arg(long)]
    seed: Option<u64>,
    /// The known strengths of the players in Elo, in their order: seeds a knockout and a Swiss
    /// system, and gives the initial order of a ladder
    #[arg(long, value_name = "ELO,…", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(i32).range(-10_000..=10_000))]
    ratings: Vec<i32>,
    /// End games early. `win=SCORE/PLIES`: both engines see one side ahead by SCORE or more for
    /// PLIES plies. `resign=SCORE/MOVES`: one engine sees itself behind by SCORE or more in MOVES
    /// of its own moves. `draw=SCORE/PLIES@AFTER`: neither sees an advantage of more than SCORE,
    /// after ply AFTER. `solver=LEFT`: the game ends with the result of perfect play when at most
    /// LEFT empty squares (reversi) or tricks (bridge) are left. Join several rules with commas
    /// [default: never]
    #[arg(long, value_name = "RULES")]
    adjudicate: Option<Adjudication>,
    /// The ply limit: a longer game is a draw [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    plies_max: Option<u32>,
    /// How long an engine may think about a move without a limit of time or fuel, such as under
    /// `depth:8`: `30s`, `10m`, … Then it is stopped and loses, unless a busy machine kept it from
    /// working [default: 10m]
    #[arg(long, value_name = "TIME")]
    move_guard: Option<TimeArg>,
    /// How far a move may exceed its time before the player loses; the time is charged all the
    /// same. Up to 60s [default: 50ms]
    #[arg(long, value_name = "TIME", value_parser = grace)]
    grace: Option<u64>,
    /// The players that think on the opponent's time: none (`off`), all (`on`, or --ponder alone),
    /// one of the players of a match (`a`, `b`), or all if every engine of all games at once has a
    /// core (`auto`); not possible on fuel [default: off, since games of an arena share the cores]
    #[arg(long, value_enum, value_name = "PLAYERS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "on")]
    ponder: Option<MatchPonder>,
    /// The folder of the arena [default: `arena/NAMES-DATE` in the user's data folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Store everything in a PostgreSQL database, `postgres://USER@HOST/DATABASE`, which may hold
    /// many arenas. The folder stores this URL without the password, which is read from ~/.pgpass,
    /// or from $PGPASSWORD if $PGHOST is the host [default: a file in the folder]
    #[arg(long, value_name = "URL")]
    store: Option<LocationArgument>,
    #[command(flatten)]
    play: PlayArgs,
}

/// The longest grace, in microseconds.
const GRACE_US_MAX: u64 = 60_000_000;

/// Parses a grace, in microseconds.
fn grace(text: &str) -> Result<u64, String> {
    let us = match text {
        "0" | "0ms" | "0s" => 0,
        text => text.parse::<TimeArg>()?.us,
    };
    match us <= GRACE_US_MAX {
        true => Ok(us),
        false => Err(format!("`{text}` is more than 60s")),
    }
}

/// Parses an option of all players. Err: it is one of the host's, which each player has for itself.
fn common_option(text: &str) -> Result<(String, String), String> {
    let (name, value) = crate::program::option_value(text)?;
    match HOST_OPTIONS.contains(&name.as_str()) {
        true => {
            Err(format!("`{name}` belongs to each player: write it behind the player, `a:{text}`"))
        }
        false => Ok((name, value)),
    }
}

/// Runs the command.
pub(crate) fn run(args: &ArenaArgs) -> Result<()> {
    if args.config.is_some() {
        return Err(usage("--config comes first: sandboard arena --config FILE"));
    }
    match (&args.command, &args.resume) {
        (Some(command), _) => run_command(command),
        (None, Some(dir)) => play::resume(dir, &args.create.play, &args.extension),
        (None, None) if let Some(spec) = &args.against_previous => {
            previous::run(spec, args.sprt, &args.create)
        }
        (None, None) => Err(usage(
            "no subcommand: play an arena (`arena match A B --pairs 10`), or continue one with \
             --resume DIR",
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
        ArenaCommand::Join(args) => request::join(args),
        ArenaCommand::Withdraw(args) => request::withdraw(args),
        ArenaCommand::Stop(args) => request::stop(args),
        ArenaCommand::Finish(args) => request::finish(args),
        ArenaCommand::Compare(args) => compare::run(args),
        ArenaCommand::Config(args) => config::run(args),
        ArenaCommand::Import(args) => import::run(args),
        ArenaCommand::Bundle(args) => bundle::run(args),
        ArenaCommand::Openings(args) => openings::run(args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_options() {
        assert_eq!(grace("0"), Ok(0));
        assert_eq!(grace("20ms"), Ok(20_000));
        assert_eq!(grace("60s"), Ok(60_000_000));
        assert_eq!(grace("61s"), Err("`61s` is more than 60s".into()));
        assert!(grace("20").is_err() && grace("-1ms").is_err());
        assert_eq!(common_option("hash=64"), Ok(("hash".into(), "64".into())));
        assert!(common_option("threads=2").unwrap_err().ends_with("`a:threads=2`"));
    }
}
