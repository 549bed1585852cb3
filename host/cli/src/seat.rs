//! Parses a player as it is written on the command line: `human`, `id`, or
//! `id:option=value:option=value@budget`. The host itself handles the options `threads`, `options`
//! (a file of further options) and `name`. Parsing reads no file; `EngineSpec::all_options` does.

use std::path::PathBuf;
use std::str::FromStr;

use super::{option_file, threads, usage};
use sandboard_engine::{Budget, HOST_OPTIONS, NAME_OPTION, OPTIONS_FILE_OPTION};

/// The syntax of a seat, for help texts and errors.
pub(crate) const SYNTAX: &str = "`human`, or an engine's id, optionally with options and a budget: \
                        `id:option=value:threads=2@5s/move`";

/// The value of one `--seat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeatSpec {
    /// The player of the seat.
    pub player: PlayerSpec,
    /// The seat's own budget, if it has one.
    pub budget: Option<Budget>,
}

/// A player: a person or an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerSpec {
    /// A person at this terminal, with a name.
    Human(String),
    /// An engine, with its options.
    Engine(EngineSpec),
}

/// An engine with its options, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineSpec {
    /// The id, or `id-version`.
    pub id: String,
    /// Names and values of its own options.
    pub options: Vec<(String, String)>,
    /// A file of options; `options` take precedence over it.
    pub options_file: Option<PathBuf>,
    /// The number of search threads.
    pub threads: u16,
    /// The player's name in records and tables; none: the engine's id.
    pub name: Option<String>,
}

/// The most bytes of a player's name.
const NAME_BYTES: usize = 64;

impl SeatSpec {
    /// The engine of this seat. Err: a usage error, if it is a person.
    pub(crate) fn engine(&self) -> anyhow::Result<&EngineSpec> {
        match &self.player {
            PlayerSpec::Engine(spec) => Ok(spec),
            PlayerSpec::Human(_) => Err(usage("an engine is needed here, not a person")),
        }
    }
}

impl FromStr for SeatSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (player, budget) = match split(text, '@').as_slice() {
            [player] => (player.clone(), None),
            [player @ .., budget] => (player.join("@"), Some(budget.clone())),
            [] => (String::new(), None),
        };
        let budget = budget
            .map(|budget| unescaped(&budget).parse::<Budget>().map_err(|error| error.to_string()))
            .transpose()?;
        let mut parts = split(&player, ':').into_iter();
        let id = unescaped(&parts.next().unwrap_or_default());
        if id.is_empty() {
            return Err(format!("the player is missing; write {SYNTAX}"));
        }
        let options = parts.map(|part| option(&part)).collect::<Result<Vec<_>, _>>()?;
        for (index, (name, _)) in options.iter().enumerate() {
            if options[..index].iter().any(|(other, _)| other == name) {
                return Err(format!("option `{name}` is given twice"));
            }
        }
        Ok(Self { player: player_spec(id, options)?, budget })
    }
}

fn player_spec(id: String, options: Vec<(String, String)>) -> Result<PlayerSpec, String> {
    if id != "human" {
        return EngineSpec::new(id, options).map(PlayerSpec::Engine);
    }
    match options.as_slice() {
        [] => Ok(PlayerSpec::Human("human".into())),
        [(key, name)] if key == NAME_OPTION => player_name(name).map(PlayerSpec::Human),
        _ => Err("the only option of a person is a name: `human:name=Anna`".into()),
    }
}

fn player_name(name: &str) -> Result<String, String> {
    let fits = !name.trim().is_empty() && name.len() <= NAME_BYTES;
    match fits && !name.chars().any(char::is_control) {
        true => Ok(name.trim().into()),
        false => Err(format!(
            "a player's name must have 1 to {NAME_BYTES} bytes and no control characters"
        )),
    }
}

impl EngineSpec {
    /// Separates the host's own options from those of the engine.
    fn new(id: String, mut options: Vec<(String, String)>) -> Result<Self, String> {
        let [threads, file, name] = HOST_OPTIONS.map(|own| {
            let given = options.iter().position(|(name, _)| name == own);
            given.map(|index| options.remove(index).1)
        });
        let threads = threads.map_or(Ok(1), |text| threads::parse(&text))?;
        let options_file = match file {
            Some(file) if file.is_empty() => {
                return Err(format!("{OPTIONS_FILE_OPTION}: the file name is missing"));
            }
            file => file.map(PathBuf::from),
        };
        let name = name.as_deref().map(player_name).transpose()?;
        Ok(Self { id, options, options_file, threads, name })
    }

    /// The same engine with options of all players, which its own options and those of its file
    /// override. Err: its file cannot be read.
    pub(crate) fn with_defaults(self, defaults: &[(String, String)]) -> anyhow::Result<Self> {
        if defaults.is_empty() {
            return Ok(self);
        }
        let mut options = self.all_options()?;
        for (name, value) in defaults {
            if options.iter().all(|(own, _)| own != name) {
                options.push((name.clone(), value.clone()));
            }
        }
        Ok(Self { options, options_file: None, ..self })
    }

    /// All options of the engine: those of the file, overridden by the others.
    pub(crate) fn all_options(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut options = self.options_file.as_deref().map_or(Ok(Vec::new()), option_file::read)?;
        options.retain(|(name, _)| self.options.iter().all(|(other, _)| other != name));
        options.extend(self.options.iter().cloned());
        Ok(options)
    }
}

fn option(part: &str) -> Result<(String, String), String> {
    match split(part, '=').split_first() {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((unescaped(name), unescaped(&value.join("="))))
        }
        _ => Err(format!("`{part}` is not an option with a value; write {SYNTAX}")),
    }
}

/// Splits at each separator that no `\` precedes.
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

/// Removes the `\` before a separator or another `\`.
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

    /// Compares a seat, shown as `id {option=value} @budget`, or its error with `expected`.
    fn check(text: &str, expected: &str) {
        let shown = match text.parse::<SeatSpec>() {
            Err(error) => error,
            Ok(SeatSpec { player, budget }) => {
                let player = match player {
                    PlayerSpec::Human(name) => format!("person {name}"),
                    PlayerSpec::Engine(EngineSpec { id, options, options_file, threads, name }) => {
                        let option =
                            |(name, value): &(String, String)| format!(" {{{name}={value}}}");
                        let threads = match threads {
                            1 => String::new(),
                            more => format!(" on {more}"),
                        };
                        let file = options_file
                            .map_or(String::new(), |file| format!(" from {}", file.display()));
                        let name = name.map_or(String::new(), |name| format!(" as {name}"));
                        let options: String = options.iter().map(option).collect();
                        id + &options + &threads + &file + &name
                    }
                };
                budget.map_or(player.clone(), |budget| format!("{player} @{budget}"))
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
        check("a:name=Old build:x=1", "a {x=1} as Old build");
        check("a:name= Ann :Name=b", "a {Name=b} as Ann");
        check(&format!("a:name={}", "ä".repeat(32)), &format!("a as {}", "ä".repeat(32)));
        check(r"a:options=C\:\\w.txt@1s/move", r"a from C:\w.txt @1s/move");
        check("a:Options=w.txt", "a {Options=w.txt}");
        check("a:empty=", "a {empty=}");
        check(r"a:book=C\:\\x\@y@1s/move", r"a {book=C:\x@y} @1s/move");
    }

    #[test]
    fn options_of_all_players_are_overridden() {
        let seat: SeatSpec = "a:x=1:y=2".parse().unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let defaults = [pair("x", "9"), pair("z", "3")];
        let spec = seat.engine().unwrap().clone().with_defaults(&defaults).unwrap();
        assert_eq!(spec.options, [pair("x", "1"), pair("y", "2"), pair("z", "3")]);
    }

    #[test]
    fn invalid_players_are_refused() {
        check("", "the player is missing");
        check("@5s/move", "the player is missing");
        check("a:depth", "`depth` is not an option with a value");
        check("a:=3", "`=3` is not an option with a value");
        check("a:x=1:x=2", "option `x` is given twice");
        check("a@5", "`5` is not a valid budget");
        check("a@", "`` is not a valid budget: it is empty");
        check("a:threads=0", "threads: `0` is not a whole number from 1 to 64");
        check("a:threads=65", "threads: `65` is not a whole number");
        check("a:threads=two", "threads: `two` is not a whole number");
        check("a:threads=2:threads=2", "option `threads` is given twice");
        check("a:options=", "options: the file name is missing");
        check("human:options=x", "the only option of a person is a name");
        check("human:threads=2", "the only option of a person is a name");
        check("human:depth=3", "the only option of a person is a name");
        check("human:name= ", "a player's name must have 1 to 64 bytes");
        check("a:name= ", "a player's name must have 1 to 64 bytes");
        check("a:name=x\ty", "a player's name must have 1 to 64 bytes and no control characters");
        check(&format!("a:name={}", "a".repeat(65)), "a player's name must have 1 to 64 bytes");
        check("a:name=x:name=y", "option `name` is given twice");
    }
}
