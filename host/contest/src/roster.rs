//! Who plays: the latest accepted entry of each participating entrant. Pure.

use super::store::{Entrant, Submission};
use sandboard_contest_rules::Status;

/// An entry that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its name in records and results: `NAME v2` is the second that NAME submitted.
    pub name: String,
    /// The entrant's name.
    pub entrant: String,
    /// The number of the entry.
    pub entry: i64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// The name of an entry: the entrant's name and the count of the entrant's entries so far.
pub fn version_name(entries: &[Submission], entry: &Submission) -> String {
    let earlier = |it: &&Submission| it.entrant == entry.entrant && it.number <= entry.number;
    format!("{} v{}", entry.entrant, entries.iter().filter(earlier).count())
}

/// The entries that play now, in order of their numbers.
pub fn roster(entrants: &[Entrant], entries: &[Submission]) -> Vec<Version> {
    let is_in = |name: &str| {
        entrants.iter().any(|entrant| entrant.name == name && entrant.status == Status::In)
    };
    let accepted = |it: &&Submission| it.may_play() && is_in(&it.entrant);
    let is_latest = |it: &&Submission| {
        !entries
            .iter()
            .filter(accepted)
            .any(|other| other.entrant == it.entrant && other.number > it.number)
    };
    let latest = entries.iter().filter(accepted).filter(is_latest);
    let version = |it: &Submission| Version {
        name: version_name(entries, it),
        entrant: it.entrant.clone(),
        entry: it.number,
        sha256: it.sha256.clone(),
    };
    latest.map(version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_contest_rules::State;

    fn entrant(name: &str, status: Status) -> Entrant {
        let (name, token) = (name.to_owned(), name.to_owned());
        Entrant { name, token, status, reason: String::new(), since_ms: 0 }
    }

    fn entry(number: i64, entrant: &str, state: State) -> Submission {
        Submission {
            number,
            entrant: entrant.into(),
            sha256: format!("{number:064}"),
            bytes: 1,
            submitted_ms: number,
            state,
            report: None,
            fingerprint: None,
            judged_ms: None,
        }
    }

    #[test]
    fn the_latest_accepted_entry_of_each_participant_plays() {
        use State::{Accepted, Refused, Retrying, Undecided, Waiting};
        let check = |entries: &[(&str, State)], out: &[(&str, Status)], expected: &str| {
            let entrants = ["ann", "bob"].map(|name| {
                let status = out.iter().find(|it| it.0 == name).map_or(Status::In, |it| it.1);
                entrant(name, status)
            });
            let entries: Vec<Submission> = (1..)
                .zip(entries)
                .map(|(number, (name, state))| entry(number, name, *state))
                .collect();
            let found: Vec<String> = roster(&entrants, &entries)
                .into_iter()
                .map(|it| format!("{}={}", it.name, it.entry))
                .collect();
            assert_eq!(found.join(", "), expected);
        };
        check(&[], &[], "");
        check(&[("ann", Accepted)], &[], "ann v1=1");
        check(&[("ann", Waiting)], &[], "");
        check(&[("ann", Retrying)], &[], "ann v1=1");
        check(
            &[("ann", Accepted), ("bob", Accepted), ("ann", Accepted)],
            &[],
            "bob v1=2, ann v2=3",
        );
        // An entry that is not accepted changes nothing.
        for state in [Waiting, Refused, Undecided] {
            check(&[("ann", Accepted), ("ann", state)], &[], "ann v1=1");
            check(&[("ann", Accepted), ("ann", state), ("ann", Accepted)], &[], "ann v3=3");
        }
        check(&[("ann", Accepted), ("bob", Accepted)], &[("ann", Status::Withdrawn)], "bob v1=2");
        check(
            &[("ann", Accepted), ("bob", Accepted)],
            &[("bob", Status::Disqualified)],
            "ann v1=1",
        );
        check(&[("eve", Accepted)], &[], "");
    }
}
