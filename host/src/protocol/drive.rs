//! Holds a session: lines come from a thread that reads, answers from one that thinks, and all that is said goes out from
//! here. Decides nothing of what is said.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use sandboard_abi::{Choice, Level, Line, Unit};

use super::{Act, Player, Question, Session};
use crate::ask::Halt;
use crate::engine::{Fault, FaultCode, Listener};

/// Events that wait for this thread; whoever has more waits, too.
const WAITING: usize = 256;
/// Lines that wait for the engine's answer, and how many bytes of them.
const LATER: usize = 4096;
const LATER_BYTES: usize = 4 << 20;

enum Event {
    Line(Result<String, String>),
    /// There are no more lines.
    End,
    Report(Line),
    /// The engine is ready for a question, or failed.
    Ready(Box<Player>, Result<(), Fault>),
    /// With the time that it took, in microseconds.
    Done(Box<Player>, Result<Choice, Fault>, u64),
}

/// Hears what the engine says, on its thread.
struct Ear {
    events: SyncSender<Event>,
    begun: Instant,
}

impl Ear {
    fn new(events: &SyncSender<Event>) -> Self {
        Self { events: events.clone(), begun: Instant::now() }
    }

    /// What has passed since it began to listen, in microseconds; never 0.
    fn so_far_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
    }
}

impl Listener for Ear {
    fn report(&self, line: &Line) {
        // The engine's own reading is in the unit of its limits, and there is none where it is limited by depth, say.
        let line = Line { spent: self.so_far_us(), ..line.clone() };
        // Nobody is there any more: the session is over.
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

/// A session that goes on.
struct Drive<'s> {
    session: &'s mut dyn Session,
    output: &'s mut dyn Write,
    events: (SyncSender<Event>, Receiver<Event>),
    /// None: it thinks, or is made ready.
    player: Option<Box<Player>>,
    /// Of the question that it thinks about, and whether nothing limits that.
    asked: Option<(Halt, bool)>,
    later: VecDeque<String>,
    ended: bool,
}

/// Holds a session until one of the sides ends it. `lines`: what the other program says, and what of it is no line; they
/// are read on a thread of their own, which may wait for a line still when this returns.
///
/// # Errors
/// What is said can no longer be written.
pub fn drive(
    session: &mut dyn Session,
    player: Player,
    lines: impl Iterator<Item = Result<String, String>> + Send + 'static,
    output: &mut dyn Write,
) -> io::Result<()> {
    let events = sync_channel(WAITING);
    let reads = events.0.clone();
    thread::Builder::new().name("protocol-input".into()).spawn(move || {
        let mut all = lines.map(Event::Line).chain([Event::End]);
        while all.next().is_some_and(|event| reads.send(event).is_ok()) {}
    })?;
    let player = Some(Box::new(player));
    let (asked, later) = (None, VecDeque::new());
    Drive { session, output, events, player, asked, later, ended: false }.run()
}

impl Drive<'_> {
    fn run(mut self) -> io::Result<()> {
        while let Ok(event) = self.events.1.recv() {
            let mut out = Vec::new();
            let act = match event {
                Event::Line(Ok(line)) => self.hear(line, &mut out),
                Event::Line(Err(reason)) => {
                    self.session.bad(&reason, &mut out);
                    Act::Wait
                }
                Event::End => {
                    self.ended = true;
                    self.session.ended(&mut out);
                    // What nothing limits would go on for good.
                    if self.asked.as_ref().is_some_and(|(_, endless)| *endless) {
                        Act::Stop
                    } else {
                        Act::Wait
                    }
                }
                Event::Report(line) => {
                    self.session.report(&line, &mut out);
                    Act::Wait
                }
                Event::Ready(player, ready) => {
                    (self.player, self.asked) = (Some(player), None);
                    if let Err(fault) = &ready {
                        log::warn!("the engine {fault}");
                    }
                    self.session.prepared(ready, &mut out);
                    Act::Wait
                }
                Event::Done(player, answer, took_us) => {
                    self.session.took(took_us);
                    (self.player, self.asked) = (Some(player), None);
                    if let Err(fault) = &answer {
                        log::warn!("the engine {fault}");
                    }
                    let act = self.session.answered(answer, &mut out);
                    if self.ended {
                        self.session.ended(&mut out);
                    }
                    act
                }
            };
            let quits = self.acts(act, &mut out)?;
            self.say(&mut out)?;
            if quits || self.ended && self.asked.is_none() {
                break;
            }
        }
        // An engine that thinks is not waited for.
        if let Some((halt, _)) = &self.asked {
            halt.halt();
        }
        Ok(())
    }

    fn hear(&mut self, line: String, out: &mut Vec<String>) -> Act {
        let bytes: usize = self.later.iter().map(String::len).sum();
        let is_full = self.later.len() == LATER || bytes + line.len() > LATER_BYTES;
        match self.session.hear(&line, out) {
            Act::Later | Act::StopFirst if is_full => {
                self.session.bad("too many lines wait for an answer", out);
                Act::Wait
            }
            act @ (Act::Later | Act::StopFirst) => {
                self.later.push_back(line);
                if act == Act::Later { Act::Wait } else { Act::Stop }
            }
            act => act,
        }
    }

    /// Does it, and what follows from it; whether the session is over.
    fn acts(&mut self, act: Act, out: &mut Vec<String>) -> io::Result<bool> {
        let mut next = act;
        loop {
            match next {
                Act::Quit => return Ok(true),
                Act::Stop | Act::StopFirst => {
                    if let Some((halt, _)) = &self.asked {
                        halt.halt();
                    }
                }
                Act::Ask(question) => {
                    // What was said before comes before what it reports.
                    self.say(out)?;
                    self.ask(*question)?;
                }
                Act::Prepare(question) => self.prepare(*question)?,
                Act::Wait | Act::Later => (),
            }
            let Some(line) = self.later.pop_front() else { return Ok(false) };
            next = match self.session.hear(&line, out) {
                // It waits for the engine or, where nobody thinks, for the word to stop to a search that is through.
                act @ (Act::Later | Act::StopFirst) => {
                    self.later.push_front(line);
                    if let (Act::StopFirst, Some((halt, _))) = (act, &self.asked) {
                        halt.halt();
                    }
                    return Ok(false);
                }
                act => act,
            };
        }
    }

    fn ask(&mut self, question: Question) -> io::Result<()> {
        let Some(mut player) = self.player.take() else { return Ok(()) };
        let halt = Halt::default();
        let limits = &question.limits;
        let endless =
            limits.unit == Unit::Unlimited && limits.depth.is_none() && limits.nodes.is_none();
        self.asked = Some((halt.clone(), endless));
        if self.ended && endless {
            halt.halt();
        }
        let done = self.events.0.clone();
        thread::Builder::new().name("protocol-engine".into()).spawn(move || {
            let ear = Arc::new(Ear::new(&done));
            let listener: Arc<dyn Listener> = ear.clone();
            let mut answer = player.ask(&question, &listener, &halt);
            let took_us = ear.so_far_us();
            if let Ok(Choice { line: Some(line), .. }) = &mut answer {
                line.spent = took_us;
            }
            let _ = done.send(Event::Done(player, answer, took_us));
        })?;
        Ok(())
    }

    fn prepare(&mut self, question: Question) -> io::Result<()> {
        let Some(mut player) = self.player.take() else { return Ok(()) };
        self.asked = Some((Halt::default(), false));
        let done = self.events.0.clone();
        thread::Builder::new().name("protocol-engine".into()).spawn(move || {
            let listener: Arc<dyn Listener> = Arc::new(Ear::new(&done));
            let ready = player.prepare(&question, &listener);
            let _ = done.send(Event::Ready(player, ready));
        })?;
        Ok(())
    }

    fn say(&mut self, out: &mut Vec<String>) -> io::Result<()> {
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

/// What an engine did wrong, as a line for people.
pub(super) fn fault_sentence(fault: &Fault) -> String {
    let whose = if fault.code == FaultCode::Host { "the host: " } else { "" };
    super::one_line(&format!("{whose}the engine {}", fault.sentence))
}

#[cfg(test)]
mod tests {
    use sandboard_abi::Decision;

    use super::*;
    use crate::process::{Dialect, Protocol};
    use crate::protocol::session;
    use crate::protocol::tests::{offer, player};

    /// What is said to lines that come while a search waits for the word to stop, whose engine is through.
    #[test]
    fn lines_wait_for_a_search_that_is_through() {
        let mut session = session(Protocol::Uci, offer("xiangqi", "", Dialect::Same)).unwrap();
        let mut out = Vec::new();
        assert!(matches!(session.hear("go infinite depth 1", &mut out), Act::Ask(_)));
        let decision = Decision::Play("a0a1".into());
        let choice = Choice { decision, offers_draw: false, line: None };
        assert_eq!(session.answered(Ok(choice), &mut out), Act::Wait);
        let mut output = Vec::new();
        let mut drive = Drive {
            session: session.as_mut(),
            output: &mut output,
            events: sync_channel(WAITING),
            player: Some(Box::new(player("xiangqi"))),
            asked: None,
            later: VecDeque::new(),
            ended: false,
        };
        let mut check = |line: &str, said: &[&str], waiting: usize| {
            let mut out = Vec::new();
            let act = drive.hear(line.to_owned(), &mut out);
            assert!(!drive.acts(act, &mut out).unwrap(), "{line}");
            assert_eq!((out.as_slice(), drive.later.len()), (strings(said).as_slice(), waiting));
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
