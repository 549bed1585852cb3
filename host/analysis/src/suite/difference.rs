//! Compares two runs of a suite, position by position. Positions are matched by id, so that a suite
//! may grow.

use std::collections::BTreeMap;

use serde::Serialize;

use super::result::{PositionResult, SuiteRun};

/// The difference between a run and an earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunDifference {
    /// The start time of the earlier run.
    pub created_at: String,
    /// The number of common positions that the earlier run solved.
    pub solved_before: usize,
    /// The number of common positions that this run solved.
    pub solved_now: usize,
    /// The ids of positions solved now, but not before.
    pub newly_solved: Vec<String>,
    /// The ids of positions solved before, but not now.
    pub newly_failed: Vec<String>,
    /// The number of positions that only this run has.
    pub only_now: usize,
    /// The number of positions that only the earlier run has.
    pub only_before: usize,
    /// The geometric mean of the ratios of nodes now to nodes before.
    pub nodes_ratio: Option<f64>,
    /// The number of positions in that mean: those solved in both runs, with nodes in both.
    pub nodes_ratio_positions: usize,
    /// Whether the engine's module has the same bytes.
    pub same_module: bool,
    /// The version of the earlier engine.
    pub version_before: String,
    /// The hash of the earlier engine's module.
    pub module_sha256_before: String,
    /// Other differences: engine, options, budget, seed, game or suite, each with both values.
    pub differences: Vec<String>,
}

/// The change in one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionChange {
    /// Whether it was solved before.
    pub solved_before: bool,
    /// The ratio of nodes now to nodes before, if both were counted.
    pub nodes_ratio: Option<f64>,
}

impl PositionChange {
    /// The change from `before` to `now`.
    pub fn between(before: &PositionResult, now: &PositionResult) -> Self {
        let counted = before.nodes > 0 && now.nodes > 0;
        let nodes_ratio = counted.then(|| now.nodes as f64 / before.nodes as f64);
        Self { solved_before: before.solved, nodes_ratio }
    }
}

impl RunDifference {
    /// Compares `now` with `before`.
    pub fn between(before: &SuiteRun, now: &SuiteRun) -> Self {
        let earlier = by_id(&before.results);
        let mut difference = Self {
            created_at: before.created_at.clone(),
            same_module: before.engine.module_sha256 == now.engine.module_sha256,
            version_before: before.engine.version.clone(),
            module_sha256_before: before.engine.module_sha256.clone(),
            differences: differences(before, now),
            ..Self::default()
        };
        let mut logarithms = Vec::new();
        for outcome in &now.results {
            let Some(old) = earlier.get(outcome.id.as_str()) else {
                difference.only_now += 1;
                continue;
            };
            difference.solved_before += usize::from(old.solved);
            difference.solved_now += usize::from(outcome.solved);
            match (old.solved, outcome.solved) {
                (false, true) => difference.newly_solved.push(outcome.id.clone()),
                (true, false) => difference.newly_failed.push(outcome.id.clone()),
                (true, true) => {
                    let ratio = PositionChange::between(old, outcome).nodes_ratio;
                    logarithms.extend(ratio.map(f64::ln));
                }
                (false, false) => (),
            }
        }
        difference.only_before = earlier.len() + difference.only_now - now.results.len();
        let count = logarithms.len();
        difference.nodes_ratio_positions = count;
        difference.nodes_ratio =
            (count > 0).then(|| (logarithms.iter().sum::<f64>() / count as f64).exp());
        difference
    }
}

/// Results by the id of their position.
pub fn by_id(results: &[PositionResult]) -> BTreeMap<&str, &PositionResult> {
    results.iter().map(|outcome| (outcome.id.as_str(), outcome)).collect()
}

/// The settings that differ between two runs.
fn differences(before: &SuiteRun, now: &SuiteRun) -> Vec<String> {
    let mut differences = Vec::new();
    let mut check = |what: &str, before: String, now: String| {
        if before != now {
            differences.push(format!("{what} {before}, now {now}"));
        }
    };
    check("engine", before.engine.id.clone(), now.engine.id.clone());
    check("options", options(before), options(now));
    check("budget", before.budget.to_string(), now.budget.to_string());
    check("seed", before.seed.to_string(), now.seed.to_string());
    check("game", before.game.clone(), now.game.clone());
    let short = |run: &SuiteRun| run.suite.sha256.chars().take(12).collect();
    check("suite", short(before), short(now));
    differences
}

fn options(run: &SuiteRun) -> String {
    let options = run.engine.options.iter().map(|(name, value)| format!("{name}={value}"));
    match run.engine.options.is_empty() {
        true => "none".into(),
        false => options.collect::<Vec<_>>().join(":"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::result::{FORMAT, RunEngine, RunSuite, Totals, VERSION};
    use sandboard_engine::Budget;

    /// `a+100` is a solved position `a` with 100 nodes, `b-5` one that is not.
    fn run(text: &str) -> SuiteRun {
        let outcome = |(index, word): (usize, &str)| {
            let at = word.find(['+', '-']).unwrap();
            PositionResult {
                number: index + 1,
                id: word[..at].into(),
                solved: &word[at..=at] == "+",
                wanted: "h8".into(),
                r#move: None,
                fault: None,
                score: None,
                bound: None,
                score_fits: None,
                depth: 1,
                nodes: word[at + 1..].parse().unwrap(),
                time_us: 500_000,
                fuel: None,
                solved_at: None,
            }
        };
        SuiteRun {
            format: FORMAT.into(),
            version: VERSION,
            host: "1".into(),
            created_at: "then".into(),
            game: "gomoku".into(),
            variant: None,
            suite: RunSuite { file: "f".into(), sha256: "aa".into(), positions: 9 },
            engine: RunEngine {
                id: "e".into(),
                version: "1".into(),
                module_sha256: "bb".into(),
                options: BTreeMap::new(),
            },
            budget: Budget::NONE,
            seed: 0,
            results: text.split_ascii_whitespace().enumerate().map(outcome).collect(),
        }
    }

    /// Checks the counts: solved before and now, newly solved, newly failed, only now, only before.
    fn check(before: &str, now: &str, expected: &str, ratio: Option<(f64, usize)>) {
        let found = RunDifference::between(&run(before), &run(now));
        let text = format!(
            "{} {} +[{}] -[{}] {} {}",
            found.solved_before,
            found.solved_now,
            found.newly_solved.join(" "),
            found.newly_failed.join(" "),
            found.only_now,
            found.only_before
        );
        assert_eq!(text, expected, "{before} to {now}");
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let (mean, count) = ratio.map_or((None, 0), |(mean, count)| (Some(mean), count));
        assert_eq!(found.nodes_ratio_positions, count, "{before} to {now}");
        assert_eq!(found.nodes_ratio.is_some(), mean.is_some(), "{before} to {now}");
        assert!(found.nodes_ratio.is_none_or(|it| near(it, mean.unwrap())), "{found:?}");
    }

    #[test]
    fn runs_are_compared_position_by_position() {
        check("a+100 b-50", "a+100 b-50", "1 1 +[] -[] 0 0", Some((1.0, 1)));
        check("a+100 b-50", "a-100 b+50", "1 1 +[b] -[a] 0 0", None);
        check("a+100 b+100", "b+50 a+200", "2 2 +[] -[] 0 0", Some((1.0, 2)));
        check("a+100 b+100", "a+400 b+100", "2 2 +[] -[] 0 0", Some((2.0, 2)));
        // Positions not solved in both runs, or without nodes in one, are not part of the mean.
        check("a+100 b-100 c+0", "a+100 b-900 c+9", "2 2 +[] -[] 0 0", Some((1.0, 1)));
        check("a+1 b+1", "b+1 c+1", "1 1 +[] -[] 1 1", Some((1.0, 1)));
        check("", "a+1", "0 0 +[] -[] 1 0", None);
        check("a+1", "", "0 0 +[] -[] 0 1", None);
    }

    #[test]
    fn differing_settings_are_listed() {
        let (before, mut now) = (run("a+1"), run("a+1"));
        let difference = RunDifference::between(&before, &now);
        assert!(difference.same_module && difference.differences.is_empty(), "{difference:?}");
        now.engine.module_sha256 = "cc".into();
        now.engine.options = [("depth".to_owned(), "3".to_owned())].into();
        now.seed = 7;
        let difference = RunDifference::between(&before, &now);
        assert!(!difference.same_module);
        assert_eq!(difference.differences, ["options none, now depth=3", "seed 0, now 7"]);
    }

    #[test]
    fn totals_are_summed_up() {
        let totals = Totals::of(&run("a+100 b-50 c+150").results);
        assert_eq!((totals.positions, totals.solved, totals.faults), (3, 2, 0));
        assert_eq!((totals.time_us, totals.nodes), (1_500_000, 300));
        assert_eq!(totals.nodes_per_second, Some(200));
        assert_eq!(Totals::of(&[]).nodes_per_second, None);
    }
}
