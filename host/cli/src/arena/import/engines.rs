//! The engines of a command line, their options and their limits.

use sandboard_packs::packaging::program::is_host_option;
use sandboard_protocols::Protocol;

use super::Tournament;
use crate::arena::config::Config;
use crate::arena::programs::escaped;
use crate::arena::time_control;

/// Sets the engines. A budget that all of them have from `-each` alone is that of the tournament,
/// so that it can be replaced on the command line.
pub(super) fn set_engines(
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

/// Whether a word of this name limits the thinking of an engine.
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
