//! Runs a suite: requests a choice in each position, each from a fresh instance. A fault of the
//! engine is the result of its position and does not end the run.

use super::case::Case;
use super::result::{PositionResult, SearchPoint};
use sandboard_bout::query::{PositionQuery, QueryResult, bound_name, checked_move};

/// Receives the progress of a run.
pub trait RunObserver {
    /// A position is about to be tested.
    fn position_started(&mut self, _case: &Case) {}
    /// A position was tested.
    fn position_finished(&mut self, _case: &Case, _outcome: &PositionResult) {}
}

impl RunObserver for () {}

/// Tests all cases in order.
pub fn run(
    cases: &[Case],
    query: &PositionQuery,
    observer: &mut dyn RunObserver,
) -> Vec<PositionResult> {
    let one = |case: &Case| {
        observer.position_started(case);
        let outcome = result(case, query.run(case.game.as_ref(), &[]));
        observer.position_finished(case, &outcome);
        outcome
    };
    cases.iter().map(one).collect()
}

/// Judges the answer of the engine.
fn result(case: &Case, asked: QueryResult) -> PositionResult {
    let (spent, choice) = match asked.answer {
        Ok(answer) => (answer.spent, Ok(answer.choice)),
        Err(fault) => (fault.spent, Err(fault)),
    };
    let own_line = choice.as_ref().ok().and_then(|choice| choice.line.clone());
    let line = own_line.or(asked.last_line).unwrap_or_default();
    let mv = choice.and_then(|choice| checked_move(case.game.as_ref(), &choice, &[]));
    let (mv, fault) = match mv {
        Ok(mv) => (mv, None),
        Err(fault) => (None, Some((&fault).into())),
    };
    let solved = mv.as_deref().is_some_and(|mv| case.solution.is_solved_by(mv, line.score));
    let end = SearchPoint { time_us: spent.wall_us, depth: line.depth, nodes: line.nodes };
    let settled_turn =
        case.solution.settled_turn(&asked.preferences, |text| case.game.canonical(text).ok());
    let solved_at = settled_turn.map_or(end, |turn| SearchPoint {
        time_us: turn.time_us,
        depth: turn.depth,
        nodes: turn.nodes,
    });
    PositionResult {
        number: case.number,
        id: case.id.clone(),
        solved,
        wanted: case.solution.to_string(),
        r#move: mv,
        fault,
        score: line.score.map(|score| score.value),
        bound: line.score.map(|score| bound_name(score.bound).to_owned()),
        score_fits: case.solution.score_fits(line.score),
        depth: line.depth,
        nodes: line.nodes,
        time_us: spent.wall_us,
        fuel: spent.fuel,
        solved_at: solved.then_some(solved_at),
    }
}
