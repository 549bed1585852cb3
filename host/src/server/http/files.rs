//! Files of games: read for whoever brings them, kept nowhere.

use axum::body::Bytes;
use axum::extract::Query;
use sandboard_games::formats::{By, Format, GameTree, Told};
use sandboard_games::{GAMES, GameInfo, Side};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Admitted, aside};
use crate::convert::{Illegal, from_record, play_through, read_decoded, start_of};
use crate::record::Record;
use crate::referee::tidy;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::room::game_named;

/// How many games of a file are told.
const GAMES_TOLD: usize = 200;
/// The longest comment that is told, in bytes.
const COMMENT_BYTES: usize = 4096;

/// What a file is called, and what it may be of.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its name: the ending says the format.
    name: String,
    /// The game's id, where several games have files of that ending.
    game: Option<String>,
}

/// The games of a file.
#[derive(Serialize, ToSchema)]
pub struct Games {
    games: Vec<FileGame>,
}

/// A game of a file.
#[derive(Serialize, ToSchema)]
pub struct FileGame {
    label: String,
    game: &'static str,
    variant: String,
    start: Option<String>,
    moves: Vec<String>,
    names: Vec<String>,
    result: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<Comment>,
}

/// A comment on a position.
#[derive(Serialize, ToSchema)]
pub struct Comment {
    /// After how many moves.
    ply: usize,
    text: String,
}

/// `POST /files`.
pub async fn read(
    _: Admitted,
    named: Result<Query<Named>, axum::extract::rejection::QueryRejection>,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Answer<axum::Json<Games>> {
    let Query(named) = named.map_err(|error| Problem::bad("query", error.body_text()))?;
    let body = body.map_err(|error| Problem::new(Kind::TooLarge, error))?;
    aside(move || games_of(&named, &body)).await.map(axum::Json)
}

fn games_of(named: &Named, bytes: &[u8]) -> Answer<Games> {
    let asked = named.game.as_deref().map(game_named).transpose()?;
    let ending = named.name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    if ending == "json" {
        let wrong = |error: crate::record::RecordError| Problem::bad("file", error);
        let record = Record::parse(bytes, sandboard_games::game).map_err(wrong)?;
        return Ok(Games { games: vec![of_record(&record)?] });
    }
    let mut first_error = None;
    for (info, format) in readers(&ending, asked) {
        let Some(reads) = format.read else { continue };
        match read_decoded(reads, format.encoding, bytes, None) {
            Ok(trees) if !trees.is_empty() => match of_trees(info, trees) {
                Ok(games) => return Ok(Games { games }),
                Err(problem) => drop(first_error.get_or_insert(problem)),
            },
            Ok(_) => drop(first_error.get_or_insert(Problem::bad("file", "it holds no game"))),
            Err(error) => {
                first_error.get_or_insert(Problem::bad("file", error));
            }
        }
    }
    let ending = tidy(&ending, 16);
    let unknown = || Problem::bad("name", format!("no game has files that end with `.{ending}`"));
    Err(first_error.unwrap_or_else(unknown))
}

/// The formats of files with this ending.
fn readers(
    ending: &str,
    asked: Option<&'static GameInfo>,
) -> impl Iterator<Item = (&'static GameInfo, &'static Format)> {
    let games = GAMES.iter().copied();
    let games = games.filter(move |info| asked.is_none_or(|asked| asked.id == info.id));
    let all = games.flat_map(|info| info.formats.iter().map(move |format| (info, format)));
    all.filter(move |(_, format)| format.extensions.contains(&ending))
}

fn of_trees(info: &'static GameInfo, trees: Vec<GameTree>) -> Answer<Vec<FileGame>> {
    let count = trees.len();
    let mut games = Vec::new();
    for (index, mut tree) in trees.into_iter().enumerate().take(GAMES_TOLD) {
        let place = || if count == 1 { "file".to_owned() } else { format!("game {}", index + 1) };
        let (start, _) =
            start_of(info, None, &tree).map_err(|error| Problem::bad(place(), error))?;
        let played = play_through(&mut tree, &start, Illegal::Refused);
        played.map_err(|error| Problem::new(Kind::IllegalMove, error).at(place()))?;
        let (variant, position) = (start.variant.text(), start.position.clone());
        games.push(told(info, variant, position, &tree, index, None));
    }
    Ok(games)
}

fn of_record(record: &Record) -> Answer<FileGame> {
    let wrong = |error: &dyn std::fmt::Display| Problem::bad("file", error.to_string());
    let start = record.start(sandboard_games::game).map_err(|error| wrong(&error))?;
    let tree = from_record(record).map_err(|error| wrong(&error))?;
    let (variant, position) = (start.variant.text(), start.position);
    let result = record.result.as_ref().map(|result| result.sentence.clone());
    Ok(told(start.game, variant, position, &tree, 0, result))
}

fn told(
    info: &'static GameInfo,
    variant: String,
    start: Option<String>,
    tree: &GameTree,
    index: usize,
    result: Option<String>,
) -> FileGame {
    let names: Vec<String> = tree.names.iter().flatten().cloned().collect();
    let comment = |(index, node): (usize, sandboard_games::formats::Node<'_>)| {
        let text = node.comment.filter(|text| !text.is_empty())?;
        Some(Comment { ply: index + 1, text: tidy(text, COMMENT_BYTES) })
    };
    FileGame {
        label: match names.as_slice() {
            [] => format!("{} {}", info.name, index + 1),
            names => names.join(" – "),
        },
        game: info.id,
        variant,
        start,
        moves: tree.main_line().map(|node| node.mv.to_owned()).collect(),
        comments: tree.main_line().enumerate().filter_map(comment).collect(),
        result: result.or_else(|| tree.result.map(|told| sentence(info, told))),
        names,
    }
}

fn sentence(info: &GameInfo, told: Told) -> String {
    let Some(Side(winner)) = told.winner else { return "draw".into() };
    let winner = info.sides[usize::from(winner & 1)];
    match told.by {
        By::Unsaid => format!("{winner} wins"),
        By::Resignation => format!("{winner} wins by resignation"),
        By::Time => format!("{winner} wins on time"),
        By::Forfeit => format!("{winner} wins by forfeit"),
    }
}
