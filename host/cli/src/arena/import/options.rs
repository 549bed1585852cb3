//! The options of a command line, and what each of them is in the file of a tournament.

use sandboard_arena::CONCURRENCY_MAX;
use toml::Value;

use super::Tournament;
use crate::arena::config::Config;
use crate::arena::foreign;

/// An option of the command line with its arguments.
pub(super) struct Group<'a> {
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
pub(super) fn groups(words: &[String]) -> Vec<Group<'_>> {
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
/// Translates one option.
pub(super) fn add_group(
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

/// Translates the file of openings, its order and where it begins.
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
pub(super) fn set_length(
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
