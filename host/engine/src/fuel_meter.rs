//! What counted the fuel of an engine. A record names it, because only the same count can be
//! compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How fuel is counted. Beside module, inputs and seed, an engine's moves under a fuel budget
/// depend on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct FuelMeter {
    /// The version of the price table.
    pub prices: u32,
    /// What adds the prices up.
    pub counter: FuelCounter,
}

/// What adds up the prices of what an engine executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FuelCounter {
    /// Code that the host puts into the engine's modules. Any runtime gives the same numbers.
    Modules {
        /// The version of the rules for this code.
        instrumentation: u32,
    },
    /// The runtime. Only older records have such fuel.
    Runtime {
        /// Name and version of the runtime.
        name: String,
        /// Optimisation level of its compiler. Only the depth at which the stack overflows depends
        /// on it.
        opt_level: String,
    },
}

/// A meter as in records.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    runtime: Option<String>,
    prices: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opt_level: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instrumentation: Option<u32>,
}

/// A fuel meter has fields that do not belong together.
#[derive(Debug, thiserror::Error)]
#[error("a fuel meter has either `instrumentation`, or `runtime` and `opt_level`")]
struct WrongFields;

impl TryFrom<Fields> for FuelMeter {
    type Error = WrongFields;

    fn try_from(fields: Fields) -> Result<Self, WrongFields> {
        let Fields { runtime, prices, opt_level, instrumentation } = fields;
        let counter = match (instrumentation, runtime, opt_level) {
            (Some(instrumentation), None, None) => FuelCounter::Modules { instrumentation },
            (None, Some(name), Some(opt_level)) => FuelCounter::Runtime { name, opt_level },
            _ => return Err(WrongFields),
        };
        Ok(Self { prices, counter })
    }
}

impl From<FuelMeter> for Fields {
    fn from(FuelMeter { prices, counter }: FuelMeter) -> Self {
        let (instrumentation, runtime, opt_level) = match counter {
            FuelCounter::Modules { instrumentation } => (Some(instrumentation), None, None),
            FuelCounter::Runtime { name, opt_level } => (None, Some(name), Some(opt_level)),
        };
        Self { runtime, prices, opt_level, instrumentation }
    }
}

impl FuelMeter {
    /// Whether another meter counts the same fuel for the same calls. It may differ in where the
    /// stack overflows.
    pub fn counts_as(&self, other: &Self) -> bool {
        let counter = match (&self.counter, &other.counter) {
            (FuelCounter::Runtime { name, .. }, FuelCounter::Runtime { name: other, .. }) => {
                name == other
            }
            (counter, other) => counter == other,
        };
        counter && self.prices == other.prices
    }
}

impl fmt::Display for FuelMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.counter {
            FuelCounter::Modules { instrumentation } => {
                write!(f, "instrumentation {instrumentation}")?;
            }
            FuelCounter::Runtime { name, opt_level } => {
                write!(f, "{name}, optimisation `{opt_level}`")?;
            }
        }
        write!(f, ", price table {}", self.prices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime(name: &str, opt_level: &str) -> FuelCounter {
        FuelCounter::Runtime { name: name.into(), opt_level: opt_level.into() }
    }

    #[test]
    fn meters_are_written_and_read() {
        let check = |counter: FuelCounter, json: &str, words: &str| {
            let meter = FuelMeter { prices: 2, counter };
            assert_eq!(serde_json::to_string(&meter).unwrap(), json);
            assert_eq!(serde_json::from_str::<FuelMeter>(json).unwrap(), meter);
            assert_eq!(meter.to_string(), words);
        };
        let modules = FuelCounter::Modules { instrumentation: 1 };
        check(modules, r#"{"prices":2,"instrumentation":1}"#, "instrumentation 1, price table 2");
        check(
            runtime("a 1", "none"),
            r#"{"runtime":"a 1","prices":2,"opt_level":"none"}"#,
            "a 1, optimisation `none`, price table 2",
        );
    }

    #[test]
    fn fields_that_do_not_belong_together_are_refused() {
        let check = |json: &str, expected: &str| {
            let error = serde_json::from_str::<FuelMeter>(json).unwrap_err().to_string();
            assert_eq!(error.split(" at line").next(), Some(expected), "{json}");
        };
        let expected = "a fuel meter has either `instrumentation`, or `runtime` and `opt_level`";
        check(r#"{"prices":2}"#, expected);
        check(r#"{"prices":2,"runtime":"a"}"#, expected);
        check(r#"{"prices":2,"opt_level":"none"}"#, expected);
        check(r#"{"prices":2,"instrumentation":1,"runtime":"a","opt_level":"none"}"#, expected);
        check(r#"{"instrumentation":1}"#, "missing field `prices`");
        let fields = "`runtime`, `prices`, `opt_level`, `instrumentation`";
        let unknown = format!("unknown field `prize`, expected one of {fields}");
        check(r#"{"prices":2,"instrumentation":1,"prize":1}"#, &unknown);
    }

    #[test]
    fn meters_count_alike_if_only_the_optimisation_differs() {
        let meter = |prices: u32, counter: FuelCounter| FuelMeter { prices, counter };
        let check = |one: FuelMeter, other: FuelMeter, expected: bool| {
            assert_eq!(one.counts_as(&other), expected, "{one} and {other}");
        };
        let modules = |instrumentation: u32| FuelCounter::Modules { instrumentation };
        check(meter(2, modules(1)), meter(2, modules(1)), true);
        check(meter(2, modules(1)), meter(2, modules(2)), false);
        check(meter(2, modules(1)), meter(1, modules(1)), false);
        check(meter(2, modules(1)), meter(2, runtime("a", "none")), false);
        check(meter(2, runtime("a", "speed")), meter(2, runtime("a", "none")), true);
        check(meter(2, runtime("a", "none")), meter(2, runtime("b", "none")), false);
    }
}
