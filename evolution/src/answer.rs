//! What a tuner asks, and what it is told.

use serde::{Deserialize, Serialize};

use super::error::TellError;
use super::weights::Weights;

/// How well a set of weights plays: its share of the points against the common opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitness {
    /// The share, 0 to 1.
    pub share: f64,
    /// Its standard error; 0 where it is exact.
    pub error: f64,
    /// How many games it took, one at least.
    pub games: u32,
}

impl Fitness {
    /// What two measurements of the same weights say together, each by its games.
    pub(crate) fn and(self, other: Self) -> Self {
        let (these, others) = (f64::from(self.games), f64::from(other.games));
        let all = these + others;
        let part = |a: f64, b: f64| (a * these + b * others) / all;
        let error = part(self.error, 0.0) * part(self.error, 0.0)
            + part(0.0, other.error) * part(0.0, other.error);
        Self {
            share: part(self.share, other.share),
            error: error.sqrt(),
            games: self.games.saturating_add(other.games),
        }
    }

    /// What is still to be believed of the share: one standard error less.
    pub(crate) fn cautious(&self) -> f64 {
        self.share - self.error
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Asked {
    /// How well do these weights play? The answer is a [`Fitness`].
    Fitness {
        /// The weights.
        weights: Weights,
        /// The share, 0 to 1, that they must reach to be of any use; a [`Race`](crate::Race) against it may
        /// end the games of a hopeless set early. None where every share counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bar: Option<f64>,
    },
    /// How do the first weights play against the second?
    Duel {
        /// Those whose result is asked for.
        plus: Weights,
        /// Those against which they play.
        minus: Weights,
    },
}

/// A question. Questions are numbered from 0 in the order in which they are asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its number.
    pub number: u32,
    /// What is asked.
    pub asked: Asked,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Answer {
    /// To [`Asked::Fitness`].
    Fitness(Fitness),
    /// To [`Asked::Duel`].
    Duel {
        /// Twice the share of the first weights less one: 1 if they won everything, −1 if they lost
        /// everything.
        result: f64,
        /// How many games it took, one at least.
        games: u32,
    },
}

impl Answer {
    /// How many games it took.
    pub fn games(&self) -> u32 {
        match self {
            Self::Fitness(fitness) => fitness.games,
            Self::Duel { games, .. } => *games,
        }
    }

    /// Whether it can be the answer to a question.
    pub(crate) fn check(&self, question: &Question) -> Result<(), TellError> {
        let number = question.number;
        let refused = |what, value| Err(TellError::Value { number, what, value });
        match (self, &question.asked) {
            (Self::Fitness(fitness), Asked::Fitness { .. }) => {
                if !(0.0..=1.0).contains(&fitness.share) {
                    return refused("share", fitness.share);
                }
                if !(0.0..=1.0).contains(&fitness.error) {
                    return refused("error", fitness.error);
                }
            }
            (Self::Duel { result, .. }, Asked::Duel { .. }) => {
                if !(-1.0..=1.0).contains(result) {
                    return refused("result", *result);
                }
            }
            _ => return Err(TellError::Kind { number }),
        }
        if self.games() == 0 { Err(TellError::NoGames { number }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(measured: &[(f64, f64, u32)], expected: (f64, f64, u32)) {
        let fitness = |(share, error, games): (f64, f64, u32)| Fitness { share, error, games };
        let all = measured.iter().map(|measured| fitness(*measured)).reduce(Fitness::and).unwrap();
        assert!((all.share - expected.0).abs() < 1e-12, "{all:?}");
        assert!((all.error - expected.1).abs() < 1e-12, "{all:?}");
        assert_eq!(all.games, expected.2);
    }

    #[test]
    fn measurements_count_by_their_games() {
        check(&[(0.5, 0.1, 10)], (0.5, 0.1, 10));
        check(&[(0.5, 0.0, 10), (1.0, 0.0, 30)], (0.875, 0.0, 40));
        // Four times as many games, half the error.
        check(&[(0.5, 0.2, 10); 4], (0.5, 0.1, 40));
        check(&[(0.5, 0.0, u32::MAX), (0.5, 0.0, 1)], (0.5, 0.0, u32::MAX));
    }

    #[test]
    fn the_journal_is_plain_json() {
        let answer = Answer::Fitness(Fitness { share: 0.25, error: 0.125, games: 8 });
        let text = r#"{"kind":"fitness","share":0.25,"error":0.125,"games":8}"#;
        assert_eq!(serde_json::to_string(&answer).unwrap(), text);
        assert_eq!(serde_json::from_str::<Answer>(text).unwrap(), answer);
        let text = r#"{"kind":"duel","result":-1.0,"games":2}"#;
        let answer = Answer::Duel { result: -1.0, games: 2 };
        assert_eq!(serde_json::to_string(&answer).unwrap(), text);
        assert_eq!(serde_json::from_str::<Answer>(text).unwrap(), answer);
    }
}
