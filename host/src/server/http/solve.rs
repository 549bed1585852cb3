//! Positions solved exactly, where the game has a solver: on threads of their own, a few at once;
//! who goes away stops the solver.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use sandboard_games::DynGame;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use utoipa::ToSchema;

use super::{Json, Known, aside};
use crate::exact::{self, ExactError, ExactGame};
use crate::server::App;
use crate::server::problem::{Answer, Kind, Problem};
use crate::server::room::{game_named, start_of};

/// How long a position may take.
const POSITION: Duration = Duration::from_secs(30);
/// How long somebody waits while others have their positions solved.
const PATIENCE: Duration = Duration::from_secs(10);

/// A position that is to be solved.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Solve {
    /// The game's id.
    game: String,
    /// The variant's text.
    #[serde(default)]
    variant: String,
    /// Where it begins.
    #[serde(default)]
    start: Option<String>,
    /// The moves to the position.
    #[serde(default)]
    moves: Vec<String>,
}

/// What perfect play comes to.
#[derive(Serialize, ToSchema)]
pub struct Solved {
    /// What is counted.
    unit: &'static str,
    /// The side that moves.
    side: u8,
    /// The seat that moves.
    to_move: u8,
    /// What that side has at the end, what it has won until then included.
    value: u32,
    /// What each side has won until now.
    taken: [u32; 2],
    /// The same for each legal move, in the order of the position's list.
    moves: Vec<SolvedMove>,
}

/// A move, and what it comes to.
#[derive(Serialize, ToSchema)]
pub struct SolvedMove {
    /// Its text.
    r#move: String,
    /// What the side that moves has at the end.
    value: u32,
}

/// `POST /solve`.
pub async fn solve(
    _: Known,
    State(app): State<Arc<App>>,
    Json(wanted): Json<Solve>,
) -> Answer<axum::Json<Solved>> {
    let game = game_named(&wanted.game)?;
    let unsolved = || Problem::bad("game", format!("nobody can solve {} exactly", game.name));
    let row = exact::of_game(game.id).ok_or_else(unsolved)?;
    let game = aside(move || {
        let Solve { game, variant, start, moves } = wanted;
        let start = start_of(&game, &variant, start, &moves)?;
        start.set_up().map_err(|error| Problem::bad("start", error))
    })
    .await?;
    let seat = seated(&app.solvers, PATIENCE).await?;
    let (side, to_move) = (game.side(game.to_move()).0, game.to_move().0);
    let solved = on_a_thread(row, game, seat, POSITION)?.await;
    let lost = |_| Problem::new(Kind::Internal, "the solver was lost with its thread");
    let solved = solved.map_err(lost)?.map_err(|error| match error {
        ExactError::Stopped => {
            let detail = format!("the position was not solved within {} s", POSITION.as_secs());
            Problem::new(Kind::TooMany, detail)
        }
        wrong => Problem::bad("start", wrong),
    })?;
    let exact::Solved { value, taken, moves } = solved;
    let moves = moves.into_iter().map(|(r#move, value)| SolvedMove { r#move, value }).collect();
    Ok(axum::Json(Solved { unit: row.unit, side, to_move, value, taken, moves }))
}

/// A seat among the solvers, if one is free in time.
async fn seated(solvers: &Arc<Semaphore>, patience: Duration) -> Answer<OwnedSemaphorePermit> {
    let busy = || Problem::new(Kind::TooMany, "other positions are being solved; try again soon");
    let seat = tokio::time::timeout(patience, solvers.clone().acquire_owned()).await;
    seat.ok().and_then(Result::ok).ok_or_else(busy)
}

type Told = Result<exact::Solved, ExactError>;

/// Solves on a thread that ends with it, after so long at most, or soon after nobody waits for the
/// answer any more.
fn on_a_thread(
    row: &'static ExactGame,
    game: Box<dyn DynGame>,
    seat: OwnedSemaphorePermit,
    most: Duration,
) -> Answer<oneshot::Receiver<Told>> {
    let (tell, told) = oneshot::channel();
    let thread = std::thread::Builder::new().name("solver".into());
    let spawned = thread.spawn(move || {
        let since = Instant::now();
        let go_on = || !tell.is_closed() && since.elapsed() < most;
        let solved = row.solve(&*game, &go_on);
        // Who asks again at once finds it free.
        drop(seat);
        // Nobody may be waiting.
        let _ = tell.send(solved);
    });
    spawned.map_err(|error| Problem::new(Kind::Internal, error))?;
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ENDLESS;

    fn anything() -> Box<dyn DynGame> {
        start_of("bridge", "", None, &[]).unwrap().set_up().unwrap()
    }

    #[tokio::test]
    async fn nobody_waits_for_ever() {
        let solvers = Arc::new(Semaphore::new(1));
        let seat = seated(&solvers, Duration::ZERO).await.unwrap();
        let busy = seated(&solvers, Duration::ZERO).await.unwrap_err();
        assert_eq!(busy.kind, Kind::TooMany);
        let told = on_a_thread(&ENDLESS, anything(), seat, Duration::ZERO).unwrap();
        assert_eq!(told.await.unwrap(), Err(ExactError::Stopped));
        assert!(seated(&solvers, Duration::ZERO).await.is_ok(), "the seat is free again");
    }

    #[tokio::test]
    async fn who_goes_away_stops_the_solver() {
        let solvers = Arc::new(Semaphore::new(1));
        let seat = seated(&solvers, Duration::ZERO).await.unwrap();
        let told = on_a_thread(&ENDLESS, anything(), seat, Duration::MAX).unwrap();
        drop(told);
        // It is free only when the solver has stopped.
        let seat = solvers.acquire_owned().await.unwrap();
        drop(seat);
    }
}
