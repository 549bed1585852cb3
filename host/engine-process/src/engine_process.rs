//! The host's side of one engine process: sends calls, waits, checks each answer as untrusted
//! input, and kills the process when it exceeds its time. The host measures the wall time of native
//! engines itself, and their CPU time is that of the whole process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sandboard_abi::{Barred, Description, Limits, Setup, Unit, limits};

use super::faults::{exit_fault, frame_fault};
use super::frame::{self, FrameError, PROCESS_MESSAGE_BYTES_MAX};
use super::message::{HostMessage, ProcessMessage, Task};
use super::watchdog::{ProcessWatchdog, no_process_fault};
use sandboard_common::text::clean_text;
use sandboard_engine::meter::{Allowance, BOOKKEEPING_US, CpuTime, cpu_clock_fault};
use sandboard_engine::timer::{Alarm, NEVER};
use sandboard_engine::{
    Caps, ChooseResponse, Engine, Fault, FaultCode, HostState, Listener, Resources, StopHandle,
    Usage, validate_choice, validate_description,
};
use sandboard_games::Games;
use sandboard_jail::JailedProcess;

/// How much more time the host allows to a process that limits its engine itself, in microseconds.
/// Filling a memory of 2 GiB for the first time takes a second and cannot be interrupted.
const HOST_MARGIN_US: u64 = 2_000_000;
/// The most wall time of a call to a native engine that counts as transport and is not charged, in
/// microseconds. The process reports how much it was.
const TRANSPORT_US: u64 = 1_000;

/// How far the kernel's account of another process's CPU time may be behind, in microseconds.
const CPU_TICK_US: u64 = 10_000;

/// An engine process with at most one instance.
pub(crate) struct EngineProcess {
    /// None: the process has ended.
    process: Option<JailedProcess>,
    host_state: HostState,
    watchdog: ProcessWatchdog,
    /// The number of the call in progress, counted from 1; 0: none.
    call: Arc<AtomicU64>,
    calls: u64,
    is_native: bool,
    counts_fuel: bool,
    /// Fuel of all calls without a budget, in units, as the process reports it.
    unbudgeted_fuel: u64,
    /// Stops the instance when the time of a whole test is over.
    _end_alarm: Option<Arc<Alarm>>,
    caps: Caps,
    /// The longest guard beside fuel, in microseconds.
    fuel_guard_us: u64,
    poison: Option<Fault>,
}

impl EngineProcess {
    /// Sends a process its task, without waiting for the answer. At the time `until_us` its work is
    /// stopped.
    pub(crate) fn new(
        process: JailedProcess,
        task: &Task,
        caps: Caps,
        games: Games,
        listener: Arc<dyn Listener>,
        until_us: Option<u64>,
    ) -> Result<Self, Fault> {
        let is_native = matches!(task, Task::Native { .. });
        let counts_fuel = matches!(task, Task::Wasm { metering, .. } if metering.counts_fuel());
        let call = Arc::<AtomicU64>::default();
        let stop_channel = process.stop_channel.try_clone().map_err(no_process_fault)?;
        stop_channel.set_nonblocking(true).map_err(no_process_fault)?;
        let send_stop = {
            let call = call.clone();
            move || send_stop_message(&stop_channel, call.load(Ordering::SeqCst))
        };
        let clock = is_native.then(|| process.cpu_clock());
        let kill_handle = process.kill_handle();
        let watchdog = ProcessWatchdog::new(
            move || kill_handle.kill(),
            caps.enforce_deadlines,
            clock,
            send_stop,
        );
        let host_state =
            HostState::new(listener, Resources { games, ..Resources::default() }, caps.log_bytes);
        let end_alarm = until_us.map(|at_us| stop_at(watchdog.meter.stop_handle().clone(), at_us));
        let process = Some(process);
        let mut engine = Self {
            process,
            host_state,
            watchdog,
            call,
            calls: 0,
            is_native,
            counts_fuel,
            unbudgeted_fuel: 0,
            _end_alarm: end_alarm,
            caps,
            fuel_guard_us: NEVER,
            poison: None,
        };
        engine
            .send(&HostMessage::Task(task.clone()))
            .map_err(|error| engine.connection_fault(&error.into()))?;
        Ok(engine)
    }

    /// Requests the engine's description.
    pub(crate) fn describe(mut self) -> Result<Description, Fault> {
        let wall_us = self.caps.start_us.max(BOOKKEEPING_US);
        let (answer, _) = self.request(&[HostMessage::Describe], self.allowance_for(wall_us))?;
        match answer {
            ProcessMessage::Described(description) => description
                .map_err(|fault| self.sanitize_fault(fault))
                .and_then(|it| validate_description(it, self.host_state.games())),
            other => Err(self.unexpected_answer(&other)),
        }
    }

    /// Makes the instance.
    pub(crate) fn open(&mut self) -> Result<(), Fault> {
        let (answer, _) =
            self.request(&[HostMessage::Open], self.allowance_for(self.caps.start_us))?;
        match answer {
            ProcessMessage::Opened(Ok(fuel)) => {
                self.unbudgeted_fuel = fuel;
                Ok(())
            }
            ProcessMessage::Opened(Err(fault)) => Err(self.sanitize_fault(fault)),
            other => Err(self.unexpected_answer(&other)),
        }
    }

    /// Sends messages and waits for the answer. Also returns what the call took by the host's
    /// clocks.
    fn request(
        &mut self,
        messages: &[HostMessage],
        allowance: Allowance,
    ) -> Result<(ProcessMessage, Usage), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        self.host_state.begin_call();
        self.watchdog.meter.begin(self.with_host_margin(allowance));
        let answer = self.exchange(messages);
        let spent = self.watchdog.meter.end();
        self.call.store(0, Ordering::SeqCst);
        let answer = answer
            .map_err(|fault| self.poison(Fault { spent: self.with_log_bytes(spent), ..fault }))?;
        Ok((answer, spent))
    }

    /// The allowance of a call that no budget covers: this wall time; where fuel is counted, the
    /// guard beside the same limit in fuel, which the process enforces.
    fn allowance_for(&self, wall_us: u64) -> Allowance {
        match self.counts_fuel {
            true => Allowance::guard_beside_fuel(wall_us.saturating_mul(1_000), self.caps.guard_us),
            false => Allowance::fixed(wall_us),
        }
    }

    /// Adds a margin for processes that limit their engine themselves.
    fn with_host_margin(&self, allowance: Allowance) -> Allowance {
        match self.is_native {
            true => allowance,
            false => Allowance {
                grace_us: allowance.grace_us.saturating_add(HOST_MARGIN_US),
                cpu: CpuTime::Ignored,
                ..allowance
            },
        }
    }

    fn exchange(&mut self, messages: &[HostMessage]) -> Result<ProcessMessage, Fault> {
        for message in messages {
            self.send(message).map_err(|error| self.connection_fault(&error.into()))?;
        }
        loop {
            let Some(process) = &mut self.process else { return Err(process_ended_fault()) };
            match frame::read(&mut process.channel, PROCESS_MESSAGE_BYTES_MAX) {
                Ok(ProcessMessage::Report(line)) => self.host_state.report(line)?,
                Ok(ProcessMessage::Log(level, text)) => self.host_state.log(level, &text)?,
                Ok(ProcessMessage::Legal(moves)) => {
                    let answer = HostMessage::Legal(self.host_state.legal(&moves));
                    self.answer_query(&answer)?;
                }
                Ok(ProcessMessage::Look(moves)) => {
                    let answer = HostMessage::Look(self.host_state.look(&moves));
                    self.answer_query(&answer)?;
                }
                Ok(ProcessMessage::Ready(Ok(()))) => (),
                Ok(ProcessMessage::Ready(Err(fault))) => return Err(self.sanitize_fault(fault)),
                Ok(answer) => return Ok(answer),
                Err(error) => return Err(self.connection_fault(&error)),
            }
        }
    }

    /// Answers a question of the process about the rules. Err: they failed, or the process is gone.
    fn answer_query(&mut self, answer: &HostMessage) -> Result<(), Fault> {
        if let Some(fault) = self.host_state.rules_fault() {
            return Err(fault);
        }
        self.send(answer).map_err(|error| self.connection_fault(&error.into()))
    }

    fn send(&mut self, message: &HostMessage) -> io::Result<()> {
        let Some(process) = &mut self.process else { return Err(io::ErrorKind::BrokenPipe.into()) };
        frame::write(&mut process.channel, message)
    }

    /// Makes a call on the instance. Calls are numbered so that a stop request can name one.
    fn call(
        &mut self,
        message: HostMessage,
        allowance: Allowance,
    ) -> Result<(ProcessMessage, Usage), Fault> {
        self.calls += 1;
        self.call.store(self.calls, Ordering::SeqCst);
        if self.watchdog.meter.stop_handle().is_stopped()
            && let Some(process) = &self.process
        {
            send_stop_message(&process.stop_channel, self.calls);
        }
        self.request(&[message], allowance)
    }

    /// Makes a call that returns only its usage.
    fn call_for_usage(
        &mut self,
        message: HostMessage,
        allowance: Allowance,
    ) -> Result<Usage, Fault> {
        match self.call(message, allowance)? {
            (ProcessMessage::Done(Ok(reported)), measured) => {
                self.add_unbudgeted_fuel(&reported);
                self.check_usage(reported, measured)
            }
            (ProcessMessage::Done(Err(fault)), measured) => {
                self.add_unbudgeted_fuel(&fault.spent);
                Err(self.call_fault(fault, measured))
            }
            (other, _) => Err(self.unexpected_answer(&other)),
        }
    }

    /// Adds the fuel of a call without a budget.
    fn add_unbudgeted_fuel(&mut self, reported: &Usage) {
        if self.counts_fuel {
            self.unbudgeted_fuel = self.unbudgeted_fuel.saturating_add(reported.fuel.unwrap_or(0));
        }
    }

    /// The usage of a finished call. Err: the call exceeded its time.
    fn check_usage(&mut self, reported: Usage, measured: Usage) -> Result<Usage, Fault> {
        if !self.is_native {
            return Ok(Usage { stopped: measured.stopped, ..reported });
        }
        let wall_us =
            reported.wall_us.clamp(measured.wall_us.saturating_sub(TRANSPORT_US), measured.wall_us);
        // The kernel has counted the CPU time of running threads only up to its last tick. The
        // process itself knows it better.
        let cpu_us = measured.cpu_us.map(|measured_us| {
            reported.cpu_us.unwrap_or(0).clamp(measured_us, measured_us.saturating_add(CPU_TICK_US))
        });
        let spent = self.with_log_bytes(Usage { wall_us, cpu_us, ..measured });
        match self.watchdog.meter.overrun_fault(&spent) {
            None => Ok(spent),
            Some(timeout) => Err(self.poison(Fault { spent, ..timeout })),
        }
    }

    fn with_log_bytes(&self, spent: Usage) -> Usage {
        Usage { logged_bytes: self.host_state.logged_bytes(), ..spent }
    }

    /// The fault of a call that failed, as the process reports it.
    fn call_fault(&mut self, fault: Fault, measured: Usage) -> Fault {
        let spent = match self.is_native {
            true => self.with_log_bytes(measured),
            false => Usage { stopped: measured.stopped, ..fault.spent },
        };
        let fault = self.sanitize_fault(fault);
        self.poison(Fault { spent, ..fault })
    }

    /// A fault as a process reports it. A native engine could write any message itself, so it
    /// cannot blame the host.
    fn sanitize_fault(&self, fault: Fault) -> Fault {
        let code = match fault.code {
            FaultCode::Host if self.is_native => FaultCode::Protocol,
            code => code,
        };
        let sentence = clean_text(&fault.sentence, limits::REASON_BYTES);
        // Of a native engine only the host's own measurement counts.
        let spent = if self.is_native { Usage::default() } else { fault.spent };
        Fault { code, sentence, call: None, spent }
    }

    fn unexpected_answer(&mut self, answer: &ProcessMessage) -> Fault {
        let answer = clean_text(&format!("{answer:?}"), limits::LABEL_BYTES);
        let sentence = format!("sent an unexpected answer: {answer}");
        self.poison(Fault::new(FaultCode::Protocol, sentence))
    }

    /// The fault for a channel that has ended, or with an invalid message.
    fn connection_fault(&mut self, error: &FrameError) -> Fault {
        let Some(process) = self.process.take() else { return process_ended_fault() };
        let has_left = matches!(error, FrameError::Closed | FrameError::Broken(_));
        let end = self.watchdog.end_process(&process, has_left, &mut self.host_state);
        match self.watchdog.has_killed() {
            true if self.is_native || self.watchdog.meter.stop_handle().is_stopped() => {
                self.watchdog.meter.timeout_fault()
            }
            true => {
                let seconds = HOST_MARGIN_US / 1_000_000;
                let sentence = sandboard_engine::messages::killed_late(seconds);
                Fault::new(FaultCode::Host, sentence)
            }
            false if has_left => exit_fault(&end),
            false => frame_fault(error),
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        // The process has no further use and ends here, not when the owner drops this value.
        drop(self.process.take());
        self.poison = Some(fault.clone());
        fault
    }
}

/// Sends the number of the call that must stop; 0: none. If the message cannot be sent, the process
/// is killed half a second later.
fn send_stop_message(mut stop_channel: &std::os::unix::net::UnixStream, call: u64) {
    if call != 0 {
        let _ = io::Write::write(&mut stop_channel, &call.to_le_bytes());
    }
}

/// Stops any work at this time, and kills the process half a second later.
fn stop_at(stop_handle: StopHandle, at_us: u64) -> Arc<Alarm> {
    let alarm = Alarm::new(move || stop_handle.stop());
    alarm.set(at_us);
    alarm
}

fn process_ended_fault() -> Fault {
    Fault::new(FaultCode::Host, sandboard_engine::messages::HAS_NO_PROCESS)
}

impl Engine for EngineProcess {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        // Helpers are instantiated and started while their leader is started.
        let starts = if setup.threads > 1 && !self.is_native { 2 } else { 1 };
        let allowance =
            self.allowance_for(self.caps.start_us.saturating_mul(starts)).with_cpu_time();
        self.host_state.start(setup);
        self.call_for_usage(HostMessage::Start(setup.clone()), allowance)
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        let allowance = self.allowance_for(BOOKKEEPING_US);
        self.host_state.played(mv);
        self.call_for_usage(HostMessage::Played(mv.to_owned()), allowance).map(drop)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        let allowance = self.allowance_for(BOOKKEEPING_US);
        self.host_state.taken_back(plies);
        self.call_for_usage(HostMessage::TakenBack(plies), allowance).map(drop)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        if limits.unit == Unit::Cpu
            && let Some(fault) = cpu_clock_fault()
        {
            return Err(fault);
        }
        let allowance = match self.is_native {
            true => Allowance::for_sleeping_engine(limits, self.caps.guard_us),
            false => Allowance::for_limits(limits, self.caps.guard_us),
        };
        let allowance = match limits.unit {
            Unit::Fuel => allowance.with_guard_at_most(self.fuel_guard_us),
            _ => allowance,
        };
        let allowance = allowance.with_cpu_time_if_unlimited(limits);
        let message = HostMessage::Choose(limits.clone(), barred.to_vec());
        match self.call(message, allowance)? {
            (ProcessMessage::Chosen(Ok(ChooseResponse { choice, spent })), measured) => {
                let spent = self.check_usage(spent, measured)?;
                match validate_choice(choice) {
                    Ok(choice) => Ok(ChooseResponse { choice, spent }),
                    Err(fault) => Err(self.poison(Fault { spent, ..fault })),
                }
            }
            (ProcessMessage::Chosen(Err(fault)), measured) => Err(self.call_fault(fault, measured)),
            (other, _) => Err(self.unexpected_answer(&other)),
        }
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        self.call_for_usage(HostMessage::Think, Allowance::UNLIMITED.with_cpu_time())
    }

    fn stop_handle(&self) -> StopHandle {
        self.watchdog.meter.stop_handle().clone()
    }

    fn unbudgeted_fuel(&self) -> u64 {
        self.unbudgeted_fuel
    }

    fn lower_fuel_guard(&mut self, guard_us: u64) {
        self.fuel_guard_us = guard_us;
    }
}
