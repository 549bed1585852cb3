//! The games of who bears a token of a contest: those of his own entries, without what others logged in them; of the organiser all.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use super::arenas::{Pairs, json, number, pairs, unknown};
use super::aside;
use super::contests::{Bearer, only};
use crate::arena::store::{Packed, Query};
use crate::arena::{GameKey, GameRow};
use crate::contest::desk::Who;
use crate::record::Record;
use crate::server::App;
use crate::server::contests::Stage;
use crate::server::problem::{Answer, Kind, Problem};

/// How many games are listed at once.
const LIST: u32 = 50;
const LIST_MAX: u32 = 200;

/// Games of who bears a token.
#[derive(Serialize, ToSchema)]
pub struct OwnGames {
    /// The arena that they are of; empty: there is none yet.
    arena: String,
    /// The names of all players of it, by number.
    players: Vec<String>,
    /// The latest first.
    #[schema(value_type = Vec<Object>)]
    games: Vec<GameRow>,
    /// What to ask `before` for the rest; null: there is none.
    next: Option<String>,
}

/// Whether a player of a bout is one's own: of the organiser everybody is.
fn is_own(who: &Who, house: &[String], player: &str) -> bool {
    match who {
        Who::Organiser => true,
        Who::Entrant(entrant) => {
            // Who was out and is in again has a number behind the name.
            let name = player.strip_suffix(')').and_then(|name| name.rsplit_once(" ("));
            let version = name.map_or(player, |(name, _)| name);
            let of = version.rsplit_once(" v").map(|(entrant, _)| entrant);
            of == Some(entrant.name.as_str()) && !house.iter().any(|id| id == player)
        }
    }
}

/// `GET /contests/{id}/games`.
pub async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
    asked: Pairs,
) -> Answer<axum::Json<OwnGames>> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let names = app.contests.read(&stage, stage.arenas().await)?;
    let mut query = Query { limit: LIST, ..Query::default() };
    let mut arena = names.first().cloned().unwrap_or_default();
    for (name, value) in pairs(asked)? {
        match name.as_str() {
            "arena" => arena = named(&names, &value)?,
            "before" => {
                let wrong = || Problem::bad("before", "it is no game's name");
                query.before = Some(GameKey::of_name(&value).ok_or_else(wrong)?);
            }
            "limit" => query.limit = number(&name, &value)?.clamp(1, LIST_MAX),
            _ => return Err(unknown(&name)),
        }
    }
    if arena.is_empty() {
        let (players, games) = (Vec::new(), Vec::new());
        return Ok(axum::Json(OwnGames { arena, players, games, next: None }));
    }
    aside(move || {
        let failed = |error| app.contests.unreadable(&stage.id, &error);
        let exhibit = app.arenas.opened(&stage.arena_dir(&arena)).map_err(failed)?;
        let players = exhibit.card().players;
        let whose =
            (0..).zip(&players).filter(|(_, name)| is_own(&who, &stage.contest.house, name));
        let wanted: Vec<Option<u32>> = match &who {
            Who::Organiser => vec![None],
            Who::Entrant(_) => whose.map(|(player, _)| Some(player)).collect(),
        };
        let mut found = Vec::new();
        for player in wanted {
            found.extend(exhibit.games(&Query { player, ..query.clone() }).map_err(failed)?);
        }
        // Of two of his own who met a game comes twice.
        found.sort_by_key(|it| std::cmp::Reverse(it.game));
        found.dedup_by_key(|it| it.game);
        let more = found.len() >= query.limit as usize;
        found.truncate(query.limit as usize);
        let next = found.last().filter(|_| more).map(|last| last.game.name());
        let games = found.iter().map(GameRow::from).collect();
        Ok(axum::Json(OwnGames { arena, players, games, next }))
    })
    .await
}

fn named(names: &[String], arena: &str) -> Answer<String> {
    let none = || Problem::new(Kind::NotFound, "the contest has no arena of this name");
    names.iter().find(|name| *name == arena).cloned().ok_or_else(none)
}

/// `GET /contests/{id}/games/{arena}/{name}`.
pub async fn one(
    State(app): State<Arc<App>>,
    Path((id, arena, name)): Path<(String, String, String)>,
    bearer: Bearer,
) -> Answer<Response> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let names = app.contests.read(&stage, stage.arenas().await)?;
    let arena = named(&names, &arena)?;
    let key = GameKey::of_name(&name).ok_or_else(not_yours)?;
    let shown = aside(move || {
        let failed = |error| app.contests.unreadable(&stage.id, &error);
        let exhibit = app.arenas.opened(&stage.arena_dir(&arena)).map_err(failed)?;
        let bytes = exhibit.record(key).map_err(failed)?.ok_or_else(not_yours)?;
        shown(&app, &stage, &who, &bytes)
    });
    Ok(json(shown.await?))
}

/// `GET /contests/{id}/trials/{number}`.
pub async fn trial(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: Bearer,
) -> Answer<Response> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let own = app.contests.read(&stage, stage.store.trials(only(&who)).await)?;
    if !own.iter().any(|trial| trial.number == number) {
        return Err(not_yours());
    }
    let packed: Option<Packed> =
        app.contests.read(&stage, stage.store.trial_record(number).await)?;
    let packed = packed.ok_or_else(not_yours)?;
    let shown = aside(move || {
        let bytes = packed.unpack().map_err(|error| app.contests.unreadable(&stage.id, &error))?;
        shown(&app, &stage, &who, &bytes)
    });
    Ok(json(shown.await?))
}

fn not_yours() -> Problem {
    Problem::new(Kind::NotFound, "there is no finished game of yours of this name")
}

/// The record of a game, without what others than its reader logged and thought in it. Err: he did not play.
fn shown(app: &App, stage: &Stage, who: &Who, bytes: &[u8]) -> Answer<Bytes> {
    let record: Result<Record, _> = serde_json::from_slice(bytes);
    let record = record.map_err(|error| app.contests.unreadable(&stage.id, &error))?;
    let house = &stage.contest.house;
    without_others(record, |player| is_own(who, house, player)).ok_or_else(not_yours)
}

fn without_others(mut record: Record, is_own: impl Fn(&str) -> bool) -> Option<Bytes> {
    let own: Vec<bool> = record.players.iter().map(|player| is_own(&player.name)).collect();
    if !own.contains(&true) {
        return None;
    }
    record.logs.retain(|log| own.get(log.player) == Some(&true));
    let is_own = |seat: u8| {
        let mut whose = record.players.iter().zip(&own);
        whose.any(|(player, own)| *own && player.seats.contains(&seat))
    };
    for ply in record.plies.iter_mut().filter(|ply| !is_own(ply.seat)) {
        ply.line = None;
    }
    Some(record.to_json().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::store::{Entrant, Status};

    #[test]
    fn players_are_their_entrants_own() {
        let ann = |name: &str| {
            let (name, token) = (name.to_owned(), String::new());
            let (status, reason) = (Status::In, String::new());
            Who::Entrant(Entrant { name, token, status, reason, since_ms: 0 })
        };
        let house = ["random-mover".to_owned(), "ann v7".to_owned()];
        let check = |who: &Who, player: &str, expected: bool| {
            assert_eq!(is_own(who, &house, player), expected, "{player}");
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
        check(&Who::Organiser, "random-mover", true);
    }
}
