//! Weights: values of an engine's tuned options that can be compared, hashed and stored.

use serde::{Deserialize, Serialize};

/// A point of a space: one value per parameter, in the unit of the option. Contains no NaN and no
/// negative zero, so that equal weights have equal bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<f64>")]
pub struct Weights(Vec<f64>);

impl Eq for Weights {}

impl std::hash::Hash for Weights {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|value| value.to_bits().hash(state));
    }
}

impl TryFrom<Vec<f64>> for Weights {
    type Error = String;

    fn try_from(values: Vec<f64>) -> Result<Self, String> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(format!("weight {index} is {}", values[index])),
            None => Ok(Self::new(values)),
        }
    }
}

impl Weights {
    /// Weights of these values, none of which may be NaN.
    pub(crate) fn new(mut values: Vec<f64>) -> Self {
        // Adding zero turns a negative zero into a positive one.
        values.iter_mut().for_each(|value| *value += 0.0);
        Self(values)
    }

    /// The values in the order of the parameters.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match serde_json::from_str::<Weights>(text) {
            Ok(weights) => serde_json::to_string(&weights).unwrap(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn equal_weights_have_equal_text_and_hash() {
        check("[5, 0.55]", "[5.0,0.55]");
        check("[0.3333333333333333, -1e300]", "[0.3333333333333333,-1e+300]");
        check("[-0.0]", "[0.0]");
        let zeros = ["[-0.0]", "[0]"].map(|text| serde_json::from_str::<Weights>(text).unwrap());
        assert_eq!(std::collections::HashSet::from(zeros).len(), 1);
        let error = Weights::try_from(vec![0.0, f64::NAN]).unwrap_err();
        assert_eq!(error, "weight 1 is NaN");
    }
}
