//! The generational genetic algorithm: the best members stay (elitism), all others are replaced by
//! offspring of parents selected in small tournaments (B. Miller, D. Goldberg, *Genetic Algorithms,
//! Tournament Selection, and the Effects of Noise*, Complex Systems 9, 1995). The elite is measured
//! again in each generation and all its games count together, so that a single lucky result does
//! not keep a member alive.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::{SettingsError, check_range};
use super::history::{Origin, TunerEvent};
use super::measurement::MeasurementResult;
use super::optimizer::{Optimizer, OptimizerContext};
use super::space::Space;
use super::steady_state::{Individual, best_of, record_generation};
use super::variation::Variation;
use super::weights::Weights;

/// The default number of parents.
const PARENTS: u32 = 2;

/// Settings of the generational genetic algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Generational {
    /// The size of the population, 2 to 1000; default 24.
    pub population: u32,
    /// The number of members that survive, 0 to `population` − 1; default 6.
    pub elite: u32,
    /// The number of members drawn for a tournament, whose best becomes a parent, 1 to 1000;
    /// default 5. At 1 only the elite exerts selection.
    pub tournament_size: u32,
    /// Whether the elite is measured again in each generation; default true. Not needed for a
    /// fitness without noise.
    pub remeasure_elite: bool,
    /// Recombination and mutation.
    pub variation: Variation,
}

impl Default for Generational {
    fn default() -> Self {
        Self {
            population: 24,
            elite: 6,
            tournament_size: 5,
            remeasure_elite: true,
            variation: Variation::default(),
        }
    }
}

impl Generational {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_range("population", self.population.into(), [2.0, 1000.0])?;
        check_range("elite", self.elite.into(), [0.0, f64::from(self.population) - 1.0])?;
        check_range("tournament_size", self.tournament_size.into(), [1.0, 1000.0])?;
        self.variation.check()
    }
}

pub(crate) struct GenerationalRun {
    settings: Generational,
    /// The members, best first once a generation is complete.
    members: Vec<Individual>,
    /// Offspring without a result, by request number.
    offspring: BTreeMap<u32, Weights>,
    /// Repeated measurements: by request number, the request that introduced the member.
    remeasurements: BTreeMap<u32, u32>,
    best: Option<Weights>,
}

impl GenerationalRun {
    pub(crate) fn new(settings: Generational) -> Self {
        Self {
            settings,
            members: Vec::new(),
            offspring: BTreeMap::new(),
            remeasurements: BTreeMap::new(),
            best: None,
        }
    }

    fn request_offspring(
        &mut self,
        weights: Weights,
        origin: Origin,
        context: &mut OptimizerContext,
    ) {
        let number = context.request_fitness(weights.clone(), None, origin);
        self.offspring.insert(number, weights);
    }

    /// Ends a generation: selects the elite, removes the other members and breeds the next
    /// generation.
    fn finish_generation(&mut self, context: &mut OptimizerContext) {
        self.members.sort_by(|a, b| {
            b.fitness.share.total_cmp(&a.fitness.share).then(b.number.cmp(&a.number))
        });
        self.best = best_of(&self.members).map(|member| member.weights.clone());
        record_generation(context, &self.members, self.best(&context.space));
        let elite = self.settings.elite as usize;
        let offspring = self.breed(self.settings.population as usize - elite, context);
        for removed in self.members.drain(elite..) {
            context.history.push(TunerEvent::Removed { number: removed.number });
        }
        if self.settings.remeasure_elite {
            for member in &mut self.members {
                member.requested += 1;
                let of = member.number;
                let origin = Origin::Remeasurement { of };
                self.remeasurements
                    .insert(context.request_fitness(member.weights.clone(), None, origin), of);
            }
        }
        for (weights, parents) in offspring {
            self.request_offspring(weights, Origin::Offspring { parents }, context);
        }
    }

    fn breed(&self, count: usize, context: &mut OptimizerContext) -> Vec<(Weights, Vec<u32>)> {
        let elite = &self.members[..self.settings.elite as usize];
        let mut living: Vec<Weights> = elite.iter().map(|member| member.weights.clone()).collect();
        let mut offspring = Vec::with_capacity(count);
        for _ in 0..count {
            let variation = self.settings.variation;
            let parent_count = variation.draw_parent_count(PARENTS, &mut context.rng);
            let parents: Vec<&Individual> =
                (0..parent_count).map(|_| self.select_parent(context)).collect();
            let points = parents.iter().map(|parent| context.space.point(&parent.weights));
            let points: Vec<Vec<f64>> = points.collect();
            let weights = variation.offspring(&points, &living, &context.space, &mut context.rng);
            living.push(weights.clone());
            offspring.push((weights, parents.iter().map(|parent| parent.number).collect()));
        }
        offspring
    }

    /// Selects a parent by tournament. The members are sorted by share, so the lowest index wins.
    fn select_parent(&self, context: &mut OptimizerContext) -> &Individual {
        let drawn =
            context.rng.sample_distinct(self.settings.tournament_size as usize, self.members.len());
        &self.members[drawn.into_iter().min().unwrap_or(0)]
    }
}

impl Optimizer for GenerationalRun {
    fn start(&mut self, context: &mut OptimizerContext) {
        let population = self.settings.population as usize;
        let variation = self.settings.variation;
        for weights in variation.initial_population(population, &context.space, &mut context.rng) {
            self.request_offspring(weights, Origin::Initial, context);
        }
    }

    fn record(&mut self, number: u32, result: &MeasurementResult, context: &mut OptimizerContext) {
        let MeasurementResult::Fitness(fitness) = *result else { return };
        if let Some(weights) = self.offspring.remove(&number) {
            self.members.push(Individual::new(number, weights, fitness));
        } else if let Some(of) = self.remeasurements.remove(&number)
            && let Some(member) = self.members.iter_mut().find(|member| member.number == of)
        {
            member.add_measurement(fitness);
        }
        if self.offspring.is_empty() && self.remeasurements.is_empty() {
            self.finish_generation(context);
        }
    }

    /// The best of the last complete generation, as its elite was chosen: offspring of an
    /// incomplete one cannot be compared yet.
    fn best(&self, space: &Space) -> Weights {
        self.best.clone().unwrap_or_else(|| space.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Fitness;
    use crate::tests::functions::Function;

    /// Runs a population of four with these shares in turn, ten games each, and checks which
    /// members are measured again, which are removed, and the members of each generation.
    fn check(
        settings: Generational,
        shares: &[f64],
        remeasured: &[u32],
        removed: &[u32],
        ranks: &[&[u32]],
    ) {
        let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
        let mut run = GenerationalRun::new(Generational { population: 4, ..settings });
        run.start(&mut context);
        for (number, share) in (0..).zip(shares) {
            let fitness = Fitness { share: *share, standard_error: 0.1, games: 10 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        let (mut found_remeasured, mut found_removed, mut found_ranks) = (vec![], vec![], vec![]);
        for event in &context.history {
            match event {
                TunerEvent::Requested { origin: Origin::Remeasurement { of }, .. } => {
                    found_remeasured.push(*of)
                }
                TunerEvent::Requested { origin: Origin::Offspring { parents }, .. } => {
                    let last: &Vec<u32> = found_ranks.last().unwrap();
                    assert!(parents.iter().all(|parent| last.contains(parent)), "{parents:?}");
                }
                TunerEvent::Removed { number } => found_removed.push(*number),
                TunerEvent::Generation(generation) => found_ranks.push(generation.members.clone()),
                _ => {}
            }
        }
        assert_eq!((found_remeasured, found_removed), (remeasured.to_vec(), removed.to_vec()));
        assert_eq!(found_ranks, ranks);
    }

    #[test]
    fn the_elite_survives_and_is_measured_again() {
        let two = Generational { elite: 2, ..Generational::default() };
        check(two, &[0.5, 0.75, 0.25], &[], &[], &[]);
        let first: &[u32] = &[1, 3, 0, 2];
        check(two, &[0.5, 0.75, 0.25, 0.625], &[1, 3], &[0, 2], &[first]);
        // Member 1 was lucky: (0.75 + 0.125) / 2. The offspring are 6 and 7.
        let shares = [0.5, 0.75, 0.25, 0.625, 0.125, 0.625, 0.5, 0.25];
        check(two, &shares, &[1, 3, 3, 6], &[0, 2, 1, 7], &[first, &[3, 6, 1, 7]]);
        let once = Generational { remeasure_elite: false, ..two };
        let shares = [0.5, 0.75, 0.25, 0.625, 0.5, 0.25];
        check(once, &shares, &[], &[0, 2, 4, 5], &[first, &[1, 3, 4, 5]]);
        let none = Generational { elite: 0, ..Generational::default() };
        check(none, &[0.5, 0.75, 0.25, 0.625], &[], &[1, 3, 0, 2], &[first]);
    }

    /// Checks the number of parents of the recombined offspring.
    fn check_parents(variation: &str, expected: usize) {
        let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
        let variation = serde_json::from_str(variation).unwrap();
        let mut run = GenerationalRun::new(Generational { variation, ..Generational::default() });
        run.start(&mut context);
        for number in 0..24 {
            let fitness = Fitness { share: 0.5, standard_error: 0.1, games: 10 };
            run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
        }
        let counts = context.history.iter().filter_map(|event| match event {
            TunerEvent::Requested { origin: Origin::Offspring { parents }, .. } => {
                Some(parents.len())
            }
            _ => None,
        });
        assert_eq!(counts.filter(|count| *count > 1).max(), Some(expected), "{variation:?}");
    }

    #[test]
    fn offspring_have_two_parents_by_default() {
        check_parents("{}", 2);
        check_parents(r#"{ "mutation_rate": 0.5 }"#, 2);
        check_parents(r#"{ "parents": 4 }"#, 4);
    }

    #[test]
    fn a_tournament_of_all_members_selects_the_best() {
        for (tournament_size, only_best) in [(4, true), (1, false)] {
            let mut context = OptimizerContext::new(Function::Sphere.space(3), 1, u32::MAX);
            let mut run = GenerationalRun::new(Generational {
                population: 4,
                elite: 0,
                tournament_size,
                ..Generational::default()
            });
            run.start(&mut context);
            for (number, share) in [(0, 0.5), (1, 0.75), (2, 0.25), (3, 0.0)] {
                let fitness = Fitness { share, standard_error: 0.1, games: 10 };
                run.record(number, &MeasurementResult::Fitness(fitness), &mut context);
            }
            let parents = context.history.iter().flat_map(|event| match event {
                TunerEvent::Requested { origin: Origin::Offspring { parents }, .. } => {
                    parents.clone()
                }
                _ => Vec::new(),
            });
            assert_eq!(parents.collect::<Vec<_>>().iter().all(|parent| *parent == 1), only_best);
        }
    }
}
