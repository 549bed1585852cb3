//! The moves: steps, chains of jumps, their texts, and why a text is no legal move.

use std::fmt;

use sandboard_game_sdk::games::Seat;
use sandboard_game_sdk::games::general::{Actor, GeneralRules, Next};

use super::star::{HOLES, name, neighbour, neighbours_of, read as read_hole, triangle_of};
use super::{ChineseCheckers, INFO};

/// A move of a piece, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A step, or jumps. Holes have numbers in the order of reading.
    Piece {
        /// The hole in which the piece begins.
        from: u8,
        /// The hole in which it ends.
        to: u8,
    },
    /// The player has no other move.
    Pass,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Piece { from, to } => write!(f, "{}-{}", name(*from), name(*to)),
            Move::Pass => f.write_str("pass"),
        }
    }
}

/// Appends the legal moves of the seat to move, in the order of reading of their holes.
pub(crate) fn generate(game: &ChineseCheckers, seat: u8, out: &mut Vec<Move>) {
    let first = out.len();
    for from in (0..HOLES as u8).filter(|hole| game.holes[usize::from(*hole)] == Some(seat)) {
        let ends = ends_of(game, seat, from);
        let end = |to: u8| Move::Piece { from, to };
        out.extend((0..HOLES as u8).filter(|hole| ends[usize::from(*hole)]).map(end));
    }
    if out.len() == first {
        out.push(Move::Pass);
    }
}

/// The holes in which a move of this piece can end.
fn ends_of(game: &ChineseCheckers, seat: u8, from: u8) -> [bool; HOLES] {
    let target = Some(game.target_of(seat));
    let is_home = triangle_of(from) == target;
    let is_empty = |hole: u8| hole == from || game.holes[usize::from(hole)].is_none();
    let may_enter = |hole: u8| is_empty(hole) && (!is_home || triangle_of(hole) == target);
    let mut ends = [false; HOLES];
    let mut reached = vec![from];
    while let Some(hole) = reached.pop() {
        for (direction, over) in neighbours_of(hole).filter(|(_, over)| !is_empty(*over)) {
            let landing = neighbour(over, direction).filter(|landing| may_enter(*landing));
            if let Some(landing) = landing.filter(|landing| !ends[usize::from(*landing)]) {
                ends[usize::from(landing)] = true;
                reached.push(landing);
            }
        }
    }
    for (_, hole) in neighbours_of(from).filter(|(_, hole)| may_enter(*hole)) {
        ends[usize::from(hole)] = true;
    }
    // A chain may come back to where it began, which is no move.
    ends[usize::from(from)] = false;
    ends
}

/// Reads a legal move. The error fits after "`text` is refused: ".
pub(crate) fn read(game: &ChineseCheckers, actor: Actor, text: &str) -> Result<Move, String> {
    let seat = match (game.next(), actor) {
        (Next::Over, _) => return Err("the game is over".into()),
        (next, Actor::Seat(seat)) if next.has_seat(seat) => seat,
        _ => return Err("it is another player's turn".into()),
    };
    let mut legal = Vec::new();
    game.generate(seat, &mut legal);
    let has_moves = legal != [Move::Pass];
    if text == "pass" {
        let refused = || Err("only a player without a move may pass".to_owned());
        return if has_moves { refused() } else { Ok(Move::Pass) };
    }
    let holes =
        text.split_once('-').and_then(|(from, to)| Some((read_hole(from)?, read_hole(to)?)));
    let Some((from, to)) = holes else {
        return Err("a move is two holes of the star, such as e14-e13, or pass".into());
    };
    let mv = Move::Piece { from, to };
    match legal.contains(&mv) {
        true => Ok(mv),
        false => Err(reason(game, seat, from, to)),
    }
}

/// Why a seat cannot move from one hole to another.
fn reason(game: &ChineseCheckers, Seat(seat): Seat, from: u8, to: u8) -> String {
    let target = Some(game.target_of(seat));
    let own = INFO.sides[usize::from(seat)];
    match (game.holes[usize::from(from)], game.holes[usize::from(to)]) {
        (Some(owner), _) if owner != seat => {
            let owner = INFO.sides[usize::from(owner)];
            format!("the piece on {} is {owner}, and {own} is to move", name(from))
        }
        (None, _) => format!("{} is empty", name(from)),
        _ if from == to => "the piece would not move".into(),
        (_, Some(_)) => format!("{} is not empty", name(to)),
        _ if triangle_of(from) == target && triangle_of(to) != target => {
            "a piece in its target triangle stays there".into()
        }
        _ => format!("no step or jump leads from {} to {}", name(from), name(to)),
    }
}
