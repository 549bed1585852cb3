//! CMA-ES: candidates are drawn from a normal distribution, whose mean moves to the better half of them and
//! whose shape learns which way was up (N. Hansen, A. Ostermeier, *Completely Derandomized Self-Adaptation
//! in Evolution Strategies*, Evol. Comp. 9, 2001), with the worse half counting against a direction (G. Jastrebski,
//! D. Arnold, *Improving Evolution Strategies through Active Covariance Matrix Adaptation*, CEC 2006), by
//! `fcmaes-core`.
//!
//! That crate's matrices are multiplied as the processor does it fastest: a run repeats itself bit for bit on
//! processors of one kind, and a journal that was written on another may be refused at the first question
//! that differs.

use std::collections::BTreeMap;

use fcmaes_core::{Cmaes, CmaesParams};
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::desk::{Desk, Optimizer};
use super::error::{SettingsError, between};
use super::history::Origin;
use super::space::{Space, within};
use super::weights::Weights;

/// Less than any difference between two shares that games could bring.
const COIN: f64 = 1e-12;

/// After so many generations of equals there is nothing to be found.
const PLAIN: u32 = 10;

const NOTHING: &str = "nothing tells the candidates apart";

/// CMA-ES.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CmaEs {
    /// The standard deviation of the first candidates about the start, as a part of a parameter's range, above 0 to 1; 0.2 by default: the best weights
    /// should lie within two or three of them. A parameter with a step of its own begins with that.
    pub sigma: f64,
    /// How many candidates a generation has, 4 to 1000; by default 3 · (4 + ⌊3 ln n⌋) for n parameters. Hansen's default is a third
    /// of that, for functions without luck; many candidates with few games each bear luck best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<u32>,
}

impl Default for CmaEs {
    fn default() -> Self {
        Self { sigma: 0.2, population: None }
    }
}

impl CmaEs {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        between("sigma", self.sigma, [1e-6, 1.0])?;
        between("population", self.population.unwrap_or(4).into(), [4.0, 1000.0])
    }

    pub(crate) fn population(&self, dimension: usize) -> u32 {
        let usual = 4 + (3.0 * libm::log(dimension as f64)) as u32;
        self.population.unwrap_or(3 * usual)
    }
}

pub(crate) struct CmaEsRun {
    inner: Cmaes,
    /// The candidates as they were drawn, not rounded, and perhaps beyond the borders.
    asked: Vec<Vec<f64>>,
    /// The place of each candidate that has no share yet.
    waiting: BTreeMap<u32, usize>,
    questions: Vec<u32>,
    shares: Vec<f64>,
    mean: Vec<f64>,
    /// How many generations in a row all shares have been equal.
    plain: u32,
    over: Option<&'static str>,
}

impl CmaEsRun {
    pub(crate) fn new(settings: CmaEs, space: &Space, seed: u64) -> Self {
        let dimension = space.dimension();
        let mean = space.point(&space.start());
        let sigmas: Vec<f64> =
            (0..dimension).map(|gene| space.scale(gene, settings.sigma)).collect();
        // No borders, but a price for what is beyond them: the crate would move candidates to the borders and not know that it
        // did, and its steps would grow.
        let unbounded = fcmaes_core::Fitness::new(dimension, 1, Vec::new(), Vec::new());
        let params = CmaesParams {
            popsize: settings.population(dimension) as i32,
            // The crate damps its steps less where it knows that there will be few evaluations; they grow then.
            max_evaluations: u64::MAX,
            seed,
            // Few games bring the best share of all again and again.
            stop_tol_hist_fun: 0.0,
            ..CmaesParams::default()
        };
        Self {
            inner: Cmaes::new(unbounded, &mean, &sigmas, &params),
            asked: Vec::new(),
            waiting: BTreeMap::new(),
            questions: Vec::new(),
            shares: Vec::new(),
            mean,
            plain: 0,
            over: None,
        }
    }

    fn ask(&mut self, desk: &mut Desk) {
        self.asked = self.inner.ask();
        self.shares = vec![0.0; self.asked.len()];
        self.questions.clear();
        for (place, point) in self.asked.iter().enumerate() {
            let number = desk.ask_fitness(desk.space.weights(point), None, Origin::Drawn);
            self.questions.push(number);
            self.waiting.insert(number, place);
        }
    }

    /// What is to be least. Few games bring few different shares: without a coin for equal ones the crate would take
    /// every fourth candidate's being as good as the best ever for a plain and let its steps grow: with two pairs of games the
    /// sphere's median at the bench was twice as far from its optimum.
    fn costs(&self, desk: &mut Desk) -> Vec<f64> {
        let both = self.shares.iter().zip(&self.asked);
        both.map(|(share, point)| 1.0 - share + beyond(point) + COIN * desk.draws.unit()).collect()
    }

    fn turn(&mut self, desk: &mut Desk) {
        let costs = self.costs(desk);
        let plain = self.shares.iter().all(|share| *share == self.shares[0]);
        self.plain = if plain { self.plain + 1 } else { 0 };
        self.over =
            if self.plain >= PLAIN { Some(NOTHING) } else { reason(self.inner.tell(&costs)) };
        self.mean = mean_of_the_better_half(&self.asked, &costs);
        let best = self.best(&desk.space);
        let asked = std::mem::take(&mut self.asked);
        let rows = self.questions.iter().zip(asked).zip(&self.shares);
        let rows = rows.map(|((question, point), share)| {
            (*question, point.iter().map(|x| within(*x)).collect(), *share)
        });
        desk.note_population(best, rows);
        if self.over.is_none() {
            self.ask(desk);
        }
    }
}

/// How far a point is beyond the borders: the sum of the squares over the parameters. A range beyond one of them is as bad as
/// losing everything.
fn beyond(point: &[f64]) -> f64 {
    let far = point.iter().map(|x| x - within(*x));
    far.map(|far| far * far).sum()
}

/// The mean of the distribution, which `fcmaes-core` keeps to itself: of the better half of the candidates, each
/// with the weight ln(μ + ½) − ln(rank), as in the default parameters of Hansen's *The CMA Evolution Strategy: A
/// Tutorial*.
fn mean_of_the_better_half(points: &[Vec<f64>], costs: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    // Of equal ones the first, as the crate has it.
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    order.truncate(points.len() / 2);
    let weight = |rank: usize| libm::log(order.len() as f64 + 0.5) - libm::log(rank as f64);
    let all: f64 = (1..=order.len()).map(weight).sum();
    let mut mean = vec![0.0; points.first().map_or(0, Vec::len)];
    for (rank, place) in (1..).zip(&order) {
        let part = weight(rank) / all;
        mean.iter_mut().zip(&points[*place]).for_each(|(mean, x)| *mean += part * x);
    }
    mean
}

/// Why it stops, by the crate's number.
fn reason(stop: i32) -> Option<&'static str> {
    match stop {
        0 => None,
        2 => Some("the steps have become too small to matter"),
        3 => Some(NOTHING),
        4 | 5 => Some("the best candidates have long been equally good"),
        6 => Some("the distribution has become too thin to be computed with"),
        _ => Some("the method has nothing more to ask"),
    }
}

impl Optimizer for CmaEsRun {
    fn begin(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn take(&mut self, number: u32, answer: &Answer, desk: &mut Desk) {
        let (Answer::Fitness(fitness), Some(place)) = (answer, self.waiting.remove(&number)) else {
            return;
        };
        self.shares[place] = fitness.share;
        if self.waiting.is_empty() {
            self.turn(desk);
        }
    }

    /// The mean of the distribution: half a generation's games speak for it. The best candidate was mostly lucky.
    fn best(&self, space: &Space) -> Weights {
        space.weights(&self.mean)
    }

    fn over(&self) -> Option<&'static str> {
        self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Function;

    fn check_population(population: Option<u32>, dimension: usize, expected: u32) {
        let settings = CmaEs { population, ..CmaEs::default() };
        assert_eq!(settings.population(dimension), expected);
        let mut desk = Desk::new(Function::Sphere.space(dimension), 1, u32::MAX);
        CmaEsRun::new(settings, &desk.space, 1).begin(&mut desk);
        assert_eq!(desk.asked, expected);
    }

    #[test]
    fn populations() {
        check_population(None, 1, 12);
        check_population(None, 10, 30);
        check_population(None, 200, 57);
        check_population(Some(4), 10, 4);
        check_population(Some(1000), 2, 1000);
    }

    fn check_beyond(point: &[f64], expected: f64) {
        assert_eq!(beyond(point), expected);
    }

    #[test]
    fn what_is_beyond_the_borders_has_its_price() {
        check_beyond(&[0.0, 0.5, 1.0], 0.0);
        check_beyond(&[-0.5, 0.5, 1.0], 0.25);
        check_beyond(&[-1.0, 0.5, 1.5], 1.25);
    }

    #[test]
    fn no_two_candidates_are_equally_good() {
        let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
        let settings = CmaEs { sigma: 1e-6, population: Some(12) };
        let mut run = CmaEsRun::new(settings, &desk.space, 3);
        run.begin(&mut desk);
        run.shares = [[0.25; 6], [0.75; 6]].concat();
        let mut costs = run.costs(&mut desk);
        assert!(costs[..6].iter().all(|cost| (cost - 0.75).abs() < 1e-11), "{costs:?}");
        assert!(costs[6..].iter().all(|cost| (cost - 0.25).abs() < 1e-11), "{costs:?}");
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        assert_eq!(costs.len(), 12);
    }

    #[test]
    fn a_plain_is_left_after_ten_generations_in_a_row() {
        let mut desk = Desk::new(Function::Sphere.space(3), 1, u32::MAX);
        let mut run =
            CmaEsRun::new(CmaEs { population: Some(4), ..CmaEs::default() }, &desk.space, 3);
        run.begin(&mut desk);
        for number in 0..4 * 30 {
            assert_eq!(run.over, None, "{number}");
            // One candidate of the tenth generation differs, and one of the twentieth.
            let share = if [39, 76].contains(&number) { 0.75 } else { 0.5 };
            let answer = crate::Fitness { share, error: 0.0, games: 2 };
            run.take(number, &Answer::Fitness(answer), &mut desk);
        }
        assert_eq!(run.over, Some(NOTHING));
    }

    #[test]
    fn the_mean_is_where_the_next_candidates_are_drawn_about() {
        let mut desk = Desk::new(Function::Sphere.space(2), 1, u32::MAX);
        let settings = CmaEs { population: Some(1000), sigma: 0.05 };
        let mut run = CmaEsRun::new(settings, &desk.space, 3);
        run.begin(&mut desk);
        for generation in 0..5 {
            let start = run.mean.clone();
            for number in 0..1000 {
                let value: f64 =
                    run.asked[number as usize].iter().map(|x| (x - 0.6) * (x - 0.6)).sum();
                let answer = crate::Fitness { share: 1.0 / (1.0 + value), error: 0.0, games: 1 };
                run.take(generation * 1000 + number, &Answer::Fitness(answer), &mut desk);
            }
            let centre = crate::desk::centre(&run.asked);
            for ((mean, centre), start) in run.mean.iter().zip(centre).zip(start) {
                // Drawn 1000 times with a deviation of less than 0.1: four standard errors.
                assert!((mean - centre).abs() < 0.0127, "{generation}: {mean} {centre}");
                assert!((mean - 0.6).abs() < (start - 0.6).abs() + 0.01, "{generation}");
            }
        }
        assert!(run.mean.iter().all(|x| (x - 0.6).abs() < 0.02), "{:?}", run.mean);
    }
}
