//! `sandboard protocol`: an engine as a program of another host, on standard input and output. What it says there is the
//! protocol's alone; everything else goes to standard error.

use std::io::BufReader;

use anyhow::{Context, Result};
use sandboard_abi::Unit;
use sandboard_games::GameInfo;

use super::engines::{EngineArgs, Engines, check_budget, option_specs};
use super::json_lines::next_line;
use super::{SeatSpec, game_named, usage, variant_of};
use crate::budget::Budget;
use crate::catalog::Entry;
use crate::clock::{Clock, Grace};
use crate::process::{Dialect, Protocol, dialect};
use crate::protocol::{Offer, Player, drive, session};

const EXAMPLES: &str = "\
The other program is told `sandboard`, with these words behind it, as its engine; `docs/protocols.md` says
how for some of them. Options of the engine are offered in the protocol's own way, and set by it; what is set
here is what they begin with.

Examples:
  sandboard protocol gomocup --engine gomoku-alpha
  sandboard protocol uci --engine xiangqi-mt:threads=2
  sandboard protocol uci --engine xiangqi-mt --moves ranks-from-1
  sandboard protocol ucci --engine xiangqi-mt
  sandboard protocol gtp --engine reversi-ponder@10s/move
  sandboard protocol nboard --engine reversi-ponder";

/// Speak another program's protocol, so that an engine plays there
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// What is spoken
    #[arg(value_name = "PROTOCOL", value_parser = protocol)]
    protocol: Protocol,
    /// The engine: its id, with options where wanted (`id:option=value`), and what a search may spend that the
    /// other program does not limit [default: @5s/move]
    #[arg(long, value_name = "ENGINE")]
    engine: SeatSpec,
    /// The game's id; may be left out when the engine plays just one that the protocol can tell
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant that is played unless the other program names one
    #[arg(long)]
    variant: Option<String>,
    /// How the other program writes moves: `same` as the game does, or `ranks-from-1`
    #[arg(long, value_name = "HOW", default_value = "same", value_parser = spelling)]
    moves: Dialect,
    /// What is kept back of every limit of time for the way there and back, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10)]
    overhead_ms: u64,
    /// The engine's source of randomness
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    engines: EngineArgs,
}

fn protocol(word: &str) -> Result<Protocol, String> {
    // Our own is for programs that play here.
    let others = || Protocol::ALL.iter().copied().filter(|it| *it != Protocol::Sandboard);
    let words = || others().map(Protocol::word).collect::<Vec<_>>().join(", ");
    others().find(|it| it.word() == word).ok_or_else(|| format!("known are {}", words()))
}

fn spelling(word: &str) -> Result<Dialect, String> {
    Dialect::of(word).ok_or_else(|| format!("known are {}", dialect::WORDS.join(", ")))
}

pub fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let usual = args.engine.budget.unwrap_or_else(|| Budget::wall_per_move(5_000_000));
    check_budget(&usual)?;
    if usual.unit() == Unit::Fuel {
        return Err(usage("fuel means nothing here: other programs tell time, depth and nodes"));
    }
    let mut engines = Engines::open(&args.engines)?;
    let entry = engines.find(&spec.id)?;
    let info = match &args.game {
        Some(game) => game_named(game)?,
        None => only_game(&entry, args.protocol)?,
    };
    let variant = variant_of(info, args.variant.as_deref())?;
    args.protocol.carries(info, &variant).map_err(usage)?;
    let engine = engines.player_of(&entry, spec, Unit::Wall, (info, &variant))?;
    let loaded = engines.load(&entry, Unit::Wall)?;
    let declared = loaded.description.games.iter().find(|game| game.game == info.id);
    let author = [&entry.author, &loaded.description.author].into_iter().find(|it| !it.is_empty());
    let offer = Offer {
        name: entry.name.clone(),
        version: engine.version.clone(),
        author: author.cloned().unwrap_or_default(),
        game: info,
        variant,
        variants: declared.map(|game| game.variants.clone()).unwrap_or_default(),
        options: option_specs(&entry, &loaded).to_vec(),
        set: engine.options.clone(),
        dialect: args.moves,
        usual: Clock::new(usual).limits(Grace::default()),
        overhead_us: args.overhead_ms.saturating_mul(1000),
    };
    let mut session = session(args.protocol, offer).map_err(usage)?;
    let player = Player::new(engine, info.id, args.seed);
    let mut input = BufReader::new(std::io::stdin());
    let lines = std::iter::from_fn(move || next_line(&mut input).ok().flatten());
    drive(session.as_mut(), player, lines, &mut std::io::stdout())
        .context("the other program hears nothing any more")
}

/// The game of an engine that a protocol can tell, where there is but one.
fn only_game(entry: &Entry, protocol: Protocol) -> Result<&'static GameInfo> {
    let known = entry.games.iter().filter_map(|spec| sandboard_games::game(&spec.game));
    let told: Vec<_> = known.filter(|info| protocol.variants_of(info).is_some()).collect();
    match told.as_slice() {
        [info] => Ok(info),
        [] => {
            let (id, word) = (&entry.id, protocol.word());
            Err(usage(format!("engine `{id}` plays no game that {word} can tell")))
        }
        several => {
            let ids: Vec<&str> = several.iter().map(|info| info.id).collect();
            let (id, ids) = (&entry.id, ids.join(", "));
            Err(usage(format!("engine `{id}` plays {ids}: say which with --game")))
        }
    }
}
