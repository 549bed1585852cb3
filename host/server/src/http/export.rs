//! Games as files in the formats of their game, for downloads. Nothing is stored.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use sandboard_games::Games;

use crate::problem::{ApiResult, Problem, ProblemKind};
use sandboard_bout::convert::ConvertedGame;
use sandboard_bout::record::Record;

/// Returns bytes as a file to save. Characters of the name that may not be in a header are
/// replaced.
pub(super) fn attachment(name: &str, kind: &'static str, bytes: Vec<u8>) -> Response {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static(kind);
    ([(header::CONTENT_DISPOSITION, disposition), (header::CONTENT_TYPE, kind)], bytes)
        .into_response()
}

/// Returns the game of a record as a file in this format; `name` becomes part of the file's name.
/// Err: the game has no such format, or the format cannot express the game.
pub(super) fn record_as_file(
    games: &Games,
    record: &Record,
    format: &str,
    name: &str,
) -> ApiResult<Response> {
    let game = ConvertedGame::from_record(record, games).map_err(|error| conflict(&error))?;
    game_as_file(&game, format, name)
}

/// Returns a game as a file in this format; see [`record_as_file`].
pub(super) fn game_as_file(game: &ConvertedGame, format: &str, name: &str) -> ApiResult<Response> {
    let info = game.start.game;
    let known = info.formats.iter().find(|it| it.id == format);
    let unknown = || Problem::new(ProblemKind::NotFound, crate::messages::NO_SUCH_FORMAT);
    let known = known.ok_or_else(unknown)?;
    let unwritten = || Problem::new(ProblemKind::Conflict, crate::messages::FORMAT_NOT_WRITTEN);
    let bytes = game.write(known).ok_or_else(unwritten)?.map_err(|error| conflict(&error))?;
    let ending = known.extensions.first().copied().unwrap_or("txt");
    let name = format!("{}-{name}.{ending}", info.id);
    Ok(attachment(&name, "application/octet-stream", bytes))
}

fn conflict(error: &dyn std::fmt::Display) -> Problem {
    Problem::new(ProblemKind::Conflict, error.to_string())
}
