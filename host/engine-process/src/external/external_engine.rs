//! A program in its jail as an engine. The host measures the wall time of each call; the CPU time
//! is that of the whole process. A program that exceeds its time is killed. The protocol's client
//! decides what is sent.

use std::sync::Arc;
use std::time::Instant;

use sandboard_abi::{Barred, Description, Limits, OptionSpec, Setup, Unit};

use super::client::{self, ProtocolClient, start_fault};
use super::connection::{Connection, Writer};
use super::identity::ProgramIdentity;
use super::sandboard;
use crate::watchdog::{ProcessWatchdog, no_process_fault};
use sandboard_engine::meter::{Allowance, BOOKKEEPING_US, cpu_clock_fault};
use sandboard_engine::{
    Caps, ChooseResponse, Engine, Fault, FaultCode, HostState, Listener, Resources, StopHandle,
    Usage,
};
use sandboard_games::Games;
use sandboard_jail::JailedProcess;
use sandboard_protocols::ProtocolConfig;

/// A program that plays one game.
#[cfg_attr(
    not(any(test, feature = "test-support")),
    expect(unreachable_pub, reason = "only the fixtures give it to other crates")
)]
pub struct ExternalEngine {
    connection: Connection,
    client: Box<dyn ProtocolClient>,
    caps: Caps,
    poison: Option<Fault>,
    /// The CPU time of the process when it became idle after its last choice, in microseconds, and
    /// that moment. CPU time after it counts to the next choice. None: there was no choice yet, or
    /// CPU time is not counted.
    idle_since: Option<(u64, Instant)>,
}

/// What the host knows about a program besides its bytes.
pub(super) struct ProgramInfo {
    pub(super) config: Arc<ProtocolConfig>,
    pub(super) options: Arc<[OptionSpec]>,
    /// The games that the host knows.
    pub(super) games: Games,
    /// Whether its folder contains assets.
    pub(super) has_files: bool,
}

/// The part of the idle time, one thousandth, whose CPU time is not charged, because virtual
/// machines are never completely idle.
const IDLE_CPU_DIVISOR: u64 = 1000;

impl ExternalEngine {
    /// The CPU time of the process from which its next choice is charged, in microseconds.
    fn counted_from_us(&self) -> Option<u64> {
        let (cpu_us, since) = self.idle_since?;
        let idle_us = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
        Some(cpu_us.saturating_add(idle_us / IDLE_CPU_DIVISOR))
    }

    /// Connects to a program that has received nothing yet.
    pub(super) fn new(
        process: JailedProcess,
        info: ProgramInfo,
        caps: Caps,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Fault> {
        let (stream, clock) =
            (process.channel.try_clone().map_err(no_process_fault)?, process.cpu_clock());
        let kill_handle = process.kill_handle();
        let watchdog = |send_stop| {
            ProcessWatchdog::new(
                move || kill_handle.kill(),
                caps.enforce_deadlines,
                Some(clock),
                send_stop,
            )
        };
        let mut engine = Self::over_stream(stream, info, caps, listener, watchdog)?;
        engine.connection.process = Some(process);
        Ok(engine)
    }

    /// Connects over any stream. `watchdog` makes the watchdog from the function that sends the
    /// stop command.
    pub(super) fn over_stream(
        stream: std::os::unix::net::UnixStream,
        ProgramInfo { config, options, games, has_files }: ProgramInfo,
        caps: Caps,
        listener: Arc<dyn Listener>,
        watchdog: impl FnOnce(Box<dyn Fn() + Send + Sync>) -> ProcessWatchdog,
    ) -> Result<Self, Fault> {
        let lines = Connection::line_reader(stream.try_clone().map_err(no_process_fault)?, &config);
        let stop = config.protocol.info().stop_command;
        let writer = Arc::new(Writer::new(stream, stop, listener.clone()));
        let send_stop = {
            let writer = writer.clone();
            move || writer.stop()
        };
        let watchdog = watchdog(Box::new(send_stop));
        let host_state =
            HostState::new(listener, Resources { games, ..Resources::default() }, caps.log_bytes);
        let client = client::client_for(config.protocol);
        let (process, host_work_us) = (None, 0);
        let connection = Connection {
            process,
            writer,
            lines,
            host_state,
            watchdog,
            host_work_us,
            config,
            options,
            has_files,
        };
        Ok(Self { connection, client, caps, poison: None, idle_since: None })
    }

    /// The program's description of itself. Only the Sandboard protocol has one.
    pub(super) fn describe(&mut self) -> Result<Description, Fault> {
        let allowance = Allowance::fixed(self.caps.start_us).with_cpu_time();
        self.call(allowance, |_, connection| sandboard::describe(connection)).map(|(it, _)| it)
    }

    /// What the program says about itself in its protocol. No game may follow.
    pub(super) fn identify(&mut self) -> Result<ProgramIdentity, Fault> {
        let allowance = Allowance::fixed(self.caps.start_us).with_cpu_time();
        let identified = self.call(allowance, |client, connection| client.identify(connection));
        identified.map(|(identity, _)| identity)
    }

    /// Makes a call with the protocol's client. Also returns its usage by the host's clocks.
    fn call<T>(
        &mut self,
        allowance: Allowance,
        operation: impl FnOnce(&mut dyn ProtocolClient, &mut Connection) -> Result<T, Fault>,
    ) -> Result<(T, Usage), Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        let connection = &mut self.connection;
        connection.host_state.begin_call();
        connection.lines.begin_call();
        connection.host_work_us = 0;
        connection.watchdog.meter.begin(allowance);
        let result = operation(&mut *self.client, connection);
        let spent = connection.watchdog.meter.end();
        connection.writer.search_state().is_active = false;
        let spent = Usage { logged_bytes: connection.host_state.logged_bytes(), ..spent };
        let overrun = connection.watchdog.meter.overrun_fault(&spent);
        let of_rules = connection.host_state.rules_fault();
        match of_rules.map_or(result, Err).map(|it| (overrun, it)) {
            Ok((None, it)) => Ok((it, spent)),
            Ok((Some(fault), _)) | Err(fault) => Err(self.poison(Fault { spent, ..fault })),
        }
    }

    fn poison(&mut self, fault: Fault) -> Fault {
        drop(self.connection.process.take());
        self.poison = Some(fault.clone());
        fault
    }
}

/// Checks that the protocol can express the game. The program itself might not notice.
fn check_setup(connection: &mut Connection, setup: &Setup) -> Result<(), Fault> {
    let refused = |reason: String| start_fault(&format!("cannot begin: {reason}"));
    connection.host_state.look("").map_err(refused)?;
    let info = connection.host_state.games().find(&setup.game);
    let variant = info.and_then(|info| Some((info, info.variant(&setup.variant).ok()?)));
    if let Some((info, variant)) = variant {
        connection.config.protocol.check_variant(info, &variant).map_err(refused)?;
    }
    let is_known = |name: &str| connection.options.iter().any(|option| option.name == name);
    match setup.options.iter().find(|(name, _)| !is_known(name)) {
        Some((name, _)) => Err(refused(format!("its manifest has no option `{name}`"))),
        None => Ok(()),
    }
}

impl Engine for ExternalEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        self.connection.host_state.start(setup);
        let allowance = Allowance::fixed(self.caps.start_us).with_cpu_time();
        let started = self.call(allowance, |client, connection| {
            check_setup(connection, setup)?;
            client.begin(connection, setup)
        });
        started.map(|((), spent)| spent)
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.connection.host_state.played(mv);
        self.poison.clone().map_or(Ok(()), Err)
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.connection.host_state.taken_back(plies);
        self.poison.clone().map_or(Ok(()), Err)
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
        if let Some(fault) = &self.poison {
            return Err(fault.clone());
        }
        let unit_fault = match limits.unit {
            Unit::Fuel => {
                let sentence = "cannot be limited in fuel: it is an external engine";
                Some(Fault::new(FaultCode::Host, sentence))
            }
            Unit::Cpu => cpu_clock_fault(),
            Unit::Unlimited | Unit::Wall => None,
        };
        if let Some(fault) = unit_fault {
            return Err(fault);
        }
        self.client.check_limits(&self.connection, limits)?;
        let request = self.connection.move_request(barred)?;
        let now_us = self.connection.cpu_us();
        // Work between two choices is charged to the next one.
        let from_us = now_us.map(|now_us| now_us.min(self.counted_from_us().unwrap_or(now_us)));
        let idle_us = now_us.zip(from_us).map_or(0, |(now, from)| now - from);
        let allowance = Allowance::for_sleeping_engine(limits, self.caps.guard_us)
            .with_cpu_time_if_unlimited(limits);
        let search = |client: &mut dyn ProtocolClient, connection: &mut Connection| {
            connection.watchdog.meter.add_cpu_time(idle_us);
            client.search(connection, limits, request)
        };
        let (choice, spent) = self.call(allowance, search)?;
        let host_work_us = self.connection.host_work_us;
        // Its threads may still work for a moment, and the kernel has counted only a part of that.
        // After its answer they are idle.
        let allowance = Allowance::fixed(BOOKKEEPING_US);
        let wait = |client: &mut dyn ProtocolClient, connection: &mut Connection| {
            client.wait_until_idle(connection)
        };
        self.call(allowance, wait).map_err(|fault| Fault { spent, ..fault })?;
        let now_us = self.connection.cpu_us();
        self.idle_since = now_us.map(|now_us| (now_us, Instant::now()));
        let took_us = now_us
            .zip(from_us)
            .map(|(now, from)| now.saturating_sub(from).saturating_add(host_work_us));
        Ok(ChooseResponse { choice, spent: Usage { cpu_us: took_us.or(spent.cpu_us), ..spent } })
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        // Pondering is not offered; the call returns at once.
        self.poison.clone().map_or(Ok(Usage::default()), Err)
    }

    fn stop_handle(&self) -> StopHandle {
        self.connection.watchdog.meter.stop_handle().clone()
    }
}
