//! Routes that hand out the files of a sandboxed engine, so that the client can run it in the
//! visitor's browser. They call no engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use sandboard_packs::catalog::{Catalog, Entry, GameEntry};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::pack_files::{engine_file, rules_module};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Admitted, Path, run_blocking};
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::{App, client, messages};

/// The query of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameQuery {
    /// The id of the game that the engine is to play.
    game: String,
}

/// The files with which a browser runs an engine. Every address is a path on this server; a file
/// with another content has another address.
#[derive(Serialize, ToSchema)]
pub(crate) struct EngineFileList {
    /// The script of the worker in which the engine runs.
    worker: String,
    /// The program that the worker loads: the host's rules, referee and sandbox, as WebAssembly
    /// compressed by gzip.
    program: String,
    /// The engine's module.
    module: String,
    /// The memory limit, in bytes.
    memory_bytes: u64,
    /// The files that the engine may read, by name.
    assets: BTreeMap<String, String>,
    /// The rules of the game, if they are plugged in; null: the game is built in.
    rules: Option<RulesFile>,
    /// The options that are set in every game.
    options: BTreeMap<String, String>,
}

/// The rules of a plugged-in game.
#[derive(Serialize, ToSchema)]
pub(crate) struct RulesFile {
    /// What the game says of itself; the program reads it.
    #[schema(value_type = Object)]
    description: serde_json::Value,
    /// The module of the rules.
    module: String,
}

/// Handles `GET /engines/{id}/files`.
pub(crate) async fn list(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    query: Result<Query<GameQuery>, axum::extract::rejection::QueryRejection>,
) -> ApiResult<axum::Json<EngineFileList>> {
    let Query(GameQuery { game }) =
        query.map_err(|error| Problem::bad_request("game", error.body_text()))?;
    run_blocking(move || {
        let entry = sandboxed_engine(&app, &id)?;
        let Catalog { games, game_entries, .. } = app.hub.engine_provider.catalog();
        let info = games.find(&game).ok_or_else(|| {
            Problem::new(ProblemKind::Unprocessable, format!("there is no game `{game}`"))
                .at("game")
        })?;
        let [worker, program] = client::device_files()
            .ok_or_else(|| Problem::new(ProblemKind::Busy, messages::NO_PAGES))?;
        let address = |sha256: &str| {
            format!("{}/engines/{}/files/{sha256}", super::operations::PREFIX, path_segment(&id))
        };
        let rules = info.plugged_in.and_then(|plugged_in| {
            let entry = find_rules(&game_entries, &game, plugged_in.sha256)?;
            let game = path_segment(&entry.id);
            let prefix = super::operations::PREFIX;
            Some(RulesFile {
                description: serde_json::to_value(entry.description()).ok()?,
                module: format!("{prefix}/games/{game}/rules/{}", entry.sha256),
            })
        });
        let assets = entry.assets.iter();
        Ok(axum::Json(EngineFileList {
            worker,
            program,
            module: address(&entry.sha256),
            memory_bytes: crate::engines::memory_bytes(&entry),
            assets: assets.map(|it| (it.name.clone(), address(&it.sha256))).collect(),
            rules,
            options: entry.presets.iter().cloned().collect(),
        }))
    })
    .await
}

/// Handles `GET /engines/{id}/files/{sha256}`.
pub(crate) async fn one(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, sha256)): Path<(String, String)>,
) -> ApiResult<Response> {
    run_blocking(move || {
        let entry = sandboxed_engine(&app, &id)?;
        let bytes = engine_file(&entry, &sha256).ok_or_else(no_such_file)?;
        Ok(file(bytes.map_err(changed)?))
    })
    .await
}

/// Handles `GET /games/{id}/rules/{sha256}`.
pub(crate) async fn rules(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path((id, sha256)): Path<(String, String)>,
) -> ApiResult<Response> {
    run_blocking(move || {
        let entries = app.hub.engine_provider.catalog().game_entries;
        let entry = find_rules(&entries, &id, &sha256).ok_or_else(no_such_file)?;
        Ok(file(rules_module(entry).map_err(changed)?))
    })
    .await
}

fn find_rules<'a>(entries: &'a [GameEntry], game: &str, sha256: &str) -> Option<&'a GameEntry> {
    entries.iter().find(|entry| entry.id == game && entry.sha256 == sha256)
}

fn sandboxed_engine(app: &App, id: &str) -> ApiResult<Entry> {
    let entry = app.engines.entry(id).ok_or_else(|| {
        Problem::new(ProblemKind::NotFound, format!("there is no usable engine `{id}`"))
    })?;
    if entry.kind == Some(ModuleKind::Wasm) {
        return Ok(entry);
    }
    let noun = entry.kind.map_or("of an unknown kind", ModuleKind::noun);
    let detail = format!("engine `{id}` is {noun}: it runs on the server only");
    Err(Problem::new(ProblemKind::Conflict, detail))
}

fn no_such_file() -> Problem {
    Problem::new(ProblemKind::NotFound, messages::NO_UPLOADED_FILE)
}

fn changed(fault: sandboard_engine::Fault) -> Problem {
    Problem::new(ProblemKind::Conflict, fault.sentence)
}

/// A file whose address names its content.
fn file(bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable")),
    ];
    (headers, bytes).into_response()
}

/// A text as one segment of a path.
fn path_segment(text: &str) -> String {
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                segment.push(byte.into());
            }
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::path_segment;

    #[test]
    fn segments_are_escaped() {
        let check = |text: &str, expected: &str| assert_eq!(path_segment(text), expected);
        check("gomoku-alpha", "gomoku-alpha");
        check("a/b?c", "a%2Fb%3Fc");
        check("é", "%C3%A9");
    }
}
