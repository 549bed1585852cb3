//! The component side of `export_game!`: translates between the types that wit-bindgen generates
//! from the WIT and those of `sandboard-games`.

use std::cell::RefCell;
use std::sync::Once;

use sandboard_games as games;
use sandboard_games::general::{Actor, GeneralRules, Next, Observer};
use sandboard_games::{Phase, PlayoutPlan, Playouts, Seat};

use crate::judge::{Judge, Turn};

#[allow(missing_docs, unsafe_code, clippy::all)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "wit/game-since-v1",
        world: "game",
        pub_export_macro: true,
        default_bindings_module: "sandboard_game_sdk::export::bindings",
        runtime_path: "sandboard_game_sdk::export::runtime",
    });
}

#[doc(hidden)]
pub use wit_bindgen::rt as runtime;

use bindings::exports::sandboard::game::judge as exported;
use bindings::sandboard::game::{host, types};

/// The games of a component instance.
pub struct JudgeSlot<G: GeneralRules>(RefCell<Judge<G>>);

// SAFETY: the target has no threads, since no host enables them. Only one thread accesses the slot.
#[allow(unsafe_code)]
unsafe impl<G: GeneralRules> Sync for JudgeSlot<G> {}

#[allow(missing_docs, reason = "each function is documented in the WIT")]
impl<G: GeneralRules> JudgeSlot<G> {
    /// A slot without games.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(RefCell::new(Judge::new()))
    }

    pub fn start(
        &self,
        variant: &str,
        position: &str,
    ) -> Result<exported::Started, Vec<exported::PositionFault>> {
        report_panics();
        match self.0.borrow_mut().start(variant, position) {
            Ok((game, variant, turn)) => {
                Ok(exported::Started { game, variant, turn: to_turn(turn) })
            }
            Err(faults) => Err(faults.into_iter().map(to_fault).collect()),
        }
    }

    pub fn clone_game(&self, game: u32) -> u32 {
        self.0.borrow_mut().clone_game(game)
    }

    pub fn close(&self, game: u32) {
        self.0.borrow_mut().close(game);
    }

    pub fn play(&self, game: u32, mv: &str) -> Result<exported::Played, String> {
        let (mv, turn) = self.0.borrow_mut().play(game, mv)?;
        Ok(exported::Played { move_: mv, turn: to_turn(turn) })
    }

    pub fn canonical(&self, game: u32, seat: u8, mv: &str) -> Result<String, String> {
        self.0.borrow().canonical(game, seat, mv)
    }

    pub fn legal(&self, game: u32, seat: u8) -> String {
        self.0.borrow().legal(game, seat)
    }

    pub fn notation(&self, game: u32, mv: &str) -> Option<String> {
        self.0.borrow().notation(game, mv)
    }

    pub fn chance(&self, game: u32) -> Vec<exported::Outcome> {
        let outcome = |(mv, weight)| exported::Outcome { move_: mv, weight };
        self.0.borrow().chance(game).into_iter().map(outcome).collect()
    }

    pub fn playouts(
        &self,
        game: u32,
        seed: u64,
        games: u32,
        plies_max: u32,
    ) -> exported::PlayoutResults {
        let plan = PlayoutPlan { seed, games, plies_max };
        let Playouts { plies, scores, unfinished, decisions, choices } =
            self.0.borrow().playouts(game, &plan);
        exported::PlayoutResults { plies, scores, unfinished, decisions, choices }
    }

    pub fn view(&self, game: u32, observer: exported::Observer) -> String {
        self.0.borrow().view(game, to_observer(observer))
    }

    pub fn seen(
        &self,
        game: u32,
        observer: exported::Observer,
        actor: exported::Actor,
        mv: &str,
    ) -> Option<String> {
        let actor = match actor {
            exported::Actor::Seat(seat) => Actor::Seat(Seat(seat)),
            exported::Actor::Chance => Actor::Chance,
        };
        self.0.borrow().seen(game, to_observer(observer), actor, mv)
    }

    pub fn position(&self, game: u32) -> String {
        self.0.borrow().position(game)
    }

    pub fn sides(&self, game: u32) -> Vec<String> {
        self.0.borrow().sides(game).into_iter().map(str::to_owned).collect()
    }

    pub fn prompt(&self, game: u32) -> Option<String> {
        self.0.borrow().prompt(game)
    }

    pub fn board(&self, game: u32, observer: exported::Observer) -> Option<String> {
        self.0.borrow().board(game, to_observer(observer))
    }

    pub fn diagram(&self, game: u32, observer: exported::Observer) -> Option<String> {
        self.0.borrow().diagram(game, to_observer(observer))
    }
}

/// Logs a panic's message to the host before the trap, so that it becomes part of its message.
fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| host::log(&info.to_string().replace('\n', " "))));
    });
}

fn to_turn(turn: Turn) -> types::Turn {
    types::Turn {
        next: match turn.next {
            Next::Seats(seats) => types::Next::Seats(seats.iter().map(|seat| seat.0).collect()),
            Next::Chance => types::Next::Chance,
            Next::Over => types::Next::Over(turn.to_move.0),
        },
        phase: match turn.phase {
            Phase::Play => types::Phase::Play,
            Phase::Opening => types::Phase::Opening,
            Phase::Swap => types::Phase::Swap,
            Phase::Announce => types::Phase::Announce,
            Phase::Offer => types::Phase::Offer,
            Phase::Pick => types::Phase::Pick,
        },
        ending: turn.ending.map(|ending| types::Ending {
            scores: ending.scores,
            reason: ending.reason.into_owned(),
        }),
    }
}

fn to_observer(observer: exported::Observer) -> Observer {
    match observer {
        exported::Observer::Seat(seat) => Observer::Seat(Seat(seat)),
        exported::Observer::Spectator => Observer::Spectator,
        exported::Observer::Everything => Observer::Everything,
    }
}

fn to_fault(fault: games::PositionFault) -> exported::PositionFault {
    exported::PositionFault {
        offset: u32::try_from(fault.offset).unwrap_or(u32::MAX),
        reason: fault.reason,
    }
}
