//! An accepted entry that the host stops, in one game again and again, before the game has a result: it plays no more until it is
//! tried again, and is told why.

use serde_json::Value;

use super::RunnerError;
use crate::check::Outcome;
use crate::contest::folder::{ContestFolder, now_ms};
use crate::contest::pipeline::{STAGES, StageReport};
use crate::contest::roster::version_name;
use crate::contest::stages::finding;
use crate::contest::store::{Act, State, Submission, Write};

/// Takes the entry of this name out of all games, and keeps why; false: no entry that may play has it.
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
        "entry {} of {} plays no more until it is tried again (`sandboard contest rerun`): game {game} has no result, \
         however often it is played: {reason}",
        entry.number, entry.entrant
    );
    let judged = Write::Judged {
        number: entry.number,
        state: State::Undecided,
        report: Some(told(entry.report.as_deref(), game, reason).to_string()),
        fingerprint: entry.fingerprint,
        at_ms,
    };
    folder.wait(folder.store().commit(&[judged, Write::Act(Act { at_ms, text })]))?;
    Ok(true)
}

/// The report of its test with what came later as one more stage.
fn told(report: Option<&str>, game: &str, reason: &str) -> Value {
    let found = finding(
        format!("game {game} has no result, however often it is played: {reason}"),
        "its moves in a game of the contest, several times",
        reason,
        "a move within its fuel, by code whose fuel and time go together",
        "sandboard contest check, with the contest's own budget: look for loops that touch memory far apart or call \
         `legal` and `look` over and over; what it costs in time is in took_ms. If it is the machine's doing, ask the \
         organiser to have it tried again",
    );
    let stage = StageReport {
        number: STAGES.len() as u8 + 1,
        name: "games",
        outcome: Outcome::Failed,
        sentence: found.sentence.clone(),
        took_ms: 0,
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

    /// A report before; the stages' names afterwards.
    fn check(before: Option<&str>, expected: &[&str]) {
        let told = told(before, "pair-000001-1", "it was stopped");
        let stages = told["stages"].as_array().unwrap();
        let names: Vec<&str> = stages.iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, expected, "{before:?}");
        assert_eq!(
            (&told["accepted"], &told["undecided"]),
            (&Value::Bool(false), &Value::Bool(true))
        );
        let last = stages.last().unwrap()["sentence"].as_str().unwrap();
        assert!(last.contains("pair-000001-1") && last.ends_with("it was stopped"), "{last}");
    }

    #[test]
    fn what_came_later_is_a_stage_of_the_report() {
        check(None, &["games"]);
        check(Some("damaged"), &["games"]);
        check(Some("[]"), &["games"]);
        check(Some(r#"{"accepted": true, "stages": 7}"#), &["games"]);
        let before = r#"{"accepted": true, "undecided": false, "stages": [{"name": "size"}]}"#;
        check(Some(before), &["size", "games"]);
    }
}
