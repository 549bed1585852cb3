//! The positions of a record: its start, and the position after any of its plies. Moves go through
//! the checked rules only.

use sandboard_abi::Setup;
use sandboard_games::Games;

use super::load::RecordError;
use super::{EngineRecord, PlayerRecord, Record, RulesRecord};
use crate::referee::PlayerSetup;
use crate::start::StartPosition;

impl Record {
    /// The start position of the bout. Err: there is no such game or variant; the position and the
    /// moves of the opening are not checked.
    pub fn start_position(&self, games: &Games) -> Result<StartPosition, RecordError> {
        let unknown = || {
            let advice = match &self.rules {
                Some(_) => "; it was plugged in: the engines folder needs its pack",
                None => "",
            };
            RecordError::field("game", format!("there is no game `{}`{advice}", self.game))
        };
        let game = games.find(&self.game).ok_or_else(unknown)?;
        let variant =
            game.variant(&self.variant).map_err(|error| RecordError::field("variant", error))?;
        let moves = self.opening.iter().map(|it| it.r#move.clone()).collect();
        Ok(StartPosition { game, variant, position: self.start.clone(), moves })
    }

    /// How the rules of the record's game among `games` differ from those that the record names;
    /// see [`RulesRecord::difference`]. None: they are the same, or there is no such game.
    pub fn rules_difference(&self, games: &Games) -> Option<String> {
        RulesRecord::difference(&self.rules, games.find(&self.game)?)
    }

    /// The start of a new bout that continues this one after `ply` moves; none: after the last
    /// move. It keeps the moves to there, if [the game can](StartPosition::keeps_moves).
    pub fn start_position_after(
        &self,
        ply: Option<u32>,
        games: &Games,
    ) -> Result<StartPosition, RecordError> {
        let start = self.start_position(games)?;
        let plies = ply.map_or(self.plies.len(), |ply| ply as usize);
        if plies > self.plies.len() {
            let reason = format!("there are {} plies, not {plies}", self.plies.len());
            return Err(RecordError::field("plies", reason));
        }
        let mut game = start.set_up().map_err(|error| RecordError::field("start", error))?;
        let mut moves = Vec::with_capacity(plies);
        for (index, ply) in self.plies[..plies].iter().enumerate() {
            let place = || format!("plies[{index}].move");
            let played = game.play(&ply.r#move);
            moves.push(played.map_err(|refusal| RecordError::field(place(), refusal))?);
        }
        Ok(start.after(moves, &*game))
    }

    /// The players as the setup of a referee.
    pub(crate) fn player_setups(&self) -> Vec<PlayerSetup> {
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
    /// The setup of an instance: `setup` with the engine's seed, options and limits.
    pub(crate) fn instance_setup(&self, setup: Setup) -> Setup {
        Setup {
            seed: self.seed,
            options: self.options.clone().into_iter().collect(),
            memory_bytes: self.limits.memory_bytes,
            threads: self.threads.max(1),
            ..setup
        }
    }
}
