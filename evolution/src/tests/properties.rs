//! Properties that hold for every run, whatever the space, the method and the results.

use proptest::prelude::*;

use crate::rng::Rng;
use crate::{
    Budget, Fitness, JournalError, MeasurementRequest, MeasurementResult, Method, Parameter,
    ParameterKind, Setup, Space, Subject, TellError, Tuner, TunerEvent, Weights,
};

/// Settings with populations so small that several generations fit in a few dozen measurements.
const METHODS: [&str; 10] = [
    r#"{ "name": "steady-state", "population": 4 }"#,
    r#"{ "name": "steady-state", "population": 5, "offspring": 3, "remeasure_interval": 2 }"#,
    r#"{
        "name": "steady-state", "population": 2, "remeasure_interval": 0,
        "variation": { "parents": 1 }
    }"#,
    r#"{ "name": "generational", "population": 6, "elite": 2 }"#,
    r#"{ "name": "generational", "population": 5, "elite": 0, "tournament_size": 1 }"#,
    r#"{ "name": "generational", "population": 4, "elite": 3, "remeasure_elite": false }"#,
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
        let (kind, start) = if whole {
            (ParameterKind::Whole, start.round())
        } else {
            (ParameterKind::Real, start.min(max))
        };
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
        budget: Budget { measurements: Some(60), games: None },
    })
}

/// A result that depends only on the request; it takes few distinct values, so that ties are
/// frequent.
fn result(request: &MeasurementRequest) -> MeasurementResult {
    let share = Rng::new(u64::from(request.number)).below(5) as f64 / 4.0;
    match request.subject {
        Subject::Fitness { .. } => {
            MeasurementResult::Fitness(Fitness { share, standard_error: 0.1, games: 2 })
        }
        Subject::Duel { .. } => MeasurementResult::Duel { margin: 2.0 * share - 1.0, games: 2 },
    }
}

/// Runs to the end, each time measuring the open request that `pick` chooses. Returns the journal
/// in order of arrival.
fn play(
    tuner: &mut Tuner,
    mut pick: impl FnMut(usize) -> usize,
) -> Vec<(MeasurementRequest, MeasurementResult)> {
    let mut journal = Vec::new();
    while tuner.end().is_none() {
        let open = tuner.ask();
        let request = &open[pick(open.len())];
        tuner.tell(request.number, result(request)).unwrap();
        journal.push((request.clone(), result(request)));
    }
    journal
}

fn in_order(setup: &Setup) -> Tuner {
    let mut tuner = Tuner::new(setup.clone()).unwrap();
    play(&mut tuner, |_| 0);
    tuner
}

fn weights_of(event: &TunerEvent) -> Vec<&Weights> {
    match event {
        TunerEvent::Requested { request, .. } => match &request.subject {
            Subject::Fitness { weights, .. } => vec![weights],
            Subject::Duel { plus, minus } => vec![plus, minus],
        },
        TunerEvent::Generation(generation) => vec![&generation.best],
        _ => Vec::new(),
    }
}

proptest! {
    #[test]
    fn all_weights_stay_within_the_space(setup in setup()) {
        let tuner = in_order(&setup);
        let best = tuner.best();
        let is_request = |event: &&TunerEvent| matches!(event, TunerEvent::Requested { .. });
        let requests = tuner.history().iter().filter(is_request);
        prop_assert_eq!(requests.count(), 60);
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
    fn the_order_of_arrival_does_not_matter(setup in setup(), order in any::<u64>()) {
        let mut rng = Rng::new(order);
        let mut tuner = Tuner::new(setup.clone()).unwrap();
        play(&mut tuner, |open| rng.below(open));
        let expected = in_order(&setup);
        prop_assert_eq!(tuner.history(), expected.history());
        prop_assert_eq!(tuner.best(), expected.best());
        prop_assert_eq!(tuner.end(), expected.end());
    }

    #[test]
    fn a_truncated_journal_resumes_the_same_run(
        setup in setup(),
        order in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut rng = Rng::new(order);
        let mut whole = Tuner::new(setup.clone()).unwrap();
        let mut journal = play(&mut whole, |open| rng.below(open));
        journal.truncate(cut.index(journal.len()));
        // The journal is stored as text and read back.
        let text = serde_json::to_string(&journal).unwrap();
        let journal: Vec<(MeasurementRequest, MeasurementResult)> =
            serde_json::from_str(&text).unwrap();
        let setup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
        let mut resumed = Tuner::replay(setup, journal).unwrap();
        play(&mut resumed, |_| 0);
        prop_assert_eq!(resumed.history(), whole.history());
        prop_assert_eq!(resumed.progress(), whole.progress());
    }

    #[test]
    fn refused_results_change_nothing(setup in setup(), bad in 0..8_usize) {
        let mut tuner = Tuner::new(setup.clone()).unwrap();
        let open = tuner.ask();
        let first = open[0].number;
        let (share, standard_error, games) = [
            (f64::NAN, 0.1, 2),
            (f64::INFINITY, 0.1, 2),
            (f64::NEG_INFINITY, 0.1, 2),
            (-1.5, 0.1, 2),
            (1.5, 0.1, 2),
            (0.5, f64::NAN, 2),
            (0.5, -0.1, 2),
            (0.5, 0.1, 0),
        ][bad];
        let (refused, other) = match open[0].subject {
            Subject::Fitness { .. } => {
                let refused = MeasurementResult::Fitness(Fitness { share, standard_error, games });
                (refused, MeasurementResult::Duel { margin: 0.0, games: 2 })
            }
            Subject::Duel { .. } => {
                let fitness = Fitness { share: 0.5, standard_error: 0.0, games: 2 };
                let other = MeasurementResult::Fitness(fitness);
                let margin = if standard_error.is_nan() || standard_error < 0.0 {
                    standard_error * 100.0
                } else {
                    share
                };
                (MeasurementResult::Duel { margin, games }, other)
            }
        };
        let found = tuner.tell(first, refused);
        let value = matches!(found, Err(TellError::OutOfRange { number: 0, .. }));
        prop_assert!(value || found == Err(TellError::NoGames { number: 0 }), "{:?}", found);
        prop_assert_eq!(tuner.tell(first, other), Err(TellError::WrongKind { number: 0 }));
        let unknown = TellError::NotRequested { number: 1_000_000 };
        prop_assert_eq!(tuner.tell(1_000_000, result(&open[0])), Err(unknown));
        prop_assert_eq!(tuner.ask(), open.clone());
        // A result that arrives early waits, and its request is no longer open.
        let last = open.last().unwrap();
        tuner.tell(last.number, result(last)).unwrap();
        prop_assert!(tuner.ask().iter().all(|request| request.number != last.number));
        let duplicate = TellError::Duplicate { number: last.number };
        prop_assert_eq!(tuner.tell(last.number, result(last)), Err(duplicate));
        play(&mut tuner, |_| 0);
        let expected = in_order(&setup);
        prop_assert_eq!(tuner.history(), expected.history());
        let duplicate = TellError::Duplicate { number: first };
        prop_assert_eq!(tuner.tell(first, result(&open[0])), Err(duplicate));
    }
}

fn reals(count: usize) -> Space {
    let parameter = |number| Parameter {
        name: format!("p{number}"),
        kind: ParameterKind::Real,
        min: 0.0,
        max: 1.0,
        start: 0.5,
        step: None,
    };
    Space::new((0..count).map(parameter).collect()).unwrap()
}

#[test]
fn journals_of_other_runs_are_refused() {
    for method in METHODS {
        let method: Method = serde_json::from_str(method).unwrap();
        let budget = Budget { measurements: Some(30), games: None };
        let setup = Setup { space: reals(8), method, seed: 1, budget };
        let journal = play(&mut Tuner::new(setup.clone()).unwrap(), |_| 0);
        let replayed = Tuner::replay(Setup { seed: 2, ..setup.clone() }, journal.clone());
        assert!(matches!(replayed, Err(JournalError::Mismatch { number: 0..=1 })), "{method:?}");
        let twice = journal.iter().chain(&journal[..1]).cloned();
        let replayed = Tuner::replay(setup.clone(), twice);
        let expected = JournalError::Tell(TellError::Duplicate { number: 0 });
        assert_eq!(replayed.map(|tuner| tuner.progress()), Err(expected), "{method:?}");
    }
}

/// Runs with the same result for every measurement.
fn check_constant(
    parameters: usize,
    kind: ParameterKind,
    method: &str,
    share: f64,
    measurements: u32,
) {
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
    let budget = Budget { measurements: Some(measurements), games: None };
    let mut tuner = Tuner::new(Setup { space: space.clone(), method, seed: 1, budget }).unwrap();
    while tuner.end().is_none() {
        for request in tuner.ask() {
            let result = match request.subject {
                Subject::Fitness { .. } => {
                    MeasurementResult::Fitness(Fitness { share, standard_error: 0.0, games: 2 })
                }
                Subject::Duel { .. } => {
                    MeasurementResult::Duel { margin: 2.0 * share - 1.0, games: 2 }
                }
            };
            tuner.tell(request.number, result).unwrap();
        }
    }
    for weights in tuner.history().iter().flat_map(weights_of) {
        assert_eq!(space.check(weights.values()).as_ref(), Ok(weights), "{method:?}");
    }
}

#[test]
fn constant_results_are_handled() {
    for method in METHODS {
        for share in [0.0, 0.5, 1.0] {
            check_constant(1, ParameterKind::Whole, method, share, 2000);
            check_constant(3, ParameterKind::Real, method, share, 2000);
            check_constant(200, ParameterKind::Real, method, share, 120);
            check_constant(200, ParameterKind::Whole, method, share, 120);
        }
    }
}
