//! A room as the store keeps it, and engines as records and plans name them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::live::Live;
use super::plan::Plan;
use super::{Opening, Room, Told};
use crate::bout::EnginePlayer;
use crate::record::{EngineRecord, Record};
use crate::server::hub::Rules;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::store::{Bout, StoredRoom, Write};
use crate::server::wire::{Engine, EngineSeat, Event, Presence, text_of};
use crate::server::writer::Emission;

/// What is kept of a room beside its record.
#[derive(Serialize, Deserialize)]
struct Kept {
    created_at: String,
    plan: Plan,
    tickets: Vec<KeptTicket>,
    arrived: Vec<bool>,
    paused: bool,
}

#[derive(Serialize, Deserialize)]
struct KeptTicket {
    sha256: String,
    player: Option<usize>,
}

/// The engine of a seat that is to be taken.
pub(super) fn told(seat: &EngineSeat) -> Engine {
    let option =
        |(name, value): (&String, &serde_json::Value)| Some((name.clone(), text_of(value)?));
    let options = seat.options.iter().filter_map(option).collect();
    Engine { id: seat.id.clone(), version: String::new(), options }
}

/// The engine of a record.
pub(super) fn told_of(record: &EngineRecord) -> Engine {
    let EngineRecord { id, version, options, .. } = record.clone();
    Engine { id, version, options }
}

/// The seat of an engine that plays.
pub(super) fn seat_of(engine: &EnginePlayer) -> EngineSeat {
    let option = |(name, value): &(String, String)| (name.clone(), value.clone().into());
    let options = engine.options.iter().map(option).collect();
    EngineSeat { id: engine.id.clone(), options, threads: Some(engine.threads) }
}

impl Room {
    /// What the store is to keep of the room beside its record.
    pub(super) fn kept(&self, live: &Live) -> Write {
        let ticket = |ticket: &super::live::Ticket| KeptTicket {
            sha256: ticket.sha256.clone(),
            player: ticket.player,
        };
        let kept = Kept {
            created_at: self.about.created_at.clone(),
            plan: live.plan.clone(),
            tickets: live.tickets.iter().map(ticket).collect(),
            arrived: live.chairs.iter().map(|chair| chair.state != Presence::Open).collect(),
            paused: live.paused,
        };
        // Keys are texts, and no value can fail.
        let about = serde_json::to_string(&kept).unwrap_or_default();
        Write::Room { id: self.id.clone(), about }
    }

    /// The same, as it stands.
    pub fn to_keep(&self) -> Write {
        self.kept(&self.live())
    }

    /// The bout of a record that has its result, as the store keeps it.
    pub(super) fn over(&self, record: &Record, ended_ms: u64) -> Write {
        let names = record.players.iter().map(|player| player.name.clone()).collect();
        let engines = record.players.iter().filter_map(|player| player.engine.as_ref());
        let ids: BTreeSet<String> = engines.map(|engine| engine.id.clone()).collect();
        let result = match &record.result {
            Some(result) if !result.counts() => "aborted".to_owned(),
            Some(result) => result.winner.map_or("draw".to_owned(), |side| side.to_string()),
            None => String::new(),
        };
        Write::Bout(Box::new(Bout {
            id: self.id.clone(),
            game: record.game.clone(),
            variant: record.variant.clone(),
            names,
            engines: ids.into_iter().collect(),
            sentence: record.result.as_ref().map_or(String::new(), |it| it.sentence.clone()),
            result,
            plies: u32::try_from(record.plies.len()).unwrap_or(u32::MAX),
            ended_ms: i64::try_from(ended_ms).unwrap_or(i64::MAX),
            record: text(record),
        }))
    }
}

/// The text of a record.
pub fn text(record: &Record) -> String {
    String::from_utf8(record.to_json()).unwrap_or_default()
}

/// A room out of the store.
pub fn restored(stored: StoredRoom) -> Answer<Opening> {
    let StoredRoom { id, about, record } = stored;
    let damaged = |error: String| {
        Problem::new(Kind::Internal, format!("the room {id} of the store cannot be read: {error}"))
    };
    let kept: Kept = serde_json::from_str(&about).map_err(|error| damaged(error.to_string()))?;
    let parse = |text: String| Record::parse(text.as_bytes(), sandboard_games::game);
    let record = record.map(parse).transpose().map_err(|error| damaged(error.to_string()))?;
    let Kept { created_at, plan, tickets, arrived, paused } = kept;
    let tickets = tickets.into_iter().map(|it| (it.sha256, it.player)).collect();
    Ok(Opening { id, created_at, plan, tickets, arrived, paused, record })
}

impl Room {
    /// Somebody takes the open place of a quick game.
    pub fn join(self: &std::sync::Arc<Self>, player: usize, name: &str, secret: &str) -> Emission {
        let mut live = self.live();
        live.tickets.push(super::live::Ticket::new(secret, Some(player)));
        if let Some(planned) = live.plan.players.get_mut(player)
            && !name.is_empty()
        {
            planned.name = name.to_owned();
        }
        let name = live.plan.players.get(player).map_or(String::new(), |it| it.name.clone());
        let writes = vec![self.kept(&live)];
        let event = Event::Seated { player, name, kind: "person", engine: None };
        drop(live);
        self.emission(writes, vec![Told::all(event)])
    }

    /// A player for whom there is no ticket yet, and the rules of the room.
    pub fn open_seat(&self) -> Option<(usize, Rules)> {
        let live = self.live();
        let player = live.plan.persons().find(|player| live.ticket_of(*player).is_none())?;
        let budget = live.plan.players.get(player)?.budget.to_string();
        let (game, variant) = (self.about.game.clone(), self.about.variant.clone());
        Some((player, Rules { game, variant, budget }))
    }

    /// Opens the room of the next bout for who has this ticket, or finds it.
    pub fn rematch(self: &std::sync::Arc<Self>, ticket: usize) -> Answer<(String, Vec<Emission>)> {
        let (plan, tickets) = {
            let live = self.live();
            if !matches!(live.stage, super::Stage::Over) {
                return Err(Problem::new(Kind::Conflict, "the bout is not over"));
            }
            if let Some(next) = &live.rematch {
                return Ok((next.clone(), Vec::new()));
            }
            if live.player(ticket).is_none() && live.chairs.iter().any(|chair| chair.person) {
                return Err(Problem::new(Kind::Forbidden, "this ticket is for no player"));
            }
            let tickets = live.tickets.iter().map(|it| (it.sha256.clone(), it.player));
            (live.plan.rematch(live.plan.seed)?, tickets.collect::<Vec<_>>())
        };
        let next = self.hub.rematch(self, plan, tickets)?;
        let winner = {
            let mut live = self.live();
            live.rematch.get_or_insert_with(|| next.id.clone()).clone()
        };
        let told = Told::all(Event::Rematch { room: winner.clone() });
        let kept = next.emission(vec![next.to_keep()], Vec::new());
        Ok((winner, vec![kept, self.emission(Vec::new(), vec![told])]))
    }
}
