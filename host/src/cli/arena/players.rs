//! Who plays in an arena: from what was typed, or from what its store says, to engines that are ready. Plays nothing.

use anyhow::{Result, bail};
use sandboard_games::{GameInfo, Variant};

use crate::arena::{Contestant, Recruiter};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::catalog::Entry;
use crate::cli::engines::{Engines, check_budget};
use crate::cli::seat::{EngineSpec, SeatSpec};
use crate::cli::{game_named, usage};

/// What an engine may spend on a move when nothing is said.
pub const USUAL_US: u64 = 1_000_000;

/// The variant with the size in force.
pub fn sized(game: &'static GameInfo, variant: &Variant) -> Result<Variant> {
    Ok((game.new)(variant, None).map_err(usage)?.variant())
}

/// A player as it was typed.
pub fn contestant(
    engines: &mut Engines,
    spec: &SeatSpec,
    budget: Budget,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let spec = spec.engine()?;
    let entry = engines.find(&spec.id)?;
    contestant_of(engines, &entry, spec, budget, game)
}

/// A player of this entry, as it was typed.
pub fn contestant_of(
    engines: &mut Engines,
    entry: &Entry,
    spec: &EngineSpec,
    budget: Budget,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    check_budget(&budget)?;
    let engine = engines.player_of(entry, spec, budget.unit(), game)?;
    Ok((Contestant::of(&engine, entry.asset_hashes(), budget), engine))
}

/// The player of an arena, or of a tuning run, that was begun: the very module, with all that it was begun with. It is looked for in the engines
/// folder, then among the builds that are kept.
pub fn contestant_again(
    engines: &mut Engines,
    begun: &Contestant,
    game: (&'static GameInfo, &Variant),
) -> Result<(Contestant, EnginePlayer)> {
    let entry = match engines.with_hash(&begun.engine, &begun.module_sha256) {
        Some(entry) => entry,
        // What has its name now, which is found to differ.
        None => engines.find(&begun.engine)?,
    };
    let (id, threads) = (begun.engine.clone(), begun.threads);
    let spec = EngineSpec { id, options: Vec::new(), options_file: None, threads };
    let (mut now, mut engine) = contestant_of(engines, &entry, &spec, begun.budget, game)?;
    // Presets are in there already.
    engine.options = begun.options.clone().into_iter().collect();
    now.options.clone_from(&begun.options);
    now.name.clone_from(&begun.name);
    (now.rating, now.ponders) = (begun.rating, begun.ponders);
    let differences = begun.differences(&now);
    if !differences.is_empty() {
        bail!("what was begun cannot be gone on with: {}", differences.join("; "));
    }
    Ok((now, engine))
}

/// No two players have one name: each that another has gets its number behind it.
pub fn named_apart(players: &mut [(Contestant, EnginePlayer)]) {
    let names: Vec<String> = players.iter().map(|(player, _)| player.name.clone()).collect();
    let twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let mut taken: Vec<String> = names.iter().filter(|name| !twice(name)).cloned().collect();
    for ((player, _), name) in players.iter_mut().zip(&names).filter(|(_, name)| twice(name)) {
        let numbered = (1_u64..).map(|number| format!("{name} ({number})"));
        player.name = numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
        taken.push(player.name.clone());
    }
}

/// The only game that all play.
pub fn common_game(engines: &Engines, specs: &[SeatSpec]) -> Result<&'static GameInfo> {
    let ids = |spec: &SeatSpec| -> Result<Vec<String>> {
        let entry = engines.find(&spec.engine()?.id)?;
        Ok(entry.games.into_iter().map(|spec| spec.game).collect())
    };
    let of_each = specs.iter().map(ids).collect::<Result<Vec<_>>>()?;
    let by_all = |id: &&String| of_each.iter().all(|ids| ids.contains(id));
    let common: Vec<&String> = of_each.first().into_iter().flatten().filter(by_all).collect();
    match common.as_slice() {
        [id] => game_named(id),
        [] => {
            let each = specs.iter().zip(&of_each).filter_map(|(spec, ids)| {
                Some(format!("{} plays {}", spec.engine().ok()?.id, ids.join(", ")))
            });
            let each: Vec<String> = each.collect();
            Err(usage(format!("the engines play no common game: {}", each.join("; "))))
        }
        several => {
            let several: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Err(usage(format!("all play {}: say which with --game", several.join(", "))))
        }
    }
}

/// Finds the engines of those who join while an arena is played.
pub struct Office<'a> {
    pub engines: &'a mut Engines,
    pub game: &'static GameInfo,
    pub variant: &'a Variant,
}

impl Recruiter for Office<'_> {
    fn recruit(
        &mut self,
        engine: &str,
        budget: Option<&str>,
    ) -> Result<(Contestant, EnginePlayer), String> {
        let spec: SeatSpec = engine.parse()?;
        let budget =
            budget.map(str::parse::<Budget>).transpose().map_err(|error| error.to_string())?;
        let budget = spec.budget.or(budget).unwrap_or(Budget::wall_per_move(USUAL_US));
        // What lay in the folder when the arena began is not all that lies there now.
        self.engines.look().map_err(|error| error.to_string())?;
        let found = contestant(self.engines, &spec, budget, (self.game, self.variant));
        found.map_err(|error| format!("{error:#}"))
    }
}
