//! The OpenAPI document: one row for each route; the schemas are derived from the types that are
//! read and written.

use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use super::{
    analysis, arenas, bouts, contest_actions, contest_games, contests, engine_usage, engines,
    files, games, session, solve,
};
use crate::arenas::{ArenaCard, ArenaView, LiveGames};
use crate::engines::Listing;
use crate::hub::{OpenedRoom, QuickGame, QuickGameRequest};
use crate::problem::ProblemBody;
use crate::wire::{NewRoom, Position, RoomCard, Snapshot};

/// A route, for the document.
struct Route {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    /// The schema of the body; `file`: bytes; empty: no body.
    body: &'static str,
    status: &'static str,
    /// The schema of the response; `[]` before it: a list; `file`: bytes; empty: no body.
    response: &'static str,
}

const fn route(
    [method, path, summary]: [&'static str; 3],
    body: &'static str,
    [status, response]: [&'static str; 2],
) -> Route {
    Route { method, path, summary, body, status, response }
}

/// All routes, in the order of the router.
const ROUTES: &[Route] = &[
    route(["get", "/info", "Version, and what the caller may do"], "", ["200", "Info"]),
    route(["post", "/login", "Log in with the token: sets a cookie"], "Login", ["204", ""]),
    route(["get", "/games", "The games and their variants"], "", ["200", "[]Game"]),
    route(
        ["post", "/position", "Apply moves to a position, and list the legal moves"],
        "PositionRequest",
        ["200", "Position"],
    ),
    route(["get", "/engines", "The engines folder"], "", ["200", "Listing"]),
    route(["post", "/engines", "Upload an engine (`name`)"], "file", ["201", "UploadResult"]),
    route(["delete", "/engines/files/{file}", "Delete an uploaded file"], "", ["204", ""]),
    route(
        ["post", "/engines/{id}/trust", "Trust an engine that is not sandboxed"],
        "",
        ["204", ""],
    ),
    route(
        ["get", "/engines/{id}/usage", "What an engine used in its latest bouts (`limit`)"],
        "",
        ["200", "EngineUsage"],
    ),
    route(["get", "/rooms", "Open rooms"], "", ["200", "[]RoomCard"]),
    route(["post", "/rooms", "Open a room"], "NewRoom", ["201", "OpenedRoom"]),
    route(
        ["post", "/quick-games", "Join a quick game with the same rules, or wait for one"],
        "QuickGameRequest",
        ["201", "QuickGame"],
    ),
    route(["get", "/rooms/{id}", "A snapshot of a room"], "", ["200", "Snapshot"]),
    route(["get", "/rooms/{id}/record", "The record of a room's bout"], "", ["200", "file"]),
    route(
        ["get", "/rooms/{id}/export/{format}", "The bout in a file format of the game"],
        "",
        ["200", "file"],
    ),
    route(
        ["post", "/rooms/{id}/rematch", "Open a rematch with the sides exchanged (X-Ticket)"],
        "",
        ["201", "OpenedRoom"],
    ),
    route(["get", "/rooms/{id}/ws", "The socket of a room"], "", ["101", ""]),
    route(["get", "/lobby/ws", "The socket of the lobby"], "", ["101", ""]),
    route(
        ["post", "/files", "Read a record or a file of moves (`name`, `game`)"],
        "file",
        ["200", "Games"],
    ),
    route(
        ["post", "/analyse", "Analyse every position of a game, as JSON lines"],
        "AnalysisRequest",
        ["200", "PositionAnalysis"],
    ),
    route(
        ["post", "/solve", "The exact values of a position"],
        "SolveRequest",
        ["200", "Solution"],
    ),
    route(["get", "/bouts", "Finished bouts"], "", ["200", "Bouts"]),
    route(["get", "/bouts/{id}", "The record of a finished bout"], "", ["200", "file"]),
    route(["get", "/arenas", "Arenas"], "", ["200", "[]ArenaCard"]),
    route(
        [
            "get",
            "/arenas/{id}",
            "The tables of an arena; with `since`, waits for a newer version. Filters: `player` (may \
             repeat), `opening`, `round`, `no_faults`",
        ],
        "",
        ["200", "ArenaView"],
    ),
    route(
        [
            "get",
            "/arenas/{id}/games",
            "Finished games (`player`, `opponent`, `opening`, `round`, `fault`, `before`, `limit`)",
        ],
        "",
        ["200", "ArenaGames"],
    ),
    route(["get", "/arenas/{id}/games/{name}", "The record of a game"], "", ["200", "file"]),
    route(["get", "/arenas/{id}/games.csv", "All finished games as CSV"], "", ["200", "file"]),
    route(["get", "/arenas/{id}/report.csv", "The standings as CSV"], "", ["200", "file"]),
    route(["get", "/arenas/{id}/report.html", "The arena as a web page"], "", ["200", "file"]),
    route(
        ["get", "/arenas/{id}/live", "Live games; with `since`, waits for a newer version"],
        "",
        ["200", "LiveGames"],
    ),
    route(["post", "/arenas/{id}/stop", "Stop after the current games"], "", ["202", ""]),
    route(["get", "/contests", "Contests"], "", ["200", "[]ContestCard"]),
    route(
        ["get", "/contests/{id}", "The rules and tables of a contest"],
        "",
        ["200", "ContestView"],
    ),
    route(
        ["get", "/contests/{id}/account", "What the holder of a contest token sees in addition"],
        "",
        ["200", "ContestAccount"],
    ),
    route(["post", "/contests/{id}/entries", "Submit an entry"], "file", ["201", "CreatedNumber"]),
    route(
        ["get", "/contests/{id}/entries/{number}", "An entry with its report"],
        "",
        ["200", "EntryView"],
    ),
    route(
        ["post", "/contests/{id}/entries/{number}/retest", "Test an entry again (organiser)"],
        "",
        ["204", ""],
    ),
    route(
        [
            "get",
            "/contests/{id}/games",
            "Games of the token's holder, newest first (`arena`, `before`, `limit`)",
        ],
        "",
        ["200", "OwnGames"],
    ),
    route(
        [
            "get",
            "/contests/{id}/games/{arena}/{name}",
            "The record of a game, without the other players' output",
        ],
        "",
        ["200", "file"],
    ),
    route(
        ["post", "/contests/{id}/trials", "Request an unrated bout"],
        "TrialRequest",
        ["201", "CreatedNumber"],
    ),
    route(
        [
            "get",
            "/contests/{id}/trials/{number}",
            "The record of an unrated bout, without the other player's output",
        ],
        "",
        ["200", "file"],
    ),
    route(
        ["post", "/contests/{id}/entrants/{name}", "Set an entrant's status (organiser)"],
        "EntrantStatusChange",
        ["204", ""],
    ),
    route(
        [
            "post",
            "/contests/{id}/entrants",
            "Add an entrant, or replace an entrant's token (organiser)",
        ],
        "NewEntrant",
        ["201", "EntrantToken"],
    ),
    route(
        ["post", "/contests/{id}/closing-time", "Set the closing time (organiser)"],
        "ClosingTime",
        ["204", ""],
    ),
    route(["get", "/metrics", "Metrics in the text format of Prometheus"], "", ["200", "file"]),
    route(["get", "/operator", "The state of the server (operator)"], "", ["200", "Operator"]),
    route(["get", "/openapi.json", "This document"], "", ["200", "file"]),
];

#[derive(OpenApi)]
#[openapi(
    info(title = "Sandboard", description = "Games between people and engines; docs/server.md."),
    components(schemas(
        session::Info,
        session::Login,
        session::Operator,
        games::Game,
        games::PositionRequest,
        Position,
        Listing,
        engines::UploadResult,
        RoomCard,
        NewRoom,
        OpenedRoom,
        QuickGameRequest,
        QuickGame,
        Snapshot,
        files::Games,
        analysis::AnalysisRequest,
        analysis::PositionAnalysis,
        solve::SolveRequest,
        solve::Solution,
        bouts::Bouts,
        engine_usage::EngineUsage,
        ArenaCard,
        ArenaView,
        arenas::ArenaGames,
        LiveGames,
        contests::ContestCard,
        contests::ContestView,
        contests::ContestAccount,
        contests::EntryView,
        contest_games::OwnGames,
        contest_actions::CreatedNumber,
        contest_actions::TrialRequest,
        contest_actions::EntrantStatusChange,
        contest_actions::NewEntrant,
        contest_actions::EntrantToken,
        contest_actions::ClosingTime,
        ProblemBody,
    ))
)]
struct Schemas;

/// Handles `GET /openapi.json`.
pub(crate) async fn document() -> axum::Json<Value> {
    axum::Json(openapi_document())
}

fn schema(name: &str) -> Value {
    match name.strip_prefix("[]") {
        Some(item) => json!({"type": "array", "items": schema(item)}),
        None if name == "file" => json!({"type": "string", "format": "binary"}),
        None => json!({"$ref": format!("#/components/schemas/{name}")}),
    }
}

fn openapi_document() -> Value {
    let mut paths = Map::new();
    for row in ROUTES {
        let mut operation = json!({"summary": row.summary, "responses": {
            "default": {"description": "the problem", "content": {
                "application/problem+json": {"schema": schema("ProblemBody")},
            }},
        }});
        let mut response = json!({"description": row.summary});
        if !row.response.is_empty() {
            let kind = match row.response {
                "file" => "application/octet-stream",
                "PositionAnalysis" => "application/x-ndjson",
                _ => "application/json",
            };
            response["content"][kind]["schema"] = schema(row.response);
        }
        operation["responses"][row.status] = response;
        if !row.body.is_empty() {
            let kind =
                if row.body == "file" { "application/octet-stream" } else { "application/json" };
            operation["requestBody"]["content"][kind]["schema"] = schema(row.body);
        }
        let names = row.path.split(['{', '}']).skip(1).step_by(2);
        let parameters: Vec<Value> = names
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        let path = paths.entry(format!("/api/v1{}", row.path)).or_insert_with(|| json!({}));
        path[row.method] = operation;
    }
    // Serializing our own types cannot fail.
    let mut document = serde_json::to_value(Schemas::openapi()).unwrap_or_default();
    document["paths"] = Value::Object(paths);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects every `$ref` of a value.
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
    fn every_referenced_schema_exists() {
        let document = openapi_document();
        assert!(document["openapi"].as_str().is_some_and(|it| it.starts_with("3.1")));
        let mut found = Vec::new();
        refs(&document, &mut found);
        assert!(found.len() > ROUTES.len());
        for path in found {
            let pointer = path.trim_start_matches('#');
            assert!(document.pointer(pointer).is_some(), "{path}");
        }
    }

    #[test]
    fn every_route_is_documented() {
        let source = include_str!("../http.rs");
        let (_, table) = source.split_once("let api = Router::new()").unwrap();
        let (table, _) = table.split_once(".fallback(").unwrap();
        let paths = table.split("\"/").skip(1).filter_map(|it| it.split('"').next());
        let paths: std::collections::BTreeSet<String> = paths.map(|it| format!("/{it}")).collect();
        let documented = ROUTES.iter().map(|row| row.path.to_owned()).collect();
        assert_eq!(paths, documented);
    }
}
