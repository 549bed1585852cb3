//! What a bout is set up with: players, settings, and what may be wrong with
//! them. Holds no state of a bout.

use sandboard_abi::Unit;
use sandboard_games::{DynGame, Seat};
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, AdjudicationError};
use crate::budget::Budget;
use crate::clock::Grace;

/// Who makes a player's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerKind {
    /// An engine: it is started, told of moves, and answers a call.
    Engine,
    /// A person: its moves come when they come, and an illegal one costs
    /// nothing but time.
    Person,
}

/// One player of a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSetup {
    /// The name in results and logs.
    pub name: String,
    /// The seats it plays, all of one side.
    pub seats: Vec<u8>,
    /// What it may spend.
    pub budget: Budget,
    /// Who makes its moves.
    pub kind: PlayerKind,
    /// With how many threads it may think on its opponents' time; none: it does not.
    pub ponder_threads: Option<u16>,
}

/// What happens to an engine whose time is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTimeout {
    /// It loses.
    #[default]
    Loss,
    /// The last legal move that it reported in this call is played and marked;
    /// it loses when there is none. A person has reported nothing, and loses.
    PlayReported,
}

/// The rules of a bout that are not the game's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How often an engine is asked for one move, at least 1: with 2, the
    /// second illegal answer loses.
    pub requests: u32,
    /// What a timeout does.
    pub on_timeout: OnTimeout,
    /// Whether moves may be undone.
    pub undo: bool,
    /// Whether a draw may be offered and agreed.
    pub draw_offers: bool,
    /// How far a request may overrun.
    pub grace: Grace,
    /// How far the referee's own reading of an engine's wall time may exceed
    /// limit and grace before it counts instead of the engine's, in microseconds.
    pub guard_us: u64,
    /// After so many plies the bout is a draw.
    pub plies_max: u32,
    /// When a bout of engines alone is ended early. Not written where it never is.
    #[serde(skip_serializing_if = "Adjudication::is_none")]
    pub adjudication: Adjudication,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            requests: 2,
            on_timeout: OnTimeout::Loss,
            undo: true,
            draw_offers: true,
            grace: Grace::default(),
            guard_us: 1_000_000,
            plies_max: 20_000,
            adjudication: Adjudication::NONE,
        }
    }
}

/// Why a referee does not take a bout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayersError {
    /// A player has no seat.
    #[error("player {0} has no seat")]
    NoSeat(usize),
    /// A seat that the game does not have.
    #[error("player {player} is to play seat {seat}, but {game} has seats 0 to {last}")]
    UnknownSeat {
        /// The player.
        player: usize,
        /// The seat.
        seat: u8,
        /// The game's id.
        game: &'static str,
        /// Its last seat.
        last: u8,
    },
    /// A seat with two players.
    #[error("seat {0} is given to two players")]
    SeatTwice(u8),
    /// A seat without a player.
    #[error("seat {0} has no player")]
    SeatEmpty(u8),
    /// A player on both sides.
    #[error("player {0} plays seats of both sides")]
    BothSides(usize),
    /// A person cannot be measured in CPU time or fuel.
    #[error("player {player} is a person, whose budget `{budget}` cannot be counted")]
    PersonBudget {
        /// The player.
        player: usize,
        /// The budget.
        budget: Budget,
    },
    /// A person thinks when it likes.
    #[error("player {0} is a person, and needs no leave to think on its opponent's time")]
    PersonPonders(usize),
    /// Under fuel a move depends on nothing but module, inputs and seed.
    #[error(
        "player {player} cannot think on its opponent's time with the budget `{budget}`: how much \
         it would think depends on the clock, and no replay could repeat it"
    )]
    FuelPonders {
        /// The player.
        player: usize,
        /// The budget.
        budget: Budget,
    },
    /// Nobody could ever be asked.
    #[error("`requests` is 0: an engine is asked at least once for a move")]
    NoRequest,
    /// The bout cannot be ended early like that.
    #[error("adjudication: {0}")]
    Adjudication(#[from] AdjudicationError),
    /// Moves to go on from do not fit the rules.
    #[error("ply {ply} cannot be played again: {reason}")]
    Replay {
        /// The ply, from 0.
        ply: usize,
        /// Why not.
        reason: String,
    },
}

/// Who plays each seat, by seat; refuses what is not one player for each.
pub(super) fn owners(
    game: &dyn DynGame,
    players: &[PlayerSetup],
    settings: &Settings,
) -> Result<Vec<usize>, PlayersError> {
    let info = game.info();
    let mut owners = vec![None; usize::from(info.seats)];
    for (player, setup) in players.iter().enumerate() {
        let first = *setup.seats.first().ok_or(PlayersError::NoSeat(player))?;
        for &seat in &setup.seats {
            let last = info.seats.saturating_sub(1);
            let owner = owners.get_mut(usize::from(seat)).ok_or(PlayersError::UnknownSeat {
                player,
                seat,
                game: info.id,
                last,
            })?;
            if owner.replace(player).is_some() {
                return Err(PlayersError::SeatTwice(seat));
            }
            if game.side(Seat(seat)) != game.side(Seat(first)) {
                return Err(PlayersError::BothSides(player));
            }
        }
        let countable = matches!(setup.budget.unit(), Unit::Unlimited | Unit::Wall);
        if setup.kind == PlayerKind::Person && !countable {
            return Err(PlayersError::PersonBudget { player, budget: setup.budget });
        }
        if setup.ponder_threads.is_some() {
            let budget = setup.budget;
            match (setup.kind, budget.unit()) {
                (PlayerKind::Person, _) => return Err(PlayersError::PersonPonders(player)),
                (_, Unit::Fuel) => return Err(PlayersError::FuelPonders { player, budget }),
                _ => (),
            }
        }
    }
    if settings.requests == 0 {
        return Err(PlayersError::NoRequest);
    }
    settings.adjudication.fits(game)?;
    let seats = owners.into_iter().enumerate();
    seats.map(|(seat, owner)| owner.ok_or(PlayersError::SeatEmpty(seat as u8))).collect()
}
