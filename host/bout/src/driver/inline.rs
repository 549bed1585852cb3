//! Plays a bout without a thread and without waiting, for a program that is called itself, such as
//! one in a browser. People's inputs are calls; engines are called inside of [`InlineBout::run`].
//! Has no alarm: time limits in wall time do not end a call.

use std::collections::VecDeque;

use sandboard_abi::{Choice, Decision};
use sandboard_engine::{CallName, ChooseResponse, Engine, Fault, Usage};

use super::output::OutputListener;
use super::run_loop::{PlayerSlot, player_slots};
use super::setup::Participant;
use crate::driver::BoutError;
use crate::record::{Record, RecordHeader};
use crate::referee::{BoutSettings, Command, Event, Notice, PlayerKind, Referee};
use crate::start::StartPosition;

/// A bout in which no engine ponders.
pub struct InlineBout {
    referee: Referee,
    start: StartPosition,
    header: RecordHeader,
    /// One slot for each player.
    slots: Vec<PlayerSlot>,
    /// Commands that are not carried out yet.
    commands: VecDeque<Command>,
}

impl InlineBout {
    /// A bout that has not begun: [`run`](Self::run) begins it. `started_at` is the date for the
    /// record, as RFC 3339.
    pub fn new(
        start: StartPosition,
        seed: u64,
        settings: BoutSettings,
        players: Vec<Participant>,
        output_listener: Option<OutputListener>,
        started_at: String,
    ) -> Result<Self, BoutError> {
        let players = players.into_iter().map(|player| Participant { ponders: false, ..player });
        let (setups, slots) = player_slots(players, seed, output_listener.as_ref());
        let mut referee = Referee::new(start.set_up()?, setups, settings, seed)?;
        let engines = slots.iter().map(PlayerSlot::engine_record).collect();
        let (position, opening) = (start.position.clone(), start.opening()?);
        let header = RecordHeader { start: position, opening, seed, started_at, engines };
        let mut commands = Vec::new();
        referee.handle(0, Event::Begin, &mut commands);
        Ok(Self { referee, start, header, slots, commands: commands.into() })
    }

    /// The referee of the bout.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Where the bout began.
    pub fn start(&self) -> &StartPosition {
        &self.start
    }

    /// Plays a move of the person to move. Err: why it is refused; the bout is unchanged.
    pub fn play(&mut self, now_us: u64, text: &str) -> Result<(), String> {
        let Some((player, Some(call))) =
            self.referee.to_move().filter(|(it, _)| self.is_person(*it))
        else {
            return Err("it is not your turn".into());
        };
        let decision = Decision::Play(text.to_owned());
        let choice = Choice { decision, offers_draw: false, line: None };
        let response = ChooseResponse { choice, spent: Usage::default() };
        self.handle(now_us, Event::Answered { player, call, response, reported: Vec::new() })
    }

    /// Hands an event that people cause to the referee. Err: why it is rejected or refused; the
    /// bout is unchanged.
    pub fn handle(&mut self, now_us: u64, event: Event) -> Result<(), String> {
        let mut commands = Vec::new();
        self.referee.handle(now_us, event, &mut commands);
        let refusal = commands.iter().find_map(|command| match command {
            Command::Reject(reason) => Some(reason.to_string()),
            Command::Notify(Notice::Refused { reason, .. }) => Some(reason.clone()),
            _ => None,
        });
        self.commands.extend(commands);
        refusal.map_or(Ok(()), Err)
    }

    /// Carries out what is due, with all calls of engines, until a person is to act or the bout is
    /// over. `now_us` reads the clock of the events.
    pub fn run(&mut self, now_us: &dyn Fn() -> u64) {
        while let Some(command) = self.commands.pop_front() {
            self.execute(command, now_us);
        }
    }

    /// The record of the bout so far; `saved_at` is the date, as RFC 3339.
    pub fn record(&self, now_us: u64, saved_at: String) -> Record {
        let mut record = Record::from_referee(&self.referee, &self.header, now_us, saved_at);
        record.logs = self.slots.iter().flat_map(|slot| slot.output.logs()).collect();
        record
    }

    fn is_person(&self, player: usize) -> bool {
        self.referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    fn feed(&mut self, now_us: u64, event: Event) {
        let mut commands = Vec::new();
        self.referee.handle(now_us, event, &mut commands);
        self.commands.extend(commands);
    }

    fn execute(&mut self, command: Command, now_us: &dyn Fn() -> u64) {
        let (player, result) = match command {
            Command::Start { player, plies } => (player, self.start_engine(player, plies)),
            Command::SendMove { player, mv } => {
                (player, self.call(player, CallName::Played, |engine| engine.played(&mv)))
            }
            Command::TakeBack { player, plies } => {
                (player, self.call(player, CallName::TakenBack, |engine| engine.taken_back(plies)))
            }
            Command::RequestMove { player, call, limits, barred } => {
                if !self.referee.is_call_due(call) {
                    return;
                }
                self.feed(now_us(), Event::CallBegan { call });
                let ply = self.referee.plies().len() as u32;
                let Some(slot) = self.slots.get_mut(player) else { return };
                // A person answers when it pleases; a lost instance has been reported.
                let Some(instance) = slot.instance.as_mut() else { return };
                slot.output.begin_call(ply);
                let response = instance.engine.choose(&limits, &barred);
                let event = slot.answer(player, call, response);
                return self.feed(now_us(), event);
            }
            Command::Observe { player, observation } => {
                if let Some(slot) = self.slots.get(player) {
                    slot.output.observe(Some(*observation));
                }
                return;
            }
            // Only bouts between engines end early.
            Command::Solve { .. }
            // No engine ponders, and calls are over when the next command comes.
            | Command::Ponder { .. }
            | Command::StopPondering { .. }
            | Command::Stop { .. }
            | Command::SetTimer { .. }
            | Command::ClearTimer
            // The caller asks for what it shows.
            | Command::Notify(_)
            | Command::SaveRecord
            | Command::Reject(_)
            | Command::Finish(_) => return,
        };
        if let Err(fault) = result {
            let reported =
                self.slots.get_mut(player).map_or_else(Vec::new, PlayerSlot::lose_instance);
            self.feed(now_us(), Event::Fault { player, call: None, fault, reported });
        }
    }

    fn start_engine(&mut self, player: usize, plies: usize) -> Result<(), Fault> {
        let setup = self.referee.engine_setup(&self.start, player, plies);
        let Some(slot) = self.slots.get_mut(player) else { return Ok(()) };
        let Some(setup) = slot.instance_setup(setup) else { return Ok(()) };
        slot.open(&setup).map_err(|fault| fault.during(CallName::Start))
    }

    /// Calls an engine, unless its instance is lost: then it is started again with all moves.
    fn call(
        &mut self,
        player: usize,
        name: CallName,
        call: impl FnOnce(&mut dyn Engine) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match self.slots.get_mut(player).and_then(|slot| slot.instance.as_mut()) {
            Some(instance) => call(instance.engine.as_mut()).map_err(|fault| fault.during(name)),
            None => Ok(()),
        }
    }
}
