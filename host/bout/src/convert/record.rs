//! Converts between records and trees of moves. The record of a file's game is the one that a bout
//! between people would leave: the moves are sent to a referee.

use sandboard_abi::{Choice, Decision};
use sandboard_engine::{Budget, ChooseResponse, Usage};
use sandboard_games::formats::{
    Evaluation, Features, GameTree, LocationUnit, RecordedResult, ResultCause, TreeFull,
};
use sandboard_games::{Seat, Side};

use super::ConvertedGame;
use crate::record::{Record, RecordHeader};
use crate::referee::{
    BoutSettings, BoutSetupError, Command, Event, PlayerKind, PlayerSetup, Referee, Termination,
};

/// The features of game files that a record can store.
pub const FEATURES: Features = Features {
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

/// The moves of a valid record, as a tree that begins with those before the bout.
pub fn tree_from_record(record: &Record) -> Result<GameTree, TreeFull> {
    let mut tree = GameTree::new(LocationUnit::Lines);
    for (mv, depth) in record.opening.iter().zip(1..) {
        tree.add(depth, &mv.r#move, 0)?;
    }
    for (ply, depth) in record.plies.iter().zip(record.opening.len() + 1..) {
        tree.add(depth, &ply.r#move, 0)?;
        if ply.spent.wall_us > 0 {
            tree.set_used_ms(ply.spent.wall_us / 1000);
        }
        if let Some(line) = &ply.line
            && let Some(score) = line.score
        {
            tree.set_evaluation(Evaluation { score, depth: line.depth });
        }
    }
    tree.tags = tags_of(record);
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
        let cause = match result.termination {
            Termination::Resignation => ResultCause::Resignation,
            Termination::Timeout => ResultCause::Time,
            Termination::Rules { .. }
            | Termination::DrawAgreed
            | Termination::PlyLimit
            | Termination::Adjudicated { .. } => ResultCause::Unspecified,
            _ => ResultCause::Forfeit,
        };
        RecordedResult { winner: result.winner.map(Side), cause }
    });
    Ok(tree)
}

/// The facts of a record as tags of PGN: the date, and how the game ended.
fn tags_of(record: &Record) -> Vec<(&'static str, String)> {
    let mut tags = Vec::new();
    let date = record.started_at.get(..10).map(|date| date.replace('-', "."));
    tags.extend(date.map(|date| ("Date", date)));
    let termination = record.result.as_ref().map(|result| match result.termination {
        Termination::Rules { .. } | Termination::Resignation | Termination::DrawAgreed => "normal",
        Termination::Timeout => "time forfeit",
        Termination::IllegalMove => "rules infraction",
        Termination::PlyLimit | Termination::Adjudicated { .. } => "adjudication",
        _ => "abandoned",
    });
    tags.extend(termination.map(|termination| ("Termination", termination.to_owned())));
    tags
}

/// The record of a game's main line, written at `now` (RFC 3339). It is finished if the rules end
/// the game, or if the file records a resignation or a draw. Otherwise it is unfinished, and the
/// file's result is returned as the second value.
pub fn record_from_game(
    game: &ConvertedGame,
    now: &str,
) -> Result<(Record, Option<RecordedResult>), BoutSetupError> {
    let mut bout = ScriptedBout::new(game)?;
    for node in game.tree.main_line() {
        bout.play(node.mv, node.used_ms.unwrap_or(0));
    }
    bout.apply_result(game.tree.result);
    let header = RecordHeader {
        start: game.start.position.clone(),
        opening: game.start.opening()?,
        seed: 0,
        started_at: now.to_owned(),
        engines: Vec::new(),
    };
    let mut record = Record::from_referee(&bout.referee, &header, bout.now_us, now.to_owned());
    record.turn_us = 0;
    let lost = game.tree.result.filter(|_| record.result.is_none());
    Ok((record, lost))
}

/// A bout between people whose moves are given.
struct ScriptedBout {
    referee: Referee,
    now_us: u64,
    /// The player to move and its call.
    open_call: Option<(usize, u64)>,
}

impl ScriptedBout {
    fn new(game: &ConvertedGame) -> Result<Self, BoutSetupError> {
        let set_up = game.start.set_up()?;
        let seats = set_up.seats();
        let name = |seat: u8| {
            let name = game.tree.names.get(usize::from(seat)).cloned().flatten();
            let side = set_up.side_name(set_up.side(Seat(seat)));
            name.unwrap_or_else(|| match seats {
                2 => side.to_owned(),
                _ => format!("{side} {seat}"),
            })
        };
        let players = (0..seats).map(|seat| PlayerSetup {
            name: name(seat),
            seats: vec![seat],
            budget: Budget::default(),
            kind: PlayerKind::Person,
            ponder_threads: None,
        });
        let players = players.collect();
        let referee = Referee::new(set_up, players, BoutSettings::default(), 0)?;
        let mut bout = Self { referee, now_us: 0, open_call: None };
        bout.feed(Event::Begin);
        Ok(bout)
    }

    fn feed(&mut self, event: Event) {
        let mut commands = Vec::new();
        self.referee.handle(self.now_us, event, &mut commands);
        for command in commands {
            if let Command::RequestMove { player, call, .. } = command {
                self.open_call = Some((player, call));
            }
        }
    }

    fn play(&mut self, mv: &str, used_ms: u64) {
        let Some((player, call)) = self.open_call.take() else { return };
        self.now_us = self.now_us.saturating_add(used_ms.saturating_mul(1000));
        let choice =
            Choice { decision: Decision::Play(mv.to_owned()), offers_draw: false, line: None };
        let response = ChooseResponse { choice, spent: Usage::default() };
        self.feed(Event::Answered { player, call, response, reported: Vec::new() });
    }

    /// Ends the bout by the file's result, if that is a resignation or a draw.
    fn apply_result(&mut self, result: Option<RecordedResult>) {
        let players = 0..self.referee.player_count();
        let sides: Vec<_> = players.map(|it| self.referee.side(it)).collect();
        let player_of = |side: Side| sides.iter().position(|own| *own == Some(side));
        match result {
            Some(RecordedResult { winner: Some(winner), cause: ResultCause::Resignation }) => {
                if let Some(player) = player_of(winner.other()) {
                    self.feed(Event::Resign { player });
                }
            }
            Some(RecordedResult { winner: None, .. }) => {
                if let (Some(one), Some(other)) = (player_of(Side(0)), player_of(Side(1))) {
                    self.feed(Event::OfferDraw { player: one });
                    self.feed(Event::AcceptDraw { player: other });
                }
            }
            _ => (),
        }
    }
}
