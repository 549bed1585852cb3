//! The variation operators of both genetic algorithms. Each gene is copied from one parent drawn
//! for it (uniform crossover: G. Syswerda, *Uniform Crossover in Genetic Algorithms*, ICGA 1989,
//! here with any number of parents), or lies around those of two parents (extended intermediate
//! recombination: H. Mühlenbein, D. Schlierkamp-Voosen, *Predictive Models for the Breeder Genetic
//! Algorithm*, Evol. Comp. 1, 1993). Then some genes mutate by a normally distributed step.

use serde::{Deserialize, Serialize};

use super::error::{SettingsError, check_range};
use super::rng::Rng;
use super::space::Space;
use super::weights::Weights;

/// How far a blended gene may lie outside its two parents, as a part of their distance. With ¼,
/// from Mühlenbein and Schlierkamp-Voosen, recombination alone neither shrinks nor grows a
/// population.
const OVERHANG: f64 = 0.25;

/// How often an offspring is drawn again while it equals a living member, which would teach
/// nothing.
const ATTEMPTS: u32 = 20;

/// Settings of recombination and mutation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Variation {
    /// The number of parents of an offspring, 1 to 1000; all members if there are fewer. The
    /// default is 3 for the steady state, where parents are drawn uniformly, and 2 for the
    /// generational method, where parents win tournaments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parents: Option<u32>,
    /// The probability that an offspring is recombined, rather than a mutated copy of one parent, 0
    /// to 1; default 0.9.
    pub crossover_rate: f64,
    /// The probability that a recombined gene is blended from two parents rather than copied from
    /// one, 0 to 1; default 0.5. Copying preserves values that were found; blending refines them.
    pub blend_rate: f64,
    /// The probability that a gene mutates, 0 to 1; default 0.3. Mutating one gene per offspring is
    /// usual for functions without noise, but its effect is smaller than the noise of games.
    pub mutation_rate: f64,
    /// The standard deviation of a mutation as a part of the range, above 0 to 1; default 0.1. A
    /// parameter with its own step uses that instead. A mutated whole parameter changes by at least
    /// 1.
    pub mutation_sigma: f64,
    /// The standard deviation of the initial population around the start, as a part of the range,
    /// above 0 to 10; default 0.2. At 10 half of the values lie on the borders. Steps of parameters
    /// do not apply here.
    pub initial_sigma: f64,
}

impl Default for Variation {
    fn default() -> Self {
        Self {
            parents: None,
            crossover_rate: 0.9,
            blend_rate: 0.5,
            mutation_rate: 0.3,
            mutation_sigma: 0.1,
            initial_sigma: 0.2,
        }
    }
}

impl Variation {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        check_range("parents", self.parents.unwrap_or(1).into(), [1.0, 1000.0])?;
        check_range("crossover_rate", self.crossover_rate, [0.0, 1.0])?;
        check_range("blend_rate", self.blend_rate, [0.0, 1.0])?;
        check_range("mutation_rate", self.mutation_rate, [0.0, 1.0])?;
        check_range("mutation_sigma", self.mutation_sigma, [1e-6, 1.0])?;
        check_range("initial_sigma", self.initial_sigma, [1e-6, 10.0])
    }

    /// Draws the number of parents of the next offspring: one to copy, or the configured number to
    /// recombine. `default_parents` is the default of the method.
    pub(crate) fn draw_parent_count(&self, default_parents: u32, rng: &mut Rng) -> usize {
        if rng.chance(self.crossover_rate) {
            self.parents.unwrap_or(default_parents) as usize
        } else {
            1
        }
    }

    /// The initial population: the start and random weights around it, distinct as far as possible.
    pub(crate) fn initial_population(
        &self,
        count: usize,
        space: &Space,
        rng: &mut Rng,
    ) -> Vec<Weights> {
        let mut initial_population = vec![space.start()];
        let start = space.point(&initial_population[0]);
        while initial_population.len() < count {
            let individual = self.distinct_from(&initial_population, rng, |rng| {
                let steps = start.iter().enumerate().map(|(gene, x)| {
                    x + scaled_step(rng.normal(), self.initial_sigma, space.grid(gene))
                });
                space.weights(&steps.collect::<Vec<_>>())
            });
            initial_population.push(individual);
        }
        initial_population
    }

    /// An offspring of at least one parent that differs from all living members, as far as
    /// possible.
    pub(crate) fn offspring(
        &self,
        parents: &[Vec<f64>],
        living: &[Weights],
        space: &Space,
        rng: &mut Rng,
    ) -> Weights {
        self.distinct_from(living, rng, |rng| {
            let mut genes = self.recombine(parents, rng);
            self.mutate(&mut genes, space, rng);
            space.weights(&genes)
        })
    }

    fn distinct_from(
        &self,
        living: &[Weights],
        rng: &mut Rng,
        draw: impl Fn(&mut Rng) -> Weights,
    ) -> Weights {
        let mut drawn = draw(rng);
        for _ in 1..ATTEMPTS {
            if !living.contains(&drawn) {
                break;
            }
            drawn = draw(rng);
        }
        drawn
    }

    fn recombine(&self, parents: &[Vec<f64>], rng: &mut Rng) -> Vec<f64> {
        if let [parent] = parents {
            return parent.clone();
        }
        let gene = |gene: usize| {
            if !rng.chance(self.blend_rate) {
                return parents[rng.below(parents.len())][gene];
            }
            let pair = rng.sample_distinct(2, parents.len());
            let (a, b) = (parents[pair[0]][gene], parents[pair[1]][gene]);
            a + (b - a) * (rng.uniform() * (1.0 + 2.0 * OVERHANG) - OVERHANG)
        };
        (0..parents[0].len()).map(gene).collect()
    }

    fn mutate(&self, genes: &mut [f64], space: &Space, rng: &mut Rng) {
        for (gene, x) in genes.iter_mut().enumerate() {
            if rng.chance(self.mutation_rate) {
                *x += scaled_step(
                    rng.normal(),
                    space.scale(gene, self.mutation_sigma),
                    space.grid(gene),
                );
            }
        }
    }
}

/// Scales a normal number to the step of a gene. On a grid, the step reaches at least the next grid
/// point, since a smaller one would be rounded away.
fn scaled_step(normal: f64, size: f64, grid: f64) -> f64 {
    let step = normal * size;
    if step.abs() < grid { grid.copysign(step) } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Parameter, ParameterKind};

    fn space(kind: ParameterKind, count: usize) -> Space {
        let parameter = |number| Parameter {
            name: format!("p{number}"),
            kind,
            min: 0.0,
            max: 10.0,
            start: 5.0,
            step: None,
        };
        Space::new((0..count).map(parameter).collect()).unwrap()
    }

    /// The values of the only gene of a thousand offspring of parents at 2, 4 and 8.
    fn first_genes(variation: Variation, kind: ParameterKind) -> Vec<f64> {
        let (space, mut rng) = (space(kind, 1), Rng::new(5));
        let parents = [vec![0.2], vec![0.4], vec![0.8]];
        let offspring = |_| {
            let parents = &parents[..variation.draw_parent_count(3, &mut rng)];
            variation.offspring(parents, &[], &space, &mut rng).values()[0]
        };
        (0..1000).map(offspring).collect()
    }

    fn check(variation: Variation, range: [f64; 2], different: std::ops::RangeInclusive<usize>) {
        let mut found = first_genes(variation, ParameterKind::Real);
        found.sort_by(f64::total_cmp);
        assert!((found[0] - range[0]).abs() < 0.1, "{}", found[0]);
        assert!((found[999] - range[1]).abs() < 0.1, "{}", found[999]);
        found.dedup();
        assert!(different.contains(&found.len()), "{}", found.len());
    }

    #[test]
    fn genes_are_inherited_or_blended() {
        let pure = Variation { mutation_rate: 0.0, ..Variation::default() };
        check(Variation { crossover_rate: 0.0, ..pure }, [2.0, 2.0], 1..=1);
        check(Variation { crossover_rate: 1.0, blend_rate: 0.0, ..pure }, [2.0, 8.0], 3..=3);
        // A quarter of 8 − 2 beyond either parent.
        check(Variation { crossover_rate: 1.0, blend_rate: 1.0, ..pure }, [0.5, 9.5], 900..=1000);
        check(
            Variation { crossover_rate: 0.0, mutation_rate: 1.0, mutation_sigma: 1e-3, ..pure },
            [2.0, 2.0],
            900..=1000,
        );
        check(
            Variation { mutation_rate: 1.0, mutation_sigma: 1.0, ..pure },
            [0.0, 10.0],
            100..=900,
        );
    }

    #[test]
    fn a_mutated_whole_gene_changes_by_at_least_one() {
        let small = Variation {
            crossover_rate: 0.0,
            mutation_rate: 1.0,
            mutation_sigma: 1e-3,
            ..Variation::default()
        };
        let found = first_genes(small, ParameterKind::Whole);
        assert!(found.iter().all(|value| [1.0, 3.0].contains(value)), "{found:?}");
        let ups = found.iter().filter(|value| **value == 3.0).count();
        assert!((400..600).contains(&ups), "{ups}");
    }

    #[test]
    fn a_parameter_with_a_step_mutates_by_that_step() {
        let step =
            Parameter { step: Some(0.01), ..space(ParameterKind::Real, 1).parameters()[0].clone() };
        let (space, mut rng) = (Space::new(vec![step]).unwrap(), Rng::new(5));
        let variation = Variation { mutation_rate: 1.0, ..Variation::default() };
        for _ in 0..1000 {
            let offspring = variation.offspring(&[vec![0.5]], &[], &space, &mut rng);
            // Six standard deviations.
            assert!((offspring.values()[0] - 5.0).abs() < 0.06, "{offspring:?}");
        }
    }

    #[test]
    fn duplicates_are_avoided_while_other_weights_exist() {
        let (space, mut rng) = (space(ParameterKind::Whole, 2), Rng::new(9));
        let initial_population = Variation::default().initial_population(60, &space, &mut rng);
        assert_eq!(initial_population[0], space.start());
        let different: std::collections::HashSet<_> = initial_population.iter().collect();
        assert!(different.len() >= 55, "{}", different.len());
        // All values are taken: duplicates appear, and the loop ends.
        let pair = Parameter {
            name: "x".into(),
            kind: ParameterKind::Whole,
            min: 0.0,
            max: 1.0,
            start: 0.0,
            step: None,
        };
        let tiny = Space::new(vec![pair]).unwrap();
        assert_eq!(Variation::default().initial_population(5, &tiny, &mut rng).len(), 5);
    }
}
