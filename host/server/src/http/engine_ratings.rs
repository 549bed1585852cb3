//! The route that shows how an engine is rated in the arenas of this machine. It plays nothing; an
//! arena's ratings are relative to its own players.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::arenas::{find_arena, view_permit};
use super::{Admitted, Path, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_arena_plan::{Filter, Interval, PlayerView, Unrated, View};

/// The most arenas of an answer, the newest first: their tables take time.
const ARENAS_MAX: usize = 5;

/// How an engine is rated.
#[derive(Serialize, ToSchema)]
pub(crate) struct EngineRatings {
    /// In the newest arenas that it plays in; an arena may have it several times.
    ratings: Vec<EngineRating>,
}

/// The rating of one player of an arena.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct EngineRating {
    /// The arena's id.
    arena: String,
    /// The arena's name.
    arena_name: String,
    game: String,
    variant: String,
    /// When the arena was created, as RFC 3339.
    created_at: String,
    /// The name of the engine in the arena.
    name: String,
    version: String,
    /// The options that are set.
    options: BTreeMap<String, String>,
    budget: String,
    /// The number of players in the arena.
    players: usize,
    /// Its place, from 1.
    place: u32,
    /// Its counted games. A game of more than two players counts once for each opponent.
    games: u64,
    /// The rating in Elo, relative to the mean of the arena's players, with its 95 % interval;
    /// null: see `unrated`.
    #[schema(value_type = Option<Object>)]
    rating: Option<Interval>,
    /// Why there is no rating; null: there is one, or the game has no ratings.
    #[schema(value_type = Option<String>)]
    unrated: Option<Unrated>,
}

/// Handles `GET /engines/{id}/ratings`.
pub(crate) async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> ApiResult<axum::Json<EngineRatings>> {
    let searched = app.clone();
    let found = run_blocking(move || {
        let named = searched.engines.find_engine(&name);
        let is_there = named.is_some();
        let (id, version) = named.unwrap_or((name, None));
        let mut cards = searched.arenas.list();
        cards.retain(|card| card.engines.contains(&id));
        Ok((is_there, id, version, cards))
    });
    let (is_there, id, version, cards) = found.await?;
    if cards.is_empty() && !is_there {
        let detail = "no engine of this name is in the folder or in any arena";
        return Err(Problem::new(ProblemKind::NotFound, detail));
    }
    let mut ratings = Vec::new();
    for card in cards.into_iter().take(ARENAS_MAX) {
        // An arena may be deleted in the meantime.
        let Ok(arena_cache) = find_arena(&app, card.id).await else { continue };
        let permit = view_permit(&app).await?;
        let view = run_blocking(move || {
            let view = arena_cache.view(&Filter::default());
            drop(permit);
            Ok(view)
        });
        ratings.extend(of_engine(&view.await?, &id, version.as_deref()));
    }
    Ok(axum::Json(EngineRatings { ratings }))
}

/// Returns the ratings of the players of an arena that are this engine.
fn of_engine(view: &View, id: &str, version: Option<&str>) -> Vec<EngineRating> {
    let is_it = |player: &&PlayerView| {
        player.engine == id && version.is_none_or(|version| player.version == version)
    };
    let rating = |player: &PlayerView| EngineRating {
        arena: view.id.clone(),
        arena_name: view.name.clone(),
        game: view.game.clone(),
        variant: view.variant.clone(),
        created_at: view.created_at.clone(),
        name: player.name.clone(),
        version: player.version.clone(),
        options: player.options.clone(),
        budget: player.budget.clone(),
        players: view.players.len(),
        place: player.place,
        games: player.by_seat.iter().map(|tally| tally.games()).sum(),
        rating: player.rating,
        unrated: player.unrated,
    };
    view.players.iter().filter(is_it).map(rating).collect()
}
