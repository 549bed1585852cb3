//! Steps of a game: the moves of seats that decide at the same time, and outcomes of chance. The
//! seats of a step are asked one after another, and none learns what the others have chosen before
//! all have.

use std::sync::Arc;

use sandboard_abi::limits::SEATS;
use sandboard_engine::{Budget, Usage};
use sandboard_games::general::{Actor, Next, draw};
use sandboard_games::splitmix::{self, SplitMix64};
use sandboard_games::{Refusal, Seat, Side};

use super::messages::{Command, Notice};
use super::{Ply, Referee, SeenMove};
use crate::clock::Clock;

/// The stream of random numbers for chance, which shares no number with other uses of a bout's
/// seed.
const CHANCE_STREAM: u64 = 0x6368_616e_6365;

/// What is needed next.
pub(super) enum NextStep {
    /// The choice of this seat; `is_shared`: other seats decide at the same time.
    Choice { seat: Seat, is_shared: bool },
    /// Nothing: look again.
    Again,
    /// Nothing more: the bout was aborted.
    Ended,
}

impl Referee {
    /// Plays what needs no further choice, and returns what is needed next.
    pub(super) fn next_step(&mut self, out: &mut Vec<Command>) -> NextStep {
        match self.game.next() {
            Next::Seats(seats) => {
                let has_chosen = |seat: &Seat| self.step.iter().any(|ply| ply.seat == Some(seat.0));
                match seats.iter().find(|seat| !has_chosen(seat)) {
                    Some(seat) => NextStep::Choice { seat, is_shared: seats.len() > 1 },
                    None => self.play_step(out),
                }
            }
            Next::Chance => match self.draw_outcome() {
                Ok(mv) => {
                    self.step.push(chance_ply(mv));
                    self.play_step(out)
                }
                Err(reason) => {
                    if !self.abort_if_rules_failed(out) {
                        self.abort(reason, out);
                    }
                    NextStep::Ended
                }
            },
            Next::Over => {
                self.abort("the game is over, but has no result", out);
                NextStep::Ended
            }
        }
    }

    /// The outcome of chance for the next ply. It depends only on the bout's seed, the number of
    /// plies and the outcomes with their weights.
    fn draw_outcome(&self) -> Result<String, &'static str> {
        let seed = splitmix::mix(splitmix::mix(self.seed) ^ CHANCE_STREAM);
        let mut random = SplitMix64::new(splitmix::output(seed, self.plies.len() as u64));
        let outcomes = self.game.chance();
        draw(&outcomes, &mut random).cloned().ok_or("chance is next, but has no outcome")
    }

    /// Accepts a move that the player to move has chosen, or says why it is refused. A move that
    /// no other seat decides with is played at once, so that its text is read only once.
    pub(super) fn accept(&mut self, text: &str) -> Result<(Arc<str>, Option<SeenMove>), Refusal> {
        let Some(turn) = self.turn.as_ref() else { return Ok((text.into(), None)) };
        let (seat, is_shared) = (turn.seat, turn.is_shared);
        if is_shared {
            return Ok((self.game.canonical_of(seat, text)?.into(), None));
        }
        let seen = match self.has_hidden_information() {
            true => Some(self.seen_by_all(Actor::Seat(seat), &self.game.canonical(text)?)),
            false => None,
        };
        Ok((self.game.play(text)?.into(), seen))
    }

    fn seen_by_all(&self, actor: Actor, mv: &str) -> SeenMove {
        let seen = |observer| self.game.seen(observer, actor, mv).map(Arc::from);
        self.observers().map(seen).collect()
    }

    /// Plays the moves of a step that are chosen, and shows them to all.
    fn play_step(&mut self, out: &mut Vec<Command>) -> NextStep {
        let mut step = std::mem::take(&mut self.step);
        step.sort_by_key(|ply| ply.seat);
        if self.has_hidden_information() {
            for ply in &mut step {
                let actor = ply.seat.map_or(Actor::Chance, |seat| Actor::Seat(Seat(seat)));
                ply.seen = Some(self.seen_by_all(actor, &ply.mv));
            }
        }
        for ply in &step {
            if let Err(refusal) = self.game.play(&ply.mv) {
                if !self.abort_if_rules_failed(out) {
                    let reason = format!("a move of a step cannot be played: {refusal}");
                    self.abort(&reason, out);
                }
                return NextStep::Ended;
            }
        }
        // Nothing of such a game can be undone, so that no earlier clocks are needed.
        self.clocks_before.extend(step.iter().map(|ply| ply.clock));
        let first = self.add(step, out);
        self.send(first, None, out);
        NextStep::Again
    }

    /// Adds moves that were played, and shows them to people. Returns the index of the first.
    pub(super) fn add(
        &mut self,
        step: impl IntoIterator<Item = Ply>,
        out: &mut Vec<Command>,
    ) -> usize {
        let first = self.plies.len();
        for ply in step {
            let (player, mv, origin) = (ply.player, ply.mv.clone(), ply.origin);
            let index = self.plies.len() as u32;
            self.plies.push(ply);
            out.push(Command::Notify(Notice::Moved { player, ply: index, mv, origin }));
        }
        first
    }

    /// Sends the moves from `first` on to engines. `lost`: the instance of this player was killed,
    /// and is started again.
    pub(super) fn send(&mut self, first: usize, lost: Option<usize>, out: &mut Vec<Command>) {
        let names = self.side_names.iter().enumerate();
        let changed = |(side, name): (usize, &&str)| self.game.side_name(Side(side as u8)) != *name;
        if names.into_iter().any(changed) {
            let names = self.current_side_names();
            self.side_names.clone_from(&names);
            out.push(Command::Notify(Notice::SidesSwapped { names }));
        }
        self.stop_pondering(out);
        for engine in self.engines() {
            if lost == Some(engine) {
                self.start_engine(engine, out);
                continue;
            }
            self.observe(engine, out);
            for ply in &self.plies[first..] {
                let mv = match &ply.seen {
                    None => Some(&ply.mv),
                    Some(seen) => seen.get(engine).and_then(Option::as_ref),
                };
                out.extend(mv.map(|mv| Command::SendMove { player: engine, mv: Arc::clone(mv) }));
            }
        }
        out.push(Command::SaveRecord);
    }

    /// Shows the current position to an engine, if something of it is hidden.
    pub(super) fn observe(&self, player: usize, out: &mut Vec<Command>) {
        if self.is_engine(player)
            && let Some(observation) = self.observation(player)
        {
            let observation = Box::new(observation);
            out.push(Command::Observe { player, observation });
        }
    }

    /// The number of moves that are played or chosen. It grows with each accepted move, also while
    /// other seats of its step have not chosen.
    pub(crate) fn chosen_plies(&self) -> usize {
        self.plies.len() + self.step.len()
    }

    /// The canonical text of a move that the player to move could choose. Does not choose it.
    pub fn canonical(&self, text: &str) -> Result<String, Refusal> {
        match self.turn.as_ref() {
            Some(turn) => self.game.canonical_of(turn.seat, text),
            None => self.game.canonical(text),
        }
    }

    /// The legal moves of the player to move, separated by one space; empty if no player is.
    pub fn legal_moves(&self) -> String {
        let mut line = String::new();
        if let Some(turn) = self.turn.as_ref().filter(|_| self.result.is_none()) {
            self.game.write_legal_of(turn.seat, &mut line);
        }
        line
    }

    /// The seat to move; none: the bout is over, or has not begun.
    pub fn seat_to_move(&self) -> Option<Seat> {
        self.turn.as_ref().filter(|_| self.result.is_none()).map(|turn| turn.seat)
    }

    /// Plays a move of an earlier session again. Err: why it cannot be.
    pub(super) fn restore_ply(&mut self, ply: Ply) -> Result<(), String> {
        let (seats, place) = match self.game.next() {
            Next::Over => return Err("the game is over".into()),
            Next::Chance => {
                let drawn = self.draw_outcome()?;
                if drawn != *ply.mv {
                    return Err(format!("chance gave `{drawn}` there, by the seed of the bout"));
                }
                self.step.push(chance_ply(drawn));
                (1, None)
            }
            Next::Seats(seats) => {
                let place = seats.iter().nth(self.step.len());
                (seats.len(), Some(place.ok_or("no seat is to move")?))
            }
        };
        if let Some(seat) = place {
            let player = self.owner(seat).ok_or("no player is to move")?;
            let mv =
                self.game.canonical_of(seat, &ply.mv).map_err(|refusal| refusal.to_string())?;
            let (seat, player) = (Some(seat.0), Some(player));
            self.step.push(Ply { seat, player, mv: mv.into(), seen: None, ..ply });
        }
        if self.step.len() < seats.min(SEATS) {
            return Ok(());
        }
        let step = std::mem::take(&mut self.step);
        for mut ply in step {
            if let Some(player) = ply.player {
                self.clocks_before.push(self.players[player].clock);
                self.players[player].clock = ply.clock;
            } else {
                self.clocks_before.push(ply.clock);
            }
            if self.has_hidden_information() {
                let actor = ply.seat.map_or(Actor::Chance, |seat| Actor::Seat(Seat(seat)));
                ply.seen = Some(self.seen_by_all(actor, &ply.mv));
            }
            self.plies.push(ply);
        }
        for ply in &self.plies[self.plies.len() - seats..] {
            self.game.play(&ply.mv).map_err(|refusal| refusal.to_string())?;
        }
        Ok(())
    }
}

fn chance_ply(mv: String) -> Ply {
    Ply {
        seat: None,
        player: None,
        mv: mv.into(),
        seen: None,
        spent: Usage::default(),
        clock: Clock::new(Budget::default()),
        line: None,
        origin: None,
        offers_draw: false,
        pondering: None,
    }
}
