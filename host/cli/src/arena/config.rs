//! The file of a tournament in TOML: `arena --config FILE` plays it, `arena config DIR` writes it
//! for a stored arena, and `arena import` for the command of another program. Its keys are the
//! names of the options; `format` and `players` stand for the words of the command.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sandboard_tournament::schedule::Format;
use sandboard_tournament::stats::{EloModel, SprtSetup};
use sha2::{Digest, Sha256};
use toml::de::DeTable;
use toml::{Table, Value};

use super::opening_args::random_plies;
use super::programs::escaped;
use crate::output::error_line;
use crate::program::MEMORY_BYTES;
use crate::usage;
use sandboard_arena::OpenFolder;
use sandboard_arena_plan::{ArenaSetup, Contestant, OpeningsSource};
use sandboard_bout::referee::BoutSettings;
use sandboard_common::files::{read_regular, write_atomically};
use sandboard_common::suggestions::nearest;
use sandboard_engine::{NAME_OPTION, THREADS_OPTION};
use sandboard_packs::manifest::{self, FILE_NAME, MANIFEST_BYTES_MAX};
use sandboard_protocols::Dialect;

/// The largest file, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The option that names the file.
const OPTION: &str = "--config";
const FORMAT: &str = "format";
const PLAYERS: &str = "players";
/// The first line of a file that was written.
const HEAD: &str = "# A tournament of Sandboard. Play it: sandboard arena --config FILE\n";

/// Write the tournament of an arena as a TOML file
///
/// The file holds everything that decides how the tournament is played: format, players, budgets,
/// seed, rules. For example: sandboard arena config DIR --out tournament.toml
#[derive(clap::Args, Debug)]
pub(super) struct ConfigArgs {
    /// The folder of the arena
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The file to write; openings are written beside it. An existing file of this kind is replaced
    /// [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A tournament as a file: keys with their values, in this order.
#[derive(Default)]
pub(super) struct Config {
    /// Lines for people, before the keys.
    pub comments: Vec<String>,
    entries: Vec<(String, Value)>,
}

impl Config {
    /// Sets a key; the last value counts.
    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) {
        let value = value.into();
        match self.entries.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.entries.push((key.to_owned(), value)),
        }
    }

    /// The text of the file.
    pub(super) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for comment in &self.comments {
            text += &format!("# {}\n", comment.replace(['\n', '\r'], " "));
        }
        text.push('\n');
        for (key, value) in &self.entries {
            match value {
                Value::Array(values) if values.len() > 1 => {
                    text += &format!("{key} = [\n");
                    values.iter().for_each(|value| text += &format!("    {value},\n"));
                    text += "]\n";
                }
                value => text += &format!("{key} = {value}\n"),
            }
        }
        text
    }
}

/// The words of a command line, with `arena --config FILE` replaced by the words that the file
/// stands for. Options on the command line replace those of the file. Err: the file cannot be read
/// or has an unknown key.
pub(crate) fn expand(words: Vec<OsString>) -> Result<Vec<OsString>> {
    if words.get(1).is_none_or(|word| word != "arena") {
        return Ok(words);
    }
    let Some((file, rest)) = take_option(&words[2..]) else { return Ok(words) };
    let file = file?;
    let positional = rest.first().filter(|word| !word.as_encoded_bytes().starts_with(b"-"));
    if let Some(word) = positional {
        return Err(usage(format!(
            "{OPTION} FILE names the format and the players itself: remove `{}`",
            word.to_string_lossy()
        )));
    }
    let mut expanded: Vec<OsString> = words[..2].to_vec();
    expanded.extend(read(&file, &rest)?.into_iter().map(OsString::from));
    expanded.extend(rest);
    Ok(expanded)
}

/// The value of `--config`, and the other words. None: the option is not there.
fn take_option(words: &[OsString]) -> Option<(Result<PathBuf>, Vec<OsString>)> {
    let joined = format!("{OPTION}=");
    let inline = |word: &OsString| Some(OsStr::to_str(word)?.strip_prefix(&joined)?.to_owned());
    // What follows `--` are no options.
    let mut options = words.iter().take_while(|word| *word != "--");
    let at = options.position(|word| word == OPTION || inline(word).is_some())?;
    let mut rest = words.to_vec();
    let word = rest.remove(at);
    let file = match inline(&word) {
        Some(file) => Ok(file.into()),
        None if at < rest.len() => Ok(PathBuf::from(rest.remove(at))),
        None => Err(usage(format!("{OPTION} needs the name of a file"))),
    };
    Some((file, rest))
}

/// The words that a file stands for, without those that `given` replaces.
fn read(file: &Path, given: &[OsString]) -> Result<Vec<String>> {
    let name = file.display().to_string();
    let bytes =
        read_regular(file, FILE_BYTES_MAX).with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8(bytes).map_err(|_| usage(format!("{name} is not a text")))?;
    words_of(&text, given).map_err(|reason| usage(format!("{name}{reason}")))
}

/// As [`read`], for the text of a file. Err: the line after `:`, if it is known, and the reason.
fn words_of(text: &str, given: &[OsString]) -> Result<Vec<String>, String> {
    let line_at = |offset: usize| {
        1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
    };
    let misread = |error: &toml::de::Error| {
        let at = error.span().map_or(1, |span| line_at(span.start));
        format!(":{at}: {}", error.message().trim().replace('\n', "; "))
    };
    let located = DeTable::parse(text).map_err(|error| misread(&error))?;
    let line_of = |key: &str| {
        let found = located.get_ref().iter().find(|(known, _)| known.get_ref().as_ref() == key);
        found.map_or(1, |(known, _)| line_at(known.span().start))
    };
    let mut table: Table = toml::from_str(text).map_err(|error| misread(&error))?;
    let at = |key: &str, reason: String| format!(":{}: `{key}`: {reason}", line_of(key));
    let format = match table.remove(FORMAT) {
        Some(Value::String(format)) => format,
        Some(_) => return Err(at(FORMAT, "is a text such as \"match\"".into())),
        None => return Err(format!(": `{FORMAT}` is missing: write format = \"match\"")),
    };
    let definition = crate::commands::definition();
    let arena = definition.find_subcommand("arena").ok_or(": there is no arena")?;
    let command = arena.find_subcommand(&format).filter(|it| plays(it)).ok_or_else(|| {
        let known = arena.get_subcommands().filter(|it| plays(it)).map(clap::Command::get_name);
        at(FORMAT, format!("unknown format; known are {}", known.collect::<Vec<_>>().join(", ")))
    })?;
    let known: Vec<&str> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .filter_map(clap::Arg::get_long)
        .collect();
    let mut words = vec![format];
    if let Some(players) = table.remove(PLAYERS) {
        let texts = texts(&players).filter(|_| players.is_array());
        let texts = texts.ok_or_else(|| at(PLAYERS, "is a list of texts".into()))?;
        words.extend(texts);
    }
    for (key, value) in &table {
        if !known.contains(&key.as_str()) {
            let all = known.iter().copied().chain([FORMAT, PLAYERS]);
            let hint = match nearest(key, all) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known keys: {FORMAT}, {PLAYERS}, {}", known.join(", ")),
            };
            return Err(at(key, format!("is unknown; {hint}")));
        }
        let option = format!("--{key}");
        let is_given = |word: &OsString| {
            let word = word.to_string_lossy();
            word == option || word.starts_with(&format!("{option}="))
        };
        if given.iter().any(is_given) {
            continue;
        }
        match value {
            Value::Boolean(true) => words.push(option),
            Value::Boolean(false) => (),
            value => {
                let texts = texts(value);
                let texts = texts.ok_or_else(|| {
                    at(key, "is neither a text, a number, true, false nor a list of texts".into())
                })?;
                words.extend(texts.into_iter().map(|text| format!("{option}={text}")));
            }
        }
    }
    Ok(words)
}

/// Whether a subcommand of `arena` plays a new arena: it has a seed.
fn plays(command: &clap::Command) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some("seed"))
        && !["openings", "compare"].contains(&command.get_name())
}

/// The texts of a value: itself, or those of a list.
fn texts(value: &Value) -> Option<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value => one(value).map(|text| vec![text]),
    }
}

/// `sandboard arena config`.
pub(super) fn run(args: &ConfigArgs) -> Result<()> {
    let folder = OpenFolder::open_to_read(&args.dir)?;
    let loaded = folder.load()?;
    let mut config = of_setup(&loaded.setup, &loaded.players);
    name_own_engines(&mut config, &args.dir, &loaded.players)?;
    let Some(out) = &args.out else {
        if let Some(source) = &loaded.setup.openings
            && random_plies(&source.file).is_none()
        {
            let bytes = std::fs::read(&source.file).unwrap_or_default();
            if sandboard_common::hex::hex(&Sha256::digest(&bytes)) != source.sha256 {
                error_line!(
                    "note: {} does not have the openings as they were played, such as in another \
                     order; --out FILE writes them, too",
                    source.file
                );
            }
        }
        crate::output::write_file(config.text().as_bytes())?;
        return Ok(());
    };
    if out.exists() {
        let is_ours =
            read_regular(out, FILE_BYTES_MAX).is_ok_and(|it| it.starts_with(HEAD.as_bytes()));
        if !is_ours {
            return Err(usage(format!(
                "{} exists and is not a tournament of Sandboard, so it was not replaced",
                out.display()
            )));
        }
    }
    let is_drawn = |source: &OpeningsSource| random_plies(&source.file).is_some();
    if let Some(bytes) = &loaded.openings
        && !loaded.setup.openings.as_ref().is_some_and(is_drawn)
    {
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let openings = out.with_file_name(format!("{stem}-openings.txt"));
        write_atomically(&openings, bytes)?;
        config.set("openings", openings.to_string_lossy().into_owned());
    }
    write_atomically(out, config.text().as_bytes())?;
    crate::output::out_line!("{}", out.display());
    Ok(())
}

/// The tournament of a stored arena.
fn of_setup(setup: &ArenaSetup, players: &[Contestant]) -> Config {
    let mut config = Config::default();
    let number = |number: u32| Value::Integer(number.into());
    let (format, lengths) = match setup.schedule {
        Format::Match { pairs } => ("match", vec![("pairs", pairs)]),
        Format::Gauntlet { challengers, cycles } => {
            ("gauntlet", vec![("challengers", challengers), ("cycles", cycles)])
        }
        Format::RoundRobin { cycles } => ("round-robin", vec![("cycles", cycles)]),
        Format::Swiss { rounds } => ("swiss", vec![("rounds", rounds)]),
        Format::Knockout { pairs, tie_breaks } => {
            ("knockout", vec![("pairs", pairs), ("tie-breaks", tie_breaks)])
        }
        Format::Ladder { pairs } => ("ladder", vec![("pairs", pairs)]),
    };
    config.set(FORMAT, format);
    config.set(PLAYERS, players.iter().map(seat_text).collect::<Vec<_>>());
    lengths.into_iter().for_each(|(key, count)| config.set(key, number(count)));
    if let Some(sprt) = &setup.sprt {
        config.set("sprt", sprt_text(sprt));
    }
    config.set("game", setup.game.clone());
    config.set("variant", setup.variant.clone());
    match setup.seed_key {
        Some(_) => config.comments.push("the seeds of its games were secret".into()),
        // TOML has no unsigned numbers.
        None => config.set("seed", setup.seed.to_string()),
    }
    if let Some(openings) = &setup.openings {
        match random_plies(&openings.file) {
            Some(plies) => config.set("opening-random", number(plies)),
            None => config.set("openings", openings.file.clone()),
        }
    }
    if players.iter().any(|player| player.rating != 0) {
        let ratings = players.iter().map(|player| Value::Integer(player.rating.into()));
        config.set("ratings", ratings.collect::<Vec<_>>());
    }
    let ponders: Vec<bool> = players.iter().map(|player| player.ponders).collect();
    match ponders.as_slice() {
        all if all.iter().all(|ponders| !ponders) => (),
        all if all.iter().all(|ponders| *ponders) => config.set("ponder", "on"),
        [true, ..] => config.set("ponder", "a"),
        _ => config.set("ponder", "b"),
    }
    set_settings(&mut config, &setup.settings);
    config
}

/// Replaces players whose pack belongs to the arena by the programs that they are.
fn name_own_engines(config: &mut Config, arena: &Path, players: &[Contestant]) -> Result<()> {
    let mut installed = Vec::new();
    let mut programs = Vec::new();
    for player in players {
        let pack = arena.join(super::programs::FOLDER).join(&player.engine);
        match read_regular(&pack.join(FILE_NAME), MANIFEST_BYTES_MAX) {
            Ok(text) => programs.push(program_text(player, &pack, &text)?),
            Err(_) => installed.push(seat_text(player)),
        }
    }
    if !programs.is_empty() {
        config.set(PLAYERS, installed);
        config.set("engine", programs);
        config.set("trust-programs", true);
    }
    Ok(())
}

/// A program as `--engine` takes it, from the manifest of its pack.
fn program_text(player: &Contestant, pack: &Path, manifest: &[u8]) -> Result<String> {
    let file = pack.join(FILE_NAME);
    let manifest = manifest::parse(&file, manifest, &crate::known_games());
    let engine = manifest.engines.first();
    let found = engine.and_then(|it| Some((it, it.protocol_config.as_ref()?)));
    let Some((engine, protocol)) = found else {
        return Err(usage(format!(
            "{} was built for this arena and is no program; `arena compare` builds it again",
            player.engine
        )));
    };
    let program = match (&engine.module, &engine.program) {
        (Some(module), _) => pack.join(&module.text).to_string_lossy().into_owned(),
        (None, program) => program.as_ref().map_or_else(String::new, |it| it.text.clone()),
    };
    let mut parts = vec![
        format!("cmd={}", escaped(&program)),
        format!("proto={}", protocol.protocol.word()),
        format!("name={}", escaped(&player.name)),
    ];
    if protocol.dialect != Dialect::Same {
        parts.push(format!("moves={}", protocol.dialect.word()));
    }
    parts.extend(protocol.arguments.iter().map(|it| format!("arg={}", escaped(it))));
    for asset in &engine.assets {
        let path = pack.join(&asset.path.text);
        parts.push(format!("file={}", escaped(&path.to_string_lossy())));
    }
    for (name, value) in &player.options {
        let name = protocol.option_name(name);
        parts.push(format!("option.{}={}", escaped(name), escaped(value)));
    }
    if player.threads != 1 {
        parts.push(format!("threads={}", player.threads));
    }
    if let Some(bytes) = engine.limits.memory_bytes.filter(|bytes| *bytes != MEMORY_BYTES) {
        parts.push(format!("memory={bytes}"));
    }
    parts.push(format!("budget={}", escaped(&player.budget.to_string())));
    Ok(parts.join(","))
}

fn set_settings(config: &mut Config, settings: &BoutSettings) {
    let default = super::default_settings();
    if !settings.adjudication.is_none() {
        config.set("adjudicate", settings.adjudication.to_string());
    }
    if settings.plies_max != default.plies_max {
        config.set("plies-max", Value::Integer(settings.plies_max.into()));
    }
    if settings.move_guard_us != default.move_guard_us {
        config.set("move-guard", format!("{}ms", settings.move_guard_us / 1000));
    }
    if settings.grace.us != default.grace.us {
        config.set("grace", format!("{}ms", settings.grace.us / 1000));
    }
}

/// A player as it is written on the command line.
fn seat_text(player: &Contestant) -> String {
    let escaped = |text: &str| {
        let special = |letter: char| [':', '@', '\\'].contains(&letter);
        let letters = text.chars().flat_map(|letter| {
            special(letter).then_some('\\').into_iter().chain(std::iter::once(letter))
        });
        letters.collect::<String>()
    };
    let mut text = escaped(&player.engine);
    for (name, value) in &player.options {
        text += &format!(":{}={}", escaped(name).replace('=', "\\="), escaped(value));
    }
    if player.threads != 1 {
        text += &format!(":{THREADS_OPTION}={}", player.threads);
    }
    if player.name != player.engine {
        text += &format!(":{NAME_OPTION}={}", escaped(&player.name));
    }
    format!("{text}@{}", player.budget)
}

/// A sequential test as it is written on the command line.
pub(super) fn sprt_text(setup: &SprtSetup) -> String {
    let model = match setup.model {
        EloModel::Logistic => ",logistic",
        EloModel::Normalized => "",
    };
    let SprtSetup { elo0, elo1, alpha, beta, .. } = setup;
    format!("{elo0},{elo1},alpha={alpha},beta={beta}{model}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seat::SeatSpec;

    /// The words of a file, joined by blanks, or the error.
    fn check(text: &str, given: &[&str], expected: &str) {
        let given: Vec<OsString> = given.iter().map(OsString::from).collect();
        let found = words_of(text, &given).map_or_else(|error| error, |words| words.join(" "));
        assert!(found.starts_with(expected), "{text}: {found}");
    }

    #[test]
    fn a_file_stands_for_words() {
        let file = "format = \"match\"\nplayers = [\"a\", \"b:x=1@5s\"]\npairs = 5\n\
                    json = true\nponder = false\nratings = [1, -2]\n";
        check(file, &[], "match a b:x=1@5s --json --pairs=5 --ratings=1 --ratings=-2");
        check(file, &["--pairs", "7"], "match a b:x=1@5s --json --ratings=1");
        check(file, &["--pairs=7", "--json"], "match a b:x=1@5s --ratings=1");
        check("format = \"swiss\"\nrounds = 3", &[], "swiss --rounds=3");
        check("", &[], ": `format` is missing");
        check("\nformat = 3", &[], ":2: `format`: is a text");
        check("format = \"mach\"", &[], ":1: `format`: unknown format; known are match, gauntlet");
        check("format = \"show\"", &[], ":1: `format`: unknown format");
        check("format = \"openings\"", &[], ":1: `format`: unknown format");
        check("format = \"compare\"", &[], ":1: `format`: unknown format");
        check(
            "format = \"match\"\n\npairz = 5",
            &[],
            ":3: `pairz`: is unknown; did you mean `pairs`?",
        );
        check("format = \"match\"\nrounds = 5", &[], ":2: `rounds`: is unknown; ");
        check("format = \"match\"\nhelp = true", &[], ":2: `help`: is unknown; ");
        check("format = \"match\"\nplayers = \"a\"", &[], ":2: `players`: is a list of texts");
        check("format = \"match\"\npairs = 2026-01-01", &[], ":2: `pairs`: is neither a text");
        check("format = \"match\"\npairs = [[1]]", &[], ":2: `pairs`: is neither a text");
        check("format = \"match\"\npairs =", &[], ":2: ");
        check("format = \"match\"\npairs = 1\npairs = 2", &[], ":3: ");
    }

    #[test]
    fn the_option_is_taken_from_a_command_line() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let check = |text: &str, expected: &str| {
            let found = match take_option(&words(text)) {
                None => "none".to_owned(),
                Some((Err(error), _)) => error.to_string(),
                Some((Ok(file), rest)) => {
                    let rest: Vec<_> = rest.iter().map(|word| word.to_string_lossy()).collect();
                    format!("{} then {}", file.display(), rest.join(" "))
                }
            };
            assert_eq!(found, expected, "{text}");
        };
        check("--config a.toml --json", "a.toml then --json");
        check("--json --config=a.toml", "a.toml then --json");
        check("match a b", "none");
        check("--configs a", "none");
        check("import -- x --config a", "none");
        check("--json --config", "--config needs the name of a file");
        let other = expand(words("sandboard play --config x")).unwrap();
        assert_eq!(other, words("sandboard play --config x"));
        let error = expand(words("sandboard arena match a --config x")).unwrap_err().to_string();
        assert!(
            error.ends_with("names the format and the players itself: remove `match`"),
            "{error}"
        );
        let error = expand(words("sandboard arena --config /no/such.toml")).unwrap_err();
        assert!(error.to_string().contains("cannot read /no/such.toml"), "{error}");
    }

    #[test]
    fn written_files_are_read_back() {
        let mut config = Config::default();
        config.comments.push("two\nlines".into());
        config.set(FORMAT, "match");
        config.set(PLAYERS, vec!["a:x=\"1\"".to_owned(), r"b:y=C\:\\d".to_owned()]);
        config.set("pairs", Value::Integer(3));
        config.set("pairs", Value::Integer(4));
        let text = config.text();
        assert!(text.starts_with(HEAD) && text.contains("# two lines\n"), "{text}");
        check(&text, &[], r#"match a:x="1" b:y=C\:\\d --pairs=4"#);
    }

    #[test]
    fn tests_are_written_as_options() {
        let setup =
            SprtSetup { model: EloModel::Logistic, elo0: -0.5, elo1: 2.0, alpha: 0.05, beta: 0.1 };
        let text = sprt_text(&setup);
        assert_eq!(text, "-0.5,2,alpha=0.05,beta=0.1,logistic");
        assert_eq!(text.parse::<super::super::sprt::SprtArg>().unwrap().0, setup);
    }

    #[test]
    fn players_are_written_as_seats() {
        let player: Contestant = serde_json::from_value(serde_json::json!({
            "name": "old @ 1", "engine": "a", "version": "1", "module_sha256": "",
            "options": {"path": "C:\\x@y", "depth": "3"}, "budget": "10s+100ms",
            "limits": sandboard_engine::InstanceLimits::default(), "threads": 2,
        }))
        .unwrap();
        let text = seat_text(&player);
        assert_eq!(text, r"a:depth=3:path=C\:\\x\@y:threads=2:name=old \@ 1@10s+100ms");
        let seat: SeatSpec = text.parse().unwrap();
        let spec = seat.engine().unwrap();
        assert_eq!((&*spec.id, spec.threads, spec.name.as_deref()), ("a", 2, Some("old @ 1")));
        assert_eq!(spec.options[1], ("path".to_owned(), r"C:\x@y".to_owned()));
    }
}
