//! A bout as clients see it: positions with what the rules derive from them, moves and lines of
//! engines, as values that become JSON. It only reads. The server's API and the pages that play
//! without a server send the same values.

use std::borrow::Cow;

use sandboard_abi::Unit;
use sandboard_games::DynGame;
use sandboard_games::board::Board;
use sandboard_games::general::Observer;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::query::bound_name;
use crate::referee::{self, MoveOrigin, Referee, Viewer};

/// An engine's analysis line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Line {
    /// The score for the side to move, in the game's own unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// `estimate`, `at-least`, `at-most` or `exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// The search depth, in plies.
    pub depth: u32,
    /// The number of nodes searched.
    pub nodes: u64,
    /// The principal variation.
    pub pv: Vec<String>,
    /// The rank among several lines, from 1.
    pub rank: u32,
}

/// A move that was played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ply {
    /// The index of the ply, from 0.
    pub ply: u32,
    /// The seat that moved; null: chance.
    pub seat: Option<u8>,
    /// The player that moved; null: chance.
    pub player: Option<usize>,
    /// The move's text.
    pub r#move: String,
    /// The wall time spent on the move.
    pub spent_ms: u64,
    /// The time left on the game clock after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_ms_left: Option<i64>,
    /// The engine's line for this move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// How the move came about, if it was not simply chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub origin: Option<MoveOrigin>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// The side that won; null: a draw.
    pub winner: Option<u8>,
    /// The score of each seat.
    pub scores: Vec<i32>,
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub reason: Cow<'static, str>,
}

/// A position and what the rules derive from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Position {
    /// The position's text.
    pub position: String,
    /// The seat to move.
    pub to_move: u8,
    /// The side to move.
    pub side: u8,
    /// The current name of the side.
    pub side_name: &'static str,
    /// The legal moves.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub legal: Moves,
    /// The outcome; null: the game is not over.
    pub outcome: Option<Outcome>,
    /// What the rules ask of the player to move beyond an ordinary move, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The opening that was played, where players have a name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<Opening>,
    /// Whether the rules have a null move here, so that threats can be analysed. Only `POST
    /// /position` says so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub null_move: bool,
    /// The board as data, as spectators see it; its schema is docs/board.schema.json. Absent: the
    /// game has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub board: Option<Box<Board>>,
    /// Further facts that depend on the game.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub facts: Map<String, Value>,
}

/// The name of an opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Opening {
    /// The name in Latin letters.
    pub latin: &'static str,
    /// The name in Chinese characters, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chinese: Option<&'static str>,
}

/// A list of moves, kept as one text with spaces between them: there may be hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves(pub Box<str>);

impl Serialize for Moves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.split_ascii_whitespace())
    }
}

/// A whole position and what the rules derive from it.
pub fn position(game: &dyn DynGame) -> Position {
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let mut facts = Map::new();
    for (name, json) in game.facts() {
        let value = serde_json::from_str(&json).unwrap_or(Value::String(json));
        facts.insert(name.to_owned(), value);
    }
    let board = game.board(Observer::Everything);
    // Clients have no board of their own for a plugged-in game.
    if game.info().plugged_in.is_some() && board.is_none() {
        facts.insert("diagram".into(), Value::String(game.diagram(Observer::Everything)));
    }
    let position = position_with(game, game.position(), legal, (board, facts));
    Position { opening: opening(game), ..position }
}

/// The name of the opening that was played, if there is one.
pub fn opening(game: &dyn DynGame) -> Option<Opening> {
    game.opening().map(|name| Opening { latin: name.latin, chinese: name.chinese })
}

fn position_with(
    game: &dyn DynGame,
    position: String,
    legal: String,
    (board, facts): (Option<Board>, Map<String, Value>),
) -> Position {
    let side = game.side(game.to_move());
    let outcome = game.ending().map(|ending| Outcome {
        winner: game.winner().map(|side| side.0),
        scores: ending.scores,
        reason: ending.reason,
    });
    Position {
        position,
        to_move: game.to_move().0,
        side: side.0,
        side_name: game.side_name(side),
        legal: Moves(legal.into()),
        outcome,
        prompt: game.prompt(),
        opening: None,
        null_move: false,
        board: board.map(Box::new),
        facts,
    }
}

/// The current position of a bout as a viewer sees it. A viewer that does not see
/// everything gets legal moves only if it is to move.
pub fn position_for(referee: &Referee, viewer: Viewer) -> Position {
    let viewer = referee.widest(viewer);
    if viewer == Viewer::Everything {
        return position(referee.game());
    }
    let player = referee.to_move().map(|(player, _)| player);
    let legal = match viewer {
        Viewer::Player(viewer) if player == Some(viewer) => referee.legal_moves(),
        _ => String::new(),
    };
    let board = referee.board_for(viewer);
    let diagram = board.is_none().then(|| Value::String(referee.diagram_for(viewer)));
    let facts = diagram.map(|diagram| ("diagram".to_owned(), diagram)).into_iter().collect();
    let seat = referee.seat_to_move();
    let game = referee.game();
    let position = position_with(game, referee.position_for(viewer), legal, (board, facts));
    match seat {
        Some(seat) => {
            let side = game.side(seat);
            Position { to_move: seat.0, side: side.0, side_name: game.side_name(side), ..position }
        }
        None => position,
    }
}

/// An engine's analysis line.
pub fn line(line: &sandboard_abi::Line) -> Line {
    Line {
        score: line.score.map(|score| score.value),
        bound: line.score.map(|score| bound_name(score.bound)),
        depth: line.depth,
        nodes: line.nodes,
        pv: line.moves.split_ascii_whitespace().map(str::to_owned).collect(),
        rank: line.rank.into(),
    }
}

/// One ply of a referee, with the text that its viewer sees.
pub fn ply(index: usize, ply: &referee::Ply, text: &str, shows_line: bool) -> Ply {
    let unit = ply.clock.budget().unit();
    Ply {
        ply: index as u32,
        seat: ply.seat,
        player: ply.player,
        r#move: text.to_owned(),
        spent_ms: ply.spent.wall_us / 1000,
        clock_ms_left: ply.clock.left().map(|left| shown_amount(unit, left)),
        line: ply.line.as_deref().filter(|_| shows_line).map(line),
        origin: ply.origin,
    }
}

/// All plies of a referee that a viewer notices.
pub fn plies(referee: &Referee, viewer: Viewer) -> Vec<Ply> {
    let shows_line = referee.shows_output_to(viewer);
    let seen = referee.moves_for(viewer).enumerate();
    seen.map(|(index, (it, text))| ply(index, it, text, shows_line)).collect()
}

/// An amount as clients show it: microseconds as milliseconds, and units of fuel as they are.
pub fn shown_amount(unit: Unit, amount: i64) -> i64 {
    if unit == Unit::Fuel { amount } else { amount.div_euclid(1000) }
}
