//! The interface as an OpenAPI document: one row for each route, and the shapes of what goes to
//! and fro from the very types that are read and written.

use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use super::{
    analyse, arenas, bouts, contest_desk, contest_games, contests, files, folder, games, receipts,
    session, solve,
};
use crate::server::arenas::{ArenaCard, ArenaTold, LiveTold};
use crate::server::engines::Listing;
use crate::server::hub::{Opened, Paired, Quick};
use crate::server::problem::ProblemBody;
use crate::server::wire::{NewRoom, Position, RoomCard, Snapshot};

/// A route, for people and programs.
struct Row {
    method: &'static str,
    path: &'static str,
    about: &'static str,
    /// The name of the body's shape; `file`: bytes; empty: none.
    body: &'static str,
    status: &'static str,
    /// The name of the answer's shape; with `[]`: a list; `file`: bytes; empty: none.
    answer: &'static str,
}

const fn row(
    [method, path, about]: [&'static str; 3],
    body: &'static str,
    [status, answer]: [&'static str; 2],
) -> Row {
    Row { method, path, about, body, status, answer }
}

/// Every route of the router, in its order.
const ROWS: &[Row] = &[
    row(["get", "/info", "What this server is"], "", ["200", "Info"]),
    row(["post", "/login", "Log in with the token: sets a cookie"], "Login", ["204", ""]),
    row(["get", "/games", "The games and their variants"], "", ["200", "[]Game"]),
    row(["post", "/rules", "What the rules say of a position"], "Question", ["200", "Position"]),
    row(["get", "/engines", "What is in the engines folder"], "", ["200", "Listing"]),
    row(["post", "/engines", "Put a file into it (`name`)"], "file", ["201", "Brought"]),
    row(["delete", "/engines/{id}", "Take an uploaded file out"], "", ["204", ""]),
    row(["post", "/engines/{id}/trust", "Let a native engine run"], "", ["204", ""]),
    row(
        ["get", "/engines/{id}/receipts", "What it used in its latest bouts (`limit`)"],
        "",
        ["200", "Receipts"],
    ),
    row(["get", "/rooms", "Rooms that go on"], "", ["200", "[]RoomCard"]),
    row(["post", "/rooms", "Open a room"], "NewRoom", ["201", "Opened"]),
    row(["post", "/quick", "Play the next who wants the same"], "Quick", ["201", "Paired"]),
    row(["get", "/rooms/{id}", "A room as it stands"], "", ["200", "Snapshot"]),
    row(["get", "/rooms/{id}/record", "The record of its bout"], "", ["200", "file"]),
    row(
        ["get", "/rooms/{id}/export/{format}", "The same in a format of the game"],
        "",
        ["200", "file"],
    ),
    row(
        ["post", "/rooms/{id}/rematch", "Once more, sides exchanged (X-Ticket)"],
        "",
        ["201", "Opened"],
    ),
    row(["get", "/rooms/{id}/ws", "The socket of a room"], "", ["101", ""]),
    row(["get", "/lobby/ws", "The socket of the lobby"], "", ["101", ""]),
    row(
        ["post", "/files", "Read a record or a file of moves (`name`, `game`)"],
        "file",
        ["200", "Games"],
    ),
    row(
        ["post", "/analyse", "Every position of a game: lines of JSON"],
        "Wanted",
        ["200", "Analysed"],
    ),
    row(
        ["post", "/solve", "What perfect play comes to from a position on"],
        "Solve",
        ["200", "Solved"],
    ),
    row(["get", "/bouts", "Bouts that are over"], "", ["200", "Bouts"]),
    row(["get", "/bouts/{id}", "The record of one"], "", ["200", "file"]),
    row(["get", "/arenas", "Arenas of this machine"], "", ["200", "[]ArenaCard"]),
    row(
        [
            "get",
            "/arenas/{id}",
            "One as it stands, or when it is no longer at `since`; of the games that are wanted: `player` (several \
             times), `opening`, `round`, `no_faults`",
        ],
        "",
        ["200", "ArenaTold"],
    ),
    row(
        [
            "get",
            "/arenas/{id}/games",
            "Its games (`player`, `opponent`, `opening`, `round`, `fault`, `before`, `limit`)",
        ],
        "",
        ["200", "ArenaGames"],
    ),
    row(["get", "/arenas/{id}/games/{name}", "The record of one"], "", ["200", "file"]),
    row(["get", "/arenas/{id}/games.csv", "All its games as CSV"], "", ["200", "file"]),
    row(["get", "/arenas/{id}/report.csv", "Its players as CSV"], "", ["200", "file"]),
    row(["get", "/arenas/{id}/report.html", "It as a page to be kept"], "", ["200", "file"]),
    row(
        ["get", "/arenas/{id}/live", "Its games in play, or when they are no longer at `since`"],
        "",
        ["200", "LiveTold"],
    ),
    row(["post", "/arenas/{id}/stop", "Finish the games in play, begin none"], "", ["202", ""]),
    row(["get", "/contests", "Contests of this server"], "", ["200", "[]ContestCard"]),
    row(["get", "/contests/{id}", "What one asks, and its tables"], "", ["200", "ContestTold"]),
    row(
        ["get", "/contests/{id}/own", "What who bears a token of it may know besides"],
        "",
        ["200", "Own"],
    ),
    row(["post", "/contests/{id}/entries", "Submit an entry"], "file", ["201", "Numbered"]),
    row(
        ["get", "/contests/{id}/entries/{number}", "An own entry with its report"],
        "",
        ["200", "EntryTold"],
    ),
    row(
        ["post", "/contests/{id}/entries/{number}/retry", "Have one tried again (organiser)"],
        "",
        ["204", ""],
    ),
    row(
        ["get", "/contests/{id}/games", "Own games, the latest first (`arena`, `before`, `limit`)"],
        "",
        ["200", "OwnGames"],
    ),
    row(
        [
            "get",
            "/contests/{id}/games/{arena}/{name}",
            "The record of one, without what others logged",
        ],
        "",
        ["200", "file"],
    ),
    row(["post", "/contests/{id}/trials", "Ask for an unrated bout"], "Wish", ["201", "Numbered"]),
    row(
        ["get", "/contests/{id}/trials/{number}", "Its record, without what others logged"],
        "",
        ["200", "file"],
    ),
    row(
        ["post", "/contests/{id}/entrants/{name}", "Say that one is in or out (organiser)"],
        "Verdict",
        ["204", ""],
    ),
    row(
        ["post", "/contests/{id}/entrants", "Let somebody in, or give him a new token (organiser)"],
        "Newcomer",
        ["201", "Admitted"],
    ),
    row(
        ["post", "/contests/{id}/closes", "Say until when entries are taken (organiser)"],
        "Closing",
        ["204", ""],
    ),
    row(["get", "/operator", "How the server does"], "", ["200", "Operator"]),
    row(["get", "/openapi.json", "This document"], "", ["200", "file"]),
];

#[derive(OpenApi)]
#[openapi(
    info(title = "Sandboard", description = "Games between people and engines; docs/server.md."),
    components(schemas(
        session::Info,
        session::Login,
        session::Operator,
        games::Game,
        games::Question,
        Position,
        Listing,
        folder::Brought,
        RoomCard,
        NewRoom,
        Opened,
        Quick,
        Paired,
        Snapshot,
        files::Games,
        analyse::Wanted,
        analyse::Analysed,
        solve::Solve,
        solve::Solved,
        bouts::Bouts,
        receipts::Receipts,
        ArenaCard,
        ArenaTold,
        arenas::ArenaGames,
        LiveTold,
        contests::ContestCard,
        contests::ContestTold,
        contests::Own,
        contests::EntryTold,
        contest_games::OwnGames,
        contest_desk::Numbered,
        contest_desk::Wish,
        contest_desk::Verdict,
        contest_desk::Newcomer,
        contest_desk::Admitted,
        contest_desk::Closing,
        ProblemBody,
    ))
)]
struct Shapes;

/// `GET /openapi.json`.
pub async fn document() -> axum::Json<Value> {
    axum::Json(whole())
}

fn shape(name: &str) -> Value {
    match name.strip_prefix("[]") {
        Some(item) => json!({"type": "array", "items": shape(item)}),
        None if name == "file" => json!({"type": "string", "format": "binary"}),
        None => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}

fn whole() -> Value {
    let mut paths = Map::new();
    for row in ROWS {
        let mut told = json!({"summary": row.about, "responses": {
            "default": {"description": "what went wrong", "content": {
                "application/problem+json": {"schema": shape("ProblemBody")},
            }},
        }});
        let mut answer = json!({"description": row.about});
        if !row.answer.is_empty() {
            let kind = match row.answer {
                "file" => "application/octet-stream",
                "Analysed" => "application/x-ndjson",
                _ => "application/json",
            };
            answer["content"][kind]["schema"] = shape(row.answer);
        }
        told["responses"][row.status] = answer;
        if !row.body.is_empty() {
            let kind =
                if row.body == "file" { "application/octet-stream" } else { "application/json" };
            told["requestBody"]["content"][kind]["schema"] = shape(row.body);
        }
        let names = row.path.split(['{', '}']).skip(1).step_by(2);
        let parameters: Vec<Value> = names
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        if !parameters.is_empty() {
            told["parameters"] = parameters.into();
        }
        let path = paths.entry(format!("/api/v1{}", row.path)).or_insert_with(|| json!({}));
        path[row.method] = told;
    }
    // Of our own types: none of it can fail.
    let mut document = serde_json::to_value(Shapes::openapi()).unwrap_or_default();
    document["paths"] = Value::Object(paths);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` of a value.
    fn refs(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(list) => list.iter().for_each(|it| refs(it, found)),
            Value::Object(fields) => fields.iter().for_each(|(name, it)| match it.as_str() {
                Some(text) if name == "$ref" => found.push(text.to_owned()),
                _ => refs(it, found),
            }),
            _ => (),
        }
    }

    #[test]
    fn every_shape_is_there() {
        let document = whole();
        assert!(document["openapi"].as_str().is_some_and(|it| it.starts_with("3.1")));
        let mut found = Vec::new();
        refs(&document, &mut found);
        assert!(found.len() > ROWS.len());
        for path in found {
            let pointer = path.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{path}");
        }
    }

    #[test]
    fn every_route_is_told() {
        let source = include_str!("mod.rs");
        let (_, table) = source.split_once("let api = Router::new()").unwrap();
        let (table, _) = table.split_once(".fallback(").unwrap();
        let paths = table.split("\"/").skip(1).filter_map(|it| it.split('"').next());
        let paths: std::collections::BTreeSet<String> = paths.map(|it| format!("/{it}")).collect();
        let told = ROWS.iter().map(|row| row.path.to_owned()).collect();
        assert_eq!(paths, told);
    }
}
