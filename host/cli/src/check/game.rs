//! The part of `sandboard check` that checks games. Judges nothing itself.

use anyhow::Result;
use sandboard_games::Games;
use serde_json::json;

use super::print::Printer;
use super::{Args, object, rerun_command, verdict};
use crate::engines::Engines;
use crate::{usage, variant_of};
use sandboard_analysis::check_game::{self, GameCheckSettings, GameTarget, STEPS};
use sandboard_common::suggestions::nearest;

/// The game with this name: a built-in one, or a plugged-in one of the engines folder.
pub(super) fn find<'a>(name: &str, engines: Option<&'a Engines>) -> Option<GameTarget<'a>> {
    if let Some(info) = Games::default().find(name) {
        return Some(GameTarget::BuiltIn(info));
    }
    let engines = engines?;
    let entry = engines.catalog.find_game(name)?;
    Some(GameTarget::PluggedIn { entry, loader: engines.game_loader() })
}

/// The error about an unknown engine, with a game of a similar name if there is one.
pub(super) fn with_hint(
    error: anyhow::Error,
    name: &str,
    engines: Option<&Engines>,
) -> anyhow::Error {
    let games = engines.map_or_else(Games::default, |engines| engines.games().clone());
    match nearest(name, games.iter().map(|info| info.id)) {
        Some(near) => usage(format!("{error:#}; there is a game `{near}`")),
        None => error,
    }
}

/// Checks these games, even after one has failed. Beside engines, `--step` may name steps that only
/// engines have, and options for engines are valid.
pub(super) fn check_all(
    args: &Args,
    targets: &[GameTarget<'_>],
    beside_engines: bool,
) -> Result<()> {
    let known = |number: &u8| STEPS.iter().any(|step| step.number == *number);
    let chosen = |target: &&GameTarget<'_>| args.game.as_ref().is_none_or(|id| id == target.id());
    let chosen: Vec<&GameTarget<'_>> = targets.iter().filter(chosen).collect();
    if beside_engines {
        if !args.step.is_empty() && !args.step.iter().any(known) {
            return Ok(());
        }
    } else {
        if !args.option.is_empty() || args.budget.is_some() {
            let name = &args.engine;
            return Err(usage(format!(
                "--option and --budget apply to engines; `{name}` has none"
            )));
        }
        if let Some(step) = args.step.iter().find(|number| !known(number)) {
            let last = STEPS.len();
            let sentence = format!("unknown step {step}; the steps for a game are 1 to {last}");
            return Err(usage(format!("{sentence}, see --help")));
        }
        if chosen.is_empty() {
            let ids: Vec<&str> = targets.iter().map(GameTarget::id).collect();
            let game = args.game.as_deref().unwrap_or_default();
            let known = ids.join(", ");
            return Err(usage(format!("`{}` has no game `{game}`; it has {known}", args.engine)));
        }
    }
    let settings = GameCheckSettings {
        variant: args.variant.clone(),
        seed: args.seed,
        only: args.step.iter().copied().filter(known).collect(),
        rerun_command: rerun_command(args),
    };
    let checked = chosen.into_iter().map(|target| check(args, target, &settings));
    checked.collect::<Vec<_>>().into_iter().collect()
}

fn check(args: &Args, target: &GameTarget<'_>, settings: &GameCheckSettings) -> Result<()> {
    let (version, sha256, source) = match target {
        GameTarget::BuiltIn(info) => {
            variant_of(info, args.variant.as_deref())?;
            (None, None, "built in".to_owned())
        }
        GameTarget::PluggedIn { entry, loader } => {
            if entry.faults().is_empty() {
                variant_of(loader.row(entry), args.variant.as_deref())?;
            }
            let source = entry.source.display().to_string();
            (Some(&entry.version), Some(&entry.sha256), source)
        }
    };
    let (id, seed) = (target.id(), settings.seed);
    let mut printer = Printer::new(args.verbose, args.json);
    let name = [id, version.map_or("", String::as_str)].join(" ");
    printer.header(&format!("game {} ({source}), seed {seed}", name.trim()))?;
    let reports = check_game::run(target, settings, &mut printer);
    let fields = json!({
        "game": id, "version": version, "module_sha256": sha256, "seed": seed,
    });
    printer.finish(object(fields), &reports)?;
    verdict(&format!("game `{id}`"), &reports)
}
