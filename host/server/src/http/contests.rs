//! Routes that show contests. Rules and tables are public; an entrant's token shows the entrant's
//! own data, the organiser's token everything. Changes are in `contest_actions`.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Path;
use super::invitations::InvitationView;
use crate::App;
use crate::contests::{ContestTable, OpenContest};
use crate::guard::bearer_of;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::proxy::ClientOrigin;
use sandboard_common::date::rfc3339;
use sandboard_contest::service::Caller;
use sandboard_contest::similarity::{Flag, Flags, HouseCopy, PROPERTY as SIMILARITY_PROPERTY};
use sandboard_contest::store::{AuditEntry, Submission, Trial};
use sandboard_contest::version_name;
use sandboard_contest_rules::{Contest, Phase, State as EntryState, Status};

/// A contest in the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContestCard {
    /// The id: the name of the contest's folder.
    id: String,
    /// The name, for people.
    name: String,
    game: String,
    variant: String,
    /// `announced`, `open` or `closed`, by its dates.
    #[schema(value_type = String)]
    phase: Phase,
    /// When submissions open, as RFC 3339; null: from the beginning.
    opens_at: Option<String>,
    /// When submissions close, as RFC 3339; null: no date is set.
    closes_at: Option<String>,
    /// When the last game ended, as RFC 3339; null: the contest is not over.
    ended_at: Option<String>,
    /// Whether a process on this machine runs it.
    running: bool,
    /// The number of active entrants.
    entrants: usize,
    /// The server's time, as RFC 3339.
    server_time: String,
}

/// The public view of a contest.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContestView {
    /// The fields of the list.
    #[serde(flatten)]
    card: ContestCard,
    /// The contest's file, with its defaults filled in.
    #[schema(value_type = Object)]
    rules: Contest,
    /// The hash of the contest's file, its openings and its seed, in hexadecimal.
    commitment: String,
    /// The seed, in hexadecimal; null until the contest is over.
    seed: Option<String>,
    /// The tables, the deciding one first.
    tables: Vec<ContestTable>,
}

/// What the holder of a token sees in addition.
#[derive(Serialize, ToSchema)]
pub(crate) struct ContestAccount {
    /// The entrant's name; null: it is the organiser's token.
    name: Option<String>,
    /// The entrant's entries, newest first; for the organiser, all entries.
    entries: Vec<EntryView>,
    /// The entrant's unrated bouts, newest first; for the organiser, all of them.
    trials: Vec<TrialView>,
    /// For an entrant, only the entrant; for the organiser, all.
    entrants: Vec<EntrantView>,
    /// Pairs of similar entries; for the organiser only.
    #[schema(value_type = Vec<Object>)]
    similar_entries: Vec<Flag>,
    /// Entries that are copies of house engines; for the organiser only.
    #[schema(value_type = Vec<Object>)]
    house_copies: Vec<HouseCopy>,
    /// The invitations, newest first; for the organiser only.
    invitations: Vec<InvitationView>,
    /// The activity log, newest first; for the organiser only.
    #[schema(value_type = Vec<Object>)]
    activity: Vec<AuditEntry>,
}

/// An entrant: a participant who submits entries.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntrantView {
    /// The entrant's name.
    name: String,
    /// `in`, `withdrawn` or `disqualified`.
    #[schema(value_type = String)]
    status: Status,
    /// Why the entrant is out; empty: no reason was given.
    reason: String,
    /// When the entrant was added, in milliseconds since 1970.
    since_ms: i64,
}

/// An entry of a contest.
#[derive(Serialize, ToSchema)]
pub(crate) struct EntryView {
    /// The number, counted over all entrants.
    number: i64,
    /// The name in results.
    name: String,
    /// The SHA-256 of the module, in hexadecimal.
    sha256: String,
    /// The size of the module.
    bytes: u64,
    /// When it was submitted, in milliseconds since 1970.
    submitted_ms: i64,
    /// `waiting`, `accepted`, `retrying` (accepted, and tested again), `refused` or `undecided`.
    #[schema(value_type = String)]
    state: EntryState,
    /// When it was last tested, in milliseconds since 1970.
    tested_ms: Option<i64>,
    /// The report of that test, as by `sandboard contest check`; null in lists, and before the
    /// first test.
    #[schema(value_type = Option<Object>)]
    report: Option<Value>,
}

/// An unrated bout of an entry against a house engine.
#[derive(Serialize, ToSchema)]
pub(crate) struct TrialView {
    /// The number of the trial.
    number: i64,
    /// The name of the entrant who requested it.
    entrant: String,
    /// The number of the entry.
    entry: i64,
    /// The id of the house engine.
    house: String,
    /// The side of the entry, 0 or 1.
    side: u8,
    /// When it was requested, in milliseconds since 1970.
    requested_ms: i64,
    /// The result, in one sentence; null: it was not played yet.
    sentence: Option<String>,
}

/// Extractor: the token and the address of a request.
pub(crate) struct BearerToken {
    token: Option<String>,
    /// The client's address; none: the request has not passed the guard.
    from: Option<IpAddr>,
}

impl<S: Send + Sync> FromRequestParts<S> for BearerToken {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let origin = parts.extensions.get::<ClientOrigin>();
        Ok(Self {
            token: bearer_of(&parts.headers).map(str::to_owned),
            from: origin.map(|origin| origin.address),
        })
    }
}

impl BearerToken {
    /// Returns the contest and the role of the token in it. The same error for every invalid token.
    pub(crate) async fn authorize(
        &self,
        app: &App,
        id: &str,
    ) -> ApiResult<(Arc<OpenContest>, Caller)> {
        let contest = app.contests.find(id).await?;
        let invalid_token = || {
            let detail = "send a valid token of the contest as `Authorization: Bearer …`";
            Problem::new(ProblemKind::Unauthorized, detail)
        };
        let token = self.token.as_deref().ok_or_else(invalid_token)?;
        if let Some(caller) = app.contests.read(&contest, contest.caller(token).await)? {
            return Ok((contest, caller));
        }
        Err(self.count_guess(app, invalid_token()))
    }

    /// Returns the contest, and the secret of one of its invitations. The invitation may have
    /// ended.
    pub(crate) async fn invitation(
        &self,
        app: &App,
        id: &str,
    ) -> ApiResult<(Arc<OpenContest>, String)> {
        let contest = app.contests.find(id).await?;
        let invalid = || {
            let detail =
                "this is not an invitation to the contest: ask the organiser for a new link";
            Problem::new(ProblemKind::Unauthorized, detail)
        };
        let secret = self.token.as_deref().ok_or_else(invalid)?;
        match app.contests.read(&contest, contest.has_invitation(secret).await)? {
            true => Ok((contest, secret.to_owned())),
            false => Err(self.count_guess(app, invalid())),
        }
    }

    /// Counts a wrong secret of this client. Returns the problem, or that there were too many.
    fn count_guess(&self, app: &App, problem: Problem) -> Problem {
        match self.from.is_some_and(|from| app.guess_limiter.take(from, Instant::now())) {
            true => problem,
            false => Problem::new(ProblemKind::TooMany, "too many wrong tokens"),
        }
    }
}

/// Returns the entrant to whom queries are restricted; none: the organiser sees everyone's data.
pub(super) fn entrant_filter(caller: &Caller) -> Option<&str> {
    match caller {
        Caller::Organiser => None,
        Caller::Entrant(entrant) => Some(&entrant.name),
    }
}

async fn card(app: &App, contest: &OpenContest) -> ApiResult<ContestCard> {
    let entrants = app.contests.read(contest, contest.store.entrants().await)?;
    let rules = &contest.rules;
    Ok(ContestCard {
        id: contest.id.clone(),
        name: rules.name.clone(),
        game: rules.game.id.into(),
        variant: rules.variant.text(),
        phase: rules.phase(SystemTime::now()),
        opens_at: rules.opens.map(rfc3339),
        closes_at: rules.closes.map(rfc3339),
        ended_at: app.contests.read(contest, contest.ended_at().await)?,
        running: contest.is_running(),
        entrants: entrants.iter().filter(|entrant| entrant.status == Status::In).count(),
        server_time: rfc3339(SystemTime::now()),
    })
}

/// Handles `GET /contests`.
pub(crate) async fn list(State(app): State<Arc<App>>) -> axum::Json<Vec<ContestCard>> {
    let mut cards = Vec::new();
    for contest in app.contests.all().await {
        // A contest that cannot be read does not hide the others.
        cards.extend(card(&app, &contest).await.ok());
    }
    axum::Json(cards)
}

/// Handles `GET /contests/{id}`.
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<ContestView>> {
    let contest = app.contests.find(&id).await?;
    let card = card(&app, &contest).await?;
    let names = app.contests.read(&contest, contest.arenas().await)?;
    let entrants = app.contests.read(&contest, contest.store.entrants().await)?;
    let entries = app.contests.read(&contest, contest.store.entries(None).await)?;
    let (shared_app, shown_id) = (app.clone(), contest.id.clone());
    let unreadable = move |error| shared_app.contests.unreadable(&shown_id, &error);
    let (arenas, listed) = (app.arenas.clone(), (entrants, entries));
    let tables = contest.tables(&app.guest_work, arenas, names, listed, unreadable).await?;
    Ok(axum::Json(ContestView {
        rules: contest.rules.clone(),
        commitment: contest.founding.commitment(),
        seed: card.ended_at.is_some().then(|| sandboard_common::hex::hex(&contest.founding.seed)),
        tables: tables.to_vec(),
        card,
    }))
}

/// Handles `GET /contests/{id}/account`.
pub(crate) async fn account(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    bearer: BearerToken,
) -> ApiResult<axum::Json<ContestAccount>> {
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let contests = &app.contests;
    let submissions =
        contests.read(&contest, contest.store.entries(entrant_filter(&caller)).await)?;
    let trials = contests.read(&contest, contest.store.trials(entrant_filter(&caller)).await)?;
    let mut invitations = Vec::new();
    let (name, entrants, flags, activity) = match &caller {
        Caller::Entrant(entrant) => {
            (Some(entrant.name.clone()), vec![entrant.clone()], Flags::default(), Vec::new())
        }
        Caller::Organiser => {
            let entrants = contests.read(&contest, contest.store.entrants().await)?;
            let mut activity = contests.read(&contest, contest.store.audit_log().await)?;
            activity.reverse();
            invitations = contests.read(&contest, contest.store.invitations().await)?;
            (None, entrants, flags(&app, &contest).await?, activity)
        }
    };
    let entrants = entrants.into_iter().map(|entrant| EntrantView {
        name: entrant.name,
        status: entrant.status,
        reason: entrant.reason,
        since_ms: entrant.since_ms,
    });
    Ok(axum::Json(ContestAccount {
        name,
        entries: submissions.iter().rev().map(|it| entry_view(&submissions, it, false)).collect(),
        trials: trials.into_iter().rev().map(trial_view).collect(),
        entrants: entrants.collect(),
        similar_entries: flags.similar,
        house_copies: flags.house_copies,
        invitations: invitations.into_iter().rev().map(InvitationView::from).collect(),
        activity,
    }))
}

/// Reads the flags that the contest's runner has stored.
async fn flags(app: &App, contest: &OpenContest) -> ApiResult<Flags> {
    let flags = app.contests.read(contest, contest.store.property(SIMILARITY_PROPERTY).await)?;
    let Some(text) = flags else { return Ok(Flags::default()) };
    serde_json::from_str(&text).map_err(|error| app.contests.unreadable(&contest.id, &error))
}

fn entry_view(all: &[Submission], entry: &Submission, with_report: bool) -> EntryView {
    let report = entry.report.as_deref().filter(|_| with_report);
    EntryView {
        number: entry.number,
        name: version_name(all, entry),
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
        submitted_ms: entry.submitted_ms,
        state: entry.state,
        tested_ms: entry.judged_ms,
        report: report.and_then(|text| serde_json::from_str(text).ok()),
    }
}

fn trial_view(trial: Trial) -> TrialView {
    let Trial { number, entrant, entry, house, side, asked_ms, sentence } = trial;
    TrialView { number, entrant, entry, house, side, requested_ms: asked_ms, sentence }
}

/// Handles `GET /contests/{id}/entries/{number}`.
pub(crate) async fn entry(
    State(app): State<Arc<App>>,
    Path((id, number)): Path<(String, i64)>,
    bearer: BearerToken,
) -> ApiResult<axum::Json<EntryView>> {
    let (contest, caller) = bearer.authorize(&app, &id).await?;
    let all = app.contests.read(&contest, contest.store.entries(entrant_filter(&caller)).await)?;
    let not_found = || Problem::new(ProblemKind::NotFound, "you have no entry with this number");
    if !all.iter().any(|entry| entry.number == number) {
        return Err(not_found());
    }
    let entry =
        app.contests.read(&contest, contest.store.entry(number).await)?.ok_or_else(not_found)?;
    Ok(axum::Json(entry_view(&all, &entry, true)))
}
