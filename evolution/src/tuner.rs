//! A tuning run with an ask-and-tell interface. Results may arrive in any order; they are recorded
//! in the order of their requests. A run therefore depends only on its setup and the results, and
//! replaying the results resumes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{JournalError, SetupError, TellError};
use super::history::{Generation, TunerEvent};
use super::measurement::{MeasurementRequest, MeasurementResult};
use super::method::Method;
use super::optimizer::{Optimizer, OptimizerContext};
use super::space::Space;
use super::weights::Weights;

/// The limits of a run. Without a limit it continues until the caller stops asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// The largest number of measurements, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measurements: Option<u32>,
    /// The largest number of games, at least 1. The result that reaches the number is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
}

/// The setup of a run. Together with the results it determines the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The tuned parameters.
    pub space: Space,
    /// The optimisation method.
    #[serde(default)]
    pub method: Method,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The limits of the run.
    #[serde(default)]
    pub budget: Budget,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum End {
    /// All measurements of the budget were made.
    Measurements,
    /// All games of the budget were played.
    Games,
    /// The method converged.
    Converged {
        /// The criterion, as a sentence.
        reason: String,
    },
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// The number of results recorded.
    pub measurements: u32,
    /// The number of their games.
    pub games: u64,
    /// The used part of the budget, 0 to 1; `None` without a budget.
    pub fraction: Option<f64>,
}

/// A tuning run.
pub struct Tuner {
    setup: Setup,
    context: OptimizerContext,
    optimizer: Box<dyn Optimizer>,
    /// Results that wait for the result of an earlier request.
    pending: BTreeMap<u32, MeasurementResult>,
    end: Option<End>,
}

impl std::fmt::Debug for Tuner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (setup, pending) = (&self.setup, &self.pending);
        let debug = &mut f.debug_struct("Tuner");
        let debug = debug.field("setup", setup).field("open", &self.context.open);
        debug.field("pending", pending).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Tuner {
    /// Starts a run, which makes its first requests.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let Budget { measurements, games } = setup.budget;
        for (unit, limit_is_zero) in
            [("measurements", measurements == Some(0)), ("games", games == Some(0))]
        {
            if limit_is_zero {
                return Err(SetupError::EmptyBudget { unit });
            }
        }
        let optimizer = setup.method.start(&setup.space, setup.seed, measurements)?;
        let context = OptimizerContext::new(
            setup.space.clone(),
            setup.seed,
            measurements.unwrap_or(u32::MAX),
        );
        let mut tuner = Self { setup, context, optimizer, pending: BTreeMap::new(), end: None };
        tuner.optimizer.start(&mut tuner.context);
        Ok(tuner)
    }

    /// Restores a run from a journal of requests and their results. The order may be that of
    /// arrival, or any other in which each request was open when its result came. The restored run
    /// continues as the original one would have.
    pub fn replay(
        setup: Setup,
        journal: impl IntoIterator<Item = (MeasurementRequest, MeasurementResult)>,
    ) -> Result<Self, JournalError> {
        let mut tuner = Self::new(setup)?;
        for (request, result) in journal {
            let number = request.number;
            match tuner.context.open.get(&number) {
                Some(open) if *open != request => return Err(JournalError::Mismatch { number }),
                _ => tuner.tell(number, result)?,
            }
        }
        Ok(tuner)
    }

    /// The setup of the run.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The open requests in order. All of them can be measured at once; which requests are made
    /// does not depend on how many are in progress. Empty once the run has ended.
    pub fn ask(&self) -> Vec<MeasurementRequest> {
        let open = self.context.open.values().filter(|_| self.end.is_none());
        open.filter(|request| !self.pending.contains_key(&request.number)).cloned().collect()
    }

    /// Takes the result of a request. A result of a request that was still open when the run ended
    /// is accepted and ignored.
    pub fn tell(&mut self, number: u32, result: MeasurementResult) -> Result<(), TellError> {
        let Some(request) = self.context.open.get(&number) else {
            let was_recorded = number < self.context.recorded;
            return Err(if was_recorded {
                TellError::Duplicate { number }
            } else {
                TellError::NotRequested { number }
            });
        };
        if self.pending.contains_key(&number) {
            return Err(TellError::Duplicate { number });
        }
        result.check(request)?;
        self.pending.insert(number, result);
        while self.end.is_none() && self.record_next() {}
        Ok(())
    }

    fn record_next(&mut self) -> bool {
        let number = self.context.recorded;
        let Some(result) = self.pending.remove(&number) else { return false };
        self.context.open.remove(&number);
        self.context.recorded += 1;
        self.context.games += u64::from(result.games());
        self.context.history.push(TunerEvent::Recorded { number, result });
        self.optimizer.record(number, &result, &mut self.context);
        let budget = self.setup.budget;
        self.end = if budget.games.is_some_and(|games| self.context.games >= games) {
            Some(End::Games)
        } else if let Some(reason) = self.optimizer.convergence() {
            Some(End::Converged { reason: reason.into() })
        } else if self.context.recorded == self.context.measurements_max {
            Some(End::Measurements)
        } else {
            None
        };
        true
    }

    /// The weights to use if the run ended now. A genetic algorithm returns the best of the members
    /// measured more than once, by share less its standard error. SPSA returns the weighted mean of
    /// its points, and CMA-ES the mean of its distribution. None returns the best single result,
    /// which is that of the luckiest candidate.
    pub fn best(&self) -> Weights {
        self.optimizer.best(&self.setup.space)
    }

    /// Why the run ended, if it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        let (measurements, games) = (self.context.recorded, self.context.games);
        let Budget { measurements: measurements_max, games: games_max } = self.setup.budget;
        let fractions = [
            measurements_max.map(|max| f64::from(measurements) / f64::from(max)),
            games_max.map(|max| games as f64 / max as f64),
            self.end.as_ref().map(|_| 1.0),
        ];
        let fraction = fractions.into_iter().flatten().reduce(f64::max).map(|it| it.min(1.0));
        Progress { measurements, games, fraction }
    }

    /// All events in order. An event never changes, so that a report can continue from a known
    /// index.
    pub fn history(&self) -> &[TunerEvent] {
        &self.context.history
    }

    /// The completed generations.
    pub fn generations(&self) -> impl Iterator<Item = &Generation> {
        self.context.history.iter().filter_map(|event| match event {
            TunerEvent::Generation(generation) => Some(generation),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Fitness;

    const SPACE: &str = r#"[
        { "name": "a", "kind": "real", "min": 0, "max": 1, "start": 0.5 },
        { "name": "b", "kind": "whole", "min": -100, "max": 100, "start": 0, "step": 20 }
    ]"#;

    fn read(method: &str, budget: &str) -> Result<Tuner, String> {
        let text =
            format!(r#"{{ "space": {SPACE}, "method": {method}, "seed": 1, "budget": {budget} }}"#);
        let setup: Setup = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        assert_eq!(setup, serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap());
        Tuner::new(setup).map_err(|error| error.to_string())
    }

    fn check_refused(method: &str, budget: &str, expected: &str) {
        let error = read(method, budget).map(|tuner| tuner.progress()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn invalid_setups_are_refused() {
        let steady = |rest: &str| format!(r#"{{ "name": "steady-state", {rest} }}"#);
        let check = |method: &str, expected: &str| check_refused(method, "{}", expected);
        check(
            &steady(r#""population": 1"#),
            "`steady-state`: setting `population` is 1, which is not between 2",
        );
        check(&steady(r#""offspring": 0"#), "setting `offspring` is 0");
        check(
            &steady(r#""remeasure_interval": 1"#),
            "setting `remeasure_interval` is 1, which is not between 2",
        );
        check(&steady(r#""variation": { "parents": 0 }"#), "setting `parents` is 0");
        check(&steady(r#""variation": { "blend_rate": 1.5 }"#), "setting `blend_rate` is 1.5");
        check(
            &steady(r#""variation": { "crossover_rate": -1 }"#),
            "setting `crossover_rate` is -1",
        );
        check(&steady(r#""variation": { "mutation_rate": 2 }"#), "setting `mutation_rate` is 2");
        check(&steady(r#""variation": { "mutation_sigma": 0 }"#), "setting `mutation_sigma` is 0");
        check(&steady(r#""variation": { "initial_sigma": 11 }"#), "setting `initial_sigma` is 11");
        check(&steady(r#""elite": 3"#), "unknown field `elite`");
        check(&steady(r#""variation": { "elite": 3 }"#), "unknown field `elite`");
        let generational = |rest: &str| format!(r#"{{ "name": "generational", {rest} }}"#);
        check(
            &generational(r#""population": 6, "elite": 6"#),
            "`elite` is 6, which is not between 0 and 5",
        );
        check(&generational(r#""tournament_size": 0"#), "setting `tournament_size` is 0");
        check(&generational(r#""population": 1001"#), "setting `population` is 1001");
        let spsa = |rest: &str| format!(r#"{{ "name": "spsa", {rest} }}"#);
        check(&spsa(r#""a": 0"#), "`spsa`: setting `a` is 0");
        check(&spsa(r#""alpha": 0.5"#), "setting `alpha` is 0.5");
        check(&spsa(r#""c": 2"#), "setting `c` is 2");
        check(&spsa(r#""gamma": 0.6"#), "setting `gamma` is 0.6");
        check(&spsa(r#""stability": -1"#), "setting `stability` is -1");
        check(&spsa(r#""duels": 0"#), "setting `duels` is 0");
        check(r#"{ "name": "cma-es", "sigma": 0 }"#, "`cma-es`: setting `sigma` is 0");
        check(r#"{ "name": "cma-es", "population": 3 }"#, "setting `population` is 3");
        check(r#"{ "name": "gradient" }"#, "unknown variant `gradient`");
        check_refused(&steady(r#""population": 4"#), r#"{ "measurements": 0 }"#, "0 measurements");
        check_refused(&steady(r#""population": 4"#), r#"{ "games": 0 }"#, "0 games");
        check_refused(&steady(r#""population": 4"#), r#"{ "hours": 1 }"#, "unknown field `hours`");
    }

    fn result(request: &MeasurementRequest, games: u32) -> MeasurementResult {
        match request.subject {
            crate::Subject::Fitness { .. } => {
                MeasurementResult::Fitness(Fitness { share: 0.5, standard_error: 0.1, games })
            }
            crate::Subject::Duel { .. } => MeasurementResult::Duel { margin: 0.0, games },
        }
    }

    /// Makes all measurements with ten games each, and checks how many are recorded, how many games
    /// they took, and why the run ended.
    fn check_end(method: &str, budget: &str, measurements: u32, games: u64, end: &End) {
        let mut tuner = read(method, budget).unwrap();
        let mut last = Vec::new();
        while tuner.end().is_none() {
            last = tuner.ask();
            for request in &last {
                tuner.tell(request.number, result(request, 10)).unwrap();
            }
        }
        assert_eq!(tuner.end(), Some(end), "{method}");
        assert_eq!(tuner.ask(), []);
        assert_eq!(tuner.progress(), Progress { measurements, games, fraction: Some(1.0) });
        // A result that was open when the run ended is accepted; a recorded one is not accepted
        // twice.
        for request in last {
            let refused = tuner.tell(request.number, result(&request, 10));
            assert_eq!(refused, Err(TellError::Duplicate { number: request.number }));
        }
        assert_eq!(tuner.progress().measurements, measurements);
    }

    #[test]
    fn a_run_ends_with_its_budget_or_on_convergence() {
        for method in ["steady-state", "generational", "spsa", "cma-es"] {
            let method = format!(r#"{{ "name": "{method}" }}"#);
            check_end(&method, r#"{ "measurements": 3 }"#, 3, 30, &End::Measurements);
            check_end(&method, r#"{ "measurements": 100 }"#, 100, 1000, &End::Measurements);
            check_end(&method, r#"{ "games": 95 }"#, 10, 100, &End::Games);
            check_end(&method, r#"{ "games": 100 }"#, 10, 100, &End::Games);
            check_end(&method, r#"{ "measurements": 50, "games": 95 }"#, 10, 100, &End::Games);
            let mut endless = read(&method, "{}").unwrap();
            assert_eq!(endless.progress(), Progress { measurements: 0, games: 0, fraction: None });
            let first = endless.ask().remove(0);
            endless.tell(0, result(&first, 10)).unwrap();
            assert_eq!(endless.progress(), Progress { measurements: 1, games: 10, fraction: None });
        }
        let reason = "all candidates are equally good".into();
        // Expected: ten generations of 3 · (4 + 2) candidates.
        check_end(r#"{ "name": "cma-es" }"#, "{}", 180, 1800, &End::Converged { reason });
    }

    /// Checks after how many of 24 measurements, of ten games each, a generation is complete.
    fn check_generations(method: &str, expected: &[u32]) {
        let mut tuner = read(method, r#"{ "measurements": 24 }"#).unwrap();
        while tuner.end().is_none() {
            let request = tuner.ask().remove(0);
            tuner.tell(request.number, result(&request, 10)).unwrap();
        }
        let found: Vec<u32> =
            tuner.generations().map(|generation| generation.measurements).collect();
        assert_eq!(found, expected, "{method}");
        let games = tuner.generations().map(|generation| generation.games / 10);
        assert!(games.eq(expected.iter().map(|measurements| u64::from(*measurements))), "{method}");
    }

    #[test]
    fn generations_are_recorded_when_they_are_complete() {
        check_generations(r#"{ "name": "steady-state", "population": 5 }"#, &[5, 10, 15, 20]);
        let generational = r#"{ "name": "generational", "population": 5, "elite": 2 }"#;
        check_generations(generational, &[5, 10, 15, 20]);
        let once =
            r#"{ "name": "generational", "population": 5, "elite": 2, "remeasure_elite": false }"#;
        check_generations(once, &[5, 8, 11, 14, 17, 20, 23]);
        check_generations(r#"{ "name": "spsa" }"#, &[10, 20]);
        check_generations(r#"{ "name": "spsa", "duels": 2 }"#, &[20]);
        check_generations(r#"{ "name": "cma-es", "population": 8 }"#, &[8, 16, 24]);
    }

    #[test]
    fn progress_follows_the_limit_that_is_used_more() {
        let mut tuner =
            read(r#"{ "name": "spsa" }"#, r#"{ "measurements": 10, "games": 1000 }"#).unwrap();
        for (number, games, fraction) in
            [(0, 50, 0.1), (1, 350, 0.4), (2, 100, 0.5), (3, 499, 0.999)]
        {
            let request = tuner.ask().remove(0);
            tuner.tell(number, result(&request, games)).unwrap();
            assert_eq!(tuner.progress().fraction, Some(fraction));
        }
    }
}
