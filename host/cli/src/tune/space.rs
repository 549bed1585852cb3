//! Parses the tuned options and the settings of a method, and makes the search space. Works on
//! values alone.

use std::str::FromStr;

use anyhow::Result;
use sandboard_abi::{Kind as OptionKind, OptionSpec};
use sandboard_evolution::{Method, Parameter, ParameterKind, Space};
use serde_json::{Map, Value};

use super::MethodName;
use crate::usage;
use sandboard_common::suggestions::nearest;

/// An option to tune.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OptionRange {
    pub name: String,
    /// The part of its range to search.
    pub range: Option<[f64; 2]>,
}

impl FromStr for OptionRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, range)) = text.split_once('=') else {
            return Ok(Self { name: text.to_owned(), range: None });
        };
        let bounds = range
            .split_once("..")
            .and_then(|(min, max)| Some([min.trim().parse().ok()?, max.trim().parse().ok()?]));
        let range =
            bounds.ok_or_else(|| format!("`{range}` is not a range; write `{name}=0..100`"))?;
        Ok(Self { name: name.to_owned(), range: Some(range) })
    }
}

/// A setting of a method.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    name: String,
    value: Value,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a setting; write `name=value`");
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let value = serde_json::from_str(value.trim()).map_err(|_| wrong())?;
        Ok(Self { name: name.trim().replace('-', "_"), value })
    }
}

/// The method with these settings; the others keep their defaults.
pub(super) fn method(name: MethodName, settings: &[Setting]) -> Result<Method> {
    let name = match name {
        MethodName::SteadyState => "steady-state",
        MethodName::Generational => "generational",
        MethodName::Spsa => "spsa",
        MethodName::CmaEs => "cma-es",
    };
    let mut fields = Map::from_iter([("name".to_owned(), Value::from(name))]);
    for Setting { name, value } in settings {
        let before = match name.split_once('.') {
            None => fields.insert(name.clone(), value.clone()),
            Some((group, name)) => {
                let group = fields.entry(group).or_insert_with(|| Value::Object(Map::new()));
                match group {
                    Value::Object(group) => group.insert(name.to_owned(), value.clone()),
                    other => Some(other.clone()),
                }
            }
        };
        if before.is_some() {
            return Err(usage(format!("--set: `{name}` is given twice")));
        }
    }
    serde_json::from_value(Value::Object(fields))
        .map_err(|error| usage(format!("--set, for {name}: {error}")))
}

/// The search space: the options in `requested`, or all that the engine declares tunable. A
/// parameter starts at the given value, else at the engine's own default.
pub(super) fn space(
    engine: &str,
    specs: &[OptionSpec],
    requested: &[OptionRange],
    given: &[(String, String)],
) -> Result<Space> {
    let tunable: Vec<&OptionSpec> =
        specs.iter().filter(|spec| spec.tunable && range(&spec.kind).is_some()).collect();
    let names = || tunable.iter().map(|spec| spec.name.as_str());
    if tunable.is_empty() {
        return Err(usage(format!(
            "engine `{engine}` has no tunable option: there is nothing to tune (an author declares \
             whole or real options as `tunable`)"
        )));
    }
    let mut parameters = Vec::new();
    let all: Vec<OptionRange>;
    let requested = match requested {
        [] => {
            all = names().map(|name| OptionRange { name: name.to_owned(), range: None }).collect();
            &all
        }
        requested => requested,
    };
    for OptionRange { name, range: part } in requested {
        let Some(spec) = tunable.iter().find(|spec| spec.name == *name) else {
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known options: {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(usage(format!("engine `{engine}` has no tunable option `{name}`; {hint}")));
        };
        parameters.push(parameter(spec, *part, given)?);
    }
    Space::new(parameters).map_err(usage)
}

fn range(kind: &OptionKind) -> Option<(ParameterKind, [f64; 2])> {
    match *kind {
        OptionKind::Whole(min, max) => Some((ParameterKind::Whole, [min as f64, max as f64])),
        OptionKind::Real(min, max) => Some((ParameterKind::Real, [min, max])),
        _ => None,
    }
}

fn parameter(
    spec: &OptionSpec,
    part: Option<[f64; 2]>,
    given: &[(String, String)],
) -> Result<Parameter> {
    let name = &spec.name;
    let wrong = || usage(format!("option `{name}` is not a number"));
    let (kind, [least, greatest]) = range(&spec.kind).ok_or_else(wrong)?;
    let [min, max] = part.unwrap_or([least, greatest]);
    // Written so that NaN is refused, too.
    if !(least <= min && max <= greatest) {
        return Err(usage(format!(
            "--option {name}={min}..{max}: the engine accepts {least} to {greatest}"
        )));
    }
    let given = given.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let start = given.unwrap_or(&spec.initial).parse().map_err(|_| wrong())?;
    Ok(Parameter { name: name.clone(), kind, min, max, start, step: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<OptionSpec> {
        let spec = |name: &str, kind, initial: &str, tunable| OptionSpec {
            name: name.into(),
            about: String::new(),
            kind,
            initial: initial.into(),
            tunable,
        };
        vec![
            spec("three", OptionKind::Whole(0, 100), "30", true),
            spec("share", OptionKind::Real(0.0, 1.0), "0.5", true),
            spec("depth", OptionKind::Whole(1, 9), "4", false),
            spec("style", OptionKind::Pick(vec!["calm".into()]), "calm", true),
        ]
    }

    fn check(requested: &[&str], given: &[(&str, &str)], expected: &str) {
        let requested: Vec<OptionRange> = requested.iter().map(|it| it.parse().unwrap()).collect();
        let given: Vec<(String, String)> =
            given.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let found = match space("rows", &specs(), &requested, &given) {
            Ok(space) => {
                let of =
                    |it: &Parameter| format!("{} {}..{} {}", it.name, it.min, it.max, it.start);
                space.parameters().iter().map(of).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expected), "{found}");
    }

    #[test]
    fn spaces_follow_the_declared_and_requested_options() {
        check(&[], &[], "three 0..100 30, share 0..1 0.5");
        check(&[], &[("share", "0.25"), ("depth", "2")], "three 0..100 30, share 0..1 0.25");
        check(&["three"], &[], "three 0..100 30");
        check(&["share=0.4..0.6", "three=10..40"], &[], "share 0.4..0.6 0.5, three 10..40 30");
        check(&["thre"], &[], "engine `rows` has no tunable option `thre`; did you mean `three`?");
        check(&["depth"], &[], "engine `rows` has no tunable option `depth`; known options:");
        check(&["style"], &[], "engine `rows` has no tunable option `style`");
        check(&["three=0..101"], &[], "--option three=0..101: the engine accepts 0 to 100");
        check(&["three=NaN..10"], &[], "--option three=NaN..10: the engine accepts 0 to 100");
        check(&["three=40..10"], &[], "parameter `three`: the range 40 to 10 is empty");
        check(&["three=40..50"], &[], "parameter `three`: the start 30 is not between");
        check(&["three", "three"], &[], "parameter `three` is given twice");
        assert_eq!(
            "three=5".parse::<OptionRange>().unwrap_err(),
            "`5` is not a range; write `three=0..100`"
        );
    }

    fn check_method(name: MethodName, settings: &[&str], expected: Result<&str, &str>) {
        let settings: Vec<Setting> = settings.iter().map(|it| it.parse().unwrap()).collect();
        match (method(name, &settings), expected) {
            (Ok(method), Ok(expected)) => {
                let text = serde_json::to_string(&method).unwrap();
                assert!(text.contains(expected), "{text}");
            }
            (Err(error), Err(expected)) => {
                assert!(error.to_string().contains(expected), "{error}");
            }
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn settings_are_applied_to_their_method() {
        check_method(MethodName::SteadyState, &[], Ok("\"name\":\"steady-state\""));
        check_method(MethodName::SteadyState, &["population=7"], Ok("\"population\":7"));
        check_method(MethodName::Spsa, &["gamma = 0.2"], Ok("\"gamma\":0.2"));
        let variation = ["variation.mutation-rate=0.5", "variation.parents=4"];
        check_method(MethodName::SteadyState, &variation, Ok("\"mutation_rate\":0.5"));
        check_method(MethodName::SteadyState, &variation, Ok("\"parents\":4"));
        check_method(
            MethodName::SteadyState,
            &["variation={\"parents\":2}", "variation.parents=4"],
            Err("`variation.parents` is given twice"),
        );
        check_method(
            MethodName::SteadyState,
            &["population=4", "population.parents=4"],
            Err("`population.parents` is given twice"),
        );
        check_method(MethodName::Spsa, &["variation.parents=4"], Err("unknown field `variation`"));
        check_method(MethodName::CmaEs, &[], Ok("\"name\":\"cma-es\""));
        check_method(
            MethodName::Generational,
            &["popolation=7"],
            Err("unknown field `popolation`"),
        );
        check_method(MethodName::Spsa, &["gamma=1", "gamma=2"], Err("`gamma` is given twice"));
        check_method(MethodName::Spsa, &["name=1"], Err("`name` is given twice"));
        assert!("population".parse::<Setting>().unwrap_err().contains("is not a setting"));
    }
}
