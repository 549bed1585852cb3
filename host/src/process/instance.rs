//! A program in its jail as an instance of an engine. Its clock is the host's reading around an
//! exchange, its CPU time that of its whole process; who is late is killed. What is said in an
//! exchange is the protocol's.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Barred, Description, Limits, OptionSpec, Setup, Unit};
use sandboard_games::game;

use super::Speech;
use super::exchange::{self, Exchange, refusal};
use super::sandboard;
use super::wire::{Mouth, Wire};
use crate::engine::desk::Desk;
use crate::engine::meter::{Allowance, BOOKKEEPING_US, no_cpu_clock};
use crate::engine::{Answer, Assets, Caps, Control, Engine, Fault, FaultCode, Listener, Spent};
use crate::jail::Inmate;
use crate::worker::leash::{Leash, no_worker};

/// A program that plays one game.
pub struct ProcessInstance {
    wire: Wire,
    exchange: Box<dyn Exchange>,
    caps: Caps,
    poison: Option<Fault>,
    /// The CPU time of its process when it was last at rest, and when that was: what it takes from then on counts to its
    /// next choice. None: it has not chosen yet, or that is not counted.
    rested: Option<(u64, Instant)>,
}

/// What is said of a program beside its bytes.
pub(super) struct Facts {
    pub(super) speech: Arc<Speech>,
    pub(super) options: Arc<[OptionSpec]>,
    /// Whether files of its own lie in its folder.
    pub(super) has_files: bool,
}

/// Of the time for which it rests, the part that costs it nothing, since no virtual machine is ever quite still: a
/// thousandth.
const STIRRING: u64 = 1000;

impl ProcessInstance {
    /// From which CPU time of its process on its next choice pays.
    fn counted_from_us(&self) -> Option<u64> {
        let (cpu_us, since) = self.rested?;
        let rested_us = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        Some(cpu_us.saturating_add(rested_us / STIRRING))
    }

    /// A program to which nothing has been said.
    pub(super) fn new(
        inmate: Inmate,
        facts: Facts,
        caps: Caps,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Fault> {
        let (stream, clock) = (inmate.channel.try_clone().map_err(no_worker)?, inmate.cpu_clock());
        let killer = inmate.killer();
        let leash = |herald| Leash::new(move || killer.kill(), caps.deadlines, Some(clock), herald);
        let mut made = Self::over(stream, facts, caps, listener, leash)?;
        made.wire.inmate = Some(inmate);
        Ok(made)
    }

    /// The same over any stream, on a leash that is made with what tells the program to stop.
    pub(super) fn over(
        stream: std::os::unix::net::UnixStream,
        Facts { speech, options, has_files }: Facts,
        caps: Caps,
        listener: Arc<dyn Listener>,
        leash: impl FnOnce(Box<dyn Fn() + Send + Sync>) -> Leash,
    ) -> Result<Self, Fault> {
        let lines = Wire::ears(stream.try_clone().map_err(no_worker)?, &speech);
        let stop = speech.protocol.stop_word();
        let mouth = Arc::new(Mouth::new(stream, stop));
        let herald = {
            let mouth = mouth.clone();
            move || mouth.stop()
        };
        let leash = leash(Box::new(herald));
        let desk = Desk::new(listener, Assets::default(), caps.log_bytes);
        let exchange = exchange::of(speech.protocol);
        let (inmate, worked_us) = (None, 0);
        let wire =
            Wire { inmate, mouth, lines, desk, leash, worked_us, speech, options, has_files };
        Ok(Self { wire, exchange, caps, poison: None, rested: None })
    }

    /// What the program says that it is: of one in our own protocol, which is asked nothing else.
    pub(super) fn describe(&mut self) -> Result<Description, Fault> {
        let allowance = Allowance::exactly(self.caps.start_us).metered();
        self.call(allowance, |_, wire| sandboard::talk::describe(wire)).map(|(it, _)| it)
    }

    /// A call: what the exchange brings, and what it took by the host's clocks.
    fn call<T>(
        &mut self,
        allowance: Allowance,
        talk: impl FnOnce(&mut dyn Exchange, &mut Wire) -> Result<T, Fault>,
    ) -> Result<(T, Spent), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        let wire = &mut self.wire;
        wire.desk.call_begins();
        wire.lines.call_begins();
        wire.worked_us = 0;
        wire.leash.meter.begin(allowance);
        let brought = talk(&mut *self.exchange, wire);
        let spent = wire.leash.meter.end();
        wire.mouth.searching().is_on = false;
        let spent = Spent { logged_bytes: wire.desk.logged_bytes(), ..spent };
        let overrun = wire.leash.meter.overrun(&spent);
        match brought.map(|it| (overrun, it)) {
            Ok((None, it)) => Ok((it, spent)),
            Ok((Some(fault), _)) | Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        drop(self.wire.inmate.take());
        self.poison = Some(fault.clone());
        fault
    }
}

/// Whether the game is one that can be told: the program itself may not find out.
fn check_setup(wire: &mut Wire, setup: &Setup) -> Result<(), Fault> {
    let refused = |reason: String| refusal(&format!("cannot begin: {reason}"));
    wire.desk.look("").map_err(refused)?;
    let known = game(&setup.game).and_then(|info| Some((info, info.variant(&setup.variant).ok()?)));
    if let Some((info, variant)) = known {
        wire.speech.protocol.carries(info, &variant).map_err(refused)?;
    }
    let is_known = |name: &str| wire.options.iter().any(|option| option.name == name);
    match setup.options.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(refused(format!("its manifest names no option `{name}`"))),
        None => Ok(()),
    }
}

impl Engine for ProcessInstance {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.wire.desk.start(setup);
        let allowance = Allowance::exactly(self.caps.start_us).metered();
        let begun = self.call(allowance, |exchange, wire| {
            check_setup(wire, setup)?;
            exchange.begin(wire, setup)
        });
        begun.map(|((), spent)| spent)
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.wire.desk.played(mv);
        self.poison.clone().map_or(Ok(()), Err)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.wire.desk.taken_back(plies);
        self.poison.clone().map_or(Ok(()), Err)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        let unlimited = match limits.unit {
            Unit::Fuel => {
                let sentence = "cannot be limited in fuel: it is a program";
                Some(Fault::new(FaultCode::Host, sentence))
            }
            Unit::Cpu => no_cpu_clock(),
            Unit::Unlimited | Unit::Wall => None,
        };
        if let Some(fault) = unlimited {
            return Err(fault);
        }
        self.exchange.admits(&self.wire, limits)?;
        let asked = self.wire.asked(barred)?;
        let now_us = self.wire.cpu_us();
        // Whoever works while it is not asked does so on the account of its next choice.
        let from_us = now_us.map(|now_us| now_us.min(self.counted_from_us().unwrap_or(now_us)));
        let idle_us = now_us.zip(from_us).map_or(0, |(now, from)| now - from);
        let allowance = Allowance::of_sleeper(limits, self.caps.guard_us);
        let search = |exchange: &mut dyn Exchange, wire: &mut Wire| {
            wire.leash.meter.charge_cpu(idle_us);
            exchange.search(wire, limits, asked)
        };
        let (choice, spent) = self.call(allowance, search)?;
        let worked_us = self.wire.worked_us;
        // Its threads may still be at work for a moment, of which the system has counted only a
        // part; when it says so, they are at rest.
        let at_rest = Allowance::exactly(BOOKKEEPING_US);
        let rest = |exchange: &mut dyn Exchange, wire: &mut Wire| exchange.rest(wire);
        self.call(at_rest, rest).map_err(|fault| Fault { spent, ..fault })?;
        let now_us = self.wire.cpu_us();
        self.rested = now_us.map(|now_us| (now_us, Instant::now()));
        let took_us = now_us
            .zip(from_us)
            .map(|(now, from)| now.saturating_sub(from).saturating_add(worked_us));
        Ok(Answer { choice, spent: Spent { cpu_us: took_us.or(spent.cpu_us), ..spent } })
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        // It is not offered: whoever asks all the same is back at once.
        self.poison.clone().map_or(Ok(Spent::default()), Err)
    }

    fn control(&self) -> Control {
        self.wire.leash.meter.control().clone()
    }
}
