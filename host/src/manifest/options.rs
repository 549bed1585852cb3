//! What the attributes of an `Option` say together, and whether a preset fits
//! its option. Knows no engine.

use sandboard_abi::{Kind, OptionSpec, limits};

use super::attributes::Element;
use super::fault::quoted;
use super::nearest::suggestion;

/// Which attributes give the range of which kind; the first flag: it needs them.
const RANGES: [(&str, bool, &[&str]); 5] = [
    ("toggle", false, &[]),
    ("whole", true, &["min", "max"]),
    ("real", true, &["min", "max"]),
    ("pick", true, &["values"]),
    ("text", false, &["max_bytes"]),
];

/// Reads an `Option`; what is wrong is added to the element's faults.
pub(super) fn read(element: &mut Element) -> Option<OptionSpec> {
    let word = element.text("kind")?.to_owned();
    let (_, needed, ranges) = RANGES.into_iter().find(|(kind, ..)| *kind == word)?;
    for name in ["min", "max", "values", "max_bytes"] {
        if element.has(name) && !ranges.contains(&name) {
            element.fault(Some(name), format!("means nothing for kind `{word}`"));
        }
        if needed && ranges.contains(&name) && !element.has(name) {
            element.fault(Some(name), format!("missing; kind `{word}` needs it"));
        }
    }
    if element.text("name").is_some_and(|name| super::HOST_OPTIONS.contains(&name)) {
        let why = "is the host's own: every engine has it";
        element.fault(Some("name"), why.to_owned());
    }
    let kind = kind(element, &word)?;
    let tunable = element.text("tunable") == Some("true");
    if tunable && !kind.is_number() {
        let why = format!("means nothing for kind `{word}`: only `whole` and `real` can be tuned");
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
        element.fault(Some("min"), format!("{min} is above max, which is {max}"));
        return None;
    }
    Some((min, max))
}

/// Why a `Set` does not fit.
pub(super) enum Wrong {
    /// There is no such option.
    Name(String),
    /// The option does not take that value.
    Value(String),
}

/// Whether a `Set` fits the options that the manifest names; where it names
/// none and these are not `all` there are, only the module knows.
pub(super) fn check_preset(
    options: &[OptionSpec],
    all: bool,
    name: &str,
    value: &str,
) -> Result<(), Wrong> {
    if options.is_empty() && !all {
        return Ok(());
    }
    let Some(option) = options.iter().find(|option| option.name == name) else {
        let known: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
        return Err(Wrong::Name(format!("no option `{name}`{}", suggestion(name, &known))));
    };
    admits(&option.kind, value).map_err(Wrong::Value)
}

/// As [`Kind::check`], with the foreign value shown safely.
fn admits(kind: &Kind, value: &str) -> Result<(), String> {
    kind.check(value).map_err(|reason| match reason.strip_prefix(&format!("`{value}`")) {
        Some(rest) => format!("{}{rest}", quoted(value)),
        None => reason,
    })
}
