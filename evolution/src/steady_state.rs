//! The steady-state genetic algorithm: each offspring joins a small population, from which the
//! worst member is then removed (D. Whitley, *The GENITOR Algorithm and Selection Pressure*, ICGA
//! 1989, except that parents are drawn uniformly: the population is already selected).
//!
//! Fitness comes from games and is noisy, so a single lucky result would keep a member alive for
//! ever. One request in a few therefore measures a member again: the best of those measured least.
//! All games of a member count together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{SettingsError, check_range};
use super::history::{Origin, TunerEvent};
use super::measurement::{Fitness, MeasurementResult};
use super::optimizer::{Optimizer, OptimizerContext};
use super::space::Space;
use super::variation::Variation;
use super::weights::Weights;

/// The default number of parents.
const PARENTS: u32 = 3;

/// Settings of the steady-state genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SteadyState {
    /// The size of the population, 2 to 1000; default 12.
    pub population: u32,
    /// The number of offspring measured at the same time, 1 to 1000; default 1. More of them keep
    /// more cores busy, but each is bred from fewer results. The run depends on this number, and
    /// not on the number of cores.
    pub offspring: u32,
    /// Every n-th request measures a member again, 2 to 1000; default 3. 0 disables it, for a
    /// fitness without noise. 1 is refused, since no offspring would be made.
    pub remeasure_interval: u32,
    /// Recombination and mutation.
    pub variation: Variation,
}

impl Default for SteadyState {
    fn default() -> Self {
        Self {
            population: 12,
            offspring: 1,
            remeasure_interval: 3,
            variation: Variation::default(),
        }
    }
}

impl SteadyState {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_range("population", self.population.into(), [2.0, 1000.0])?;
        check_range("offspring", self.offspring.into(), [1.0, 1000.0])?;
        if self.remeasure_interval != 0 {
            check_range("remeasure_interval", self.remeasure_interval.into(), [2.0, 1000.0])?;
        }
        self.variation.check()
    }
}

/// A member of a population.
#[derive(Clone, Debug)]
pub(crate) struct Individual {
    /// The request that introduced it.
    pub(crate) number: u32,
    pub(crate) weights: Weights,
    /// The pooled fitness of all measurements.
    pub(crate) fitness: Fitness,
    /// The number of measurements requested.
    pub(crate) requested: u32,
    /// The number of measurements recorded.
    pub(crate) measured: u32,
}

impl Individual {
    pub(crate) fn new(number: u32, weights: Weights, fitness: Fitness) -> Self {
        Self { number, weights, fitness, requested: 1, measured: 1 }
    }

    pub(crate) fn add_measurement(&mut self, fitness: Fitness) {
        self.fitness = self.fitness.pooled(fitness);
        self.measured += 1;
    }
}

/// The member to return: the best share less its standard error, among members measured at least
/// twice if there are any. The best share alone would be that of the luckiest member.
pub(crate) fn best_of(members: &[Individual]) -> Option<&Individual> {
    let has_repeated = members.iter().any(|member| member.measured > 1);
    let candidates = members.iter().filter(|member| !has_repeated || member.measured > 1);
    candidates
        .max_by(|a, b| a.fitness.pessimistic_share().total_cmp(&b.fitness.pessimistic_share()))
}

pub(crate) fn record_generation(
    context: &mut OptimizerContext,
    members: &[Individual],
    best: Weights,
) {
    let space = context.space.clone();
    let rows = members
        .iter()
        .map(|member| (member.number, space.point(&member.weights), member.fitness.share));
    context.record_population(best, rows);
}

/// What an open request measures.
enum Pending {
    Offspring(Weights),
    /// The request that introduced the member measured again.
    Remeasurement(u32),
}

pub(crate) struct SteadyStateRun {
    settings: SteadyState,
    members: Vec<Individual>,
    pending: BTreeMap<u32, Pending>,
    /// The number of requests made after the initial population.
    later_requests: u32,
}

impl SteadyStateRun {
    pub(crate) fn new(settings: SteadyState) -> Self {
        Self { settings, members: Vec::new(), pending: BTreeMap::new(), later_requests: 0 }
    }

    fn population(&self) -> usize {
        self.settings.population as usize
    }

    fn request_next(&mut self, context: &mut OptimizerContext) {
        self.later_requests = self.later_requests.wrapping_add(1);
        let interval = self.settings.remeasure_interval;
        if interval > 0 && self.later_requests.is_multiple_of(interval) {
            self.request_remeasurement(context);
        } else {
            self.request_offspring(context);
        }
    }

    fn request_remeasurement(&mut self, context: &mut OptimizerContext) {
        // Of the members measured least, the best: if its result was luck, it does the most harm.
        let least = self.members.iter().map(|member| member.requested).min();
        let least_measured =
            self.members.iter_mut().filter(|member| Some(member.requested) == least);
        let member = least_measured.max_by(|a, b| a.fitness.share.total_cmp(&b.fitness.share));
        let member =
            member.expect("the population is not empty once its initial members are measured");
        member.requested += 1;
        let of = member.number;
        let number =
            context.request_fitness(member.weights.clone(), None, Origin::Remeasurement { of });
        self.pending.insert(number, Pending::Remeasurement(of));
    }

    fn request_offspring(&mut self, context: &mut OptimizerContext) {
        let variation = self.settings.variation;
        let count = variation.draw_parent_count(PARENTS, &mut context.rng);
        let chosen = context.rng.sample_distinct(count, self.members.len());
        let points =
            chosen.iter().map(|member| context.space.point(&self.members[*member].weights));
        let points: Vec<Vec<f64>> = points.collect();
        let mut living: Vec<Weights> =
            self.members.iter().map(|member| member.weights.clone()).collect();
        living.extend(self.pending.values().filter_map(|pending| match pending {
            Pending::Offspring(weights) => Some(weights.clone()),
            Pending::Remeasurement(_) => None,
        }));
        let offspring = variation.offspring(&points, &living, &context.space, &mut context.rng);
        let parents = chosen.iter().map(|member| self.members[*member].number).collect();
        let threshold = self.worst().map(|worst| self.members[worst].fitness.share);
        let number =
            context.request_fitness(offspring.clone(), threshold, Origin::Offspring { parents });
        self.pending.insert(number, Pending::Offspring(offspring));
    }

    /// The index of the worst member. Among equals it is the oldest, so that the population moves
    /// across a plateau.
    fn worst(&self) -> Option<usize> {
        let indices = 0..self.members.len();
        indices.min_by(|a, b| {
            let (a, b) = (&self.members[*a], &self.members[*b]);
            a.fitness.share.total_cmp(&b.fitness.share).then(a.number.cmp(&b.number))
        })
    }

    fn insert_member(
        &mut self,
        number: u32,
        weights: Weights,
        fitness: Fitness,
        context: &mut OptimizerContext,
    ) {
        // The same weights can be drawn twice if the space is small. They share one place.
        match self.members.iter_mut().find(|member| member.weights == weights) {
            Some(member) if self.later_requests > 0 => {
                member.requested += 1;
                member.add_measurement(fitness);
                return;
            }
            _ => self.members.push(Individual::new(number, weights, fitness)),
        }
        if self.members.len() > self.population()
            && let Some(worst) = self.worst()
        {
            let removed = self.members.remove(worst);
            context.history.push(TunerEvent::Removed { number: removed.number });
        }
    }
}

impl Optimizer for SteadyStateRun {
    fn start(&mut self, context: &mut OptimizerContext) {
        let variation = self.settings.variation;
        for weights in
            variation.initial_population(self.population(), &context.space, &mut context.rng)
        {
            let number = context.request_fitness(weights.clone(), None, Origin::Initial);
            self.pending.insert(number, Pending::Offspring(weights));
        }
    }

    fn record(&mut self, number: u32, result: &MeasurementResult, context: &mut OptimizerContext) {
        let MeasurementResult::Fitness(fitness) = *result else { return };
        match self.pending.remove(&number) {
            Some(Pending::Offspring(weights)) => {
                self.insert_member(number, weights, fitness, context)
            }
            Some(Pending::Remeasurement(of)) => {
                if let Some(member) = self.members.iter_mut().find(|member| member.number == of) {
                    member.add_measurement(fitness);
                }
            }
            None => return,
        }
        if context.recorded.is_multiple_of(self.settings.population) {
            record_generation(context, &self.members, self.best(&context.space));
        }
        if context.recorded == self.settings.population {
            (0..self.settings.offspring).for_each(|_| self.request_next(context));
        } else if context.recorded > self.settings.population {
            self.request_next(context);
        }
    }

    fn best(&self, space: &Space) -> Weights {
        best_of(&self.members).map_or_else(|| space.start(), |member| member.weights.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Subject;
    use crate::tests::functions::Function;

    /// Runs a population of two with these shares in turn, ten games each, and checks the requests
    /// (`f`: initial member, `c`: offspring with its parents and threshold, `a`: repeated
    /// measurement), the removed members and the best one.
    fn check(settings: SteadyState, shares: &[f64], requests: &[&str], removed: &[u32], best: u32) {
        let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
        let variation = Variation { parents: Some(2), crossover_rate: 1.0, ..Variation::default() };
        let mut run = SteadyStateRun::new(SteadyState { population: 2, variation, ..settings });
        run.start(&mut context);
        for (number, share) in (0..).zip(shares) {
            context.recorded += 1;
            let fitness = Fitness { share: *share, standard_error: 0.1, games: 10 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        let found: Vec<String> = context.history.iter().filter_map(request_text).collect();
        assert_eq!(found, requests);
        let removed_found = context.history.iter().filter_map(|event| match event {
            TunerEvent::Removed { number } => Some(*number),
            _ => None,
        });
        assert_eq!(removed_found.collect::<Vec<_>>(), removed);
        assert_eq!(best_of(&run.members).map(|member| member.number), Some(best));
    }

    fn request_text(event: &TunerEvent) -> Option<String> {
        let TunerEvent::Requested { request, origin } = event else { return None };
        let Subject::Fitness { threshold, .. } = request.subject else { return None };
        Some(match (origin, threshold) {
            (Origin::Initial, None) => "f".into(),
            (Origin::Remeasurement { of }, None) => format!("a {of}"),
            (Origin::Offspring { parents }, Some(threshold)) => {
                let mut parents = parents.clone();
                parents.sort();
                format!("c {parents:?} {threshold}")
            }
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_worst_member_is_removed() {
        let once = SteadyState { remeasure_interval: 0, ..SteadyState::default() };
        check(once, &[0.5, 0.25], &["f", "f", "c [0, 1] 0.25"], &[], 0);
        let better = ["f", "f", "c [0, 1] 0.25", "c [0, 2] 0.5"];
        check(once, &[0.5, 0.25, 0.75], &better, &[1], 2);
        let worse = ["f", "f", "c [0, 1] 0.25", "c [0, 1] 0.25"];
        check(once, &[0.5, 0.25, 0.125], &worse, &[2], 0);
        // Of equal members the older one is removed.
        let equal = ["f", "f", "c [0, 1] 0.5", "c [1, 2] 0.5"];
        check(once, &[0.5, 0.5, 0.5], &equal, &[0], 2);
    }

    #[test]
    fn the_configured_number_of_offspring_is_measured_at_once() {
        let two = SteadyState { remeasure_interval: 0, offspring: 2, ..SteadyState::default() };
        let requests = ["f", "f", "c [0, 1] 0.25", "c [0, 1] 0.25", "c [0, 2] 0.5"];
        check(two, &[0.5, 0.25, 0.75], &requests, &[1], 2);
    }

    #[test]
    fn a_lucky_member_is_removed_when_measured_again() {
        let again = SteadyState { remeasure_interval: 2, ..SteadyState::default() };
        // Member 0 was lucky. It is measured again as the best of those measured least, and then
        // has 0.5 on average.
        let requests = ["f", "f", "c [0, 1] 0.25", "a 0", "c [0, 2] 0.5", "a 2"];
        check(again, &[0.875, 0.25, 0.75, 0.125, 0.625], &requests, &[1, 0], 2);
        // Only member 0 was measured twice, so it is returned.
        check(again, &[0.875, 0.25, 0.75, 0.125], &requests[..5], &[1], 0);
    }

    #[test]
    fn open_offspring_are_distinct() {
        let mut context = OptimizerContext::new(Function::Whole.space(1), 1, u32::MAX);
        let variation =
            Variation { mutation_rate: 1.0, mutation_sigma: 0.05, ..Variation::default() };
        let settings =
            SteadyState { population: 2, offspring: 8, remeasure_interval: 0, variation };
        let mut run = SteadyStateRun::new(settings);
        run.start(&mut context);
        for number in 0..2 {
            context.recorded += 1;
            let fitness = Fitness { share: 0.5, standard_error: 0.1, games: 10 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        let living = run.members.iter().map(|member| member.weights.clone());
        let open = run.pending.values().filter_map(|pending| match pending {
            Pending::Offspring(weights) => Some(weights.clone()),
            Pending::Remeasurement(_) => None,
        });
        let all: Vec<Weights> = living.chain(open).collect();
        let distinct: std::collections::HashSet<&Weights> = all.iter().collect();
        assert_eq!((distinct.len(), all.len()), (10, 10), "{all:?}");
    }

    #[test]
    fn duplicate_weights_share_one_member() {
        let parameter = r#"[{ "name": "a", "kind": "whole", "min": 0, "max": 2, "start": 1 }]"#;
        let mut context =
            OptimizerContext::new(serde_json::from_str(parameter).unwrap(), 1, u32::MAX);
        let settings =
            SteadyState { population: 3, remeasure_interval: 0, ..SteadyState::default() };
        let mut run = SteadyStateRun::new(settings);
        run.start(&mut context);
        for number in 0..20 {
            context.recorded += 1;
            let fitness = Fitness { share: 0.5, standard_error: 0.1, games: 10 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        // The space has three points only, which are measured in turn.
        let mut values: Vec<f64> = run.members.iter().map(|m| m.weights.values()[0]).collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [0.0, 1.0, 2.0]);
        assert_eq!(run.members.iter().map(|member| member.measured).sum::<u32>(), 20);
        assert_eq!(run.members.iter().map(|member| member.fitness.games).sum::<u32>(), 200);
    }

    #[test]
    fn results_of_removed_members_are_ignored() {
        let four = SteadyState { remeasure_interval: 2, offspring: 4, ..SteadyState::default() };
        let at_once = ["f", "f", "c [0, 1] 0.25", "a 0", "c [0, 1] 0.25", "a 1"];
        let then = ["c [0, 2] 0.5", "a 2", "c [0, 2] 0.5", "a 2"];
        let shares = [0.5, 0.25, 0.75, 0.5, 0.125, 0.875];
        check(four, &shares, &[&at_once[..], &then].concat(), &[1, 4], 0);
    }
}
