//! The options that a program offers, and whether they take what a manifest sets.

/// An option as the program offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name; words with single blanks between.
    pub name: String,
    /// What it takes.
    pub takes: Takes,
}

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// `true` or `false`.
    Check,
    /// A whole number, bounds inclusive.
    Spin(i64, i64),
    /// One of these, whatever their case.
    Combo(Vec<String>),
    /// Any text.
    Text,
    /// Nothing: it is pressed.
    Button,
}

/// What stands behind `option`.
pub(in crate::process) fn read(text: &str) -> Option<Offered> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let at = |word: &str| words.iter().position(|it| *it == word);
    let (name, kind) = (at("name")?, at("type")?);
    let offered = words.get(name + 1..kind).filter(|name| !name.is_empty())?.join(" ");
    let (kind, about) = words.get(kind + 1..)?.split_first()?;
    let number = |word: &str| {
        let at = about.iter().position(|it| *it == word)?;
        about.get(at + 1)?.parse::<i64>().ok()
    };
    let takes = match *kind {
        "check" => Takes::Check,
        "spin" => Takes::Spin(number("min")?, number("max")?),
        "combo" => {
            let parts = about.split(|word| ["var", "default"].contains(word));
            let mut all: Vec<String> = Vec::new();
            for word in parts.map(|part| part.join(" ")).filter(|part| !part.is_empty()) {
                if !all.contains(&word) {
                    all.push(word);
                }
            }
            Takes::Combo(all)
        }
        "string" => Takes::Text,
        "button" => Takes::Button,
        _ => return None,
    };
    Some(Offered { name: offered, takes })
}

impl Offered {
    /// Whether it takes this value. Err: what it takes.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let fits = match &self.takes {
            Takes::Check => ["true", "false"].contains(&value),
            Takes::Spin(min, max) => {
                value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number))
            }
            Takes::Combo(words) => words.iter().any(|word| word.eq_ignore_ascii_case(value)),
            Takes::Text => true,
            Takes::Button => false,
        };
        match fits {
            true => Ok(()),
            false => Err(match &self.takes {
                Takes::Check => "`true` or `false`".to_owned(),
                Takes::Spin(min, max) => format!("a whole number from {min} to {max}"),
                Takes::Combo(words) => format!("one of {}", words.join(", ")),
                Takes::Text => "a text".to_owned(),
                Takes::Button => "no value".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Takes)>) {
        let expected = expected.map(|(name, takes)| Offered { name: name.to_owned(), takes });
        assert_eq!(read(text), expected, "{text}");
    }

    #[test]
    fn offers() {
        check("name Hash type spin default 16 min 1 max 33554432", {
            Some(("Hash", Takes::Spin(1, 33_554_432)))
        });
        check("name Skill Level type spin default 20 min -20 max 20", {
            Some(("Skill Level", Takes::Spin(-20, 20)))
        });
        check("name Use NNUE type check default true", Some(("Use NNUE", Takes::Check)));
        check("name Clear Hash type button", Some(("Clear Hash", Takes::Button)));
        check("name EvalFile type string default <empty>", Some(("EvalFile", Takes::Text)));
        let words = ["chess", "xiangqi", "very long"].map(str::to_owned).to_vec();
        check(
            "name UCI_Variant type combo default chess var chess var xiangqi var very long",
            Some(("UCI_Variant", Takes::Combo(words))),
        );
    }

    #[test]
    fn what_is_no_offer() {
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
        let check = |takes: Takes, value: &str, expected: Result<(), &str>| {
            let found = Offered { name: "x".into(), takes }.check(value);
            assert_eq!(found, expected.map_err(str::to_owned), "{value}");
        };
        check(Takes::Spin(1, 4), "4", Ok(()));
        check(Takes::Spin(1, 4), "5", Err("a whole number from 1 to 4"));
        check(Takes::Check, "true", Ok(()));
        check(Takes::Check, "yes", Err("`true` or `false`"));
        check(Takes::Combo(vec!["Calm".into()]), "calm", Ok(()));
        check(Takes::Combo(vec!["Calm".into()]), "wild", Err("one of Calm"));
        check(Takes::Text, "", Ok(()));
        check(Takes::Button, "", Err("no value"));
    }
}
