//! `sandboard list`: what is in the engines folder, usable or not and why.
//! Loads and runs nothing; zips are unpacked into the cache.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::engines::{EngineArgs, shell_word};
use crate::catalog::{Catalog, Entry};
use crate::manifest::ModuleKind;
use crate::terminal::Paint;

const EXAMPLES: &str = "\
Nothing is loaded or run for this: it reads manifests, file names and the heads of modules; a
zip it unpacks into the cache. A broken pack is listed with everything that is wrong with it, as
file:line: element/@attribute.

Examples:
  sandboard list
  sandboard list --engines-dir ~/engines
  sandboard list --json";

/// List the engines found, why any is unusable, and which are not sandboxed
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    engines: EngineArgs,
    /// Print one JSON object: {"engines_dir": …, "engines": […]}
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let dir = args.engines.folder()?;
    let catalog = Catalog::scan_capped(&dir, &args.engines.load_caps())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let engines: Vec<Value> = catalog.entries.iter().map(as_json).collect::<Result<_>>()?;
        writeln!(out, "{}", json!({ "engines_dir": dir.to_string_lossy(), "engines": engines }))?;
        return Ok(());
    }
    writeln!(out, "engines in {}", dir.display())?;
    let (usable, unusable): (Vec<&Entry>, Vec<&Entry>) =
        catalog.entries.iter().partition(|entry| entry.is_usable());
    if usable.is_empty() {
        writeln!(out, "\nnone that is usable; drop a pack or an engine such as")?;
        writeln!(out, "`my-engine-0.1.0.gomoku.wasm` into the folder")?;
    }
    let columns = Columns::of(&usable);
    for (index, entry) in usable.iter().enumerate() {
        if index == 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", columns.line(entry))?;
    }
    if !unusable.is_empty() {
        writeln!(out, "\nnot usable:")?;
    }
    let paint = Paint::for_stdout();
    for entry in unusable {
        let name = [entry.id.as_str(), entry.version.as_str()].join(" ");
        writeln!(out, "  {}", paint.strong(name.trim()))?;
        for fault in entry.faults() {
            writeln!(out, "    {fault}")?;
        }
    }
    if let Some(first) = usable.first().and_then(|entry| entry.games.first()) {
        let id = shell_word(&usable[0].id);
        let dir = args.engines.typed();
        writeln!(out, "\nplay: sandboard play {} --seat human --seat {id}{dir}", first.game)?;
    }
    Ok(())
}

fn as_json(entry: &Entry) -> Result<Value> {
    let mut value = serde_json::to_value(entry)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("needs_trust".into(), entry.needs_trust().into());
    }
    Ok(value)
}

/// How wide the columns are.
struct Columns {
    name: usize,
    games: usize,
}

impl Columns {
    fn of(entries: &[&Entry]) -> Self {
        let widest = |text: fn(&Entry) -> String| {
            entries.iter().map(|entry| text(entry).chars().count()).max().unwrap_or(0)
        };
        Self { name: widest(name), games: widest(games) }
    }

    fn line(&self, entry: &Entry) -> String {
        let kind = match entry.kind {
            Some(ModuleKind::Native) if entry.overrides => "native, in development",
            Some(ModuleKind::Wasm) if entry.overrides => "wasm, in development",
            Some(ModuleKind::Native) => "native, not sandboxed",
            Some(ModuleKind::Wasm) => "wasm, sandboxed",
            None => "",
        };
        let (name, games, source) = (name(entry), games(entry), entry.source.display());
        let line = entry.line.map_or(String::new(), |line| format!(":{line}"));
        format!("  {name:0$}  {games:1$}  {kind:23}  {source}{line}", self.name, self.games)
    }
}

fn name(entry: &Entry) -> String {
    format!("{} {}", entry.id, entry.version)
}

fn games(entry: &Entry) -> String {
    let game = |spec: &sandboard_abi::GameSpec| {
        let all = sandboard_games::game(&spec.game).is_some_and(|info| {
            info.variants.iter().all(|it| spec.variants.iter().any(|id| id == it.id))
        });
        match all {
            true => spec.game.clone(),
            false => format!("{} ({})", spec.game, spec.variants.join(", ")),
        }
    };
    entry.games.iter().map(game).collect::<Vec<_>>().join(", ")
}
