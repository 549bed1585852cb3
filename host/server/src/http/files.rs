//! Reads and converts files of games and studies for the client; nothing is stored.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::response::Response;
use sandboard_games::formats::{Format, GameTree, Mark, RecordedResult, ResultCause};
use sandboard_games::{GameInfo, Side};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export::game_as_file;
use super::{Admitted, FileBody, Path, run_blocking};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::room::find_game;
use sandboard_bout::convert::{
    ConvertedGame, IllegalMovePolicy, is_study, play_through, read_decoded, resolve_start,
    tree_from_study,
};
use sandboard_bout::record::Record;
use sandboard_bout::text::sanitize;

/// The most games that are read from one file.
const GAMES_MAX: usize = 200;
/// The longest comment that is returned, in bytes.
const COMMENT_BYTES: usize = 4096;

/// The query of the route.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileQuery {
    /// The file name; its extension selects the format.
    name: String,
    /// The game's id, if several games have files of this extension.
    game: Option<String>,
}

/// The query of a conversion.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversionQuery {
    /// The file name; its extension selects the format of the file.
    name: String,
    /// The game's id, if several games have files of this extension.
    game: Option<String>,
    /// Which game of the file, counted from 0.
    #[serde(default)]
    number: usize,
}

/// The games of a file.
#[derive(Serialize, ToSchema)]
pub(crate) struct Games {
    games: Vec<FileGame>,
}

/// A game of a file.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileGame {
    label: String,
    game: &'static str,
    variant: String,
    start: Option<String>,
    moves: Vec<String>,
    names: Vec<String>,
    result: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<Comment>,
    /// The comment on the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// All moves with variations, comments and marks, as in a study; empty: the file has only
    /// `moves`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<FileNode>,
}

/// A move of a tree. Its parent is the last one before it with a smaller depth.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileNode {
    /// The number of moves up to this one, from 1.
    depth: usize,
    /// The move's text.
    r#move: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// The judgement of the move: `!`, `?`, `!!`, `??`, `!?` or `?!`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<&'static str>,
}

/// A comment on a position.
#[derive(Serialize, ToSchema)]
pub(crate) struct Comment {
    /// The number of moves played before it.
    ply: usize,
    text: String,
}

/// Handles `POST /files`.
pub(crate) async fn read(
    _: Admitted,
    State(app): State<Arc<App>>,
    query: Result<Query<FileQuery>, axum::extract::rejection::QueryRejection>,
    FileBody(body): FileBody,
) -> ApiResult<axum::Json<Games>> {
    let Query(query) = query.map_err(|error| Problem::bad_request("query", error.body_text()))?;
    run_blocking(move || {
        let known = app.hub.games.now();
        let file = parse_file(&known, &query.name, query.game.as_deref(), &body)?;
        Ok(axum::Json(Games { games: games_of(&file) }))
    })
    .await
}

/// Handles `POST /files/export/{format}`.
pub(crate) async fn export(
    _: Admitted,
    State(app): State<Arc<App>>,
    Path(format): Path<String>,
    query: Result<Query<ConversionQuery>, axum::extract::rejection::QueryRejection>,
    FileBody(body): FileBody,
) -> ApiResult<Response> {
    let Query(query) = query.map_err(|error| Problem::bad_request("query", error.body_text()))?;
    run_blocking(move || {
        let file = parse_file(&app.hub.games.now(), &query.name, query.game.as_deref(), &body)?;
        let missing = || {
            let detail = format!("the file has no game {}, counted from 0", query.number);
            Problem::unprocessable("number", detail)
        };
        let (game, _) = file.into_iter().nth(query.number).ok_or_else(missing)?;
        game_as_file(&game, &format, "game")
    })
    .await
}

/// A game of a file, and the sentence of its result if it is a record.
type ParsedGame = (ConvertedGame, Option<String>);

/// Reads a record, a study or a file of moves, and checks all games by the rules. Err: the file is
/// none of this extension, or a game is not legal.
fn parse_file(
    known: &sandboard_games::Games,
    name: &str,
    game: Option<&str>,
    bytes: &[u8],
) -> ApiResult<Vec<ParsedGame>> {
    let game_filter = game.map(|id| find_game(known, id)).transpose()?;
    let extension =
        name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    if extension == "json" {
        return match is_study(bytes) {
            true => parse_study(known, bytes),
            false => Ok(vec![parse_record(known, bytes)?]),
        };
    }
    let mut first_error = None;
    for (info, format) in readers(known, &extension, game_filter) {
        let Some(reads) = format.read else { continue };
        match read_decoded(reads, format.encoding, bytes, None) {
            Ok(trees) if !trees.is_empty() => match check_trees(info, trees) {
                Ok(games) => return Ok(games),
                Err(problem) => {
                    first_error.get_or_insert(problem);
                }
            },
            Ok(_) => {
                first_error.get_or_insert(Problem::unprocessable(
                    "file",
                    crate::messages::NO_GAME_IN_FILE,
                ));
            }
            Err(error) => {
                first_error.get_or_insert(Problem::unprocessable("file", error));
            }
        }
    }
    let extension = sanitize(&extension, 16);
    let unknown = || {
        Problem::unprocessable(
            "name",
            format!("no game has files with the extension `.{extension}`"),
        )
    };
    Err(first_error.unwrap_or_else(unknown))
}

/// Returns the readable formats of files with this extension.
fn readers(
    known: &sandboard_games::Games,
    extension: &str,
    game_filter: Option<&'static GameInfo>,
) -> impl Iterator<Item = (&'static GameInfo, &'static Format)> {
    let games = known
        .iter()
        .filter(move |info| game_filter.is_none_or(|game_filter| game_filter.id == info.id));
    let all = games.flat_map(|info| info.formats.iter().map(move |format| (info, format)));
    all.filter(move |(_, format)| format.extensions.contains(&extension))
}

fn check_trees(info: &'static GameInfo, trees: Vec<GameTree>) -> ApiResult<Vec<ParsedGame>> {
    let count = trees.len();
    let mut games = Vec::new();
    for (index, mut tree) in trees.into_iter().enumerate().take(GAMES_MAX) {
        let location =
            || if count == 1 { "file".to_owned() } else { format!("game {}", index + 1) };
        let (start, _) = resolve_start(info, None, &tree)
            .map_err(|error| Problem::unprocessable(location(), error))?;
        let replayed = play_through(&mut tree, &start, IllegalMovePolicy::Fail);
        replayed.map_err(|error| Problem::new(ProblemKind::IllegalMove, error).at(location()))?;
        games.push((ConvertedGame { start, tree }, None));
    }
    Ok(games)
}

fn parse_study(known: &sandboard_games::Games, bytes: &[u8]) -> ApiResult<Vec<ParsedGame>> {
    let (info, tree) =
        tree_from_study(bytes, known).map_err(|error| Problem::unprocessable("file", error))?;
    check_trees(info, vec![tree])
}

fn parse_record(known: &sandboard_games::Games, bytes: &[u8]) -> ApiResult<ParsedGame> {
    let wrong = |error: &dyn std::fmt::Display| Problem::unprocessable("file", error.to_string());
    let record = Record::parse(bytes, known).map_err(|error| wrong(&error))?;
    let game = ConvertedGame::from_record(&record, known).map_err(|error| wrong(&error))?;
    Ok((game, record.result.map(|result| result.sentence)))
}

fn games_of(file: &[ParsedGame]) -> Vec<FileGame> {
    let games = file.iter().enumerate();
    games.map(|(index, (game, result))| file_game(game, index, result.clone())).collect()
}

fn file_game(game: &ConvertedGame, index: usize, result: Option<String>) -> FileGame {
    let ConvertedGame { start, tree } = game;
    let info = start.game;
    let names: Vec<String> = tree.names.iter().flatten().cloned().collect();
    let comment = |(index, node): (usize, sandboard_games::formats::Node<'_>)| {
        Some(Comment { ply: index + 1, text: node.comment.and_then(comment_text)? })
    };
    let has_more = tree.lines() > 1 || tree.annotation_counts()[0] > 0 || tree.mark_count() > 0;
    let nodes = tree.nodes().filter(|_| has_more).map(|node| FileNode {
        depth: node.depth,
        r#move: node.mv.to_owned(),
        comment: node.comment.and_then(comment_text),
        mark: tree.mark(node.index).map(Mark::text),
    });
    FileGame {
        nodes: nodes.collect(),
        comment: tree.comment.as_deref().and_then(comment_text),
        label: match names.as_slice() {
            [] => format!("{} {}", info.name, index + 1),
            names => names.join(" – "),
        },
        game: info.id,
        variant: start.variant.text(),
        start: start.position.clone(),
        moves: tree.main_line().map(|node| node.mv.to_owned()).collect(),
        comments: tree.main_line().enumerate().filter_map(comment).collect(),
        result: result.or_else(|| tree.result.map(|result| sentence(info, result))),
        names,
    }
}

/// A comment for the client; none: it is empty. Its lines stay lines.
fn comment_text(text: &str) -> Option<String> {
    let lines = text.lines().map(|line| sanitize(line, COMMENT_BYTES));
    let mut joined = lines.collect::<Vec<_>>().join("\n");
    joined.truncate(joined.floor_char_boundary(COMMENT_BYTES));
    (!joined.is_empty()).then_some(joined)
}

fn sentence(info: &GameInfo, result: RecordedResult) -> String {
    let Some(Side(winner)) = result.winner else { return "draw".into() };
    let winner = info.sides[usize::from(winner & 1)];
    match result.cause {
        ResultCause::Unspecified => format!("{winner} wins"),
        ResultCause::Resignation => format!("{winner} wins by resignation"),
        ResultCause::Time => format!("{winner} wins on time"),
        ResultCause::Forfeit => format!("{winner} wins by forfeit"),
    }
}
