//! `sandboard analyse`: positions in, what an engine makes of them out. Every
//! line has an instance of its own, so no line can spoil the next.

use anyhow::Result;
use sandboard_abi::{Barred, Bound, Description};
use sandboard_games::DynGame;
use serde::Serialize;

use super::engines::{EngineArgs, Engines, check_budget, only_game};
use super::json_lines::{Moves, Question, Wrong, serve};
use super::{SeatSpec, game_named, usage, variant_of};
use crate::ask::{Asker, bound_word, checked};
use crate::budget::Budget;
use crate::engine::Fault;

const EXAMPLES: &str = r#"Each line of standard input is a JSON object, each gets one line of output, in order:
  position  a position text; absent: the variant's own start
  moves     moves played from there: ["h8", "i9"] or "h8 i9"; absent: none
  exclude   moves not to be chosen, beside those of --exclude
  variant   instead of --variant, for this line

An answer has `move` (null when the engine resigns), `score` (in the game's own unit, from the
mover's side; null when the engine gives none), `bound` (estimate, at-least, at-most, exact),
`depth`, `nodes` and `pv` (a list of moves). A bad line, and a fault of the engine, gets
{"error": …} and stops nothing; blank lines are skipped.

Examples:
  echo '{"moves": ["h8", "i9"]}' | sandboard analyse gomoku-alpha --budget 2s/move
  sandboard analyse gomoku-alpha:table-mib=8 --game gomoku --variant standard --budget depth:6 < FILE
  echo '{}' | sandboard analyse gomoku-alpha --exclude h8,i9
  echo '{}' | sandboard analyse xiangqi-mt:threads=2 --budget 10s/move"#;

/// Ask an engine about positions, line by line
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The engine: its id, with options where wanted (`id:option=value`)
    #[arg(value_name = "ENGINE")]
    engine: SeatSpec,
    /// The game's id; may be left out when the engine plays just one
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The variant, with a size where it has several: `freestyle-19`
    #[arg(long)]
    variant: Option<String>,
    /// What each answer may spend: 5s/move, cpu:5s/move, depth:8, nodes:1e6,
    /// fuel:2e9/move [default: 5s/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// Moves not to be chosen, wherever they are legal: several with commas or blanks between them
    #[arg(long, value_name = "MOVES")]
    exclude: Vec<String>,
    /// The engine's source of randomness
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

pub fn run(args: &Args) -> Result<()> {
    let spec = args.engine.engine()?;
    let id = spec.id.as_str();
    let budget = budget(args)?;
    let mut engines = Engines::open(&args.engines)?;
    let info = match &args.game {
        Some(game) => game_named(game)?,
        None => only_game(&engines.find(id)?)?,
    };
    let variant = variant_of(info, args.variant.as_deref())?;
    let player = engines.player(spec, budget.unit(), (info, &variant))?;
    let entry = engines.find(id)?;
    check_proves(&budget, id, &engines.load(&entry, budget.unit())?.description)?;
    let asker = Asker { player, budget, seed: args.seed };
    let exclude = args.exclude.iter().flat_map(|moves| moves.split([',', ' ']));
    let exclude = exclude.filter(|mv| !mv.is_empty()).map(str::to_owned).collect();
    let analyst = Analyst { asker, exclude };
    serve(|question: Question| {
        let game = question.game(info, &variant)?;
        analyst.answer(game.as_ref(), &question)
    })
}

fn budget(args: &Args) -> Result<Budget> {
    let usual = || Budget::wall_per_move(5_000_000);
    let budget = args.budget.or(args.engine.budget).unwrap_or_else(usual);
    check_budget(&budget)?;
    Ok(budget)
}

/// Without a limit an engine ends when the result is proved; one that proves
/// nothing would never end.
pub(super) fn check_proves(budget: &Budget, id: &str, description: &Description) -> Result<()> {
    if budget.is_none() && !description.abilities.proves {
        return Err(usage(format!(
            "the budget `none` is for engines that can prove a result, and `{id}` does not say \
             that it can; give a limit: 60s/move, depth:12, nodes:1e7"
        )));
    }
    Ok(())
}

struct Analyst {
    asker: Asker,
    exclude: Vec<String>,
}

impl Analyst {
    fn answer(&self, game: &dyn DynGame, question: &Question) -> Result<Answer, Wrong> {
        if let Some(outcome) = game.outcome() {
            return Err(format!("the game is over: {}", outcome.reason).into());
        }
        let barred = self.barred(game, question)?;
        let asked = self.asker.ask(game, &barred);
        let choice = asked.answer.map_err(|fault| self.wrong(fault))?.choice;
        let mv = checked(game, &choice, &barred).map_err(|fault| self.wrong(fault))?;
        let line = choice.line.or(asked.last).unwrap_or_default();
        let proved = line.score.is_some_and(|score| score.bound == Bound::Exact);
        if self.asker.budget.is_none() && !proved {
            return Err(format!("engine `{}` ended without a proof", self.asker.player.id).into());
        }
        Ok(Answer {
            r#move: mv,
            score: line.score.map(|score| score.value),
            bound: line.score.map(|score| bound_word(score.bound)),
            depth: line.depth,
            nodes: line.nodes,
            pv: line.moves.split_ascii_whitespace().map(str::to_owned).collect(),
        })
    }

    fn wrong(&self, fault: Fault) -> Wrong {
        let error = format!("engine `{}` {}", self.asker.player.id, fault.sentence);
        Wrong { error, fault: Some(fault.code) }
    }

    /// The excluded moves that are legal here: those of the command line, which
    /// are for every line, where they are; those of the line must be.
    fn barred(&self, game: &dyn DynGame, question: &Question) -> Result<Vec<Barred>, String> {
        let own = question.exclude.iter().flat_map(Moves::texts);
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
