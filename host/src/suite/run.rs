//! Puts a suite to an engine, position by position, each to a fresh instance. A
//! fault of the engine is the result of its position, never the end of the run.

use super::check::Case;
use super::outcome::{At, Outcome};
use crate::ask::{Asked, Asker, bound_word, checked};

/// Sees how a run gets on.
pub trait Watcher {
    /// A position is about to be asked.
    fn begins(&mut self, _case: &Case) {}
    /// It was answered.
    fn done(&mut self, _case: &Case, _outcome: &Outcome) {}
}

impl Watcher for () {}

/// Asks about every case, in order.
pub fn run(cases: &[Case], asker: &Asker, watcher: &mut dyn Watcher) -> Vec<Outcome> {
    let one = |case: &Case| {
        watcher.begins(case);
        let outcome = judged(case, asker.ask(case.game.as_ref(), &[]));
        watcher.done(case, &outcome);
        outcome
    };
    cases.iter().map(one).collect()
}

/// What came of an answer.
fn judged(case: &Case, asked: Asked) -> Outcome {
    let (spent, choice) = match asked.answer {
        Ok(answer) => (answer.spent, Ok(answer.choice)),
        Err(fault) => (fault.spent, Err(fault)),
    };
    let own_line = choice.as_ref().ok().and_then(|choice| choice.line.clone());
    let line = own_line.or(asked.last).unwrap_or_default();
    let mv = choice.and_then(|choice| checked(case.game.as_ref(), &choice, &[]));
    let (mv, fault) = match mv {
        Ok(mv) => (mv, None),
        Err(fault) => (None, Some((&fault).into())),
    };
    let solved = mv.as_deref().is_some_and(|mv| case.answer.is_solved_by(mv, line.score));
    let end = At { time_us: spent.wall_us, depth: line.depth, nodes: line.nodes };
    let settled = case.answer.settled(&asked.turns, |text| case.game.canonical(text).ok());
    let solved_at = settled.map_or(end, |turn| At {
        time_us: turn.time_us,
        depth: turn.depth,
        nodes: turn.nodes,
    });
    Outcome {
        number: case.number,
        id: case.id.clone(),
        solved,
        wanted: case.answer.to_string(),
        r#move: mv,
        fault,
        score: line.score.map(|score| score.value),
        bound: line.score.map(|score| bound_word(score.bound).to_owned()),
        score_fits: case.answer.score_fits(line.score),
        depth: line.depth,
        nodes: line.nodes,
        time_us: spent.wall_us,
        fuel: spent.fuel,
        solved_at: solved.then_some(solved_at),
    }
}
