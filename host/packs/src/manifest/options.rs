//! Reads an `Option` from its attributes, and checks presets against options. Does not look at
//! engines.

use sandboard_abi::{Kind, OptionSpec, limits};

use super::attributes::Element;
use sandboard_common::suggestions::suggestion;
use sandboard_common::text::quoted;

/// The attributes with the range of each kind, and whether they are required.
const RANGES: [(&str, bool, &[&str]); 5] = [
    ("toggle", false, &[]),
    ("whole", true, &["min", "max"]),
    ("real", true, &["min", "max"]),
    ("pick", true, &["values"]),
    ("text", false, &["max_bytes"]),
];

/// Reads an `Option`; adds faults to the element.
pub(super) fn read(element: &mut Element) -> Option<OptionSpec> {
    let word = element.text("kind")?.to_owned();
    let (_, needed, ranges) = RANGES.into_iter().find(|(kind, ..)| *kind == word)?;
    for name in ["min", "max", "values", "max_bytes"] {
        if element.has(name) && !ranges.contains(&name) {
            element.fault(Some(name), format!("does not apply to kind `{word}`"));
        }
        if needed && ranges.contains(&name) && !element.has(name) {
            element.fault(Some(name), format!("missing; kind `{word}` requires it"));
        }
    }
    if element.text("name").is_some_and(|name| sandboard_engine::HOST_OPTIONS.contains(&name)) {
        let why = "is an option of the host, which every engine has";
        element.fault(Some("name"), why.to_owned());
    }
    let kind = kind(element, &word)?;
    let tunable = element.text("tunable") == Some("true");
    if tunable && !kind.is_number() {
        let why = format!("does not apply to kind `{word}`: only `whole` and `real` can be tuned");
        element.fault(Some("tunable"), why);
    }
    let initial = element.text("default")?.to_owned();
    if let Err(reason) = admits(&kind, &initial) {
        element.fault(Some("default"), reason);
    }
    Some(OptionSpec {
        name: element.text("name")?.to_owned(),
        about: element.text("about").unwrap_or_default().to_owned(),
        kind,
        initial,
        tunable,
    })
}

fn kind(element: &mut Element, word: &str) -> Option<Kind> {
    Some(match word {
        "whole" => {
            let (min, max) = bounds::<i64>(element, "whole number")?;
            Kind::Whole(min, max)
        }
        "real" => {
            let (min, max) = bounds::<f64>(element, "number")?;
            Kind::Real(min, max)
        }
        "pick" => {
            let words = element.text("values")?.split_ascii_whitespace();
            Kind::Pick(words.map(str::to_owned).collect())
        }
        "text" if element.has("max_bytes") => {
            Kind::Text(u32::try_from(element.whole("max_bytes")?).ok()?)
        }
        "text" => Kind::Text(limits::OPTION_VALUE_BYTES as u32),
        _ => Kind::Toggle,
    })
}

fn bounds<T>(element: &mut Element, noun: &str) -> Option<(T, T)>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
{
    let mut bound = |name: &str| {
        let text = element.text(name)?.to_owned();
        let number = text.parse::<T>().ok();
        if number.is_none() {
            element.fault(Some(name), format!("{} is not a {noun}", quoted(&text)));
        }
        number
    };
    let (min, max) = (bound("min"), bound("max"));
    let (min, max) = (min?, max?);
    if min > max {
        element.fault(Some("min"), format!("{min} is above `max`, which is {max}"));
        return None;
    }
    Some((min, max))
}

/// Why a `Set` is invalid.
pub(super) enum PresetFault {
    /// No option has this name.
    Name(String),
    /// The option does not take that value.
    Value(String),
}

/// Checks a `Set` against the declared options. If none is declared and they need not be
/// `all`, only the module knows its options, and the `Set` is accepted.
pub(super) fn check_preset(
    options: &[OptionSpec],
    all: bool,
    name: &str,
    value: &str,
) -> Result<(), PresetFault> {
    if options.is_empty() && !all {
        return Ok(());
    }
    let Some(option) = options.iter().find(|option| option.name == name) else {
        let known: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
        return Err(PresetFault::Name(format!(
            "unknown option `{name}`{}",
            suggestion(name, &known)
        )));
    };
    admits(&option.kind, value).map_err(PresetFault::Value)
}

/// As [`Kind::check`], with the value sanitized in the message.
fn admits(kind: &Kind, value: &str) -> Result<(), String> {
    kind.check(value).map_err(|reason| match reason.strip_prefix(&format!("`{value}`")) {
        Some(rest) => format!("{}{rest}", quoted(value)),
        None => reason,
    })
}
