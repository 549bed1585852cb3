//! Steps 1 and 2: the module, and the description of the engine. Starts no game.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Description, Kind, OptionSpec, limits};

use super::super::START_US;
use super::super::context::{CheckContext, sampled_of};
use super::super::outcome::{Finding, StepFailure, StepResult};
use super::super::positions::{Board, boards_of};
use sandboard_common::text::counted;
use sandboard_engine::{Caps, Fault, FaultCode, NullListener};
use sandboard_engine_wasm::Metering;
use sandboard_engine_wasm::scan::CapKind;
use sandboard_packs::catalog::{Entry, module_bytes_max};
use sandboard_packs::loader::{LoadOptions, LoadedEngine};
use sandboard_packs::manifest::ModuleKind;

pub(crate) fn module(context: &mut CheckContext<'_>) -> StepResult {
    let entry = context.target.entry;
    let kind = match entry.kind {
        Some(ModuleKind::Wasm) => "wasm, sandboxed",
        Some(ModuleKind::Native) => "native",
        Some(ModuleKind::External) => "external",
        None => "of unknown kind",
    };
    let request = format!("load {}", entry.module.display());
    if !entry.is_usable() {
        let faults: Vec<String> = entry.faults().iter().map(ToString::to_string).collect();
        return Err(context.failed(Finding {
            sentence: format!(
                "the catalog reports {}: {}",
                counted(faults.len(), "fault"),
                faults[0]
            ),
            request: format!("list {}", entry.source.display()),
            response: faults.join("; "),
            expected: "a manifest and a module without faults".into(),
            advice: "sandboard list; docs/manifest.md".into(),
        }));
    }
    let began = Instant::now();
    let loaded = load(context, context.metering(), &request)?;
    let loading_ms = began.elapsed().as_millis();
    if entry.kind == Some(ModuleKind::Wasm) {
        context.fuelled = Some(match context.metering().counts_fuel() {
            true => loaded.clone(),
            false => load(context, Metering::Fuel, &request)?,
        });
    }
    let began = Instant::now();
    let opened = loaded.source.open(Arc::new(NullListener), 1).map(drop);
    opened.map_err(|fault| {
        context.reporter().fault(&fault, "open an instance".into(), "an instance")
    })?;
    let opening_us = began.elapsed().as_micros();
    let (general, boards): (Vec<Board>, _) = boards(context, &loaded.description)
        .into_iter()
        .partition(|board| !board.info.features.is_none());
    (context.boards, context.general_boards) = (boards, sampled_of(&general));
    context.loaded = Some(loaded);
    let most = match entry.kind {
        Some(ModuleKind::Wasm) => context.target.loader.load_caps().limit(CapKind::Bytes),
        kind => module_bytes_max(kind.unwrap_or(ModuleKind::Native)),
    };
    let (kib, most) = (entry.module_bytes / 1024, most / 1024);
    let abi = entry.abi.map_or("unknown".to_owned(), |abi| abi.to_string());
    let interface = match &entry.protocol_config {
        Some(protocol_config) => format!("speaks {}", protocol_config.protocol.word()),
        None => format!("ABI {abi}"),
    };
    Ok(format!(
        "{kind}, {interface}, {kib} of at most {most} KiB; loaded in {loading_ms} ms, an instance \
         in {opening_us} µs"
    ))
}

fn load(context: &CheckContext<'_>, metering: Metering, request: &str) -> StepResult<LoadedEngine> {
    let (loader, entry) = (context.target.loader, context.target.entry);
    let loaded = match &context.settings.test_budget {
        None => loader.load(entry, metering),
        Some(budget) => {
            let requested = loader.caps_of(entry);
            let caps = Caps { start_us: requested.start_us.min(START_US), ..requested };
            let options =
                LoadOptions { test_budget: Some(budget), ..LoadOptions::new(metering, caps) };
            loader.load_with(entry, &options)
        }
    };
    loaded.map_err(|fault: Fault| {
        let expected = match fault.code {
            FaultCode::Load => "a module that the host can load: docs/manifest.md",
            _ => "a module that loads and describes itself",
        };
        context.reporter().fault(&fault, request.to_owned(), expected)
    })
}

/// The boards to test: those that the engine names, restricted by the settings.
fn boards(context: &CheckContext<'_>, description: &Description) -> Vec<Board> {
    let mut boards: Vec<Board> = Vec::new();
    let wanted = context.settings.game.as_deref();
    for spec in description.games.iter().filter(|spec| wanted.is_none_or(|id| id == spec.game)) {
        let Some(info) = context.target.loader.games().find(&spec.game) else { continue };
        let named: Vec<&str> = match &context.settings.variant {
            Some(variant) => vec![variant],
            None => spec.variants.iter().map(String::as_str).collect(),
        };
        for board in named.into_iter().flat_map(|text| boards_of(info, text)) {
            let known = |other: &Board| other.text() == board.text();
            let plays = |declared: &String| info.covers(declared, &board.variant);
            if spec.variants.iter().any(plays) && !boards.iter().any(known) {
                boards.push(board);
            }
        }
    }
    boards
}

pub(crate) fn description(context: &mut CheckContext<'_>) -> StepResult {
    let description = context.engine(sandboard_abi::Unit::Wall)?.description.clone();
    let again = load(context, context.metering(), "describe, once more")?.description;
    let fuelled = context.fuelled.as_ref().map(|loaded| loaded.description.clone());
    let others = [Some(again), fuelled];
    if let Some(other) = others.into_iter().flatten().find(|other| *other != description) {
        return Err(context.failed(Finding {
            sentence: "its description changes from call to call".into(),
            request: "describe, of two fresh instances".into(),
            response: format!("{description:?}, then {other:?}"),
            expected: "the same in every call".into(),
            advice: context.advice(),
        }));
    }
    if description.games.iter().all(|spec| spec.variants.is_empty()) {
        return Err(context.failed(finding(
            context,
            "it names no game with a variant",
            "games",
            &description,
        )));
    }
    for (label, text) in
        [("id", &description.id), ("name", &description.name), ("version", &description.version)]
    {
        if text.is_empty() {
            context.warn(finding(context, &format!("its {label} is empty"), label, &description));
        } else if text.ends_with('…') && text.len() + 4 > limits::LABEL_BYTES {
            let most = limits::LABEL_BYTES;
            let sentence = format!("its {label} has more than {most} bytes and is cut");
            context.warn(finding(context, &sentence, label, &description));
        }
    }
    unknown_games(context, &description);
    for finding in untunable(&description.options) {
        context.warn(finding);
    }
    against_manifest(context, context.target.entry, &description);
    let variants: usize = description.games.iter().map(|spec| spec.variants.len()).sum();
    let tuned = |option: &&OptionSpec| option.tunable && option.kind.is_number();
    let tunable = description.options.iter().filter(tuned).count();
    let alias = match description.id == context.target.entry.id {
        true => String::new(),
        false => format!(", in the engines folder as {}", context.target.entry.id),
    };
    Ok(format!(
        "{} {}{alias}: {}, {}, {}, {tunable} tunable; the same {} times",
        description.id,
        description.version,
        counted(description.games.len(), "game"),
        counted(variants, "variant"),
        counted(description.options.len(), "option"),
        2 + usize::from(context.fuelled.is_some()),
    ))
}

fn finding(
    context: &CheckContext<'_>,
    sentence: &str,
    what: &str,
    description: &Description,
) -> Finding {
    let response = format!(
        "id `{}`, name `{}`, version `{}`",
        description.id, description.name, description.version
    );
    let advice = context.advice();
    let expected = format!("a valid `{what}` in its description");
    Finding { sentence: sentence.into(), request: "describe".into(), response, expected, advice }
}

fn unknown_games(context: &mut CheckContext<'_>, description: &Description) {
    for spec in &description.games {
        let known = context.target.loader.games().find(&spec.game);
        let unknown = spec.variants.iter().find_map(|text| match known {
            None => Some(format!("the game `{}`", spec.game)),
            Some(info) => info.variant(text).err().map(|error| error.to_string()),
        });
        if let Some(unknown) = unknown {
            let finding = Finding {
                sentence: format!("its description has an unknown game or variant: {unknown}"),
                request: "describe".into(),
                response: format!("{} with {}", spec.game, spec.variants.join(", ")),
                expected: "games and variants of this host, which never plays others".into(),
                advice: "sandboard rules --help".into(),
            };
            context.warn(finding);
        }
    }
}

/// The options that are declared tunable but are no numbers.
fn untunable(options: &[OptionSpec]) -> impl Iterator<Item = Finding> + '_ {
    options.iter().filter(|option| option.tunable && !option.kind.is_number()).map(|option| {
        Finding {
            sentence: format!("its option `{}` is tunable, but not a number", option.name),
            request: "describe".into(),
            response: format!("option `{}`: {:?}, tunable", option.name, option.kind),
            expected: "whole or real numbers; `sandboard tune` varies nothing else".into(),
            advice: "sandboard options ENGINE; docs/authoring.md".into(),
        }
    })
}

/// Warns of differences between the manifest and the description.
fn against_manifest(context: &mut CheckContext<'_>, entry: &Entry, description: &Description) {
    let mut problems = Vec::new();
    if !entry.version.is_empty() && entry.version != description.version {
        problems.push((
            format!(
                "its version is {} in the manifest and {} in its description",
                entry.version, description.version
            ),
            format!("version {}", description.version),
        ));
    }
    for spec in &entry.games {
        let own = description.games.iter().find(|own| own.game == spec.game);
        for text in &spec.variants {
            let info = context.target.loader.games().find(&spec.game);
            let covers = |declared: &String| {
                let variant = info.and_then(|info| info.variant(text).ok());
                info.zip(variant).is_some_and(|(info, variant)| info.covers(declared, &variant))
            };
            if !own.is_some_and(|own| own.variants.iter().any(covers)) {
                let name = format!("{} {text}", spec.game);
                problems.push((
                    format!("the manifest names {name}, but its description does not"),
                    format!("{:?}", description.games),
                ));
            }
        }
    }
    for option in entry.options.iter().filter(|_| entry.options_complete) {
        let own = description.options.iter().find(|own| own.name == option.name);
        let kind = |kind: &Kind| format!("{kind:?}");
        let differs = own.is_none_or(|own| own.kind.check(&option.initial).is_err());
        if differs {
            let response = own.map_or("no such option".to_owned(), |own| kind(&own.kind));
            problems.push((
                format!(
                    "option `{}` differs between the manifest and its description",
                    option.name
                ),
                response,
            ));
        }
    }
    let unnamed = |own: &&OptionSpec| entry.options.iter().all(|option| option.name != own.name);
    let missing: Vec<&str> = match entry.options_complete {
        true => description.options.iter().filter(unnamed).map(|own| own.name.as_str()).collect(),
        false => Vec::new(),
    };
    if !missing.is_empty() {
        problems.push((
            format!(
                "the manifest lists options without {}, so that they cannot be set",
                missing.join(", ")
            ),
            counted(description.options.len(), "option"),
        ));
    }
    for (sentence, response) in problems {
        let source = entry.source.display();
        context.warn(Finding {
            sentence,
            request: format!("describe, and read {source}"),
            response,
            expected: "the same in both".into(),
            advice: format!("correct {source}: docs/manifest.md"),
        });
    }
}

/// The failure of an engine that plays no game of this host.
pub(crate) fn nothing_to_try(context: &CheckContext<'_>) -> StepFailure {
    context.failed(Finding {
        sentence: "it plays no game that this host knows".into(),
        request: "describe".into(),
        response: format!("{:?}", context.loaded.as_ref().map(|loaded| &loaded.description.games)),
        expected: "a game of this host with a variant of it".into(),
        advice: context.advice(),
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
        let warned = ["its option `greed` is tunable, but not a number"];
        check(Kind::Whole(0, 9), true, &[]);
        check(Kind::Real(0.0, 1.0), true, &[]);
        check(Kind::Toggle, true, &warned);
        check(Kind::Pick(vec!["calm".into()]), true, &warned);
        check(Kind::Text(9), true, &warned);
        check(Kind::Toggle, false, &[]);
    }
}
