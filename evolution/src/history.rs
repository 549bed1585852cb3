//! What a tuner has done: who was asked and why, what came back, who went, and how each generation stood.
//! For reports; nothing is decided by it.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, Question};
use super::weights::Weights;

/// Why a question was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Origin {
    /// One of the first weights.
    Founder,
    /// A child of the weights that these questions brought in. One that is named alone was copied and changed.
    Child {
        /// The questions.
        parents: Vec<u32>,
    },
    /// Measured again, so that nobody stays who was lucky once.
    Again {
        /// The question that brought the weights in.
        of: u32,
    },
    /// Drawn from a distribution (CMA-ES).
    Drawn,
    /// On either side of a point (SPSA).
    Sides,
}

/// The shares of points in a generation, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// The best.
    pub best: f64,
    /// The mean.
    pub mean: f64,
    /// The worst.
    pub worst: f64,
}

impl Shares {
    pub(crate) fn of(shares: &[f64]) -> Option<Self> {
        let best = shares.iter().copied().reduce(f64::max)?;
        let worst = shares.iter().copied().reduce(f64::min)?;
        Some(Self { best, mean: shares.iter().sum::<f64>() / shares.len() as f64, worst })
    }
}

/// How things stand after some answers: a generation of a method that has any, for the steady state as many
/// answers as there are members, for SPSA ten iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Its number, from 0.
    pub number: u32,
    /// How many questions were answered up to here.
    pub questions: u32,
    /// How many games they took.
    pub games: u64,
    /// The weights that would be shipped now.
    pub best: Weights,
    /// The mean of the population, or the point that is moved, in the units of the options; not rounded.
    pub mean: Vec<f64>,
    /// The shares of its members; none where the method asks for duels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// The mean distance between two of its members, 0 to 1 (root of the mean square over the parameters, each
    /// as a part of its range); none where there are no two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diversity: Option<f64>,
    /// The questions that brought its members in.
    pub members: Vec<u32>,
}

/// Something that a tuner did, in the order in which it did it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// It asked.
    Asked {
        /// What.
        question: Question,
        /// Why.
        why: Origin,
    },
    /// An answer counted. Answers count in the order of their questions.
    Counted {
        /// The question's number.
        number: u32,
        /// The answer.
        answer: Answer,
    },
    /// Weights left the population.
    Gone {
        /// The question that had brought them in.
        number: u32,
    },
    /// A generation was whole.
    Generation(Generation),
}
