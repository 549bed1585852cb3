//! The live state of a running arena: the games in play, sampled on request. Costs a bout one check
//! of a flag per move.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sandboard_arena_plan::{Job, LiveGame};
use sandboard_bout::driver::{BoutView, Observer};
use sandboard_bout::referee::{Notice, Viewer};
use sandboard_engine::FaultCode;

/// Holds the latest state of a thread's game.
#[derive(Debug, Default)]
pub struct LiveSlot {
    requested: AtomicBool,
    latest: Mutex<Option<LiveGame>>,
}

impl LiveSlot {
    /// The latest state that was published. Requests the next one.
    pub fn latest_game(&self) -> Option<LiveGame> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.requested.store(true, Ordering::Relaxed);
        latest
    }

    fn publish(&self, game: Option<LiveGame>) {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    /// Removes the game.
    pub fn clear(&self) {
        self.publish(None);
    }
}

/// Publishes a game in a slot.
pub struct LiveObserver<'a> {
    /// The slot of the thread.
    pub slot: &'a LiveSlot,
    /// The game that is played.
    pub job: &'a Job,
    /// Its start position, if it is not the variant's.
    pub start: Option<&'a str>,
    /// The player whose engine failed by a fault of the host, such as being stopped by it.
    pub stopped_player: Option<usize>,
}

impl Observer for LiveObserver<'_> {
    fn notice(&mut self, _scene: BoutView<'_>, notice: &Notice) {
        if let Notice::Faulted { player, fault } = notice
            && fault.code == FaultCode::Host
        {
            self.stopped_player = Some(*player);
        }
    }

    fn engine_thinking(&mut self, scene: BoutView<'_>, _player: usize) {
        if !self.slot.requested.load(Ordering::Relaxed) {
            return;
        }
        self.slot.requested.store(false, Ordering::Relaxed);
        let plies = scene.referee.plies();
        let count = self.job.pair.players.len();
        let mut scores = vec![None; count];
        for player in 0..count {
            let mut latest = plies.iter().rev().filter(|ply| ply.player == Some(player));
            let score = latest.find_map(|ply| ply.line.as_ref()?.score);
            scores[usize::from(self.job.side_of(player))] = score.map(|score| score.value);
        }
        self.slot.publish(Some(LiveGame {
            name: self.job.name(),
            round: self.job.pair.round,
            players: self.job.by_side().to_vec(),
            start: self.start.map(str::to_owned),
            moves: scene.referee.moves_for(Viewer::Spectator).map(|it| it.1.to_owned()).collect(),
            scores: if scene.referee.shows_output_to(Viewer::Spectator) {
                scores
            } else {
                vec![None; count]
            },
            worker: None,
        }));
    }
}
