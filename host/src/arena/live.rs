//! What goes on in an arena at this moment, for whoever watches: the games in play, now and then. Costs a bout one
//! look at a flag for each of its moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::job::Job;
use super::view::LiveGame;
use crate::bout::{Observer, Scene};
use crate::engine::FaultCode;
use crate::referee::Notice;

/// What is told of a running arena beside its results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Whether bouts are finished and none is begun.
    pub stopping: bool,
    /// Games played at once.
    pub concurrency: usize,
    /// How long it will take, in seconds.
    pub seconds_left: Option<f64>,
    /// Moves a second of this session.
    pub plies_per_second: Option<f64>,
    /// The games in play.
    pub games: Vec<LiveGame>,
}

/// Where one thread shows its game.
#[derive(Debug, Default)]
pub struct Slot {
    wanted: AtomicBool,
    shown: Mutex<Option<LiveGame>>,
}

impl Slot {
    /// What was shown last; the next look is asked for.
    pub fn look(&self) -> Option<LiveGame> {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.wanted.store(true, Ordering::Relaxed);
        shown
    }

    fn show(&self, game: Option<LiveGame>) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    /// Nothing is played here any more.
    pub fn clear(&self) {
        self.show(None);
    }
}

/// Shows a game in a slot.
pub struct Shower<'a> {
    /// Where.
    pub slot: &'a Slot,
    /// Which game.
    pub job: &'a Job,
    /// Where it began.
    pub start: Option<&'a str>,
    /// Whose engine was stopped by the host, or could not go on through no fault of its own.
    pub stopped: Option<usize>,
}

impl Observer for Shower<'_> {
    fn notice(&mut self, _scene: Scene<'_>, notice: &Notice) {
        if let Notice::Faulted { player, fault } = notice
            && fault.code == FaultCode::Host
        {
            self.stopped = Some(*player);
        }
    }

    fn thinking(&mut self, scene: Scene<'_>, _player: usize) {
        if !self.slot.wanted.load(Ordering::Relaxed) {
            return;
        }
        self.slot.wanted.store(false, Ordering::Relaxed);
        let plies = scene.referee.plies();
        let mut scores = [None, None];
        for player in [0, 1] {
            let seats = scene.referee.player(player).map_or(&[][..], |setup| &setup.seats);
            let mut latest = plies.iter().rev().filter(|ply| seats.contains(&ply.seat));
            let score = latest.find_map(|ply| ply.line.as_ref()?.score);
            scores[usize::from(self.job.side_of(player))] = score.map(|score| score.value);
        }
        self.slot.show(Some(LiveGame {
            name: self.job.name(),
            round: self.job.pair.round,
            players: self.job.by_side(),
            start: self.start.map(str::to_owned),
            moves: plies.iter().map(|ply| ply.mv.to_string()).collect(),
            scores,
            worker: None,
        }));
    }
}
