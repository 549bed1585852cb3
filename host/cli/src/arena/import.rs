//! `sandboard arena import`: translates a command line of fastchess or cutechess-cli, or a
//! configuration file of fastchess, into the file of a tournament. Prints on standard error what it
//! cannot translate. Plays nothing.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value as Json;

use self::engines::set_engines;
use self::fastchess_config::words_of_json;
use self::options::{add_group, groups, set_length};
use super::config::Config;
use crate::output::error_line;
use crate::usage;
use sandboard_common::files::read_regular;

mod engines;
mod fastchess_config;
mod options;
#[cfg(test)]
mod tests;

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

/// Translates the words of a command. Err: a word that cannot be read, or no tournament is left.
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
