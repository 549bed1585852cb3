//! Builds the API's values from a referee. It only reads.

use sandboard_abi::Unit;
use sandboard_games::board::Board;
use sandboard_games::general::Observer;
use sandboard_games::{DynGame, Side};
use serde_json::{Map, Value};

use crate::wire::{
    Clock, Line, Moves, OpeningMove, Outcome, Player, PlayerClock, Ply, Position, Presence,
    SideName,
};
use sandboard_bout::query::bound_name;
use sandboard_bout::referee::{BoutResult, EventKind, PlayerKind, Referee, Termination, Viewer};
use sandboard_bout::{record, referee};

use super::AudienceView;

/// Returns a whole position and what the rules derive from it.
pub(crate) fn position(game: &dyn DynGame) -> Position {
    let mut legal = String::new();
    game.write_legal(&mut legal);
    let mut facts = Map::new();
    for (name, json) in game.facts() {
        let value = serde_json::from_str(&json).unwrap_or(Value::String(json));
        facts.insert(name.to_owned(), value);
    }
    let board = game.board(Observer::Everything);
    // Clients have no board of their own for a plugged-in game.
    if game.info().plugged_in.is_some() && board.is_none() {
        facts.insert("diagram".into(), Value::String(game.diagram(Observer::Everything)));
    }
    position_with(game, game.position(), legal, (board, facts))
}

fn position_with(
    game: &dyn DynGame,
    position: String,
    legal: String,
    (board, facts): (Option<Board>, Map<String, Value>),
) -> Position {
    let side = game.side(game.to_move());
    let outcome = game.ending().map(|ending| Outcome {
        winner: game.winner().map(|side| side.0),
        scores: ending.scores,
        reason: ending.reason,
    });
    Position {
        position,
        to_move: game.to_move().0,
        side: side.0,
        side_name: game.side_name(side),
        legal: Moves(legal.into()),
        outcome,
        prompt: game.prompt(),
        board: board.map(Box::new),
        facts,
    }
}

/// Returns the current position of a bout as a viewer sees it. A viewer that does not see
/// everything gets legal moves only if it is to move.
pub(crate) fn position_for(referee: &Referee, viewer: Viewer) -> Position {
    let viewer = referee.widest(viewer);
    if viewer == Viewer::Everything {
        return position(referee.game());
    }
    let player = referee.to_move().map(|(player, _)| player);
    let legal = match viewer {
        Viewer::Player(viewer) if player == Some(viewer) => referee.legal_moves(),
        _ => String::new(),
    };
    let board = referee.board_for(viewer);
    let diagram = board.is_none().then(|| Value::String(referee.diagram_for(viewer)));
    let facts = diagram.map(|diagram| ("diagram".to_owned(), diagram)).into_iter().collect();
    let seat = referee.seat_to_move();
    let game = referee.game();
    let position = position_with(game, referee.position_for(viewer), legal, (board, facts));
    match seat {
        Some(seat) => {
            let side = game.side(seat);
            Position { to_move: seat.0, side: side.0, side_name: game.side_name(side), ..position }
        }
        None => position,
    }
}

/// Returns what each audience of a bout sees: the players, and last the spectators.
pub(crate) fn audiences(referee: &Referee) -> Vec<AudienceView> {
    let players = (0..referee.player_count()).map(Viewer::Player);
    let view = |viewer| AudienceView {
        plies: plies(referee, viewer),
        position: position_for(referee, viewer),
    };
    players.chain([Viewer::Spectator]).map(view).collect()
}

/// Returns an engine's analysis line.
pub(crate) fn line(line: &sandboard_abi::Line) -> Line {
    Line {
        score: line.score.map(|score| score.value),
        bound: line.score.map(|score| bound_name(score.bound)),
        depth: line.depth,
        nodes: line.nodes,
        pv: line.moves.split_ascii_whitespace().map(str::to_owned).collect(),
        rank: line.rank.into(),
    }
}

/// Returns a move before the bout.
pub(crate) fn opening_move(mv: record::OpeningMove) -> OpeningMove {
    let record::OpeningMove { seat, r#move } = mv;
    OpeningMove { seat, r#move }
}

/// Returns one ply of a referee, with the text that its viewer sees.
pub(crate) fn ply(index: usize, ply: &referee::Ply, text: &str, shows_line: bool) -> Ply {
    let unit = ply.clock.budget().unit();
    Ply {
        ply: index as u32,
        seat: ply.seat,
        player: ply.player,
        r#move: text.to_owned(),
        spent_ms: ply.spent.wall_us / 1000,
        clock_ms_left: ply.clock.left().map(|left| shown(unit, left)),
        line: ply.line.as_deref().filter(|_| shows_line).map(line),
        origin: ply.origin,
    }
}

/// Returns all plies of a referee that a viewer notices.
pub(crate) fn plies(referee: &Referee, viewer: Viewer) -> Vec<Ply> {
    let shows_line = referee.shows_output_to(viewer);
    let seen = referee.moves_for(viewer).enumerate();
    seen.map(|(index, (it, text))| ply(index, it, text, shows_line)).collect()
}

/// Converts microseconds to milliseconds; units of fuel stay as they are.
fn shown(unit: Unit, amount: i64) -> i64 {
    if unit == Unit::Fuel { amount } else { amount.div_euclid(1000) }
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
        false => shown(unit, amount.saturating_sub(used).max(0)),
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
