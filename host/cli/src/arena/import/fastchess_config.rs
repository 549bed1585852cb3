//! Reads a configuration file of fastchess as the command line that it stands for.

use serde_json::Value as Json;

/// The command line that a configuration file of fastchess stands for.
pub(super) fn words_of_json(json: &Json) -> Result<Vec<String>, String> {
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
