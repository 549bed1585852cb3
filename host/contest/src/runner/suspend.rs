//! Suspends an accepted entry that the host had to stop repeatedly in a game without a result. The
//! entry does not play until it is tested again, and its report gets the reason.

use serde_json::Value;

use super::RunnerError;
use crate::folder::{ContestFolder, now_ms};
use crate::pipeline::{STAGES, StageReport};
use crate::roster::version_name;
use crate::stages::finding;
use crate::store::{AuditEntry, State, Submission, Write};
use sandboard_analysis::check::StepOutcome;

/// Suspends the entry with this name and stores the reason. Returns false if no accepted entry has
/// the name.
pub(super) fn suspend(
    folder: &ContestFolder,
    is_named: impl Fn(&str) -> bool,
    game: &str,
    reason: &str,
) -> Result<bool, RunnerError> {
    let entries = folder.wait(folder.store().entries(None))?;
    let named = |it: &&Submission| it.may_play() && is_named(&version_name(&entries, it));
    let Some(entry) = entries.iter().find(named) else { return Ok(false) };
    let Some(entry) = folder.wait(folder.store().entry(entry.number))? else { return Ok(false) };
    let at_ms = now_ms();
    let text = format!(
        "entry {} of {} is suspended until it is tested again (`sandboard contest rerun`): game {game} has no result \
         in any attempt: {reason}",
        entry.number, entry.entrant
    );
    let judged = Write::EntryTested {
        number: entry.number,
        state: State::Undecided,
        report: Some(report_with_games(entry.report.as_deref(), game, reason).to_string()),
        fingerprint: entry.fingerprint,
        at_ms,
    };
    folder.wait(folder.store().commit(&[judged, Write::Audit(AuditEntry { at_ms, text })]))?;
    Ok(true)
}

/// The test report with the games as one more stage.
fn report_with_games(report: Option<&str>, game: &str, reason: &str) -> Value {
    let found = finding(
        format!("game {game} has no result in any attempt: {reason}"),
        "its moves in a game of the contest, several times",
        reason,
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
    use super::*;

    /// Checks the names of the stages after the change.
    fn check(before: Option<&str>, expected: &[&str]) {
        let report = report_with_games(before, "pair-000001-1", "it was stopped");
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
}
