//! Builds the API's values from a referee. It only reads.

use sandboard_abi::Unit;
use sandboard_games::Side;

use sandboard_bout::record;
use sandboard_bout::referee::{BoutResult, EventKind, PlayerKind, Referee, Termination, Viewer};
use sandboard_bout::view::shown_amount;
pub(crate) use sandboard_bout::view::{line, plies, ply, position, position_for};

use crate::wire::{Clock, OpeningMove, Player, PlayerClock, Presence, SideName};

use super::AudienceView;

/// Returns what each audience of a bout sees: the players, and last the spectators.
pub(crate) fn audiences(referee: &Referee) -> Vec<AudienceView> {
    let players = (0..referee.player_count()).map(Viewer::Player);
    let view = |viewer| AudienceView {
        plies: plies(referee, viewer),
        position: position_for(referee, viewer),
    };
    players.chain([Viewer::Spectator]).map(view).collect()
}

/// Returns a move before the bout.
pub(crate) fn opening_move(mv: record::OpeningMove) -> OpeningMove {
    let record::OpeningMove { seat, r#move } = mv;
    OpeningMove { seat, r#move }
}

/// Returns a player's current clock.
pub(crate) fn clock(referee: &Referee, player: usize, now_us: u64) -> Option<Clock> {
    let clock = referee.clock(player)?;
    let unit = clock.budget().unit();
    let per_move = clock.budget().per_move();
    if per_move.is_none() && clock.left().is_none() {
        return None;
    }
    // For other units, usage is only known when the call has returned.
    let used = if unit == Unit::Wall { referee.charged_us(player, now_us) } else { 0 };
    let used = i64::try_from(used).unwrap_or(i64::MAX);
    let free_us = referee.free_us(player).saturating_sub(referee.thinking_us(player, now_us));
    let of_move = per_move.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let has_lost = has_lost_on_time(referee, player);
    let left = |amount: i64| match has_lost {
        true => 0,
        false => shown_amount(unit, amount.saturating_sub(used).max(0)),
    };
    let asked = referee.to_move().is_some_and(|(it, call)| it == player && call.is_some());
    Some(Clock {
        move_ms_left: of_move.map(left),
        game_ms_left: clock.left().map(left),
        unit: match unit {
            Unit::Wall => "wall",
            Unit::Cpu => "cpu",
            Unit::Fuel => "fuel",
            Unit::Unlimited => "none",
        },
        running: asked && !referee.is_paused(),
        starts_in_ms: if unit == Unit::Wall { (free_us / 1000) as i64 } else { 0 },
    })
}

/// Returns whether a player has lost because of its clock.
fn has_lost_on_time(referee: &Referee, player: usize) -> bool {
    let is_timeout = |result: &BoutResult| result.termination == Termination::Timeout;
    if !referee.result().is_some_and(is_timeout) {
        return false;
    }
    let overrun = referee.events().iter().rev().find_map(|event| match event.kind {
        EventKind::Overrun { player, .. } => Some(player),
        _ => None,
    });
    overrun == Some(player)
}

/// Returns all current clocks.
pub(crate) fn clocks(referee: &Referee, now_us: u64) -> Vec<PlayerClock> {
    let of = |player| PlayerClock { player, clock: clock(referee, player, now_us) };
    (0..referee.player_count()).map(of).collect()
}

/// Returns the current names of all players' sides.
pub(crate) fn side_names(referee: &Referee) -> Vec<SideName> {
    let name = |player| SideName { player, side_name: side(referee, player).1 };
    (0..referee.player_count()).map(name).collect()
}

fn side(referee: &Referee, player: usize) -> (u8, &'static str) {
    let side = referee.side(player).unwrap_or(Side(0));
    (side.0, referee.game().side_name(side))
}

/// Returns a player without its engine and connection state.
pub(crate) fn player(referee: &Referee, player: usize, now_us: u64) -> Option<Player> {
    let setup = referee.player(player)?;
    let (side, side_name) = side(referee, player);
    let is_engine = setup.kind == PlayerKind::Engine;
    Some(Player {
        player,
        name: setup.name.clone(),
        kind: if is_engine { "engine" } else { "person" },
        seats: setup.seats.clone(),
        side,
        side_name,
        budget: setup.budget.to_string(),
        clock: clock(referee, player, now_us),
        state: if is_engine { Presence::Present } else { Presence::Open },
        chooses_name: false,
        absent_since_ms: None,
        engine: None,
    })
}
