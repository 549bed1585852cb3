//! The options that an engine offers, and the values that they accept.

use sandboard_abi::limits::{ID_BYTES, OPTION_VALUE_BYTES};
use sandboard_abi::{Kind, OptionSpec};

/// An option as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedOption {
    /// The name, its words separated by single blanks.
    pub name: String,
    /// The values that it accepts.
    pub accepts: OptionType,
    /// The value that it begins with, if the engine says so; empty for `<empty>`.
    pub initial: Option<String>,
}

/// The values that an option accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionType {
    /// `true` or `false`.
    Check,
    /// A whole number from the first to the second.
    Spin(i64, i64),
    /// One of these texts, in any case.
    Combo(Vec<String>),
    /// Any text, also an empty one.
    Text,
    /// No value: it is pressed.
    Button,
}

/// Reads the arguments of `option`. None: they are invalid.
pub fn parse(text: &str) -> Option<OfferedOption> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let at = |word: &str| words.iter().position(|it| *it == word);
    let (name, kind) = (at("name")?, at("type")?);
    let offered = words.get(name + 1..kind).filter(|name| !name.is_empty())?.join(" ");
    let (kind, about) = words.get(kind + 1..)?.split_first()?;
    let number = |word: &str| {
        let at = about.iter().position(|it| *it == word)?;
        about.get(at + 1)?.parse::<i64>().ok()
    };
    let accepts = match *kind {
        "check" => OptionType::Check,
        "spin" => OptionType::Spin(number("min")?, number("max")?),
        "combo" => {
            let parts = about.split(|word| ["var", "default"].contains(word));
            let mut all: Vec<String> = Vec::new();
            for word in parts.map(|part| part.join(" ")).filter(|part| !part.is_empty()) {
                if !all.iter().any(|known| known.eq_ignore_ascii_case(&word)) {
                    all.push(word);
                }
            }
            OptionType::Combo(all)
        }
        "string" => OptionType::Text,
        "button" => OptionType::Button,
        _ => return None,
    };
    let ends: &[&str] = if accepts == OptionType::Text { &[] } else { &["min", "max", "var"] };
    let initial = about.iter().position(|word| *word == "default").map(|at| {
        let words = about[at + 1..].iter().take_while(|word| !ends.contains(word));
        let text = words.copied().collect::<Vec<_>>().join(" ");
        if text == "<empty>" { String::new() } else { text }
    });
    Some(OfferedOption { name: offered, accepts, initial })
}

impl OfferedOption {
    /// Checks that the option accepts this value. Err: what it accepts.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let fits = match &self.accepts {
            OptionType::Check => ["true", "false"].contains(&value),
            OptionType::Spin(min, max) => {
                value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number))
            }
            OptionType::Combo(words) => words.iter().any(|word| word.eq_ignore_ascii_case(value)),
            OptionType::Text => true,
            OptionType::Button => false,
        };
        match fits {
            true => Ok(()),
            false => Err(match &self.accepts {
                OptionType::Check => "`true` or `false`".to_owned(),
                OptionType::Spin(min, max) => format!("a whole number from {min} to {max}"),
                OptionType::Combo(words) => format!("one of {}", words.join(", ")),
                OptionType::Text => "a text".to_owned(),
                OptionType::Button => "no value".to_owned(),
            }),
        }
    }
}

impl OfferedOption {
    /// The option as an option of a manifest. Its name is a word: the words of the protocol's name
    /// in lower case, joined by `-`. None: it is a button, or no manifest can hold its name or its
    /// values.
    pub fn spec(&self) -> Option<OptionSpec> {
        let given = self.initial.as_deref().unwrap_or_default();
        let (kind, initial) = match &self.accepts {
            OptionType::Button => return None,
            OptionType::Check => (Kind::Toggle, (given == "true").to_string()),
            OptionType::Spin(min, max) if min <= max => {
                let number = given.parse::<i64>().unwrap_or(*min).clamp(*min, *max);
                (Kind::Whole(*min, *max), number.to_string())
            }
            OptionType::Spin(..) => return None,
            OptionType::Combo(words) => {
                let own = words.iter().find(|word| word.eq_ignore_ascii_case(given));
                let initial = own.or_else(|| words.first())?.clone();
                // The words of a manifest have no blanks.
                match words.iter().any(|word| word.contains(' ')) {
                    true => (Kind::Text(OPTION_VALUE_BYTES as u32), initial),
                    false => (Kind::Pick(words.clone()), initial),
                }
            }
            OptionType::Text => (Kind::Text(OPTION_VALUE_BYTES as u32), given.to_owned()),
        };
        let name = word_of(&self.name)?;
        let fits = initial.len() <= OPTION_VALUE_BYTES;
        fits.then_some(OptionSpec { name, about: String::new(), kind, initial, tunable: false })
    }
}

/// A name as a word: its letters and digits in lower case, everything else as one `-`. None: it has
/// no letter and no digit, or is too long.
pub fn word_of(name: &str) -> Option<String> {
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    let parts: Vec<String> = parts
        .map(|part| part.trim_matches('.').to_ascii_lowercase())
        .filter(|part| !part.is_empty())
        .collect();
    let word = parts.join("-");
    (1..=ID_BYTES).contains(&word.len()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, OptionType)>) {
        let found = parse(text).map(|offered| (offered.name, offered.accepts));
        assert_eq!(found, expected.map(|(name, accepts)| (name.to_owned(), accepts)), "{text}");
    }

    #[test]
    fn options_of_manifests() {
        let check = |text: &str, expected: &str| {
            let spec = parse(text).unwrap().spec();
            let shown = spec.map(|it| format!("{}: {:?} = {}", it.name, it.kind, it.initial));
            assert_eq!(shown.unwrap_or_default(), expected, "{text}");
        };
        check("name Hash type spin default 16 min 1 max 64", "hash: Whole(1, 64) = 16");
        check("name Skill Level type spin min -20 max 20", "skill-level: Whole(-20, 20) = -20");
        check("name A type spin default 99 min 1 max 4", "a: Whole(1, 4) = 4");
        check("name A type spin default 1 min 4 max 1", "");
        check("name Use NNUE type check default true", "use-nnue: Toggle = true");
        check("name B type check", "b: Toggle = false");
        check("name Clear Hash type button", "");
        check("name Syzygy_Path! type string default <empty>", "syzygy-path: Text(4096) = ");
        check("name F type string default a max 3", "f: Text(4096) = a max 3");
        check(
            "name S type combo default Wild var calm var wild",
            "s: Pick([\"Wild\", \"calm\"]) = Wild",
        );
        check("name S type combo var calm var wild", "s: Pick([\"calm\", \"wild\"]) = calm");
        check("name S type combo default x y var x y var z", "s: Text(4096) = x y");
        check("name S type combo", "");
        check("name ! type check", "");
        check(&format!("name {} type check", "x".repeat(ID_BYTES + 1)), "");
    }

    #[test]
    fn valid_options() {
        check("name Hash type spin default 16 min 1 max 33554432", {
            Some(("Hash", OptionType::Spin(1, 33_554_432)))
        });
        check("name Skill Level type spin default 20 min -20 max 20", {
            Some(("Skill Level", OptionType::Spin(-20, 20)))
        });
        check("name Use NNUE type check default true", Some(("Use NNUE", OptionType::Check)));
        check("name Clear Hash type button", Some(("Clear Hash", OptionType::Button)));
        check("name EvalFile type string default <empty>", Some(("EvalFile", OptionType::Text)));
        let words = ["chess", "xiangqi", "very long"].map(str::to_owned).to_vec();
        check(
            "name UCI_Variant type combo default chess var chess var xiangqi var very long",
            Some(("UCI_Variant", OptionType::Combo(words))),
        );
    }

    #[test]
    fn invalid_options() {
        check("", None);
        check("name type spin min 1 max 2", None);
        check("name Hash type spin default 16 min 1", None);
        check("name Hash type spin min one max 2", None);
        check("name Hash type", None);
        check("name Hash type slider", None);
        check("type check name Hash", None);
    }

    #[test]
    fn values() {
        let check = |accepts: OptionType, value: &str, expected: Result<(), &str>| {
            let found = OfferedOption { name: "x".into(), accepts, initial: None }.check(value);
            assert_eq!(found, expected.map_err(str::to_owned), "{value}");
        };
        check(OptionType::Spin(1, 4), "4", Ok(()));
        check(OptionType::Spin(1, 4), "5", Err("a whole number from 1 to 4"));
        check(OptionType::Check, "true", Ok(()));
        check(OptionType::Check, "yes", Err("`true` or `false`"));
        check(OptionType::Combo(vec!["Calm".into()]), "calm", Ok(()));
        check(OptionType::Combo(vec!["Calm".into()]), "wild", Err("one of Calm"));
        check(OptionType::Text, "", Ok(()));
        check(OptionType::Button, "", Err("no value"));
    }
}
