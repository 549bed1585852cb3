//! Routes with which the operator has arenas played: create and start, resume, and what runs.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::arenas::find_arena;
use super::{Admitted, Json, Path, run_blocking};
use crate::App;
use crate::arenas::RunsView;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::wire::{ARENA_PLAYERS_MAX, NewArena, ResumeArena};
use sandboard_arena_plan::State as ArenaState;

/// The longest name of an arena, in characters.
const NAME_CHARS: usize = 60;

/// The largest seed of a request: the largest whole number that every client can write in JSON.
const SEED_MAX: u64 = (1 << 53) - 1;

/// An arena that was created and is played.
#[derive(Serialize, ToSchema)]
pub(crate) struct StartedArena {
    /// The arena's id.
    id: String,
}

/// Handles `GET /arena-runs`.
pub(crate) async fn list(_: Admitted, State(app): State<Arc<App>>) -> axum::Json<RunsView> {
    axum::Json(app.arena_runs.view())
}

/// Handles `POST /arenas`.
pub(crate) async fn create(
    _: Admitted,
    State(app): State<Arc<App>>,
    Json(request): Json<NewArena>,
) -> ApiResult<(StatusCode, axum::Json<StartedArena>)> {
    run_blocking(move || {
        let folder = arenas_folder(&app)?;
        check_request(&request)?;
        let games = request.games_at_once.unwrap_or_else(|| app.arena_runs.default_games_at_once());
        app.arena_runs.check(games)?;
        let id = app.arena_runner.create(&folder, &request)?;
        let arena = app.arenas.find(&id)?;
        app.hub.notify_operator("info", format!("created the arena {id}"));
        let command = app.arena_runner.command(&arena.dir, games);
        app.arena_runs.start(&id, &arena.dir, games, command)?;
        Ok((StatusCode::CREATED, axum::Json(StartedArena { id })))
    })
    .await
}

/// Handles `POST /arenas/{id}/resume`.
pub(crate) async fn resume(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(request): Json<ResumeArena>,
) -> ApiResult<StatusCode> {
    let arena = find_arena(&app, id).await?;
    run_blocking(move || {
        arena.refresh().map_err(|error| app.arenas.unreadable(&error))?;
        let conflict = |detail| Err(Problem::new(ProblemKind::Conflict, detail));
        match arena.card().state {
            ArenaState::Complete => return conflict("the arena is complete"),
            ArenaState::Running | ArenaState::Stopping => {
                return conflict("the arena is being played");
            }
            ArenaState::Open => (),
        }
        let games = request.games_at_once.unwrap_or_else(|| app.arena_runs.default_games_at_once());
        let command = app.arena_runner.command(&arena.dir, games);
        app.arena_runs.start(&arena.id, &arena.dir, games, command)?;
        app.hub.notify_operator("info", format!("resumed the arena {}", arena.id));
        Ok(StatusCode::ACCEPTED)
    })
    .await
}

fn arenas_folder(app: &App) -> ApiResult<PathBuf> {
    let none = || Problem::new(ProblemKind::Conflict, "this server has no folder of arenas");
    app.arenas.folder().map(PathBuf::from).ok_or_else(none)
}

/// Checks what needs no engine.
fn check_request(request: &NewArena) -> ApiResult<()> {
    if !is_arena_name(&request.name) {
        let detail = format!(
            "a name has at most {NAME_CHARS} letters, digits, inner spaces and . _ - ', and begins \
             with a letter or a digit"
        );
        return Err(Problem::unprocessable("name", detail));
    }
    if !(2..=ARENA_PLAYERS_MAX).contains(&request.players.len()) {
        let detail = format!("an arena has 2 to {ARENA_PLAYERS_MAX} players");
        return Err(Problem::bad_request("players", detail));
    }
    if !(1..=1_000_000).contains(&request.count) {
        return Err(Problem::bad_request("count", "it is not a number from 1 to 1000000"));
    }
    if request.seed.is_some_and(|seed| seed > SEED_MAX) {
        return Err(Problem::bad_request("seed", format!("it is larger than {SEED_MAX}")));
    }
    Ok(())
}

/// Returns whether a name is empty or can name a folder directly inside the folder of arenas.
fn is_arena_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '\'');
    name.is_empty()
        || (name.chars().count() <= NAME_CHARS
            && name.trim() == name
            && name.starts_with(char::is_alphanumeric)
            && name.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_arenas_are_names_of_folders() {
        let check =
            |name: &str, expected: bool| assert_eq!(is_arena_name(name), expected, "{name}");
        check("", true);
        check("Spring cup 2026", true);
        check("春季赛", true);
        check(&"a".repeat(60), true);
        check(&"a".repeat(61), false);
        for wrong in [" ", ".", "..", ".hidden", "-rf", "a/b", "a\\b", "../a", "a\0", "a\n", "a "] {
            check(wrong, false);
        }
    }
}
