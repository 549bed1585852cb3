//! The house engines of a contest: their entries in the catalog, with the limits of the contest
//! instead of those of their manifests.

use std::path::Path;

use anyhow::{Result, anyhow};

use crate::engines::{Engines, check_plays, shell_word};
use crate::seat::EngineSpec;
use crate::{arena, usage};
use sandboard_arena_plan::Contestant;
use sandboard_bout::driver::EnginePlayer;
use sandboard_contest_rules::Contest;
use sandboard_packs::catalog::{Catalog, Entry};
use sandboard_packs::manifest::{ModuleKind, PackLimits};

/// The entry of a house engine, without the limits and option values of its manifest: every engine
/// of a contest has the limits of the contest and its own default options. Fails if the engine
/// cannot be one; the error says why.
pub(super) fn entry(catalog: &Catalog, dir: &Path, contest: &Contest, id: &str) -> Result<Entry> {
    let found = catalog.find(id).map_err(|error| {
        let dir = shell_word(&dir.to_string_lossy());
        usage(format!("{error} (`sandboard list --engines-dir {dir}` lists all engines)"))
    })?;
    if found.id != id {
        let own = &found.id;
        return Err(usage(format!("write `{own}`, its id: records and results name it so")));
    }
    if found.kind != Some(ModuleKind::Wasm) {
        let noun = found.kind.map_or("of unknown kind", ModuleKind::noun);
        return Err(usage(format!("it is {noun}, and only WebAssembly engines play in contests")));
    }
    if !found.assets.is_empty() {
        return Err(usage(
            "it reads files besides its module, which the bundle of a contest cannot hold",
        ));
    }
    check_plays(found, &found.games, contest.game, &contest.variant)?;
    Ok(Entry { limits: PackLimits::default(), presets: Vec::new(), ..found.clone() })
}

/// Loads a house engine as a player of the contest. `engines` must have the caps of the contest.
pub(super) fn player(
    engines: &mut Engines,
    contest: &Contest,
    id: &str,
) -> Result<(Contestant, EnginePlayer)> {
    let entry = entry(&engines.catalog, &engines.dir, contest, id)?;
    let spec = EngineSpec {
        id: id.into(),
        options: Vec::new(),
        options_file: None,
        threads: 1,
        name: None,
    };
    let game = (contest.game, &contest.variant);
    arena::contestant_of(engines, &entry, &spec, contest.budget, game)
}

/// Checks that all house engines are there. The error names the first that is not.
pub(super) fn check(catalog: &Catalog, dir: &Path, contest: &Contest) -> Result<()> {
    for id in &contest.house {
        entry(catalog, dir, contest, id)
            .map_err(|error| usage(format!("`house`: `{id}`: {error:#}")))?;
    }
    Ok(())
}

/// The error for a house engine that cannot play.
pub(super) fn cannot_play(id: &str, error: &anyhow::Error) -> anyhow::Error {
    anyhow!("house engine `{id}` cannot play: {error:#}")
}
