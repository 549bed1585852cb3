//! Routes of a contest's games, finished and in progress. An entrant sees the games of their own
//! entries, without what the other players keep to themselves; the organiser sees everything.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::arenas::{
    QueryPairs, json, parse_number, query_pairs, unknown_parameter, wait_for_news,
};
use super::contests::{BearerToken, entrant_filter};
use super::games::{PositionRequest, position_after};
use super::{Json, Path, export};
use crate::App;
use crate::arenas::{LiveBoard, Part};
use crate::contests::OpenContest;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::wire::Position;
use sandboard_arena::store::{GameQuery, PackedRecord, StoredGame};
use sandboard_arena_plan::{GameKey, GameRow};
use sandboard_bout::record::Record;
use sandboard_contest::entrant_view::{live_for_entrant, record_for_entrant, row_for_entrant};
use sandboard_contest::service::Caller;

/// The default and the largest number of games in a list.
const LIMIT_DEFAULT: u32 = 50;
const LIMIT_MAX: u32 = 200;

/// Games that the token's holder may see.
#[derive(Serialize, ToSchema)]
pub(crate) struct OwnGames {
    /// The name of the arena; empty: there is none yet.
    arena: String,
    /// The names of all players of the arena, by index.
    players: Vec<String>,
    #[schema(value_type = Vec<Object>)]
    games: Vec<GameRow>,
    /// The value of `before` for the next page; null: this is the last one.
    next: Option<String>,
}

/// Games in progress that the token's holder may see.
#[derive(Serialize, ToSchema)]
pub(crate) struct OwnLiveGames {
    /// The version of this content; `since` waits for another one.
    version: String,
    /// The names of all players of the arena, by index.
    players: Vec<String>,
    games: Vec<LiveBoard>,
    /// Whether games are shown after their end only: each seat sees the game in its own way.
    after_end_only: bool,
}

/// Returns whether a player belongs to the token's holder. To the organiser, all players do.
fn is_own(caller: &Caller, house: &[String], player: &str) -> bool {
    match caller {
        Caller::Organiser => true,
        Caller::Entrant(entrant) => {
            // An entrant that was out and returned has a number after the name.
            let name = player.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
            let version = name.map_or(player, |(name, _)| name);
            let of = version.rsplit_once(" v").map(|(entrant, _)| entrant);
            of == Some(entrant.name.as_str()) && !house.iter().any(|id| id == player)
        }
    }
}

/// Handles `GET /contests/{id}/games`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    parameters: QueryPairs,
) -> ApiResult<axum::Json<OwnGames>> {
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let names = app.contests.read(&contest, contest.arenas().await)?;
    let mut query = GameQuery { limit: LIMIT_DEFAULT, ..GameQuery::default() };
    let mut arena = names.first().cloned().unwrap_or_default();
    for (name, value) in query_pairs(parameters)? {
        match name.as_str() {
            "arena" => arena = find_arena_name(&names, &value)?,
            "before" => {
                let wrong = || Problem::unprocessable("before", crate::messages::NOT_A_GAME_NAME);
                query.before = Some(GameKey::from_name(&value).ok_or_else(wrong)?);
            }
            "limit" => query.limit = parse_number(&name, &value)?.clamp(1, LIMIT_MAX),
            _ => return Err(unknown_parameter(&name)),
        }
    }
    if arena.is_empty() {
        let (players, games) = (Vec::new(), Vec::new());
        return Ok(axum::Json(OwnGames { arena, players, games, next: None }));
    }
    let guest_work = app.guest_work.clone();
    let read = move || {
        let failed = |error| app.contests.unreadable(&contest.id, &error);
        let arena_cache = app.arenas.open(&contest.arena_dir(&arena)).map_err(failed)?;
        let players_before = arena_cache.player_names().map_err(failed)?;
        let own_players = (0..)
            .zip(&players_before)
            .filter(|(_, name)| is_own(&caller, &contest.rules.house, name));
        let players_listed: Vec<Option<u32>> = match &caller {
            Caller::Organiser => vec![None],
            Caller::Entrant(_) => own_players.map(|(player, _)| Some(player)).collect(),
        };
        let mut found = Vec::new();
        for player in players_listed {
            found
                .extend(arena_cache.games(&GameQuery { player, ..query.clone() }).map_err(failed)?);
        }
        // The games can be newer than the names that were read before them.
        let players = arena_cache.player_names().map_err(failed)?;
        // A game between two entries of the same entrant is found twice.
        found.sort_by_key(|it| std::cmp::Reverse(it.game));
        found.dedup_by_key(|it| it.game);
        let more = found.len() >= query.limit as usize;
        found.truncate(query.limit as usize);
        let next = found.last().filter(|_| more).map(|last| last.game.name());
        let row = |game: &StoredGame| {
            let house = &contest.rules.house;
            row_for_entrant(GameRow::from(game), &players, |name| is_own(&caller, house, name))
        };
        let games = found.iter().map(row).collect();
        Ok(axum::Json(OwnGames { arena, players, games, next }))
    };
    guest_work.run(read).await
}

fn find_arena_name(names: &[String], arena: &str) -> ApiResult<String> {
    let none = || Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_CONTEST_ARENA);
    names.iter().find(|name| *name == arena).cloned().ok_or_else(none)
}

/// Handles `GET /contests/{id}/games/{arena}/{name}`.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path((id, arena, name)): Path<(String, String, String)>,
    bearer: BearerToken,
) -> ApiResult<Response> {
    let record = game_record(app.clone(), &id, &arena, &name, &bearer).await?;
    Ok(json(record.to_json().into()))
}

/// Handles `GET /contests/{id}/games/{arena}/{name}/export/{format}`.
pub(crate) async fn export_game(
    State(app): State<Arc<App>>,
    Path((id, arena, name, format)): Path<(String, String, String, String)>,
    bearer: BearerToken,
) -> ApiResult<Response> {
    let record = game_record(app.clone(), &id, &arena, &name, &bearer).await?;
    record_as_file(app, record, format, format!("{id}-{arena}-{name}")).await
}

/// Handles `GET /contests/{id}/trials/{number}`.
pub(crate) async fn trial(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: BearerToken,
) -> ApiResult<Response> {
    let record = trial_record(app.clone(), &id, number, &bearer).await?;
    Ok(json(record.to_json().into()))
}

/// Handles `GET /contests/{id}/trials/{number}/export/{format}`.
pub(crate) async fn export_trial(
    State(app): State<Arc<App>>,
    Path((id, number, format)): Path<(String, i64, String)>,
    bearer: BearerToken,
) -> ApiResult<Response> {
    let record = trial_record(app.clone(), &id, number, &bearer).await?;
    record_as_file(app, record, format, format!("{id}-trial-{number}")).await
}

/// Handles `POST /contests/{id}/position`. A contest's token is no login: `POST /position` is not
/// open to its holder.
pub(crate) async fn position(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
    Json(request): Json<PositionRequest>,
) -> ApiResult<axum::Json<Position>> {
    let (contest, _) = bearer.authorize(&app, &id).await?;
    let game = contest.rules.game.id;
    if request.game != game {
        let detail = format!("the token is for positions of the contest's game, `{game}`");
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let hub = app.hub.clone();
    let work = move || position_after(&hub.games.now(), request).map(axum::Json);
    app.guest_work.run(work).await
}

/// Handles `GET /contests/{id}/live/{arena}`.
pub(crate) async fn live(
    State(app): State<Arc<App>>,
    Path((id, arena)): Path<(String, String)>,
    bearer: BearerToken,
    parameters: QueryPairs,
) -> ApiResult<Response> {
    let mut since = None;
    for (name, value) in query_pairs(parameters)? {
        match name.as_str() {
            "since" => since = Some(value),
            _ => return Err(unknown_parameter(&name)),
        }
    }
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let names = app.contests.read(&contest, contest.arenas().await)?;
    let arena = find_arena_name(&names, &arena)?;
    let (opened, dir) = (app.clone(), contest.arena_dir(&arena));
    let contest_id = contest.id.clone();
    let open = move || {
        opened.arenas.open(&dir).map_err(|error| opened.contests.unreadable(&contest_id, &error))
    };
    let arena_cache = app.guest_work.run(open).await?;
    if !wait_for_news(&app, &arena_cache, Part::Live, since.as_deref()).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let guest_work = app.guest_work.clone();
    let read = move || {
        let failed = |error| app.contests.unreadable(&contest.id, &error);
        let house = &contest.rules.house;
        let is_organiser = matches!(caller, Caller::Organiser);
        let after_end_only = !is_organiser && contest.rules.game.features.has_views();
        let selected = arena_cache.live_games(|game, players| match is_organiser {
            true => Some(game.clone()),
            false if after_end_only => None,
            false => live_for_entrant(game.clone(), players, |name| is_own(&caller, house, name)),
        });
        let (version, players, games) = selected.map_err(failed)?;
        Ok(axum::Json(OwnLiveGames { version, players, games, after_end_only }).into_response())
    };
    guest_work.run(read).await
}

/// Returns the record of a finished game as the token's holder may see it.
async fn game_record(
    app: Arc<App>,
    id: &str,
    arena: &str,
    name: &str,
    bearer: &BearerToken,
) -> ApiResult<Record> {
    let (contest, caller) = bearer.authorize(&app, id).await?;
    let names = app.contests.read(&contest, contest.arenas().await)?;
    let arena = find_arena_name(&names, arena)?;
    let key = GameKey::from_name(name).ok_or_else(not_found)?;
    let guest_work = app.guest_work.clone();
    let read = move || {
        let failed = |error| app.contests.unreadable(&contest.id, &error);
        let arena_cache = app.arenas.open(&contest.arena_dir(&arena)).map_err(failed)?;
        let bytes = arena_cache.record(key).map_err(failed)?.ok_or_else(not_found)?;
        record_for_reader(&app, &contest, &caller, &bytes)
    };
    guest_work.run(read).await
}

/// Returns the record of an unrated bout as the token's holder may see it.
async fn trial_record(
    app: Arc<App>,
    id: &str,
    number: i64,
    bearer: &BearerToken,
) -> ApiResult<Record> {
    let (contest, caller) = bearer.authorize(&app, id).await?;
    let own = app.contests.read(&contest, contest.store.trials(entrant_filter(&caller)).await)?;
    if !own.iter().any(|trial| trial.number == number) {
        return Err(not_found());
    }
    let packed: Option<PackedRecord> =
        app.contests.read(&contest, contest.store.trial_record(number).await)?;
    let packed = packed.ok_or_else(not_found)?;
    let guest_work = app.guest_work.clone();
    let read = move || {
        let bytes =
            packed.unpack().map_err(|error| app.contests.unreadable(&contest.id, &error))?;
        record_for_reader(&app, &contest, &caller, &bytes)
    };
    guest_work.run(read).await
}

async fn record_as_file(
    app: Arc<App>,
    record: Record,
    format: String,
    name: String,
) -> ApiResult<Response> {
    let games = app.hub.games.now();
    app.guest_work.run(move || export::record_as_file(&games, &record, &format, &name)).await
}

fn not_found() -> Problem {
    Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_CONTEST_GAME)
}

/// Returns a record as its reader may see it. Err: the reader did not play.
fn record_for_reader(
    app: &App,
    contest: &OpenContest,
    caller: &Caller,
    bytes: &[u8],
) -> ApiResult<Record> {
    let record: Result<Record, _> = serde_json::from_slice(bytes);
    let record = record.map_err(|error| app.contests.unreadable(&contest.id, &error))?;
    let house = &contest.rules.house;
    if matches!(caller, Caller::Organiser) {
        return Ok(record);
    }
    let shown = record_for_entrant(record, |player| is_own(caller, house, player));
    shown.ok_or_else(not_found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_contest::store::Entrant;
    use sandboard_contest_rules::Status;

    #[test]
    fn an_entrant_owns_its_versions() {
        let ann = |name: &str| {
            let (name, token) = (name.to_owned(), String::new());
            let (status, reason) = (Status::In, String::new());
            Caller::Entrant(Entrant { name, token, status, reason, since_ms: 0 })
        };
        let house = ["random-mover".to_owned(), "ann v7".to_owned()];
        let check = |caller: &Caller, player: &str, expected: bool| {
            assert_eq!(is_own(caller, &house, player), expected, "{player}");
        };
        check(&ann("ann"), "ann v1", true);
        check(&ann("ann"), "ann v12", true);
        check(&ann("ann"), "ann v7", false);
        check(&ann("ann"), "ann v3 (2)", true);
        check(&ann("anna"), "ann v3 (2)", false);
        check(&ann("ann"), "anna v1", false);
        check(&ann("ann"), "ann", false);
        check(&ann("ann"), "ann v2 v1", false);
        check(&ann("ann v2"), "ann v2 v1", true);
        check(&ann("ann v2"), "ann v2", false);
        check(&ann("random-mover"), "random-mover", false);
        check(&Caller::Organiser, "random-mover", true);
    }
}
