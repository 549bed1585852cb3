//! Records and trees of moves. A record of a file's game is the one that its bout
//! would have left, had people played it here: a referee is told the moves.

use sandboard_abi::{Choice, Decision};
use sandboard_games::formats::{By, Full, GameTree, Holds, Told, Unit};
use sandboard_games::{Seat, Side};

use super::Game;
use crate::budget::Budget;
use crate::engine::Spent;
use crate::record::{Header, Record};
use crate::referee::{
    Command, Event, PlayerKind, PlayerSetup, PlayersError, Referee, Settings, Termination,
};

/// What a record holds of what files do.
pub const HOLDS: Holds = Holds {
    several: false,
    variations: false,
    comments: false,
    labels: false,
    times: true,
    names: true,
    results: true,
    starts: true,
    variants: true,
    sizes: true,
};

/// The moves of a record, which has been played through.
pub fn from_record(record: &Record) -> Result<GameTree, Full> {
    let mut tree = GameTree::new(Unit::Lines);
    for (index, ply) in record.plies.iter().enumerate() {
        tree.add(index + 1, &ply.r#move, 0)?;
        if ply.spent.wall_us > 0 {
            tree.set_used_ms(ply.spent.wall_us / 1000);
        }
    }
    tree.variant = Some(record.variant.clone());
    tree.start.clone_from(&record.start);
    let seats = record.players.iter().flat_map(|player| &player.seats).map(|&seat| seat.into());
    tree.names = vec![None; seats.max().map_or(0, |last: usize| last + 1)];
    for player in &record.players {
        for seat in &player.seats {
            tree.names[usize::from(*seat)] = Some(player.name.clone());
        }
    }
    tree.result = record.result.as_ref().filter(|result| result.counts()).map(|result| {
        let by = match result.termination {
            Termination::Resignation => By::Resignation,
            Termination::Timeout => By::Time,
            Termination::Rules { .. }
            | Termination::DrawAgreed
            | Termination::PlyLimit
            | Termination::Adjudicated { .. } => By::Unsaid,
            _ => By::Forfeit,
        };
        Told { winner: result.winner.map(Side), by }
    });
    Ok(tree)
}

/// The record of a game's main line, written at `now` (RFC 3339). Finished where the
/// rules end it, or the file says that somebody gave up or that it was drawn; else
/// unfinished, and the file's result, if it tells one, comes back.
pub fn to_record(game: &Game, now: &str) -> Result<(Record, Option<Told>), PlayersError> {
    let mut bout = Bout::begin(game)?;
    for node in game.tree.main_line() {
        bout.play(node.mv, node.used_ms.unwrap_or(0));
    }
    bout.end(game.tree.result);
    let header = Header {
        start: game.start.position.clone(),
        seed: 0,
        started_at: now.to_owned(),
        engines: Vec::new(),
    };
    let mut record = Record::of(&bout.referee, &header, bout.now_us, now.to_owned());
    record.turn_us = 0;
    let untold = game.tree.result.filter(|_| record.result.is_none());
    Ok((record, untold))
}

/// A bout of people that is told its moves.
struct Bout {
    referee: Referee,
    now_us: u64,
    asked: Option<(usize, u64)>,
}

impl Bout {
    fn begin(game: &Game) -> Result<Self, PlayersError> {
        let set_up = game.start.set_up();
        let set_up =
            set_up.map_err(|error| PlayersError::Replay { ply: 0, reason: error.to_string() })?;
        let named = |seat: u8| {
            let name = game.tree.names.get(usize::from(seat)).cloned().flatten();
            let side = set_up.side_name(set_up.side(Seat(seat)));
            name.unwrap_or_else(|| match game.start.game.seats {
                2 => side.to_owned(),
                _ => format!("{side} {seat}"),
            })
        };
        let players = (0..game.start.game.seats).map(|seat| PlayerSetup {
            name: named(seat),
            seats: vec![seat],
            budget: Budget::default(),
            kind: PlayerKind::Person,
            ponder_threads: None,
        });
        let players = players.collect();
        let referee = Referee::new(set_up, players, Settings::default())?;
        let mut bout = Self { referee, now_us: 0, asked: None };
        bout.tell(Event::Begin);
        Ok(bout)
    }

    fn tell(&mut self, event: Event) {
        let mut commands = Vec::new();
        self.referee.handle(self.now_us, event, &mut commands);
        for command in commands {
            if let Command::Ask { player, call, .. } = command {
                self.asked = Some((player, call));
            }
        }
    }

    fn play(&mut self, mv: &str, used_ms: u64) {
        let Some((player, call)) = self.asked.take() else { return };
        self.now_us = self.now_us.saturating_add(used_ms.saturating_mul(1000));
        let choice =
            Choice { decision: Decision::Play(mv.to_owned()), offers_draw: false, line: None };
        let (spent, reported) = (Spent::default(), Vec::new());
        self.tell(Event::Chosen { player, call, choice, spent, reported });
    }

    /// Ends it as the file says, where that is by somebody's word.
    fn end(&mut self, told: Option<Told>) {
        let sides: Vec<_> = (0..self.referee.players()).map(|it| self.referee.side(it)).collect();
        let of_side = |side: Side| sides.iter().position(|own| *own == Some(side));
        match told {
            Some(Told { winner: Some(winner), by: By::Resignation }) => {
                if let Some(player) = of_side(winner.other()) {
                    self.tell(Event::Resign { player });
                }
            }
            Some(Told { winner: None, .. }) => {
                if let (Some(one), Some(other)) = (of_side(Side(0)), of_side(Side(1))) {
                    self.tell(Event::OfferDraw { player: one });
                    self.tell(Event::AcceptDraw { player: other });
                }
            }
            _ => (),
        }
    }
}
