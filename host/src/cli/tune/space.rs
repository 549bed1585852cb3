//! What is tuned, as it was typed and as the engine declares it. Values alone.

use std::str::FromStr;

use anyhow::Result;
use sandboard_abi::{Kind as OptionKind, OptionSpec};
use sandboard_evolution::{Kind, Method, Parameter, Space};
use serde_json::{Map, Value};

use super::MethodName;
use crate::cli::usage;
use crate::manifest::nearest;

/// An option that is to be tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub name: String,
    /// The part of its range that is looked at.
    pub range: Option<[f64; 2]>,
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, range)) = text.split_once('=') else {
            return Ok(Self { name: text.to_owned(), range: None });
        };
        let bounds = range
            .split_once("..")
            .and_then(|(min, max)| Some([min.trim().parse().ok()?, max.trim().parse().ok()?]));
        let range =
            bounds.ok_or_else(|| format!("`{range}` is no range; write `{name}=0..100`"))?;
        Ok(Self { name: name.to_owned(), range: Some(range) })
    }
}

/// A setting of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    name: String,
    value: Value,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no setting; write `name=value`");
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let value = serde_json::from_str(value.trim()).map_err(|_| wrong())?;
        Ok(Self { name: name.trim().replace('-', "_"), value })
    }
}

/// The method with these settings, all others as usual.
pub fn method(name: MethodName, settings: &[Setting]) -> Result<Method> {
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

/// The space of the options that are tuned: all that the engine declares tunable, or those that are asked for. They begin
/// at what the engine is given, else at what it has of itself.
pub fn space(
    engine: &str,
    specs: &[OptionSpec],
    asked: &[Asked],
    given: &[(String, String)],
) -> Result<Space> {
    let tunable: Vec<&OptionSpec> =
        specs.iter().filter(|spec| spec.tunable && range(&spec.kind).is_some()).collect();
    let names = || tunable.iter().map(|spec| spec.name.as_str());
    if tunable.is_empty() {
        return Err(usage(format!(
            "engine `{engine}` declares no option tunable (a whole number or a real one, \
             `tunable` in its description): there is nothing to tune"
        )));
    }
    let mut parameters = Vec::new();
    let all: Vec<Asked>;
    let asked = match asked {
        [] => {
            all = names().map(|name| Asked { name: name.to_owned(), range: None }).collect();
            &all
        }
        asked => asked,
    };
    for Asked { name, range: part } in asked {
        let Some(spec) = tunable.iter().find(|spec| spec.name == *name) else {
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(usage(format!(
                "engine `{engine}` declares no tunable option `{name}`; {hint}"
            )));
        };
        parameters.push(parameter(spec, *part, given)?);
    }
    Space::new(parameters).map_err(usage)
}

fn range(kind: &OptionKind) -> Option<(Kind, [f64; 2])> {
    match *kind {
        OptionKind::Whole(min, max) => Some((Kind::Whole, [min as f64, max as f64])),
        OptionKind::Real(min, max) => Some((Kind::Real, [min, max])),
        _ => None,
    }
}

fn parameter(
    spec: &OptionSpec,
    part: Option<[f64; 2]>,
    given: &[(String, String)],
) -> Result<Parameter> {
    let name = &spec.name;
    let nothing = || usage(format!("option `{name}` is no number"));
    let (kind, [least, greatest]) = range(&spec.kind).ok_or_else(nothing)?;
    let [min, max] = part.unwrap_or([least, greatest]);
    // What is not a number is not within it, either.
    if !(least <= min && max <= greatest) {
        return Err(usage(format!(
            "--option {name}={min}..{max}: the engine takes {least} to {greatest}"
        )));
    }
    let given = given.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let start = given.unwrap_or(&spec.initial).parse().map_err(|_| nothing())?;
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

    fn check(asked: &[&str], given: &[(&str, &str)], expected: &str) {
        let asked: Vec<Asked> = asked.iter().map(|it| it.parse().unwrap()).collect();
        let given: Vec<(String, String)> =
            given.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let found = match space("rows", &specs(), &asked, &given) {
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
    fn what_is_tuned() {
        check(&[], &[], "three 0..100 30, share 0..1 0.5");
        check(&[], &[("share", "0.25"), ("depth", "2")], "three 0..100 30, share 0..1 0.25");
        check(&["three"], &[], "three 0..100 30");
        check(&["share=0.4..0.6", "three=10..40"], &[], "share 0.4..0.6 0.5, three 10..40 30");
        check(
            &["thre"],
            &[],
            "engine `rows` declares no tunable option `thre`; did you mean `three`?",
        );
        check(&["depth"], &[], "engine `rows` declares no tunable option `depth`; it has");
        check(&["style"], &[], "engine `rows` declares no tunable option `style`");
        check(&["three=0..101"], &[], "--option three=0..101: the engine takes 0 to 100");
        check(&["three=NaN..10"], &[], "--option three=NaN..10: the engine takes 0 to 100");
        check(&["three=40..10"], &[], "the range of parameter `three`, 40 to 10, leaves nothing");
        check(&["three=40..50"], &[], "parameter `three` starts at 30, which is not between");
        check(&["three", "three"], &[], "parameter `three` is given twice");
        assert_eq!(
            "three=5".parse::<Asked>().unwrap_err(),
            "`5` is no range; write `three=0..100`"
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
    fn methods_and_their_settings() {
        check_method(MethodName::SteadyState, &[], Ok("\"name\":\"steady-state\""));
        check_method(MethodName::SteadyState, &["population=7"], Ok("\"population\":7"));
        check_method(MethodName::Spsa, &["gamma = 0.2"], Ok("\"gamma\":0.2"));
        let breeding = ["breeding.mutation-rate=0.5", "breeding.parents=4"];
        check_method(MethodName::SteadyState, &breeding, Ok("\"mutation_rate\":0.5"));
        check_method(MethodName::SteadyState, &breeding, Ok("\"parents\":4"));
        check_method(
            MethodName::SteadyState,
            &["breeding={\"parents\":2}", "breeding.parents=4"],
            Err("`breeding.parents` is given twice"),
        );
        check_method(
            MethodName::SteadyState,
            &["population=4", "population.parents=4"],
            Err("`population.parents` is given twice"),
        );
        check_method(MethodName::Spsa, &["breeding.parents=4"], Err("unknown field `breeding`"));
        check_method(MethodName::CmaEs, &[], Ok("\"name\":\"cma-es\""));
        check_method(
            MethodName::Generational,
            &["popolation=7"],
            Err("unknown field `popolation`"),
        );
        check_method(MethodName::Spsa, &["gamma=1", "gamma=2"], Err("`gamma` is given twice"));
        check_method(MethodName::Spsa, &["name=1"], Err("`name` is given twice"));
        assert!("population".parse::<Setting>().unwrap_err().contains("is no setting"));
    }
}
