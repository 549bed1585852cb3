//! The line between the host and a program that plays: what is said, what is heard, and what holds the program.
//! Knows no protocol; an exchange speaks over it.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::net::SendFlags;
use sandboard_abi::{Barred, Level, Limits, Line, OptionSpec, Unit, View, limits};

use super::Speech;
use super::lines::{Ends, LineError, Lines};
use crate::engine::desk::{Desk, clean_text};
use crate::engine::timer::NEVER;
use crate::engine::{Fault, FaultCode};
use crate::jail::{CpuClock, Inmate};
use crate::worker::death::fault_of_death;
use crate::worker::leash::Leash;

/// What is said to a program. The word to stop overtakes nothing: it is said while a search is
/// on, by whichever thread wants it.
pub(super) struct Mouth {
    stream: UnixStream,
    /// The protocol's word to stop, where it has one.
    stop: Option<&'static str>,
    /// Whether the program has said that it does not know that word.
    is_deaf: AtomicBool,
    searching: Mutex<Searching>,
}

/// The search that is on, or was last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Searching {
    pub(super) is_on: bool,
    /// Whether it was told to stop; it is told once.
    is_told: bool,
    /// Whether the word to stop may have come too late, to who answers that as well.
    may_be_late: bool,
    /// Whether something is being said to it, into which no other word may fall.
    is_spoken_to: bool,
    /// Whether the word to stop is to follow what is being said.
    stop_follows: bool,
}

impl Mouth {
    pub(super) fn new(stream: UnixStream, stop: Option<&'static str>) -> Self {
        Self { stream, stop, is_deaf: AtomicBool::new(false), searching: Mutex::default() }
    }

    /// What the program says to whether it knows the word to stop.
    pub(super) fn hears_of_stops(&self, it_does: bool) {
        self.is_deaf.store(!it_does, Ordering::Relaxed);
    }

    pub(super) fn searching(&self) -> MutexGuard<'_, Searching> {
        self.searching.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, command: &str) -> std::io::Result<()> {
        (&self.stream).write_all(format!("{command}\n").as_bytes())
    }

    /// Says something while a search is on. A word to stop that is wanted meanwhile follows it.
    fn say_amid(&self, command: &str) -> std::io::Result<()> {
        self.searching().is_spoken_to = true;
        // It may wait for who does not read; whoever wants a stop does not wait for it.
        let said = self.say(command);
        let mut searching = self.searching();
        searching.is_spoken_to = false;
        if std::mem::take(&mut searching.stop_follows) {
            self.say_stop();
        }
        said
    }

    fn say_stop(&self) {
        let Some(word) = self.stop else { return };
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let _ = rustix::net::send(&self.stream, format!("{word}\n").as_bytes(), flags);
    }

    /// Whether an answer may be one to the word to stop, and no other; of each word only one is.
    pub(super) fn takes_late(&self) -> bool {
        std::mem::take(&mut self.searching().may_be_late)
    }

    /// Tells the search in progress to stop; returns at once. If it cannot be told, the call is
    /// ended by force a moment later.
    pub(super) fn stop(&self) {
        if self.stop.is_none() || self.is_deaf.load(Ordering::Relaxed) {
            return;
        }
        let mut searching = self.searching();
        if searching.is_on && !searching.is_told {
            (searching.is_told, searching.may_be_late) = (true, true);
            match searching.is_spoken_to {
                true => searching.stop_follows = true,
                false => self.say_stop(),
            }
        }
    }
}

/// What a move is wanted in.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The position.
    pub(super) view: View,
    /// The moves that are not to be chosen, and why.
    pub(super) barred: Vec<Barred>,
    /// The moves to choose among, where some are barred; empty: all.
    pub(super) only: Vec<String>,
}

/// A program at the other end, and all that an exchange with it needs.
pub(super) struct Wire {
    /// None: it is gone.
    pub(super) inmate: Option<Inmate>,
    pub(super) mouth: Arc<Mouth>,
    pub(super) lines: Lines,
    pub(super) desk: Desk,
    pub(super) leash: Leash,
    /// What the host has worked for it in the call in progress, or the last one, in microseconds of CPU time.
    pub(super) worked_us: u64,
    pub(super) speech: Arc<Speech>,
    pub(super) options: Arc<[OptionSpec]>,
    /// Whether files of its own lie in its folder.
    pub(super) has_files: bool,
}

impl Wire {
    pub(super) fn ears(stream: UnixStream, speech: &Speech) -> Lines {
        let ends = if speech.protocol.ends_by_return() { Ends::FeedOrReturn } else { Ends::Feed };
        Lines::new(stream, ends)
    }

    /// Says a command.
    pub(super) fn say(&mut self, command: &str) -> Result<(), Fault> {
        if !super::is_one_line(command) {
            let command = clean_text(command, limits::LABEL_BYTES);
            let sentence = format!("cannot be told what is no single line: {command}");
            return Err(Fault::new(FaultCode::Start, sentence));
        }
        // Whoever cannot be told anything has left; why, its end says.
        self.mouth.say(command).map_err(|_| self.broken(&LineError::Left))
    }

    /// Says the command that begins a search; from now on it may be told to stop.
    pub(super) fn begin_search(&mut self, command: &str) -> Result<(), Fault> {
        self.say(command)?;
        *self.mouth.searching() = Searching { is_on: true, ..Searching::default() };
        if self.leash.meter.control().is_stopped() {
            self.mouth.stop();
        }
        Ok(())
    }

    /// What it has said already and nobody has heard, up to the end of a line; none: nothing.
    pub(super) fn come(&mut self) -> Result<Option<String>, Fault> {
        self.lines.come().map_err(|error| self.broken(&error))
    }

    /// Answers what it asks while a search is on, in one or more lines.
    pub(super) fn answer(&mut self, lines: &str) -> Result<(), Fault> {
        self.mouth.say_amid(lines).map_err(|_| self.broken(&LineError::Left))
    }

    /// The next line that it prints.
    pub(super) fn hear(&mut self) -> Result<String, Fault> {
        self.lines.next().map_err(|error| self.broken(&error))
    }

    /// A remark for people, or what is none of the protocol's.
    pub(super) fn remark(&mut self, text: &str) -> Result<(), Fault> {
        self.desk.log(Level::Debug, text)
    }

    /// The fault of one that answered what nobody asked.
    pub(super) fn unasked(line: &str) -> Fault {
        let line = clean_text(line, limits::LABEL_BYTES);
        Fault::new(FaultCode::Protocol, format!("answered what it was not asked: `{line}`"))
    }

    /// The position as it is now, and what of it is barred.
    pub(super) fn asked(&mut self, barred: &[Barred]) -> Result<Asked, Fault> {
        let unknown = |reason| Fault::new(FaultCode::Host, format!("has no position: {reason}"));
        let view = self.desk.look("").map_err(unknown)?;
        let barred = barred.to_vec();
        if barred.is_empty() {
            return Ok(Asked { view, barred, only: Vec::new() });
        }
        let legal = self.desk.legal("").map_err(unknown)?;
        let is_free = |mv: &&str| barred.iter().all(|barred| barred.r#move != *mv);
        let only = legal.split_ascii_whitespace().filter(is_free).map(str::to_owned).collect();
        Ok(Asked { view, barred, only })
    }

    /// What is left of the call in microseconds of wall time; none: it is not limited in time.
    pub(super) fn left_us(&self) -> Option<u64> {
        Some(self.leash.meter.left_us()).filter(|left| *left != NEVER)
    }

    /// Refuses limits of a search in a protocol that can only tell time.
    pub(super) fn only_time(&self, limits: &Limits) -> Result<(), Fault> {
        let (depth, nodes) = (limits.depth.is_some(), limits.nodes.is_some());
        if limits.unit == Unit::Unlimited && (depth || nodes) {
            let word = self.speech.protocol.word();
            let sentence = format!(
                "cannot be limited in depth or nodes alone: {word} can only tell time; give it 5s/move, say"
            );
            return Err(Fault::new(FaultCode::Host, sentence));
        }
        Ok(())
    }

    /// What the call has taken so far, in the unit of its limits.
    pub(super) fn spent(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Wall => self.leash.meter.so_far().wall_us,
            Unit::Cpu => self.leash.meter.so_far().cpu_us.unwrap_or(0),
            Unit::Unlimited | Unit::Fuel => 0,
        }
    }

    /// A line that it reports; the last of rank 1 is kept.
    pub(super) fn report(&mut self, line: Line, best: &mut Option<Line>) -> Result<(), Fault> {
        self.desk.report(line.clone())?;
        if line.rank == 1 {
            *best = Some(line);
        }
        Ok(())
    }

    /// The CPU time of its process so far, in microseconds, where that is counted.
    pub(super) fn cpu_us(&self) -> Option<u64> {
        self.leash.meter.cpu_clock().and_then(CpuClock::now_us)
    }

    /// Works for it: what it asks is its own work, in CPU time too, as it is where the host works within its process.
    pub(super) fn work<T>(&mut self, work: impl FnOnce(&mut Desk) -> T) -> T {
        let clock = CpuClock::of_this_thread();
        let read_us = || clock.and_then(CpuClock::now_us);
        let began_us = read_us();
        let done = work(&mut self.desk);
        let took_us = read_us().zip(began_us).map_or(0, |(now, began)| now.saturating_sub(began));
        self.worked_us = self.worked_us.saturating_add(took_us);
        self.leash.meter.charge_cpu(took_us);
        done
    }

    /// It has left, or prints what no call takes.
    fn broken(&mut self, error: &LineError) -> Fault {
        let left = matches!(error, LineError::Left);
        let end =
            self.inmate.take().map(|inmate| self.leash.farewell(&inmate, left, &mut self.desk));
        match error {
            _ if self.leash.has_killed() => self.leash.meter.timeout(),
            LineError::Left => match end {
                Some(end) => fault_of_death(&end),
                None => Fault::new(FaultCode::Host, "its process is gone"),
            },
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_stop_never_falls_into_an_answer() {
        let (stream, mut program) = UnixStream::pair().unwrap();
        let mouth = Mouth::new(stream, Some("stop"));
        *mouth.searching() = Searching { is_on: true, is_spoken_to: true, ..Searching::default() };
        mouth.stop();
        mouth.stop();
        mouth.say_amid("legal a1").unwrap();
        mouth.say_amid("left 0").unwrap();
        drop(mouth);
        let mut said = String::new();
        program.read_to_string(&mut said).unwrap();
        assert_eq!(said, "legal a1\nstop\nleft 0\n");
    }

    #[test]
    fn a_search_is_told_to_stop_once() {
        let (stream, mut program) = UnixStream::pair().unwrap();
        let mouth = Mouth::new(stream, Some("stop"));
        mouth.stop();
        assert!(!mouth.takes_late());
        for _ in 0..2 {
            *mouth.searching() = Searching { is_on: true, ..Searching::default() };
            mouth.stop();
            mouth.stop();
        }
        mouth.searching().is_on = false;
        mouth.stop();
        assert_eq!((mouth.takes_late(), mouth.takes_late()), (true, false));
        drop(mouth);
        let mut said = String::new();
        program.read_to_string(&mut said).unwrap();
        assert_eq!(said, "stop\nstop\n");
    }
}
