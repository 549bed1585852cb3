//! Tests of the parts for games of any kind, with small games that exist only here.

mod engine;
mod is_mcts;
mod matching_pennies;
mod max_n;
mod random_tree;
mod replay_sampler;
mod urn;

use sandboard_abi::Limits;
use sandboard_games::general::{GeneralRules, Observer};
use sandboard_games::{PositionError, PositionFault, Seat};

use super::{GeneralTask, Knowledge};
use crate::host::Host;

/// The refusal of all position texts.
fn no_position_texts<G>() -> Result<G, PositionError> {
    Err(PositionError(vec![PositionFault { offset: 0, reason: "it is hidden".into() }]))
}

/// What a seat knows after these moves, if it has seen these texts.
fn knowledge<G: GeneralRules>(start: &G, position: &G, seat: u8, seen: &[&str]) -> Knowledge<G> {
    let mut view = String::new();
    position.write_view(Observer::Seat(Seat(seat)), &mut view);
    Knowledge {
        variant: start.variant(),
        start: Some(start.clone()),
        start_view: String::new(),
        seats: vec![Seat(seat)],
        seen: seen.iter().map(|text| (*text).to_owned()).collect(),
        view,
    }
}

/// Calls `test` with a task of the seat to move in a position of a game of perfect information.
fn with_task<G: GeneralRules, T>(
    position: &G,
    limits: &Limits,
    barred: &[G::Move],
    host: &Host,
    test: impl FnOnce(GeneralTask<'_, G>) -> T,
) -> T {
    let seat = position.next().seats().lowest().expect("a seat to move");
    let knowledge = knowledge(position, position, seat.0, &[]);
    test(GeneralTask { seat, knowledge: &knowledge, world: position, limits, barred, host })
}
