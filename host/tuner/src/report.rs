//! A run as one self-contained page: the weights found, their history, their strength. Pure. Names
//! are escaped, so that no markup or hidden character in them has an effect.

use std::fmt::Write;

use sandboard_evolution::{End, Generation, Method, Weights};
use sandboard_tournament::stats::Sample;

use super::plots::{Curve, plot};
use super::run::State;
use super::setup::{Measure, TuneSetup};
use sandboard_arena::present::{escape_html, sanitize};

/// How many paths of weights one picture shows.
const PATHS: usize = 8;

/// Describes the result of the final match: `61.2 % of the points (57.8 to 64.6 %), +79 Elo (+55 to
/// +104), likelihood of superiority 99.9 %`.
pub fn describe_match(pairs: [u64; 5]) -> Option<String> {
    let sample = Sample::new(&pairs);
    let (elo, [low, high]) = (sample.elo()?, sample.interval()?);
    let bound = |elo: f64| match (elo.is_finite(), elo > 0.0) {
        (true, _) => format!("{elo:+.0}"),
        (_, true) => "+∞".to_owned(),
        (_, false) => "-∞".to_owned(),
    };
    Some(format!(
        "{:.1} % of the points ({:.1} to {:.1} %), {} Elo ({} to {}), likelihood of superiority {:.1} %",
        100.0 * sample.mean,
        100.0 * low,
        100.0 * high,
        bound(elo.elo),
        bound(elo.low),
        bound(elo.high),
        100.0 * elo.superiority
    ))
}

/// Describes why a run is over.
pub fn describe_end(end: Option<&End>) -> String {
    match end {
        None => "not over yet".into(),
        Some(End::Measurements) => "all measurements done".into(),
        Some(End::Games) => "all games played".into(),
        Some(End::Converged { reason }) => reason.clone(),
    }
}

/// The best weights as an options file, with a comment on how they were found.
pub fn options_file(setup: &TuneSetup, state: &State) -> String {
    let (space, best) = (setup.space(), state.seasons().best());
    let progress = state.seasons().progress();
    let mut text = format!(
        "# Found by `sandboard tune` {} for {} {}: {}, {} measurements, {} games; {}.\n\
         # Use: {}:options=FILE\n",
        setup.created_at,
        sanitize(&setup.engine.engine),
        sanitize(&setup.engine.version),
        setup.run.method.name(),
        progress.measurements,
        progress.games,
        describe_end(state.seasons().end()),
        sanitize(&setup.engine.engine),
    );
    for (name, value) in space.options(&best) {
        let _ = writeln!(text, "{name} = {value}");
    }
    text
}

/// The run as an HTML page.
pub fn html(setup: &TuneSetup, state: &State) -> String {
    let title = format!("Tuning of {}", escape_html(&setup.engine.engine));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"generator\" content=\"Sandboard\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <meta name=\"color-scheme\" content=\"light dark\" />\n<title>{title}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <p class=\"lead\">{} {}, {}</p>\n</header>\n<main>\n",
        include_str!("../../arena/src/present/html/report.css"),
        escape_html(&setup.game),
        escape_html(&setup.variant),
        setup.run.method.name(),
    );
    page += &section("Result", &result(setup, state));
    page += &section("Weights", &weights(setup, &state.seasons().best()));
    let generations: Vec<Generation> = state.seasons().generations().collect();
    page += &section("History", &pictures(setup, &generations));
    page += &section("Setup", &facts(setup));
    let version = env!("CARGO_PKG_VERSION");
    page + &format!(
        "</main>\n<footer><p>Written by Sandboard {version}.</p></footer>\n</body>\n</html>\n"
    )
}

fn section(title: &str, body: &str) -> String {
    format!("<section>\n<h2>{title}</h2>\n{body}</section>\n")
}

fn facts_of(facts: &[(&str, String)]) -> String {
    let fact = |(name, value): &(&str, String)| {
        format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape_html(value))
    };
    format!("<dl>\n{}</dl>\n", facts.iter().map(fact).collect::<String>())
}

fn result(setup: &TuneSetup, state: &State) -> String {
    let progress = state.seasons().progress();
    let faults = state.faults();
    let pairs = state.final_match();
    let played: u64 = pairs.iter().sum();
    let mut facts = vec![
        ("ended", describe_end(state.seasons().end())),
        ("measurements", progress.measurements.to_string()),
        (game_unit(setup), progress.games.to_string()),
        (
            "found weights against start",
            match describe_match(pairs) {
                Some(words) => format!("{words}, {} games", 2 * played),
                None => "not played".into(),
            },
        ),
    ];
    if let Some(last) = faults.last {
        facts.push(("units with faults", format!("{}, last: {last}", faults.units)));
    }
    facts_of(&facts)
}

/// The unit in which games are counted.
fn game_unit(setup: &TuneSetup) -> &'static str {
    match setup.measure {
        Measure::Games { .. } => "games",
        Measure::Agreement { .. } => "pairs of positions",
    }
}

fn weights(setup: &TuneSetup, best: &Weights) -> String {
    let head = "<th>option</th><th class=\"n\">least</th><th class=\"n\">start</th>\
                <th class=\"n\">found</th><th class=\"n\">greatest</th>";
    let mut rows = String::new();
    for (parameter, value) in setup.space().parameters().iter().zip(best.values()) {
        let name = escape_html(&parameter.name);
        let figures = [parameter.min, parameter.start, *value, parameter.max];
        let cells: String = figures.map(|it| format!("<td class=\"n\">{it}</td>")).concat();
        let _ = writeln!(rows, "<tr><th>{name}</th>{cells}</tr>");
    }
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>{head}</tr></thead>\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn pictures(setup: &TuneSetup, generations: &[Generation]) -> String {
    let across = game_unit(setup);
    let curve = |name: &str, value: &dyn Fn(&Generation) -> Option<f64>| Curve {
        name: name.to_owned(),
        points: generations.iter().filter_map(|it| Some((it.games as f64, value(it)?))).collect(),
    };
    let shares = [
        curve("best", &|it| Some(it.shares?.best)),
        curve("mean", &|it| Some(it.shares?.mean)),
        curve("worst", &|it| Some(it.shares?.worst)),
    ];
    let diversity = [curve("distance of the weights", &|it| it.diversity)];
    let mut body = String::new();
    let mut add = |title: &str, curves: &[Curve], up: &str| {
        if let Some(svg) = plot(curves, across, up) {
            let _ = writeln!(
                body,
                "<h3>{title}</h3>\n<div class=\"scroll\" tabindex=\"0\">{svg}</div>"
            );
        }
    };
    add("Fitness by generation", &shares, "share of the points");
    add("Diversity", &diversity, "mean distance, parts of the ranges");
    let parameters = setup.space().parameters();
    for (index, part) in parameters.chunks(PATHS).enumerate() {
        let paths: Vec<Curve> = (index * PATHS..)
            .zip(part)
            .map(|(at, parameter)| {
                let range = parameter.max - parameter.min;
                let part = |it: &Generation| Some((it.mean.get(at)? - parameter.min) / range);
                curve(&sanitize(&parameter.name), &part)
            })
            .collect();
        let title = match parameters.len() {
            0..=PATHS => "Paths of the weights".to_owned(),
            _ => format!("Paths of the weights, {}", index + 1),
        };
        add(&title, &paths, "part of the range");
    }
    match body.is_empty() {
        true => "<p>No measurements yet.</p>\n".into(),
        false => body,
    }
}

/// The file's name without its folder, which is private to the machine.
fn file_name(path: &str) -> String {
    let name = std::path::Path::new(path).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn facts(setup: &TuneSetup) -> String {
    let mut names: Vec<String> =
        setup.opponents.iter().map(sandboard_arena_plan::Contestant::describe).collect();
    if names.is_empty() && matches!(setup.measure, Measure::Games { .. }) {
        names.push("itself at the start".into());
    }
    if setup.seasons > 1 {
        names.push(format!(
            "from the second of {} seasons on, the best weights of each earlier season instead of the start",
            setup.seasons
        ));
    }
    let measure = match &setup.measure {
        Measure::Games { pairs, .. } => format!("{pairs} pairs of games"),
        Measure::Agreement { file, positions, .. } => {
            format!("{positions} positions of {}", file_name(file))
        }
    };
    // Only this method sets a threshold for races.
    let has_threshold = matches!(setup.run.method, Method::SteadyState(_));
    let race = match setup.measure.race_error().filter(|_| has_threshold) {
        Some(error) => format!("stopped early with an error rate of {:.1} %", 100.0 * error),
        None => "never stopped early".into(),
    };
    let method = serde_json::to_string(&setup.run.method).unwrap_or_default();
    facts_of(&[
        ("started", setup.created_at.clone()),
        ("engine", setup.engine.describe()),
        ("opponents", names.join("; ")),
        ("measurement", format!("{measure}, {race}")),
        ("openings", setup.openings.as_ref().map_or("none".into(), |it| file_name(&it.file))),
        ("method", method),
        ("seed", setup.run.seed.to_string()),
    ])
}
