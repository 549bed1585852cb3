//! Contests of this server over HTTP, as far as they are looked at. What one asks and who stands where is for everybody; who bears a
//! token of one is told what is his, its organiser everything. What is changed is in `contest_desk.rs`.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use axum::extract::{ConnectInfo, FromRequestParts, Path, State};
use axum::http::request::Parts;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::aside;
use crate::contest::desk::Who;
use crate::contest::likeness::{Flag, PAPER};
use crate::contest::lot::commitment;
use crate::contest::store::{Act, State as EntryState, Status, Submission, Trial};
use crate::contest::{Contest, Phase, version_name};
use crate::record::rfc3339;
use crate::server::App;
use crate::server::contests::{Stage, Table};
use crate::server::guard::bearer_of;
use crate::server::problem::{Answer, Kind, Problem};

/// A contest in the list of them.
#[derive(Serialize, ToSchema)]
pub struct ContestCard {
    /// Its id, which is the name of its folder.
    id: String,
    /// Its name, for people.
    name: String,
    /// The game's id.
    game: String,
    /// The variant's text.
    variant: String,
    /// `announced`, `open` or `closed`, by its dates.
    #[schema(value_type = String)]
    phase: Phase,
    /// From when on entries are taken, as RFC 3339; null: from the beginning.
    opens: Option<String>,
    /// Until when entries are taken, as RFC 3339; null: nothing is said.
    closes: Option<String>,
    /// Since when all is played, as RFC 3339; null: it is not.
    over: Option<String>,
    /// Whether a process of this machine runs it.
    running: bool,
    /// How many entrants are in.
    entrants: usize,
}

/// A contest, as everybody may know it.
#[derive(Serialize, ToSchema)]
pub struct ContestTold {
    /// As in the list.
    #[serde(flatten)]
    card: ContestCard,
    /// What it asks of entries: its file, with what is not said filled in.
    #[schema(value_type = Object)]
    asks: Contest,
    /// The hash of the seed that all chance comes from, in hexadecimal.
    commitment: String,
    /// The seed, in hexadecimal; null until all is played.
    seed: Option<String>,
    /// The server's time, as RFC 3339.
    now: String,
    /// Its tables, the one that decides first.
    tables: Vec<Table>,
}

/// What who bears a token may know besides.
#[derive(Serialize, ToSchema)]
pub struct Own {
    /// The entrant's name; null: it is the organiser's token.
    name: Option<String>,
    /// His entries, of the organiser everybody's, the latest first.
    entries: Vec<EntryTold>,
    /// His unrated bouts, likewise.
    trials: Vec<TrialTold>,
    /// Of an entrant himself alone.
    entrants: Vec<EntrantTold>,
    /// Pairs of entries that are much alike; for the organiser alone.
    #[schema(value_type = Vec<Object>)]
    flags: Vec<Flag>,
    /// What was done, the latest first; for the organiser alone.
    #[schema(value_type = Vec<Object>)]
    acts: Vec<Act>,
}

/// Somebody who submits entries.
#[derive(Serialize, ToSchema)]
pub struct EntrantTold {
    /// His name.
    name: String,
    /// `in`, `withdrawn` or `disqualified`.
    #[schema(value_type = String)]
    status: Status,
    /// Why he is not in; empty: nothing is said.
    reason: String,
    /// Since when he is known, in milliseconds since 1970.
    since_ms: i64,
}

/// An entry.
#[derive(Serialize, ToSchema)]
pub struct EntryTold {
    /// Its number, over all entrants.
    number: i64,
    /// Its name in results.
    name: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    sha256: String,
    /// How long it is.
    bytes: u64,
    /// When it came, in milliseconds since 1970.
    submitted_ms: i64,
    /// `waiting`, `accepted`, `retrying` (accepted, and tried again), `refused` or `undecided`.
    #[schema(value_type = String)]
    state: EntryState,
    /// When it was tried last, in milliseconds since 1970.
    judged_ms: Option<i64>,
    /// What was found then, stage by stage, as of `sandboard contest check`; null in lists, and before.
    #[schema(value_type = Option<Object>)]
    report: Option<Value>,
}

/// An unrated bout.
#[derive(Serialize, ToSchema)]
pub struct TrialTold {
    /// Its number.
    number: i64,
    /// Who asked.
    entrant: String,
    /// The number of the entry.
    entry: i64,
    /// The engine of the house.
    house: String,
    /// The side that the entry has, 0 or 1.
    side: u8,
    /// When it was asked for, in milliseconds since 1970.
    asked_ms: i64,
    /// How it ended; null: it was not played yet.
    sentence: Option<String>,
}

/// The token that a request bears, and where it comes from.
pub struct Bearer {
    token: Option<String>,
    from: Option<IpAddr>,
}

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Ok(Self {
            token: bearer_of(&parts.headers).map(str::to_owned),
            from: from.map(|ConnectInfo(from)| from.ip()),
        })
    }
}

impl Bearer {
    /// The contest, and who this is in it. One sentence for all who are nobody.
    pub async fn at(&self, app: &App, id: &str) -> Answer<(Arc<Stage>, Who)> {
        let stage = app.contests.stage(id).await?;
        let nobody = || {
            let detail =
                "this wants a token of the contest as `Authorization: Bearer …`, and this is none";
            Problem::new(Kind::Unauthorized, detail)
        };
        let token = self.token.as_deref().ok_or_else(nobody)?;
        if let Some(who) = app.contests.read(&stage, stage.who(token).await)? {
            return Ok((stage, who));
        }
        match self.from.is_some_and(|from| app.guesses.take(from, Instant::now())) {
            true => Err(nobody()),
            false => Err(Problem::new(Kind::TooMany, "too many wrong tokens")),
        }
    }
}

/// The entrant whose things are wanted of the store; none: everybody's.
pub(super) fn only(who: &Who) -> Option<&str> {
    match who {
        Who::Organiser => None,
        Who::Entrant(entrant) => Some(&entrant.name),
    }
}

async fn card(app: &App, stage: &Stage) -> Answer<ContestCard> {
    let entrants = app.contests.read(stage, stage.store.entrants().await)?;
    let contest = &stage.contest;
    Ok(ContestCard {
        id: stage.id.clone(),
        name: contest.name.clone(),
        game: contest.game.id.into(),
        variant: contest.variant.text(),
        phase: contest.phase(SystemTime::now()),
        opens: contest.opens.map(rfc3339),
        closes: contest.closes.map(rfc3339),
        over: app.contests.read(stage, stage.over_since().await)?,
        running: stage.is_run(),
        entrants: entrants.iter().filter(|entrant| entrant.status == Status::In).count(),
    })
}

/// `GET /contests`.
pub async fn list(State(app): State<Arc<App>>) -> axum::Json<Vec<ContestCard>> {
    let mut cards = Vec::new();
    for stage in app.contests.all().await {
        // One that cannot be read now hides no other.
        cards.extend(card(&app, &stage).await.ok());
    }
    axum::Json(cards)
}

/// `GET /contests/{id}`.
pub async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Answer<axum::Json<ContestTold>> {
    let stage = app.contests.stage(&id).await?;
    let card = card(&app, &stage).await?;
    let names = app.contests.read(&stage, stage.arenas().await)?;
    let entrants = app.contests.read(&stage, stage.store.entrants().await)?;
    let entries = app.contests.read(&stage, stage.store.entries(None).await)?;
    let (here, of) = (app.clone(), stage.clone());
    let tables = aside(move || {
        let tables = of.tables(&here.arenas, &names, (&entrants, &entries));
        tables.map_err(|error| here.contests.unreadable(&of.id, &error))
    });
    Ok(axum::Json(ContestTold {
        asks: stage.contest.clone(),
        commitment: commitment(&stage.founding.seed),
        seed: card.over.is_some().then(|| crate::hex(&stage.founding.seed)),
        now: rfc3339(SystemTime::now()),
        tables: tables.await?.to_vec(),
        card,
    }))
}

/// `GET /contests/{id}/own`.
pub async fn own(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: Bearer,
) -> Answer<axum::Json<Own>> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let read = &app.contests;
    let submissions = read.read(&stage, stage.store.entries(only(&who)).await)?;
    let trials = read.read(&stage, stage.store.trials(only(&who)).await)?;
    let (name, entrants, flags, acts) = match &who {
        Who::Entrant(entrant) => {
            (Some(entrant.name.clone()), vec![entrant.clone()], Vec::new(), Vec::new())
        }
        Who::Organiser => {
            let entrants = read.read(&stage, stage.store.entrants().await)?;
            let mut acts = read.read(&stage, stage.store.acts().await)?;
            acts.reverse();
            (None, entrants, flags(&app, &stage).await?, acts)
        }
    };
    let entrants = entrants.into_iter().map(|entrant| EntrantTold {
        name: entrant.name,
        status: entrant.status,
        reason: entrant.reason,
        since_ms: entrant.since_ms,
    });
    Ok(axum::Json(Own {
        name,
        entries: submissions.iter().rev().map(|it| entry_told(&submissions, it, false)).collect(),
        trials: trials.into_iter().rev().map(trial_told).collect(),
        entrants: entrants.collect(),
        flags,
        acts,
    }))
}

/// What whoever runs the contest has written of likeness.
async fn flags(app: &App, stage: &Stage) -> Answer<Vec<Flag>> {
    let paper = app.contests.read(stage, stage.store.paper(PAPER).await)?;
    let Some(text) = paper else { return Ok(Vec::new()) };
    serde_json::from_str(&text).map_err(|error| app.contests.unreadable(&stage.id, &error))
}

fn entry_told(all: &[Submission], entry: &Submission, with_report: bool) -> EntryTold {
    let report = entry.report.as_deref().filter(|_| with_report);
    EntryTold {
        number: entry.number,
        name: version_name(all, entry),
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
        submitted_ms: entry.submitted_ms,
        state: entry.state,
        judged_ms: entry.judged_ms,
        report: report.and_then(|text| serde_json::from_str(text).ok()),
    }
}

fn trial_told(trial: Trial) -> TrialTold {
    let Trial { number, entrant, entry, house, side, asked_ms, sentence } = trial;
    TrialTold { number, entrant, entry, house, side, asked_ms, sentence }
}

/// `GET /contests/{id}/entries/{number}`.
pub async fn entry(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: Bearer,
) -> Answer<axum::Json<EntryTold>> {
    let (stage, who) = bearer.at(&app, &id).await?;
    let all = app.contests.read(&stage, stage.store.entries(only(&who)).await)?;
    let none = || Problem::new(Kind::NotFound, "there is no entry of yours with this number");
    if !all.iter().any(|entry| entry.number == number) {
        return Err(none());
    }
    let entry = app.contests.read(&stage, stage.store.entry(number).await)?.ok_or_else(none)?;
    Ok(axum::Json(entry_told(&all, &entry, true)))
}
