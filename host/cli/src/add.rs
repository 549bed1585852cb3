//! `sandboard add`: installs a program that speaks a text protocol as an engine. Starts the program
//! in its jail, to ask for its options and to try it; plays no game.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use sandboard_abi::GameSpec;
use serde_json::json;

use crate::engines::{EngineArgs, TimeArg, shell_word};
use crate::program::{self, MEMORY_BYTES, START_MS, TriedProgram};
use crate::{game_named, usage};
use sandboard_common::text::{counted, plain};
use sandboard_packs::catalog::Catalog;
use sandboard_packs::manifest::{PackLimits, check_id};
use sandboard_packs::packaging::program::{ProgramSource, id_of_program};
use sandboard_packs::packaging::replace_pack;
use sandboard_packs::trust::{Grant, GrantSource, TrustStore};
use sandboard_protocols::{Dialect, Protocol, ProtocolConfig, dialect};

const EXAMPLES: &str = "\
The program is trusted from then on, by the SHA-256 of its file, because you name it here. It is
started in a jail: first to tell its name and its options by its protocol, then to choose one move.
What it tells becomes the manifest of a pack in the engines folder, ENGINE/EngineConfigs.xml, which
you may edit. If another version of the program comes to the same path, it is not trusted: add it
again with --replace, or keep a copy of the program with --copy.

Options that the host sets (Threads, MultiPV, …) are left out. The size of a hash table is limited
by --memory. If the program counts ranks from 1 where the game counts from 0, that is found out. A
program that reads files beside it, such as a network, gets them with --file.

Examples:
  sandboard add uci stockfish --game chess
  sandboard add uci ./build/my-engine --game chess --id my-engine-7 --copy
  sandboard add uci ./fairy-stockfish --game xiangqi --id fairy --option 'Skill Level=5'
  sandboard add uci ./pikafish --game xiangqi --file pikafish.nnue --option EvalFile=pikafish.nnue
  sandboard add gomocup ./pbrain-some --game gomoku --variants freestyle,standard
  sandboard add gtp gtp-rhino --game reversi --variants standard-8 --arg=--level=3";

/// Install a program that speaks UCI, UCCI, Gomocup, GTP or NBoard as an engine
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol that the program speaks: uci, ucci, gomocup, gtp, nboard or sandboard
    #[arg(value_name = "PROTOCOL", value_parser = program::protocol)]
    protocol: Protocol,
    /// The program: its path, or its name on the search path
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The game that it plays
    #[arg(long, value_name = "GAME")]
    game: String,
    /// The variants that it plays [default: those that the protocol can express]
    #[arg(long, value_name = "VARIANT,…", value_delimiter = ',')]
    variants: Vec<String>,
    /// The engine's id [default: the name of the program's file]
    #[arg(long, value_name = "ENGINE")]
    id: Option<String>,
    /// The engine's name for people [default: that which the program tells]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// An argument for the program; may be repeated
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// A file that the program reads from its folder, such as a network; it is copied into the
    /// pack. May be repeated
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The value of one of its options where a game does not set it; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = program::option_value)]
    options: Vec<(String, String)>,
    /// The memory of one game: program, tables and files together [default: 1GiB]
    #[arg(long, value_name = "BYTES", value_parser = program::memory_bytes)]
    memory: Option<u64>,
    /// The longest time to start a game [default: 30s]
    #[arg(long, value_name = "TIME")]
    start: Option<TimeArg>,
    /// How the program writes moves: `same` as the game, or `ranks-from-1` [default: found out]
    #[arg(long, value_name = "NOTATION", value_parser = notation)]
    moves: Option<Dialect>,
    /// Replace the pack of this id, also if its manifest was edited
    #[arg(long)]
    replace: bool,
    /// Copy the program into the pack, so that a later build at the same path does not change the
    /// engine
    #[arg(long)]
    copy: bool,
    /// Print one JSON object: {"engine": …, "pack": …, "first_move": …}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

fn notation(word: &str) -> Result<Dialect, String> {
    Dialect::from_word(word)
        .ok_or_else(|| format!("known notations: {}", dialect::WORDS.join(", ")))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let engines_dir = args.engines.folder_to_change()?;
    let mut loader = args.engines.loader()?;
    game_named(loader.games(), &args.game)?;
    let program = program::find(&args.program)?;
    let sha256 = program::hash(&program, &loader)?;
    let id = match &args.id {
        Some(id) => id.clone(),
        None => id_of_program(&program)
            .ok_or_else(|| usage("the name of the program is no id: choose one with --id"))?,
    };
    check_id(&id).map_err(|reason| usage(format!("--id: {reason}")))?;
    let pack = engines_dir.join(&id);
    let game_loader = loader.game_loader(args.engines.load_caps());
    let others = Catalog::scan(&engines_dir, &game_loader)?.entries;
    let own = std::fs::canonicalize(&pack).unwrap_or_else(|_| pack.clone());
    if let Some(other) = others.iter().find(|entry| entry.id == id && entry.root != own) {
        bail!(
            "{} has an engine `{id}` already ({}): choose another id with --id",
            engines_dir.display(),
            other.source.display()
        );
    }
    if pack.exists() && !args.replace {
        return Err(usage(format!(
            "{} exists: replace it with --replace, or choose another id with --id",
            pack.display()
        )));
    }
    let source = ProgramSource {
        id,
        name: args.name.clone(),
        program,
        is_copied: args.copy,
        game: GameSpec { game: args.game.clone(), variants: args.variants.clone() },
        protocol: ProtocolConfig {
            protocol: args.protocol,
            dialect: args.moves.unwrap_or_default(),
            arguments: args.arguments.clone(),
            ..ProtocolConfig::default()
        },
        limits: PackLimits {
            memory_bytes: Some(args.memory.unwrap_or(MEMORY_BYTES)),
            start_ms: Some(args.start.map_or(START_MS, |time| time.us.div_ceil(1000))),
            ..PackLimits::default()
        },
        files: args.files.clone(),
        values: args.options.clone(),
    };
    // The grant is stored after the program has shown that it works.
    loader.trust_here(&sha256);
    let tried = replace_pack(&pack, |fresh| program::make_pack(&source, &loader, fresh, &[]))?;
    // Until now the pack was in another folder.
    let placed = Catalog::read_pack(&pack, loader.games(), &game_loader)?.entries;
    let entry = placed.into_iter().next().unwrap_or_else(|| tried.entry.clone());
    let tried = TriedProgram { entry, ..tried };
    let entry = &tried.entry;
    let grant = Grant::new(&sha256, &entry.id, &entry.version, GrantSource::User);
    TrustStore::of_user()?.change(|grants| grants.add(grant))?;
    let mut out = crate::output::stdout();
    if args.json {
        let engine = serde_json::to_value(entry)?;
        let pack = pack.to_string_lossy();
        let line = json!({ "engine": engine, "pack": pack, "first_move": tried.first_move });
        writeln!(out, "{line}")?;
        return Ok(());
    }
    let dir = args.engines.as_arguments();
    write!(out, "{}", summary(&tried, args.protocol, &dir))?;
    Ok(())
}

/// What was installed, and what to do next. `dir`: the engines folder as an argument, if it is not
/// the default one.
fn summary(
    TriedProgram { entry, first_move }: &TriedProgram,
    protocol: Protocol,
    dir: &str,
) -> String {
    let (id, word) = (shell_word(&entry.id), protocol.word());
    let author = match entry.author.as_str() {
        "" => String::new(),
        author => format!(", by {}", plain(author)),
    };
    let mut text =
        format!("added {} {}: {}{author}\n", entry.id, plain(&entry.version), plain(&entry.name));
    for spec in &entry.games {
        let variants = spec.variants.join(", ");
        let first = match first_move {
            Some(mv) => format!("its first move was {}", plain(mv)),
            None => "it resigned when it was asked for a first move".to_owned(),
        };
        text += &format!("  plays {} ({variants}) by {word}; {first}\n", spec.game);
    }
    text += &match entry.options.len() {
        0 => "  has no options\n".to_owned(),
        count => format!("  has {}: sandboard options {id}{dir}\n", counted(count, "option")),
    };
    text += &format!("  is trusted from now on; undo: sandboard untrust {id}\n");
    if let Some(spec) = entry.games.first() {
        text += &format!("play: sandboard play {} --seat human --seat {id}{dir}\n", spec.game);
    }
    text
}
