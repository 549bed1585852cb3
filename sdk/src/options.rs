//! Constructors for the options in an engine's description. They check no value.

use std::ops::RangeInclusive;

use sandboard_abi::{Kind, OptionSpec};

/// An on/off option for a description.
pub fn toggle_option(name: &str, initial: bool, about: &str) -> OptionSpec {
    option(name, Kind::Toggle, initial.to_string(), about)
}

/// A whole-number option for a description; the range is inclusive.
pub fn whole_option(
    name: &str,
    range: RangeInclusive<i64>,
    initial: i64,
    about: &str,
) -> OptionSpec {
    option(name, Kind::Whole(*range.start(), *range.end()), initial.to_string(), about)
}

/// An option for a description whose value is one of these words.
pub fn pick_option(name: &str, words: &[&str], initial: &str, about: &str) -> OptionSpec {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    option(name, Kind::Pick(words), initial.to_owned(), about)
}

fn option(name: &str, kind: Kind, initial: String, about: &str) -> OptionSpec {
    OptionSpec { name: name.to_owned(), about: about.to_owned(), kind, initial, tunable: false }
}
