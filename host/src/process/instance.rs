//! A program in its jail as an instance of an engine. Its clock is the host's reading around an
//! exchange, its CPU time that of its whole process; who is late is killed. What is said in an
//! exchange is `talk`'s.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::net::SendFlags;
use sandboard_abi::{Barred, Limits, OptionSpec, Setup, Unit, limits};

use super::Speech;
use super::lines::{LineError, Lines};
use super::uci::{self, Offered};
use crate::engine::desk::{Desk, clean_text};
use crate::engine::meter::{Allowance, BOOKKEEPING_US, no_cpu_clock};
use crate::engine::{Answer, Assets, Caps, Control, Engine, Fault, FaultCode, Listener, Spent};
use crate::jail::Inmate;
use crate::worker::death::fault_of_death;
use crate::worker::leash::{Leash, no_worker};

/// What is said to a program. The word to stop overtakes nothing: it is said while a search is
/// on, by whichever thread wants it.
pub(super) struct Mouth {
    stream: UnixStream,
    /// Whether a search is on.
    searching: Mutex<bool>,
}

impl Mouth {
    pub(super) fn searching(&self) -> MutexGuard<'_, bool> {
        self.searching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, command: &str) -> std::io::Result<()> {
        (&self.stream).write_all(format!("{command}\n").as_bytes())
    }

    /// Tells the search in progress to stop; returns at once. If it cannot be told, the call is
    /// ended by force a moment later.
    pub(super) fn stop(&self) {
        if *self.searching() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            let _ = rustix::net::send(&self.stream, b"stop\n", flags);
        }
    }
}

/// A program that plays one game.
pub struct ProcessInstance {
    /// None: it is gone.
    inmate: Option<Inmate>,
    pub(super) mouth: Arc<Mouth>,
    lines: Lines,
    pub(super) desk: Desk,
    pub(super) leash: Leash,
    caps: Caps,
    pub(super) speech: Arc<Speech>,
    pub(super) options: Arc<[OptionSpec]>,
    pub(super) offered: Vec<Offered>,
    /// How many lines it was told to show.
    pub(super) shown: u16,
    poison: Option<Fault>,
}

impl ProcessInstance {
    /// A program to which nothing has been said.
    pub fn new(
        inmate: Inmate,
        speech: Arc<Speech>,
        options: Arc<[OptionSpec]>,
        caps: Caps,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Fault> {
        let stream = inmate.channel.try_clone().map_err(no_worker)?;
        let lines = Lines::new(inmate.channel.try_clone().map_err(no_worker)?);
        let mouth = Arc::new(Mouth { stream, searching: Mutex::new(false) });
        let herald = {
            let mouth = mouth.clone();
            move || mouth.stop()
        };
        let leash = Leash::new(&inmate, caps.deadlines, Some(inmate.cpu_clock()), herald);
        let desk = Desk::new(listener, Assets::default(), caps.log_bytes);
        let (inmate, offered, shown, poison) = (Some(inmate), Vec::new(), 1, None);
        Ok(Self {
            inmate,
            mouth,
            lines,
            desk,
            leash,
            caps,
            speech,
            options,
            offered,
            shown,
            poison,
        })
    }

    /// A call: what `talk` brings, and what it took by the host's clocks.
    fn call<T>(
        &mut self,
        allowance: Allowance,
        talk: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<(T, Spent), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        self.desk.call_begins();
        self.lines.call_begins();
        self.leash.meter.begin(allowance);
        let brought = talk(self);
        let spent = self.leash.meter.end();
        *self.mouth.searching() = false;
        let spent = Spent { logged_bytes: self.desk.logged_bytes(), ..spent };
        let overrun = |_: &T| self.leash.meter.overrun(&spent);
        match brought.map(|it| (overrun(&it), it)) {
            Ok((None, it)) => Ok((it, spent)),
            Ok((Some(fault), _)) | Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        drop(self.inmate.take());
        self.poison = Some(fault.clone());
        fault
    }

    /// Says a command.
    pub(super) fn say(&mut self, command: &str) -> Result<(), Fault> {
        if !uci::is_one_line(command) {
            let command = clean_text(command, limits::LABEL_BYTES);
            let sentence = format!("cannot be told what is no single line: {command}");
            return Err(Fault::new(FaultCode::Start, sentence));
        }
        // Whoever cannot be told anything has left; why, its end says.
        self.mouth.say(command).map_err(|_| self.broken(&LineError::Left))
    }

    /// The next line that it prints.
    pub(super) fn hear(&mut self) -> Result<String, Fault> {
        self.lines.next().map_err(|error| self.broken(&error))
    }

    /// It has left, or prints what no call takes.
    fn broken(&mut self, error: &LineError) -> Fault {
        let Some(inmate) = self.inmate.take() else {
            return Fault::new(FaultCode::Host, "its process is gone");
        };
        let left = matches!(error, LineError::Left);
        let end = self.leash.farewell(&inmate, left, &mut self.desk);
        match error {
            _ if self.leash.has_killed() => self.leash.meter.timeout(),
            LineError::Left => fault_of_death(&end),
            LineError::Long => {
                let most = limits::LINE_BYTES;
                let sentence = format!("printed a line of more than {most} bytes");
                Fault::new(FaultCode::Flood, sentence)
            }
            LineError::Flood(span, most) => {
                let sentence = format!("printed more than {most} bytes in one {span}");
                Fault::new(FaultCode::Flood, sentence)
            }
            LineError::NoText(shown) => {
                let shown = clean_text(shown, limits::LABEL_BYTES);
                Fault::new(FaultCode::Protocol, format!("printed a line that is no UTF-8: {shown}"))
            }
        }
    }
}

impl Engine for ProcessInstance {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        self.desk.start(setup);
        let allowance = Allowance::exactly(self.caps.start_us).metered();
        self.call(allowance, |this| this.begin(setup)).map(|((), spent)| spent)
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.desk.played(mv);
        self.poison.clone().map_or(Ok(()), Err)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.desk.taken_back(plies);
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
        let question = self.question(barred)?;
        let clock = self.inmate.as_ref().map(Inmate::cpu_clock);
        let read_us = || clock.and_then(|clock| clock.now_us());
        let before_us = read_us();
        let allowance = Allowance::of_sleeper(limits, self.caps.guard_us);
        let (choice, spent) = self.call(allowance, |this| this.search(limits, question))?;
        // Its threads may still be at work for a moment, of which the system has counted only a
        // part; when it says so, they are at rest.
        let at_rest = Allowance::exactly(BOOKKEEPING_US);
        self.call(at_rest, Self::await_ready).map_err(|fault| Fault { spent, ..fault })?;
        let took_us = read_us().zip(before_us).map(|(after, before)| after.saturating_sub(before));
        Ok(Answer { choice, spent: Spent { cpu_us: took_us.or(spent.cpu_us), ..spent } })
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        // It is not offered: whoever asks all the same is back at once.
        self.poison.clone().map_or(Ok(Spent::default()), Err)
    }

    fn control(&self) -> Control {
        self.leash.meter.control().clone()
    }
}
