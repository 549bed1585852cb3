//! Runs a session: one thread reads lines, one runs the engine, and this one writes all output.
//! Makes no decisions about the protocol.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use sandboard_abi::{Choice, Level, Line, Unit};

use super::{Action, SearchRequest, Session, SessionEngine};
use sandboard_bout::query::CancelHandle;
use sandboard_engine::{Fault, FaultCode, Listener};

/// The capacity of the event queue; senders wait when it is full.
const EVENTS_MAX: usize = 256;
/// The limits of lines that wait for the engine's answer: their number, and their bytes.
const POSTPONED_MAX: usize = 4096;
const POSTPONED_BYTES_MAX: usize = 4 << 20;

enum Event {
    Line(Result<String, String>),
    /// The input has ended.
    End,
    Report(Line),
    /// The engine is prepared for a request, or failed.
    Ready(Box<SessionEngine>, Result<(), Fault>),
    /// The engine's answer, and the duration of the search in microseconds.
    Done(Box<SessionEngine>, Result<Choice, Fault>, u64),
}

/// Sends the engine's output to the driver, from the engine's thread.
struct OutputForwarder {
    events: SyncSender<Event>,
    started: Instant,
}

impl OutputForwarder {
    fn new(events: &SyncSender<Event>) -> Self {
        Self { events: events.clone(), started: Instant::now() }
    }

    /// The time since this listener was made, in microseconds; at least 1.
    fn elapsed_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

impl Listener for OutputForwarder {
    fn report(&self, line: &Line) {
        // The engine's own `spent` is in the unit of its limits, and missing in a search without a
        // time limit.
        let line = Line { spent: self.elapsed_us(), ..line.clone() };
        // An error means that the session is over.
        let _ = self.events.send(Event::Report(line));
    }

    fn log(&self, level: Level, text: &str) {
        match level {
            Level::Fatal | Level::Warning => log::warn!("{text}"),
            Level::Info => log::info!("{text}"),
            Level::Debug => log::debug!("{text}"),
        }
    }
}

/// A running session.
struct Driver<'s> {
    session: &'s mut dyn Session,
    output: &'s mut dyn Write,
    events: (SyncSender<Event>, Receiver<Event>),
    /// The engine; `None` while it searches or is being prepared.
    engine: Option<Box<SessionEngine>>,
    /// The stop signal of the current search, and whether that search has no limit.
    search: Option<(CancelHandle, bool)>,
    postponed: VecDeque<String>,
    input_ended: bool,
}

/// Runs a session until one side ends it. `lines` are the input, or the reasons why a line is
/// invalid. A separate thread reads them, and may still be waiting for a line when this function
/// returns.
///
/// # Errors
/// The output cannot be written.
pub fn run_session(
    session: &mut dyn Session,
    engine: SessionEngine,
    lines: impl Iterator<Item = Result<String, String>> + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<()> {
    let events = sync_channel(EVENTS_MAX);
    let line_events = events.0.clone();
    thread::Builder::new().name("protocol-input".into()).spawn(move || {
        let mut all = lines.map(Event::Line).chain([Event::End]);
        while all.next().is_some_and(|event| line_events.send(event).is_ok()) {}
    })?;
    let engine = Some(Box::new(engine));
    let (search, postponed) = (None, VecDeque::new());
    Driver { session, output, events, engine, search, postponed, input_ended: false }.run()
}

impl Driver<'_> {
    fn run(mut self) -> io::Result<()> {
        while let Ok(event) = self.events.1.recv() {
            let mut out = Vec::new();
            let action = match event {
                Event::Line(Ok(line)) => self.handle_line(line, &mut out),
                Event::Line(Err(reason)) => {
                    self.session.report_error(&reason, &mut out);
                    Action::Continue
                }
                Event::End => {
                    self.input_ended = true;
                    self.session.input_ended(&mut out);
                    // A search without a limit would never end.
                    if self.search.as_ref().is_some_and(|(_, endless)| *endless) {
                        Action::Stop
                    } else {
                        Action::Continue
                    }
                }
                Event::Report(line) => {
                    self.session.report(&line, &mut out);
                    Action::Continue
                }
                Event::Ready(engine, ready) => {
                    (self.engine, self.search) = (Some(engine), None);
                    if let Err(fault) = &ready {
                        log::warn!("the engine {fault}");
                    }
                    self.session.engine_prepared(ready, &mut out);
                    Action::Continue
                }
                Event::Done(engine, answer, took_us) => {
                    self.session.set_search_time(took_us);
                    (self.engine, self.search) = (Some(engine), None);
                    if let Err(fault) = &answer {
                        log::warn!("the engine {fault}");
                    }
                    let action = self.session.engine_answered(answer, &mut out);
                    if self.input_ended {
                        self.session.input_ended(&mut out);
                    }
                    action
                }
            };
            let is_over = self.perform(action, &mut out)?;
            self.write_lines(&mut out)?;
            if is_over || self.input_ended && self.search.is_none() {
                break;
            }
        }
        // Does not wait for a running search.
        if let Some((halt, _)) = &self.search {
            halt.cancel();
        }
        Ok(())
    }

    fn handle_line(&mut self, line: String, out: &mut Vec<String>) -> Action {
        let bytes: usize = self.postponed.iter().map(String::len).sum();
        let is_full =
            self.postponed.len() == POSTPONED_MAX || bytes + line.len() > POSTPONED_BYTES_MAX;
        match self.session.handle_line(&line, out) {
            Action::Postpone | Action::StopAndPostpone if is_full => {
                self.session.report_error("too many lines wait for an answer", out);
                Action::Continue
            }
            action @ (Action::Postpone | Action::StopAndPostpone) => {
                self.postponed.push_back(line);
                if action == Action::Postpone { Action::Continue } else { Action::Stop }
            }
            action => action,
        }
    }

    /// Performs an action and those of postponed lines; returns whether the session is over.
    fn perform(&mut self, action: Action, out: &mut Vec<String>) -> io::Result<bool> {
        let mut next = action;
        loop {
            match next {
                Action::Quit => return Ok(true),
                Action::Stop | Action::StopAndPostpone => {
                    if let Some((halt, _)) = &self.search {
                        halt.cancel();
                    }
                }
                Action::Search(request) => {
                    // Earlier output must come before the engine's reports.
                    self.write_lines(out)?;
                    self.start_search(*request)?;
                }
                Action::Prepare(request) => self.prepare(*request)?,
                Action::Continue | Action::Postpone => (),
            }
            let Some(line) = self.postponed.pop_front() else { return Ok(false) };
            next = match self.session.handle_line(&line, out) {
                // The line waits for the engine, or, if the search is finished, for the command to
                // stop.
                action @ (Action::Postpone | Action::StopAndPostpone) => {
                    self.postponed.push_front(line);
                    if let (Action::StopAndPostpone, Some((halt, _))) = (action, &self.search) {
                        halt.cancel();
                    }
                    return Ok(false);
                }
                action => action,
            };
        }
    }

    fn start_search(&mut self, request: SearchRequest) -> io::Result<()> {
        let Some(mut engine) = self.engine.take() else { return Ok(()) };
        let halt = CancelHandle::default();
        let limits = &request.limits;
        let endless =
            limits.unit == Unit::Unlimited && limits.depth.is_none() && limits.nodes.is_none();
        self.search = Some((halt.clone(), endless));
        if self.input_ended && endless {
            halt.cancel();
        }
        let done = self.events.0.clone();
        thread::Builder::new().name("protocol-engine".into()).spawn(move || {
            let forwarder = Arc::new(OutputForwarder::new(&done));
            let listener: Arc<dyn Listener> = forwarder.clone();
            let mut answer = engine.search(&request, &listener, &halt);
            let took_us = forwarder.elapsed_us();
            if let Ok(Choice { line: Some(line), .. }) = &mut answer {
                line.spent = took_us;
            }
            let _ = done.send(Event::Done(engine, answer, took_us));
        })?;
        Ok(())
    }

    fn prepare(&mut self, request: SearchRequest) -> io::Result<()> {
        let Some(mut engine) = self.engine.take() else { return Ok(()) };
        self.search = Some((CancelHandle::default(), false));
        let done = self.events.0.clone();
        thread::Builder::new().name("protocol-engine".into()).spawn(move || {
            let listener: Arc<dyn Listener> = Arc::new(OutputForwarder::new(&done));
            let ready = engine.prepare(&request, &listener);
            let _ = done.send(Event::Ready(engine, ready));
        })?;
        Ok(())
    }

    fn write_lines(&mut self, out: &mut Vec<String>) -> io::Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        for line in out.drain(..) {
            self.output.write_all(line.as_bytes())?;
            self.output.write_all(b"\n")?;
        }
        self.output.flush()
    }
}

/// The error message of an engine's fault, on one line.
pub(super) fn fault_sentence(fault: &Fault) -> String {
    let prefix = if fault.code == FaultCode::Host { "the host: " } else { "" };
    super::one_line(&format!("{prefix}the engine {}", fault.sentence))
}

#[cfg(test)]
mod tests {
    use sandboard_abi::Decision;

    use super::*;
    use crate::protocol_server::open_session;
    use crate::protocol_server::tests::{engine, engine_info};
    use sandboard_protocols::{Dialect, Protocol};

    /// Lines that change the game wait while a finished search waits for the command to stop.
    #[test]
    fn lines_wait_until_a_finished_search_is_answered() {
        let mut session =
            open_session(Protocol::Uci, engine_info("xiangqi", "", Dialect::Same)).unwrap();
        let mut out = Vec::new();
        assert!(matches!(session.handle_line("go infinite depth 1", &mut out), Action::Search(_)));
        let decision = Decision::Play("a0a1".into());
        let choice = Choice { decision, offers_draw: false, line: None };
        assert_eq!(session.engine_answered(Ok(choice), &mut out), Action::Continue);
        let mut output = Vec::new();
        let mut driver = Driver {
            session: session.as_mut(),
            output: &mut output,
            events: sync_channel(EVENTS_MAX),
            engine: Some(Box::new(engine("xiangqi"))),
            search: None,
            postponed: VecDeque::new(),
            input_ended: false,
        };
        let mut check = |line: &str, expected: &[&str], waiting: usize| {
            let mut out = Vec::new();
            let action = driver.handle_line(line.to_owned(), &mut out);
            assert!(!driver.perform(action, &mut out).unwrap(), "{line}");
            assert_eq!(
                (out.as_slice(), driver.postponed.len()),
                (strings(expected).as_slice(), waiting)
            );
        };
        check("position startpos moves a0a1", &[], 1);
        check("setoption name skill value 99", &[], 2);
        check("isready", &["readyok"], 2);
        let bad = "info string option `skill`: `99` is not a whole number from 0 to 20";
        check("stop", &["bestmove a0a1", bad], 0);
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }
}
