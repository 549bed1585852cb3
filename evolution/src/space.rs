//! What is tuned: parameters with their ranges, and points among them. Optimisers work in [0, 1]ⁿ; here
//! alone a point becomes weights: nothing outside of its range, whole ones whole.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::weights::Weights;

/// More parameters than this are a mistake, and a matrix of them too large for CMA-ES.
pub const PARAMETERS_MAX: usize = 1000;

/// Whole numbers beyond this are not all told apart (2⁵³).
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Real values closer than this part of their range are one, or a little closer.
const RESOLUTION: f64 = 1e-9;

/// No value has more decimals.
const DECIMALS_MAX: usize = 330;

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Whole numbers.
    Whole,
    /// All numbers; tuning takes them as decimals that tell about a billion in the range apart.
    Real,
}

/// One option of an engine that is tuned. All its numbers are in the option's own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Which values it takes.
    pub kind: Kind,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
    /// The value to begin with.
    pub start: f64,
    /// A change that ought to be felt in play, by which methods scale their first steps; where there is none
    /// they take a part of the range, which their settings say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// Parameters between which nothing can be looked for.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// No parameters.
    #[error("there is nothing to tune: no parameter is given")]
    Nothing,
    /// Too many.
    #[error("{parameters} parameters are more than {PARAMETERS_MAX}")]
    TooMany {
        /// How many.
        parameters: usize,
    },
    /// Two of one name.
    #[error("parameter `{name}` is given twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A range with one value or none, or without an end.
    #[error("the range of parameter `{name}`, {min} to {max}, leaves nothing to choose")]
    Range {
        /// Whose.
        name: String,
        /// Its least value.
        min: f64,
        /// Its greatest value.
        max: f64,
    },
    /// A start outside of the range.
    #[error("parameter `{name}` starts at {start}, which is not between {min} and {max}")]
    Start {
        /// Whose.
        name: String,
        /// Where it starts.
        start: f64,
        /// Its least value.
        min: f64,
        /// Its greatest value.
        max: f64,
    },
    /// A whole parameter with a number that is not whole, or too large to be told from its neighbour.
    #[error("{what} of parameter `{name}` is {value}, which is no whole number up to 2^53")]
    NotWhole {
        /// Whose.
        name: String,
        /// `min`, `max` or `start`.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// A step that is none.
    #[error("the step of parameter `{name}` is {step}, which is not above 0 and within its range")]
    Step {
        /// Whose.
        name: String,
        /// What it is.
        step: f64,
    },
    /// Weights of another space.
    #[error("there are {values} values for {parameters} parameters")]
    Count {
        /// How many values.
        values: usize,
        /// How many parameters.
        parameters: usize,
    },
    /// A value that its parameter does not take.
    #[error("{value} is no value of parameter `{name}`")]
    Value {
        /// Whose.
        name: String,
        /// The value.
        value: f64,
    },
}

impl Parameter {
    fn check(&self) -> Result<(), SpaceError> {
        let Self { kind, min, max, start, step, .. } = *self;
        let name = || self.name.clone();
        if kind == Kind::Whole {
            for (what, value) in [("min", min), ("max", max), ("start", start)] {
                if value.fract() != 0.0 || value.abs() > WHOLE_MAX {
                    return Err(SpaceError::NotWhole { name: name(), what, value });
                }
            }
        }
        // Neither holds for what is not a number.
        if !(max - min > 0.0 && (max - min).is_finite()) {
            return Err(SpaceError::Range { name: name(), min, max });
        }
        if !(min..=max).contains(&start) {
            return Err(SpaceError::Start { name: name(), start, min, max });
        }
        match step {
            Some(step) if !(step > 0.0 && step <= max - min) => {
                Err(SpaceError::Step { name: name(), step })
            }
            _ => Ok(()),
        }
    }

    fn takes(&self, value: f64) -> bool {
        let whole = self.kind == Kind::Real || value.fract() == 0.0;
        whole && (self.min..=self.max).contains(&value)
    }

    fn range(&self) -> f64 {
        self.max - self.min
    }
}

/// The parameters in their order; one at least.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>")]
pub struct Space(Vec<Parameter>);

impl TryFrom<Vec<Parameter>> for Space {
    type Error = SpaceError;

    fn try_from(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        Self::new(parameters)
    }
}

impl Space {
    /// A space of these parameters, or what is wrong with the first that is wrong.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        match parameters.len() {
            0 => return Err(SpaceError::Nothing),
            1..=PARAMETERS_MAX => {}
            parameters => return Err(SpaceError::TooMany { parameters }),
        }
        let mut names = std::collections::BTreeSet::new();
        for parameter in &parameters {
            parameter.check()?;
            if !names.insert(&parameter.name) {
                return Err(SpaceError::Twice { name: parameter.name.clone() });
            }
        }
        Ok(Self(parameters))
    }

    /// The parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// How many parameters there are.
    pub(crate) fn dimension(&self) -> usize {
        self.0.len()
    }

    /// The weights to begin with.
    pub fn start(&self) -> Weights {
        Weights::new(self.0.iter().map(|parameter| parameter.start).collect())
    }

    /// These values as weights, if each parameter takes its own.
    pub fn check(&self, values: &[f64]) -> Result<Weights, SpaceError> {
        if values.len() != self.0.len() {
            let (values, parameters) = (values.len(), self.0.len());
            return Err(SpaceError::Count { values, parameters });
        }
        match self.0.iter().zip(values).find(|(parameter, value)| !parameter.takes(**value)) {
            Some((parameter, value)) => {
                Err(SpaceError::Value { name: parameter.name.clone(), value: *value })
            }
            None => Ok(Weights::new(values.to_vec())),
        }
    }

    /// Names and values as texts that options take: whole ones without a point.
    pub fn options<'a>(
        &'a self,
        weights: &'a Weights,
    ) -> impl Iterator<Item = (&'a str, String)> + 'a {
        let both = self.0.iter().zip(weights.values());
        both.map(|(parameter, value)| (parameter.name.as_str(), value.to_string()))
    }

    /// The weights nearest to a point of [0, 1]ⁿ: what is outside comes to the border.
    pub(crate) fn weights(&self, point: &[f64]) -> Weights {
        let both = self.0.iter().zip(point);
        Weights::new(both.map(|(parameter, x)| value_at(parameter, *x)).collect())
    }

    /// The point of [0, 1]ⁿ at which weights are.
    pub(crate) fn point(&self, weights: &Weights) -> Vec<f64> {
        let both = self.0.iter().zip(weights.values());
        both.map(|(parameter, value)| (value - parameter.min) / parameter.range()).collect()
    }

    /// A point in the units of the options, not rounded.
    pub(crate) fn values(&self, point: &[f64]) -> Vec<f64> {
        let both = self.0.iter().zip(point);
        both.map(|(parameter, x)| parameter.min + within(*x) * parameter.range()).collect()
    }

    /// How far a parameter steps, as a part of its range: its own step, or the part that a method has for
    /// all.
    pub(crate) fn scale(&self, index: usize, otherwise: f64) -> f64 {
        let parameter = &self.0[index];
        parameter.step.map_or(otherwise, |step| step / parameter.range())
    }

    /// The distance of two neighbours of a whole parameter, as a part of its range; 0 for a real one.
    pub(crate) fn grid(&self, index: usize) -> f64 {
        let parameter = &self.0[index];
        if parameter.kind == Kind::Whole { 1.0 / parameter.range() } else { 0.0 }
    }
}

/// Within 0 and 1; what is not a number is 0.
#[expect(clippy::manual_clamp, reason = "clamp would hand on what is not a number")]
pub(crate) fn within(x: f64) -> f64 {
    x.max(0.0).min(1.0)
}

fn value_at(parameter: &Parameter, x: f64) -> f64 {
    let value = parameter.min + within(x) * parameter.range();
    let value = match parameter.kind {
        Kind::Whole => value.round(),
        Kind::Real => short(value, parameter.range()),
    };
    // A sum or a rounding can be beyond its border.
    value.max(parameter.min).min(parameter.max)
}

/// A value with no more decimals than its range needs: what a person reads, and an engine is given.
fn short(value: f64, range: f64) -> f64 {
    let (mut decimals, mut unit) = (0, 1.0);
    while unit > range * RESOLUTION && decimals < DECIMALS_MAX {
        unit /= 10.0;
        decimals += 1;
    }
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// The distance of two points: the root of the mean square over the parameters, 0 to 1.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (squares / a.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, kind: Kind, [min, max, start]: [f64; 3]) -> Parameter {
        Parameter { name: name.into(), kind, min, max, start, step: None }
    }

    fn check_refused(json: &str, expected: &str) {
        let error = serde_json::from_str::<Space>(json).expect_err(json).to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_cannot_be_tuned_is_refused_by_name() {
        check_refused("[]", "nothing to tune");
        let one = |rest: &str| format!(r#"[{{"name": "a", "kind": {rest}}}]"#);
        let check = |rest: &str, expected: &str| check_refused(&one(rest), expected);
        check(r#""whole", "min": 3, "max": 3, "start": 3"#, "`a`, 3 to 3, leaves nothing");
        check(r#""whole", "min": 4, "max": 3, "start": 3"#, "leaves nothing to choose");
        check(r#""real", "min": -1.7e308, "max": 1.7e308, "start": 0"#, "leaves nothing to choose");
        check(r#""whole", "min": 0, "max": 3, "start": 4"#, "`a` starts at 4");
        check(r#""whole", "min": 0, "max": 3, "start": 1.5"#, "start of parameter `a` is 1.5");
        check(r#""whole", "min": 0, "max": 1e16, "start": 0"#, "max of parameter `a`");
        check(r#""real", "min": 0, "max": 3, "start": 1, "step": 0"#, "step of parameter `a` is 0");
        check(r#""real", "min": 0, "max": 3, "start": 1, "step": 4"#, "step of parameter `a` is 4");
        check(r#""real", "min": 0, "max": 3, "start": 1, "stop": 4"#, "unknown field `stop`");
        let same = parameter("a", Kind::Real, [0.0, 1.0, 0.5]);
        let error = Space::new(vec![same.clone(), same.clone()]).unwrap_err();
        assert_eq!(error, SpaceError::Twice { name: "a".into() });
        let error = Space::new(vec![same; PARAMETERS_MAX + 1]).unwrap_err();
        assert_eq!(error, SpaceError::TooMany { parameters: PARAMETERS_MAX + 1 });
        for bad in [[f64::NAN, 1.0, 0.0], [0.0, f64::INFINITY, 0.0], [0.0, 1.0, f64::NAN]] {
            assert!(Space::new(vec![parameter("a", Kind::Real, bad)]).is_err(), "{bad:?}");
        }
    }

    fn space() -> Space {
        let whole = parameter("whole", Kind::Whole, [-10.0, 10.0, 0.0]);
        let real = Parameter {
            step: Some(0.5),
            ..parameter("real", Kind::Real, [0.1, 0.7 + 0.2 + 0.1, 0.25])
        };
        Space::new(vec![whole, real]).unwrap()
    }

    fn check_point(point: [f64; 2], expected: [f64; 2]) {
        assert_eq!(space().weights(&point).values(), expected, "{point:?}");
    }

    #[test]
    fn points_become_weights_within_their_ranges() {
        check_point([0.0, 0.0], [-10.0, 0.1]);
        check_point([1.0, 1.0], [10.0, space().parameters()[1].max]);
        check_point([7.0, -7.0], [10.0, 0.1]);
        check_point([f64::NAN, f64::INFINITY], [-10.0, space().parameters()[1].max]);
        check_point([0.524, 0.0], [0.0, 0.1]);
        check_point([0.526, 0.0], [1.0, 0.1]);
        check_point([0.5, 1.0 / 3.0], [0.0, 0.4]);
        check_point([0.5, 0.000_000_01], [0.0, 0.100_000_009]);
        // No negative zero.
        assert!(space().weights(&[0.49, 0.0]).values()[0].is_sign_positive());
        assert_eq!(space().scale(0, 0.125), 0.125);
        assert!((space().scale(1, 0.125) - 0.5 / 0.9).abs() < 1e-12);
        assert_eq!([space().grid(0), space().grid(1)], [0.05, 0.0]);
    }

    fn check_short(value: f64, range: f64, expected: f64) {
        assert_eq!(short(value, range), expected);
    }

    #[test]
    fn values_have_no_more_decimals_than_their_range_needs() {
        check_short(0.1 + 0.2, 1.0, 0.3);
        check_short(1.0 / 3.0, 1.0, 0.333_333_333_3);
        check_short(1.0 / 3.0, 1000.0, 0.333_333);
        check_short(1e6 + 1.0 / 3.0, 1000.0, 1_000_000.333_333);
        check_short(2.0 / 3.0 * 1e300, 1e300, 2.0 / 3.0 * 1e300);
        check_short(1e-300 / 3.0, 1e-300, 3.333_333_33e-301);
    }

    fn check_values(values: &[f64], expected: &str) {
        let found = match space().check(values) {
            Ok(weights) => {
                let options = space();
                let texts: Vec<String> = options
                    .options(&weights)
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                texts.join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn values_are_checked_and_told_as_options() {
        check_values(&[3.0, 0.25], "whole=3 real=0.25");
        check_values(&[-0.0, 0.1], "whole=0 real=0.1");
        check_values(&[3.0], "there are 1 values for 2 parameters");
        check_values(&[3.5, 0.5], "3.5 is no value of parameter `whole`");
        check_values(&[3.0, 1.5], "1.5 is no value of parameter `real`");
        check_values(&[3.0, f64::NAN], "NaN is no value of parameter `real`");
    }
}
