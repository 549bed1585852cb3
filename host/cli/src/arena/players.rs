//! Loads the players of an arena, from arguments or from a stored setup. Plays nothing.

use anyhow::{Result, bail};
use sandboard_games::{GameInfo, Variant};

use crate::engines::{Engines, check_budget, check_limited};
use crate::seat::{EngineSpec, SeatSpec};
use crate::{game_named, usage};
use sandboard_arena::PlayerSource;
use sandboard_arena_plan::Contestant;
use sandboard_bout::driver::EnginePlayer;
use sandboard_engine::Budget;
use sandboard_packs::catalog::Entry;

/// The default budget of a player, in microseconds of wall time a move.
pub(super) const DEFAULT_MOVE_US: u64 = 1_000_000;

/// The variant with its board size filled in.
pub(crate) fn sized(game: &'static GameInfo, variant: &Variant) -> Result<Variant> {
    Ok((game.new)(variant, None).map_err(usage)?.variant())
}

/// Loads a player from the arguments.
pub(crate) fn contestant(
    engines: &mut Engines,
    spec: &SeatSpec,
    budget: Budget,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let spec = spec.engine()?;
    let entry = engines.find(&spec.id)?;
    contestant_of(engines, &entry, spec, budget, game)
}

/// Loads a player that uses this engine.
pub(crate) fn contestant_of(
    engines: &mut Engines,
    entry: &Entry,
    spec: &EngineSpec,
    budget: Budget,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    check_budget(&budget)?;
    let engine = engines.player_of(entry, spec, budget.unit(), game)?;
    let mut player = Contestant::for_engine(&engine, entry.asset_hashes(), budget);
    if let Some(name) = &spec.name {
        player.name.clone_from(name);
    }
    Ok((player, engine))
}

/// Loads a player of an existing arena or tuning run: the exact module, with the stored options.
/// The module is taken from the engines folder, else from the kept builds.
pub(crate) fn load_contestant(
    engines: &mut Engines,
    stored: &Contestant,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let entry = match engines.with_hash(&stored.engine, &stored.module_sha256) {
        Some(entry) => entry,
        // The current engine with this id; its hash is reported as a difference.
        None => engines.find(&stored.engine)?,
    };
    let (id, threads) = (stored.engine.clone(), stored.threads);
    let spec = EngineSpec { id, options: Vec::new(), options_file: None, threads, name: None };
    let (mut now, mut engine) = contestant_of(engines, &entry, &spec, stored.budget, game)?;
    // The stored options include the presets.
    engine.options = stored.options.clone().into_iter().collect();
    now.options.clone_from(&stored.options);
    now.name.clone_from(&stored.name);
    (now.rating, now.ponders) = (stored.rating, stored.ponders);
    let differences = stored.differences(&now);
    if !differences.is_empty() {
        bail!("cannot be resumed: {}", differences.join("; "));
    }
    Ok((now, engine))
}

/// Makes the names of players unique: players with the same name get numbers.
pub(crate) fn make_names_unique(players: &mut [(Contestant, EnginePlayer)]) {
    let names: Vec<String> = players.iter().map(|(player, _)| player.name.clone()).collect();
    let twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let mut taken: Vec<String> = names.iter().filter(|name| !twice(name)).cloned().collect();
    for ((player, _), name) in players.iter_mut().zip(&names).filter(|(_, name)| twice(name)) {
        let numbered = (1_u64..).map(|number| format!("{name} ({number})"));
        player.name = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
        taken.push(player.name.clone());
    }
}

/// The only game that all engines play.
pub(crate) fn common_game(engines: &Engines, specs: &[SeatSpec]) -> Result<&'static GameInfo> {
    let ids = |spec: &SeatSpec| -> Result<Vec<String>> {
        let entry = engines.find(&spec.engine()?.id)?;
        Ok(entry.games.into_iter().map(|spec| spec.game).collect())
    };
    let of_each = specs.iter().map(ids).collect::<Result<Vec<_>>>()?;
    let by_all = |id: &&String| of_each.iter().all(|ids| ids.contains(id));
    let common: Vec<&String> = of_each.first().into_iter().flatten().filter(by_all).collect();
    match common.as_slice() {
        [id] => game_named(engines.games(), id),
        [] => {
            let each = specs.iter().zip(&of_each).filter_map(|(spec, ids)| {
                Some(format!("{} plays {}", spec.engine().ok()?.id, ids.join(", ")))
            });
            let each: Vec<String> = each.collect();
            Err(usage(format!("the engines play no common game: {}", each.join("; "))))
        }
        several => {
            let several: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(usage(format!(
                "all players support {}: choose one with --game",
                several.join(", ")
            )))
        }
    }
}

/// Loads the engines of players that join an arena in progress.
pub(super) struct PlayerLoader<'a> {
    pub engines: &'a mut Engines,
    pub game: &'static GameInfo,
    pub variant: &'a Variant,
}

impl PlayerSource for PlayerLoader<'_> {
    fn load_player(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let spec: SeatSpec = engine.parse()?;
        let budget =
            budget.map(str::parse::<Budget>).transpose().map_err(|error| error.to_string())?;
        let budget = spec.budget.or(budget).unwrap_or(Budget::wall_per_move(DEFAULT_MOVE_US));
        check_limited(&budget).map_err(|error| error.to_string())?;
        // The folder may have changed since the arena started.
        self.engines.rescan().map_err(|error| error.to_string())?;
        let found = contestant(self.engines, &spec, budget, (self.game, self.variant));
        found.map_err(|error| format!("{error:#}"))
    }
}
