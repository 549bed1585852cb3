//! The options that an engine offers, and the values that they accept.

/// An option as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedOption {
    /// The name, its words separated by single blanks.
    pub name: String,
    /// The values that it accepts.
    pub accepts: OptionType,
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
                if !all.contains(&word) {
                    all.push(word);
                }
            }
            OptionType::Combo(all)
        }
        "string" => OptionType::Text,
        "button" => OptionType::Button,
        _ => return None,
    };
    Some(OfferedOption { name: offered, accepts })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, OptionType)>) {
        let expected =
            expected.map(|(name, accepts)| OfferedOption { name: name.to_owned(), accepts });
        assert_eq!(parse(text), expected, "{text}");
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
            let found = OfferedOption { name: "x".into(), accepts }.check(value);
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
