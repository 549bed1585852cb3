//! How children come of parents, for both genetic algorithms. Each gene is that of one parent drawn for it
//! (uniform crossover: G. Syswerda, *Uniform Crossover in Genetic Algorithms*, ICGA 1989), here of any
//! number of them, or lies about between those of two (extended intermediate recombination: H. Mühlenbein,
//! D. Schlierkamp-Voosen, *Predictive Models for the Breeder Genetic Algorithm*, Evol. Comp. 1, 1993);
//! then some genes take a normal step.

use serde::{Deserialize, Serialize};

use super::draw::Draws;
use super::error::{SettingsError, between};
use super::space::Space;
use super::weights::Weights;

/// How far a mixed gene may lie outside of its two parents, as a part of their distance: Mühlenbein and
/// Schlierkamp-Voosen's ¼, with which a population neither shrinks nor grows by mixing alone.
const OVERHANG: f64 = 0.25;

/// A child that lives already teaches nothing: so often another one is made.
const TRIES: u32 = 20;

/// How children come of parents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Breeding {
    /// How many parents a child has, 1 to 1000; all of them if there are fewer. By default 3 in the steady state, where all who live are
    /// drawn alike, and 2 where they win tournaments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parents: Option<u32>,
    /// How often a child is mixed at all rather than the changed copy of one parent, 0 to 1; 0.9 by default.
    pub crossover_rate: f64,
    /// How often a mixed gene lies between those of two parents rather than at one of them, 0 to 1; 0.5 by default: taking genes
    /// as they are keeps what was found, lying between refines it.
    pub blend: f64,
    /// How often a gene changes, 0 to 1; 0.3 by default. One gene of a child, as is usual for functions without luck,
    /// makes less of a difference than the luck of its games.
    pub mutation_rate: f64,
    /// The standard deviation of such a change as a part of the parameter's range, above 0 to 1; 0.1 by default. A parameter
    /// with a step of its own changes by that. A whole one that changes does so by 1 at least.
    pub mutation_size: f64,
    /// The standard deviation of the first weights about the start, as a part of the range, above 0 to 10 (where they
    /// are all over it, half of them at its borders); 0.2 by default. Steps of parameters do not count here.
    pub spread: f64,
}

impl Default for Breeding {
    fn default() -> Self {
        Self {
            parents: None,
            crossover_rate: 0.9,
            blend: 0.5,
            mutation_rate: 0.3,
            mutation_size: 0.1,
            spread: 0.2,
        }
    }
}

impl Breeding {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        between("parents", self.parents.unwrap_or(1).into(), [1.0, 1000.0])?;
        between("crossover_rate", self.crossover_rate, [0.0, 1.0])?;
        between("blend", self.blend, [0.0, 1.0])?;
        between("mutation_rate", self.mutation_rate, [0.0, 1.0])?;
        between("mutation_size", self.mutation_size, [1e-6, 1.0])?;
        between("spread", self.spread, [1e-6, 10.0])
    }

    /// How many parents the next child has: one that is copied, or those that are mixed, by default as many as
    /// is usual with the method.
    pub(crate) fn parents_of_one(&self, usual: u32, draws: &mut Draws) -> usize {
        if draws.chance(self.crossover_rate) { self.parents.unwrap_or(usual) as usize } else { 1 }
    }

    /// The first weights: the start, and others about it, different as far as it goes.
    pub(crate) fn founders(&self, count: usize, space: &Space, draws: &mut Draws) -> Vec<Weights> {
        let mut founders = vec![space.start()];
        let start = space.point(&founders[0]);
        while founders.len() < count {
            let founder = self.unlike(&founders, draws, |draws| {
                let steps = start
                    .iter()
                    .enumerate()
                    .map(|(gene, x)| x + step(draws.normal(), self.spread, space.grid(gene)));
                space.weights(&steps.collect::<Vec<_>>())
            });
            founders.push(founder);
        }
        founders
    }

    /// A child of one parent at least, unlike all of those who live as far as it goes.
    pub(crate) fn child(
        &self,
        parents: &[Vec<f64>],
        living: &[Weights],
        space: &Space,
        draws: &mut Draws,
    ) -> Weights {
        self.unlike(living, draws, |draws| {
            let mut genes = self.mix(parents, draws);
            self.mutate(&mut genes, space, draws);
            space.weights(&genes)
        })
    }

    fn unlike(
        &self,
        living: &[Weights],
        draws: &mut Draws,
        make: impl Fn(&mut Draws) -> Weights,
    ) -> Weights {
        let mut made = make(draws);
        for _ in 1..TRIES {
            if !living.contains(&made) {
                break;
            }
            made = make(draws);
        }
        made
    }

    fn mix(&self, parents: &[Vec<f64>], draws: &mut Draws) -> Vec<f64> {
        if let [parent] = parents {
            return parent.clone();
        }
        let gene = |gene: usize| {
            if !draws.chance(self.blend) {
                return parents[draws.below(parents.len())][gene];
            }
            let two = draws.different(2, parents.len());
            let (a, b) = (parents[two[0]][gene], parents[two[1]][gene]);
            a + (b - a) * (draws.unit() * (1.0 + 2.0 * OVERHANG) - OVERHANG)
        };
        (0..parents[0].len()).map(gene).collect()
    }

    fn mutate(&self, genes: &mut [f64], space: &Space, draws: &mut Draws) {
        for (gene, x) in genes.iter_mut().enumerate() {
            if draws.chance(self.mutation_rate) {
                *x += step(draws.normal(), space.scale(gene, self.mutation_size), space.grid(gene));
            }
        }
    }
}

/// A normal step of a gene: on a grid as far as the next point of it at least, since a lesser one would be rounded
/// away.
fn step(normal: f64, size: f64, grid: f64) -> f64 {
    let step = normal * size;
    if step.abs() < grid { grid.copysign(step) } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Kind, Parameter};

    fn space(kind: Kind, count: usize) -> Space {
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

    /// The values that the first gene of a thousand children takes, of parents at 2, 4 and 8.
    fn children(breeding: Breeding, kind: Kind) -> Vec<f64> {
        let (space, mut draws) = (space(kind, 1), Draws::new(5));
        let parents = [vec![0.2], vec![0.4], vec![0.8]];
        let child = |_| {
            let parents = &parents[..breeding.parents_of_one(3, &mut draws)];
            breeding.child(parents, &[], &space, &mut draws).values()[0]
        };
        (0..1000).map(child).collect()
    }

    fn check(breeding: Breeding, range: [f64; 2], different: std::ops::RangeInclusive<usize>) {
        let mut found = children(breeding, Kind::Real);
        found.sort_by(f64::total_cmp);
        assert!((found[0] - range[0]).abs() < 0.1, "{}", found[0]);
        assert!((found[999] - range[1]).abs() < 0.1, "{}", found[999]);
        found.dedup();
        assert!(different.contains(&found.len()), "{}", found.len());
    }

    #[test]
    fn genes_come_of_parents() {
        let pure = Breeding { mutation_rate: 0.0, ..Breeding::default() };
        check(Breeding { crossover_rate: 0.0, ..pure }, [2.0, 2.0], 1..=1);
        check(Breeding { crossover_rate: 1.0, blend: 0.0, ..pure }, [2.0, 8.0], 3..=3);
        // A quarter of 8 − 2 beyond either.
        check(Breeding { crossover_rate: 1.0, blend: 1.0, ..pure }, [0.5, 9.5], 900..=1000);
        check(
            Breeding { crossover_rate: 0.0, mutation_rate: 1.0, mutation_size: 1e-3, ..pure },
            [2.0, 2.0],
            900..=1000,
        );
        check(Breeding { mutation_rate: 1.0, mutation_size: 1.0, ..pure }, [0.0, 10.0], 100..=900);
    }

    #[test]
    fn a_whole_gene_that_changes_does_so_by_one_at_least() {
        let small = Breeding {
            crossover_rate: 0.0,
            mutation_rate: 1.0,
            mutation_size: 1e-3,
            ..Breeding::default()
        };
        let found = children(small, Kind::Whole);
        assert!(found.iter().all(|value| [1.0, 3.0].contains(value)), "{found:?}");
        let ups = found.iter().filter(|value| **value == 3.0).count();
        assert!((400..600).contains(&ups), "{ups}");
    }

    #[test]
    fn a_parameter_with_a_step_changes_by_that() {
        let step = Parameter { step: Some(0.01), ..space(Kind::Real, 1).parameters()[0].clone() };
        let (space, mut draws) = (Space::new(vec![step]).unwrap(), Draws::new(5));
        let breeding = Breeding { mutation_rate: 1.0, ..Breeding::default() };
        for _ in 0..1000 {
            let child = breeding.child(&[vec![0.5]], &[], &space, &mut draws);
            // Six standard deviations.
            assert!((child.values()[0] - 5.0).abs() < 0.06, "{child:?}");
        }
    }

    #[test]
    fn nobody_is_born_who_lives_while_there_is_anybody_else() {
        let (space, mut draws) = (space(Kind::Whole, 2), Draws::new(9));
        let founders = Breeding::default().founders(60, &space, &mut draws);
        assert_eq!(founders[0], space.start());
        let different: std::collections::HashSet<_> = founders.iter().collect();
        assert!(different.len() >= 55, "{}", different.len());
        // All of them live: one is born again, and nobody waits for ever.
        let two = Parameter {
            name: "x".into(),
            kind: Kind::Whole,
            min: 0.0,
            max: 1.0,
            start: 0.0,
            step: None,
        };
        let tiny = Space::new(vec![two]).unwrap();
        assert_eq!(Breeding::default().founders(5, &tiny, &mut draws).len(), 5);
    }
}
