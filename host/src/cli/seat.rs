//! Who plays, as it is written on the command line: `human`, `id`,
//! `id:option=value:option=value@budget`; `threads` and `options`, a file of more of them, are options of every
//! engine, which the host keeps for itself. Reads texts only; the file is read when it is asked for.

use std::path::PathBuf;
use std::str::FromStr;

use super::{option_file, threads, usage};
use crate::budget::Budget;
use crate::manifest::{FILE_OPTION, HOST_OPTIONS};

/// The form, for help texts and errors.
pub const FORM: &str = "`human`, or an engine's id with options and a budget where wanted: \
                        `id:option=value:threads=2@5s/move`";

/// What one `--seat` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpec {
    /// Who plays.
    pub who: Who,
    /// What the player may spend, where the seat says so itself.
    pub budget: Option<Budget>,
}

/// Who plays a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A person at this terminal, by this name.
    Human(String),
    /// An engine.
    Engine(EngineSpec),
}

/// An engine, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSpec {
    /// The id, or id and version.
    pub id: String,
    /// Names and values of its own options.
    pub options: Vec<(String, String)>,
    /// A file of others; what is given beside it counts.
    pub options_file: Option<PathBuf>,
    /// With how many threads it may search.
    pub threads: u16,
}

impl SeatSpec {
    /// The engine that it names; Err: a person cannot do that.
    pub fn engine(&self) -> anyhow::Result<&EngineSpec> {
        match &self.who {
            Who::Engine(spec) => Ok(spec),
            Who::Human(_) => Err(usage("an engine is needed here, not a person")),
        }
    }
}

impl FromStr for SeatSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (who, budget) = match split(text, '@').as_slice() {
            [who] => (who.clone(), None),
            [who @ .., budget] => (who.join("@"), Some(budget.clone())),
            [] => (String::new(), None),
        };
        let budget = budget
            .map(|budget| unescaped(&budget).parse::<Budget>().map_err(|error| error.to_string()))
            .transpose()?;
        let mut parts = split(&who, ':').into_iter();
        let id = unescaped(&parts.next().unwrap_or_default());
        if id.is_empty() {
            return Err(format!("no player is named; write {FORM}"));
        }
        let options = parts.map(|part| option(&part)).collect::<Result<Vec<_>, _>>()?;
        for (index, (name, _)) in options.iter().enumerate() {
            if options[..index].iter().any(|(other, _)| other == name) {
                return Err(format!("option `{name}` is given twice"));
            }
        }
        Ok(Self { who: who_is(id, options)?, budget })
    }
}

fn who_is(id: String, options: Vec<(String, String)>) -> Result<Who, String> {
    if id != "human" {
        return EngineSpec::of(id, options).map(Who::Engine);
    }
    match options.as_slice() {
        [] => Ok(Who::Human("human".into())),
        [(key, name)] if key == "name" => {
            let fits = !name.trim().is_empty() && name.len() <= 64;
            match fits && !name.chars().any(char::is_control) {
                true => Ok(Who::Human(name.trim().into())),
                false => Err("a person's name has 1 to 64 bytes, and no control characters".into()),
            }
        }
        _ => Err("a person has no option but a name: `human:name=Anna`".into()),
    }
}

impl EngineSpec {
    /// Takes the host's own options out of those that are given.
    fn of(id: String, mut options: Vec<(String, String)>) -> Result<Self, String> {
        let [threads, file] = HOST_OPTIONS.map(|own| {
            let given = options.iter().position(|(name, _)| name == own);
            given.map(|index| options.remove(index).1)
        });
        let threads = threads.map_or(Ok(1), |text| threads::read(&text))?;
        let options_file = match file {
            Some(file) if file.is_empty() => {
                return Err(format!("{FILE_OPTION}: no file is named"));
            }
            file => file.map(PathBuf::from),
        };
        Ok(Self { id, options, options_file, threads })
    }

    /// All options that are asked for: those of the file where nothing else is said, then the others.
    pub fn asked(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut asked = self.options_file.as_deref().map_or(Ok(Vec::new()), option_file::read)?;
        asked.retain(|(name, _)| self.options.iter().all(|(other, _)| other != name));
        asked.extend(self.options.iter().cloned());
        Ok(asked)
    }
}

fn option(part: &str) -> Result<(String, String), String> {
    match split(part, '=').split_first() {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((unescaped(name), unescaped(&value.join("="))))
        }
        _ => Err(format!("`{part}` is no option with a value; write {FORM}")),
    }
}

/// Splits at a separator that no `\` stands before.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for letter in text.chars() {
        if letter == separator && !escaped {
            parts.push(String::new());
            continue;
        }
        escaped = letter == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

/// Takes away the `\` before a separator or another `\`.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        match (letter, next) {
            ('\\', Some(next @ (':' | '@' | '=' | '\\'))) => {
                plain.push(next);
                letters.next();
            }
            _ => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written as `id {option=value} @budget`, or the error.
    fn check(text: &str, expected: &str) {
        let shown = match text.parse::<SeatSpec>() {
            Err(error) => error,
            Ok(SeatSpec { who, budget }) => {
                let who = match who {
                    Who::Human(name) => format!("person {name}"),
                    Who::Engine(EngineSpec { id, options, options_file, threads }) => {
                        let option =
                            |(name, value): &(String, String)| format!(" {{{name}={value}}}");
                        let threads = match threads {
                            1 => String::new(),
                            more => format!(" on {more}"),
                        };
                        let file = options_file
                            .map_or(String::new(), |file| format!(" from {}", file.display()));
                        id + &options.iter().map(option).collect::<String>() + &threads + &file
                    }
                };
                budget.map_or(who.clone(), |budget| format!("{who} @{budget}"))
            }
        };
        assert!(shown.starts_with(expected), "{text}: {shown}, not {expected}");
    }

    #[test]
    fn players() {
        check("human", "person human");
        check("human@3m+2s", "person human @3m+2s");
        check("human:name=Anna", "person Anna");
        check("random-mover", "random-mover");
        check("faulty:fault=loop:at=2", "faulty {fault=loop} {at=2}");
        check("faulty:fault=loop@500ms/move", "faulty {fault=loop} @500ms/move");
        check("alpha@fuel:2e9/move", "alpha @fuel:2e9/move");
        check("alpha@5s/move,depth:8", "alpha @5s/move,depth:8");
        check("alpha-1.2.0@none", "alpha-1.2.0 @none");
        check("a:book=x=y", "a {book=x=y}");
        check("a:threads=2@1s/move", "a on 2 @1s/move");
        check("a:x=1:threads=64:y=2", "a {x=1} {y=2} on 64");
        check("a:threads=1:Threads=2", "a {Threads=2}");
        check("a:options=w.txt:x=1:threads=2", "a {x=1} on 2 from w.txt");
        check(r"a:options=C\:\\w.txt@1s/move", r"a from C:\w.txt @1s/move");
        check("a:Options=w.txt", "a {Options=w.txt}");
        check("a:empty=", "a {empty=}");
        check(r"a:book=C\:\\x\@y@1s/move", r"a {book=C:\x@y} @1s/move");
    }

    #[test]
    fn what_is_no_player() {
        check("", "no player is named");
        check("@5s/move", "no player is named");
        check("a:depth", "`depth` is no option with a value");
        check("a:=3", "`=3` is no option with a value");
        check("a:x=1:x=2", "option `x` is given twice");
        check("a@5", "`5` is no budget");
        check("a@", "`` is no budget: it is empty");
        check("a:threads=0", "threads: `0` is not a whole number from 1 to 64");
        check("a:threads=65", "threads: `65` is not a whole number");
        check("a:threads=two", "threads: `two` is not a whole number");
        check("a:threads=2:threads=2", "option `threads` is given twice");
        check("a:options=", "options: no file is named");
        check("human:options=x", "a person has no option but a name");
        check("human:threads=2", "a person has no option but a name");
        check("human:depth=3", "a person has no option but a name");
        check("human:name=", "a person's name has 1 to 64 bytes");
    }
}
