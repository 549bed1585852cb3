//! The file of a contest: what every entry is held to, as TOML. A value; opens no other file.

use sandboard_abi::Unit;
use sandboard_games::{GAMES, GameInfo, Variant};
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::engine::wasm::scan::{LoadCaps, Profile, Thing};
use crate::manifest::nearest;

/// What one instance may hold where the file says nothing, and at most, in bytes.
const MEMORY_BYTES: [u64; 2] = [64 << 20, 1 << 30];
/// The shortest entry that anybody could mean, in bytes.
const ENTRY_BYTES_LEAST: u64 = 1024;
/// A name or a list in the file is no longer.
const NAME_CHARS: usize = 100;
const HOUSE_MOST: usize = 64;

/// A contest, as its organiser wrote it down.
#[derive(Clone, Debug, Serialize)]
pub struct Contest {
    /// Its name, for people.
    pub name: String,
    /// The game.
    #[serde(serialize_with = "game_id")]
    pub game: &'static GameInfo,
    /// The variant, with the size in force.
    #[serde(serialize_with = "variant_text")]
    pub variant: Variant,
    /// What each entry may spend: fuel, so that every game can be verified.
    pub budget: Budget,
    /// What one instance may hold, in bytes.
    pub memory_bytes: u64,
    /// How long an entry may be, in bytes.
    pub entry_bytes: u64,
    /// The ids of the engines that entries are tried against, in the engines folder.
    pub house: Vec<String>,
}

fn game_id<S: serde::Serializer>(game: &&'static GameInfo, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(game.id)
}

fn variant_text<S: serde::Serializer>(variant: &Variant, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&variant.text())
}

/// As it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    game: String,
    variant: Option<String>,
    budget: String,
    memory_bytes: Option<u64>,
    entry_bytes: Option<u64>,
    #[serde(default)]
    house: Vec<String>,
}

/// A file that describes no contest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// It is no TOML, or has other fields.
    #[error("line {line}: {reason}")]
    Form {
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A field's value makes no sense.
    #[error("`{field}`: {reason}")]
    Field {
        /// The field.
        field: &'static str,
        /// What is wrong with it, and what to write.
        reason: String,
    },
}

fn field(field: &'static str) -> impl Fn(String) -> ContestError {
    move |reason| ContestError::Field { field, reason }
}

impl Contest {
    /// The contest of such a text. Err names the line or the field.
    pub fn parse(text: &str) -> Result<Self, ContestError> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let before = text.as_bytes().iter().take(at);
            let line = 1 + before.filter(|byte| **byte == b'\n').count();
            ContestError::Form { line, reason: error.message().trim().replace('\n', "; ") }
        })?;
        let name = written.name.trim().to_owned();
        if name.is_empty() || name.chars().count() > NAME_CHARS || name.contains(char::is_control) {
            let reason = format!("write a name of 1 to {NAME_CHARS} letters in one line");
            return Err(field("name")(reason));
        }
        let game = game(&written.game).map_err(field("game"))?;
        let variant = variant(game, written.variant.as_deref()).map_err(field("variant"))?;
        Ok(Self {
            name,
            game,
            variant,
            budget: budget(&written.budget).map_err(field("budget"))?,
            memory_bytes: bytes(written.memory_bytes, MEMORY_BYTES[0], [1 << 16, MEMORY_BYTES[1]])
                .map_err(field("memory_bytes"))?,
            entry_bytes: entry_bytes(written.entry_bytes).map_err(field("entry_bytes"))?,
            house: house(written.house).map_err(field("house"))?,
        })
    }
}

fn game(id: &str) -> Result<&'static GameInfo, String> {
    sandboard_games::game(id).ok_or_else(|| {
        let ids = GAMES.iter().map(|it| it.id);
        match nearest(id, ids.clone()) {
            Some(near) => format!("`{id}` is not known here; did you mean `{near}`?"),
            None => format!(
                "`{id}` is not known here; there are {}",
                ids.collect::<Vec<_>>().join(", ")
            ),
        }
    })
}

fn variant(game: &GameInfo, text: Option<&str>) -> Result<Variant, String> {
    let text = text.or(game.variants.first().map(|it| it.id)).unwrap_or_default();
    let variant = game.variant(text).map_err(|error| error.to_string())?;
    Ok((game.new)(&variant, None).map_err(|error| error.to_string())?.variant())
}

fn budget(text: &str) -> Result<Budget, String> {
    let budget: Budget = text.parse().map_err(|error| format!("{error}"))?;
    match budget.unit() {
        Unit::Fuel => Ok(budget),
        _ => Err(format!(
            "`{text}` is not fuel, and only games on fuel can be verified; write fuel:2e8/move"
        )),
    }
}

fn bytes(written: Option<u64>, usual: u64, [least, most]: [u64; 2]) -> Result<u64, String> {
    match written.unwrap_or(usual) {
        bytes if (least..=most).contains(&bytes) => Ok(bytes),
        bytes => Err(format!("{bytes} is not from {least} to {most}")),
    }
}

fn entry_bytes(written: Option<u64>) -> Result<u64, String> {
    let most = LoadCaps::of(Profile::Contest).most(Thing::Bytes);
    bytes(written, most, [ENTRY_BYTES_LEAST, most])
}

fn house(ids: Vec<String>) -> Result<Vec<String>, String> {
    if ids.len() > HOUSE_MOST {
        return Err(format!("{} engines are more than {HOUSE_MOST}", ids.len()));
    }
    match ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id)) {
        Some((_, twice)) => Err(format!("`{twice}` is named twice")),
        None => Ok(ids),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nbudget = \"fuel:2e8/move\"\n";

    fn check(text: &str, expected: &str) {
        let found = match Contest::parse(text) {
            Ok(contest) => serde_json::to_string(&contest).unwrap(),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expected), "{text}\n{found}\n{expected}");
    }

    /// The whole file with more lines.
    fn check_with(lines: &str, expected: &str) {
        check(&format!("{WHOLE}{lines}"), expected);
    }

    #[test]
    fn files_of_contests() {
        check(
            WHOLE,
            "{\"name\":\"Autumn\",\"game\":\"gomoku\",\"variant\":\"freestyle-15\",\
             \"budget\":\"fuel:2e8/move\",\"memory_bytes\":67108864,\"entry_bytes\":8388608,\"house\":[]}",
        );
        check_with(
            "variant = \"renju\"",
            "{\"name\":\"Autumn\",\"game\":\"gomoku\",\"variant\":\"renju-15\"",
        );
        check_with("house = [\"a\", \"b\"] # ours", "{\"name\":\"Autumn\"");
        check_with("variant = \"chess\"", "`variant`: ");
        check_with("memory_bytes = 65536", "{");
        check_with("memory_bytes = 65535", "`memory_bytes`: 65535 is not from 65536 to 1073741824");
        check_with("entry_bytes = 8388608", "{");
        check_with("entry_bytes = 8388609", "`entry_bytes`: 8388609 is not from 1024 to 8388608");
        check_with("entry_bytes = -1", "line 4: ");
        check_with("house = [\"a\", \"b\", \"a\"]", "`house`: `a` is named twice");
        check_with("prize = 3", "line 4: unknown field `prize`");
        check_with("game = \"gomoku\"", "line 4: duplicate key");
        check_with("variant = ", "line 4: ");
        check("", "line 1: missing field `name`");
        check(
            &WHOLE.replace("gomoku", "gomko"),
            "`game`: `gomko` is not known here; did you mean `gomoku`?",
        );
        check(&WHOLE.replace("fuel:2e8", "5s"), "`budget`: `5s/move` is not fuel, ");
        check(&WHOLE.replace("fuel:2e8/move", "depth:3"), "`budget`: `depth:3` is not fuel, ");
        check(&WHOLE.replace("fuel:2e8/move", "much"), "`budget`: ");
        check(&WHOLE.replace("Autumn", " "), "`name`: write a name");
        check(&WHOLE.replace("Autumn", "a\\nb"), "`name`: write a name");
    }

    #[test]
    fn the_example_of_the_documentation_is_one() {
        let page = include_str!("../../../docs/contests.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let contest = Contest::parse(example.unwrap()).unwrap();
        assert_eq!((contest.entry_bytes, contest.house.len()), (2 << 20, 2));
    }
}
