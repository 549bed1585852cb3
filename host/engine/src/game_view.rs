//! Positions of games as the answers of the ABI's `look` and `legal`.

use sandboard_abi::limits::NO_SEAT;
use sandboard_abi::{Ending, View};
use sandboard_games::DynGame;
use sandboard_games::general::Actor;
pub(crate) use sandboard_games::general::Observer;

/// The position of `game` with this text, for an instance that plays `seats`. Of several seats to
/// move, an own seat is named first.
pub(crate) fn view(game: &dyn DynGame, position: String, seats: &[u8]) -> View {
    let next = game.next();
    let own = next.seats().iter().find(|seat| seats.contains(&seat.0));
    let to_move = match next.first() {
        Some(Actor::Chance) => NO_SEAT,
        _ => own.unwrap_or_else(|| game.to_move()).0,
    };
    let ending = game.ending();
    let ending =
        ending.map(|ending| Ending { scores: ending.scores, reason: ending.reason.into_owned() });
    View { position, to_move, ending }
}

/// The legal moves of the first own seat to move; if there is none, what is played next.
pub(crate) fn legal(game: &dyn DynGame, seats: &[u8]) -> String {
    let mut line = String::new();
    match game.next().seats().iter().find(|seat| seats.contains(&seat.0)) {
        Some(own) => game.write_legal_of(own, &mut line),
        None => game.write_legal(&mut line),
    }
    line
}
