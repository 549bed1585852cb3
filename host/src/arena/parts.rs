//! What a match is put together from, and the two things made of it: the setup
//! that is written down and the match that is played.

use std::time::SystemTime;

use sandboard_games::SetupError;

use super::openings::Openings;
use super::runner::{Match, Rival, seats_by_side};
use super::setup::{Contestant, FORMAT, MatchSetup, OpeningsSource, VERSION};
use crate::bout::EnginePlayer;
use crate::record::{Start, rfc3339};
use crate::referee::Settings;

/// The parts of a match.
pub struct Parts {
    /// Where games begin without an opening; its variant has the size in force.
    pub start: Start,
    /// The name of the file of openings, and what is in it.
    pub openings: Option<(String, Openings)>,
    /// How many pairs.
    pub pairs: u32,
    /// The seed.
    pub seed: u64,
    /// The rules of its bouts that are not the game's.
    pub settings: Settings,
    /// Who plays, and by which engine.
    pub players: [(Contestant, EnginePlayer); 2],
}

impl Parts {
    /// The rules of every bout: as usual, but nobody is there to take a move back.
    pub fn usual_settings() -> Settings {
        Settings { undo: false, ..Settings::default() }
    }

    /// The setup of a match that begins at `now`.
    pub fn setup(&self, now: SystemTime) -> MatchSetup {
        let [(a, _), (b, _)] = &self.players;
        MatchSetup {
            format: FORMAT.into(),
            version: VERSION,
            host: env!("CARGO_PKG_VERSION").into(),
            created_at: rfc3339(now),
            game: self.start.game.id.into(),
            variant: self.start.variant.text(),
            seed: self.seed,
            pairs: self.pairs,
            openings: self.openings.as_ref().map(|(file, openings)| OpeningsSource {
                file: file.clone(),
                sha256: openings.sha256.clone(),
                count: openings.starts.len() as u32,
            }),
            settings: self.settings,
            players: [a.clone(), b.clone()],
        }
    }

    /// The match.
    pub fn into_match(self) -> Result<Match, SetupError> {
        let rival = |(player, engine): (Contestant, EnginePlayer)| Rival {
            name: player.name,
            budget: player.budget,
            engine,
            ponders: player.ponders,
        };
        Ok(Match {
            seats: seats_by_side(&self.start)?,
            start: self.start,
            openings: self.openings.map_or(Vec::new(), |(_, openings)| openings.starts),
            pairs: self.pairs,
            seed: self.seed,
            settings: self.settings,
            rivals: self.players.map(rival),
        })
    }
}
