//! The connection between the host and a program: what is sent, what is received, and what limits
//! the program. Knows no protocol; the clients use it.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::net::SendFlags;
use sandboard_abi::{Barred, Level, Limits, Line, OptionSpec, Unit, View, limits};

use super::line_reader::{LineEnding, LineError, LineReader};
use crate::faults::exit_fault;
use crate::watchdog::ProcessWatchdog;
use sandboard_common::text::clean_text;
use sandboard_engine::timer::NEVER;
use sandboard_engine::{Fault, FaultCode, HostState, LineSender, Listener};
use sandboard_jail::{CpuClock, JailedProcess};
use sandboard_protocols::ProtocolConfig;

/// Sends commands to a program. Any thread may send the stop command while a search runs, but never
/// in the middle of another command.
pub(super) struct Writer {
    stream: UnixStream,
    /// Receives every line that is sent.
    listener: Arc<dyn Listener>,
    /// The protocol's stop command, if there is one.
    stop_command: Option<&'static str>,
    /// Whether the program has reported that it does not know the stop command.
    ignores_stop: AtomicBool,
    search_state: Mutex<SearchState>,
}

/// The search that runs, or the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SearchState {
    pub(super) is_active: bool,
    /// Whether the stop command was sent. It is sent once for each search.
    is_stop_sent: bool,
    /// Whether the stop command may have come too late, so that the program answers it separately.
    late_answer_possible: bool,
    /// Whether another command is being written. A stop command must not interrupt it.
    is_writing: bool,
    /// Whether to send the stop command after the one that is being written.
    stop_pending: bool,
}

impl Writer {
    pub(super) fn new(
        stream: UnixStream,
        stop_command: Option<&'static str>,
        listener: Arc<dyn Listener>,
    ) -> Self {
        Self {
            stream,
            listener,
            stop_command,
            ignores_stop: AtomicBool::new(false),
            search_state: Mutex::default(),
        }
    }

    /// Sets whether the program knows the stop command.
    pub(super) fn set_knows_stop(&self, is_known: bool) {
        self.ignores_stop.store(!is_known, Ordering::Relaxed);
    }

    pub(super) fn search_state(&self) -> MutexGuard<'_, SearchState> {
        self.search_state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, command: &str) -> std::io::Result<()> {
        // An answer may have several lines.
        for line in command.lines() {
            self.listener.protocol_line(LineSender::Host, line);
        }
        (&self.stream).write_all(format!("{command}\n").as_bytes())
    }

    /// Sends an answer while a search runs. A stop that was requested meanwhile follows it.
    fn send_during_search(&self, command: &str) -> std::io::Result<()> {
        self.search_state().is_writing = true;
        // Writing may block if the program does not read; a stop request must not wait for it.
        let sent = self.send(command);
        let mut search_state = self.search_state();
        search_state.is_writing = false;
        if std::mem::take(&mut search_state.stop_pending) {
            self.send_stop();
        }
        sent
    }

    fn send_stop(&self) {
        let Some(word) = self.stop_command else { return };
        self.listener.protocol_line(LineSender::Host, word);
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let _ = rustix::net::send(&self.stream, format!("{word}\n").as_bytes(), flags);
    }

    /// Whether an unexpected answer can belong to a late stop command. True at most once for each
    /// stop.
    pub(super) fn take_late_answer(&self) -> bool {
        std::mem::take(&mut self.search_state().late_answer_possible)
    }

    /// Sends the stop command for the running search, and returns at once. If it cannot be sent,
    /// the process is killed half a second later.
    pub(super) fn stop(&self) {
        if self.stop_command.is_none() || self.ignores_stop.load(Ordering::Relaxed) {
            return;
        }
        let mut search_state = self.search_state();
        if search_state.is_active && !search_state.is_stop_sent {
            (search_state.is_stop_sent, search_state.late_answer_possible) = (true, true);
            match search_state.is_writing {
                true => search_state.stop_pending = true,
                false => self.send_stop(),
            }
        }
    }
}

/// A request for a move.
#[derive(Clone, Debug)]
pub(super) struct MoveRequest {
    /// The position to choose in.
    pub(super) view: View,
    /// The moves that must not be chosen, with reasons.
    pub(super) barred: Vec<Barred>,
    /// The moves to choose from if some are excluded; empty: all legal moves.
    pub(super) only: Vec<String>,
}

/// A program, and everything that its protocol client needs.
pub(super) struct Connection {
    /// None: the process has ended, or a test has none.
    pub(super) process: Option<JailedProcess>,
    pub(super) writer: Arc<Writer>,
    pub(super) lines: LineReader,
    pub(super) host_state: HostState,
    pub(super) watchdog: ProcessWatchdog,
    /// CPU time that the host spent on the program's requests in this call, in microseconds.
    pub(super) host_work_us: u64,
    pub(super) config: Arc<ProtocolConfig>,
    pub(super) options: Arc<[OptionSpec]>,
    /// Whether its folder contains assets.
    pub(super) has_files: bool,
}

impl Connection {
    pub(super) fn line_reader(stream: UnixStream, config: &ProtocolConfig) -> LineReader {
        let line_ending = if config.protocol.info().accepts_carriage_return {
            LineEnding::FeedOrReturn
        } else {
            LineEnding::Feed
        };
        LineReader::new(stream, line_ending)
    }

    /// Sends a command.
    pub(super) fn send(&mut self, command: &str) -> Result<(), Fault> {
        if !sandboard_protocols::is_one_line(command) {
            let command = clean_text(command, limits::LABEL_BYTES);
            let sentence = format!("cannot be sent a text of several lines: {command}");
            return Err(Fault::new(FaultCode::Start, sentence));
        }
        // A program that cannot receive has closed the connection. Its exit report says why.
        self.writer.send(command).map_err(|_| self.connection_fault(&LineError::Closed))
    }

    /// Sends the command that starts a search. From now on a stop request reaches the program.
    pub(super) fn begin_search(&mut self, command: &str) -> Result<(), Fault> {
        self.send(command)?;
        *self.writer.search_state() = SearchState { is_active: true, ..SearchState::default() };
        if self.watchdog.meter.stop_handle().is_stopped() {
            self.writer.stop();
        }
        Ok(())
    }

    /// The next line as far as it has arrived, without waiting; None: nothing has arrived.
    pub(super) fn peek_line(&mut self) -> Result<Option<String>, Fault> {
        self.lines.peek_line().map_err(|error| self.connection_fault(&error))
    }

    /// Answers a request of the program during a search, with one or more lines.
    pub(super) fn answer(&mut self, lines: &str) -> Result<(), Fault> {
        self.writer.send_during_search(lines).map_err(|_| self.connection_fault(&LineError::Closed))
    }

    /// Waits for the next line of the program.
    pub(super) fn read_line(&mut self) -> Result<String, Fault> {
        let line = self.lines.next().map_err(|error| self.connection_fault(&error))?;
        self.writer.listener.protocol_line(LineSender::Program, &line);
        Ok(line)
    }

    /// Logs a text for people, or a line that is not part of the protocol.
    pub(super) fn log_debug(&mut self, text: &str) -> Result<(), Fault> {
        self.host_state.log(Level::Debug, text)
    }

    /// The fault of a program that sent an answer without a question.
    pub(super) fn unrequested_answer_fault(line: &str) -> Fault {
        let line = clean_text(line, limits::LABEL_BYTES);
        Fault::new(FaultCode::Protocol, format!("answered without a question: `{line}`"))
    }

    /// The current position, and its excluded moves.
    pub(super) fn move_request(&mut self, barred: &[Barred]) -> Result<MoveRequest, Fault> {
        let unknown = |reason| Fault::new(FaultCode::Host, format!("has no position: {reason}"));
        let view = self.host_state.look("").map_err(unknown)?;
        let barred = barred.to_vec();
        if barred.is_empty() {
            return Ok(MoveRequest { view, barred, only: Vec::new() });
        }
        let legal = self.host_state.legal("").map_err(unknown)?;
        let is_allowed = |mv: &&str| barred.iter().all(|barred| barred.r#move != *mv);
        let only = legal.split_ascii_whitespace().filter(is_allowed).map(str::to_owned).collect();
        Ok(MoveRequest { view, barred, only })
    }

    /// The rest of the call, in microseconds of wall time; None: the call has no time limit.
    pub(super) fn left_us(&self) -> Option<u64> {
        Some(self.watchdog.meter.left_us()).filter(|left| *left != NEVER)
    }

    /// Refuses limits without time, for protocols that can express only time.
    pub(super) fn require_time_limit(&self, limits: &Limits) -> Result<(), Fault> {
        let (depth, nodes) = (limits.depth.is_some(), limits.nodes.is_some());
        if limits.unit == Unit::Unlimited && (depth || nodes) {
            let word = self.config.protocol.word();
            let sentence = format!(
                "cannot be limited in depth or nodes alone: {word} can express only time; \
                 use a budget such as 5s/move"
            );
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        Ok(())
    }

    /// What the call has used so far, in the unit of its limits.
    pub(super) fn spent(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Wall => self.watchdog.meter.current_usage().wall_us,
            Unit::Cpu => self.watchdog.meter.current_usage().cpu_us.unwrap_or(0),
            Unit::Unlimited | Unit::Fuel => 0,
        }
    }

    /// Passes on a reported line. `best` keeps the last one of rank 1.
    pub(super) fn report(&mut self, line: Line, best: &mut Option<Line>) -> Result<(), Fault> {
        self.host_state.report(line.clone())?;
        if line.rank == 1 {
            *best = Some(line);
        }
        Ok(())
    }

    /// The CPU time of the process so far, in microseconds, if it is counted.
    pub(super) fn cpu_us(&self) -> Option<u64> {
        self.watchdog.meter.cpu_clock().and_then(CpuClock::now_us)
    }

    /// Works on a request of the program. The CPU time is charged to the program, as it would be if
    /// the work ran in its process.
    pub(super) fn do_charged_work<T>(&mut self, work: impl FnOnce(&mut HostState) -> T) -> T {
        let clock = CpuClock::of_this_thread();
        let read_us = || clock.and_then(CpuClock::now_us);
        let began_us = read_us();
        let result = work(&mut self.host_state);
        let took_us = read_us().zip(began_us).map_or(0, |(now, began)| now.saturating_sub(began));
        self.host_work_us = self.host_work_us.saturating_add(took_us);
        self.watchdog.meter.add_cpu_time(took_us);
        result
    }

    /// The fault for a closed connection, or for output that exceeds a limit.
    fn connection_fault(&mut self, error: &LineError) -> Fault {
        let has_left = matches!(error, LineError::Closed);
        let end = self
            .process
            .take()
            .map(|process| self.watchdog.end_process(&process, has_left, &mut self.host_state));
        match error {
            _ if self.watchdog.has_killed() => self.watchdog.meter.timeout_fault(),
            LineError::Closed => match end {
                Some(end) => exit_fault(&end),
                None => Fault::new(FaultCode::Host, sandboard_engine::messages::HAS_NO_PROCESS),
            },
            LineError::TooLong => {
                let max = limits::LINE_BYTES;
                let sentence = sandboard_engine::messages::line_too_long(max);
                Fault::new(FaultCode::Flood, sentence)
            }
            LineError::Flood(span, max) => {
                let sentence = sandboard_engine::messages::printed_too_much(max, span);
                Fault::new(FaultCode::Flood, sentence)
            }
            LineError::NotUtf8(shown) => {
                let shown = clean_text(shown, limits::LABEL_BYTES);
                Fault::new(FaultCode::Protocol, sandboard_engine::messages::not_utf8(shown))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use sandboard_engine::NullListener;

    use super::*;

    #[test]
    fn a_stop_never_interrupts_an_answer() {
        let (stream, mut program) = UnixStream::pair().unwrap();
        let writer = Writer::new(stream, Some("stop"), Arc::new(NullListener));
        *writer.search_state() =
            SearchState { is_active: true, is_writing: true, ..SearchState::default() };
        writer.stop();
        writer.stop();
        writer.send_during_search("legal a1").unwrap();
        writer.send_during_search("left 0").unwrap();
        drop(writer);
        let mut sent = String::new();
        program.read_to_string(&mut sent).unwrap();
        assert_eq!(sent, "legal a1\nstop\nleft 0\n");
    }

    #[test]
    fn a_search_is_stopped_once() {
        let (stream, mut program) = UnixStream::pair().unwrap();
        let writer = Writer::new(stream, Some("stop"), Arc::new(NullListener));
        writer.stop();
        assert!(!writer.take_late_answer());
        for _ in 0..2 {
            *writer.search_state() = SearchState { is_active: true, ..SearchState::default() };
            writer.stop();
            writer.stop();
        }
        writer.search_state().is_active = false;
        writer.stop();
        assert_eq!((writer.take_late_answer(), writer.take_late_answer()), (true, false));
        drop(writer);
        let mut sent = String::new();
        program.read_to_string(&mut sent).unwrap();
        assert_eq!(sent, "stop\nstop\n");
    }
}
