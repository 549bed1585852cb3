//! What people do to a contest, be it by a page or by a command: they are let in, submit, ask, leave, are taken out. Writes to the
//! store alone; whoever runs the contest finds there what is to be done.
//!
//! Invariant: an entrant is told of his own entries and bouts, and of nobody else's; what an organiser does is written into
//! the book with its reason.

use std::time::SystemTime;

use super::file::{Contest, Phase};
use super::folder::CLOSES_PAPER;
use super::store::{
    Act, Entrant, Founding, State, Status, Store, StoreError, Submission, Trial, Write,
};
use super::token;
use crate::record::rfc3339;

/// A name of an entrant is no longer, in letters.
pub const NAME_CHARS: usize = 40;
/// A reason is no longer, in letters.
const REASON_CHARS: usize = 500;
/// So many unrated bouts of one entrant may be asked for and not played yet.
const TRIALS_OPEN: u32 = 3;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// A date that is no longer past than this is now.
const SOON: std::time::Duration = std::time::Duration::from_secs(60);

/// Whose token it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The organiser's.
    Organiser,
    /// An entrant's.
    Entrant(Entrant),
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It does not take entries yet.
    #[error("entries are taken from {0} on")]
    NotYet(String),
    /// It takes entries no more.
    #[error("entries were taken until {0}")]
    Closed(String),
    /// He is not in.
    #[error("{name} is {status} and cannot do that{}", because(reason))]
    Out {
        /// Who.
        name: String,
        /// How he is out.
        status: &'static str,
        /// Why; empty: nothing is said.
        reason: String,
    },
    /// The entry is too long.
    #[error("the entry has {bytes} bytes, and the contest takes {most} at most")]
    Long {
        /// How long it is.
        bytes: u64,
        /// How long it may be.
        most: u64,
    },
    /// There is no entry.
    #[error("the entry is empty: send the bytes of a WebAssembly component")]
    Empty,
    /// He has submitted too many.
    #[error("{most} entries in 24 hours are all that one entrant may submit: try again later")]
    Often {
        /// How many may be.
        most: u32,
    },
    /// He has asked for too many bouts.
    #[error("{most} unrated bouts are asked for and not played yet: wait for one of them")]
    Many {
        /// How many may be.
        most: u32,
    },
    /// No entry of his that may play has this number.
    #[error("{name} has no accepted entry{}", numbered(*.number))]
    NoEntry {
        /// Whose.
        name: String,
        /// Which; none: any.
        number: Option<i64>,
    },
    /// There is no such entry at all.
    #[error("there is no entry {0}")]
    Unknown(i64),
    /// It is no engine of the house.
    #[error("`{id}` is no engine of the house; there {}", are(house))]
    NotHouse {
        /// What was asked for.
        id: String,
        /// Who is.
        house: Vec<String>,
    },
    /// A side is 0 or 1.
    #[error("a side is 0 or 1, not {0}")]
    Side(u8),
    /// Nobody has this name.
    #[error("nobody here is called `{name}`; there {}", are(names))]
    Nobody {
        /// What was asked for.
        name: String,
        /// Who is there.
        names: Vec<String>,
    },
    /// It is no name.
    #[error(
        "`{0}` is no name of an entrant: 1 to {NAME_CHARS} letters, digits, blanks and any of . _ - ', and no blank at its ends"
    )]
    Name(String),
    /// The name is one of the house.
    #[error("`{0}` is the name of an engine of the house")]
    House(String),
    /// It is closed.
    #[error("the contest is closed: the date is not changed any more")]
    Over,
    /// It would close before it opens.
    #[error("it opens on {0}, and cannot close before")]
    Early(String),
    /// It would have closed.
    #[error("{0} has passed: to take no more entries, close it now")]
    Past(String),
    /// It is no reason.
    #[error("a reason is one line of 1 to {REASON_CHARS} letters")]
    Reason,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers, and so no token")]
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
        [] => "is nobody".into(),
        [one] => format!("is {one}"),
        names => format!("are {}", names.join(", ")),
    }
}

/// How somebody is in or out, in a word.
pub fn word(status: Status) -> &'static str {
    match status {
        Status::In => "in",
        Status::Withdrawn => "withdrawn",
        Status::Disqualified => "disqualified",
    }
}

/// A desk at which people are served.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// What the contest keeps.
    pub store: &'a dyn Store,
    /// What it asks.
    pub contest: &'a Contest,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

impl Desk<'_> {
    /// Whose token this is; none: nobody's.
    pub async fn who(&self, founding: &Founding, token: &str) -> Result<Option<Who>, StoreError> {
        let kept = token::kept(token);
        if kept == founding.organiser {
            return Ok(Some(Who::Organiser));
        }
        Ok(self.store.entrant_of(&kept).await?.map(Who::Entrant))
    }

    /// Lets somebody in, or gives one who is in a new token in place of the old one; the token.
    pub async fn let_in(&self, name: &str) -> Result<String, Refused> {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '\'');
        let chars = name.chars().count();
        if !(1..=NAME_CHARS).contains(&chars) || name.trim() != name || !name.chars().all(is_plain)
        {
            return Err(Refused::Name(name.escape_debug().to_string()));
        }
        if self.contest.house.iter().any(|id| id == name) {
            return Err(Refused::House(name.into()));
        }
        let token = token::draw().map_err(|_| Refused::Random)?;
        let known = self.store.entrants().await?.into_iter().find(|it| it.name == name);
        let text = match &known {
            Some(_) => format!("{name} gets a new token, and the old one counts no more"),
            None => format!("{name} is let in"),
        };
        let fresh = Entrant {
            name: name.into(),
            token: String::new(),
            status: Status::In,
            reason: String::new(),
            since_ms: self.now_ms,
        };
        let entrant = Entrant { token: token::kept(&token), ..known.unwrap_or(fresh) };
        self.store.commit(&[Write::Entrant(entrant), self.act(text)]).await?;
        Ok(token)
    }

    /// Whether an entry of his is taken now, whatever is in it.
    pub async fn may_submit(&self, entrant: &Entrant) -> Result<(), Refused> {
        self.takes_entries()?;
        is_in(entrant)?;
        let (most, since_ms) = (self.contest.entries_per_day, self.now_ms - DAY_MS);
        let own = self.store.entries(Some(&entrant.name)).await?;
        match own.iter().filter(|entry| entry.submitted_ms >= since_ms).count() >= most as usize {
            true => Err(Refused::Often { most }),
            false => Ok(()),
        }
    }

    /// Takes an entry, to be tried; its number.
    pub async fn submit(&self, entrant: &Entrant, module: &[u8]) -> Result<i64, Refused> {
        self.takes_entries()?;
        is_in(entrant)?;
        let (bytes, most) = (module.len() as u64, self.contest.entry_bytes);
        match bytes {
            0 => return Err(Refused::Empty),
            bytes if bytes > most => return Err(Refused::Long { bytes, most }),
            _ => {}
        }
        let most = self.contest.entries_per_day;
        let limit = (most, self.now_ms - DAY_MS);
        let number = self.store.submit(&entrant.name, module, self.now_ms, limit).await?;
        number.ok_or(Refused::Often { most })
    }

    /// Whether entries are taken now.
    pub fn takes_entries(&self) -> Result<(), Refused> {
        let told = |date: Option<SystemTime>| date.map_or_else(String::new, rfc3339);
        match self.contest.phase(self.now()) {
            Phase::Open => Ok(()),
            Phase::Announced => Err(Refused::NotYet(told(self.contest.opens))),
            Phase::Closed => Err(Refused::Closed(told(self.contest.closes))),
        }
    }

    /// Asks for an unrated bout of an entry against an engine of the house; its number. No entry is named: the latest that was
    /// accepted.
    pub async fn ask(
        &self,
        entrant: &Entrant,
        entry: Option<i64>,
        house: &str,
        side: u8,
    ) -> Result<i64, Refused> {
        is_in(entrant)?;
        if side > 1 {
            return Err(Refused::Side(side));
        }
        if !self.contest.house.iter().any(|id| id == house) {
            let (id, house) = (house.into(), self.contest.house.clone());
            return Err(Refused::NotHouse { id, house });
        }
        let own = self.store.entries(Some(&entrant.name)).await?;
        let mut accepted = own.iter().rev().filter(|it| it.may_play());
        let found = accepted.find(|it| entry.is_none_or(|number| number == it.number));
        let found =
            found.ok_or_else(|| Refused::NoEntry { name: entrant.name.clone(), number: entry })?;
        let trial = Trial {
            number: 0,
            entrant: entrant.name.clone(),
            entry: found.number,
            house: house.into(),
            side,
            asked_ms: self.now_ms,
            sentence: None,
        };
        let number = self.store.ask(&trial, TRIALS_OPEN).await?;
        number.ok_or(Refused::Many { most: TRIALS_OPEN })
    }

    /// Takes somebody out, or back in.
    pub async fn set_status(&self, name: &str, status: Status, why: &str) -> Result<(), Refused> {
        let why = why.trim();
        let chars = why.chars().count();
        let must = status == Status::Disqualified;
        if chars > REASON_CHARS || why.contains(char::is_control) || (must && why.is_empty()) {
            return Err(Refused::Reason);
        }
        let all = self.store.entrants().await?;
        let Some(entrant) = all.iter().find(|it| it.name == name) else {
            let names = all.into_iter().map(|it| it.name).collect();
            return Err(Refused::Nobody { name: name.into(), names });
        };
        let text = format!("{name} is {}{}", word(status), because(why));
        let changed = Entrant { status, reason: why.into(), ..entrant.clone() };
        Ok(self.store.commit(&[Write::Entrant(changed), self.act(text)]).await?)
    }

    /// Has entries taken until another time than before, which may be now. Not where that was over already: the ladder is, too,
    /// and seeds may be known.
    pub async fn set_closes(&self, closes: SystemTime) -> Result<(), Refused> {
        if self.contest.phase(self.now()) == Phase::Closed {
            return Err(Refused::Over);
        }
        if let Some(opens) = self.contest.opens.filter(|opens| closes <= *opens) {
            return Err(Refused::Early(rfc3339(opens)));
        }
        if closes + SOON < self.now() {
            return Err(Refused::Past(rfc3339(closes)));
        }
        let text = rfc3339(closes);
        let act = self.act(format!("entries are taken until {text}"));
        let paper = Write::Paper { name: CLOSES_PAPER.into(), text };
        Ok(self.store.commit(&[paper, act]).await?)
    }

    /// Has an entry tried again; one that may play does so meanwhile.
    pub async fn try_again(&self, number: i64) -> Result<Submission, Refused> {
        let entry = self.store.entry(number).await?.ok_or(Refused::Unknown(number))?;
        let judged = Write::Judged {
            number,
            state: if entry.may_play() { State::Retrying } else { State::Waiting },
            report: entry.report.clone(),
            fingerprint: entry.fingerprint.clone(),
            at_ms: entry.judged_ms.unwrap_or(self.now_ms),
        };
        let text = format!("entry {number} of {} is to be tried again", entry.entrant);
        self.store.commit(&[judged, self.act(text)]).await?;
        Ok(entry)
    }

    fn act(&self, text: String) -> Write {
        Write::Act(Act { at_ms: self.now_ms, text })
    }

    fn now(&self) -> SystemTime {
        let since = std::time::Duration::from_millis(u64::try_from(self.now_ms).unwrap_or(0));
        SystemTime::UNIX_EPOCH + since
    }
}

fn is_in(entrant: &Entrant) -> Result<(), Refused> {
    match entrant.status {
        Status::In => Ok(()),
        status => Err(Refused::Out {
            name: entrant.name.clone(),
            status: word(status),
            reason: entrant.reason.clone(),
        }),
    }
}

#[cfg(test)]
#[path = "tests_desk.rs"]
mod tests;
