//! Benchmarks: each method on functions with a known minimum, measured exactly and with the noise
//! of eight pairs of games, compared with random search of the same budget.

use super::functions::{Function, Noise, NoisyFunction};
use crate::rng::Rng;
use crate::{
    Budget, MeasurementRequest, MeasurementResult, Method, Race, RaceSetup, RaceStatus, Setup,
    Subject, Tuner,
};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

#[derive(Clone, Copy)]
struct Case {
    function: Function,
    dimension: usize,
    noise: Noise,
    measurements: u32,
}

impl Case {
    fn tuner(&self, method: &str, seed: u64) -> Tuner {
        let method: Method = serde_json::from_str(method).unwrap();
        let budget = Budget { measurements: Some(self.measurements), games: None };
        let space = self.function.space(self.dimension);
        Tuner::new(Setup { space, method, seed, budget }).unwrap()
    }

    /// The value of the weights that a method returns.
    fn run(&self, method: &str, seed: u64) -> f64 {
        let mut noisy = NoisyFunction::new(self.function, self.dimension, self.noise, seed);
        let mut tuner = self.tuner(method, seed);
        play(&mut tuner, |request| noisy.measure(request));
        noisy.value(&tuner.best())
    }

    /// The values that a method reaches for each seed, in ascending order.
    fn runs(&self, method: &str) -> Vec<f64> {
        sorted(SEEDS.map(|seed| self.run(method, seed)))
    }

    /// The values that random search reaches: of uniform samples the one with the best result.
    fn random_search(&self) -> Vec<f64> {
        let space = self.function.space(self.dimension);
        sorted(SEEDS.map(|seed| {
            let mut noisy = NoisyFunction::new(self.function, self.dimension, self.noise, seed);
            let mut rng = Rng::new(seed);
            let drawn = (0..self.measurements).map(|_| {
                let point: Vec<f64> = (0..self.dimension).map(|_| rng.uniform()).collect();
                let weights = space.weights(&point);
                (noisy.fitness(&weights).share, weights)
            });
            let best = drawn.reduce(|best, next| if next.0 > best.0 { next } else { best });
            noisy.function.value(best.unwrap().1.values())
        }))
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn play(tuner: &mut Tuner, mut measure: impl FnMut(&MeasurementRequest) -> MeasurementResult) {
    while tuner.end().is_none() {
        for request in tuner.ask() {
            tuner.tell(request.number, measure(&request)).unwrap();
        }
    }
}

/// Checks that every seed of a method reaches its bound, and that half the seeds of random search
/// stay at least three times as far away.
fn check(function: Function, dimension: usize, noise: Noise, methods: &[(&str, f64)]) {
    let case = Case { function, dimension, noise, measurements: 2000 };
    let random_search = case.random_search();
    for (method, bound) in methods {
        let found = case.runs(method);
        assert!(found[4] <= *bound, "{function:?} {noise:?} {method}: {found:?}");
        assert!(
            random_search[2] >= 3.0 * bound && random_search[2] > 0.0,
            "{function:?} {noise:?} random search: {random_search:?}"
        );
    }
}

const STEADY: &str = r#"{ "name": "steady-state" }"#;
const STEADY_EXACT: &str = r#"{ "name": "steady-state", "remeasure_interval": 0 }"#;
const STEADY_BOLD: &str = r#"{ "name": "steady-state", "variation": { "mutation_rate": 0.5 } }"#;
const STEADY_PARALLEL: &str = r#"{ "name": "steady-state", "offspring": 4 }"#;
const GENERATIONS: &str = r#"{ "name": "generational" }"#;
const GENERATIONS_EXACT: &str = r#"{ "name": "generational", "remeasure_elite": false }"#;
const SPSA: &str = r#"{ "name": "spsa" }"#;
const SPSA_FAR: &str = r#"{ "name": "spsa", "a": 4 }"#;
const SPSA_FINE: &str = r#"{ "name": "spsa", "a": 3, "c": 0.03 }"#;
const SPSA_PARALLEL: &str = r#"{ "name": "spsa", "duels": 4 }"#;
const CMA_ES: &str = r#"{ "name": "cma-es" }"#;
/// Hansen's default population for four, and for twenty parameters.
const CMA_ES_8: &str = r#"{ "name": "cma-es", "population": 8 }"#;
const CMA_ES_12: &str = r#"{ "name": "cma-es", "population": 12 }"#;

#[test]
fn sphere() {
    let genetic = [
        (STEADY, 0.02),
        (STEADY_EXACT, 0.02),
        (STEADY_PARALLEL, 0.02),
        (GENERATIONS, 0.02),
        (GENERATIONS_EXACT, 0.02),
    ];
    check(Function::Sphere, 6, Noise::None, &genetic);
    let others = [(SPSA, 1e-6), (SPSA_PARALLEL, 1e-3), (CMA_ES, 1e-6)];
    check(Function::Sphere, 6, Noise::None, &others);
    let noisy = [(STEADY, 2.0), (GENERATIONS, 2.5), (SPSA, 0.02), (CMA_ES, 1.0)];
    check(Function::Sphere, 6, Noise::Pairs(8), &noisy);
}

#[test]
fn sphere_of_twenty_dimensions() {
    let exact = [(STEADY, 2.0), (GENERATIONS, 2.0), (SPSA, 1e-3), (CMA_ES, 0.1), (CMA_ES_12, 1e-4)];
    check(Function::Sphere, 20, Noise::None, &exact);
    let noisy = [(GENERATIONS, 35.0), (SPSA, 0.2), (CMA_ES, 20.0)];
    check(Function::Sphere, 20, Noise::Pairs(40), &noisy);
}

#[test]
fn whole_numbers() {
    // A whole parameter next to its best value costs 1/16.
    let exact = [(STEADY, 0.0), (GENERATIONS, 0.0), (SPSA, 0.0), (CMA_ES, 0.0)];
    check(Function::Whole, 6, Noise::None, &exact);
    let noisy = [(GENERATIONS, 2.0), (SPSA, 0.0625), (CMA_ES, 1.0)];
    check(Function::Whole, 6, Noise::Pairs(8), &noisy);
}

#[test]
fn rosenbrock_valley() {
    let exact = [(STEADY, 5.0), (GENERATIONS, 3.0), (SPSA_FINE, 0.3), (CMA_ES, 0.01)];
    check(Function::Rosenbrock, 4, Noise::None, &exact);
    check(Function::Rosenbrock, 4, Noise::None, &[(CMA_ES_8, 1e-6)]);
    let noisy = [(STEADY, 6.0), (GENERATIONS, 6.0), (SPSA_FINE, 15.0), (CMA_ES, 10.0)];
    check(Function::Rosenbrock, 4, Noise::Pairs(8), &noisy);
}

#[test]
fn rastrigin() {
    // The second best minimum is at 0.995.
    let exact = [(STEADY, 0.1), (STEADY_EXACT, 0.1), (GENERATIONS, 0.2), (SPSA_FAR, 0.3)];
    check(Function::Rastrigin, 3, Noise::None, &exact);
    // SPSA and, with noise, CMA-ES descend into a nearby local minimum, so they have no rows here.
    check(Function::Rastrigin, 3, Noise::Pairs(8), &[(STEADY_BOLD, 6.0), (GENERATIONS, 6.0)]);
}

#[test]
fn measuring_members_again_prevents_lucky_survivors() {
    let (function, noise) = (Function::Sphere, Noise::Pairs(8));
    let case = Case { function, dimension: 6, noise, measurements: 2000 };
    let pairs = [
        (r#"{ "name": "steady-state", "remeasure_interval": 0 }"#, STEADY),
        (r#"{ "name": "generational", "remeasure_elite": false }"#, GENERATIONS),
    ];
    for (once, again) in pairs {
        let (once, again) = (case.runs(once), case.runs(again));
        assert!(2.0 * again[2] < once[2] && again[4] < once[4], "{again:?} {once:?}");
    }
}

/// Measures pair by pair until the race is decided.
fn race(
    noisy: &mut NoisyFunction,
    request: &MeasurementRequest,
    threshold: f64,
) -> MeasurementResult {
    let Subject::Fitness { weights, .. } = &request.subject else { panic!("a duel") };
    let mut race = Race::new(RaceSetup { threshold, error_rate: 0.2, pairs_max: 40 }).unwrap();
    while race.status() == RaceStatus::Continue {
        race.add(noisy.pair(weights)).unwrap();
    }
    MeasurementResult::Fitness(race.fitness().unwrap())
}

#[test]
fn racing_saves_games_and_finds_equally_good_weights() {
    let (function, noise) = (Function::Sphere, Noise::Pairs(8));
    let case = Case { function, dimension: 6, noise, measurements: 2000 };
    let noise = Noise::Pairs(40);
    for seed in SEEDS {
        let mut noisy = NoisyFunction::new(function, case.dimension, noise, seed);
        let mut tuner = case.tuner(STEADY_BOLD, seed);
        play(&mut tuner, |request| match request.subject {
            Subject::Fitness { threshold: Some(threshold), .. } => {
                race(&mut noisy, request, threshold)
            }
            _ => noisy.measure(request),
        });
        let (value, games) = (noisy.value(&tuner.best()), tuner.progress().games);
        assert!(value < 0.5, "{seed}: {value}");
        assert!(games < 150_000, "{seed}: {games} of 160,000");
    }
}
