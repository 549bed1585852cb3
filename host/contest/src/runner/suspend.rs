//! Suspends an accepted entry that the host had to stop repeatedly in a game without a result, or
//! whose code is far slower than its fuel. The entry does not play until it is tested again, and
//! its report gets the reason.

use serde_json::Value;

use super::RunnerError;
use crate::folder::{ContestFolder, now_ms};
use crate::fuel_speed::{FuelSpeed, SUSPENDED_NS};
use crate::pipeline::{STAGES, StageReport};
use crate::roster::version_name;
use crate::stages::finding;
use crate::store::{AuditEntry, Submission, Write};
use sandboard_analysis::check::StepOutcome;
use sandboard_contest_rules::State;

/// Suspends the entry with this name and stores the reason. Returns false if no accepted entry has
/// the name.
pub(super) fn suspend(
    folder: &ContestFolder,
    is_named: impl Fn(&str) -> bool,
    reason: &SuspensionReason,
) -> Result<bool, RunnerError> {
    let entries = folder.wait(folder.store().entries(None))?;
    let named = |it: &&Submission| it.may_play() && is_named(&version_name(&entries, it));
    let Some(entry) = entries.iter().find(named) else { return Ok(false) };
    let Some(entry) = folder.wait(folder.store().entry(entry.number))? else { return Ok(false) };
    let at_ms = now_ms();
    let text = format!(
        "entry {} of {} is suspended until it is tested again (`sandboard contest rerun`): {}",
        entry.number,
        entry.entrant,
        reason.sentence()
    );
    let judged = Write::EntryTested {
        number: entry.number,
        state: State::Undecided,
        report: Some(report_with_games(entry.report.as_deref(), reason).to_string()),
        fingerprint: entry.fingerprint,
        at_ms,
    };
    folder.wait(folder.store().commit(&[judged, Write::Audit(AuditEntry { at_ms, text })]))?;
    Ok(true)
}

/// Why an entry does not play on.
pub(super) enum SuspensionReason {
    /// The host had to stop it in every attempt at a game.
    NoResult {
        /// The game, with its arena.
        game: String,
        /// How the last attempt ended.
        reason: String,
    },
    /// Its code takes far more time than its fuel stands for.
    TooSlow {
        /// The arena in which it was measured.
        arena: String,
        speed: FuelSpeed,
    },
}

impl SuspensionReason {
    fn sentence(&self) -> String {
        match self {
            Self::NoResult { game, reason } => {
                format!("game {game} has no result in any attempt: {reason}")
            }
            Self::TooSlow { arena, speed } => {
                format!("in the {arena} it took {speed}, which is more than {SUSPENDED_NS} ns")
            }
        }
    }

    /// The entry's answer in the report.
    fn response(&self) -> String {
        match self {
            Self::NoResult { reason, .. } => reason.clone(),
            Self::TooSlow { speed, .. } => speed.to_string(),
        }
    }
}

/// The test report with the games as one more stage.
fn report_with_games(report: Option<&str>, reason: &SuspensionReason) -> Value {
    let found = finding(
        reason.sentence(),
        "its moves in games of the contest",
        &reason.response(),
        "a move within its fuel, by code whose fuel and time go together",
        "sandboard contest check, with the contest's own budget: look for loops that touch memory far apart or call \
         `legal` and `look` repeatedly; duration_ms shows the time. If the machine is at fault, ask the organiser for \
         another test",
    );
    let stage = StageReport {
        number: STAGES.len() as u8 + 1,
        name: "games",
        outcome: StepOutcome::Failed,
        sentence: found.sentence.clone(),
        duration_ms: 0,
        findings: vec![found],
    };
    let report = report.and_then(|text| serde_json::from_str(text).ok());
    let mut report: Value =
        report.filter(Value::is_object).unwrap_or_else(|| serde_json::json!({}));
    report["accepted"] = false.into();
    report["undecided"] = true.into();
    let stage = serde_json::to_value(stage).unwrap_or_default();
    match report["stages"].as_array_mut() {
        Some(stages) => stages.push(stage),
        None => report["stages"] = Value::Array(vec![stage]),
    }
    report
}

#[cfg(test)]
mod tests {
    use sandboard_games::Games;

    use super::*;
    use crate::service::ContestService;

    /// Checks the names of the stages after the change.
    fn check(before: Option<&str>, expected: &[&str]) {
        let (game, reason) = ("ladder/pair-000001-1".into(), "it was stopped".into());
        let report = report_with_games(before, &SuspensionReason::NoResult { game, reason });
        let stages = report["stages"].as_array().unwrap();
        let names: Vec<&str> = stages.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected, "{before:?}");
        assert_eq!(
            (&report["accepted"], &report["undecided"]),
            (&Value::Bool(false), &Value::Bool(true))
        );
        let last = stages.last().unwrap()["sentence"].as_str().unwrap();
        assert!(last.contains("pair-000001-1") && last.ends_with("it was stopped"), "{last}");
    }

    #[test]
    fn the_games_become_a_stage_of_the_report() {
        check(None, &["games"]);
        check(Some("damaged"), &["games"]);
        check(Some("[]"), &["games"]);
        check(Some(r#"{"accepted": true, "stages": 7}"#), &["games"]);
        let before = r#"{"accepted": true, "undecided": false, "stages": [{"name": "size"}]}"#;
        check(Some(before), &["size", "games"]);
    }
    #[test]
    fn a_slow_entry_does_not_play_until_it_is_tested_again() {
        let text = "name = \"a\"\ngame = \"gomoku\"\nbudget = \"fuel:1e8/move\"\n";
        let temporary = tempfile::tempdir().unwrap();
        let (folder, _) = ContestFolder::create(
            &temporary.path().join("contest"),
            None,
            text,
            None,
            &Games::default(),
        )
        .unwrap();
        let store = folder.store();
        let service =
            ContestService { store: &**store, contest: folder.contest(), now_ms: now_ms() };
        folder.block_on(service.admit("ann")).unwrap();
        let ann = folder.block_on(store.entrants()).unwrap().remove(0);
        let number = folder.block_on(service.submit(&ann, b"any bytes")).unwrap();
        let (state, report, fingerprint, at_ms) = (State::Accepted, None, None, 7);
        let accepted = Write::EntryTested { number, state, report, fingerprint, at_ms };
        folder.wait(store.commit(&[accepted])).unwrap();
        let speed = FuelSpeed { ns_per_unit: 330.0, cpu_us: 33_000_000, fuel: 100_000_000 };
        let reason = SuspensionReason::TooSlow { arena: "ladder".into(), speed };
        assert!(!suspend(&folder, |name| name == "ann v2", &reason).unwrap());
        assert!(suspend(&folder, |name| name == "ann v1", &reason).unwrap());
        // It no longer plays.
        assert!(!suspend(&folder, |name| name == "ann v1", &reason).unwrap());
        let entry = folder.wait(store.entry(number)).unwrap().unwrap();
        assert_eq!(entry.state, State::Undecided);
        let log = folder.wait(store.audit_log()).unwrap();
        let sentence = "in the ladder it took 330.0 ns of CPU time for a unit of fuel (33.0 s for \
                        100000000 units), which is more than 50 ns";
        assert!(log.last().unwrap().text.ends_with(sentence), "{}", log.last().unwrap().text);
        assert!(entry.report.unwrap().contains(sentence));
    }
}
