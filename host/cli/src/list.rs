//! `sandboard list`: shows the engines folder, and why an engine is not usable. Loads and runs no
//! engine; unpacks zip files into the cache.

use std::io::Write;

use anyhow::Result;
use sandboard_games::Games;
use serde_json::{Value, json};

use super::engines::{EngineArgs, shell_word};
use crate::output::error_line;
use crate::terminal::TextStyle;
use sandboard_packs::catalog::{Entry, GameEntry};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::trust::{Grants, TrustError, TrustStore};

const EXAMPLES: &str = "\
This loads and runs no engine: it reads manifests, file names and the headers of modules, and
unpacks zip files into the cache. A broken pack is listed with all its errors, as
file:line: element/@attribute. A native engine runs only after `sandboard trust ENGINE`
(docs/trust.md).

Examples:
  sandboard list
  sandboard list --engines-dir ~/engines
  sandboard list --json";

/// List the engines found, why any is unusable, and which need trust
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    engines: EngineArgs,
    /// Print one JSON object: {"engines_dir": …, "engines": […]}
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let dir = args.engines.folder()?;
    let catalog = args.engines.catalog(&dir)?;
    // A damaged trust store must not prevent the list.
    let grants = TrustStore::of_user().and_then(|store| store.read());
    let mut out = crate::output::stdout();
    if args.json {
        let engines = catalog.entries.iter().map(|entry| as_json(entry, &grants));
        let engines: Vec<Value> = engines.collect::<Result<_>>()?;
        let mut line = json!({
            "engines_dir": dir.to_string_lossy(),
            "engines": engines,
            "games": catalog.game_entries,
        });
        if let Err(error) = &grants {
            line["trust_error"] = error.to_string().into();
        }
        writeln!(out, "{line}")?;
        return Ok(());
    }
    writeln!(out, "engines in {}", dir.display())?;
    let (usable, unusable): (Vec<&Entry>, Vec<&Entry>) =
        catalog.entries.iter().partition(|entry| entry.is_usable());
    if usable.is_empty() {
        writeln!(out, "\nno usable engine; put a pack, or an engine such as")?;
        writeln!(out, "`my-engine-0.1.0.gomoku.wasm`, into the folder")?;
    }
    let columns = Columns::of(&usable, &catalog.games);
    for (index, entry) in usable.iter().enumerate() {
        if index == 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", columns.line(entry, &grants))?;
    }
    write_games(&mut out, &catalog.game_entries)?;
    let of_engines = unusable.iter().map(|entry| (&entry.id, &entry.version, entry.faults()));
    let of_games = catalog.game_entries.iter().filter(|game| !game.faults().is_empty());
    let of_games = of_games.map(|game| (&game.id, &game.version, game.faults()));
    let style = TextStyle::for_stdout();
    for (index, (id, version, faults)) in of_engines.chain(of_games).enumerate() {
        if index == 0 {
            writeln!(out, "\nnot usable:")?;
        }
        let name = [id.as_str(), version.as_str()].join(" ");
        writeln!(out, "  {}", style.strong(name.trim()))?;
        for fault in faults {
            writeln!(out, "    {fault}")?;
        }
    }
    if usable.iter().any(|entry| trusted(entry, &grants) == Some(false)) {
        let dir = args.engines.as_arguments();
        writeln!(out, "\nto trust an engine: sandboard trust ENGINE{dir}")?;
    }
    if let Err(error) = &grants {
        error_line!("warning: no native engine can run: {error}");
    }
    if let Some(first) = usable.first().and_then(|entry| entry.games.first()) {
        let id = shell_word(&usable[0].id);
        let dir = args.engines.as_arguments();
        writeln!(out, "\nplay: sandboard play {} --seat human --seat {id}{dir}", first.game)?;
    }
    Ok(())
}

/// Writes the usable games that were plugged in, if there are any.
fn write_games(out: &mut impl Write, games: &[GameEntry]) -> Result<()> {
    let usable: Vec<&GameEntry> = games.iter().filter(|game| game.faults().is_empty()).collect();
    let name = |game: &GameEntry| format!("{} {}", game.id, game.version);
    let width = usable.iter().map(|game| name(game).chars().count()).max().unwrap_or(0);
    for (index, game) in usable.iter().enumerate() {
        if index == 0 {
            writeln!(out, "\nplugged-in games:\n")?;
        }
        let (label, place) = (&game.name, game.source.display());
        writeln!(out, "  {:width$}  {label}  {place}:{}", name(game), game.line)?;
    }
    Ok(())
}

/// Whether a native engine is trusted. `None`: it is not native, or the trust store is unreadable.
fn trusted(entry: &Entry, grants: &Result<Grants, TrustError>) -> Option<bool> {
    let grants = grants.as_ref().ok().filter(|_| entry.needs_trust())?;
    Some(grants.get(&entry.sha256).is_some())
}

fn as_json(entry: &Entry, grants: &Result<Grants, TrustError>) -> Result<Value> {
    let mut value = serde_json::to_value(entry)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("needs_trust".into(), entry.needs_trust().into());
        fields.insert("trusted".into(), trusted(entry, grants).into());
    }
    Ok(value)
}

/// The widths of the columns, in characters.
struct Columns<'a> {
    name: usize,
    games: usize,
    /// The games that the engines may play.
    known: &'a Games,
}

impl<'a> Columns<'a> {
    fn of(entries: &[&Entry], known: &'a Games) -> Self {
        let widest = |text: &dyn Fn(&Entry) -> String| {
            entries.iter().map(|entry| text(entry).chars().count()).max().unwrap_or(0)
        };
        Self { name: widest(&name), games: widest(&|entry| games(entry, known)), known }
    }

    fn line(&self, entry: &Entry, grants: &Result<Grants, TrustError>) -> String {
        let state = match trusted(entry, grants) {
            _ if entry.kind == Some(ModuleKind::Wasm) && !entry.overrides => "sandboxed",
            _ if entry.kind == Some(ModuleKind::Wasm) => "in development",
            None => "trust unknown",
            Some(false) => "needs trust",
            Some(true) if entry.overrides => "in development",
            Some(true) => "trusted",
        };
        let kind = entry.kind.map_or(String::new(), |kind| format!("{}, {state}", kind.word()));
        let (name, games, source) = (name(entry), games(entry, self.known), entry.source.display());
        let line = entry.line.map_or(String::new(), |line| format!(":{line}"));
        format!("  {name:0$}  {games:1$}  {kind:23}  {source}{line}", self.name, self.games)
    }
}

fn name(entry: &Entry) -> String {
    format!("{} {}", entry.id, entry.version)
}

fn games(entry: &Entry, known: &Games) -> String {
    let game = |spec: &sandboard_abi::GameSpec| {
        let all = known.find(&spec.game).is_some_and(|info| {
            info.variants.iter().all(|it| spec.variants.iter().any(|id| id == it.id))
        });
        match all {
            true => spec.game.clone(),
            false => format!("{} ({})", spec.game, spec.variants.join(", ")),
        }
    };
    entry.games.iter().map(game).collect::<Vec<_>>().join(", ")
}
