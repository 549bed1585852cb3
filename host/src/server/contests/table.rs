//! What everybody may know of a contest's games: who stands where. Neither seeds nor what an engine says, which a view of an arena
//! has, too.

use serde::Serialize;
use utoipa::ToSchema;

use crate::arena::{PlayerView, State, View};

/// The table of an arena of a contest.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Table {
    /// The arena's name: `ladder`, or the final's.
    pub arena: String,
    /// `running`, `stopping`, `open` (nobody plays it, and something is left) or `complete`.
    #[schema(value_type = String)]
    pub state: State,
    /// Games that are counted.
    pub games: u64,
    /// Games that are being played.
    pub games_playing: u32,
    /// Who stands where, the best first. Of an entrant who left, or has a newer entry, the earlier ones stay.
    pub standings: Vec<Standing>,
}

/// An entry, or an engine of the house, in a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Standing {
    /// Its place, from 1; who is level shares the better one.
    pub place: u32,
    /// Its name: the entrant's, and which of his entries it is; of the house, the engine's id.
    pub name: String,
    /// Whether it is of the house.
    pub house: bool,
    /// Whether it plays no more.
    pub withdrawn: bool,
    /// Twice its points.
    pub half_points: u64,
    /// Games that it won.
    pub wins: u64,
    /// Games that were drawn.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Games that it lost by a fault.
    pub faults: u64,
    /// Its rating, of a ladder by Glicko-2: the value and the ends of its 95 % interval, which are null where it is not bounded; null:
    /// there is none yet.
    pub rating: Option<[Option<f64>; 3]>,
}

impl Table {
    /// What everybody may know of a view.
    pub fn of(arena: &str, view: &View, house: &[String]) -> Self {
        let in_order = view
            .ranking
            .iter()
            .filter_map(|number| view.players.iter().find(|player| player.number == *number));
        Self {
            arena: arena.to_owned(),
            state: view.state,
            games: view.progress.games,
            games_playing: view.progress.games_playing,
            standings: in_order.map(|player| Standing::of(player, house)).collect(),
        }
    }
}

impl Standing {
    fn of(player: &PlayerView, house: &[String]) -> Self {
        let sum = |of: fn(&sandboard_tournament::stats::Tally) -> u64| -> u64 {
            player.by_seat.iter().map(of).sum()
        };
        let rating = player.glicko.or(player.rating);
        Self {
            place: player.place,
            name: player.name.clone(),
            house: house.contains(&player.name),
            withdrawn: player.withdrawn,
            half_points: player.half_points,
            wins: sum(|tally| tally.wins),
            draws: sum(|tally| tally.draws),
            losses: sum(|tally| tally.losses),
            faults: player.totals.faults(),
            rating: rating.map(|it| [Some(it.value), it.low, it.high]),
        }
    }
}
