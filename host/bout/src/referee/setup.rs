//! The setup of a bout: players, settings, and the errors in them. Holds no state of a bout.

use sandboard_abi::Unit;
use sandboard_engine::Budget;
use sandboard_games::{DynGame, GameInfo, Seat, SetupError, Variant};
use serde::{Deserialize, Serialize};

use super::adjudication::{Adjudication, AdjudicationError};
use crate::clock::Grace;

/// What makes a player's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerKind {
    /// An engine: it is started, receives moves, and answers calls.
    Engine,
    /// A person: an illegal move costs nothing but time.
    Person,
}

/// One player of a bout, as the referee needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSetup {
    /// The name in results and logs.
    pub name: String,
    /// Its seats, all of one side.
    pub seats: Vec<u8>,
    /// What it may spend.
    pub budget: Budget,
    /// Engine or person.
    pub kind: PlayerKind,
    /// The number of threads with which it may ponder; none: it does not ponder.
    pub ponder_threads: Option<u16>,
}

/// Default of [`BoutSettings::move_guard_us`], in microseconds: 10 minutes.
pub const MOVE_GUARD_US: u64 = 600_000_000;

/// What happens to an engine that exceeds its time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeoutPolicy {
    #[default]
    Loss,
    /// The last legal move that it reported in this call is played, and its origin recorded.
    /// An engine that reported none loses. A person reports no moves, and always loses.
    PlayReported,
}

/// The rules of a bout that are not rules of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoutSettings {
    /// The number of requests to an engine for one move, at least 1: with 2, the second illegal
    /// answer loses.
    pub requests: u32,
    /// What happens when the time limit is exceeded.
    pub on_timeout: TimeoutPolicy,
    /// Whether moves can be undone.
    pub undo: bool,
    /// Whether a draw can be offered and agreed.
    pub draw_offers: bool,
    /// How far a request may overrun its limit.
    pub grace: Grace,
    /// How long a person may think about the first move before it is charged, in microseconds;
    /// omitted in JSON if it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub first_move_us: u64,
    /// How far the referee's own reading of an engine's wall time may exceed limit and grace
    /// before it counts instead of the engine's reading, in microseconds.
    pub guard_us: u64,
    /// The guard of moves without a limit of time or fuel, such as under `depth:8`: an engine that
    /// has not answered after this wall time in microseconds is stopped. It loses, unless it was
    /// the machine that kept it from working. 0: no guard.
    pub move_guard_us: u64,
    /// The bout is a draw after this number of plies.
    pub plies_max: u32,
    /// When a bout between engines ends early; omitted in JSON if it never does.
    #[serde(skip_serializing_if = "Adjudication::is_none")]
    pub adjudication: Adjudication,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl BoutSettings {
    /// The settings of a bout of a variant of this game: without undo and draw offers where it has
    /// none.
    pub fn for_game(self, game: &GameInfo, variant: &Variant) -> Self {
        Self {
            undo: self.undo && game.allows_undo(),
            draw_offers: self.draw_offers && game.has_two_sides(variant),
            ..self
        }
    }
}

impl Default for BoutSettings {
    fn default() -> Self {
        Self {
            requests: 2,
            on_timeout: TimeoutPolicy::Loss,
            undo: true,
            draw_offers: true,
            grace: Grace::default(),
            first_move_us: 0,
            guard_us: 1_000_000,
            move_guard_us: MOVE_GUARD_US,
            plies_max: 20_000,
            adjudication: Adjudication::NONE,
        }
    }
}

/// Why a referee cannot be set up or restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoutSetupError {
    /// The start position or the variant is invalid.
    #[error(transparent)]
    Start(#[from] SetupError),
    /// A player without a seat.
    #[error("player {0} has no seat")]
    NoSeat(usize),
    /// A seat that the variant does not have.
    #[error("player {player} has seat {seat}, but {game} has seats 0 to {last}")]
    UnknownSeat {
        player: usize,
        seat: u8,
        /// The game's id.
        game: &'static str,
        /// The last seat of the variant.
        last: u8,
    },
    /// A seat with two players.
    #[error("seat {0} has two players")]
    SeatTwice(u8),
    /// A seat without a player.
    #[error("seat {0} has no player")]
    SeatEmpty(u8),
    /// A player with seats of several sides.
    #[error("player {0} has seats of several sides")]
    SeveralSides(usize),
    /// A player with several seats, where seats do not see the same or decide at the same time.
    #[error(
        "player {player} has {seats} seats; in {game} a player has one seat, because a seat does \
         not know what others see or choose"
    )]
    SeveralSeats {
        player: usize,
        /// The number of its seats.
        seats: usize,
        /// The game's id.
        game: &'static str,
    },
    /// A budget of CPU time or fuel for a person.
    #[error("player {player} is a person, whose use of `{budget}` cannot be measured")]
    PersonBudget { player: usize, budget: Budget },
    /// A person that is set to ponder.
    #[error("player {0} is a person: pondering is an option of engines")]
    PersonPonders(usize),
    /// Pondering under fuel, where a move must depend on module, inputs and seed only.
    #[error(
        "player {player} cannot ponder with the budget `{budget}`: its moves would depend on the \
         clock, and no replay could repeat them"
    )]
    FuelPonders { player: usize, budget: Budget },
    /// A setting under which no move could be requested.
    #[error("`requests` is 0, but must be at least 1")]
    NoRequest,
    /// The rules for an early end are invalid, or not possible in this game.
    #[error("adjudication: {0}")]
    Adjudication(#[from] AdjudicationError),
    /// A move of an earlier session is illegal.
    #[error("ply {ply} cannot be played again: {reason}")]
    Restore {
        /// The index of the ply, from 0.
        ply: usize,
        reason: String,
    },
}

/// The player of each seat. Err: a seat has not exactly one player, or a setting is invalid.
pub(super) fn seat_owners(
    game: &dyn DynGame,
    players: &[PlayerSetup],
    settings: &BoutSettings,
) -> Result<Vec<usize>, BoutSetupError> {
    let info = game.info();
    let mut owners = vec![None; usize::from(game.seats())];
    for (player, setup) in players.iter().enumerate() {
        let first = *setup.seats.first().ok_or(BoutSetupError::NoSeat(player))?;
        let seats = setup.seats.len();
        if seats > 1 && (info.features.hidden_information || info.features.simultaneous) {
            return Err(BoutSetupError::SeveralSeats { player, seats, game: info.id });
        }
        for &seat in &setup.seats {
            let last = game.seats().saturating_sub(1);
            let owner = owners.get_mut(usize::from(seat)).ok_or(BoutSetupError::UnknownSeat {
                player,
                seat,
                game: info.id,
                last,
            })?;
            if owner.replace(player).is_some() {
                return Err(BoutSetupError::SeatTwice(seat));
            }
            if game.side(Seat(seat)) != game.side(Seat(first)) {
                return Err(BoutSetupError::SeveralSides(player));
            }
        }
        let is_measurable = matches!(setup.budget.unit(), Unit::Unlimited | Unit::Wall);
        if setup.kind == PlayerKind::Person && !is_measurable {
            return Err(BoutSetupError::PersonBudget { player, budget: setup.budget });
        }
        if setup.ponder_threads.is_some() {
            let budget = setup.budget;
            match (setup.kind, budget.unit()) {
                (PlayerKind::Person, _) => return Err(BoutSetupError::PersonPonders(player)),
                (_, Unit::Fuel) => return Err(BoutSetupError::FuelPonders { player, budget }),
                _ => (),
            }
        }
    }
    if settings.requests == 0 {
        return Err(BoutSetupError::NoRequest);
    }
    settings.adjudication.check_for(game)?;
    let seats = owners.into_iter().enumerate();
    seats.map(|(seat, owner)| owner.ok_or(BoutSetupError::SeatEmpty(seat as u8))).collect()
}
