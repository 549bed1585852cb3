//! The OpenAPI document, made from the table of [operations](super::operations) and from the types
//! that are read and written.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;

use super::operations::{
    Access, Body, Content, FILE_NAME, Kind, OPERATIONS, Operation, PREFIX, Parameter,
};
use super::{
    analysis, arena_runs, arenas, bouts, contest_actions, contest_games, contests, engine_files,
    engine_ratings, engine_usage, engines, files, games, invitations, session, solve,
};
use crate::App;
use crate::arenas::{ArenaCard, ArenaView, LiveGames, RunsView};
use crate::engines::Listing;
use crate::hub::{OpenedRoom, QuickGame, QuickGameRequest};
use crate::problem::ProblemBody;
use crate::wire::{NewArena, NewRoom, Position, ResumeArena, RoomBoard, RoomCard, Snapshot};

#[derive(OpenApi)]
#[openapi(
    info(title = "Sandboard"),
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
        RoomBoard,
        files::Games,
        analysis::AnalysisRequest,
        analysis::PositionAnalysis,
        solve::SolveRequest,
        solve::Solution,
        bouts::Bouts,
        engine_files::EngineFileList,
        engine_usage::EngineUsage,
        engine_ratings::EngineRatings,
        ArenaCard,
        NewArena,
        arena_runs::StartedArena,
        RunsView,
        ResumeArena,
        ArenaView,
        arenas::ArenaGames,
        LiveGames,
        contests::ContestCard,
        contests::ContestView,
        contests::ContestAccount,
        contests::EntryView,
        contest_games::OwnGames,
        contest_games::OwnLiveGames,
        contest_actions::CreatedNumber,
        contest_actions::TrialRequest,
        contest_actions::EntrantStatusChange,
        contest_actions::NewEntrant,
        contest_actions::EntrantToken,
        contest_actions::ClosingTime,
        invitations::NewInvitation,
        invitations::InvitationSecret,
        invitations::InvitationView,
        invitations::NewRegistration,
        ProblemBody,
    ))
)]
struct Schemas;

/// What holds for all operations.
const DESCRIPTION: &str = "Games between people and engines; docs/server.md.\n\n\
    Every error is a problem of RFC 9457, except that a head that is too long gets 414 or 431 \
    without a body. A request that contradicts this document gets 400, or 415 for a body of another \
    media type. 422 is for requests that agree with this document but not \
    with the rules of a game, a file format, or what the server knows. Query parameters that an \
    operation does not list are refused with 400, methods that a path does not list with 405 and \
    the header `Allow`. HEAD is supported wherever GET is.";

/// Handles `GET /openapi.json`.
pub(crate) async fn document(State(app): State<Arc<App>>) -> axum::Json<Value> {
    axum::Json(openapi_document(app.token.cookie_name(), app.token.is_required()))
}

fn schema_ref(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// What an error status means, beside its name.
fn error_meaning(status: u16) -> &'static str {
    match status {
        400 => "The request contradicts this document, or is not for this server",
        401 => "The token is missing or wrong",
        403 => "The caller is not allowed to do this, or it is a page of another site",
        404 => "The thing does not exist, or the caller must not know that it does",
        408 => "The body was not received in time",
        409 => "The request conflicts with the current state",
        410 => "The thing existed, but is gone",
        413 => "The body is too long",
        414 => "The path and its query are too long; there is no body",
        415 => "The body has another media type",
        422 => {
            "The request agrees with this document, but not with the rules of a game, a file \
             format, or what the server knows"
        }
        429 => "Too many requests, or too many at once",
        431 => "The head of the request is too long; there is no body",
        503 => "The server has no capacity for the request at the moment",
        _ => "The server failed",
    }
}

/// The name of an error status among the responses.
fn error_name(status: u16) -> String {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let reason = status.canonical_reason().unwrap_or_default();
    reason.split(' ').collect()
}

fn response(operation: &Operation) -> Value {
    let (kind, schema) = match operation.content {
        Content::Absent => return json!({"description": operation.summary}),
        Content::Json(name) => ("application/json", schema_ref(name)),
        Content::List(name) => {
            ("application/json", json!({"type": "array", "items": schema_ref(name)}))
        }
        Content::Lines(name) => ("application/x-ndjson", schema_ref(name)),
        Content::Object => ("application/json", json!({"type": "object"})),
        Content::Text(kind) => (kind, json!({"type": "string"})),
        Content::File => {
            ("application/octet-stream", json!({"type": "string", "format": "binary"}))
        }
    };
    json!({"description": operation.summary, "content": {kind: {"schema": schema}}})
}

fn responses(operation: &Operation) -> Value {
    let mut all = Map::new();
    all.insert(operation.status.to_string(), response(operation));
    for status in operation.errors() {
        let value = match status {
            204 => json!({"description": "There is no newer version"}),
            _ => json!({"$ref": format!("#/components/responses/{}", error_name(status))}),
        };
        all.insert(status.to_string(), value);
    }
    Value::Object(all)
}

fn parameter_schema(kind: Kind) -> Value {
    let number = || json!({"type": "integer", "minimum": 0, "maximum": u32::MAX});
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Pattern(pattern, longest) => {
            json!({"type": "string", "pattern": pattern, "maxLength": longest})
        }
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Number => number(),
        Kind::Numbers => json!({"type": "array", "items": number()}),
        Kind::Id => {
            json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": i64::MAX})
        }
    }
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let in_path = operation.path_parameters().map(|name| {
        let schema = match name {
            "file" => parameter_schema(FILE_NAME),
            "number" => parameter_schema(Kind::Id),
            _ => json!({"type": "string", "minLength": 1}),
        };
        json!({"name": name, "in": "path", "required": true, "schema": schema})
    });
    let in_query = operation.query.iter().map(|parameter| {
        let Parameter { name, about, kind, is_required } = *parameter;
        let mut value = json!({"name": name, "in": "query", "description": about});
        value["schema"] = parameter_schema(kind);
        value["required"] = is_required.into();
        value
    });
    in_path.chain(in_query).collect()
}

fn request_body(operation: &Operation) -> Option<Value> {
    let (kind, schema) = match operation.body {
        Body::Absent => return None,
        Body::Json(name) => ("application/json", schema_ref(name)),
        Body::File => (
            "application/octet-stream",
            json!({"type": "string", "format": "binary", "minLength": 1}),
        ),
    };
    let mut value = json!({"required": true, "content": {kind: {"schema": schema}}});
    if let Ok(example) = serde_json::from_str::<Value>(operation.example) {
        value["content"][kind]["example"] = example;
    }
    Some(value)
}

/// Who may call an operation: one of these secrets is needed.
fn security(access: Access, token_is_required: bool) -> Value {
    match access {
        Access::Contest => json!([{"contestToken": []}]),
        Access::Player => json!([{"ticket": []}]),
        Access::Public => json!([]),
        _ if !token_is_required => json!([]),
        Access::Operator => json!([{"token": []}, {"cookie": []}]),
        Access::OperatorOrPlayer => json!([{"token": []}, {"cookie": []}, {"ticket": []}]),
    }
}

fn security_schemes(cookie_name: &str) -> Value {
    let bearer = |about: &str| json!({"type": "http", "scheme": "bearer", "description": about});
    let key = |place: &str, name: &str, about: &str| json!({"type": "apiKey", "in": place, "name": name, "description": about});
    json!({
        "token": bearer("The operator's token"),
        "contestToken": bearer("A token of the contest: the organiser's or an entrant's"),
        "cookie": key("cookie", cookie_name, "The operator's token, as `POST /login` sets it"),
        "ticket": key("header", "X-Ticket", "The ticket of a player of a room"),
    })
}

fn openapi_document(cookie_name: &str, token_is_required: bool) -> Value {
    let (mut paths, mut errors) = (Map::new(), Map::new());
    for operation in OPERATIONS {
        let mut value = json!({
            "summary": operation.summary,
            "responses": responses(operation),
            "security": security(operation.access, token_is_required),
        });
        let parameters = parameters(operation);
        if !parameters.is_empty() {
            value["parameters"] = parameters.into();
        }
        if let Some(body) = request_body(operation) {
            value["requestBody"] = body;
        }
        let path = paths.entry(format!("{PREFIX}{}", operation.path)).or_insert_with(|| json!({}));
        path[operation.method] = value;
        for status in operation.errors().into_iter().filter(|status| *status >= 400) {
            let mut response = json!({"description": error_meaning(status)});
            if ![414, 431].contains(&status) {
                let schema = schema_ref("ProblemBody");
                response["content"]["application/problem+json"]["schema"] = schema;
            }
            errors.insert(error_name(status), response);
        }
    }
    // Serializing our own types cannot fail.
    let mut document = serde_json::to_value(Schemas::openapi()).unwrap_or_default();
    document["info"]["description"] = DESCRIPTION.into();
    document["paths"] = Value::Object(paths);
    document["components"]["responses"] = Value::Object(errors);
    document["components"]["securitySchemes"] = security_schemes(cookie_name);
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
        let document = openapi_document("cookie", true);
        assert!(document["openapi"].as_str().is_some_and(|it| it.starts_with("3.1")));
        let mut found = Vec::new();
        refs(&document, &mut found);
        assert!(found.len() > OPERATIONS.len());
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
        let documented = OPERATIONS.iter().map(|it| it.path.to_owned()).collect();
        assert_eq!(paths, documented);
    }
}
