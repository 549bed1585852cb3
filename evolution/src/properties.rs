//! What holds of every run, whatever is tuned, by whatever method, with whatever answers.

use proptest::prelude::*;

use crate::draw::Draws;
use crate::{
    Answer, Asked, Budget, Event, Fitness, JournalError, Kind, Method, Parameter, Question, Setup,
    Space, TellError, Tuner, Weights,
};

/// Small enough that several generations fit in a few dozen questions.
const METHODS: [&str; 10] = [
    r#"{ "name": "steady-state", "population": 4 }"#,
    r#"{ "name": "steady-state", "population": 5, "children": 3, "remeasure": 2 }"#,
    r#"{ "name": "steady-state", "population": 2, "remeasure": 0, "breeding": { "parents": 1 } }"#,
    r#"{ "name": "generational", "population": 6, "elite": 2 }"#,
    r#"{ "name": "generational", "population": 5, "elite": 0, "tournament": 1 }"#,
    r#"{ "name": "generational", "population": 4, "elite": 3, "remeasure": false }"#,
    r#"{ "name": "spsa" }"#,
    r#"{ "name": "spsa", "duels": 3, "c": 1.0, "a": 1000 }"#,
    r#"{ "name": "cma-es" }"#,
    r#"{ "name": "cma-es", "population": 4, "sigma": 1.0 }"#,
];

fn parameter(number: usize) -> impl Strategy<Value = Parameter> {
    let numbers = (any::<bool>(), -50..50_i32, 1..40_i32, 0.0..=1.0_f64, any::<bool>());
    numbers.prop_map(move |(whole, min, range, start, step)| {
        let (min, max) = (f64::from(min), f64::from(min + range));
        let start = min + start * f64::from(range);
        let (kind, start) =
            if whole { (Kind::Whole, start.round()) } else { (Kind::Real, start.min(max)) };
        let step = step.then_some(f64::from(range) / 2.0);
        Parameter { name: format!("p{number}"), kind, min, max, start, step }
    })
}

fn setup() -> impl Strategy<Value = Setup> {
    let space = (1..5_usize).prop_flat_map(|count| (0..count).map(parameter).collect::<Vec<_>>());
    let method = (0..METHODS.len()).prop_map(|number| METHODS[number]);
    (space, method, any::<u64>()).prop_map(|(parameters, method, seed)| Setup {
        space: Space::new(parameters).unwrap(),
        method: serde_json::from_str(method).unwrap(),
        seed,
        budget: Budget { questions: Some(60), games: None },
    })
}

/// An answer that depends on the question alone; of few different ones, so that many are equal.
fn answer(question: &Question) -> Answer {
    let luck = Draws::new(u64::from(question.number)).below(5) as f64 / 4.0;
    match question.asked {
        Asked::Fitness { .. } => Answer::Fitness(Fitness { share: luck, error: 0.1, games: 2 }),
        Asked::Duel { .. } => Answer::Duel { result: 2.0 * luck - 1.0, games: 2 },
    }
}

/// Plays to the end, each time answering the question that is picked of those open; tells what was answered, in order.
fn play(tuner: &mut Tuner, mut pick: impl FnMut(usize) -> usize) -> Vec<(Question, Answer)> {
    let mut journal = Vec::new();
    while tuner.end().is_none() {
        let open = tuner.ask();
        let question = &open[pick(open.len())];
        tuner.tell(question.number, answer(question)).unwrap();
        journal.push((question.clone(), answer(question)));
    }
    journal
}

fn in_order(setup: &Setup) -> Tuner {
    let mut tuner = Tuner::new(setup.clone()).unwrap();
    play(&mut tuner, |_| 0);
    tuner
}

fn weights_of(event: &Event) -> Vec<&Weights> {
    match event {
        Event::Asked { question, .. } => match &question.asked {
            Asked::Fitness { weights, .. } => vec![weights],
            Asked::Duel { plus, minus } => vec![plus, minus],
        },
        Event::Generation(generation) => vec![&generation.best],
        _ => Vec::new(),
    }
}

proptest! {
    #[test]
    fn nothing_leaves_the_space(setup in setup()) {
        let tuner = in_order(&setup);
        let best = tuner.best();
        let asked = tuner.history().iter().filter(|event| matches!(event, Event::Asked { .. }));
        prop_assert_eq!(asked.count(), 60);
        for weights in tuner.history().iter().flat_map(weights_of).chain([&best]) {
            prop_assert_eq!(setup.space.check(weights.values()), Ok(weights.clone()));
        }
        for (number, generation) in (0..).zip(tuner.generations()) {
            prop_assert_eq!(generation.number, number);
            prop_assert_eq!(generation.mean.len(), setup.space.parameters().len());
            prop_assert!(generation.diversity.is_none_or(|d| (0.0..=1.0 + 1e-9).contains(&d)));
        }
    }

    #[test]
    fn the_order_of_arrival_changes_nothing(setup in setup(), order in any::<u64>()) {
        let mut draws = Draws::new(order);
        let mut tuner = Tuner::new(setup.clone()).unwrap();
        play(&mut tuner, |open| draws.below(open));
        let expected = in_order(&setup);
        prop_assert_eq!(tuner.history(), expected.history());
        prop_assert_eq!(tuner.best(), expected.best());
        prop_assert_eq!(tuner.end(), expected.end());
    }

    #[test]
    fn a_journal_that_is_cut_anywhere_goes_on_as_it_would_have(
        setup in setup(),
        order in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut draws = Draws::new(order);
        let mut whole = Tuner::new(setup.clone()).unwrap();
        let mut journal = play(&mut whole, |open| draws.below(open));
        journal.truncate(cut.index(journal.len()));
        // By way of its text, as it would be stored.
        let text = serde_json::to_string(&journal).unwrap();
        let journal: Vec<(Question, Answer)> = serde_json::from_str(&text).unwrap();
        let setup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
        let mut resumed = Tuner::replay(setup, journal).unwrap();
        play(&mut resumed, |_| 0);
        prop_assert_eq!(resumed.history(), whole.history());
        prop_assert_eq!(resumed.progress(), whole.progress());
    }

    #[test]
    fn refused_answers_change_nothing(setup in setup(), bad in 0..8_usize) {
        let mut tuner = Tuner::new(setup.clone()).unwrap();
        let asked = tuner.ask();
        let first = asked[0].number;
        let (share, error, games) = [
            (f64::NAN, 0.1, 2),
            (f64::INFINITY, 0.1, 2),
            (f64::NEG_INFINITY, 0.1, 2),
            (-1.5, 0.1, 2),
            (1.5, 0.1, 2),
            (0.5, f64::NAN, 2),
            (0.5, -0.1, 2),
            (0.5, 0.1, 0),
        ][bad];
        let (refused, other) = match asked[0].asked {
            Asked::Fitness { .. } => {
                let refused = Answer::Fitness(Fitness { share, error, games });
                (refused, Answer::Duel { result: 0.0, games: 2 })
            }
            Asked::Duel { .. } => {
                let other = Answer::Fitness(Fitness { share: 0.5, error: 0.0, games: 2 });
                let result = if error.is_nan() || error < 0.0 { error * 100.0 } else { share };
                (Answer::Duel { result, games }, other)
            }
        };
        let found = tuner.tell(first, refused);
        let value = matches!(found, Err(TellError::Value { number: 0, .. }));
        prop_assert!(value || found == Err(TellError::NoGames { number: 0 }), "{:?}", found);
        prop_assert_eq!(tuner.tell(first, other), Err(TellError::Kind { number: 0 }));
        let never = TellError::NotAsked { number: 1_000_000 };
        prop_assert_eq!(tuner.tell(1_000_000, answer(&asked[0])), Err(never));
        prop_assert_eq!(tuner.ask(), asked.clone());
        // The last one first: it waits, and is not asked for again.
        let last = asked.last().unwrap();
        tuner.tell(last.number, answer(last)).unwrap();
        prop_assert!(tuner.ask().iter().all(|question| question.number != last.number));
        let twice = TellError::Twice { number: last.number };
        prop_assert_eq!(tuner.tell(last.number, answer(last)), Err(twice));
        play(&mut tuner, |_| 0);
        let expected = in_order(&setup);
        prop_assert_eq!(tuner.history(), expected.history());
        prop_assert_eq!(tuner.tell(first, answer(&asked[0])), Err(TellError::Twice { number: first }));
    }
}

fn reals(count: usize) -> Space {
    let parameter = |number| Parameter {
        name: format!("p{number}"),
        kind: Kind::Real,
        min: 0.0,
        max: 1.0,
        start: 0.5,
        step: None,
    };
    Space::new((0..count).map(parameter).collect()).unwrap()
}

#[test]
fn a_journal_of_another_run_is_refused() {
    for method in METHODS {
        let method: Method = serde_json::from_str(method).unwrap();
        let budget = Budget { questions: Some(30), games: None };
        let setup = Setup { space: reals(8), method, seed: 1, budget };
        let journal = play(&mut Tuner::new(setup.clone()).unwrap(), |_| 0);
        let replayed = Tuner::replay(Setup { seed: 2, ..setup.clone() }, journal.clone());
        assert!(matches!(replayed, Err(JournalError::Differs { number: 0..=1 })), "{method:?}");
        let twice = journal.iter().chain(&journal[..1]).cloned();
        let replayed = Tuner::replay(setup.clone(), twice);
        let expected = JournalError::Tell(TellError::Twice { number: 0 });
        assert_eq!(replayed.map(|tuner| tuner.progress()), Err(expected), "{method:?}");
    }
}

/// Runs with one answer to everything.
fn check_constant(parameters: usize, kind: Kind, method: &str, share: f64, questions: u32) {
    let parameter = |number| Parameter {
        name: format!("p{number}"),
        kind,
        min: 0.0,
        max: 1.0,
        start: 1.0,
        step: None,
    };
    let space = Space::new((0..parameters).map(parameter).collect()).unwrap();
    let method: Method = serde_json::from_str(method).unwrap();
    let budget = Budget { questions: Some(questions), games: None };
    let mut tuner = Tuner::new(Setup { space: space.clone(), method, seed: 1, budget }).unwrap();
    while tuner.end().is_none() {
        for question in tuner.ask() {
            let answer = match question.asked {
                Asked::Fitness { .. } => Answer::Fitness(Fitness { share, error: 0.0, games: 2 }),
                Asked::Duel { .. } => Answer::Duel { result: 2.0 * share - 1.0, games: 2 },
            };
            tuner.tell(question.number, answer).unwrap();
        }
    }
    for weights in tuner.history().iter().flat_map(weights_of) {
        assert_eq!(space.check(weights.values()).as_ref(), Ok(weights), "{method:?}");
    }
}

#[test]
fn a_fitness_that_tells_nothing_harms_nobody() {
    for method in METHODS {
        for share in [0.0, 0.5, 1.0] {
            check_constant(1, Kind::Whole, method, share, 2000);
            check_constant(3, Kind::Real, method, share, 2000);
            check_constant(200, Kind::Real, method, share, 120);
            check_constant(200, Kind::Whole, method, share, 120);
        }
    }
}
