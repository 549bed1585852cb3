//! Measurements: the requests of a tuner, and their results.

use serde::{Deserialize, Serialize};

use super::error::TellError;
use super::weights::Weights;

/// How well a set of weights plays against the common opponents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitness {
    /// The share of the points, 0 to 1.
    pub share: f64,
    /// The standard error of the share; 0 if the share is exact.
    pub standard_error: f64,
    /// The number of games played, at least 1.
    pub games: u32,
}

impl Fitness {
    /// Pools two measurements of the same weights, each weighted by its number of games.
    pub(crate) fn pooled(self, other: Self) -> Self {
        let (these, others) = (f64::from(self.games), f64::from(other.games));
        let all = these + others;
        let part = |a: f64, b: f64| (a * these + b * others) / all;
        let variance = part(self.standard_error, 0.0) * part(self.standard_error, 0.0)
            + part(0.0, other.standard_error) * part(0.0, other.standard_error);
        Self {
            share: part(self.share, other.share),
            standard_error: variance.sqrt(),
            games: self.games.saturating_add(other.games),
        }
    }

    /// The share less one standard error: a pessimistic estimate.
    pub(crate) fn pessimistic_share(&self) -> f64 {
        self.share - self.standard_error
    }
}

/// What a measurement is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Subject {
    /// The share of the points that one set of weights scores. The result is a [`Fitness`].
    Fitness {
        /// The weights to measure.
        weights: Weights,
        /// The share, 0 to 1, below which the weights are of no use to the method. A
        /// [`Race`](crate::Race) against it may stop the games of a hopeless set early. `None` if
        /// every share counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
    },
    /// The result of one set of weights against another.
    Duel {
        /// The weights whose margin is reported.
        plus: Weights,
        /// The weights of the opponent.
        minus: Weights,
    },
}

/// A measurement that the caller has to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasurementRequest {
    /// Requests are numbered from 0 in the order in which the tuner makes them.
    pub number: u32,
    /// What to measure.
    pub subject: Subject,
}

/// The result of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MeasurementResult {
    /// Result of [`Subject::Fitness`].
    Fitness(Fitness),
    /// Result of [`Subject::Duel`].
    Duel {
        /// Twice the share of `plus`, less one: 1 if `plus` won everything, −1 if it lost
        /// everything.
        margin: f64,
        /// The number of games played, at least 1.
        games: u32,
    },
}

impl MeasurementResult {
    /// The number of games played.
    pub fn games(&self) -> u32 {
        match self {
            Self::Fitness(fitness) => fitness.games,
            Self::Duel { games, .. } => *games,
        }
    }

    /// Checks that this is a valid result of `request`.
    pub(crate) fn check(&self, request: &MeasurementRequest) -> Result<(), TellError> {
        let number = request.number;
        let refused = |field, value| Err(TellError::OutOfRange { number, field, value });
        match (self, &request.subject) {
            (Self::Fitness(fitness), Subject::Fitness { .. }) => {
                if !(0.0..=1.0).contains(&fitness.share) {
                    return refused("share", fitness.share);
                }
                if !(0.0..=1.0).contains(&fitness.standard_error) {
                    return refused("standard_error", fitness.standard_error);
                }
            }
            (Self::Duel { margin, .. }, Subject::Duel { .. }) => {
                if !(-1.0..=1.0).contains(margin) {
                    return refused("margin", *margin);
                }
            }
            _ => return Err(TellError::WrongKind { number }),
        }
        if self.games() == 0 { Err(TellError::NoGames { number }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(measured: &[(f64, f64, u32)], expected: (f64, f64, u32)) {
        let fitness = |(share, error, games): (f64, f64, u32)| Fitness {
            share,
            standard_error: error,
            games,
        };
        let pooled =
            measured.iter().map(|measured| fitness(*measured)).reduce(Fitness::pooled).unwrap();
        assert!((pooled.share - expected.0).abs() < 1e-12, "{pooled:?}");
        assert!((pooled.standard_error - expected.1).abs() < 1e-12, "{pooled:?}");
        assert_eq!(pooled.games, expected.2);
    }

    #[test]
    fn pooling_weights_measurements_by_their_games() {
        check(&[(0.5, 0.1, 10)], (0.5, 0.1, 10));
        check(&[(0.5, 0.0, 10), (1.0, 0.0, 30)], (0.875, 0.0, 40));
        // Four times as many games, half the error.
        check(&[(0.5, 0.2, 10); 4], (0.5, 0.1, 40));
        check(&[(0.5, 0.0, u32::MAX), (0.5, 0.0, 1)], (0.5, 0.0, u32::MAX));
    }

    #[test]
    fn results_are_stored_as_json() {
        let result =
            MeasurementResult::Fitness(Fitness { share: 0.25, standard_error: 0.125, games: 8 });
        let text = r#"{"kind":"fitness","share":0.25,"standard_error":0.125,"games":8}"#;
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        assert_eq!(serde_json::from_str::<MeasurementResult>(text).unwrap(), result);
        let text = r#"{"kind":"duel","margin":-1.0,"games":2}"#;
        let result = MeasurementResult::Duel { margin: -1.0, games: 2 };
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        assert_eq!(serde_json::from_str::<MeasurementResult>(text).unwrap(), result);
    }
}
