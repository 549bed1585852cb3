//! `sandboard analyse`: asks an engine about positions, one JSON object a line. Every line gets a
//! fresh instance of the engine, so that no line affects the next.

use anyhow::Result;
use sandboard_abi::{Barred, Bound, Description};
use sandboard_games::DynGame;
use serde::Serialize;

use super::engines::{EngineArgs, Engines, check_budget, only_game};
use super::json_lines::{LineError, Moves, PositionRequest, serve};
use super::{SeatSpec, game_named, usage, variant_of};
use sandboard_bout::query::{PositionQuery, bound_name, checked_move};
use sandboard_engine::{Budget, Fault};

const EXAMPLES: &str = r#"Input: one JSON object a line. Output: one line for each, in the same order:
  position  a position [default: the start position of the variant]
  moves     moves to play from there: ["h8", "i9"] or "h8 i9" [default: none]
  exclude   moves that the engine must not choose, in addition to --exclude
  variant   replaces --variant for this line

An answer has `move` (null when the engine resigns), `score` (in the unit of the game, from the
mover's side; null when the engine gives none), `bound` (estimate, at-least, at-most, exact),
`depth`, `nodes` and `pv` (a list of moves). An invalid line or a fault of the engine gets
{"error": …} and does not stop the command; blank lines are skipped.

Examples:
  echo '{"moves": ["h8", "i9"]}' | sandboard analyse gomoku-alpha --budget 2s/move
  sandboard analyse gomoku-alpha:table-mib=8 --game gomoku --variant standard --budget depth:6 < FILE
  echo '{}' | sandboard analyse gomoku-alpha --exclude h8,i9
  echo '{}' | sandboard analyse xiangqi-mt:threads=2 --budget 10s/move"#;

/// Ask an engine about positions, one JSON object a line
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine's id, optionally with options (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The game's id; optional when the engine plays only one
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, with its board size if it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// The budget of each answer: 5s/move, cpu:5s/move, depth:8, nodes:1e6,
    /// fuel:2e9/move [default: 5s/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// Moves that the engine must not choose where they are legal, separated by commas or blanks
    #[arg(long, value_name = "MOVES")]
    exclude: Vec<String>,
    /// The engine's seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    engines: EngineArgs,
}

#[derive(Serialize)]
struct Answer {
    r#move: Option<String>,
    score: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    depth: u32,
    nodes: u64,
    pv: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let id = spec.id.as_str();
    let budget = budget(args)?;
    let mut engines = Engines::open(&args.engines)?;
    let info = match &args.game {
        Some(game) => game_named(engines.games(), game)?,
        None => only_game(engines.games(), &engines.find(id)?)?,
    };
    let variant = variant_of(info, args.variant.as_deref())?;
    let player = engines.player(spec, budget.unit(), (info, &variant))?;
    let entry = engines.find(id)?;
    check_proves(&budget, id, &engines.load(&entry, budget.unit())?.description)?;
    let query = PositionQuery { engine: player, budget, seed: args.seed };
    let exclude = args.exclude.iter().flat_map(|moves| moves.split([',', ' ']));
    let exclude = exclude.filter(|mv| !mv.is_empty()).map(str::to_owned).collect();
    let analyst = Analyst { query, exclude };
    serve(|request: PositionRequest| {
        let game = request.game(info, &variant)?;
        analyst.answer(game.as_ref(), &request)
    })
}

fn budget(args: &Args) -> Result<Budget> {
    let default = || Budget::wall_per_move(5_000_000);
    let budget = args.budget.or(args.engine.budget).unwrap_or_else(default);
    check_budget(&budget)?;
    Ok(budget)
}

/// Refuses a budget without limits for an engine that does not prove results: its search would
/// never end.
pub(super) fn check_proves(budget: &Budget, id: &str, description: &Description) -> Result<()> {
    if budget.is_none() && !description.abilities.proves {
        return Err(usage(format!(
            "the budget `none` needs an engine that can prove a result, and `{id}` does not \
             declare that; give a limit: 60s/move, depth:12, nodes:1e7"
        )));
    }
    Ok(())
}

struct Analyst {
    query: PositionQuery,
    exclude: Vec<String>,
}

impl Analyst {
    fn answer(&self, game: &dyn DynGame, request: &PositionRequest) -> Result<Answer, LineError> {
        if let Some(ending) = game.ending() {
            return Err(format!("the game is over: {}", ending.reason).into());
        }
        let barred = self.excluded_moves(game, request)?;
        let result = self.query.run(game, &barred);
        let choice = result.answer.map_err(|fault| self.fault_error(fault))?.choice;
        let mv = checked_move(game, &choice, &barred).map_err(|fault| self.fault_error(fault))?;
        let line = choice.line.or(result.last_line).unwrap_or_default();
        let proved = line.score.is_some_and(|score| score.bound == Bound::Exact);
        if self.query.budget.is_none() && !proved {
            return Err(format!("engine `{}` ended without a proof", self.query.engine.id).into());
        }
        Ok(Answer {
            r#move: mv,
            score: line.score.map(|score| score.value),
            bound: line.score.map(|score| bound_name(score.bound)),
            depth: line.depth,
            nodes: line.nodes,
            pv: line.moves.split_ascii_whitespace().map(str::to_owned).collect(),
        })
    }

    fn fault_error(&self, fault: Fault) -> LineError {
        let error = format!("engine `{}` {}", self.query.engine.id, fault.sentence);
        LineError { error, fault: Some(fault.code) }
    }

    /// The excluded moves in this position. Moves of `--exclude` apply to every line, so illegal
    /// ones are skipped; moves of the line itself must be legal.
    fn excluded_moves(
        &self,
        game: &dyn DynGame,
        request: &PositionRequest,
    ) -> Result<Vec<Barred>, String> {
        let own = request.exclude.iter().flat_map(Moves::texts);
        let mut moves: Vec<String> =
            self.exclude.iter().filter_map(|text| game.canonical(text).ok()).collect();
        for text in own {
            moves.push(game.canonical(text).map_err(|refusal| format!("exclude: {refusal}"))?);
        }
        let mut barred: Vec<Barred> = Vec::new();
        for mv in moves {
            if barred.iter().all(|other| other.r#move != mv) {
                barred.push(Barred { r#move: mv, reason: "excluded".into() });
            }
        }
        let mut legal = String::new();
        game.write_legal(&mut legal);
        match legal.split_ascii_whitespace().count() == barred.len() {
            true => Err("every legal move is excluded".into()),
            false => Ok(barred),
        }
    }
}
