//! The verdict on a bundle: what follows from the findings and from the games that were replayed,
//! as a word, a sentence and JSON. Prints nothing.

use sandboard_common::text::{counted, plain};
use sandboard_tournament::schedule::Change;
use serde_json::{Value, json};

use super::game_check::Outcome;
use super::index::Index;
use super::verify::{Finding, Kind};

/// The games of a bundle that were replayed.
#[derive(Clone, Copy, Debug)]
pub struct ReplayedGames {
    /// The number of them.
    pub count: u64,
    /// The number of those that were not verified.
    pub unequal: u64,
    /// The worst result.
    pub worst: Outcome,
}

impl Default for ReplayedGames {
    fn default() -> Self {
        Self { count: 0, unequal: 0, worst: Outcome::Verified }
    }
}

impl ReplayedGames {
    /// Adds the result of a game.
    pub fn add(&mut self, outcome: Outcome) {
        self.count += 1;
        self.unequal += u64::from(outcome > Outcome::Partly);
        self.worst = self.worst.max(outcome);
    }
}

/// The result of a whole bundle.
pub struct Verdict<'a> {
    index: &'a Index,
    replayed: ReplayedGames,
    findings: &'a [Finding],
    /// The worst result of games and findings.
    pub outcome: Outcome,
    /// Whether the bundle cannot show everything.
    pub is_incomplete: bool,
}

impl<'a> Verdict<'a> {
    /// The verdict that follows from the findings and the games.
    pub fn new(index: &'a Index, replayed: ReplayedGames, findings: &'a [Finding]) -> Self {
        let outcome = findings.iter().fold(replayed.worst, |worst, finding| {
            worst.max(match finding.kind {
                Kind::Incomplete => Outcome::Verified,
                Kind::Differs => Outcome::Differs,
                Kind::Undecided => Outcome::Unverifiable,
            })
        });
        let is_incomplete = findings.iter().any(|finding| finding.kind == Kind::Incomplete);
        Self { index, replayed, findings, outcome, is_incomplete }
    }

    /// The verdict in messages and JSON.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Verified | Outcome::Partly if self.is_incomplete => "incomplete",
            outcome => outcome.word(),
        }
    }

    /// The verdict with its numbers and findings, as JSON.
    pub fn to_json(&self) -> Value {
        let ReplayedGames { count, unequal, .. } = self.replayed;
        let events = self.index.arenas.iter().flat_map(|arena| &arena.events);
        let void = events.filter(|event| matches!(event.change, Change::Void { .. })).count();
        json!({
            "bundle": self.index.title, "verdict": self.word(), "games": self.index.game_count(),
            "replayed": count, "not_verified": unequal, "void_pairs": void,
            "findings": self.findings,
        })
    }

    /// The verdict with the number of games that are identical, as a sentence.
    pub fn sentence(&self) -> String {
        let ReplayedGames { count: replayed, unequal, .. } = self.replayed;
        let (title, word) = (&self.index.title, self.word());
        let arenas = counted(self.index.arenas.len(), "arena");
        let (equal, all) = (replayed - unequal, self.index.game_count());
        let sampled = match replayed == all {
            true => String::new(),
            false => format!(" ({replayed} of {all} games were replayed)"),
        };
        format!("{title}: {word}: {equal} games of {arenas} are identical{sampled}")
    }
}

/// The finding that the bundle's commitment is not the expected one, in lower-case hexadecimal.
pub fn other_commitment(index: &Index, expected: &str) -> Option<Finding> {
    let reason = match &index.contest {
        Some(contest) if contest.commitment == expected => return None,
        Some(contest) => {
            let found = plain(&contest.commitment);
            format!("is {found}, but {expected} was published")
        }
        None => "is missing: the bundle is not that of a contest".into(),
    };
    let location = "the contest's commitment".into();
    Some(Finding { location, reason, kind: Kind::Differs })
}
