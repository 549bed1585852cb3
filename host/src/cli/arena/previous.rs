//! `arena --against-previous`: the build of an engine that is on hand against the one before it, until a sequential test
//! has decided. Every build that is looked at is kept by its hash, so that the next one has something to be held against.

use anyhow::Result;
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SprtSetup};

use super::BeginArgs;
use super::begin::{self, Wanted};
use super::players::{USUAL_US, contestant, contestant_of};
use super::sprt::SprtArg;
use crate::budget::Budget;
use crate::cli::engines::Engines;
use crate::cli::seat::SeatSpec;

/// What is tested where nobody says: in normalised Elo, as fishtest does.
const USUAL: SprtSetup =
    SprtSetup { model: EloModel::Normalized, elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
/// At most so many pairs.
const PAIRS: u32 = 100_000;
/// So many digits of a hash tell builds apart for people.
const DIGITS: usize = 8;

/// Plays it, or says that there is nothing yet to play against.
pub fn run(spec: &SeatSpec, sprt: Option<SprtArg>, args: &BeginArgs) -> Result<()> {
    let engine = spec.engine()?;
    let mut engines = Engines::open(&args.play.engines)?;
    let now = engines.find(&engine.id)?;
    let builds = engines.builds()?;
    builds.keep(&now)?;
    let before = builds.of(&now.id).into_iter().find(|build| build.sha256 != now.sha256);
    let Some(before) = before else {
        let hash = &now.sha256[..DIGITS.min(now.sha256.len())];
        println!(
            "this is the first build of {} that is kept ({hash}): change it, build it, and ask again to have the new one \
             play against this one",
            now.id
        );
        return Ok(());
    };
    let previous = builds.entry(&now, &before);
    let game = begin::game_of(args, &engines, std::slice::from_ref(spec))?;
    let budget = spec.budget.or(args.budget).unwrap_or(Budget::wall_per_move(USUAL_US));
    let mut players = [
        contestant(&mut engines, spec, budget, (game.0, &game.1))?,
        contestant_of(&mut engines, &previous, engine, budget, (game.0, &game.1))?,
    ];
    for (player, _) in &mut players {
        let hash = &player.module_sha256[..DIGITS.min(player.module_sha256.len())];
        player.name = format!("{} {hash}", player.engine);
    }
    let sprt = sprt.map_or(USUAL, |SprtArg(setup)| setup);
    let wanted = Wanted { format: Format::Match { pairs: PAIRS }, players: &[], sprt: Some(sprt) };
    begin::run_with(args, &wanted, engines, game, players.into())
}
