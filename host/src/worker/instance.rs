//! An engine that is a worker process, as the host has it: asks, waits, checks what comes
//! back as if it came from anybody, and gets rid of the process when it is late. The clock
//! of a native engine is the host's, its CPU time that of the whole process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Barred, Description, Limits, Setup, limits};

use super::death::{fault_of_death, fault_of_frame};
use super::frame::{self, FROM_WORKER_BYTES, FrameError};
use super::leash::{Leash, no_worker};
use super::message::{FromWorker, Task, ToWorker};
use crate::engine::desk::{Desk, checked_choice, checked_description, clean_text};
use crate::engine::meter::{Allowance, BOOKKEEPING_US, CpuTime, no_cpu_clock};
use crate::engine::timer::Alarm;
use crate::engine::wasm::Metering;
use crate::engine::{Answer, Assets, Caps, Control, Engine, Fault, FaultCode, Listener, Spent};
use crate::jail::Inmate;

/// How much later than a worker that limits its engine itself the host does it, in
/// microseconds: filling a memory of 2 GiB for the first time takes a second, and is not
/// interrupted.
const PATIENCE_US: u64 = 2_000_000;
/// What the way to a native engine and back may take of its wall time and is not charged,
/// in microseconds; it is the worker who says how much it was.
const WAY_US: u64 = 1_000;

/// How far the system's account of another process's CPU time may be behind, in microseconds.
const TICK_US: u64 = 10_000;

/// A worker with, at most, one instance in it.
pub struct WorkerInstance {
    /// None: it is gone.
    inmate: Option<Inmate>,
    desk: Desk,
    leash: Leash,
    /// The call in progress, counted from 1; 0: none.
    call: Arc<AtomicU64>,
    calls: u64,
    is_native: bool,
    counts_fuel: bool,
    /// Fuel of all calls that no budget covers, in units, by its worker's word.
    own_fuel: u64,
    /// Stops it when the time of a whole test is over, if anything does.
    _end: Option<Arc<Alarm>>,
    caps: Caps,
    poison: Option<Fault>,
}

impl WorkerInstance {
    /// A worker that has its task but has not answered yet; `until_us`: whatever it does then is stopped.
    pub fn new(
        inmate: Inmate,
        task: &Task,
        caps: Caps,
        listener: Arc<dyn Listener>,
        until_us: Option<u64>,
    ) -> Result<Self, Fault> {
        let is_native = matches!(task, Task::Native { .. });
        let counts_fuel = matches!(task, Task::Wasm { metering: Metering::Fuel, .. });
        let call = Arc::<AtomicU64>::default();
        let words = inmate.stops.try_clone().map_err(no_worker)?;
        words.set_nonblocking(true).map_err(no_worker)?;
        let herald = {
            let call = call.clone();
            move || tell_stop(&words, call.load(Ordering::SeqCst))
        };
        let clock = is_native.then(|| inmate.cpu_clock());
        let killer = inmate.killer();
        let leash = Leash::new(move || killer.kill(), caps.deadlines, clock, herald);
        let desk = Desk::new(listener, Assets::default(), caps.log_bytes);
        let end = until_us.map(|at_us| stop_at(leash.meter.control().clone(), at_us));
        let inmate = Some(inmate);
        let mut worker = Self {
            inmate,
            desk,
            leash,
            call,
            calls: 0,
            is_native,
            counts_fuel,
            own_fuel: 0,
            _end: end,
            caps,
            poison: None,
        };
        worker.send(&ToWorker::Task(task.clone())).map_err(|error| worker.broken(&error.into()))?;
        Ok(worker)
    }

    /// What the engine says of itself.
    pub fn describe(mut self) -> Result<Description, Fault> {
        let wall_us = self.caps.start_us.max(BOOKKEEPING_US);
        let (answer, _) = self.ask(&[ToWorker::Describe], self.own(wall_us))?;
        match answer {
            FromWorker::Described(description) => {
                description.map_err(|fault| self.own_fault(fault)).and_then(checked_description)
            }
            other => Err(self.unexpected(&other)),
        }
    }

    /// Makes the instance.
    pub fn open(&mut self) -> Result<(), Fault> {
        let (answer, _) = self.ask(&[ToWorker::Open], self.own(self.caps.start_us))?;
        match answer {
            FromWorker::Opened(Ok(fuel)) => {
                self.own_fuel = fuel;
                Ok(())
            }
            FromWorker::Opened(Err(fault)) => Err(self.own_fault(fault)),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Asks, and waits for the answer; what it took by the host's clocks.
    fn ask(
        &mut self,
        messages: &[ToWorker],
        allowance: Allowance,
    ) -> Result<(FromWorker, Spent), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        self.desk.call_begins();
        self.leash.meter.begin(self.patient(allowance));
        let answer = self.exchange(messages);
        let spent = self.leash.meter.end();
        self.call.store(0, Ordering::SeqCst);
        let answer =
            answer.map_err(|fault| self.poison(Fault { spent: self.charged(spent), ..fault }))?;
        Ok((answer, spent))
    }

    /// What a call may take that no budget of the engine's covers: so much wall time, or
    /// fuel worth as much, which its worker counts.
    fn own(&self, wall_us: u64) -> Allowance {
        match self.counts_fuel {
            true => Allowance::beside_fuel(wall_us.saturating_mul(1_000), self.caps.guard_us),
            false => Allowance::exactly(wall_us),
        }
    }

    /// What the host waits for beyond what the worker limits itself.
    fn patient(&self, allowance: Allowance) -> Allowance {
        match self.is_native {
            true => allowance,
            false => Allowance {
                grace_us: allowance.grace_us.saturating_add(PATIENCE_US),
                cpu: CpuTime::Unread,
                ..allowance
            },
        }
    }

    fn exchange(&mut self, messages: &[ToWorker]) -> Result<FromWorker, Fault> {
        for message in messages {
            self.send(message).map_err(|error| self.broken(&error.into()))?;
        }
        loop {
            let Some(inmate) = &mut self.inmate else { return Err(gone()) };
            match frame::read(&mut inmate.channel, FROM_WORKER_BYTES) {
                Ok(FromWorker::Report(line)) => self.desk.report(line)?,
                Ok(FromWorker::Log(level, text)) => self.desk.log(level, &text)?,
                Ok(FromWorker::Ready(Ok(()))) => (),
                Ok(FromWorker::Ready(Err(fault))) => return Err(self.own_fault(fault)),
                Ok(answer) => return Ok(answer),
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    fn send(&mut self, message: &ToWorker) -> io::Result<()> {
        let Some(inmate) = &mut self.inmate else { return Err(io::ErrorKind::BrokenPipe.into()) };
        frame::write(&mut inmate.channel, message)
    }

    /// A call of the game: counted, so that a stop finds it.
    fn call(
        &mut self,
        message: ToWorker,
        allowance: Allowance,
    ) -> Result<(FromWorker, Spent), Fault> {
        self.calls += 1;
        self.call.store(self.calls, Ordering::SeqCst);
        if self.leash.meter.control().is_stopped()
            && let Some(inmate) = &self.inmate
        {
            tell_stop(&inmate.stops, self.calls);
        }
        self.ask(&[message], allowance)
    }

    /// A call that brings nothing back but what it took.
    fn done(&mut self, message: ToWorker, allowance: Allowance) -> Result<Spent, Fault> {
        match self.call(message, allowance)? {
            (FromWorker::Done(Ok(theirs)), ours) => {
                self.burnt(&theirs);
                self.receipt(theirs, ours)
            }
            (FromWorker::Done(Err(fault)), ours) => {
                self.burnt(&fault.spent);
                Err(self.failed(fault, ours))
            }
            (other, _) => Err(self.unexpected(&other)),
        }
    }

    /// Counts the fuel of a call that no budget covers.
    fn burnt(&mut self, theirs: &Spent) {
        if self.counts_fuel {
            self.own_fuel = self.own_fuel.saturating_add(theirs.fuel.unwrap_or(0));
        }
    }

    /// The receipt of a call that came back; Err: it came back too late.
    fn receipt(&mut self, theirs: Spent, ours: Spent) -> Result<Spent, Fault> {
        if !self.is_native {
            return Ok(Spent { stopped: ours.stopped, ..theirs });
        }
        let wall_us = theirs.wall_us.clamp(ours.wall_us.saturating_sub(WAY_US), ours.wall_us);
        // Of what still runs the system has counted no more than up to its last tick, which the
        // process itself knows better.
        let cpu_us = ours.cpu_us.map(|ours_us| {
            theirs.cpu_us.unwrap_or(0).clamp(ours_us, ours_us.saturating_add(TICK_US))
        });
        let spent = self.charged(Spent { wall_us, cpu_us, ..ours });
        match self.leash.meter.overrun(&spent) {
            None => Ok(spent),
            Some(timeout) => Err(self.poison(Fault { spent, ..timeout })),
        }
    }

    fn charged(&self, spent: Spent) -> Spent {
        Spent { logged_bytes: self.desk.logged_bytes(), ..spent }
    }

    /// A call that the engine failed, by its worker's word.
    fn failed(&mut self, fault: Fault, ours: Spent) -> Fault {
        let spent = match self.is_native {
            true => self.charged(ours),
            false => Spent { stopped: ours.stopped, ..fault.spent },
        };
        let fault = self.own_fault(fault);
        self.poison(Fault { spent, ..fault })
    }

    /// A fault as a worker tells it. What shares a process with a native engine may say
    /// anything, but not that it was the host's fault.
    fn own_fault(&self, fault: Fault) -> Fault {
        let code = match fault.code {
            FaultCode::Host if self.is_native => FaultCode::Protocol,
            code => code,
        };
        let sentence = clean_text(&fault.sentence, limits::REASON_BYTES);
        // What it says that it spent is in a receipt only where the host has measured it.
        let spent = if self.is_native { Spent::default() } else { fault.spent };
        Fault { code, sentence, call: None, spent }
    }

    fn unexpected(&mut self, answer: &FromWorker) -> Fault {
        let answer = clean_text(&format!("{answer:?}"), limits::LABEL_BYTES);
        let sentence = format!("its worker answered what was not asked: {answer}");
        self.poison(Fault::new(FaultCode::Protocol, sentence))
    }

    /// The channel has ended or brought nonsense.
    fn broken(&mut self, error: &FrameError) -> Fault {
        let Some(inmate) = self.inmate.take() else { return gone() };
        let left = matches!(error, FrameError::Closed | FrameError::Broken(_));
        let end = self.leash.farewell(&inmate, left, &mut self.desk);
        match self.leash.has_killed() {
            true if self.is_native || self.leash.meter.control().is_stopped() => {
                self.leash.meter.timeout()
            }
            true => {
                let seconds = PATIENCE_US / 1_000_000;
                let sentence =
                    format!("its worker did not keep its limits and was killed {seconds} s after");
                Fault::new(FaultCode::Host, sentence)
            }
            false if left => fault_of_death(&end),
            false => fault_of_frame(error),
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        // Nothing is left to do with it: the process is ended here, not when somebody
        // drops this.
        drop(self.inmate.take());
        self.poison = Some(fault.clone());
        fault
    }
}

/// Tells a worker that a call is to stop; 0: there is none. If it cannot be told, the
/// call is ended by force a moment later.
fn tell_stop(mut words: &std::os::unix::net::UnixStream, call: u64) {
    if call != 0 {
        let _ = io::Write::write(&mut words, &call.to_le_bytes());
    }
}

/// Stops at that time whatever is going on, and ends it a moment later.
fn stop_at(control: Control, at_us: u64) -> Arc<Alarm> {
    let alarm = Alarm::new(move || control.stop());
    alarm.set(at_us);
    alarm
}

fn gone() -> Fault {
    Fault::new(FaultCode::Host, "its worker is gone")
}

impl Engine for WorkerInstance {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        // Helpers are instantiated and started while their leader is started.
        let starts = if setup.threads > 1 && !self.is_native { 2 } else { 1 };
        let allowance = self.own(self.caps.start_us.saturating_mul(starts)).metered();
        self.done(ToWorker::Start(setup.clone()), allowance)
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        let allowance = self.own(BOOKKEEPING_US);
        self.done(ToWorker::Played(mv.to_owned()), allowance).map(drop)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        let allowance = self.own(BOOKKEEPING_US);
        self.done(ToWorker::TakenBack(plies), allowance).map(drop)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        if limits.unit == sandboard_abi::Unit::Cpu
            && let Some(fault) = no_cpu_clock()
        {
            return Err(fault);
        }
        let allowance = match self.is_native {
            true => Allowance::of_sleeper(limits, self.caps.guard_us),
            false => Allowance::of(limits, self.caps.guard_us),
        };
        let asked = ToWorker::Choose(limits.clone(), barred.to_vec());
        match self.call(asked, allowance)? {
            (FromWorker::Chosen(Ok(Answer { choice, spent })), ours) => {
                let spent = self.receipt(spent, ours)?;
                match checked_choice(choice) {
                    Ok(choice) => Ok(Answer { choice, spent }),
                    Err(fault) => Err(self.poison(Fault { spent, ..fault })),
                }
            }
            (FromWorker::Chosen(Err(fault)), ours) => Err(self.failed(fault, ours)),
            (other, _) => Err(self.unexpected(&other)),
        }
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        self.done(ToWorker::Think, Allowance::NONE.metered())
    }

    fn control(&self) -> Control {
        self.leash.meter.control().clone()
    }

    fn own_fuel(&self) -> u64 {
        self.own_fuel
    }
}
