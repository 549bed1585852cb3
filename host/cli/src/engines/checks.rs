//! Checks what users ask of an engine before a bout starts: its games, its options, its budget.

use anyhow::{Context, Result, anyhow};
use sandboard_abi::{OptionSpec, Unit};
use sandboard_games::{GameInfo, Games, Variant};

use crate::{game_named, usage};
use sandboard_common::suggestions::nearest;
use sandboard_engine::Budget;
use sandboard_engine::meter::cpu_clock_fault;
use sandboard_packs::catalog::Entry;
use sandboard_packs::loader::LoadedEngine;

/// Checks that an engine that declares `games` plays this variant.
pub(crate) fn check_plays(
    entry: &Entry,
    games: &[sandboard_abi::GameSpec],
    game: &GameInfo,
    variant: &Variant,
) -> Result<()> {
    let spec = games.iter().find(|spec| spec.game == game.id);
    let covered = |spec: &sandboard_abi::GameSpec| {
        spec.variants.iter().any(|declared| game.covers(declared, variant))
    };
    if spec.is_some_and(covered) {
        return Ok(());
    }
    let listed =
        |spec: &sandboard_abi::GameSpec| format!("{} ({})", spec.game, spec.variants.join(", "));
    let listed: Vec<String> = games.iter().map(listed).collect();
    let (id, variant) = (&entry.id, variant.text());
    let listed = listed.join(", ");
    Err(usage(format!("engine `{id}` does not play {} {variant}; it plays {listed}", game.id)))
}

/// The options of an engine: those of its manifest, else those of its own description.
pub(crate) fn option_specs<'a>(entry: &'a Entry, loaded: &'a LoadedEngine) -> &'a [OptionSpec] {
    match entry.options_complete {
        true => &entry.options,
        false => &loaded.description.options,
    }
}

/// The options to start an engine with: the presets of its manifest, overridden by `requested`.
/// Values that equal the engine's own defaults are left out. The error names the option, its valid
/// values, and the nearest known name.
pub(crate) fn checked_options(
    entry: &Entry,
    loaded: &LoadedEngine,
    requested: &[(String, String)],
) -> Result<Vec<(String, String)>> {
    let specs = option_specs(entry, loaded);
    for (name, value) in requested {
        check_option(specs, name, value)
            .map_err(|reason| usage(format!("engine `{}`: {reason}", entry.id)))?;
    }
    for (name, value) in &entry.presets {
        check_option(specs, name, value)
            .map_err(|reason| anyhow!("the manifest of engine `{}`: {reason}", entry.id))?;
    }
    let kept =
        entry.presets.iter().filter(|(name, _)| requested.iter().all(|(other, _)| other != name));
    let own = |(name, value): &&(String, String)| {
        let initial = loaded.description.options.iter().find(|spec| &spec.name == name);
        initial.is_none_or(|spec| &spec.initial != value)
    };
    Ok(kept.chain(requested).filter(own).cloned().collect())
}

fn check_option(specs: &[OptionSpec], name: &str, value: &str) -> Result<(), String> {
    if let Some(spec) = specs.iter().find(|spec| spec.name == name) {
        let checked = spec.kind.check(value);
        return checked.map_err(|reason| format!("option `{name}`: {reason}"));
    }
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let hint = match (nearest(name, names.iter().copied()), names.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "the engine has none".to_owned(),
        (None, names) => format!("known options: {}", names.join(", ")),
    };
    Err(format!("unknown option `{name}`; {hint}"))
}

/// Refuses a budget that this system cannot measure.
pub(crate) fn check_budget(budget: &Budget) -> Result<()> {
    match budget.unit() {
        Unit::Cpu if cpu_clock_fault().is_some() => Err(usage(format!(
            "the budget `{budget}` cannot be enforced: this system does not count CPU time by \
             thread; use wall time (5s/move) or, for wasm engines, fuel (fuel:2e9/move)"
        ))),
        _ => Ok(()),
    }
}

/// Checks that a budget has a limit: between engines without any, a game may never end.
pub(crate) fn check_limited(budget: &Budget) -> Result<()> {
    match budget.is_none() {
        true => Err(usage(
            "the budget `none` has no limit, so an engine may think for ever and the games never \
             end; use a budget such as 1s/move, fuel:1e8/move, depth:8 or nodes:1e6",
        )),
        false => Ok(()),
    }
}

/// A time as an argument, such as `10m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeArg {
    /// The wall time, in microseconds; at least 1.
    pub us: u64,
}

impl std::str::FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The amounts of budgets, which have these units.
        let budget = format!("{text}/move").parse::<Budget>();
        let us = budget.ok().filter(|it| it.unit() == Unit::Wall).and_then(|it| it.per_move());
        let us = us.ok_or_else(|| {
            format!("`{text}` is not a time with a unit of ms, s, m or h, such as 10m")
        })?;
        Ok(Self { us })
    }
}

/// The game of an engine that plays only one.
pub(crate) fn only_game(games: &Games, entry: &Entry) -> Result<&'static GameInfo> {
    let ids: Vec<&str> = entry.games.iter().map(|spec| spec.game.as_str()).collect();
    match ids.as_slice() {
        [id] => game_named(games, id).context("the engine's only game"),
        ids => Err(usage(format!(
            "engine `{}` plays {}: choose one with --game",
            entry.id,
            ids.join(", ")
        ))),
    }
}
