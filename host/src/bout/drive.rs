//! The loop: commands of the referee are carried out one after another, and
//! what comes of them goes back in as events. The only place that calls engines.

use std::borrow::Cow;
use std::sync::Arc;

use sandboard_abi::{Barred, Limits, Setup};

use super::people::{People, PersonEvent};
use super::ponder::Ponderer;
use super::save::Keeper;
use super::{
    BoutError, BoutReport, BoutSetup, Ears, EnginePlayer, Hint, Mover, Observer, Received, Scene,
    Time, player_seed,
};
use crate::engine::{Answer, CallName, Control, Engine, Fault};
use crate::exact;
use crate::record::Record;
use crate::referee::{Command, Event, Notice, PlayerKind, PlayerSetup, Referee, Rejection};

pub(super) struct Driver<'a> {
    pub(super) time: &'a dyn Time,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) referee: Referee,
    pub(super) people: Option<People>,
    pub(super) hint: Option<Hint>,
    pub(super) seed: u64,
    /// The position text of the start, as engines are told; empty: the variant's own.
    start: String,
    pub(super) chairs: Vec<Chair>,
    pub(super) keeper: Keeper,
    /// Commands to carry out, from `next` on.
    pub(super) commands: Vec<Command>,
    next: usize,
    /// A request that came while the bout was paused.
    deferred: Option<Command>,
    armed_us: Option<u64>,
    /// When the last event was handed in.
    pub(super) now_us: u64,
    /// Somebody has left; the bout stays unfinished.
    pub(super) left: bool,
    /// The last word of which is to be told what became of it.
    pub(super) said: Option<Said>,
}

/// A word that has been heard.
pub(super) struct Said {
    pub(super) number: u64,
    pub(super) player: Option<usize>,
    /// Why it is not done.
    pub(super) refused: Option<String>,
}

/// A player's place at the table: nothing for a person.
pub(super) struct Chair {
    engine: Option<EnginePlayer>,
    seed: u64,
    pub(super) ears: Arc<Ears>,
    /// None, too, while it thinks on its opponents' time.
    pub(super) instance: Option<Instance>,
    /// Where it thinks on its opponents' time, once it has.
    pub(super) ponderer: Option<Ponderer>,
}

pub(super) struct Instance {
    pub(super) engine: Box<dyn Engine>,
    pub(super) control: Control,
}

impl<'a> Driver<'a> {
    pub fn new(
        time: &'a dyn Time,
        setup: BoutSetup,
        people: Option<People>,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, BoutError> {
        let BoutSetup { start, seed, settings, players, hint, live, place, resumed } = setup;
        let mut setups = Vec::with_capacity(players.len());
        let mut chairs = Vec::with_capacity(players.len());
        for (index, player) in players.into_iter().enumerate() {
            let (kind, engine) = match player.mover {
                Mover::Person if people.is_none() => return Err(BoutError::NoInput(index)),
                Mover::Person => (PlayerKind::Person, None),
                Mover::Engine(engine) => (PlayerKind::Engine, Some(engine)),
            };
            let drawn = player_seed(seed, index);
            let ponder_threads = player.ponders.then(|| engine.as_ref().map_or(1, |it| it.threads));
            chairs.push(Chair {
                seed: engine.as_ref().and_then(|engine| engine.seed).unwrap_or(drawn),
                engine,
                ears: Arc::new(Ears::new(index, live.clone())),
                instance: None,
                ponderer: None,
            });
            setups.push(PlayerSetup {
                name: player.name,
                seats: player.seats,
                budget: player.budget,
                kind,
                ponder_threads,
            });
        }
        let mut referee = Referee::new(start.set_up()?, setups, settings)?;
        if let Some(record) = resumed.as_deref() {
            referee.reload(record.past(), record.events.clone(), record.turn_us)?;
        }
        let engine = |chair: &Chair| chair.engine.as_ref().map(|e| e.to_record(chair.seed));
        let engines = chairs.iter().map(engine).collect();
        let position = start.position.clone();
        let interactive = chairs.iter().any(|chair| chair.engine.is_none());
        let keeper =
            Keeper::new(place, resumed, position.clone(), seed, engines, interactive, time.date());
        Ok(Self {
            time,
            observer,
            referee,
            people,
            hint,
            seed,
            start: position.unwrap_or_default(),
            chairs,
            keeper,
            commands: Vec::new(),
            next: 0,
            deferred: None,
            armed_us: None,
            now_us: 0,
            left: false,
            said: None,
        })
    }

    pub fn run(mut self) -> BoutReport {
        self.log_start();
        self.feed(Event::Begin);
        while !self.left {
            if let Some(command) = self.take_command() {
                self.execute(command);
            } else if self.referee.result().is_some() {
                break;
            } else {
                self.answer();
                self.wait();
            }
        }
        self.end_pondering();
        let logs = self.chairs.iter().flat_map(|chair| chair.ears.logs()).collect();
        let now_us = self.time.now_us();
        let (mut record, mut saved) =
            self.keeper.close(&self.referee, now_us, self.time.date(), logs);
        self.answer();
        // The bout is kept by now: this takes its time, and may be interrupted.
        if self.judge(&mut record) && saved.is_ok() {
            saved = self.keeper.keep(Cow::Borrowed(&record));
        }
        match &saved {
            Ok(Some(path)) => log::info!("record: {}", path.display()),
            Ok(None) => (),
            Err(error) => log::warn!("{error}"),
        }
        BoutReport { result: record.result.clone(), record, saved }
    }

    /// Holds a finished bout against perfect play, where the game can be solved; whether it did.
    fn judge(&self, record: &mut Record) -> bool {
        if record.result.is_none() {
            return false;
        }
        // A person may have left when the bout was over; of engines alone nobody does but to
        // have this end, too.
        let engines_alone = self.chairs.iter().all(|chair| chair.engine.is_some());
        let quits = || engines_alone && self.people.as_ref().is_some_and(People::quits);
        match exact::judge(record, sandboard_games::game, &|| !quits()) {
            Ok(Some(judged)) => judged.enter(record),
            Ok(None) => return false,
            Err(error) => {
                log::warn!("the bout is not held against perfect play: {error}");
                return false;
            }
        }
        true
    }

    /// Has the position solved, for the bout to end with it. Not interrupted: it takes moments.
    fn settle(&mut self, call: u64) {
        if !self.referee.settles(call) {
            return;
        }
        let game = self.referee.game();
        let solved = exact::ending_of(game.info().id).map(|row| row.solve(game, &|| true));
        self.feed(match solved {
            Some(Ok(score)) => Event::Settled { call, score },
            Some(Err(error)) => Event::Abort { reason: format!("it cannot be settled: {error}") },
            None => Event::Abort { reason: "it cannot be settled: nobody solves it".into() },
        });
    }

    fn take_command(&mut self) -> Option<Command> {
        if self.next < self.commands.len() {
            let command = std::mem::replace(&mut self.commands[self.next], Command::Disarm);
            self.next += 1;
            return Some(command);
        }
        self.commands.clear();
        self.next = 0;
        self.deferred.take_if(|_| !self.referee.is_paused())
    }

    /// Hands an event to the referee, now.
    pub(super) fn feed(&mut self, event: Event) {
        self.now_us = self.time.now_us();
        let known = self.commands.len();
        self.referee.handle(self.now_us, event, &mut self.commands);
        self.heed(known);
    }

    /// What observers see: as of the last event, for a reading of the clock costs.
    pub(super) fn scene(&mut self) -> (Scene<'_>, &mut dyn Observer) {
        let now_us = self.now_us;
        (Scene { referee: &self.referee, now_us }, &mut *self.observer)
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Ask { player, call, limits, barred } => self.ask(player, call, limits, barred),
            Command::Tell { player, mv } => {
                self.tell(player, CallName::Played, |engine| engine.played(&mv));
            }
            Command::TakeBack { player, plies } => {
                self.tell(player, CallName::TakenBack, |engine| engine.taken_back(plies));
            }
            Command::Start { player } => self.start(player),
            Command::Ponder { player } => self.ponder(player),
            Command::StopPondering { player } => self.stop_pondering(player),
            Command::Settle { call } => self.settle(call),
            Command::Arm { at_us } => self.armed_us = Some(at_us),
            Command::Disarm => self.armed_us = None,
            Command::Show(notice) => self.show(&notice),
            Command::Store => {
                self.keeper.changed(&self.referee, self.now_us, || self.time.date());
                if self.referee.result().is_none() {
                    self.answer();
                }
            }
            // The call was over when the command came: engines block this thread,
            // and whoever sent the event has stopped the call already.
            Command::Stop { .. } => (),
            // The answer to a call that was given up is no news.
            Command::Rejected(Rejection::NotAsked(_)) => (),
            Command::Rejected(reason) => {
                let (scene, observer) = self.scene();
                observer.rejected(scene, &reason.to_string());
            }
            Command::End(result) => {
                log::info!("end: {}", result.sentence);
                let (scene, observer) = self.scene();
                observer.ended(scene, &result);
            }
        }
    }

    fn show(&mut self, notice: &Notice) {
        let name = |player: usize| self.referee.player(player).map_or("", |setup| &setup.name);
        match notice {
            Notice::Swapped { names } => log::info!("swap: {} and {}", names[0], names[1]),
            Notice::Refused { player, mv, reason, .. } => {
                log::info!("refusal: {}: `{mv}`: {reason}", name(*player));
            }
            Notice::Faulted { player, fault } => {
                log::info!("fault: {} {} ({})", name(*player), fault.sentence, fault.code);
            }
            Notice::Late { player, spent, allowed } => {
                log::info!("fault: {} spent {spent} of {allowed}", name(*player));
            }
            _ => (),
        }
        let (scene, observer) = self.scene();
        observer.notice(scene, notice);
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
        let players: Vec<_> = (0..self.referee.players()).filter_map(player).collect();
        let (id, variant) = (game.info().id, game.variant().text());
        let settings = self.referee.settings();
        log::info!("start: {id} {variant}: {}; {settings:?}", players.join(", "));
    }

    fn start(&mut self, player: usize) {
        let setup = self.setup_for(player);
        let Some(chair) = self.chairs.get_mut(player) else { return };
        let (Some(setup), Some(engine)) = (setup, chair.engine.as_ref()) else { return };
        chair.instance = None;
        match open(engine, chair.ears.clone(), &setup) {
            Ok(instance) => chair.instance = Some(instance),
            Err(fault) => self.fault(player, fault.during(CallName::Start)),
        }
    }

    /// What a fresh instance for `player` is told: the moves so far, too.
    fn setup_for(&self, player: usize) -> Option<Setup> {
        let chair = self.chairs.get(player)?;
        let seats = self.referee.player(player)?.seats.clone();
        Some(self.setup(chair.engine.as_ref()?, seats, chair.seed))
    }

    pub(super) fn setup(&self, engine: &EnginePlayer, seats: Vec<u8>, seed: u64) -> Setup {
        engine.to_record(seed).setup(&self.referee, &self.start, seats)
    }

    fn tell(
        &mut self,
        player: usize,
        name: CallName,
        call: impl FnOnce(&mut dyn Engine) -> Result<(), Fault>,
    ) {
        let instance = self.chairs.get_mut(player).and_then(|chair| chair.instance.as_mut());
        // One that is gone is started with all moves, if it is needed again.
        let Some(instance) = instance else { return };
        instance.control.clear();
        if let Err(fault) = call(instance.engine.as_mut()) {
            self.fault(player, fault.during(name));
        }
    }

    /// A fault in another call than `choose`.
    pub(super) fn fault(&mut self, player: usize, fault: Fault) {
        let mut reported = Vec::new();
        if let Some(chair) = self.chairs.get_mut(player) {
            chair.instance = None;
            reported = chair.ears.heard().1;
        }
        self.feed(Event::Fault { player, call: None, fault, reported });
    }

    fn ask(&mut self, player: usize, call: u64, limits: Limits, barred: Vec<Barred>) {
        if !self.referee.asked(call) {
            return;
        }
        let chair = self.chairs.get_mut(player);
        let is_person = chair.as_ref().is_none_or(|chair| chair.engine.is_none());
        if is_person {
            self.feed(Event::Asked { call });
            let (scene, observer) = self.scene();
            return observer.your_turn(scene, player, &limits);
        }
        let Some(chair) = chair else { return };
        let Some(instance) = chair.instance.as_mut() else { return };
        instance.control.clear();
        if let Some(people) = &self.people {
            people.publish(Some(instance.control.clone()));
            if let Some(event) = self.next_event() {
                self.publish(None);
                self.person_event(event);
                // What came of it is carried out first.
                self.commands.push(Command::Ask { player, call, limits, barred });
                return;
            }
            if self.referee.is_paused() {
                self.publish(None);
                self.deferred = Some(Command::Ask { player, call, limits, barred });
                return;
            }
        }
        self.think(player, call, &limits, &barred);
    }

    fn think(&mut self, player: usize, call: u64, limits: &Limits, barred: &[Barred]) {
        self.answer();
        let (scene, observer) = self.scene();
        observer.thinking(scene, player);
        self.feed(Event::Asked { call });
        let ply = self.referee.plies().len() as u32;
        let Some(chair) = self.chairs.get_mut(player) else { return };
        let Some(instance) = chair.instance.as_mut() else { return };
        chair.ears.begin(ply);
        let answer = instance.engine.choose(limits, barred);
        // Time is read before anything else is done.
        self.now_us = self.time.now_us();
        let event = match answer {
            Ok(Answer { mut choice, spent }) => {
                let (line, reported) = chair.ears.heard();
                if choice.line.is_none() {
                    choice.line = line;
                }
                Event::Chosen { player, call, choice, spent, reported }
            }
            Err(fault) => {
                chair.instance = None;
                let reported = chair.ears.heard().1;
                let fault = fault.during(CallName::Choose);
                Event::Fault { player, call: Some(call), fault, reported }
            }
        };
        let now_us = self.now_us;
        // What people did while it thought came before its answer.
        self.publish(None);
        while let Some(event) = self.next_event().filter(|_| !self.left) {
            self.person_event(event);
        }
        if !self.left {
            self.referee.handle(now_us, event, &mut self.commands);
        }
    }

    pub(super) fn publish(&self, control: Option<Control>) {
        if let Some(people) = &self.people {
            people.publish(control);
        }
    }

    /// The next thing that people want, if it is its time.
    fn next_event(&mut self) -> Option<PersonEvent> {
        let people = self.people.as_mut()?;
        let to_move = self.referee.to_move().and_then(|(player, _)| self.chairs.get(player));
        let is_turn =
            self.referee.is_paused() || to_move.is_none_or(|chair| chair.engine.is_none());
        people.next(is_turn)
    }

    /// Nothing to do but to wait for people, or for time to run out.
    fn wait(&mut self) {
        if let Some(event) = self.next_event() {
            return self.person_event(event);
        }
        let Some(people) = &self.people else {
            // Only people keep a bout waiting; this one would wait for ever.
            let reason = "nobody is left to go on".into();
            return self.feed(Event::Abort { reason });
        };
        match self.time.receive(&people.events, self.armed_us) {
            Received::Event(event) => self.person_event(event),
            Received::TimeUp => self.feed(Event::Tick),
            Received::Closed => self.left = true,
        }
    }
}

pub(super) fn open(
    engine: &EnginePlayer,
    ears: Arc<Ears>,
    setup: &Setup,
) -> Result<Instance, Fault> {
    let mut opened = engine.source.open_for(ears, setup.threads)?;
    opened.start(setup)?;
    let control = opened.control();
    log::info!("load: {} {}", engine.id, engine.version);
    Ok(Instance { engine: opened, control })
}
