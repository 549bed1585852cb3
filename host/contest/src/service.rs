//! The requests of organisers and entrants, from a page or a command: admission, submission,
//! trials, withdrawal, disqualification. Only writes to the store; the contest's runner finds the
//! work there.
//!
//! Invariant: an entrant sees only its own entries and bouts. Every action of the organiser is
//! written to the audit log with its reason.

use std::time::SystemTime;

use super::folder::CLOSES_PROPERTY;
use super::store::{
    AuditEntry, Entrant, Founding, Invitation, NAME_CHARS, Registration, Store, StoreError,
    Submission, Trial, Write, is_entrant_name,
};
use super::token;
use sandboard_common::date::rfc3339;
use sandboard_contest_rules::{Contest, Phase, State, Status};

/// The longest reason, in characters.
const REASON_CHARS: usize = 500;
/// How many requested trials of one entrant may wait.
const TRIALS_OPEN: u32 = 3;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The most entrants that one invitation can admit.
pub const PLACES_MAX: u32 = 1000;
/// The longest time for which an invitation is valid.
const INVITATION_TIME: std::time::Duration = std::time::Duration::from_secs(366 * 24 * 60 * 60);
/// The most invitations of a contest.
const INVITATIONS_MAX: usize = 1000;
/// A date this far in the past counts as now.
const CLOCK_TOLERANCE: std::time::Duration = std::time::Duration::from_secs(60);

/// The owner of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// The organiser of the contest.
    Organiser,
    /// One of the entrants.
    Entrant(Entrant),
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The contest does not take entries yet.
    #[error("entries are taken from {0} on")]
    NotYet(String),
    /// The contest no longer takes entries.
    #[error("entries were taken until {0}")]
    Closed(String),
    /// The entrant does not take part.
    #[error("{name} is {status} and cannot do that{}", because(reason))]
    NotParticipating {
        /// The entrant's name.
        name: String,
        /// The entrant's status.
        status: &'static str,
        /// The reason; empty if none was given.
        reason: String,
    },
    /// The entry is too long.
    #[error("the entry has {bytes} bytes; the contest takes at most {most}")]
    TooLong {
        /// The entry's length.
        bytes: u64,
        /// The longest length.
        most: u64,
    },
    /// The entry has no bytes.
    #[error("the entry is empty: send the bytes of a WebAssembly component")]
    Empty,
    /// The entrant has submitted too many entries.
    #[error("one entrant may submit {most} entries in 24 hours: try again later")]
    TooManyEntries { most: u32 },
    /// The entrant has requested too many trials.
    #[error("{most} trials are waiting: wait until one is played")]
    TooManyTrials { most: u32 },
    /// The entrant has requested too many trials today.
    #[error("{used} trials in 24 hours, and one entrant may request {most}: try again later")]
    TooManyTrialsADay { used: usize, most: u32 },
    /// The quota of stored bytes is used up.
    #[error("{what} takes {used} bytes already, {more} more would exceed the limit of {most}")]
    Quota {
        /// What is stored.
        what: String,
        /// The bytes stored so far.
        used: u64,
        /// The bytes of the refused request.
        more: u64,
        /// The most bytes.
        most: u64,
    },
    /// The entrant has no accepted entry with this number.
    #[error("{name} has no accepted entry{}", numbered(*.number))]
    NoEntry {
        /// The entrant's name.
        name: String,
        /// The number; `None`: any.
        number: Option<i64>,
    },
    /// No entry has this number.
    #[error("there is no entry {0}")]
    UnknownEntry(i64),
    /// No house engine has this id.
    #[error("`{id}` is not a house engine; there {}", are(house))]
    NotHouseEngine {
        /// The requested id.
        id: String,
        /// The ids of the house engines.
        house: Vec<String>,
    },
    /// A side is 0 or 1.
    #[error("a side is 0 or 1, not {0}")]
    Side(u8),
    /// No entrant has this name.
    #[error("no entrant is called `{name}`; there {}", are(names))]
    UnknownEntrant {
        /// The requested name.
        name: String,
        /// The names of the entrants.
        names: Vec<String>,
    },
    /// The name is invalid.
    #[error(
        "`{0}` is not a valid name: use 1 to {NAME_CHARS} letters, digits, spaces and . _ - ', without a space at the ends"
    )]
    InvalidName(String),
    /// The name belongs to a house engine.
    #[error("`{0}` is the name of a house engine")]
    HouseName(String),
    /// The name belongs to an entrant.
    #[error(
        "`{0}` is an entrant already; a new token would make the present one invalid, so ask for it \
         explicitly (`--new-token`; in the API `new_token`)"
    )]
    NameTaken(String),
    /// The number of places is not possible.
    #[error("an invitation is for 1 to {PLACES_MAX} entrants")]
    Places,
    /// The end of an invitation is not possible.
    #[error("an invitation must end in the future, and within a year")]
    InvitationEnd,
    /// There are too many invitations.
    #[error("a contest can have {INVITATIONS_MAX} invitations")]
    TooManyInvitations,
    /// No invitation has this number.
    #[error("there is no invitation {0}")]
    UnknownInvitation(i64),
    /// No invitation has this secret.
    #[error("this is not an invitation to the contest: ask the organiser for a new link")]
    NotInvited,
    /// The organiser has revoked the invitation.
    #[error("the organiser has revoked this invitation")]
    InvitationRevoked,
    /// The invitation has ended.
    #[error("this invitation was valid until {0}")]
    InvitationEnded(String),
    /// All places of the invitation are taken.
    #[error("all {0} places of this invitation are taken")]
    InvitationUsed(u32),
    /// The name of a registration belongs to an entrant.
    #[error("another entrant is called `{0}`: choose another name")]
    NameOfAnother(String),
    /// The contest is closed.
    #[error("the contest is closed: its date cannot change any more")]
    AlreadyClosed,
    /// The date is before the opening.
    #[error("the contest opens on {0} and cannot close before")]
    BeforeOpening(String),
    /// The date is in the past.
    #[error("{0} is in the past: to stop taking entries, close the contest now")]
    DatePassed(String),
    /// The reason is invalid.
    #[error("a reason is one line of 1 to {REASON_CHARS} characters")]
    Reason,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers, so no token can be made")]
    Random,
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

fn numbered(number: Option<i64>) -> String {
    number.map_or_else(String::new, |number| format!(" {number}"))
}

fn are(names: &[String]) -> String {
    match names {
        [] => "are none".into(),
        [one] => format!("is {one}"),
        names => format!("are {}", names.join(", ")),
    }
}

/// The word for a status.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::In => "in",
        Status::Withdrawn => "withdrawn",
        Status::Disqualified => "disqualified",
    }
}

/// Handles the requests of organisers and entrants.
#[derive(Clone, Copy)]
pub struct ContestService<'a> {
    /// The contest's store.
    pub store: &'a dyn Store,
    /// The contest, with changed dates.
    pub contest: &'a Contest,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

impl ContestService<'_> {
    /// The owner of a token; `None` if it is unknown.
    pub async fn caller(
        &self,
        founding: &Founding,
        token: &str,
    ) -> Result<Option<Caller>, StoreError> {
        let hash = token::hash(token);
        if hash == founding.organiser {
            return Ok(Some(Caller::Organiser));
        }
        Ok(self.store.entrant_of(&hash).await?.map(Caller::Entrant))
    }

    /// Admits an entrant. Returns the token. Refuses the name of an existing entrant, whose token
    /// only [`renew_token`](Self::renew_token) replaces.
    pub async fn admit(&self, name: &str) -> Result<String, ServiceError> {
        self.check_name(name)?;
        if self.store.entrants().await?.iter().any(|it| it.name == name) {
            return Err(ServiceError::NameTaken(name.into()));
        }
        let (entrant, token) = self.new_entrant(name)?;
        let act = self.act(format!("{name} is admitted"));
        self.store.commit(&[Write::Entrant(entrant), act]).await?;
        Ok(token)
    }

    fn check_name(&self, name: &str) -> Result<(), ServiceError> {
        if !is_entrant_name(name) {
            return Err(ServiceError::InvalidName(name.escape_debug().to_string()));
        }
        match self.contest.house.iter().any(|id| id == name) {
            true => Err(ServiceError::HouseName(name.into())),
            false => Ok(()),
        }
    }

    /// A new entrant, and its token.
    fn new_entrant(&self, name: &str) -> Result<(Entrant, String), ServiceError> {
        let token = token::generate().map_err(|_| ServiceError::Random)?;
        let entrant = Entrant {
            name: name.into(),
            token: token::hash(&token),
            status: Status::In,
            reason: String::new(),
            since_ms: self.now_ms,
        };
        Ok((entrant, token))
    }

    /// Makes an invitation for this number of entrants, until a date. Returns its secret, which is
    /// stored only as a hash.
    pub async fn invite(&self, places: u32, until: SystemTime) -> Result<String, ServiceError> {
        self.takes_entrants()?;
        if !(1..=PLACES_MAX).contains(&places) {
            return Err(ServiceError::Places);
        }
        if until <= self.now() || until > self.now() + INVITATION_TIME {
            return Err(ServiceError::InvitationEnd);
        }
        let all = self.store.invitations().await?;
        if all.len() >= INVITATIONS_MAX {
            return Err(ServiceError::TooManyInvitations);
        }
        let secret = token::generate_invitation().map_err(|_| ServiceError::Random)?;
        let since = until.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let invitation = Write::Invitation {
            secret: token::hash(&secret),
            places,
            created_ms: self.now_ms,
            expires_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        };
        let number = all.last().map_or(0, |last| last.number) + 1;
        let text =
            format!("invitation {number} is made, for {places} entrants until {}", rfc3339(until));
        self.store.commit(&[invitation, self.act(text)]).await?;
        Ok(secret)
    }

    /// Revokes an invitation. Entrants who have registered with it stay.
    pub async fn revoke_invitation(&self, number: i64) -> Result<(), ServiceError> {
        let all = self.store.invitations().await?;
        if !all.iter().any(|invitation| invitation.number == number) {
            return Err(ServiceError::UnknownInvitation(number));
        }
        let act = self.act(format!("invitation {number} is revoked"));
        Ok(self.store.commit(&[Write::InvitationRevoked(number), act]).await?)
    }

    /// The invitation with this secret, if an entrant can register with it now.
    pub async fn invitation(&self, secret: &str) -> Result<Invitation, ServiceError> {
        let found = self.store.invitation_of(&token::hash(secret)).await?;
        let invitation = found.ok_or(ServiceError::NotInvited)?;
        if invitation.is_revoked {
            return Err(ServiceError::InvitationRevoked);
        }
        if invitation.expires_ms <= self.now_ms {
            return Err(ServiceError::InvitationEnded(rfc3339(time_of(invitation.expires_ms))));
        }
        if invitation.used >= invitation.places {
            return Err(ServiceError::InvitationUsed(invitation.places));
        }
        self.takes_entrants()?;
        Ok(invitation)
    }

    /// Registers an entrant by an invitation. Returns the entrant's token.
    pub async fn register(&self, secret: &str, name: &str) -> Result<String, ServiceError> {
        let invitation = self.invitation(secret).await?;
        self.check_name(name)?;
        let (entrant, token) = self.new_entrant(name)?;
        let text = format!("{name} registers with invitation {}", invitation.number);
        let act = AuditEntry { at_ms: self.now_ms, text };
        match self.store.register(&token::hash(secret), &entrant, &act).await? {
            Registration::Registered => Ok(token),
            Registration::NameTaken => Err(ServiceError::NameOfAnother(name.into())),
            // Another entrant was faster, or the organiser revoked it meanwhile.
            Registration::NoPlace => Err(match self.invitation(secret).await {
                Err(error) => error,
                Ok(_) => ServiceError::InvitationUsed(invitation.places),
            }),
        }
    }

    /// Whether entrants can still be invited: not after the contest has closed.
    fn takes_entrants(&self) -> Result<(), ServiceError> {
        match self.contest.phase(self.now()) {
            Phase::Closed => self.takes_entries(),
            Phase::Announced | Phase::Open => Ok(()),
        }
    }

    /// Replaces the token of an entrant. Returns the new one.
    pub async fn renew_token(&self, name: &str) -> Result<String, ServiceError> {
        let entrant = self.entrant(name).await?;
        let token = token::generate().map_err(|_| ServiceError::Random)?;
        let entrant = Entrant { token: token::hash(&token), ..entrant };
        let act = self.act(format!("{name} gets a new token; the old one is invalid now"));
        self.store.commit(&[Write::Entrant(entrant), act]).await?;
        Ok(token)
    }

    /// The entrant with this name.
    async fn entrant(&self, name: &str) -> Result<Entrant, ServiceError> {
        let all = self.store.entrants().await?;
        match all.iter().find(|it| it.name == name) {
            Some(entrant) => Ok(entrant.clone()),
            None => {
                let names = all.into_iter().map(|it| it.name).collect();
                Err(ServiceError::UnknownEntrant { name: name.into(), names })
            }
        }
    }

    /// Whether the entrant may submit an entry now.
    pub async fn may_submit(&self, entrant: &Entrant) -> Result<(), ServiceError> {
        self.takes_entries()?;
        check_participates(entrant)?;
        let (most, since_ms) = (self.contest.entries_per_day, self.now_ms - DAY_MS);
        let own = self.store.entries(Some(&entrant.name)).await?;
        match own.iter().filter(|entry| entry.submitted_ms >= since_ms).count() >= most as usize {
            true => Err(ServiceError::TooManyEntries { most }),
            false => Ok(()),
        }
    }

    /// Stores an entry for testing. Returns its number.
    pub async fn submit(&self, entrant: &Entrant, module: &[u8]) -> Result<i64, ServiceError> {
        self.takes_entries()?;
        check_participates(entrant)?;
        let (bytes, most) = (module.len() as u64, self.contest.entry_bytes);
        match bytes {
            0 => return Err(ServiceError::Empty),
            bytes if bytes > most => return Err(ServiceError::TooLong { bytes, most }),
            _ => {}
        }
        self.check_quotas(entrant, bytes).await?;
        let most = self.contest.entries_per_day;
        let limit = (most, self.now_ms - DAY_MS);
        let number = self.store.submit(&entrant.name, module, self.now_ms, limit).await?;
        number.ok_or(ServiceError::TooManyEntries { most })
    }

    /// Whether the contest takes entries now.
    pub fn takes_entries(&self) -> Result<(), ServiceError> {
        let date_text = |date: Option<SystemTime>| date.map_or_else(String::new, rfc3339);
        match self.contest.phase(self.now()) {
            Phase::Open => Ok(()),
            Phase::Announced => Err(ServiceError::NotYet(date_text(self.contest.opens))),
            Phase::Closed => Err(ServiceError::Closed(date_text(self.contest.closes))),
        }
    }

    /// Requests an unrated bout of an entry against a house engine. Without `entry`, the latest
    /// accepted one plays. Returns the number of the trial.
    pub async fn request_trial(
        &self,
        entrant: &Entrant,
        entry: Option<i64>,
        house: &str,
        side: u8,
    ) -> Result<i64, ServiceError> {
        check_participates(entrant)?;
        if side > 1 {
            return Err(ServiceError::Side(side));
        }
        if !self.contest.house.iter().any(|id| id == house) {
            let (id, house) = (house.into(), self.contest.house.clone());
            return Err(ServiceError::NotHouseEngine { id, house });
        }
        let own = self.store.entries(Some(&entrant.name)).await?;
        let mut accepted = own.iter().rev().filter(|it| it.may_play());
        let found = accepted.find(|it| entry.is_none_or(|number| number == it.number));
        let found = found
            .ok_or_else(|| ServiceError::NoEntry { name: entrant.name.clone(), number: entry })?;
        let trial = Trial {
            number: 0,
            entrant: entrant.name.clone(),
            entry: found.number,
            house: house.into(),
            side,
            asked_ms: self.now_ms,
            sentence: None,
        };
        // The length of the record is not known yet.
        self.check_quotas(entrant, 1).await?;
        let (most, since_ms) = (self.contest.trials_per_day, self.now_ms - DAY_MS);
        let number = self.store.request_trial(&trial, TRIALS_OPEN, (most, since_ms)).await?;
        if let Some(number) = number {
            return Ok(number);
        }
        let own = self.store.trials(Some(&entrant.name)).await?;
        let used = own.iter().filter(|trial| trial.asked_ms >= since_ms).count();
        match used >= most as usize {
            true => Err(ServiceError::TooManyTrialsADay { used, most }),
            false => Err(ServiceError::TooManyTrials { most: TRIALS_OPEN }),
        }
    }

    /// Checks that `more` bytes may be stored for an entrant.
    async fn check_quotas(&self, entrant: &Entrant, more: u64) -> Result<(), ServiceError> {
        let Contest { entrant_bytes, contest_bytes, .. } = *self.contest;
        let used = self.store.stored_bytes(Some(&entrant.name)).await?;
        if used.saturating_add(more) > entrant_bytes {
            let what = format!("what is stored of {}", entrant.name);
            return Err(ServiceError::Quota { what, used, more, most: entrant_bytes });
        }
        let used = self.store.stored_bytes(None).await?;
        if used.saturating_add(more) > contest_bytes {
            let what = "what is stored of the contest".into();
            return Err(ServiceError::Quota { what, used, more, most: contest_bytes });
        }
        Ok(())
    }

    /// Changes an entrant's status: out of the contest, or back in.
    pub async fn set_status(
        &self,
        name: &str,
        status: Status,
        why: &str,
    ) -> Result<(), ServiceError> {
        let why = why.trim();
        let chars = why.chars().count();
        let must = status == Status::Disqualified;
        if chars > REASON_CHARS || why.contains(char::is_control) || (must && why.is_empty()) {
            return Err(ServiceError::Reason);
        }
        let entrant = self.entrant(name).await?;
        let text = format!("{name} is {}{}", status_word(status), because(why));
        let changed = Entrant { status, reason: why.into(), ..entrant };
        Ok(self.store.commit(&[Write::Entrant(changed), self.act(text)]).await?)
    }

    /// Changes the closing date; now is allowed. Fails after the contest has closed, because the
    /// ladder is over then and seeds may be known.
    pub async fn set_closes(&self, closes: SystemTime) -> Result<(), ServiceError> {
        if self.contest.phase(self.now()) == Phase::Closed {
            return Err(ServiceError::AlreadyClosed);
        }
        if let Some(opens) = self.contest.opens.filter(|opens| closes <= *opens) {
            return Err(ServiceError::BeforeOpening(rfc3339(opens)));
        }
        if closes + CLOCK_TOLERANCE < self.now() {
            return Err(ServiceError::DatePassed(rfc3339(closes)));
        }
        let text = rfc3339(closes);
        let act = self.act(format!("entries are taken until {text}"));
        let property = Write::Property { name: CLOSES_PROPERTY.into(), text };
        Ok(self.store.commit(&[property, act]).await?)
    }

    /// Requests another test of an entry. An accepted entry keeps playing meanwhile.
    pub async fn request_retest(&self, number: i64) -> Result<Submission, ServiceError> {
        let entry = self.store.entry(number).await?.ok_or(ServiceError::UnknownEntry(number))?;
        let judged = Write::EntryTested {
            number,
            state: if entry.may_play() { State::Retrying } else { State::Waiting },
            report: entry.report.clone(),
            fingerprint: entry.fingerprint.clone(),
            at_ms: entry.judged_ms.unwrap_or(self.now_ms),
        };
        let text = format!("entry {number} of {} will be tested again", entry.entrant);
        self.store.commit(&[judged, self.act(text)]).await?;
        Ok(entry)
    }

    fn act(&self, text: String) -> Write {
        Write::Audit(AuditEntry { at_ms: self.now_ms, text })
    }

    fn now(&self) -> SystemTime {
        time_of(self.now_ms)
    }
}

fn time_of(ms: i64) -> SystemTime {
    let since = std::time::Duration::from_millis(u64::try_from(ms).unwrap_or(0));
    SystemTime::UNIX_EPOCH + since
}

fn check_participates(entrant: &Entrant) -> Result<(), ServiceError> {
    match entrant.status {
        Status::In => Ok(()),
        status => Err(ServiceError::NotParticipating {
            name: entrant.name.clone(),
            status: status_word(status),
            reason: entrant.reason.clone(),
        }),
    }
}

#[cfg(test)]
mod tests;
