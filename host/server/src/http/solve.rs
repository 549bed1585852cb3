//! The route that solves positions exactly, for games with a solver. Each solver has its own
//! thread; it stops when the client disconnects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use sandboard_games::DynGame;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use utoipa::ToSchema;

use super::{AdmittedOrPlayer, Json};
use crate::App;
use crate::problem::{ApiResult, Problem, ProblemKind};
use crate::room::{find_game, parse_start};
use sandboard_bout::solver;
use sandboard_bout::solver::{SolvedGame, SolverError};

/// The time limit of one position.
const SOLVE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a request waits while other positions are solved.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(10);

/// A position to solve.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SolveRequest {
    game: String,
    /// The variant's text; empty: the game's first variant.
    #[serde(default)]
    variant: String,
    /// The start position; absent: the variant's own.
    #[serde(default)]
    start: Option<String>,
    /// The moves to the position.
    #[serde(default)]
    #[schema(max_items = 20_000)]
    moves: Vec<String>,
}

/// The exact values of a position.
#[derive(Serialize, ToSchema)]
pub(crate) struct Solution {
    /// The unit of all values.
    unit: &'static str,
    /// The side to move.
    side: u8,
    /// The seat to move.
    to_move: u8,
    /// The final value for the side to move, including what it has won already.
    value: u32,
    /// What each side has won so far.
    taken: [u32; 2],
    /// The value of each legal move, in the order of the position's list.
    moves: Vec<SolvedMove>,
}

/// A move and its exact value.
#[derive(Serialize, ToSchema)]
pub(crate) struct SolvedMove {
    /// The move's text.
    r#move: String,
    /// The final value for the side to move.
    value: u32,
}

/// Handles `POST /solve`.
pub(crate) async fn solve(
    AdmittedOrPlayer { admitted }: AdmittedOrPlayer,
    State(app): State<Arc<App>>,
    Json(request): Json<SolveRequest>,
) -> ApiResult<axum::Json<Solution>> {
    let game = find_game(&app.hub.games.now(), &request.game)?;
    let no_solver = || Problem::unprocessable("game", crate::messages::no_solver(game.name));
    let row = solver::solved_game(game.id).ok_or_else(no_solver)?;
    let hub = app.hub.clone();
    let set_up = move || {
        let SolveRequest { game, variant, start, moves } = request;
        let start = parse_start(&hub.games.now(), &game, &variant, start, &moves)?;
        start.set_up().map_err(|error| Problem::unprocessable("start", error))
    };
    let game = app.guest_work.run_for(admitted, set_up).await?;
    let permit = acquire_permit(&app.solvers, QUEUE_TIMEOUT).await?;
    let (side, to_move) = (game.side(game.to_move()).0, game.to_move().0);
    let solved = solve_on_thread(row, game, permit, SOLVE_TIMEOUT)?.await;
    let lost = |_| Problem::new(ProblemKind::Internal, "the solver's thread has failed");
    let solved = solved.map_err(lost)?.map_err(|error| match error {
        SolverError::Stopped => {
            let detail =
                format!("the position was not solved within {} s", SOLVE_TIMEOUT.as_secs());
            Problem::new(ProblemKind::TooMany, detail)
        }
        wrong => Problem::unprocessable("start", wrong),
    })?;
    let solver::PositionValues { value, taken, moves } = solved;
    let moves = moves.into_iter().map(|(r#move, value)| SolvedMove { r#move, value }).collect();
    Ok(axum::Json(Solution { unit: row.unit, side, to_move, value, taken, moves }))
}

/// Waits for a permit to solve, at most until the timeout.
async fn acquire_permit(
    solvers: &Arc<Semaphore>,
    timeout: Duration,
) -> ApiResult<OwnedSemaphorePermit> {
    let busy = || Problem::new(ProblemKind::TooMany, crate::messages::TOO_MANY_SOLVED);
    let permit = tokio::time::timeout(timeout, solvers.clone().acquire_owned()).await;
    permit.ok().and_then(Result::ok).ok_or_else(busy)
}

type SolveResult = Result<solver::PositionValues, SolverError>;

/// Solves on a new thread. It stops at the time limit, or soon after the receiver is dropped.
fn solve_on_thread(
    row: &'static SolvedGame,
    game: Box<dyn DynGame>,
    permit: OwnedSemaphorePermit,
    time_limit: Duration,
) -> ApiResult<oneshot::Receiver<SolveResult>> {
    let (sender, receiver) = oneshot::channel();
    let thread = std::thread::Builder::new().name("solver".into());
    let spawned = thread.spawn(move || {
        let started = Instant::now();
        let should_continue = || !sender.is_closed() && started.elapsed() < time_limit;
        let solved = row.solve(&*game, &should_continue);
        // Released first, so that a client who requests the next position at once finds it free.
        drop(permit);
        // The receiver may be gone.
        let _ = sender.send(solved);
    });
    spawned.map_err(|error| Problem::new(ProblemKind::Internal, error))?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandboard_bout::solver::ENDLESS;
    use sandboard_games::Games;

    fn any_game() -> Box<dyn DynGame> {
        parse_start(&Games::default(), "bridge", "", None, &[]).unwrap().set_up().unwrap()
    }

    #[tokio::test]
    async fn waiting_and_solving_are_limited() {
        let solvers = Arc::new(Semaphore::new(1));
        let permit = acquire_permit(&solvers, Duration::ZERO).await.unwrap();
        let busy = acquire_permit(&solvers, Duration::ZERO).await.unwrap_err();
        assert_eq!(busy.kind, ProblemKind::TooMany);
        let receiver = solve_on_thread(&ENDLESS, any_game(), permit, Duration::ZERO).unwrap();
        assert_eq!(receiver.await.unwrap(), Err(SolverError::Stopped));
        assert!(acquire_permit(&solvers, Duration::ZERO).await.is_ok(), "the permit is free again");
    }

    #[tokio::test]
    async fn a_dropped_receiver_stops_the_solver() {
        let solvers = Arc::new(Semaphore::new(1));
        let permit = acquire_permit(&solvers, Duration::ZERO).await.unwrap();
        let receiver = solve_on_thread(&ENDLESS, any_game(), permit, Duration::MAX).unwrap();
        drop(receiver);
        // The permit is free only when the solver has stopped.
        let permit = solvers.acquire_owned().await.unwrap();
        drop(permit);
    }
}
