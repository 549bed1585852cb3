//! Creates arenas that the server's operator requests, and the commands that play them. What is
//! valid is decided by the functions that check the arguments of `sandboard arena`.

use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use sandboard_games::{GameInfo, Variant};
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, Sprt, SprtSetup};

use super::{CliEngineProvider, spec};
use crate::arena::{
    ArenaParts, check_rounds, contestant, default_settings, make_names_unique, new_setup, sized,
    unused_dir,
};
use crate::engines::{Engines, check_limited};
use crate::plan::random_seed;
use crate::seat::{PlayerSpec, SeatSpec};
use crate::{game_named, variant_of};
use sandboard_arena::{ArenaFolder, FolderError, OpenFolder};
use sandboard_arena_plan::{Contestant, Ledger, LedgerError, Openings};
use sandboard_bout::driver::EnginePlayer;
use sandboard_engine::Budget;
use sandboard_server::{ApiResult, ArenaFormat, ArenaRunner, NewArena, Problem, ProblemKind};

/// The extra pairs of a level meeting in a knockout, as on the command line.
const TIE_BREAKS: u32 = 4;

impl ArenaRunner for CliEngineProvider {
    fn create(&self, arenas: &Path, request: &NewArena) -> ApiResult<String> {
        let mut engines = self.engines();
        let game = game_named(engines.games(), &request.game).map_err(at("game"))?;
        let variant = Some(request.variant.as_str()).filter(|text| !text.is_empty());
        let variant = variant_of(game, variant).map_err(at("variant"))?;
        let variant = sized(game, &variant).map_err(at("variant"))?;
        let players = load_players(&mut engines, request, (game, &variant))?;
        drop(engines);
        let openings = request.openings.as_ref().map(|list| {
            let bytes = list.text.clone().into_bytes();
            let openings = Openings::parse(bytes, Path::new(&list.name), game, &variant);
            Ok((openings.map_err(at("openings"))?, list.name.clone()))
        });
        let openings = openings.transpose()?;
        let now = SystemTime::now();
        let parts = ArenaParts {
            game: (game, &variant),
            format: format_of(request),
            sprt: test_of(request)?,
            players: &players,
            openings: openings.as_ref().map(|(openings, file)| (openings, file.clone())),
            settings: default_settings(),
            seed: request.seed.unwrap_or_else(random_seed),
        };
        let setup = new_setup(parts, now).map_err(internal)?;
        check_rounds(&setup).map_err(|(_, reason)| Problem::unprocessable("count", reason))?;
        Ledger::new(&setup).map_err(|error| match error {
            LedgerError::Sprt(_) | LedgerError::TestWithoutTwoPlayers => at("sprt")(error),
            error => at("format")(error),
        })?;
        let dir = match request.name.as_str() {
            "" => unused_dir(arenas, &setup, now).map_err(internal)?,
            name => arenas.join(name),
        };
        let taken =
            || Problem::new(ProblemKind::Conflict, "another arena has this name").at("name");
        if OpenFolder::holds_arena(&dir) {
            return Err(taken());
        }
        let bytes = openings.as_ref().map(|(openings, _)| openings.bytes.as_slice());
        // The folder is locked until it is dropped.
        match ArenaFolder::create(&dir, None, &setup, bytes) {
            Ok(_) => Ok(setup.id),
            Err(FolderError::Taken(_)) => Err(taken()),
            Err(error) => Err(internal(error)),
        }
    }

    fn command(&self, arena: &Path, games_at_once: u16) -> Command {
        // The file of this program may have been replaced since: then the command reports it.
        let program = std::env::current_exe().unwrap_or_else(|_| "sandboard".into());
        let mut command = Command::new(program);
        command.arg("arena").arg("--resume").arg(arena).arg("--for-server");
        command.arg("--concurrency").arg(games_at_once.to_string());
        command.args(self.arguments.to_arguments(&self.folder));
        command
    }
}

/// Makes a problem at a field of an error.
fn at<E: std::fmt::Display>(field: impl Into<String>) -> impl FnOnce(E) -> Problem {
    move |error| Problem::unprocessable(field, format!("{error:#}"))
}

fn internal(error: impl std::fmt::Display) -> Problem {
    Problem::new(ProblemKind::Internal, format!("{error:#}"))
}

fn format_of(request: &NewArena) -> Format {
    let count = request.count;
    match request.format {
        ArenaFormat::Match => Format::Match { pairs: count },
        ArenaFormat::Gauntlet => Format::Gauntlet { challengers: 1, cycles: count },
        ArenaFormat::RoundRobin => Format::RoundRobin { cycles: count },
        ArenaFormat::Swiss => Format::Swiss { rounds: count },
        ArenaFormat::Knockout => Format::Knockout { pairs: count, tie_breaks: TIE_BREAKS },
        ArenaFormat::Ladder => Format::Ladder { pairs: count },
    }
}

/// The sequential test, as `--sprt ELO0,ELO1` has it.
fn test_of(request: &NewArena) -> ApiResult<Option<SprtSetup>> {
    let Some(test) = request.sprt else { return Ok(None) };
    if request.format != ArenaFormat::Match {
        return Err(Problem::unprocessable("sprt", "only a match can end by a sequential test"));
    }
    let (elo0, elo1) = (test.elo0, test.elo1);
    let setup = SprtSetup { model: EloModel::Normalized, elo0, elo1, alpha: 0.05, beta: 0.05 };
    Sprt::new(setup).map_err(at("sprt"))?;
    Ok(Some(setup))
}

fn budget(text: &str, field: &str) -> ApiResult<Budget> {
    let budget = text.parse::<Budget>().map_err(at(field))?;
    check_limited(&budget).map_err(at(field))?;
    crate::engines::check_budget(&budget).map_err(at(field))?;
    Ok(budget)
}

fn load_players(
    engines: &mut Engines,
    request: &NewArena,
    game: (&'static GameInfo, &Variant),
) -> ApiResult<Vec<(Contestant, EnginePlayer)>> {
    let common = budget(&request.budget, "budget")?;
    let mut players = Vec::with_capacity(request.players.len());
    for (index, player) in request.players.iter().enumerate() {
        let field = |name: &str| format!("players[{index}].{name}");
        let own = player.budget.as_deref().map(|text| budget(text, &field("budget")));
        let own = own.transpose()?;
        let engine = spec(&player.engine).map_err(|problem| match &problem.location {
            Some(location) => {
                let location = field(&format!("engine.{location}"));
                problem.at(location)
            }
            None => problem.at(field("engine")),
        })?;
        let seat = SeatSpec { player: PlayerSpec::Engine(engine), budget: own };
        let loaded = contestant(engines, &seat, own.unwrap_or(common), game);
        players.push(loaded.map_err(at(field("engine")))?);
    }
    make_names_unique(&mut players);
    Ok(players)
}
