//! Who is there: sockets that come and go, the time of grace, and the clock that stands still for
//! somebody who is absent and to move. Once for each move; then it runs.

use std::sync::Arc;

use super::live::{Live, Stage};
use super::{Room, Told};
use crate::bout::PersonEvent;
use crate::server::store::Write;
use crate::server::wire::{Event, PlayerState, Presence};
use crate::server::writer::Emission;

impl Live {
    /// Who is there, as it is told.
    fn presence(&self) -> Event {
        let state = |(player, chair): (usize, &super::live::Chair)| PlayerState {
            player,
            state: chair.state,
        };
        let players = self.chairs.iter().enumerate().map(state).collect();
        Event::Presence { players, spectators: self.spectators }
    }

    /// Has the bout stand still for this player, if it is to move, absent, on a clock, and had no
    /// grace for this move yet. The epoch of the timer that is to end it.
    fn hold(&mut self, player: usize) -> Option<u64> {
        let untimed = self.is_untimed(player);
        let at = self.at;
        let input = self.input.as_ref()?;
        let chair = self.chairs.get_mut(player)?;
        let absent = matches!(chair.state, Presence::Absent | Presence::Gone);
        let due = at.to_move == Some(player) && chair.grace_ply != Some(at.plies);
        if !absent || !due || untimed || self.paused || self.held.is_some() {
            return None;
        }
        chair.grace_ply = Some(at.plies);
        self.held = Some((player, chair.epoch));
        input.send(PersonEvent::Pause);
        Some(chair.epoch)
    }

    /// Lets the bout go on that stands still for this player.
    fn release(&mut self, player: usize) {
        if self.held.take_if(|(held, _)| *held == player).is_some()
            && let Some(input) = &self.input
        {
            input.send(PersonEvent::Resume);
        }
    }
}

impl Room {
    /// Somebody has come: with this ticket, or to watch. The bout begins when all have been here.
    pub fn enter(self: &Arc<Self>, ticket: Option<usize>) -> Emission {
        let mut live = self.live();
        let mut writes: Vec<Write> = Vec::new();
        let player = ticket.and_then(|ticket| live.player(ticket));
        match player.and_then(|player| live.chairs.get_mut(player)) {
            None => live.spectators += 1,
            Some(chair) => {
                chair.sockets += 1;
                if chair.sockets == 1 {
                    let first = chair.state == Presence::Open;
                    chair.state = Presence::Present;
                    chair.epoch += 1;
                    if let Some(player) = player {
                        live.release(player);
                    }
                    if first {
                        writes.push(self.kept(&live));
                    }
                }
            }
        }
        let told = live.presence();
        if ticket.is_some() {
            self.wake(&mut live);
        }
        drop(live);
        self.emission(writes, vec![Told::all(told)])
    }

    /// Begins the bout, or goes on with it, if it is time to.
    fn wake(self: &Arc<Self>, live: &mut Live) {
        if !live.is_complete() {
            return;
        }
        let record = match std::mem::replace(&mut live.stage, Stage::Playing) {
            Stage::Waiting => None,
            Stage::Asleep(record) => Some(record),
            stage => return live.stage = stage,
        };
        if let Err(emission) = self.start(record) {
            live.stage = Stage::Over;
            self.hub.send_if_room(emission);
        }
    }

    /// Begins a bout for which nobody is waited: of engines alone, new or out of the store.
    pub fn begin_alone(self: &Arc<Self>) {
        let mut live = self.live();
        if live.chairs.iter().all(|chair| !chair.person) {
            self.wake(&mut live);
        }
    }

    /// Somebody has gone who came by [`enter`](Self::enter).
    pub fn leave(self: &Arc<Self>, ticket: Option<usize>) -> Emission {
        let mut live = self.live();
        let player = ticket.and_then(|ticket| live.player(ticket));
        match player.and_then(|player| Some((player, live.chairs.get_mut(player)?))) {
            None => live.spectators = live.spectators.saturating_sub(1),
            Some((player, chair)) => {
                chair.sockets = chair.sockets.saturating_sub(1);
                if chair.sockets == 0 && chair.person {
                    chair.state = Presence::Absent;
                    chair.epoch += 1;
                    let epoch = chair.epoch;
                    live.hold(player);
                    if matches!(live.stage, Stage::Playing | Stage::Asleep(_)) {
                        self.expect(player, epoch);
                    }
                }
            }
        }
        let told = live.presence();
        drop(live);
        self.emission(Vec::new(), vec![Told::all(told)])
    }

    /// A person is to move: its clock stands still if it is absent.
    pub(super) fn wait_for(self: &Arc<Self>, player: usize) {
        let mut live = self.live();
        if let Some(epoch) = live.hold(player) {
            self.expect(player, epoch);
        }
    }

    /// Has the bout keep what somebody has used of its move, where that counts.
    pub fn keep_clock(&self) {
        let live = self.live();
        let runs = live.at.to_move.is_some_and(|player| !live.is_untimed(player));
        if let Some(input) = live.input.as_ref().filter(|_| runs && !live.paused) {
            input.send(PersonEvent::Save(None));
        }
    }

    /// Looks after the time of grace whether that player has come back.
    fn expect(self: &Arc<Self>, player: usize, epoch: u64) {
        let room = Arc::downgrade(self);
        let grace = self.hub.settings.grace;
        self.hub.runtime.spawn(async move {
            tokio::time::sleep(grace).await;
            if let Some(room) = room.upgrade()
                && let Some(emission) = room.give_up(player, epoch)
            {
                room.hub.send_soon(emission).await;
            }
        });
    }

    /// The time of grace is over: that player's clock runs, and in an untimed bout others may
    /// claim it.
    fn give_up(self: &Arc<Self>, player: usize, epoch: u64) -> Option<Emission> {
        let mut live = self.live();
        let chair = live.chairs.get_mut(player)?;
        if chair.epoch != epoch || !matches!(chair.state, Presence::Absent | Presence::Gone) {
            return None;
        }
        chair.state = Presence::Gone;
        live.release(player);
        let told = live.presence();
        drop(live);
        Some(self.emission(Vec::new(), vec![Told::all(told)]))
    }
}
