//! `sandboard analyse`: positions in, what an engine makes of them out. Every
//! line has an instance of its own, so no line can spoil the next.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use sandboard_abi::{Barred, Bound, Decision, Description, Line, Setup};
use sandboard_games::DynGame;
use serde::Serialize;

use super::engines::{EngineArgs, Engines, check_budget, only_game};
use super::json_lines::{Moves, Question, Wrong, serve};
use super::{SeatSpec, game_named, usage, variant_of};
use crate::bout::EnginePlayer;
use crate::budget::Budget;
use crate::clock::{Clock, Grace};
use crate::engine::{Fault, FaultCode, Listener};

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
  sandboard analyse gomoku-alpha:table-mib=64 --game gomoku --variant standard --budget depth:6 < FILE
  echo '{}' | sandboard analyse gomoku-alpha --exclude h8 --exclude i9"#;

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
    /// What each answer may spend: 5s/move, depth:8, nodes:1e6, fuel:2e9/move [default: 5s/move]
    #[arg(long, value_name = "BUDGET")]
    budget: Option<Budget>,
    /// A move not to be chosen; may be given several times
    #[arg(long, value_name = "MOVE")]
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
    let (id, options) = args.engine.engine()?;
    let budget = budget(args)?;
    let mut engines = Engines::open(&args.engines)?;
    let info = match &args.game {
        Some(game) => game_named(game)?,
        None => only_game(&engines.find(id)?)?,
    };
    let variant = variant_of(info, args.variant.as_deref())?;
    let player = engines.player(id, options, budget.unit(), (info, &variant))?;
    let entry = engines.find(id)?;
    check_proves(&budget, id, &engines.load(&entry, budget.unit())?.description)?;
    let mut analyst = Analyst { player, budget, seed: args.seed, exclude: args.exclude.clone() };
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
fn check_proves(budget: &Budget, id: &str, description: &Description) -> Result<()> {
    if budget.is_none() && !description.abilities.proves {
        return Err(usage(format!(
            "the budget `none` is for engines that can prove a result, and `{id}` does not say \
             that it can; give a limit: 60s/move, depth:12, nodes:1e7"
        )));
    }
    Ok(())
}

struct Analyst {
    player: EnginePlayer,
    budget: Budget,
    seed: u64,
    exclude: Vec<String>,
}

/// Keeps the last line of rank 1.
#[derive(Default)]
struct LastLine(Mutex<Option<Line>>);

impl Listener for LastLine {
    fn report(&self, line: &Line) {
        if line.rank <= 1 {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.clone());
        }
    }
}

impl Analyst {
    fn answer(&mut self, game: &dyn DynGame, question: &Question) -> Result<Answer, Wrong> {
        if let Some(outcome) = game.outcome() {
            return Err(format!("the game is over: {}", outcome.reason).into());
        }
        let barred = self.barred(game, question)?;
        let heard = Arc::new(LastLine::default());
        let choice = self.choose(game, &barred, heard.clone()).map_err(|fault| Wrong {
            error: format!("engine `{}` {}", self.player.id, fault.sentence),
            fault: Some(fault.code),
        })?;
        let last = heard.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let line = choice.line.or(last).unwrap_or_default();
        let proved = line.score.is_some_and(|score| score.bound == Bound::Exact);
        if self.budget.is_none() && !proved {
            return Err(format!("engine `{}` ended without a proof", self.player.id).into());
        }
        let mv = match &choice.decision {
            Decision::Play(text) => Some(self.checked(game, text, &barred)?),
            Decision::Resign => None,
            Decision::AcceptDraw => {
                let id = &self.player.id;
                return Err(format!("engine `{id}` accepts a draw that nobody offers").into());
            }
        };
        Ok(Answer {
            r#move: mv,
            score: line.score.map(|score| score.value),
            bound: line.score.map(|score| match score.bound {
                Bound::Estimate => "estimate",
                Bound::AtLeast => "at-least",
                Bound::AtMost => "at-most",
                Bound::Exact => "exact",
            }),
            depth: line.depth,
            nodes: line.nodes,
            pv: line.moves.split_ascii_whitespace().map(str::to_owned).collect(),
        })
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

    fn choose(
        &self,
        game: &dyn DynGame,
        barred: &[Barred],
        heard: Arc<LastLine>,
    ) -> Result<sandboard_abi::Choice, Fault> {
        let mut engine = self.player.source.open(heard)?;
        // The position says all: what was played before it is part of it where rules need it.
        engine.start(&Setup {
            game: game.info().id.into(),
            variant: game.variant().text(),
            start: game.position(),
            moves: String::new(),
            seats: vec![game.to_move().0],
            seed: self.seed,
            options: self.player.options.clone(),
            memory_bytes: self.player.memory_bytes,
            threads: self.player.threads,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        })?;
        let limits = Clock::new(self.budget).limits(Grace::default());
        engine.choose(&limits, barred).map(|answer| answer.choice)
    }

    fn checked(&self, game: &dyn DynGame, text: &str, barred: &[Barred]) -> Result<String, Wrong> {
        let wrong = |reason: String| Wrong {
            error: format!("engine `{}` chose an illegal move: {reason}", self.player.id),
            fault: Some(FaultCode::IllegalMove),
        };
        let shown = crate::manifest::quoted(text);
        let mv = game
            .canonical(text)
            .map_err(|refusal| wrong(format!("{shown}: {}", refusal.reason)))?;
        match barred.iter().any(|barred| barred.r#move == mv) {
            true => Err(wrong(format!("{shown} is excluded"))),
            false => Ok(mv),
        }
    }
}
