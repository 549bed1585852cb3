//! What an engine used in bouts that are over, out of their records. Loads no engine, and no more
//! than one record at a time.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::bouts::ended_at;
use super::{Admitted, aside};
use crate::engine::Spent;
use crate::record::Record;
use crate::referee::What;
use crate::server::App;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::store::{self, Bout};

/// How many receipts there are where nobody says how many.
const LIST: u32 = 20;
const LIST_MAX: u32 = 100;

/// How many are wanted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// At most so many.
    limit: Option<u32>,
}

/// Receipts of an engine.
#[derive(Serialize, ToSchema)]
pub struct Receipts {
    /// The latest first.
    receipts: Vec<Receipt>,
}

/// What an engine used in one bout, as one of its players. Sums over its moves and over answers
/// that were no moves; what it thought on its opponents' time is not in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Receipt {
    /// The bout's id.
    bout: String,
    /// When it ended.
    ended_at: String,
    /// The game's id.
    game: String,
    /// The variant's text.
    variant: String,
    /// The engine's version.
    version: String,
    /// Of its module; null: not known.
    sha256: Option<String>,
    /// How many moves it made.
    moves: u32,
    /// Wall time.
    wall_ms: u64,
    /// CPU time; null: it was not counted.
    cpu_ms: Option<u64>,
    /// Fuel; null: it was not counted.
    fuel: Option<u64>,
    /// The most memory that it held; null: not known.
    memory_bytes: Option<u64>,
    /// What it did wrong.
    faults: Vec<String>,
    /// How the bout ended.
    sentence: String,
    /// Whether it won; null: nobody did.
    won: Option<bool>,
}

/// Which engine.
struct Engine {
    id: String,
    /// Of this version; none: of any.
    version: Option<String>,
}

/// `GET /engines/{id}/receipts`.
pub async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    limit: Result<Query<Limit>, axum::extract::rejection::QueryRejection>,
) -> Answer<axum::Json<Receipts>> {
    let Query(Limit { limit }) = limit.map_err(|error| Problem::bad("limit", error.body_text()))?;
    let limit = limit.unwrap_or(LIST).clamp(1, LIST_MAX);
    let failed = |error| Problem::new(Kind::Internal, error);
    let shelf = app.clone();
    let known = aside(move || {
        let named = shelf.engines.engine_named(&name);
        Ok(named.map(|(id, version)| Engine { id, version }).ok_or(name))
    });
    // One that is no longer there has its bouts all the same.
    let (is_there, engine) = match known.await? {
        Ok(engine) => (true, engine),
        Err(id) => (false, Engine { id, version: None }),
    };
    let query = store::Query { engine: engine.id.clone(), limit, ..store::Query::default() };
    let bouts = app.hub.store.bouts(&query).await.map_err(failed)?;
    if bouts.is_empty() && !is_there {
        let detail = "there is no such engine, and no bout of one";
        return Err(Problem::new(Kind::NotFound, detail));
    }
    let engine = Arc::new(engine);
    let mut receipts = Vec::new();
    for Bout { id, .. } in bouts {
        // A bout may be replaced meanwhile, and none is ever removed.
        let Some(bout) = app.hub.store.bout(&id).await.map_err(failed)? else { continue };
        let engine = engine.clone();
        receipts.extend(aside(move || of_bout(&bout, &engine)).await?);
        if receipts.len() >= limit as usize {
            receipts.truncate(limit as usize);
            break;
        }
    }
    Ok(axum::Json(Receipts { receipts }))
}

fn of_bout(bout: &Bout, engine: &Engine) -> Answer<Vec<Receipt>> {
    // The rules have seen it when it was stored.
    let record: Record = serde_json::from_str(&bout.record).map_err(|error| {
        let detail = format!("the record of {} cannot be read: {error}", bout.id);
        Problem::new(Kind::Internal, detail)
    })?;
    let players = 0..record.players.len();
    Ok(players.filter_map(|player| of_player(bout, &record, player, engine)).collect())
}

/// The receipt of a player; none: it is not that engine.
fn of_player(bout: &Bout, record: &Record, player: usize, wanted: &Engine) -> Option<Receipt> {
    let setup = record.players.get(player)?;
    let engine = setup.engine.as_ref().filter(|engine| engine.id == wanted.id)?;
    if wanted.version.as_ref().is_some_and(|version| *version != engine.version) {
        return None;
    }
    let own = record.plies.iter().filter(|ply| setup.seats.contains(&ply.seat));
    let mut sum = Sum::default();
    let mut moves = 0;
    for ply in own {
        moves += 1;
        sum.add(&ply.spent);
    }
    let mut faults = Vec::new();
    for incident in &record.events {
        match &incident.what {
            What::Fault { player: whose, sentence, spent, .. } if *whose == player => {
                sum.add(spent);
                faults.push(sentence.clone());
            }
            What::Refused { player: whose, spent: Some(spent), .. }
            | What::Resigned { player: whose, spent: Some(spent) }
            | What::DrawAccepted { player: whose, spent: Some(spent) }
                if *whose == player =>
            {
                sum.add(spent);
            }
            _ => (),
        }
    }
    let result = record.result.as_ref();
    let winner = result.filter(|result| result.counts()).and_then(|result| result.winner);
    let side = setup.seats.first().map(|seat| seat & 1);
    Some(Receipt {
        bout: bout.id.clone(),
        ended_at: ended_at(bout.ended_ms),
        game: record.game.clone(),
        variant: record.variant.clone(),
        version: engine.version.clone(),
        sha256: engine.module_sha256.clone(),
        moves,
        wall_ms: sum.wall_us / 1000,
        cpu_ms: sum.cpu_us.map(|us| us / 1000),
        fuel: sum.fuel,
        memory_bytes: sum.memory_bytes,
        faults,
        sentence: bout.sentence.clone(),
        won: winner.zip(side).map(|(winner, side)| winner == side),
    })
}

/// What calls have taken together. What some of them do not say is that of the others.
#[derive(Default)]
struct Sum {
    wall_us: u64,
    cpu_us: Option<u64>,
    fuel: Option<u64>,
    memory_bytes: Option<u64>,
}

impl Sum {
    fn add(&mut self, spent: &Spent) {
        let sum = |whole: Option<u64>, part: Option<u64>| match (whole, part) {
            (Some(whole), Some(part)) => Some(whole.saturating_add(part)),
            (one, other) => one.or(other),
        };
        self.wall_us = self.wall_us.saturating_add(spent.wall_us);
        self.cpu_us = sum(self.cpu_us, spent.cpu_us);
        self.fuel = sum(self.fuel, spent.fuel);
        self.memory_bytes = self.memory_bytes.max(spent.peak_memory_bytes);
    }
}
