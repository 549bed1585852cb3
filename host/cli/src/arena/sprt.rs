//! Parses `--sprt`, the setup of a sequential test.

use std::str::FromStr;

use sandboard_tournament::stats::{EloModel, Sprt, SprtSetup};

/// The syntax of the option, for errors.
const SYNTAX: &str = "`ELO0,ELO1` or `elo0=…,elo1=…`, optionally with `alpha=…`, `beta=…`, \
                      `logistic`: `0,5,alpha=0.05,beta=0.05`";

/// A valid setup of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SprtArg(pub SprtSetup);

impl FromStr for SprtArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a valid test: write {SYNTAX}");
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let mut setup = SprtSetup {
            model: EloModel::Normalized,
            elo0: f64::NAN,
            elo1: f64::NAN,
            alpha: 0.05,
            beta: 0.05,
        };
        for (index, part) in text.split(',').enumerate() {
            match (part.split_once('='), index) {
                (Some(("elo0", value)), _) if setup.elo0.is_nan() => setup.elo0 = number(value)?,
                (Some(("elo1", value)), _) if setup.elo1.is_nan() => setup.elo1 = number(value)?,
                (Some(("alpha", value)), _) => setup.alpha = number(value)?,
                (Some(("beta", value)), _) => setup.beta = number(value)?,
                (None, _) if part == "logistic" => setup.model = EloModel::Logistic,
                (None, _) if part == "normalized" => setup.model = EloModel::Normalized,
                (None, 0) => setup.elo0 = number(part)?,
                (None, 1) if setup.elo1.is_nan() => setup.elo1 = number(part)?,
                _ => return Err(wrong()),
            }
        }
        if setup.elo0.is_nan() || setup.elo1.is_nan() {
            return Err(wrong());
        }
        Sprt::new(setup).map_err(|error| error.to_string())?;
        Ok(Self(setup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, [f64; 4]), &str>) {
        let found = text.parse::<SprtArg>().map(|SprtArg(it)| {
            let model = if it.model == EloModel::Logistic { "logistic" } else { "normalized" };
            (model, [it.elo0, it.elo1, it.alpha, it.beta])
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, expected) => panic!("{text}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn test_setups_are_parsed() {
        check("0,5", Ok(("normalized", [0.0, 5.0, 0.05, 0.05])));
        check("-3,1.5,logistic", Ok(("logistic", [-3.0, 1.5, 0.05, 0.05])));
        check("0,2,alpha=0.1,beta=0.2,normalized", Ok(("normalized", [0.0, 2.0, 0.1, 0.2])));
        check("elo0=-1,elo1=4,alpha=0.1", Ok(("normalized", [-1.0, 4.0, 0.1, 0.05])));
        check("alpha=0.1,elo1=4,logistic,elo0=0", Ok(("logistic", [0.0, 4.0, 0.1, 0.05])));
        for wrong in
            ["elo0=0", "elo1=4,alpha=0.1", "elo2=1,elo0=0", "elo0=0,5,5", "0,5,elo0=3", "NaN,5"]
        {
            check(wrong, Err("is not a valid test: write"));
        }
        for wrong in ["", "0", "0;5", "0,x", "0,5,gamma=1", "0,5,alpha", "0,5,alpha=x"] {
            check(wrong, Err("is not a valid test: write"));
        }
        check("5,0", Err("must be below the upper bound"));
        check("0,5,alpha=0", Err("alpha"));
        check("0,5,beta=1", Err("beta"));
        check("0,NaN", Err(""));
    }
}
