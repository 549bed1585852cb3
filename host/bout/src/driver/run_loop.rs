//! The event loop of a bout: carries out the referee's commands one after another, and hands the
//! outcomes back as events. The only place that calls engines on the driver's thread.

use std::borrow::Cow;
use std::sync::Arc;

use sandboard_abi::{Barred, Limits, Setup, Unit};
use sandboard_engine::{CallName, ChooseResponse, Engine, Fault, StopHandle};

use super::input::{InputEvent, InputReceiver};
use super::move_guard::MoveGuard;
use super::output::{OutputCollector, OutputListener};
use super::ponder_thread::PonderThread;
use super::record_saver::RecordSaver;
use super::setup::player_seed;
use super::{
    BoutError, BoutReport, BoutSetup, BoutView, EnginePlayer, HintEngine, Observer, Participant,
    TimeSource, WaitResult,
};
use crate::record::{EngineRecord, Record};
use crate::referee::{
    BoutSettings, Command, Event, Notice, PlayerKind, PlayerSetup, Referee, Rejection,
};
use crate::start::StartPosition;
use crate::{perfect_play, solver};

pub(super) struct Driver<'a> {
    pub(super) time: &'a dyn TimeSource,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) referee: Referee,
    pub(super) people: Option<InputReceiver>,
    pub(super) hint: Option<HintEngine>,
    pub(super) seed: u64,
    /// Where the bout began.
    pub(super) start: StartPosition,
    /// One slot for each player.
    pub(super) slots: Vec<PlayerSlot>,
    pub(super) saver: RecordSaver,
    /// Whether a person plays.
    has_people: bool,
    /// Stops engines that do not answer; none before the first call that needs it.
    move_guard: Option<MoveGuard>,
    /// Commands to carry out, from `next_command` on.
    pub(super) commands: Vec<Command>,
    next_command: usize,
    /// When to send [`Event::Tick`].
    timer_us: Option<u64>,
    /// The time of the last event.
    pub(super) now_us: u64,
    /// A person has quit; the bout stays unfinished.
    pub(super) quit: bool,
    /// The last tracked input, until it is answered.
    pub(super) pending_input: Option<PendingInput>,
}

/// A tracked input whose outcome is still to be reported.
pub(super) struct PendingInput {
    pub(super) number: u64,
    pub(super) player: Option<usize>,
    /// Why it was rejected.
    pub(super) rejection: Option<String>,
}

/// The driver's state of one player; without an engine for a person.
pub(super) struct PlayerSlot {
    pub(super) engine: Option<EnginePlayer>,
    seed: u64,
    pub(super) output: Arc<OutputCollector>,
    /// None, too, while the engine ponders.
    pub(super) instance: Option<RunningEngine>,
    /// The thread on which the engine ponders; none before it first ponders.
    pub(super) ponder_thread: Option<PonderThread>,
}

pub(super) struct RunningEngine {
    pub(super) engine: Box<dyn Engine>,
    pub(super) stop_handle: StopHandle,
}

/// The referee's and the driver's part of each player. Engines without a seed of their own get one
/// from `seed`.
pub(super) fn player_slots(
    players: impl Iterator<Item = Participant>,
    seed: u64,
    listener: Option<&OutputListener>,
) -> (Vec<PlayerSetup>, Vec<PlayerSlot>) {
    let slot = |(index, player): (usize, Participant)| {
        let engine = player.engine;
        let threads = engine.as_ref().map_or(1, |engine| engine.threads);
        let setup = PlayerSetup {
            name: player.name,
            seats: player.seats,
            budget: player.budget,
            kind: if engine.is_some() { PlayerKind::Engine } else { PlayerKind::Person },
            ponder_threads: player.ponders.then_some(threads),
        };
        let own_seed = engine.as_ref().and_then(|engine| engine.seed);
        let allowance = engine.as_ref().and_then(|engine| engine.log_allowance.clone());
        let output = OutputCollector::new(index, listener.cloned()).within(allowance);
        let slot = PlayerSlot {
            seed: own_seed.unwrap_or_else(|| player_seed(seed, index)),
            engine,
            output: Arc::new(output),
            instance: None,
            ponder_thread: None,
        };
        (setup, slot)
    };
    players.enumerate().map(slot).unzip()
}

impl PlayerSlot {
    /// The engine as the record names it; none for a person.
    pub(super) fn engine_record(&self) -> Option<EngineRecord> {
        self.engine.as_ref().map(|engine| engine.to_record(self.seed))
    }

    /// The setup of a fresh instance, with the engine's options and limits; none for a person.
    pub(super) fn instance_setup(&self, setup: Setup) -> Option<Setup> {
        Some(self.engine.as_ref()?.instance_setup(setup, self.seed))
    }

    /// Opens and starts an instance in place of an earlier one, which is dropped first.
    pub(super) fn open(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.instance = None;
        if let Some(engine) = &self.engine {
            self.instance = Some(open(engine, self.output.clone(), setup)?);
        }
        Ok(())
    }

    /// Drops the instance after a fault. Returns the best moves that it reported in its call.
    pub(super) fn lose_instance(&mut self) -> Vec<String> {
        self.instance = None;
        self.output.take_lines().1
    }

    /// The event of an answer to a request for a move.
    pub(super) fn answer(
        &mut self,
        player: usize,
        call: u64,
        response: Result<ChooseResponse, Fault>,
    ) -> Event {
        let (line, reported) = self.output.take_lines();
        match response {
            Ok(mut response) => {
                response.choice.line = response.choice.line.or(line);
                Event::Answered { player, call, response, reported }
            }
            Err(fault) => {
                self.instance = None;
                let fault = fault.during(CallName::Choose);
                Event::Fault { player, call: Some(call), fault, reported }
            }
        }
    }
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        time: &'a dyn TimeSource,
        setup: BoutSetup,
        people: Option<InputReceiver>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, BoutError> {
        let BoutSetup {
            start,
            seed,
            settings,
            players,
            hint,
            output_listener,
            destination,
            resumed_from,
        } = setup;
        let needs_input = players.iter().position(|player| player.engine.is_none());
        if let Some(index) = needs_input.filter(|_| people.is_none()) {
            return Err(BoutError::NoInput(index));
        }
        let (setups, slots) = player_slots(players.into_iter(), seed, output_listener.as_ref());
        let mut referee = Referee::new(start.set_up()?, setups, settings, seed)?;
        if let Some(record) = resumed_from.as_deref() {
            referee.restore(record.to_plies(), record.events.clone(), record.turn_us)?;
        }
        let engines = slots.iter().map(PlayerSlot::engine_record).collect();
        let has_people = slots.iter().any(|slot| slot.engine.is_none());
        let saver = RecordSaver::new(
            destination,
            resumed_from,
            (start.position.clone(), start.opening()?),
            seed,
            engines,
            has_people,
            time.date(),
        );
        Ok(Self {
            time,
            observer,
            referee,
            people,
            hint,
            seed,
            start,
            slots,
            saver,
            has_people,
            move_guard: None,
            commands: Vec::new(),
            next_command: 0,
            timer_us: None,
            now_us: 0,
            quit: false,
            pending_input: None,
        })
    }

    pub(super) fn run(mut self) -> BoutReport {
        self.log_start();
        self.feed(Event::Begin);
        while !self.quit {
            if let Some(command) = self.take_command() {
                self.execute(command);
            } else if self.referee.result().is_some() {
                break;
            } else {
                self.answer_input();
                self.wait();
            }
        }
        self.end_all_pondering();
        let logs = self.slots.iter().flat_map(|slot| slot.output.logs()).collect();
        let now_us = self.time.now_us();
        let (mut record, mut saved) =
            self.saver.close(&self.referee, now_us, self.time.date(), logs);
        self.answer_input();
        // This can take long and be interrupted; the record is already saved.
        if self.add_perfect_play(&mut record) && saved.is_ok() {
            saved = self.saver.write(Cow::Borrowed(&record));
        }
        match &saved {
            Ok(Some(path)) => log::info!("record: {}", path.display()),
            Ok(None) => (),
            Err(error) => log::warn!("{error}"),
        }
        BoutReport { result: record.result.clone(), record, saved }
    }

    /// Compares a finished bout with perfect play, if the game is solved. Returns whether `record`
    /// was changed.
    fn add_perfect_play(&self, record: &mut Record) -> bool {
        if record.result.is_none() {
            return false;
        }
        // A person who leaves a finished bout does not interrupt this; in a bout between engines,
        // quitting does.
        let engines_only = self.slots.iter().all(|slot| slot.engine.is_some());
        let quits = || engines_only && self.people.as_ref().is_some_and(InputReceiver::has_quit);
        match perfect_play::evaluate_from(&self.start, record, &|| !quits()) {
            Ok(Some(report)) => report.write_to(record),
            Ok(None) => return false,
            Err(error) => {
                log::warn!("the bout is not compared with perfect play: {error}");
                return false;
            }
        }
        true
    }

    /// Solves the position, to end the bout with the result. Takes moments, and is not interrupted.
    fn solve(&mut self, call: u64) {
        if !self.referee.is_solving(call) {
            return;
        }
        let game = self.referee.game();
        let solved = solver::endgame_solver(game.info().id).map(|row| row.solve(game, &|| true));
        self.feed(match solved {
            Some(Ok(score)) => Event::Solved { call, score },
            Some(Err(error)) => {
                Event::Abort { reason: format!("the position cannot be solved: {error}") }
            }
            None => Event::Abort { reason: "the position cannot be solved".into() },
        });
    }

    fn take_command(&mut self) -> Option<Command> {
        if self.next_command < self.commands.len() {
            let slot = &mut self.commands[self.next_command];
            self.next_command += 1;
            return Some(std::mem::replace(slot, Command::ClearTimer));
        }
        self.commands.clear();
        self.next_command = 0;
        None
    }

    /// Sends an event to the referee, with the current time.
    pub(super) fn feed(&mut self, event: Event) {
        self.now_us = self.time.now_us();
        let first_new = self.commands.len();
        self.referee.handle(self.now_us, event, &mut self.commands);
        self.note_rejection(first_new);
    }

    /// The view for observers, with the time of the last event: reading the clock costs time.
    pub(super) fn view(&mut self) -> (BoutView<'_>, &mut dyn Observer) {
        let now_us = self.now_us;
        (BoutView { referee: &self.referee, now_us }, &mut *self.observer)
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::RequestMove { player, call, limits, barred } => {
                self.request_move(player, call, limits, barred);
            }
            Command::SendMove { player, mv } => {
                self.call_engine(player, CallName::Played, |engine| engine.played(&mv));
            }
            Command::TakeBack { player, plies } => {
                self.call_engine(player, CallName::TakenBack, |engine| engine.taken_back(plies));
            }
            Command::Start { player, plies } => self.start_engine(player, plies),
            Command::Observe { player, observation } => {
                if let Some(slot) = self.slots.get(player) {
                    slot.output.observe(Some(*observation));
                }
            }
            Command::Ponder { player } => self.start_pondering(player),
            Command::StopPondering { player } => self.stop_pondering(player),
            Command::Solve { call } => self.solve(call),
            Command::SetTimer { at_us } => self.timer_us = Some(at_us),
            Command::ClearTimer => self.timer_us = None,
            Command::Notify(notice) => self.notify(&notice),
            Command::SaveRecord => {
                self.saver.bout_changed(&self.referee, self.now_us, || self.time.date());
                if self.referee.result().is_none() {
                    self.answer_input();
                }
            }
            // Engine calls block this thread, so the call is already over: the sender of the
            // event stopped it.
            Command::Stop { .. } => (),
            // The answer to a call that was given up; nothing to report.
            Command::Reject(Rejection::NoSuchCall(_)) => (),
            Command::Reject(reason) => {
                let (view, observer) = self.view();
                observer.input_rejected(view, &reason.to_string());
            }
            Command::Finish(result) => {
                log::info!("end: {}", result.sentence);
                let (view, observer) = self.view();
                observer.bout_ended(view, &result);
            }
        }
    }

    fn notify(&mut self, notice: &Notice) {
        let name = |player: usize| self.referee.player(player).map_or("", |setup| &setup.name);
        match notice {
            Notice::SidesSwapped { names } => log::info!("swap: {}", names.join(" and ")),
            Notice::Refused { player, mv, reason, .. } => {
                log::info!("refusal: {}: `{mv}`: {reason}", name(*player));
            }
            Notice::Faulted { player, fault } => {
                log::info!("fault: {} {} ({})", name(*player), fault.sentence, fault.code);
            }
            Notice::Overrun { player, spent, allowed } => {
                log::info!("time limit: {} spent {spent} of {allowed}", name(*player));
            }
            _ => (),
        }
        let (view, observer) = self.view();
        observer.notice(view, notice);
    }

    fn log_start(&self) {
        if !log::log_enabled!(log::Level::Info) {
            return;
        }
        let game = self.referee.game();
        let player = |index| {
            let setup = self.referee.player(index)?;
            Some(format!("{} (seats {:?}, {})", setup.name, setup.seats, setup.budget))
        };
        let players: Vec<_> = (0..self.referee.player_count()).filter_map(player).collect();
        let (id, variant) = (game.info().id, game.variant().text());
        let settings = self.referee.settings();
        log::info!("start: {id} {variant}: {}; {settings:?}", players.join(", "));
    }

    fn start_engine(&mut self, player: usize, plies: usize) {
        let setup = self.setup_for(player, plies);
        let (Some(setup), Some(slot)) = (setup, self.slots.get_mut(player)) else { return };
        if let Err(fault) = slot.open(&setup) {
            self.report_fault(player, fault.during(CallName::Start));
        }
    }

    /// The setup of a fresh instance for `player`, with this number of moves.
    fn setup_for(&self, player: usize, plies: usize) -> Option<Setup> {
        let setup = self.referee.engine_setup(&self.start, player, plies);
        self.slots.get(player)?.instance_setup(setup)
    }

    /// Makes a call other than `start`, `choose` and `think`.
    fn call_engine(
        &mut self,
        player: usize,
        name: CallName,
        call: impl FnOnce(&mut dyn Engine) -> Result<(), Fault>,
    ) {
        let instance = self.slots.get_mut(player).and_then(|slot| slot.instance.as_mut());
        // A lost instance is started again with all moves, if it is needed again.
        let Some(instance) = instance else { return };
        instance.stop_handle.clear();
        if let Err(fault) = call(instance.engine.as_mut()) {
            self.report_fault(player, fault.during(name));
        }
    }

    /// Reports a fault in a call other than `choose`.
    pub(super) fn report_fault(&mut self, player: usize, fault: Fault) {
        let slot = self.slots.get_mut(player);
        let reported = slot.map_or_else(Vec::new, PlayerSlot::lose_instance);
        self.feed(Event::Fault { player, call: None, fault, reported });
    }

    fn request_move(&mut self, player: usize, call: u64, limits: Limits, barred: Vec<Barred>) {
        if !self.referee.is_call_due(call) {
            return;
        }
        let slot = self.slots.get_mut(player);
        let is_person = slot.as_ref().is_none_or(|slot| slot.engine.is_none());
        if is_person {
            self.feed(Event::CallBegan { call });
            let (view, observer) = self.view();
            return observer.person_to_move(view, player, &limits);
        }
        let Some(slot) = slot else { return };
        let Some(instance) = slot.instance.as_mut() else { return };
        instance.stop_handle.clear();
        if let Some(people) = &self.people {
            people.set_stop_handle(Some(instance.stop_handle.clone()));
            if let Some(event) = self.next_input() {
                self.set_stop_handle(None);
                self.handle_input(event);
                // The commands that follow from the input come first.
                self.commands.push(Command::RequestMove { player, call, limits, barred });
                return;
            }
        }
        self.choose(player, call, &limits, &barred);
    }

    fn choose(&mut self, player: usize, call: u64, limits: &Limits, barred: &[Barred]) {
        self.answer_input();
        let (view, observer) = self.view();
        observer.engine_thinking(view, player);
        self.feed(Event::CallBegan { call });
        let ply = self.referee.plies().len() as u32;
        let Some(slot) = self.slots.get_mut(player) else { return };
        let Some(instance) = slot.instance.as_mut() else { return };
        slot.output.begin_call(ply);
        let settings = self.referee.settings();
        let guard = needs_guard(limits, settings, self.has_people).then(|| {
            &*self.move_guard.get_or_insert_with(|| MoveGuard::new(settings.move_guard_us))
        });
        if let Some(guard) = guard {
            guard.begin(instance.stop_handle.clone());
        }
        let mut response = instance.engine.choose(limits, barred);
        // The time is read before anything else is done.
        self.now_us = self.time.now_us();
        let spent = match &response {
            Ok(response) => response.spent,
            Err(fault) => fault.spent,
        };
        if let Some(fault) = guard.and_then(|guard| guard.end(&spent)) {
            response = Err(fault);
        }
        let event = slot.answer(player, call, response);
        let now_us = self.now_us;
        // Inputs that came while the engine was thinking are older than its answer.
        self.set_stop_handle(None);
        while let Some(event) = self.next_input().filter(|_| !self.quit) {
            self.handle_input(event);
        }
        if !self.quit {
            self.referee.handle(now_us, event, &mut self.commands);
        }
    }

    /// Sets the call that people's inputs stop.
    pub(super) fn set_stop_handle(&self, stop_handle: Option<StopHandle>) {
        if let Some(people) = &self.people {
            people.set_stop_handle(stop_handle);
        }
    }

    /// The next input that need not wait.
    fn next_input(&mut self) -> Option<InputEvent> {
        let people = self.people.as_mut()?;
        let to_move = self.referee.to_move().and_then(|(player, _)| self.slots.get(player));
        let is_turn = self.referee.is_paused() || to_move.is_none_or(|slot| slot.engine.is_none());
        people.next(is_turn)
    }

    /// Waits for an input or the timer, and handles it.
    fn wait(&mut self) {
        if let Some(event) = self.next_input() {
            return self.handle_input(event);
        }
        let Some(people) = &self.people else {
            // Only people keep a bout waiting: without them it would wait forever.
            let reason = "no player is left to continue the bout".into();
            return self.feed(Event::Abort { reason });
        };
        match self.time.receive(&people.events, self.timer_us) {
            WaitResult::Event(event) => self.handle_input(event),
            WaitResult::TimedOut => self.feed(Event::Tick),
            WaitResult::Closed => self.quit = true,
        }
    }
}

/// Whether a call has no limit of its own that ends it. A person may let an engine without any
/// limit think, and stops it.
pub(super) fn needs_guard(limits: &Limits, settings: &BoutSettings, has_people: bool) -> bool {
    let has_limit = limits.depth.is_some() || limits.nodes.is_some();
    limits.unit == Unit::Unlimited && settings.move_guard_us > 0 && (has_limit || !has_people)
}

/// Opens and starts an instance.
pub(super) fn open(
    engine: &EnginePlayer,
    output: Arc<OutputCollector>,
    setup: &Setup,
) -> Result<RunningEngine, Fault> {
    let mut opened = engine.source.open(output, setup.threads)?;
    opened.start(setup)?;
    let stop_handle = opened.stop_handle();
    log::info!("load: {} {}", engine.id, engine.version);
    Ok(RunningEngine { engine: opened, stop_handle })
}
