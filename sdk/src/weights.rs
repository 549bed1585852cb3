//! Weights: the named whole numbers of an evaluation, with their ranges. A tuner varies them and a
//! setup sets them. Knows no game.

use sandboard_abi::{Kind, OptionSpec};

/// One tunable whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight {
    /// The name of the option that sets the weight.
    pub name: &'static str,
    /// A description for people, one line.
    pub about: &'static str,
    /// The default value.
    pub initial: i32,
    /// The smallest allowed value.
    pub min: i32,
    /// The largest allowed value.
    pub max: i32,
}

/// The values of a table of weights, all within their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    table: &'static [Weight],
    values: Vec<i32>,
}

impl Weights {
    /// All weights of the table at their initial values.
    pub fn new(table: &'static [Weight]) -> Self {
        Self { table, values: table.iter().map(|weight| weight.initial).collect() }
    }

    /// The table that describes the weights, in the order of [`value`](Self::value).
    pub fn table(&self) -> &'static [Weight] {
        self.table
    }

    /// The value of the weight at this index of the table.
    ///
    /// # Panics
    /// If the table has no such index.
    pub fn value(&self, index: usize) -> i32 {
        self.values[index]
    }

    /// Sets a weight by name.
    ///
    /// # Errors
    /// If there is no such weight or the value is out of range, as a text for people.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
        let index = self.table.iter().position(|weight| weight.name == name);
        let index = index.ok_or_else(|| format!("there is no weight `{name}`"))?;
        let Weight { min, max, .. } = self.table[index];
        if !(min..=max).contains(&value) {
            return Err(format!("weight `{name}` is {min} to {max}, not {value}"));
        }
        self.values[index] = value;
        Ok(())
    }

    /// The weights as tunable options for a description.
    pub fn options(&self) -> impl Iterator<Item = OptionSpec> + '_ {
        self.table.iter().map(|weight| OptionSpec {
            name: weight.name.to_owned(),
            about: weight.about.to_owned(),
            kind: Kind::Whole(weight.min.into(), weight.max.into()),
            initial: weight.initial.to_string(),
            tunable: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Weight; 2] = [
        Weight { name: "near", about: "", initial: 3, min: 0, max: 9 },
        Weight { name: "far", about: "", initial: -1, min: -5, max: 5 },
    ];

    #[track_caller]
    fn check(name: &str, value: i32, expected: Result<[i32; 2], &str>) {
        let mut weights = Weights::new(&TABLE);
        let result = weights.set(name, value);
        match expected {
            Ok(values) => {
                assert_eq!(result, Ok(()));
                assert_eq!([weights.value(0), weights.value(1)], values);
            }
            Err(text) => assert_eq!(result, Err(text.to_owned())),
        }
    }

    #[test]
    fn a_weight_is_set_within_its_range() {
        check("near", 9, Ok([9, -1]));
        check("far", -5, Ok([3, -5]));
        check("near", 10, Err("weight `near` is 0 to 9, not 10"));
        check("wide", 1, Err("there is no weight `wide`"));
    }

    #[test]
    fn weights_are_tunable_options_with_their_ranges() {
        let options: Vec<_> = Weights::new(&TABLE).options().collect();
        assert_eq!(options[1].kind, Kind::Whole(-5, 5));
        assert!(options.iter().all(|option| option.tunable));
    }
}
