//! The file of a contest: what every entry is held to and when, as TOML. A value; opens no other file.

use std::time::SystemTime;

use sandboard_abi::Unit;
use sandboard_games::{GAMES, GameInfo, Variant};
use serde::{Deserialize, Serialize};
use toml::value::Datetime;

use crate::budget::Budget;
use crate::engine::wasm::scan::{LoadCaps, Profile, Thing};
use crate::manifest::nearest;
use crate::record::{of_date, rfc3339};

/// What one instance may hold where the file says nothing, and at most, in bytes.
const MEMORY_BYTES: [u64; 2] = [64 << 20, 1 << 30];
/// The shortest entry that anybody could mean, in bytes.
const ENTRY_BYTES_LEAST: u64 = 1024;
/// A name or a list in the file is no longer.
const NAME_CHARS: usize = 100;
const HOUSE_MOST: usize = 64;
/// Pairs of each two in the final: where the file says nothing, and at most.
const FINAL_FOLDS: [u32; 2] = [10, 1000];
/// Entries that one entrant may submit in 24 hours: where the file says nothing, and at most.
const ENTRIES_PER_DAY: [u32; 2] = [20, 10_000];

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
    /// From when on entries are taken; none: at once.
    #[serde(serialize_with = "date_text")]
    pub opens: Option<SystemTime>,
    /// Until when entries are taken; the final begins then. None: it goes on until its organiser writes a date.
    #[serde(serialize_with = "date_text")]
    pub closes: Option<SystemTime>,
    /// The file of openings, beside the contest's; none: every game begins at the start position, or with a deal of its
    /// own.
    pub openings: Option<String>,
    /// Whether entries play a ladder while the contest is open.
    pub ladder: bool,
    /// Pairs of each two in the final, a round robin of those who are in; 0: there is none, the ladder decides.
    pub final_folds: u32,
    /// How many entries one entrant may submit in 24 hours.
    pub entries_per_day: u32,
    /// Whether the entries themselves are published when the contest is over.
    pub publish_modules: bool,
}

/// Where a contest is in its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// It takes no entries yet.
    Announced,
    /// It takes entries.
    Open,
    /// It takes entries no more.
    Closed,
}

fn date_text<S: serde::Serializer>(date: &Option<SystemTime>, to: S) -> Result<S::Ok, S::Error> {
    date.map(rfc3339).serialize(to)
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
    opens: Option<Datetime>,
    closes: Option<Datetime>,
    openings: Option<String>,
    ladder: Option<bool>,
    final_folds: Option<u32>,
    entries_per_day: Option<u32>,
    publish_modules: Option<bool>,
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
        let opens = date(written.opens).map_err(field("opens"))?;
        let closes = date(written.closes).map_err(field("closes"))?;
        if opens.zip(closes).is_some_and(|(opens, closes)| closes <= opens) {
            return Err(field("closes")("it closes before it opens".into()));
        }
        let ladder = written.ladder.unwrap_or(true);
        let final_folds = number(written.final_folds, FINAL_FOLDS, 0);
        let final_folds = final_folds.map_err(field("final_folds"))?;
        if !ladder && final_folds == 0 {
            return Err(field("final_folds")(
                "without a ladder and a final nothing is played".into(),
            ));
        }
        Ok(Self {
            name,
            game,
            variant,
            budget: budget(&written.budget).map_err(field("budget"))?,
            memory_bytes: bytes(written.memory_bytes, MEMORY_BYTES[0], [1 << 16, MEMORY_BYTES[1]])
                .map_err(field("memory_bytes"))?,
            entry_bytes: entry_bytes(written.entry_bytes).map_err(field("entry_bytes"))?,
            house: house(written.house).map_err(field("house"))?,
            opens,
            closes,
            openings: openings(written.openings).map_err(field("openings"))?,
            ladder,
            final_folds,
            entries_per_day: number(written.entries_per_day, ENTRIES_PER_DAY, 1)
                .map_err(field("entries_per_day"))?,
            publish_modules: written.publish_modules.unwrap_or(false),
        })
    }

    /// Where it is in its time.
    pub fn phase(&self, now: SystemTime) -> Phase {
        match (self.opens, self.closes) {
            (_, Some(closes)) if now >= closes => Phase::Closed,
            (Some(opens), _) if now < opens => Phase::Announced,
            _ => Phase::Open,
        }
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

fn number(written: Option<u32>, [usual, most]: [u32; 2], least: u32) -> Result<u32, String> {
    match written.unwrap_or(usual) {
        number if (least..=most).contains(&number) => Ok(number),
        number => Err(format!("{number} is not from {least} to {most}")),
    }
}

/// A moment, which a date alone, or a time of no known place, is not.
fn date(written: Option<Datetime>) -> Result<Option<SystemTime>, String> {
    let Some(written) = written else { return Ok(None) };
    let text = written.to_string();
    match of_date(&text) {
        Some(time) => Ok(Some(time)),
        None => Err(format!(
            "`{text}` is no moment of the years 1970 to 9999: write it with time and zone, 2026-12-01T18:00:00Z"
        )),
    }
}

/// A name in the folder of the contest's file.
fn openings(file: Option<String>) -> Result<Option<String>, String> {
    let is_plain = |name: &String| {
        !name.is_empty()
            && name.chars().count() <= NAME_CHARS
            && !name.contains(['/', '\\', '\0'])
            && !name.starts_with('.')
    };
    match file {
        Some(name) if !is_plain(&name) => {
            Err(format!("`{}` is no name of a file beside this one", name.escape_debug()))
        }
        file => Ok(file),
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
             \"budget\":\"fuel:2e8/move\",\"memory_bytes\":67108864,\"entry_bytes\":8388608,\"house\":[],\
             \"opens\":null,\"closes\":null,\"openings\":null,\"ladder\":true,\"final_folds\":10,\
             \"entries_per_day\":20,\"publish_modules\":false}",
        );
        check_with("closes = 2026-12-01T18:00:00Z", "{");
        check_with("closes = 2026-12-01T19:00:00+01:00", "{");
        check_with("closes = 2026-12-01", "`closes`: `2026-12-01` is no moment");
        check_with("closes = 2026-12-01T18:00:00", "`closes`: `2026-12-01T18:00:00` is no moment");
        check_with("closes = 1969-12-01T18:00:00Z", "`closes`: ");
        check_with("closes = \"soon\"", "line 4: ");
        let dates = |opens: &str| format!("opens = {opens}\ncloses = 2026-12-01T18:00:00Z");
        check_with(&dates("2026-12-01T17:59:59Z"), "{");
        check_with(&dates("2026-12-01T18:00:00Z"), "`closes`: it closes before it opens");
        check_with("ladder = false", "{");
        check_with("final_folds = 0", "{");
        check_with("ladder = false\nfinal_folds = 0", "`final_folds`: without a ladder");
        check_with("final_folds = 1001", "`final_folds`: 1001 is not from 0 to 1000");
        check_with("entries_per_day = 0", "`entries_per_day`: 0 is not from 1 to 10000");
        check_with("openings = \"book.txt\"", "{");
        for wrong in ["../book.txt", "/etc/passwd", "", ".hidden"] {
            check_with(&format!("openings = \"{wrong}\""), "`openings`: ");
        }
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
    fn a_contest_is_open_from_its_first_moment_to_before_its_last() {
        let check = |lines: &str, now: &str, expected: Phase| {
            let contest = Contest::parse(&format!("{WHOLE}{lines}")).unwrap();
            assert_eq!(contest.phase(of_date(now).unwrap()), expected, "{lines}, {now}");
        };
        let both = "opens = 2026-11-01T00:00:00Z\ncloses = 2026-12-01T00:00:00Z\n";
        check(both, "2026-10-31T23:59:59Z", Phase::Announced);
        check(both, "2026-11-01T00:00:00Z", Phase::Open);
        check(both, "2026-11-30T23:59:59Z", Phase::Open);
        check(both, "2026-12-01T00:00:00Z", Phase::Closed);
        check("", "1970-01-01T00:00:00Z", Phase::Open);
        check("closes = 2026-12-01T00:00:00Z", "1970-01-01T00:00:00Z", Phase::Open);
    }

    #[test]
    fn the_example_of_the_documentation_is_one() {
        let page = include_str!("../../../docs/contests.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let contest = Contest::parse(example.unwrap()).unwrap();
        assert_eq!((contest.entry_bytes, contest.house.len()), (2 << 20, 2));
    }
}
