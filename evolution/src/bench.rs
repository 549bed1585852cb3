//! The neutral bench: each method against functions whose least value is known, without luck and with that of
//! eight pairs of games for each answer, and against search at random with as many questions.

use crate::draw::Draws;
use crate::functions::{Arena, Function, Luck};
use crate::{Answer, Asked, Budget, Method, Question, Race, RaceSetup, Setup, Standing, Tuner};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

#[derive(Clone, Copy)]
struct Case {
    function: Function,
    dimension: usize,
    luck: Luck,
    questions: u32,
}

impl Case {
    fn tuner(&self, method: &str, seed: u64) -> Tuner {
        let method: Method = serde_json::from_str(method).unwrap();
        let budget = Budget { questions: Some(self.questions), games: None };
        let space = self.function.space(self.dimension);
        Tuner::new(Setup { space, method, seed, budget }).unwrap()
    }

    /// The value of the weights that a method would ship.
    fn run(&self, method: &str, seed: u64) -> f64 {
        let mut arena = Arena::new(self.function, self.dimension, self.luck, seed);
        let mut tuner = self.tuner(method, seed);
        play(&mut tuner, |question| arena.answer(question));
        arena.value(&tuner.best())
    }

    /// The values of a method's weights for each seed, the least first.
    fn runs(&self, method: &str) -> Vec<f64> {
        sorted(SEEDS.map(|seed| self.run(method, seed)))
    }

    /// Those of weights drawn anywhere, of which the one with the best answer is taken.
    fn at_random(&self) -> Vec<f64> {
        let space = self.function.space(self.dimension);
        sorted(SEEDS.map(|seed| {
            let mut arena = Arena::new(self.function, self.dimension, self.luck, seed);
            let mut draws = Draws::new(seed);
            let drawn = (0..self.questions).map(|_| {
                let point: Vec<f64> = (0..self.dimension).map(|_| draws.unit()).collect();
                let weights = space.weights(&point);
                (arena.fitness(&weights).share, weights)
            });
            let best = drawn.reduce(|best, next| if next.0 > best.0 { next } else { best });
            arena.function.value(best.unwrap().1.values())
        }))
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn play(tuner: &mut Tuner, mut answer: impl FnMut(&Question) -> Answer) {
    while tuner.end().is_none() {
        for question in tuner.ask() {
            tuner.tell(question.number, answer(&question)).unwrap();
        }
    }
}

/// Each seed of a method comes to the bound or below, and half of those of random search stay three times as
/// far away or farther.
fn check(function: Function, dimension: usize, luck: Luck, methods: &[(&str, f64)]) {
    let case = Case { function, dimension, luck, questions: 2000 };
    let at_random = case.at_random();
    for (method, bound) in methods {
        let found = case.runs(method);
        assert!(found[4] <= *bound, "{function:?} {luck:?} {method}: {found:?}");
        assert!(
            at_random[2] >= 3.0 * bound && at_random[2] > 0.0,
            "{function:?} {luck:?} at random: {at_random:?}"
        );
    }
}

const STEADY: &str = r#"{ "name": "steady-state" }"#;
const STEADY_EXACT: &str = r#"{ "name": "steady-state", "remeasure": 0 }"#;
const STEADY_BOLD: &str = r#"{ "name": "steady-state", "breeding": { "mutation_rate": 0.5 } }"#;
const STEADY_PARALLEL: &str = r#"{ "name": "steady-state", "children": 4 }"#;
const GENERATIONS: &str = r#"{ "name": "generational" }"#;
const GENERATIONS_EXACT: &str = r#"{ "name": "generational", "remeasure": false }"#;
const SPSA: &str = r#"{ "name": "spsa" }"#;
const SPSA_FAR: &str = r#"{ "name": "spsa", "a": 4 }"#;
const SPSA_FINE: &str = r#"{ "name": "spsa", "a": 3, "c": 0.03 }"#;
const SPSA_PARALLEL: &str = r#"{ "name": "spsa", "duels": 4 }"#;
const CMA_ES: &str = r#"{ "name": "cma-es" }"#;
/// Hansen's population for four, and for twenty parameters.
const CMA_ES_8: &str = r#"{ "name": "cma-es", "population": 8 }"#;
const CMA_ES_12: &str = r#"{ "name": "cma-es", "population": 12 }"#;

#[test]
fn a_sphere() {
    let genetic = [
        (STEADY, 0.02),
        (STEADY_EXACT, 0.02),
        (STEADY_PARALLEL, 0.02),
        (GENERATIONS, 0.02),
        (GENERATIONS_EXACT, 0.02),
    ];
    check(Function::Sphere, 6, Luck::None, &genetic);
    let others = [(SPSA, 1e-6), (SPSA_PARALLEL, 1e-3), (CMA_ES, 1e-6)];
    check(Function::Sphere, 6, Luck::None, &others);
    let lucky = [(STEADY, 2.0), (GENERATIONS, 2.5), (SPSA, 0.02), (CMA_ES, 1.0)];
    check(Function::Sphere, 6, Luck::Pairs(8), &lucky);
}

#[test]
fn a_sphere_of_twenty_dimensions() {
    let exact = [(STEADY, 2.0), (GENERATIONS, 2.0), (SPSA, 1e-3), (CMA_ES, 0.1), (CMA_ES_12, 1e-4)];
    check(Function::Sphere, 20, Luck::None, &exact);
    let lucky = [(GENERATIONS, 35.0), (SPSA, 0.2), (CMA_ES, 20.0)];
    check(Function::Sphere, 20, Luck::Pairs(40), &lucky);
}

#[test]
fn whole_numbers() {
    // One parameter beside its best value is 1/16.
    let exact = [(STEADY, 0.0), (GENERATIONS, 0.0), (SPSA, 0.0), (CMA_ES, 0.0)];
    check(Function::Whole, 6, Luck::None, &exact);
    let lucky = [(GENERATIONS, 2.0), (SPSA, 0.0625), (CMA_ES, 1.0)];
    check(Function::Whole, 6, Luck::Pairs(8), &lucky);
}

#[test]
fn rosenbrocks_valley() {
    let exact = [(STEADY, 5.0), (GENERATIONS, 3.0), (SPSA_FINE, 0.3), (CMA_ES, 0.01)];
    check(Function::Rosenbrock, 4, Luck::None, &exact);
    check(Function::Rosenbrock, 4, Luck::None, &[(CMA_ES_8, 1e-6)]);
    let lucky = [(STEADY, 6.0), (GENERATIONS, 6.0), (SPSA_FINE, 15.0), (CMA_ES, 10.0)];
    check(Function::Rosenbrock, 4, Luck::Pairs(8), &lucky);
}

#[test]
fn rastrigins_hills() {
    // The next best minimum is at 0.995.
    let exact = [(STEADY, 0.1), (STEADY_EXACT, 0.1), (GENERATIONS, 0.2), (SPSA_FAR, 0.3)];
    check(Function::Rastrigin, 3, Luck::None, &exact);
    // SPSA and, with luck, CMA-ES climb down into a hollow that is near: they have no rows here.
    check(Function::Rastrigin, 3, Luck::Pairs(8), &[(STEADY_BOLD, 6.0), (GENERATIONS, 6.0)]);
}

#[test]
fn whoever_stays_is_measured_again_and_so_is_no_lucky_one() {
    let (function, luck) = (Function::Sphere, Luck::Pairs(8));
    let case = Case { function, dimension: 6, luck, questions: 2000 };
    let pairs = [
        (r#"{ "name": "steady-state", "remeasure": 0 }"#, STEADY),
        (r#"{ "name": "generational", "remeasure": false }"#, GENERATIONS),
    ];
    for (once, again) in pairs {
        let (once, again) = (case.runs(once), case.runs(again));
        assert!(2.0 * again[2] < once[2] && again[4] < once[4], "{again:?} {once:?}");
    }
}

/// Plays pair by pair until the race is decided.
fn race(arena: &mut Arena, question: &Question, bar: f64) -> Answer {
    let Asked::Fitness { weights, .. } = &question.asked else { panic!("a duel") };
    let mut race = Race::new(RaceSetup { bar, error: 0.2, pairs: 40 }).unwrap();
    while race.standing() == Standing::Continue {
        race.add(arena.pair(weights)).unwrap();
    }
    Answer::Fitness(race.fitness().unwrap())
}

#[test]
fn racing_saves_games_and_finds_as_good_weights() {
    let (function, luck) = (Function::Sphere, Luck::Pairs(8));
    let case = Case { function, dimension: 6, luck, questions: 2000 };
    let luck = Luck::Pairs(40);
    for seed in SEEDS {
        let mut arena = Arena::new(function, case.dimension, luck, seed);
        let mut tuner = case.tuner(STEADY_BOLD, seed);
        play(&mut tuner, |question| match question.asked {
            Asked::Fitness { bar: Some(bar), .. } => race(&mut arena, question, bar),
            _ => arena.answer(question),
        });
        let (value, games) = (arena.value(&tuner.best()), tuner.progress().games);
        assert!(value < 0.5, "{seed}: {value}");
        assert!(games < 150_000, "{seed}: {games} of 160,000");
    }
}
