//! A run: questions go out, answers come in whatever order, and count in the order of the questions. So
//! the run depends on nothing but its setup and the answers, and playing the answers again is resuming it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Question};
use super::desk::{Desk, Optimizer};
use super::error::{JournalError, SetupError, TellError};
use super::history::{Event, Generation};
use super::method::Method;
use super::space::Space;
use super::weights::Weights;

/// How much may be asked and played; without either a run goes on until it is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// So many questions, one at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<u32>,
    /// So many games, one at least: the answer that reaches the number is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
}

/// What a run is made of. With the answers it is the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// What is tuned.
    pub space: Space,
    /// How.
    #[serde(default)]
    pub method: Method,
    /// What all chance comes from.
    pub seed: u64,
    /// How long.
    #[serde(default)]
    pub budget: Budget,
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum End {
    /// All questions of the budget are answered.
    Questions,
    /// All games of the budget are played.
    Games,
    /// The method can find nothing better.
    Converged {
        /// How it knows.
        reason: String,
    },
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// How many answers count.
    pub questions: u32,
    /// How many games they took.
    pub games: u64,
    /// The part of the budget that is used, 0 to 1; none without a budget.
    pub part: Option<f64>,
}

/// A run.
pub struct Tuner {
    setup: Setup,
    desk: Desk,
    optimizer: Box<dyn Optimizer>,
    /// Answers to questions after one that has none.
    waiting: BTreeMap<u32, Answer>,
    end: Option<End>,
}

impl std::fmt::Debug for Tuner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (setup, waiting) = (&self.setup, &self.waiting);
        let debug = &mut f.debug_struct("Tuner");
        let debug = debug.field("setup", setup).field("open", &self.desk.open);
        debug.field("waiting", waiting).field("end", &self.end).finish_non_exhaustive()
    }
}

impl Tuner {
    /// A run that has asked its first questions.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let Budget { questions, games } = setup.budget;
        for (what, nothing) in [("questions", questions == Some(0)), ("games", games == Some(0))] {
            if nothing {
                return Err(SetupError::Budget { what });
            }
        }
        let optimizer = setup.method.run(&setup.space, setup.seed, questions)?;
        let desk = Desk::new(setup.space.clone(), setup.seed, questions.unwrap_or(u32::MAX));
        let mut tuner = Self { setup, desk, optimizer, waiting: BTreeMap::new(), end: None };
        tuner.optimizer.begin(&mut tuner.desk);
        Ok(tuner)
    }

    /// The run to which these questions got these answers, in the order in which they came or any other that begins with those that
    /// could be asked. It goes on as the one that was left.
    pub fn replay(
        setup: Setup,
        journal: impl IntoIterator<Item = (Question, Answer)>,
    ) -> Result<Self, JournalError> {
        let mut tuner = Self::new(setup)?;
        for (question, answer) in journal {
            let number = question.number;
            match tuner.desk.open.get(&number) {
                Some(open) if *open != question => return Err(JournalError::Differs { number }),
                _ => tuner.tell(number, answer)?,
            }
        }
        Ok(tuner)
    }

    /// What the run is made of.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The questions that have no answer, in their order. All of them can be worked on at once; what is asked does
    /// not depend on how many are. None once the run is over.
    pub fn ask(&self) -> Vec<Question> {
        let open = self.desk.open.values().filter(|_| self.end.is_none());
        open.filter(|question| !self.waiting.contains_key(&question.number)).cloned().collect()
    }

    /// Answers a question. Answers to questions that were open when the run came to its end are taken and count for
    /// nothing.
    pub fn tell(&mut self, number: u32, answer: Answer) -> Result<(), TellError> {
        let Some(question) = self.desk.open.get(&number) else {
            let asked = number < self.desk.counted;
            return Err(if asked {
                TellError::Twice { number }
            } else {
                TellError::NotAsked { number }
            });
        };
        if self.waiting.contains_key(&number) {
            return Err(TellError::Twice { number });
        }
        answer.check(question)?;
        self.waiting.insert(number, answer);
        while self.end.is_none() && self.count_next() {}
        Ok(())
    }

    fn count_next(&mut self) -> bool {
        let number = self.desk.counted;
        let Some(answer) = self.waiting.remove(&number) else { return false };
        self.desk.open.remove(&number);
        self.desk.counted += 1;
        self.desk.games += u64::from(answer.games());
        self.desk.history.push(Event::Counted { number, answer });
        self.optimizer.take(number, &answer, &mut self.desk);
        let budget = self.setup.budget;
        self.end = if budget.games.is_some_and(|games| self.desk.games >= games) {
            Some(End::Games)
        } else if let Some(reason) = self.optimizer.over() {
            Some(End::Converged { reason: reason.into() })
        } else if self.desk.counted == self.desk.limit {
            Some(End::Questions)
        } else {
            None
        };
        true
    }

    /// The weights to ship if the run ended now. Of a genetic algorithm the best of those who were measured more than
    /// once, less a standard error; of SPSA the mean of its points, of which later ones count more; of CMA-ES
    /// the mean of its distribution. None of them is merely the best result, which is that of the luckiest.
    pub fn best(&self) -> Weights {
        self.optimizer.best(&self.setup.space)
    }

    /// Why the run is over, if it is.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        let (questions, games) = (self.desk.counted, self.desk.games);
        let Budget { questions: of, games: of_games } = self.setup.budget;
        let parts = [
            of.map(|of| f64::from(questions) / f64::from(of)),
            of_games.map(|of| games as f64 / of as f64),
            self.end.as_ref().map(|_| 1.0),
        ];
        let part = parts.into_iter().flatten().reduce(f64::max).map(|part| part.min(1.0));
        Progress { questions, games, part }
    }

    /// All that it did, in order; an event never changes, so that a report can go on from where it was.
    pub fn history(&self) -> &[Event] {
        &self.desk.history
    }

    /// How each generation stood.
    pub fn generations(&self) -> impl Iterator<Item = &Generation> {
        self.desk.history.iter().filter_map(|event| match event {
            Event::Generation(generation) => Some(generation),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Fitness;

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
    fn a_setup_that_cannot_be_run_is_refused() {
        let steady = |rest: &str| format!(r#"{{ "name": "steady-state", {rest} }}"#);
        let check = |method: &str, expected: &str| check_refused(method, "{}", expected);
        check(
            &steady(r#""population": 1"#),
            "`steady-state`: setting `population` is 1, which is not between 2",
        );
        check(&steady(r#""children": 0"#), "setting `children` is 0");
        check(&steady(r#""remeasure": 1"#), "setting `remeasure` is 1, which is not between 2");
        check(&steady(r#""breeding": { "parents": 0 }"#), "setting `parents` is 0");
        check(&steady(r#""breeding": { "blend": 1.5 }"#), "setting `blend` is 1.5");
        check(&steady(r#""breeding": { "crossover_rate": -1 }"#), "setting `crossover_rate` is -1");
        check(&steady(r#""breeding": { "mutation_rate": 2 }"#), "setting `mutation_rate` is 2");
        check(&steady(r#""breeding": { "mutation_size": 0 }"#), "setting `mutation_size` is 0");
        check(&steady(r#""breeding": { "spread": 11 }"#), "setting `spread` is 11");
        check(&steady(r#""elite": 3"#), "unknown field `elite`");
        check(&steady(r#""breeding": { "elite": 3 }"#), "unknown field `elite`");
        let generational = |rest: &str| format!(r#"{{ "name": "generational", {rest} }}"#);
        check(
            &generational(r#""population": 6, "elite": 6"#),
            "`elite` is 6, which is not between 0 and 5",
        );
        check(&generational(r#""tournament": 0"#), "setting `tournament` is 0");
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
        check_refused(&steady(r#""population": 4"#), r#"{ "questions": 0 }"#, "0 questions");
        check_refused(&steady(r#""population": 4"#), r#"{ "games": 0 }"#, "0 games");
        check_refused(&steady(r#""population": 4"#), r#"{ "hours": 1 }"#, "unknown field `hours`");
    }

    fn answer(question: &Question, games: u32) -> Answer {
        match question.asked {
            crate::Asked::Fitness { .. } => {
                Answer::Fitness(Fitness { share: 0.5, error: 0.1, games })
            }
            crate::Asked::Duel { .. } => Answer::Duel { result: 0.0, games },
        }
    }

    /// Answers all that is asked, ten games each: how many answers count, how many games, and why it ends.
    fn check_end(method: &str, budget: &str, questions: u32, games: u64, end: &End) {
        let mut tuner = read(method, budget).unwrap();
        let mut last = Vec::new();
        while tuner.end().is_none() {
            last = tuner.ask();
            for question in &last {
                tuner.tell(question.number, answer(question, 10)).unwrap();
            }
        }
        assert_eq!(tuner.end(), Some(end), "{method}");
        assert_eq!(tuner.ask(), []);
        assert_eq!(tuner.progress(), Progress { questions, games, part: Some(1.0) });
        // What was being played when it ended is taken; what has counted is not taken twice.
        for question in last {
            let told = tuner.tell(question.number, answer(&question, 10));
            assert_eq!(told, Err(TellError::Twice { number: question.number }));
        }
        assert_eq!(tuner.progress().questions, questions);
    }

    #[test]
    fn a_run_ends_with_its_budget_or_when_it_has_converged() {
        for method in ["steady-state", "generational", "spsa", "cma-es"] {
            let method = format!(r#"{{ "name": "{method}" }}"#);
            check_end(&method, r#"{ "questions": 3 }"#, 3, 30, &End::Questions);
            check_end(&method, r#"{ "questions": 100 }"#, 100, 1000, &End::Questions);
            check_end(&method, r#"{ "games": 95 }"#, 10, 100, &End::Games);
            check_end(&method, r#"{ "games": 100 }"#, 10, 100, &End::Games);
            check_end(&method, r#"{ "questions": 50, "games": 95 }"#, 10, 100, &End::Games);
            let mut endless = read(&method, "{}").unwrap();
            assert_eq!(endless.progress(), Progress { questions: 0, games: 0, part: None });
            let first = endless.ask().remove(0);
            endless.tell(0, answer(&first, 10)).unwrap();
            assert_eq!(endless.progress(), Progress { questions: 1, games: 10, part: None });
        }
        let reason = "nothing tells the candidates apart".into();
        // Ten generations of 3 · (4 + 2) candidates.
        check_end(r#"{ "name": "cma-es" }"#, "{}", 180, 1800, &End::Converged { reason });
    }

    /// After how many questions each generation is told of, of 24 of ten games each.
    fn check_generations(method: &str, expected: &[u32]) {
        let mut tuner = read(method, r#"{ "questions": 24 }"#).unwrap();
        while tuner.end().is_none() {
            let question = tuner.ask().remove(0);
            tuner.tell(question.number, answer(&question, 10)).unwrap();
        }
        let found: Vec<u32> = tuner.generations().map(|told| told.questions).collect();
        assert_eq!(found, expected, "{method}");
        let games = tuner.generations().map(|told| told.games / 10);
        assert!(games.eq(expected.iter().map(|questions| u64::from(*questions))), "{method}");
    }

    #[test]
    fn generations_are_told_of_when_they_are_whole() {
        check_generations(r#"{ "name": "steady-state", "population": 5 }"#, &[5, 10, 15, 20]);
        let generational = r#"{ "name": "generational", "population": 5, "elite": 2 }"#;
        check_generations(generational, &[5, 10, 15, 20]);
        let once = r#"{ "name": "generational", "population": 5, "elite": 2, "remeasure": false }"#;
        check_generations(once, &[5, 8, 11, 14, 17, 20, 23]);
        check_generations(r#"{ "name": "spsa" }"#, &[10, 20]);
        check_generations(r#"{ "name": "spsa", "duels": 2 }"#, &[20]);
        check_generations(r#"{ "name": "cma-es", "population": 8 }"#, &[8, 16, 24]);
    }

    #[test]
    fn progress_is_the_part_of_the_budget_that_is_used_more() {
        let mut tuner =
            read(r#"{ "name": "spsa" }"#, r#"{ "questions": 10, "games": 1000 }"#).unwrap();
        for (number, games, part) in [(0, 50, 0.1), (1, 350, 0.4), (2, 100, 0.5), (3, 499, 0.999)] {
            let question = tuner.ask().remove(0);
            tuner.tell(number, answer(&question, games)).unwrap();
            assert_eq!(tuner.progress().part, Some(part));
        }
    }
}
