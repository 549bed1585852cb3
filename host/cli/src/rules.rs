//! `sandboard rules`: answers questions about positions by the rules of a game.

use std::borrow::Cow;

use anyhow::Result;
use sandboard_bout::view::{Opening, opening};
use sandboard_games::DynGame;
use sandboard_games::board::Board;
use sandboard_games::general::{Next, Observer};
use serde::Serialize;
use serde_json::{Map, Value};

use super::json_lines::{LineError, PositionRequest, serve};
use super::{game_named, known_games, variant_of};

const EXAMPLES: &str = r#"Input: one JSON object a line. Output: one line for each, in the same order:
  position  a position [default: the start position of the variant]
  moves     moves to play from there: ["h8", "i9"] or "h8 i9" [default: none]
  variant   replaces --variant for this line

An answer has `position`, `to_move` (a side, or `chance`), `legal` (a list of moves, or of outcomes
of chance), `outcome` (null, or an object with `winner`, a side or null, `scores` of the seats, and
`reason`), `board` if the game describes its board (docs/board.md), and fields of the game. An
invalid line gets {"error": …} and does not stop the command; blank lines are skipped.

Examples:
  echo '{}' | sandboard rules gomoku
  echo '{"moves": ["h8", "i9"]}' | sandboard rules gomoku --variant standard
  echo '{"position": "5/5/1xo2/5/5 b", "moves": "c4 d4"}' | sandboard rules gomoku"#;

/// Answer questions about a game's rules, one JSON object a line
///
/// Gives legal moves, results and positions in the game's own notation, for programs that have no
/// rules of their own.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The game's id
    game: String,
    /// The variant, with its board size if it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    position: String,
    to_move: &'static str,
    legal: Vec<String>,
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<Opening>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Board>,
    #[serde(flatten)]
    facts: Map<String, Value>,
}

#[derive(Serialize)]
struct Outcome {
    winner: Option<&'static str>,
    scores: Vec<i32>,
    reason: Cow<'static, str>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let info = game_named(&known_games(), &args.game)?;
    let variant = variant_of(info, args.variant.as_deref())?;
    serve(|request: PositionRequest| {
        if request.exclude.is_some() {
            return Err(LineError::from("`exclude` is for `sandboard analyse`".to_owned()));
        }
        Ok(answer(request.game(info, &variant)?.as_ref()))
    })
}

fn answer(game: &dyn DynGame) -> Answer {
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let outcome = game.ending().map(|ending| Outcome {
        winner: game.winner().map(|side| game.side_name(side)),
        scores: ending.scores,
        reason: ending.reason,
    });
    let to_move = match game.next() {
        Next::Chance => "chance",
        Next::Seats(_) | Next::Over => game.side_name(game.side(game.to_move())),
    };
    // Of a game without a board, such as most plugged-in ones.
    let has_diagram =
        game.info().plugged_in.is_some() && game.board(Observer::Everything).is_none();
    let diagram = has_diagram.then(|| Value::String(game.diagram(Observer::Everything)));
    let fact = |(name, json): (&'static str, String)| {
        (name.to_owned(), serde_json::from_str(&json).unwrap_or(Value::String(json)))
    };
    Answer {
        position: game.position(),
        to_move,
        legal: legal.split_ascii_whitespace().map(str::to_owned).collect(),
        outcome,
        opening: opening(game),
        board: game.board(Observer::Everything),
        facts: game
            .facts()
            .into_iter()
            .map(fact)
            .chain(diagram.map(|diagram| ("diagram".to_owned(), diagram)))
            .collect(),
    }
}
