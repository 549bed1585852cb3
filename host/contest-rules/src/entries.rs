//! The states of entrants and entries, and the ids of entries. Values.

use serde::{Deserialize, Serialize};

/// An entrant's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The entrant takes part.
    In,
    /// The entrant left, or was removed without blame.
    Withdrawn,
    /// The organiser disqualified the entrant.
    Disqualified,
}

/// The state of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It waits for its test.
    Waiting,
    /// It is accepted and may play.
    Accepted,
    /// It may play, and waits for another test.
    Retrying,
    /// It may not play.
    Refused,
    /// The test had no result, without a fault of the entry.
    Undecided,
}

/// The engine id of an entry in records. Contains no text of its author.
pub fn engine_id(entry: i64) -> String {
    format!("entry-{entry}")
}
