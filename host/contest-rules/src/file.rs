//! The contest file: the rules for entries and the dates, as TOML. A value; opens no other file.

use std::time::SystemTime;

use sandboard_abi::Unit;
use sandboard_games::{GameInfo, Games, Variant};
use serde::{Deserialize, Serialize};
use toml::value::Datetime;

use sandboard_common::date::{parse_date, rfc3339};
use sandboard_common::suggestions::nearest;
use sandboard_engine::Budget;
use sandboard_engine_wasm::scan::{CapKind, LoadCaps, Profile};

/// The memory of an instance: default and maximum, in bytes.
const MEMORY_BYTES: [u64; 2] = [64 << 20, 1 << 30];
/// The smallest allowed value of `entry_bytes`.
const ENTRY_BYTES_MIN: u64 = 1024;
/// The longest name, in characters, and the longest list of house engines.
const NAME_CHARS: usize = 100;
const HOUSE_ENGINES_MAX: usize = 64;
/// Cycles of the final: default and maximum.
const FINAL_CYCLES: [u32; 2] = [10, 1000];
/// Entries that one entrant may submit in 24 hours: default and maximum.
const ENTRIES_PER_DAY: [u32; 2] = [20, 10_000];
/// Trials that one entrant may request in 24 hours: default and maximum.
const TRIALS_PER_DAY: [u32; 2] = [100, 10_000];
/// Quotas of stored bytes: the default of each.
const ENTRANT_BYTES: u64 = 1 << 30;
const CONTEST_BYTES: u64 = 64 << 30;
const LOG_BYTES: u64 = 64 << 20;
/// The smallest and the largest quota of stored bytes.
const QUOTA_BYTES: [u64; 2] = [0, 1 << 50];

/// A contest, as its file describes it.
#[derive(Clone, Debug, Serialize)]
pub struct Contest {
    /// The display name.
    pub name: String,
    /// The game that is played.
    #[serde(serialize_with = "game_id")]
    pub game: &'static GameInfo,
    /// The variant, with the size in force.
    #[serde(serialize_with = "variant_text")]
    pub variant: Variant,
    /// The budget of each entry: fuel, so that every game can be verified.
    pub budget: Budget,
    /// The memory limit of an instance, in bytes.
    pub memory_bytes: u64,
    /// The longest entry, in bytes.
    pub entry_bytes: u64,
    /// The ids of the house engines, in the engines folder, that entries are tested against.
    pub house: Vec<String>,
    /// When the contest starts to take entries; `None`: at once.
    #[serde(serialize_with = "date_text")]
    pub opens: Option<SystemTime>,
    /// When the contest stops taking entries and the final starts; `None`: when the organiser sets
    /// a date.
    #[serde(serialize_with = "date_text")]
    pub closes: Option<SystemTime>,
    /// The openings file, next to the contest file; `None`: games begin at the start position, or
    /// with a deal of their own.
    pub openings: Option<String>,
    /// Whether entries play a ladder while the contest is open.
    pub ladder: bool,
    /// Cycles of the final, a round robin of all participants; 0: no final, the ladder decides.
    pub final_cycles: u32,
    /// The number of entries that one entrant may submit in 24 hours.
    pub entries_per_day: u32,
    /// The number of trials that one entrant may request in 24 hours.
    pub trials_per_day: u32,
    /// The most that is stored for one entrant, in bytes: entries, and records of trials.
    pub entrant_bytes: u64,
    /// The most that is stored for the contest, in bytes, with all games. Only the final may
    /// exceed it.
    pub contest_bytes: u64,
    /// The most that records keep of the log of one entry, in bytes, in all its games together.
    pub log_bytes: u64,
    /// Whether the modules are published after the contest.
    pub publish_modules: bool,
}

/// The phase of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The contest does not take entries yet.
    Announced,
    /// The contest takes entries.
    Open,
    /// The contest no longer takes entries.
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

/// The fields of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContestToml {
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
    final_cycles: Option<u32>,
    entries_per_day: Option<u32>,
    trials_per_day: Option<u32>,
    entrant_bytes: Option<u64>,
    contest_bytes: Option<u64>,
    log_bytes: Option<u64>,
    publish_modules: Option<bool>,
}

/// Why a file does not describe a contest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// The file is not TOML or has unknown fields.
    #[error("line {line}: {reason}")]
    Form {
        /// Its number, from 1.
        line: usize,
        reason: String,
    },
    /// The value of a field is invalid.
    #[error("`{field}`: {reason}")]
    Field {
        field: &'static str,
        /// The reason, and what to write.
        reason: String,
    },
}

fn field(field: &'static str) -> impl Fn(String) -> ContestError {
    move |reason| ContestError::Field { field, reason }
}

impl Contest {
    /// Parses the file of a contest in one of these games. The error names the line or the field.
    pub fn parse(text: &str, games: &Games) -> Result<Self, ContestError> {
        let written: ContestToml = toml::from_str(text).map_err(|error| {
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
        let game = game(&written.game, games).map_err(field("game"))?;
        let variant = variant(game, written.variant.as_deref()).map_err(field("variant"))?;
        let opens = date(written.opens).map_err(field("opens"))?;
        let closes = date(written.closes).map_err(field("closes"))?;
        if opens.zip(closes).is_some_and(|(opens, closes)| closes <= opens) {
            return Err(field("closes")("the contest closes before it opens".into()));
        }
        let ladder = written.ladder.unwrap_or(true);
        let final_cycles = number(written.final_cycles, FINAL_CYCLES, 0);
        let final_cycles = final_cycles.map_err(field("final_cycles"))?;
        if !ladder && final_cycles == 0 {
            return Err(field("final_cycles")("a contest needs a ladder or a final".into()));
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
            final_cycles,
            entries_per_day: number(written.entries_per_day, ENTRIES_PER_DAY, 1)
                .map_err(field("entries_per_day"))?,
            trials_per_day: number(written.trials_per_day, TRIALS_PER_DAY, 0)
                .map_err(field("trials_per_day"))?,
            entrant_bytes: bytes(written.entrant_bytes, ENTRANT_BYTES, QUOTA_BYTES)
                .map_err(field("entrant_bytes"))?,
            contest_bytes: bytes(written.contest_bytes, CONTEST_BYTES, QUOTA_BYTES)
                .map_err(field("contest_bytes"))?,
            log_bytes: bytes(written.log_bytes, LOG_BYTES, QUOTA_BYTES)
                .map_err(field("log_bytes"))?,
            publish_modules: written.publish_modules.unwrap_or(false),
        })
    }

    /// The phase at a given time.
    pub fn phase(&self, now: SystemTime) -> Phase {
        match (self.opens, self.closes) {
            (_, Some(closes)) if now >= closes => Phase::Closed,
            (Some(opens), _) if now < opens => Phase::Announced,
            _ => Phase::Open,
        }
    }
}

fn game(id: &str, games: &Games) -> Result<&'static GameInfo, String> {
    games.find(id).ok_or_else(|| {
        let ids: Vec<&str> = games.iter().map(|it| it.id).collect();
        match nearest(id, ids.iter().copied()) {
            Some(near) => format!("unknown game `{id}`; did you mean `{near}`?"),
            None => format!("unknown game `{id}`; known games: {}", ids.join(", ")),
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
            "`{text}` is not a fuel budget, and only games on fuel can be verified; write fuel:2e8/move"
        )),
    }
}

fn bytes(written: Option<u64>, usual: u64, [least, most]: [u64; 2]) -> Result<u64, String> {
    match written.unwrap_or(usual) {
        bytes if (least..=most).contains(&bytes) => Ok(bytes),
        bytes => Err(format!("{bytes} is out of range ({least} to {most})")),
    }
}

fn number(written: Option<u32>, [usual, most]: [u32; 2], least: u32) -> Result<u32, String> {
    match written.unwrap_or(usual) {
        number if (least..=most).contains(&number) => Ok(number),
        number => Err(format!("{number} is out of range ({least} to {most})")),
    }
}

/// A point in time: date, time and zone are required.
fn date(written: Option<Datetime>) -> Result<Option<SystemTime>, String> {
    let Some(written) = written else { return Ok(None) };
    let text = written.to_string();
    match parse_date(&text) {
        Some(time) => Ok(Some(time)),
        None => Err(format!(
            "`{text}` is not a time between 1970 and 9999: write date, time and zone, such as 2026-12-01T18:00:00Z"
        )),
    }
}

/// A file name in the folder of the contest file.
fn openings(file: Option<String>) -> Result<Option<String>, String> {
    let is_plain = |name: &String| {
        !name.is_empty()
            && name.chars().count() <= NAME_CHARS
            && !name.contains(['/', '\\', '\0'])
            && !name.starts_with('.')
    };
    match file {
        Some(name) if !is_plain(&name) => {
            Err(format!("`{}` is not the name of a file next to this one", name.escape_debug()))
        }
        file => Ok(file),
    }
}

fn entry_bytes(written: Option<u64>) -> Result<u64, String> {
    let most = LoadCaps::for_profile(Profile::Contest).limit(CapKind::Bytes);
    bytes(written, most, [ENTRY_BYTES_MIN, most])
}

fn house(ids: Vec<String>) -> Result<Vec<String>, String> {
    if ids.len() > HOUSE_ENGINES_MAX {
        return Err(format!("{} engines; the maximum is {HOUSE_ENGINES_MAX}", ids.len()));
    }
    // Entries have such ids in records.
    if let Some(id) = ids.iter().find(|id| id.starts_with("entry-")) {
        return Err(format!(
            "`{id}` could be taken for an entry: no house engine begins with entry-"
        ));
    }
    match ids.iter().enumerate().find(|(at, id)| ids[..*at].contains(id)) {
        Some((_, twice)) => Err(format!("`{twice}` is listed twice")),
        None => Ok(ids),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "name = \"Autumn\"\ngame = \"gomoku\"\nbudget = \"fuel:2e8/move\"\n";

    fn check(text: &str, expected: &str) {
        let found = match Contest::parse(text, &Games::default()) {
            Ok(contest) => serde_json::to_string(&contest).unwrap(),
            Err(error) => error.to_string(),
        };
        assert!(found.starts_with(expected), "{text}\n{found}\n{expected}");
    }

    /// Checks the complete file with additional lines.
    fn check_with(lines: &str, expected: &str) {
        check(&format!("{WHOLE}{lines}"), expected);
    }

    #[test]
    fn contest_files_are_parsed() {
        check(
            WHOLE,
            "{\"name\":\"Autumn\",\"game\":\"gomoku\",\"variant\":\"freestyle-15\",\
             \"budget\":\"fuel:2e8/move\",\"memory_bytes\":67108864,\"entry_bytes\":8388608,\"house\":[],\
             \"opens\":null,\"closes\":null,\"openings\":null,\"ladder\":true,\"final_cycles\":10,\
             \"entries_per_day\":20,\"trials_per_day\":100,\"entrant_bytes\":1073741824,\
             \"contest_bytes\":68719476736,\"log_bytes\":67108864,\"publish_modules\":false}",
        );
        check_with("closes = 2026-12-01T18:00:00Z", "{");
        check_with("closes = 2026-12-01T19:00:00+01:00", "{");
        check_with("closes = 2026-12-01", "`closes`: `2026-12-01` is not a time");
        check_with("closes = 2026-12-01T18:00:00", "`closes`: `2026-12-01T18:00:00` is not a time");
        check_with("closes = 1969-12-01T18:00:00Z", "`closes`: ");
        check_with("closes = \"soon\"", "line 4: ");
        let dates = |opens: &str| format!("opens = {opens}\ncloses = 2026-12-01T18:00:00Z");
        check_with(&dates("2026-12-01T17:59:59Z"), "{");
        check_with(&dates("2026-12-01T18:00:00Z"), "`closes`: the contest closes before it opens");
        check_with("ladder = false", "{");
        check_with("final_cycles = 0", "{");
        check_with("ladder = false\nfinal_cycles = 0", "`final_cycles`: a contest needs a ladder");
        check_with("final_cycles = 1001", "`final_cycles`: 1001 is out of range (0 to 1000)");
        check_with("entries_per_day = 0", "`entries_per_day`: 0 is out of range (1 to 10000)");
        check_with("trials_per_day = 0", "{");
        check_with(
            "trials_per_day = 10001",
            "`trials_per_day`: 10001 is out of range (0 to 10000)",
        );
        for quota in ["entrant_bytes", "contest_bytes", "log_bytes"] {
            check_with(&format!("{quota} = 0"), "{");
            check_with(&format!("{quota} = -1"), "line 4: ");
            let most = 1_u64 << 50;
            let expected = format!("`{quota}`: {} is out of range (0 to {most})", most + 1);
            check_with(&format!("{quota} = {}", most + 1), &expected);
        }
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
        check_with(
            "memory_bytes = 65535",
            "`memory_bytes`: 65535 is out of range (65536 to 1073741824)",
        );
        check_with("entry_bytes = 8388608", "{");
        check_with(
            "entry_bytes = 8388609",
            "`entry_bytes`: 8388609 is out of range (1024 to 8388608)",
        );
        check_with("entry_bytes = -1", "line 4: ");
        check_with("house = [\"a\", \"b\", \"a\"]", "`house`: `a` is listed twice");
        check_with("house = [\"entry-1\"]", "`house`: `entry-1` could be taken for an entry");
        check_with("prize = 3", "line 4: unknown field `prize`");
        check_with("game = \"gomoku\"", "line 4: duplicate key");
        check_with("variant = ", "line 4: ");
        check("", "line 1: missing field `name`");
        check(
            &WHOLE.replace("gomoku", "gomko"),
            "`game`: unknown game `gomko`; did you mean `gomoku`?",
        );
        check(&WHOLE.replace("fuel:2e8", "5s"), "`budget`: `5s/move` is not a fuel budget, ");
        check(
            &WHOLE.replace("fuel:2e8/move", "depth:3"),
            "`budget`: `depth:3` is not a fuel budget, ",
        );
        check(&WHOLE.replace("fuel:2e8/move", "much"), "`budget`: ");
        check(&WHOLE.replace("Autumn", " "), "`name`: write a name");
        check(&WHOLE.replace("Autumn", "a\\nb"), "`name`: write a name");
    }

    #[test]
    fn a_contest_is_open_from_opens_until_before_closes() {
        let check = |lines: &str, now: &str, expected: Phase| {
            let contest = Contest::parse(&format!("{WHOLE}{lines}"), &Games::default()).unwrap();
            assert_eq!(contest.phase(parse_date(now).unwrap()), expected, "{lines}, {now}");
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
    fn the_documented_example_is_valid() {
        let page = include_str!("../../../docs/contests.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let contest = Contest::parse(example.unwrap(), &Games::default()).unwrap();
        assert_eq!((contest.entry_bytes, contest.house.len()), (2 << 20, 2));
    }
}
