//! `sandboard arena import`: translates a command line of fastchess or cutechess-cli, or a
//! configuration file of fastchess, into the file of a tournament. Prints on standard error what it
//! cannot translate. Plays nothing.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value as Json;
use toml::Value;

use super::config::Config;
use super::{foreign, time_control};
use crate::output::error_line;
use crate::usage;
use sandboard_arena::CONCURRENCY_MAX;
use sandboard_common::files::read_regular;
use sandboard_packs::packaging::program::is_host_option;
use sandboard_protocols::Protocol;

/// The largest configuration file, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Translate a command of fastchess or cutechess-cli into a tournament of Sandboard
///
/// Prints a TOML file, which `sandboard arena --config` plays, and says on standard error what it
/// cannot translate. For example:
///
///   sandboard arena import config.json > tournament.toml
///
///   sandboard arena import -- cutechess-cli -engine cmd=a -engine cmd=b -each tc=10+0.1 -rounds 50
#[derive(clap::Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ImportArgs {
    /// A configuration file of fastchess, `config.json`; or after `--` the words of a command
    #[arg(value_name = "FILE|WORD", required = true, num_args = 1.., allow_hyphen_values = true)]
    words: Vec<String>,
}

/// `sandboard arena import`.
pub(super) fn run(args: &ImportArgs) -> Result<()> {
    let translation = match args.words.as_slice() {
        [file] if file.ends_with(".json") => {
            let path = PathBuf::from(file);
            let bytes = read_regular(&path, FILE_BYTES_MAX);
            let bytes = bytes.with_context(|| format!("cannot read {file}"))?;
            let json: Json = serde_json::from_slice(&bytes)
                .map_err(|error| usage(format!("{file} is not JSON: {error}")))?;
            translate(&words_of_json(&json).map_err(|why| usage(format!("{file}: {why}")))?)
        }
        words => translate(words),
    };
    let Translation { config, notes } = translation.map_err(usage)?;
    for note in notes {
        error_line!("note: {note}");
    }
    crate::output::write_file(config.text().as_bytes())?;
    Ok(())
}

/// A tournament, and what was not translated.
struct Translation {
    config: Config,
    notes: Vec<String>,
}

/// An option of the command line with its arguments.
struct Group<'a> {
    name: &'a str,
    arguments: &'a [String],
}

impl Group<'_> {
    /// The value of an argument `NAME=VALUE`.
    fn value(&self, name: &str) -> Option<&str> {
        let mut values = self.arguments.iter().filter_map(|word| word.split_once('='));
        values.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The whole number of an argument `NAME=NUMBER`. Err: it is not a number.
    fn number(&self, name: &str) -> Result<Option<i64>, String> {
        let Some(text) = self.value(name) else { return Ok(None) };
        let number = text.parse::<i64>();
        number.map(Some).map_err(|_| format!("{} {name}={text}: not a whole number", self.name))
    }

    /// The first argument as a whole number. Err: it is missing or not a number.
    fn count(&self) -> Result<i64, String> {
        let first = self.arguments.first().map_or("", String::as_str);
        first.parse().map_err(|_| format!("{} {first}: not a whole number", self.name))
    }
}

/// The options of a command line: words that begin with `-` and a letter.
fn groups(words: &[String]) -> Vec<Group<'_>> {
    let is_option = |word: &String| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_alphabetic()))
    };
    let starts = (0..words.len()).filter(|index| is_option(&words[*index]));
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().copied().skip(1).chain([words.len()]);
    let group = |(start, end): (usize, usize)| Group {
        name: &words[start],
        arguments: &words[start + 1..end],
    };
    starts.iter().copied().zip(ends).map(group).collect()
}

/// What is known of the tournament after all options.
#[derive(Default)]
struct Tournament {
    is_fastchess: bool,
    engines: Vec<Vec<String>>,
    each: Vec<String>,
    kind: Option<String>,
    challengers: Option<i64>,
    rounds: Option<i64>,
    games: Option<i64>,
    adjudication: Vec<String>,
    margin_ms: Option<i64>,
    ponders: bool,
}

fn translate(words: &[String]) -> Result<Translation, String> {
    let mut config = Config::default();
    let mut notes = Vec::new();
    let mut found = Tournament::default();
    config.set("format", "match");
    config.set("game", "chess");
    // The two programs have different defaults.
    found.is_fastchess = words.first().is_some_and(|word| word.contains("fastchess"));
    for group in groups(words) {
        add_group(&group, &mut found, &mut config, &mut notes)?;
    }
    if found.engines.is_empty() {
        return Err("the command has no engine: `-engine cmd=PATH …`".into());
    }
    if found.engines.len() < 2 {
        return Err("the command has one engine, and a tournament needs two".into());
    }
    set_length(&found, &mut config, &mut notes)?;
    set_engines(&found, &mut config, &mut notes)?;
    let mut ponders = found.ponders;
    for word in found.engines.iter().flatten().chain(&found.each) {
        match word.split_once('=').unwrap_or((word, "")) {
            ("timemargin", margin) => {
                let margin = margin.parse().map_err(|_| format!("{word}: not a number"))?;
                found.margin_ms = Some(found.margin_ms.unwrap_or(0).max(margin));
            }
            ("ponder", _) => ponders = true,
            _ => (),
        }
    }
    if let Some(margin_ms) = found.margin_ms {
        config.set("grace", format!("{margin_ms}ms"));
    }
    if ponders {
        notes.push("programs by text protocols do not think on the opponent's time here".into());
    }
    if !found.adjudication.is_empty() {
        config.set("adjudicate", found.adjudication.join(","));
    }
    config.set("trust-programs", true);
    notes.push("trust-programs = true: the programs run in jails; remove it to be asked".into());
    Ok(Translation { config, notes })
}

/// Translates one option.
fn add_group(
    group: &Group<'_>,
    found: &mut Tournament,
    config: &mut Config,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let first = || group.arguments.first().cloned().unwrap_or_default();
    match group.name {
        "-engine" => found.engines.push(group.arguments.to_vec()),
        "-each" => found.each.extend(group.arguments.iter().cloned()),
        "-tournament" => found.kind = Some(first()),
        "-seeds" => found.challengers = Some(group.count()?),
        "-rounds" => found.rounds = Some(group.count()?),
        "-games" => found.games = Some(group.count()?),
        "-concurrency" => {
            let (games, most) = (group.count()?, CONCURRENCY_MAX as i64);
            if games > most {
                notes.push(format!("-concurrency {games}: at most {most} games at once"));
            }
            config.set("concurrency", Value::Integer(games.clamp(1, most)));
        }
        "-srand" => config.set("seed", first()),
        "-ratinginterval" => {
            let every = group.count()?;
            if every > 0 {
                config.set("table-every", Value::Integer(every));
            }
        }
        "-variant" => match first().as_str() {
            "standard" => (),
            "fischerandom" | "chess960" => config.set("variant", "chess960"),
            "xiangqi" => config.set("game", "xiangqi"),
            other => notes.push(format!("-variant {other}: set game and variant in the file")),
        },
        "-maxmoves" => {
            let moves = group.count()?;
            if moves > 0 {
                config.set("plies-max", Value::Integer(moves.saturating_mul(2)));
            }
        }
        "-sprt" => {
            let number =
                |name: &str, default: &str| group.value(name).unwrap_or(default).to_owned();
            let mut test = format!(
                "{},{},alpha={},beta={}",
                number("elo0", "0"),
                number("elo1", "5"),
                number("alpha", "0.05"),
                number("beta", "0.05")
            );
            match group.value("model") {
                Some("logistic") => test += ",logistic",
                // The bounds of cutechess-cli are logistic.
                None if !found.is_fastchess => test += ",logistic",
                Some("bayesian") => {
                    notes.push("-sprt model=bayesian: normalised Elo is used".into())
                }
                _ => (),
            }
            config.set("sprt", test);
        }
        "-openings" => add_openings(group, found.is_fastchess, config, notes)?,
        "-resign" => {
            let (moves, score) = (group.number("movecount")?, group.number("score")?);
            let (moves, score) = (moves.unwrap_or(1), score.unwrap_or(0));
            found.adjudication.push(match group.value("twosided") == Some("true") {
                true => format!("win={score}/{}", moves.saturating_mul(2).max(2)),
                false => format!("resign={score}/{moves}"),
            });
        }
        "-draw" => {
            let [after, moves, score] = ["movenumber", "movecount", "score"]
                .map(|name| group.number(name).map(|number| number.unwrap_or(0)));
            let (after, moves, score) =
                (after?.saturating_mul(2), moves?.saturating_mul(2), score?);
            found.adjudication.push(format!("draw={score}/{}@{after}", moves.max(2)));
        }
        "-pgnout" => {
            let file = group.value("file").map_or_else(first, str::to_owned);
            config.set("export", file);
            let further = group.arguments.iter().filter(|word| {
                let is_format = ["notation=san", "append=true"].contains(&word.as_str());
                word.contains('=') && !word.starts_with("file=") && !is_format
            });
            for word in further {
                notes.push(format!("-pgnout {word}: the file has evaluation, depth and time"));
            }
        }
        "-log" | "-debug" => {
            let wants_dialogue =
                group.value("engine") == Some("true") || group.value("level") == Some("trace");
            if group.name == "-debug" || wants_dialogue {
                config.set("dialogue", true);
            }
        }
        // These are always so here, or the default.
        "-repeat" | "-recover" | "-autosaveinterval" | "-report" | "-output" | "-wait"
        | "-force-concurrency" | "-scoreinterval" => (),
        other => match foreign::here(other) {
            Some(here) => notes.push(format!("{other} is left out; here: {here}")),
            None => notes.push(format!("{other} is unknown, and left out")),
        },
    }
    Ok(())
}

fn add_openings(
    group: &Group<'_>,
    is_random: bool,
    config: &mut Config,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let file = group.value("file").ok_or("-openings: file= is missing")?;
    config.set("openings", file);
    if let Some(format) = group.value("format")
        && !file.to_ascii_lowercase().ends_with(&format!(".{format}"))
    {
        notes.push(format!("-openings: the file must end with .{format}, which names its format"));
    }
    if group.value("order").map_or(is_random, |order| order == "random") {
        config.set("opening-order", "random");
    }
    if let Some(plies) = group.number("plies")?.filter(|plies| *plies > 0) {
        config.set("opening-plies", Value::Integer(plies));
    }
    if let Some(start) = group.number("start")?.filter(|start| *start > 1) {
        config.set("opening-start", Value::Integer(start));
    }
    if let Some(policy) = group.value("policy") {
        notes.push(format!("-openings policy={policy}: each pair has the next opening"));
    }
    Ok(())
}

/// Sets the format, and how much is played.
fn set_length(
    found: &Tournament,
    config: &mut Config,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    // Without these options, fastchess plays two rounds of two games, and cutechess-cli one game.
    let default = if found.is_fastchess { 2 } else { 1 };
    let rounds = found.rounds.unwrap_or(default).max(1);
    let games = found.games.unwrap_or(default).max(1);
    // A pair has two games.
    let all = rounds.saturating_mul(games);
    let pairs = all.saturating_add(1) / 2;
    if games != 2 {
        notes.push(format!(
            "{rounds} rounds of {games} games: {pairs} pairs of two games with exchanged seats"
        ));
    }
    let pairs = Value::Integer(pairs);
    match found.kind.as_deref().unwrap_or("roundrobin") {
        "gauntlet" => {
            config.set("format", "gauntlet");
            config.set("cycles", pairs);
            if let Some(challengers) = found.challengers {
                config.set("challengers", Value::Integer(challengers));
            }
        }
        "knockout" => {
            config.set("format", "knockout");
            config.set("pairs", pairs);
        }
        "roundrobin" | "round-robin" if found.engines.len() > 2 => {
            config.set("format", "round-robin");
            config.set("cycles", pairs);
        }
        "roundrobin" | "round-robin" => config.set("pairs", pairs),
        other => return Err(format!("-tournament {other}: there is no such format here")),
    }
    Ok(())
}

/// Sets the engines. A budget that all of them have from `-each` alone is that of the tournament,
/// so that it can be replaced on the command line.
fn set_engines(
    found: &Tournament,
    config: &mut Config,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let has_own = found.engines.iter().flatten().any(|word| is_limit(key_of(word)));
    let (limits, each): (Vec<&String>, Vec<&String>) =
        found.each.iter().partition(|word| !has_own && is_limit(key_of(word)));
    let budgets = limits.iter().map(|word| budget_of(word));
    let budgets = budgets.collect::<Result<Vec<_>, _>>()?;
    let engines = found.engines.iter().map(|own| engine_text(own, &each, notes));
    let engines = engines.collect::<Result<Vec<_>, _>>()?;
    config.set("engine", engines);
    if !budgets.is_empty() {
        config.set("budget", budgets.join(","));
    }
    Ok(())
}

/// The name of a word `NAME=VALUE`.
fn key_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(key, _)| key)
}

fn is_limit(key: &str) -> bool {
    ["tc", "st", "depth", "plies", "nodes"].contains(&key)
}

/// The budget of a word such as `tc=10+0.1`.
fn budget_of(word: &str) -> Result<String, String> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    match key {
        "tc" => time_control::of_tc(value),
        "st" => time_control::of_st(value),
        "nodes" => Ok(format!("nodes:{value}")),
        _ => Ok(format!("depth:{value}")),
    }
}

/// A program as `--engine` takes it. As in the other programs, words for each engine replace those
/// of the engine, and limits of several kinds apply together.
fn engine_text(
    own: &[String],
    each: &[&String],
    notes: &mut Vec<String>,
) -> Result<String, String> {
    let is_replaced = |word: &&String| {
        let key = key_of(word);
        key != "arg" && each.iter().any(|other| key_of(other) == key)
    };
    let own = || own.iter().filter(|word| !is_replaced(word)).chain(each.iter().copied());
    let value_of = |key: &str| own().find(|word| key_of(word) == key)?.split_once('=');
    let folder = value_of("dir").map(|(_, folder)| folder);
    let mut parts: Vec<String> = Vec::new();
    for word in own() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "cmd" => {
                // The other programs start an engine in its folder.
                let path = match folder {
                    Some(folder) if value.contains('/') && !value.starts_with('/') => {
                        format!("{folder}/{}", value.trim_start_matches("./"))
                    }
                    _ => value.to_owned(),
                };
                parts.push(format!("cmd={}", escaped(&path)));
            }
            "dir" => notes.push(format!(
                "{word}: in its jail a program sees no folder; name the files that it reads with \
                 file=PATH"
            )),
            "name" | "arg" | "args" => parts.push(format!("{name}={}", escaped(value))),
            key if is_limit(key) => {
                budget_of(word)?;
                parts.push(format!("{name}={}", escaped(value)));
            }
            "proto" if value == "uci" => parts.push("proto=uci".into()),
            "proto" => {
                return Err(format!("proto={value}: only uci of these protocols is spoken here"));
            }
            "timemargin" | "restart" | "ponder" | "whitepov" => (),
            "conf" => return Err(format!("{word}: write cmd=PATH, the program of this name")),
            _ => match name.strip_prefix("option.") {
                Some(option) if is_host_option(option, Protocol::Uci) && !is_threads(option) => {
                    notes.push(format!("{word} is left out: the host sets this option"));
                }
                Some(_) => {
                    if value.contains('/') {
                        notes.push(format!(
                            "{word}: in its jail a program sees no file of this machine; give it \
                             the file with file=PATH, and name it /own/NAME"
                        ));
                    }
                    parts.push(format!("{}={}", escaped(name), escaped(value)));
                }
                None => notes.push(format!("{word} of an engine is left out")),
            },
        }
    }
    if !parts.iter().any(|part| part.starts_with("cmd=")) {
        let own: Vec<&str> = own().map(String::as_str).collect();
        return Err(format!("the engine `{}` has no cmd=PATH", own.join(" ")));
    }
    Ok(parts.join(","))
}

/// Whether an option is the number of threads, which `--engine` takes.
fn is_threads(option: &str) -> bool {
    option.eq_ignore_ascii_case("threads")
}

/// A value in `--engine`: a `\` before each comma.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(',', "\\,")
}

/// The command line that a configuration file of fastchess stands for.
fn words_of_json(json: &Json) -> Result<Vec<String>, String> {
    let engines = json["engines"].as_array().ok_or("it has no list `engines`")?;
    let mut words = vec!["fastchess".to_owned()];
    for engine in engines {
        words.push("-engine".to_owned());
        for name in ["cmd", "name", "dir", "args"] {
            if let Some(text) = engine[name].as_str().filter(|text| !text.is_empty()) {
                words.push(format!("{name}={text}"));
            }
        }
        for option in engine["options"].as_array().into_iter().flatten() {
            if let [Json::String(name), Json::String(value)] =
                option.as_array().map_or(&[][..], |it| it)
            {
                words.push(format!("option.{name}={value}"));
            }
        }
        words.extend(words_of_limit(&engine["limit"]));
    }
    let number = |value: &Json| value.as_i64().map(|number| number.to_string());
    for (key, option) in [
        ("rounds", "-rounds"),
        ("games", "-games"),
        ("concurrency", "-concurrency"),
        ("seed", "-srand"),
        ("ratinginterval", "-ratinginterval"),
    ] {
        let text =
            json[key].as_u64().map(|number| number.to_string()).or_else(|| number(&json[key]));
        words.extend(text.into_iter().flat_map(|text| [option.to_owned(), text]));
    }
    if enum_of(&json["type"], &["roundrobin", "gauntlet"]).as_deref() == Some("gauntlet") {
        words.extend(["-tournament", "gauntlet"].map(str::to_owned));
        words.extend(
            number(&json["gauntlet_seeds"]).into_iter().flat_map(|it| ["-seeds".into(), it]),
        );
    }
    if enum_of(&json["variant"], &["standard", "frc"]).as_deref() == Some("frc") {
        words.extend(["-variant", "fischerandom"].map(str::to_owned));
    }
    let opening = &json["opening"];
    if let Some(file) = opening["file"].as_str().filter(|file| !file.is_empty()) {
        words.extend(["-openings".to_owned(), format!("file={file}")]);
        let format = enum_of(&opening["format"], &["epd", "pgn", "none"]);
        words.extend(format.filter(|it| it != "none").map(|format| format!("format={format}")));
        let order = enum_of(&opening["order"], &["random", "sequential"]);
        words.extend(order.map(|order| format!("order={order}")));
        for name in ["plies", "start"] {
            words.extend(number(&opening[name]).map(|number| format!("{name}={number}")));
        }
    }
    let mut add = |option: &str, from: &Json, names: &[(&str, &str)]| {
        if from["enabled"] == Json::Bool(false) {
            return;
        }
        let values = names.iter().filter_map(|(key, name)| {
            let text = match &from[*key] {
                Json::String(text) if !text.is_empty() => text.to_ascii_lowercase(),
                Json::Number(number) => number.to_string(),
                Json::Bool(is) => is.to_string(),
                _ => return None,
            };
            // The name of a file keeps its case.
            let text =
                if *key == "file" { from[*key].as_str().unwrap_or_default().into() } else { text };
            Some(format!("{name}={text}"))
        });
        let values: Vec<String> = values.collect();
        if !values.is_empty() {
            words.push(option.to_owned());
            words.extend(values);
        }
    };
    let test = ["elo0", "elo1", "alpha", "beta", "model"].map(|name| (name, name));
    add("-sprt", &json["sprt"], &test);
    let draw = [("move_number", "movenumber"), ("move_count", "movecount"), ("score", "score")];
    add("-draw", &json["draw"], &draw);
    let resign = [("move_count", "movecount"), ("score", "score"), ("twosided", "twosided")];
    add("-resign", &json["resign"], &resign);
    if json["pgn"]["file"].as_str().is_some_and(|file| !file.is_empty()) {
        add("-pgnout", &json["pgn"], &[("file", "file")]);
    }
    if json["maxmoves"]["enabled"] == Json::Bool(true) {
        let moves = number(&json["maxmoves"]["move_count"]);
        words.extend(moves.into_iter().flat_map(|moves| ["-maxmoves".into(), moves]));
    }
    Ok(words)
}

/// The value of an enumeration, which a configuration file has as a number or as a word, in lower
/// case.
fn enum_of(value: &Json, words: &[&str]) -> Option<String> {
    match value {
        Json::String(word) => Some(word.to_ascii_lowercase()),
        Json::Number(number) => {
            let at = usize::try_from(number.as_u64()?).ok()?;
            words.get(at).map(|word| (*word).to_owned())
        }
        _ => None,
    }
}

/// The time control, depth and nodes of an engine in a configuration file: times in milliseconds.
fn words_of_limit(limit: &Json) -> Vec<String> {
    let tc = &limit["tc"];
    let at = |value: &Json| value.as_u64().filter(|number| *number > 0);
    let seconds = |ms: u64| format!("{}", ms as f64 / 1000.0);
    let mut words = Vec::new();
    if let Some(ms) = at(&tc["fixed_time"]) {
        words.push(format!("st={}", seconds(ms)));
    } else if let Some(ms) = at(&tc["time"]) {
        let moves = at(&tc["moves"]).map_or(String::new(), |moves| format!("{moves}/"));
        let increment =
            at(&tc["increment"]).map_or(String::new(), |it| format!("+{}", seconds(it)));
        words.push(format!("tc={moves}{}{increment}", seconds(ms)));
    }
    words.extend(at(&tc["timemargin"]).map(|ms| format!("timemargin={ms}")));
    words.extend(at(&limit["nodes"]).map(|nodes| format!("nodes={nodes}")));
    words.extend(at(&limit["plies"]).map(|plies| format!("plies={plies}")));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of a translation without those that are always there, and its notes.
    fn translated(text: &str) -> String {
        let words: Vec<String> = shell(text);
        match translate(&words) {
            Err(error) => error,
            Ok(Translation { config, notes }) => {
                let always = ["#", "game = \"chess\"", "trust-programs"];
                let text = config.text().replace("[\n", "[").replace(",\n", ", ");
                let lines = text.lines().map(str::trim);
                let lines = lines.filter(|line| {
                    !line.is_empty() && !always.iter().any(|it| line.starts_with(it))
                });
                let lines: Vec<_> = lines.map(|line| line.replace("    ", "")).collect();
                let notes = notes.iter().filter(|note| !note.starts_with("trust-programs"));
                let notes: String = notes.map(|note| format!("; note {note}")).collect();
                lines.join("; ") + &notes
            }
        }
    }

    /// Splits a command at blanks, except inside quotes.
    fn shell(text: &str) -> Vec<String> {
        let parts = text.split('"').enumerate();
        parts
            .flat_map(|(index, part)| match index % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
                _ => vec![part.to_owned()],
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(translated(text), expected, "{text}");
    }

    const TWO: &str = "fastchess -rounds 1 -engine cmd=./a name=new -engine cmd=b";
    const TWO_HERE: &str = r#"engine = ["cmd=./a,name=new", "cmd=b", ]"#;

    #[test]
    fn commands_are_translated() {
        check(TWO, &format!("format = \"match\"; pairs = 1; {TWO_HERE}"));
        let with = |options: &str, keys: &str| {
            let pairs = "pairs = 1; ";
            check(
                &format!("{TWO} {options}"),
                &format!("format = \"match\"; {keys}; {pairs}{TWO_HERE}").replace("; ; ", "; "),
            );
        };
        check(
            &format!("{TWO} -each proto=uci tc=10+0.1 option.Hash=16"),
            "format = \"match\"; pairs = 1; engine = [\"cmd=./a,name=new,proto=uci,option.Hash=16\", \
             \"cmd=b,proto=uci,option.Hash=16\", ]; budget = \"10s+100ms\"",
        );
        // Words for each engine replace its own; limits of several kinds apply together.
        check(
            "fastchess -rounds 1 -engine cmd=a depth=3 option.Hash=1 -engine cmd=b -each tc=1 option.Hash=16",
            "format = \"match\"; pairs = 1; engine = [\"cmd=a,depth=3,tc=1,option.Hash=16\", \
             \"cmd=b,tc=1,option.Hash=16\", ]",
        );
        with("-concurrency 2 -srand 7", "concurrency = 2; seed = \"7\"");
        with("-sprt elo0=0 elo1=3 alpha=0.1 beta=0.05", "sprt = \"0,3,alpha=0.1,beta=0.05\"");
        with("-sprt elo0=0 elo1=3 model=logistic", "sprt = \"0,3,alpha=0.05,beta=0.05,logistic\"");
        with(
            "-openings file=b.epd format=epd order=random plies=8 start=3",
            "openings = \"b.epd\"; opening-order = \"random\"; opening-plies = 8; opening-start = 3",
        );
        with("-openings file=b.epd", "openings = \"b.epd\"; opening-order = \"random\"");
        with("-openings file=b.epd order=sequential", "openings = \"b.epd\"");
        check(
            "cutechess-cli -rounds 3 -games 2 -engine cmd=a -engine cmd=b -openings file=b.pgn \
             -sprt elo0=0 elo1=3",
            "format = \"match\"; openings = \"b.pgn\"; sprt = \"0,3,alpha=0.05,beta=0.05,logistic\"; \
             pairs = 3; engine = [\"cmd=a\", \"cmd=b\", ]",
        );
        with("-variant fischerandom", "variant = \"chess960\"");
        with("-maxmoves 100", "plies-max = 200");
        with("-pgnout file=x.pgn notation=san", "export = \"x.pgn\"");
        with("-pgnout x.pgn", "export = \"x.pgn\"");
        with("-recover -repeat -ratinginterval 5", "table-every = 5");
        check(
            &format!(
                "{TWO} -resign movecount=3 score=600 -draw movenumber=40 movecount=8 score=10"
            ),
            &format!(
                "format = \"match\"; pairs = 1; {TWO_HERE}; \
                 adjudicate = \"resign=600/3,draw=10/16@80\""
            ),
        );
        check(
            &format!("{TWO} -resign movecount=3 score=600 twosided=true -each timemargin=20"),
            &format!(
                "format = \"match\"; pairs = 1; {TWO_HERE}; grace = \"20ms\"; \
                 adjudicate = \"win=600/6\""
            ),
        );
        check(
            "fastchess -rounds 1 -engine cmd=a \"option.Skill Level=3\" \"args=-x, -y\" -engine cmd=b",
            r#"format = "match"; pairs = 1; engine = ['cmd=a,option.Skill Level=3,args=-x\, -y', "cmd=b", ]"#,
        );
    }

    #[test]
    fn the_length_follows_from_rounds_and_games() {
        let check = |options: &str, engines: usize, expected: &str| {
            let engines = "-engine cmd=a ".repeat(engines);
            let found = translated(&format!("fastchess {engines}{options}"));
            let found = found.split("; engine").next().unwrap_or_default().to_owned()
                + found.split_once("; note ").map_or("", |(_, note)| note);
            assert_eq!(found, expected, "{options}");
        };
        check("-rounds 50", 2, "format = \"match\"; pairs = 50");
        check("-rounds 50 -games 2 -repeat", 2, "format = \"match\"; pairs = 50");
        check(
            "-rounds 51 -games 1",
            2,
            "format = \"match\"; pairs = 2651 rounds of 1 games: 26 pairs of two games with exchanged \
             seats",
        );
        check("", 2, "format = \"match\"; pairs = 2");
        let cutechess = translated("cutechess-cli -engine cmd=a -engine cmd=b -rounds 100");
        assert!(cutechess.contains("pairs = 50; "), "{cutechess}");
        assert!(cutechess.contains("note 100 rounds of 1 games: 50 pairs"), "{cutechess}");
        check("-rounds 4", 3, "format = \"round-robin\"; cycles = 4");
        check(
            "-rounds 4 -tournament gauntlet -seeds 2",
            3,
            "format = \"gauntlet\"; cycles = 4; challengers = 2",
        );
        check("-rounds 4 -tournament knockout", 4, "format = \"knockout\"; pairs = 4");
        check("-tournament pyramid", 4, "-tournament pyramid: there is no such format here");
        check("-rounds x", 2, "-rounds x: not a whole number");
    }

    #[test]
    fn what_is_not_translated_is_said() {
        let note = |options: &str| {
            let found = translated(&format!("{TWO} {options}"));
            found.split_once("; note ").map_or(found.clone(), |(_, note)| note.to_owned())
        };
        assert!(note("-noswap").starts_with("-noswap is left out; here: nothing: without"));
        assert!(note("-frobnicate 3").starts_with("-frobnicate is unknown, and left out"));
        assert!(
            note("-variant crazyhouse").starts_with("-variant crazyhouse: set game and variant")
        );
        assert!(note("-openings file=b.txt format=pgn").contains("must end with .pgn"));
        assert!(note("-each stderr=log").starts_with("stderr=log of an engine is left out"));
        assert!(note("-each ponder").starts_with("programs by text protocols do not think"));
        let check = |text: &str, expected: &str| assert_eq!(translated(text), expected);
        check("fastchess -rounds 3", "the command has no engine: `-engine cmd=PATH …`");
        let with =
            |own: &str, expected: &str| check(&format!("x -engine cmd=b -engine {own}"), expected);
        check("x -engine cmd=a", "the command has one engine, and a tournament needs two");
        with("name=a", "the engine `name=a` has no cmd=PATH");
        with("cmd=a proto=xboard", "proto=xboard: only uci of these protocols is spoken here");
        with("cmd=a tc=inf", "`tc=inf`: with an infinite time, a game might not end");
        with("conf=Fish", "conf=Fish: write cmd=PATH, the program of this name");
        with("cmd=a -draw movecount=x", "-draw movecount=x: not a whole number");
        assert!(note("-each option.Ponder=true").contains("the host sets this option"));
        assert!(
            !translated(&format!("{TWO} -each option.Ponder=true")).contains("option.Ponder=true,")
        );
        assert!(note("-each option.EvalFile=/a/n.nnue").contains("sees no file of this machine"));
        assert!(note("-log file=x level=warn").starts_with("format"), "no dialogue, no note");
        assert!(translated(&format!("{TWO} -log file=x engine=true")).contains("dialogue = true"));
        assert!(note("-concurrency 100").starts_with("-concurrency 100: at most 64"));
        let moved = translated("x -engine cmd=./a dir=new -engine cmd=/b dir=old");
        assert!(moved.contains("[\"cmd=new/a\", \"cmd=/b\", ]"), "{moved}");
        assert!(moved.contains("note dir=new: in its jail"), "{moved}");
    }

    #[test]
    fn configuration_files_of_fastchess_are_translated() {
        let json = serde_json::json!({
            "engines": [
                {"name": "new", "cmd": "/opt/a", "dir": "", "args": "", "options": [["Hash", "16"]],
                 "limit": {"tc": {"increment": 100, "fixed_time": 0, "time": 10_000, "moves": 0,
                                  "timemargin": 50}, "nodes": 0, "plies": 0}},
                {"name": "old", "cmd": "/opt/b", "args": "-x", "options": [],
                 "limit": {"tc": {"fixed_time": 500}, "nodes": 7, "plies": 3}},
            ],
            "rounds": 30, "games": 2, "concurrency": 4, "seed": 18_446_744_073_709_551_615_u64,
            "type": "ROUNDROBIN", "variant": "FRC", "ratinginterval": 10,
            "sprt": {"alpha": 0.05, "beta": 0.05, "elo0": 0.0, "elo1": 2.0, "model": "normalized",
                     "enabled": true},
            "draw": {"move_number": 40, "move_count": 8, "score": 8, "enabled": true},
            "resign": {"move_count": 3, "score": 400, "twosided": false, "enabled": false},
            "maxmoves": {"move_count": 1, "enabled": false},
            "opening": {"file": "Books/UHO.epd", "format": "EPD", "order": "RANDOM", "plies": -1, "start": 1},
            "pgn": {"file": "Games.pgn"},
        });
        let words = words_of_json(&json).unwrap();
        let text = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ");
        check(
            &text,
            "format = \"match\"; concurrency = 4; seed = \"18446744073709551615\"; \
             table-every = 10; variant = \"chess960\"; openings = \"Books/UHO.epd\"; \
             opening-order = \"random\"; sprt = \"0.0,2.0,alpha=0.05,beta=0.05\"; export = \"Games.pgn\"; pairs = 30; \
             engine = [\"cmd=/opt/a,name=new,option.Hash=16,tc=10+0.1\", \
             \"cmd=/opt/b,name=old,args=-x,st=0.5,nodes=7,plies=3\", ]; grace = \"50ms\"; \
             adjudicate = \"draw=8/16@80\"",
        );
        assert!(words_of_json(&serde_json::json!({"a": 1})).is_err());
        // Newer versions write numbers in place of words.
        let numbers = serde_json::json!({
            "engines": [{"cmd": "a"}, {"cmd": "b"}, {"cmd": "c"}], "rounds": 4,
            "type": 1, "gauntlet_seeds": 2, "variant": 1,
            "opening": {"file": "b.pgn", "format": 1, "order": 0, "plies": 6, "start": 2},
        });
        let text = words_of_json(&numbers).unwrap().join(" ");
        check(
            &text,
            "format = \"gauntlet\"; variant = \"chess960\"; openings = \"b.pgn\"; \
             opening-order = \"random\"; opening-plies = 6; opening-start = 2; cycles = 4; \
             challengers = 2; engine = [\"cmd=a\", \"cmd=b\", \"cmd=c\", ]",
        );
    }
}
