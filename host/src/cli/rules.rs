//! `sandboard rules`: positions in, what the rules say of them out.

use anyhow::Result;
use sandboard_games::DynGame;
use serde::Serialize;
use serde_json::{Map, Value};

use super::json_lines::{Question, Wrong, serve};
use super::{game_named, variant_of};

const EXAMPLES: &str = r#"Each line of standard input is a JSON object, each gets one line of output, in order:
  position  a position text; absent: the variant's own start
  moves     moves played from there: ["h8", "i9"] or "h8 i9"; absent: none
  variant   instead of --variant, for this line

An answer has `position`, `to_move` (a side), `legal` (a list of moves), `outcome` (null, or
`winner`, which is null or a side, and `reason`), and what the game adds. A bad line gets
{"error": …} and stops nothing; blank lines are skipped.

Examples:
  echo '{}' | sandboard rules gomoku
  echo '{"moves": ["h8", "i9"]}' | sandboard rules gomoku --variant standard
  echo '{"position": "5/5/1xo2/5/5 b", "moves": "c4 d4"}' | sandboard rules gomoku"#;

/// Answer questions about a game's rules, line by line
///
/// Legal moves, ends of games and positions in a game's own notation, for programs that have no
/// rules of their own.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The game's id
    game: String,
    /// The variant, with a size where it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
}

#[derive(Serialize)]
struct Answer {
    position: String,
    to_move: &'static str,
    legal: Vec<String>,
    outcome: Option<Outcome>,
    #[serde(flatten)]
    facts: Map<String, Value>,
}

#[derive(Serialize)]
struct Outcome {
    winner: Option<&'static str>,
    reason: &'static str,
}

pub fn run(args: &Args) -> Result<()> {
    let info = game_named(&args.game)?;
    let variant = variant_of(info, args.variant.as_deref())?;
    serve(|question: Question| {
        if question.exclude.is_some() {
            return Err(Wrong::from("`exclude` is for `sandboard analyse`".to_owned()));
        }
        Ok(answer(question.game(info, &variant)?.as_ref()))
    })
}

fn answer(game: &dyn DynGame) -> Answer {
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let outcome = game.outcome().map(|outcome| Outcome {
        winner: outcome.winner.map(|side| game.side_name(side)),
        reason: outcome.reason,
    });
    let fact = |(name, json): (&'static str, String)| {
        (name.to_owned(), serde_json::from_str(&json).unwrap_or(Value::String(json)))
    };
    Answer {
        position: game.position(),
        to_move: game.side_name(game.side(game.to_move())),
        legal: legal.split_ascii_whitespace().map(str::to_owned).collect(),
        outcome,
        facts: game.facts().into_iter().map(fact).collect(),
    }
}
