//! `arena --against-previous`: plays the current build of an engine against the previous one, until
//! a sequential test has decided. Each run keeps a copy of the current build, so that later builds
//! can be compared with it.

use crate::output::out_line;
use anyhow::Result;
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SprtSetup};

use super::CreateArgs;
use super::create::{self, ArenaPlan};
use super::players::{DEFAULT_MOVE_US, contestant_of};
use super::programs::OwnPacks;
use super::sprt::SprtArg;
use crate::engines::{Engines, check_limited};
use crate::seat::SeatSpec;
use crate::usage;
use sandboard_engine::Budget;

/// The default test: in normalised Elo, as fishtest does.
pub(super) const DEFAULT_TEST: SprtSetup =
    SprtSetup { model: EloModel::Normalized, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
/// The most pairs of the test.
pub(super) const PAIRS_MAX: u32 = 100_000;
/// The number of hexadecimal digits of a hash in a player's name.
const HASH_DIGITS: usize = 8;

/// Plays the test, or reports that there is no previous build yet.
pub(super) fn run(spec: &SeatSpec, sprt: Option<SprtArg>, args: &CreateArgs) -> Result<()> {
    let engine = spec.engine()?;
    if !args.programs.is_empty() {
        return Err(usage("--engine does not apply here: the players are two builds of an engine"));
    }
    let engine = &engine.clone().with_defaults(&args.options)?;
    let mut engines = Engines::open(&args.play.engines)?;
    let now = engines.find(&engine.id)?;
    let builds = engines.builds()?;
    builds.keep(&now)?;
    let before = builds.list(&now.id).into_iter().find(|build| build.sha256 != now.sha256);
    let Some(before) = before else {
        let hash = &now.sha256[..HASH_DIGITS.min(now.sha256.len())];
        out_line!(
            "this is the first build of {} that is kept ({hash}); change and build the engine, \
             then run this command again to test the new build against this one",
            now.id
        );
        return Ok(());
    };
    let previous = builds.entry(&now, &before);
    let game = create::game_of(args, &engines, std::slice::from_ref(spec))?;
    let budget = spec.budget.or(args.budget).unwrap_or(Budget::wall_per_move(DEFAULT_MOVE_US));
    check_limited(&budget)?;
    let mut players = [
        contestant_of(&mut engines, &now, engine, budget, (game.0, &game.1))?,
        contestant_of(&mut engines, &previous, engine, budget, (game.0, &game.1))?,
    ];
    for (player, _) in &mut players {
        let hash = &player.module_sha256[..HASH_DIGITS.min(player.module_sha256.len())];
        player.name = format!("{} {hash}", player.engine);
    }
    let sprt = sprt.map_or(DEFAULT_TEST, |SprtArg(setup)| setup);
    let plan =
        ArenaPlan { format: Format::Match { pairs: PAIRS_MAX }, players: &[], sprt: Some(sprt) };
    create::run_with(args, &plan, engines, game, players.into(), &OwnPacks::default())
}
