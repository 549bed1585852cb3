//! Steps 1 and 2: the file, and what the engine says of itself. Starts no game.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Description, Kind, OptionSpec, limits};

use super::super::START_US;
use super::super::bench::Bench;
use super::super::outcome::{Finding, Verdict, Wrong};
use super::super::positions::boards_of;
use crate::catalog::Entry;
use crate::counted;
use crate::engine::wasm::Metering;
use crate::engine::wasm::scan::{MODULE_BYTES, Thing};
use crate::engine::{Caps, Deaf, Fault, FaultCode};
use crate::loader::{Loaded, caps};
use crate::manifest::ModuleKind;

pub fn module(bench: &mut Bench<'_>) -> Verdict {
    let entry = bench.subject.entry;
    let kind = match entry.kind {
        Some(ModuleKind::Wasm) => "wasm, sandboxed",
        Some(ModuleKind::Native) => "native",
        Some(ModuleKind::Process) => "a program",
        None => "of no known kind",
    };
    let asked = format!("load {}", entry.module.display());
    if !entry.is_usable() {
        let faults: Vec<String> = entry.faults().iter().map(ToString::to_string).collect();
        return Err(bench.failed(Finding {
            sentence: format!(
                "the catalog found {}: {}",
                counted(faults.len(), "fault"),
                faults[0]
            ),
            asked: format!("list {}", entry.source.display()),
            came_back: faults.join("; "),
            expected: "a manifest and a module without faults".into(),
            help: "sandboard list; docs/manifest.md".into(),
        }));
    }
    let began = Instant::now();
    let loaded = load(bench, bench.metering(), &asked)?;
    let loading_ms = began.elapsed().as_millis();
    if entry.kind == Some(ModuleKind::Wasm) {
        bench.fuelled = Some(match bench.metering() {
            Metering::Fuel => loaded.clone(),
            Metering::Deadline => load(bench, Metering::Fuel, &asked)?,
        });
    }
    let began = Instant::now();
    let opened = loaded.source.open(Arc::new(Deaf)).map(drop);
    opened
        .map_err(|fault| bench.scribe().fault(&fault, "open an instance".into(), "an instance"))?;
    let opening_us = began.elapsed().as_micros();
    bench.boards = boards(bench, &loaded.description);
    bench.loaded = Some(loaded);
    let most = match entry.kind {
        Some(ModuleKind::Wasm) => bench.subject.loader.load_caps().most(Thing::Bytes),
        _ => MODULE_BYTES,
    };
    let (kib, most) = (entry.module_bytes / 1024, most / 1024);
    let abi = entry.abi.map_or("unknown".to_owned(), |abi| abi.to_string());
    let border = match &entry.speech {
        Some(speech) => format!("speaks {}", speech.protocol.word()),
        None => format!("ABI {abi}"),
    };
    Ok(format!(
        "{kind}, {border}, {kib} of at most {most} KiB; loaded in {loading_ms} ms, an instance \
         in {opening_us} µs"
    ))
}

fn load(bench: &Bench<'_>, metering: Metering, asked: &str) -> Verdict<Loaded> {
    let (loader, entry) = (bench.subject.loader, bench.subject.entry);
    let loaded = match &bench.settings.patience {
        None => loader.load(entry, metering),
        Some(patience) => {
            let usual = caps(entry);
            let caps = Caps { start_us: usual.start_us.min(START_US), ..usual };
            loader.load_within(entry, metering, caps, patience)
        }
    };
    loaded.map_err(|fault: Fault| {
        let expected = match fault.code {
            FaultCode::Load => "a module that the host can load: docs/manifest.md",
            _ => "a module that loads and describes itself",
        };
        bench.scribe().fault(&fault, asked.to_owned(), expected)
    })
}

/// The boards to try: what the engine names, less what the caller leaves out.
fn boards(bench: &Bench<'_>, description: &Description) -> Vec<super::super::positions::Board> {
    let mut boards: Vec<super::super::positions::Board> = Vec::new();
    let wanted = bench.settings.game.as_deref();
    for spec in description.games.iter().filter(|spec| wanted.is_none_or(|id| id == spec.game)) {
        let Some(info) = sandboard_games::game(&spec.game) else { continue };
        let named: Vec<&str> = match &bench.settings.variant {
            Some(variant) => vec![variant],
            None => spec.variants.iter().map(String::as_str).collect(),
        };
        for board in named.into_iter().flat_map(|text| boards_of(info, text)) {
            let known = |other: &super::super::positions::Board| other.text() == board.text();
            let plays = |declared: &String| info.covers(declared, &board.variant);
            if spec.variants.iter().any(plays) && !boards.iter().any(known) {
                boards.push(board);
            }
        }
    }
    boards
}

pub fn description(bench: &mut Bench<'_>) -> Verdict {
    let told = bench.engine(sandboard_abi::Unit::Wall)?.description.clone();
    let again = load(bench, bench.metering(), "describe, once more")?.description;
    let fuelled = bench.fuelled.as_ref().map(|loaded| loaded.description.clone());
    let others = [Some(again), fuelled];
    if let Some(other) = others.into_iter().flatten().find(|other| *other != told) {
        return Err(bench.failed(Finding {
            sentence: "it describes itself otherwise each time".into(),
            asked: "describe, of two fresh instances".into(),
            came_back: format!("{told:?}, then {other:?}"),
            expected: "the same at every call".into(),
            help: bench.help(),
        }));
    }
    if told.games.iter().all(|spec| spec.variants.is_empty()) {
        return Err(bench.failed(wrong(bench, "it names no game with a variant", "games", &told)));
    }
    for (label, text) in [("id", &told.id), ("name", &told.name), ("version", &told.version)] {
        if text.is_empty() {
            bench.warn(wrong(bench, &format!("its {label} is empty"), label, &told));
        } else if text.ends_with('…') && text.len() + 4 > limits::LABEL_BYTES {
            let most = limits::LABEL_BYTES;
            let sentence = format!("its {label} has more than {most} bytes and is cut");
            bench.warn(wrong(bench, &sentence, label, &told));
        }
    }
    unknown_games(bench, &told);
    for finding in untunable(&told.options) {
        bench.warn(finding);
    }
    against_manifest(bench, bench.subject.entry, &told);
    let variants: usize = told.games.iter().map(|spec| spec.variants.len()).sum();
    let tuned = |option: &&OptionSpec| option.tunable && option.kind.is_number();
    let tunable = told.options.iter().filter(tuned).count();
    let alias = match told.id == bench.subject.entry.id {
        true => String::new(),
        false => format!(", in the engines folder as {}", bench.subject.entry.id),
    };
    Ok(format!(
        "{} {}{alias}: {}, {}, {}, {tunable} tunable; the same {} times",
        told.id,
        told.version,
        counted(told.games.len(), "game"),
        counted(variants, "variant"),
        counted(told.options.len(), "option"),
        2 + usize::from(bench.fuelled.is_some()),
    ))
}

fn wrong(bench: &Bench<'_>, sentence: &str, what: &str, told: &Description) -> Finding {
    let came_back = format!("id `{}`, name `{}`, version `{}`", told.id, told.name, told.version);
    let help = bench.help();
    let expected = format!("a sound {what}");
    Finding { sentence: sentence.into(), asked: "describe".into(), came_back, expected, help }
}

fn unknown_games(bench: &mut Bench<'_>, told: &Description) {
    for spec in &told.games {
        let known = sandboard_games::game(&spec.game);
        let unknown = spec.variants.iter().find_map(|text| match known {
            None => Some(format!("the game `{}`", spec.game)),
            Some(info) => info.variant(text).err().map(|error| error.to_string()),
        });
        if let Some(unknown) = unknown {
            let finding = Finding {
                sentence: format!("it names what this host does not know: {unknown}"),
                asked: "describe".into(),
                came_back: format!("{} with {}", spec.game, spec.variants.join(", ")),
                expected: "games and variants of this host; others are never played here".into(),
                help: "sandboard rules --help".into(),
            };
            bench.warn(finding);
        }
    }
}

/// What it says a tuner may vary, and none can.
fn untunable(options: &[OptionSpec]) -> impl Iterator<Item = Finding> + '_ {
    options.iter().filter(|option| option.tunable && !option.kind.is_number()).map(|option| {
        Finding {
            sentence: format!("its option `{}` is tunable, but no number", option.name),
            asked: "describe".into(),
            came_back: format!("option `{}`: {:?}, tunable", option.name, option.kind),
            expected: "whole or real numbers; nothing else is varied by `sandboard tune`".into(),
            help: "sandboard options ENGINE; docs/authoring.md".into(),
        }
    })
}

/// What the manifest says and the engine does not.
fn against_manifest(bench: &mut Bench<'_>, entry: &Entry, told: &Description) {
    let mut wrongs = Vec::new();
    if !entry.version.is_empty() && entry.version != told.version {
        wrongs.push((
            format!("the manifest calls it version {}, it says {}", entry.version, told.version),
            format!("version {}", told.version),
        ));
    }
    for spec in &entry.games {
        let own = told.games.iter().find(|own| own.game == spec.game);
        for text in &spec.variants {
            let info = sandboard_games::game(&spec.game);
            let covers = |declared: &String| {
                let variant = info.and_then(|info| info.variant(text).ok());
                info.zip(variant).is_some_and(|(info, variant)| info.covers(declared, &variant))
            };
            if !own.is_some_and(|own| own.variants.iter().any(covers)) {
                let name = format!("{} {text}", spec.game);
                wrongs.push((
                    format!("the manifest says that it plays {name}, it does not"),
                    format!("{:?}", told.games),
                ));
            }
        }
    }
    for option in entry.options.iter().filter(|_| entry.described) {
        let own = told.options.iter().find(|own| own.name == option.name);
        let kind = |kind: &Kind| format!("{kind:?}");
        let differs = own.is_none_or(|own| own.kind.check(&option.initial).is_err());
        if differs {
            let came_back = own.map_or("no such option".to_owned(), |own| kind(&own.kind));
            wrongs.push((
                format!("the manifest sets option `{}` otherwise than it is", option.name),
                came_back,
            ));
        }
    }
    let unnamed = |own: &&OptionSpec| entry.options.iter().all(|option| option.name != own.name);
    let left_out: Vec<&str> = match entry.described {
        true => told.options.iter().filter(unnamed).map(|own| own.name.as_str()).collect(),
        false => Vec::new(),
    };
    if !left_out.is_empty() {
        wrongs.push((
            format!(
                "the manifest names some options and not {}, which nobody can set then",
                left_out.join(", ")
            ),
            counted(told.options.len(), "option"),
        ));
    }
    for (sentence, came_back) in wrongs {
        let source = entry.source.display();
        bench.warn(Finding {
            sentence,
            asked: format!("describe, and read {source}"),
            came_back,
            expected: "the same in both".into(),
            help: format!("correct {source}: docs/manifest.md"),
        });
    }
}

/// A failure that needs no engine to answer.
pub fn nothing_to_try(bench: &Bench<'_>) -> Wrong {
    bench.failed(Finding {
        sentence: "it plays nothing that this host knows".into(),
        asked: "describe".into(),
        came_back: format!("{:?}", bench.loaded.as_ref().map(|loaded| &loaded.description.games)),
        expected: "a game of this host with a variant of it".into(),
        help: bench.help(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Kind, tunable: bool, expected: &[&str]) {
        let (name, about, initial) = ("greed".to_owned(), String::new(), String::new());
        let option = OptionSpec { name, about, kind, initial, tunable };
        let found: Vec<String> = untunable(&[option]).map(|finding| finding.sentence).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_numbers_can_be_tuned() {
        let warned = ["its option `greed` is tunable, but no number"];
        check(Kind::Whole(0, 9), true, &[]);
        check(Kind::Real(0.0, 1.0), true, &[]);
        check(Kind::Toggle, true, &warned);
        check(Kind::Pick(vec!["calm".into()]), true, &warned);
        check(Kind::Text(9), true, &warned);
        check(Kind::Toggle, false, &[]);
    }
}
