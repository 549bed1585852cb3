//! The search space: the tuned parameters with their ranges. Optimisers work in [0, 1]ⁿ. Only this
//! module turns such a point into weights, which it clamps to the ranges and rounds where a
//! parameter takes whole numbers.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::weights::Weights;

/// The largest number of parameters. More would make the covariance matrix of CMA-ES too large.
pub const PARAMETERS_MAX: usize = 1000;

/// The largest magnitude up to which `f64` represents every whole number (2⁵³).
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Real values are rounded to this part of their range, or a little finer.
const RESOLUTION: f64 = 1e-9;

/// The largest number of decimals that rounding may keep.
const DECIMALS_MAX: usize = 330;

/// The kind of values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParameterKind {
    /// Whole numbers only.
    Whole,
    /// Real numbers, tuned as decimals with a resolution of about a billionth of the range.
    Real,
}

/// One tuned option of an engine. All numbers are in the unit of the option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name of the option.
    pub name: String,
    /// The kind of its values.
    pub kind: ParameterKind,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The value at which tuning starts.
    pub start: f64,
    /// A change large enough to affect play, by which methods scale their first steps. If it is
    /// missing, methods use a part of the range that their settings define.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// Why a list of parameters or values is invalid.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// There are no parameters.
    #[error("nothing to tune: no parameters given")]
    Empty,
    /// There are more than [`PARAMETERS_MAX`] parameters.
    #[error("{parameters} parameters given; at most {PARAMETERS_MAX} are supported")]
    TooManyParameters {
        /// The number of parameters.
        parameters: usize,
    },
    /// Two parameters have the same name.
    #[error("parameter `{name}` is given twice")]
    DuplicateName {
        /// The shared name.
        name: String,
    },
    /// The range is empty, has a single value, or is not finite.
    #[error("parameter `{name}`: the range {min} to {max} is empty or not finite")]
    Range {
        /// The name of the parameter.
        name: String,
        /// Its smallest value.
        min: f64,
        /// Its largest value.
        max: f64,
    },
    /// The start is outside the range.
    #[error("parameter `{name}`: the start {start} is not between {min} and {max}")]
    Start {
        /// The name of the parameter.
        name: String,
        /// The value at which it starts.
        start: f64,
        /// Its smallest value.
        min: f64,
        /// Its largest value.
        max: f64,
    },
    /// A number of a whole parameter is not whole, or too large to be represented exactly.
    #[error("parameter `{name}`: `{field}` is {value}, not a whole number up to 2^53")]
    NotWhole {
        /// The name of the parameter.
        name: String,
        /// The field: `min`, `max` or `start`.
        field: &'static str,
        /// The invalid value.
        value: f64,
    },
    /// The step is not positive, or larger than the range.
    #[error("parameter `{name}`: the step {step} must be above 0 and at most the range")]
    Step {
        /// The name of the parameter.
        name: String,
        /// The invalid step.
        step: f64,
    },
    /// The number of values differs from the number of parameters.
    #[error("expected {parameters} values, found {values}")]
    Count {
        /// The number of values.
        values: usize,
        /// The number of parameters.
        parameters: usize,
    },
    /// A value is outside the range of its parameter, or not whole.
    #[error("parameter `{name}`: {value} is not a valid value")]
    Value {
        /// The name of the parameter.
        name: String,
        /// The invalid value.
        value: f64,
    },
}

impl Parameter {
    fn check(&self) -> Result<(), SpaceError> {
        let Self { kind, min, max, start, step, .. } = *self;
        let name = || self.name.clone();
        if kind == ParameterKind::Whole {
            for (field, value) in [("min", min), ("max", max), ("start", start)] {
                if value.fract() != 0.0 || value.abs() > WHOLE_MAX {
                    return Err(SpaceError::NotWhole { name: name(), field, value });
                }
            }
        }
        // Both comparisons are false for NaN.
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

    fn accepts(&self, value: f64) -> bool {
        let whole = self.kind == ParameterKind::Real || value.fract() == 0.0;
        whole && (self.min..=self.max).contains(&value)
    }

    fn range(&self) -> f64 {
        self.max - self.min
    }
}

/// The parameters in order; at least one.
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
    /// A space of these parameters, or the first fault found in them.
    pub fn new(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        match parameters.len() {
            0 => return Err(SpaceError::Empty),
            1..=PARAMETERS_MAX => {}
            parameters => return Err(SpaceError::TooManyParameters { parameters }),
        }
        let mut names = std::collections::BTreeSet::new();
        for parameter in &parameters {
            parameter.check()?;
            if !names.insert(&parameter.name) {
                return Err(SpaceError::DuplicateName { name: parameter.name.clone() });
            }
        }
        Ok(Self(parameters))
    }

    /// The parameters in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    /// The number of parameters.
    pub(crate) fn dimension(&self) -> usize {
        self.0.len()
    }

    /// The weights at which tuning starts.
    pub fn start(&self) -> Weights {
        Weights::new(self.0.iter().map(|parameter| parameter.start).collect())
    }

    /// The values as weights, if each is valid for its parameter.
    pub fn check(&self, values: &[f64]) -> Result<Weights, SpaceError> {
        if values.len() != self.0.len() {
            let (values, parameters) = (values.len(), self.0.len());
            return Err(SpaceError::Count { values, parameters });
        }
        match self.0.iter().zip(values).find(|(parameter, value)| !parameter.accepts(**value)) {
            Some((parameter, value)) => {
                Err(SpaceError::Value { name: parameter.name.clone(), value: *value })
            }
            None => Ok(Weights::new(values.to_vec())),
        }
    }

    /// Option names with their values as text; whole numbers have no decimal point.
    pub fn options<'a>(
        &'a self,
        weights: &'a Weights,
    ) -> impl Iterator<Item = (&'a str, String)> + 'a {
        let both = self.0.iter().zip(weights.values());
        both.map(|(parameter, value)| (parameter.name.as_str(), value.to_string()))
    }

    /// The weights nearest to a point of [0, 1]ⁿ; coordinates outside are clamped to the border.
    pub(crate) fn weights(&self, point: &[f64]) -> Weights {
        let both = self.0.iter().zip(point);
        Weights::new(both.map(|(parameter, x)| value_at(parameter, *x)).collect())
    }

    /// The point of [0, 1]ⁿ that corresponds to weights.
    pub(crate) fn point(&self, weights: &Weights) -> Vec<f64> {
        let both = self.0.iter().zip(weights.values());
        both.map(|(parameter, value)| (value - parameter.min) / parameter.range()).collect()
    }

    /// A point in the units of the options, not rounded.
    pub(crate) fn values(&self, point: &[f64]) -> Vec<f64> {
        let both = self.0.iter().zip(point);
        both.map(|(parameter, x)| parameter.min + clamp_unit(*x) * parameter.range()).collect()
    }

    /// The step of a parameter as a part of its range: its own step if it has one, else `default`.
    pub(crate) fn scale(&self, index: usize, default: f64) -> f64 {
        let parameter = &self.0[index];
        parameter.step.map_or(default, |step| step / parameter.range())
    }

    /// The distance between neighbouring values of a whole parameter as a part of its range; 0 for
    /// a real one.
    pub(crate) fn grid(&self, index: usize) -> f64 {
        let parameter = &self.0[index];
        if parameter.kind == ParameterKind::Whole { 1.0 / parameter.range() } else { 0.0 }
    }
}

/// Clamps to [0, 1]; NaN becomes 0.
#[expect(clippy::manual_clamp, reason = "clamp would return NaN for NaN")]
pub(crate) fn clamp_unit(x: f64) -> f64 {
    x.max(0.0).min(1.0)
}

fn value_at(parameter: &Parameter, x: f64) -> f64 {
    let value = parameter.min + clamp_unit(x) * parameter.range();
    let value = match parameter.kind {
        ParameterKind::Whole => value.round(),
        ParameterKind::Real => rounded(value, parameter.range()),
    };
    // Addition and rounding can leave the range.
    value.max(parameter.min).min(parameter.max)
}

/// Rounds a value to the decimals that its range needs, so that it is readable in files and
/// options.
fn rounded(value: f64, range: f64) -> f64 {
    let (mut decimals, mut unit) = (0, 1.0);
    while unit > range * RESOLUTION && decimals < DECIMALS_MAX {
        unit /= 10.0;
        decimals += 1;
    }
    format!("{value:.decimals$}").parse().unwrap_or(value)
}

/// The distance between two points: the root mean square over the parameters, 0 to 1.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (squares / a.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, kind: ParameterKind, [min, max, start]: [f64; 3]) -> Parameter {
        Parameter { name: name.into(), kind, min, max, start, step: None }
    }

    fn check_refused(json: &str, expected: &str) {
        let error = serde_json::from_str::<Space>(json).expect_err(json).to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn invalid_parameters_are_refused_with_their_names() {
        check_refused("[]", "nothing to tune: no parameters given");
        let one = |rest: &str| format!(r#"[{{"name": "a", "kind": {rest}}}]"#);
        let check = |rest: &str, expected: &str| check_refused(&one(rest), expected);
        check(
            r#""whole", "min": 3, "max": 3, "start": 3"#,
            "parameter `a`: the range 3 to 3 is empty",
        );
        check(r#""whole", "min": 4, "max": 3, "start": 3"#, "is empty or not finite");
        check(r#""real", "min": -1.7e308, "max": 1.7e308, "start": 0"#, "is empty or not finite");
        check(r#""whole", "min": 0, "max": 3, "start": 4"#, "`a`: the start 4 is not");
        check(r#""whole", "min": 0, "max": 3, "start": 1.5"#, "parameter `a`: `start` is 1.5");
        check(r#""whole", "min": 0, "max": 1e16, "start": 0"#, "parameter `a`: `max`");
        check(
            r#""real", "min": 0, "max": 3, "start": 1, "step": 0"#,
            "parameter `a`: the step 0 must",
        );
        check(
            r#""real", "min": 0, "max": 3, "start": 1, "step": 4"#,
            "parameter `a`: the step 4 must",
        );
        check(r#""real", "min": 0, "max": 3, "start": 1, "stop": 4"#, "unknown field `stop`");
        let same = parameter("a", ParameterKind::Real, [0.0, 1.0, 0.5]);
        let error = Space::new(vec![same.clone(), same.clone()]).unwrap_err();
        assert_eq!(error, SpaceError::DuplicateName { name: "a".into() });
        let error = Space::new(vec![same; PARAMETERS_MAX + 1]).unwrap_err();
        assert_eq!(error, SpaceError::TooManyParameters { parameters: PARAMETERS_MAX + 1 });
        for bad in [[f64::NAN, 1.0, 0.0], [0.0, f64::INFINITY, 0.0], [0.0, 1.0, f64::NAN]] {
            assert!(Space::new(vec![parameter("a", ParameterKind::Real, bad)]).is_err(), "{bad:?}");
        }
    }

    fn space() -> Space {
        let whole = parameter("whole", ParameterKind::Whole, [-10.0, 10.0, 0.0]);
        let real = Parameter {
            step: Some(0.5),
            ..parameter("real", ParameterKind::Real, [0.1, 0.7 + 0.2 + 0.1, 0.25])
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
        // The result is not a negative zero.
        assert!(space().weights(&[0.49, 0.0]).values()[0].is_sign_positive());
        assert_eq!(space().scale(0, 0.125), 0.125);
        assert!((space().scale(1, 0.125) - 0.5 / 0.9).abs() < 1e-12);
        assert_eq!([space().grid(0), space().grid(1)], [0.05, 0.0]);
    }

    fn check_rounded(value: f64, range: f64, expected: f64) {
        assert_eq!(rounded(value, range), expected);
    }

    #[test]
    fn values_have_no_more_decimals_than_their_range_needs() {
        check_rounded(0.1 + 0.2, 1.0, 0.3);
        check_rounded(1.0 / 3.0, 1.0, 0.333_333_333_3);
        check_rounded(1.0 / 3.0, 1000.0, 0.333_333);
        check_rounded(1e6 + 1.0 / 3.0, 1000.0, 1_000_000.333_333);
        check_rounded(2.0 / 3.0 * 1e300, 1e300, 2.0 / 3.0 * 1e300);
        check_rounded(1e-300 / 3.0, 1e-300, 3.333_333_33e-301);
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
    fn values_are_checked_and_formatted_as_options() {
        check_values(&[3.0, 0.25], "whole=3 real=0.25");
        check_values(&[-0.0, 0.1], "whole=0 real=0.1");
        check_values(&[3.0], "expected 2 values, found 1");
        check_values(&[3.5, 0.5], "parameter `whole`: 3.5 is not a valid value");
        check_values(&[3.0, 1.5], "parameter `real`: 1.5 is not a valid value");
        check_values(&[3.0, f64::NAN], "parameter `real`: NaN is not a valid value");
    }
}
