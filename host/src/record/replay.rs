//! From a record back to positions: where it began, and where it stood after
//! any of its plies. Moves go through the checked rules only.

use sandboard_abi::Setup;
use sandboard_games::{DynGame, GameInfo, SetupError, Variant};

use super::load::RecordError;
use super::{EngineRecord, PlayerRecord, Record};
use crate::referee::{PlayerSetup, Referee};

/// Finds a game by its id.
pub type GameTable = fn(&str) -> Option<&'static GameInfo>;

/// Where a bout begins.
#[derive(Clone, Debug)]
pub struct Start {
    /// The game.
    pub game: &'static GameInfo,
    /// The variant.
    pub variant: Variant,
    /// The position; none: the variant's own.
    pub position: Option<String>,
}

impl Start {
    /// A game that begins there.
    pub fn set_up(&self) -> Result<Box<dyn DynGame>, SetupError> {
        (self.game.new)(&self.variant, self.position.as_deref())
    }
}

impl Record {
    /// Where the bout began.
    pub fn start(&self, games: GameTable) -> Result<Start, RecordError> {
        let unknown = || RecordError::field("game", format!("there is no game `{}`", self.game));
        let game = games(&self.game).ok_or_else(unknown)?;
        let variant =
            game.variant(&self.variant).map_err(|error| RecordError::field("variant", error))?;
        Ok(Start { game, variant, position: self.start.clone() })
    }

    /// Where a new bout begins that goes on from this one after `ply` moves;
    /// none: after the last.
    pub fn start_after(&self, ply: Option<u32>, games: GameTable) -> Result<Start, RecordError> {
        let mut start = self.start(games)?;
        let plies = ply.map_or(self.plies.len(), |ply| ply as usize);
        if plies > self.plies.len() {
            let reason = format!("there are {} of them, not {plies}", self.plies.len());
            return Err(RecordError::field("plies", reason));
        }
        let mut game = start.set_up().map_err(|error| RecordError::field("start", error))?;
        for (index, ply) in self.plies[..plies].iter().enumerate() {
            let place = || format!("plies[{index}].move");
            game.play(&ply.r#move).map_err(|refusal| RecordError::field(place(), refusal))?;
        }
        if plies > 0 {
            start.variant = game.variant();
            start.position = Some(game.position());
        }
        Ok(start)
    }

    /// The players as a referee takes them.
    pub fn setups(&self) -> Vec<PlayerSetup> {
        let setup = |player: &PlayerRecord| PlayerSetup {
            name: player.name.clone(),
            seats: player.seats.clone(),
            budget: player.budget,
            kind: player.kind,
            ponder_threads: player.engine.as_ref().filter(|_| player.ponders).map(|it| it.threads),
        };
        self.players.iter().map(setup).collect()
    }
}

impl EngineRecord {
    /// What a fresh instance is told that is to go on where `referee` stands;
    /// `start` is the position text of the bout's start, empty for the variant's own.
    pub fn setup(&self, referee: &Referee, start: &str, seats: Vec<u8>) -> Setup {
        let moves: Vec<&str> = referee.plies().iter().map(|ply| &*ply.mv).collect();
        Setup {
            game: referee.game().info().id.into(),
            variant: referee.game().variant().text(),
            start: start.to_owned(),
            moves: moves.join(" "),
            seats,
            seed: self.seed,
            options: self.options.clone().into_iter().collect(),
            memory_bytes: self.memory_bytes,
            threads: self.threads.max(1),
            helper: 0,
            helpers: 0,
            table_slots: 0,
        }
    }
}
