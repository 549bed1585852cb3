//! `sandboard protocol`: runs an engine as a protocol server on standard input and output, inside
//! another program. Standard output carries only the protocol; everything else goes to
//! standard error.

use std::io::BufReader;

use anyhow::{Context, Result};
use sandboard_abi::Unit;
use sandboard_games::{GameInfo, Games};

use super::engines::{EngineArgs, Engines, check_budget, option_specs};
use super::{SeatSpec, game_named, usage, variant_of};
use crate::output::CleanWriter;
use crate::protocol_server::{EngineInfo, SERVERS, SessionEngine, open_session, run_session};
use sandboard_bout::clock::{Clock, Grace};
use sandboard_common::line_reader::next_line;
use sandboard_engine::Budget;
use sandboard_packs::catalog::Entry;
use sandboard_protocols::{Dialect, Protocol, dialect};

const EXAMPLES: &str = "\
Register `sandboard` with these arguments as an engine in the other program; docs/protocols.md
explains how, for several programs. The protocol presents the engine's options in its own way;
options given here set their initial values.

Examples:
  sandboard protocol gomocup --engine gomoku-alpha
  sandboard protocol uci --engine xiangqi-mt:threads=2
  sandboard protocol uci --engine xiangqi-mt --moves ranks-from-1
  sandboard protocol ucci --engine xiangqi-mt
  sandboard protocol gtp --engine reversi-ponder@10s/move
  sandboard protocol nboard --engine reversi-ponder";

/// Run an engine inside another program, over one of its protocols
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol of the other program
    #[arg(value_name = "PROTOCOL", value_parser = protocol)]
    protocol: Protocol,
    /// The engine's id, optionally with options (`id:option=value`), and the budget of a search
    /// that the other program does not limit [default: @5s/move]
    #[arg(long, value_name = "ENGINE")]
    engine: SeatSpec,
    /// The game's id; optional when the engine plays only one game that the protocol supports
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, unless the other program names one
    #[arg(long)]
    variant: Option<String>,
    /// The notation of moves: `same` as the game's own, or `ranks-from-1`
    #[arg(long, value_name = "NOTATION", default_value = "same", value_parser = notation)]
    moves: Dialect,
    /// The reserve kept from every time limit for communication, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10)]
    overhead_ms: u64,
    /// The engine's seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    engines: EngineArgs,
}

fn protocol(word: &str) -> Result<Protocol, String> {
    let protocols = || SERVERS.iter().map(|server| server.protocol);
    let words = || protocols().map(Protocol::word).collect::<Vec<_>>().join(", ");
    protocols().find(|it| it.word() == word).ok_or_else(|| format!("known protocols: {}", words()))
}

fn notation(word: &str) -> Result<Dialect, String> {
    Dialect::from_word(word)
        .ok_or_else(|| format!("known notations: {}", dialect::WORDS.join(", ")))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let default = args.engine.budget.unwrap_or_else(|| Budget::wall_per_move(5_000_000));
    check_budget(&default)?;
    if default.unit() == Unit::Fuel {
        return Err(usage(
            "a fuel budget is not possible here: other programs limit time, depth and nodes",
        ));
    }
    let mut engines = Engines::open(&args.engines)?;
    let entry = engines.find(&spec.id)?;
    let info = match &args.game {
        Some(game) => game_named(engines.games(), game)?,
        None => only_game(engines.games(), &entry, args.protocol)?,
    };
    let variant = variant_of(info, args.variant.as_deref())?;
    args.protocol.check_variant(info, &variant).map_err(usage)?;
    let engine = engines.player_of(&entry, spec, Unit::Wall, (info, &variant))?;
    let loaded = engines.load(&entry, Unit::Wall)?;
    let declared = loaded.description.games.iter().find(|game| game.game == info.id);
    let author = [&entry.author, &loaded.description.author].into_iter().find(|it| !it.is_empty());
    let engine_info = EngineInfo {
        name: entry.name.clone(),
        version: engine.version.clone(),
        author: author.cloned().unwrap_or_default(),
        game: info,
        variant,
        variants: declared.map(|game| game.variants.clone()).unwrap_or_default(),
        options: option_specs(&entry, &loaded).to_vec(),
        initial_options: engine.options.clone(),
        dialect: args.moves,
        default_limits: Clock::new(default).limits(Grace::default()),
        overhead_us: args.overhead_ms.saturating_mul(1000),
    };
    let mut session = open_session(args.protocol, engine_info).map_err(usage)?;
    let engine = SessionEngine::new(engine, info.id, args.seed);
    let mut input = BufReader::new(std::io::stdin());
    let lines = std::iter::from_fn(move || next_line(&mut input).ok().flatten());
    run_session(session.as_mut(), engine, lines, &mut CleanWriter::new(std::io::stdout()))
        .context("the other program closed its input")
}

/// The only game of an engine that the protocol supports.
fn only_game(games: &Games, entry: &Entry, protocol: Protocol) -> Result<&'static GameInfo> {
    let known = entry.games.iter().filter_map(|spec| games.find(&spec.game));
    let supported: Vec<_> = known.filter(|info| protocol.variants_for(info).is_some()).collect();
    match supported.as_slice() {
        [info] => Ok(info),
        [] => {
            let (id, word) = (&entry.id, protocol.word());
            Err(usage(format!("engine `{id}` plays no game that {word} supports")))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|info| info.id).collect();
            let (id, ids) = (&entry.id, ids.join(", "));
            Err(usage(format!("engine `{id}` plays {ids}: choose one with --game")))
        }
    }
}
