//! Lines of a program, bounded: what it prints is never longer in memory than one may be, and
//! never more than a call and a game admit.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::net::RecvFlags;
use sandboard_abi::limits::{LINE_BYTES, SAID_CALL_BYTES, SAID_GAME_BYTES};

/// Why there is no line.
#[derive(Debug)]
pub enum LineError {
    /// The program has left, or was killed.
    Left,
    /// It is longer than any may be.
    Long,
    /// It is one too many in the call, or in the game.
    Flood(&'static str, usize),
    /// It is no text; this is what can be shown of it.
    NoText(String),
}

/// What lines end with; what else is between them is the protocol's to pass over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// A line feed.
    Feed,
    /// A line feed, a carriage return, or both of them, which make an empty line then.
    FeedOrReturn,
}

/// What begins a line that says something to people, in any case of letters. Nothing depends on such lines.
const REMARKS: [&str; 8] = [
    "id ",
    "info string ",
    "info message ",
    "message ",
    "debug ",
    "name=",
    "status ",
    "set myname ",
];

/// What a program prints.
pub struct Lines {
    stream: UnixStream,
    ends: Ends,
    buffer: Vec<u8>,
    /// What of it was handed out already.
    taken: usize,
    call_bytes: usize,
    game_bytes: usize,
}

impl Lines {
    /// Nothing has come yet.
    pub fn new(stream: UnixStream, ends: Ends) -> Self {
        Self { stream, ends, buffer: Vec::new(), taken: 0, call_bytes: 0, game_bytes: 0 }
    }

    /// A call begins: its lines are counted anew.
    pub fn call_begins(&mut self) {
        self.call_bytes = 0;
    }

    /// The next line, without its end. Waits for it; whoever waits too long has the program killed.
    pub fn next(&mut self) -> Result<String, LineError> {
        let mut searched = self.taken;
        loop {
            let ends = self.ends;
            let is_end = |byte: &u8| *byte == b'\n' || *byte == b'\r' && ends == Ends::FeedOrReturn;
            if let Some(at) = self.buffer[searched..].iter().position(is_end) {
                let end = searched + at;
                if end - self.taken > LINE_BYTES {
                    return Err(LineError::Long);
                }
                let line = text(&self.buffer[self.taken..end]);
                self.taken = end + 1;
                return line;
            }
            self.buffer.drain(..self.taken);
            self.taken = 0;
            searched = self.buffer.len();
            if searched > LINE_BYTES {
                return Err(LineError::Long);
            }
            self.read_more()?;
        }
    }

    /// What has come already without being waited for, up to the end of its first line; none: nothing has.
    pub fn come(&mut self) -> Result<Option<String>, LineError> {
        if self.taken == self.buffer.len() {
            let mut part = [0; 16 << 10];
            let flags = RecvFlags::DONTWAIT;
            match rustix::net::recv(&self.stream, &mut part, flags) {
                Ok((count, _)) if count > 0 => self.keep(&part[..count])?,
                // Who has left is found out by whoever waits.
                _ => return Ok(None),
            }
        }
        let come = &self.buffer[self.taken..];
        let line = come.split(|byte| *byte == b'\n').next().unwrap_or(come);
        Ok(Some(String::from_utf8_lossy(line).into_owned()))
    }

    fn read_more(&mut self) -> Result<(), LineError> {
        let mut part = [0; 16 << 10];
        let count = loop {
            match self.stream.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Ok(0) | Err(_) => return Err(LineError::Left),
                Ok(count) => break count,
            }
        };
        self.keep(&part[..count])
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), LineError> {
        let count = part.len();
        self.buffer.extend_from_slice(part);
        for (bytes, most, span) in [
            (&mut self.call_bytes, SAID_CALL_BYTES, "call"),
            (&mut self.game_bytes, SAID_GAME_BYTES, "game"),
        ] {
            *bytes = bytes.saturating_add(count);
            if *bytes > most {
                return Err(LineError::Flood(span, most));
            }
        }
        Ok(())
    }
}

/// The text of a line. Names and remarks may be in the letters of old; nothing depends on them.
fn text(bytes: &[u8]) -> Result<String, LineError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => {
            let shown = String::from_utf8_lossy(bytes).into_owned();
            let begins = |remark: &str| {
                bytes
                    .get(..remark.len())
                    .is_some_and(|it| it.eq_ignore_ascii_case(remark.as_bytes()))
            };
            let is_remark = REMARKS.iter().any(|remark| begins(remark));
            if is_remark { Ok(shown) } else { Err(LineError::NoText(shown)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// What comes of what is printed, line by line, up to the first error.
    fn check(printed: &[u8], expected: &[&str]) {
        let (mut program, host) = UnixStream::pair().unwrap();
        let printed = printed.to_vec();
        let prints = std::thread::spawn(move || program.write_all(&printed));
        let mut lines = Lines::new(host, Ends::Feed);
        let mut found = Vec::new();
        loop {
            match lines.next() {
                Ok(line) if line.len() > 40 => found.push(format!("{} bytes", line.len())),
                Ok(line) => found.push(line),
                Err(error) => {
                    found.push(format!("{error:?}"));
                    break;
                }
            }
        }
        drop(lines);
        // Whether all of it was taken is not the question.
        let _ = prints.join().unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_as_they_come() {
        check(b"Message Jos\xe9\nOK\n", &["Message Jos\u{fffd}", "OK", "Left"]);
        check(b"", &["Left"]);
        check(b"uciok\nreadyok\n", &["uciok", "readyok", "Left"]);
        check(b"\n\nbestmove a", &["", "", "Left"]);
        check(b"id author Jos\xe9\n", &["id author Jos\u{fffd}", "Left"]);
        check(b"bestmove \xff\n", &["NoText(\"bestmove \u{fffd}\")"]);
    }

    #[test]
    fn lines_that_end_with_a_return() {
        let check = |ends: Ends, printed: &[u8], expected: &[&str]| {
            let (mut program, host) = UnixStream::pair().unwrap();
            program.write_all(printed).unwrap();
            drop(program);
            let mut lines = Lines::new(host, ends);
            let found: Vec<String> = std::iter::from_fn(|| lines.next().ok()).collect();
            assert_eq!(found, expected);
        };
        check(Ends::FeedOrReturn, b"OK\r7,7\r\n8,8\n", &["OK", "7,7", "", "8,8"]);
        check(Ends::Feed, b"OK\r7,7\r\n8,8\n", &["OK\r7,7\r", "8,8"]);
    }

    #[test]
    fn what_has_come_is_known_without_waiting() {
        let (mut program, host) = UnixStream::pair().unwrap();
        let mut lines = Lines::new(host, Ends::Feed);
        let mut check = |printed: &str, come: Option<&str>, next: &[&str]| {
            program.write_all(printed.as_bytes()).unwrap();
            assert_eq!(lines.come().unwrap().as_deref(), come, "{printed:?}");
            next.iter().for_each(|line| assert_eq!(lines.next().unwrap(), *line));
        };
        check("", None, &[]);
        check("pong\n", Some("pong"), &["pong"]);
        check("pong\nplay a1\n", Some("pong"), &["pong"]);
        check("", Some("play a1"), &["play a1"]);
        check("", None, &[]);
        check("pla", Some("pla"), &[]);
        check("y a1\n", Some("pla"), &["play a1"]);
        check("\n", Some(""), &[""]);
        drop(program);
        assert_eq!(lines.come().unwrap(), None);
    }

    #[test]
    fn a_line_has_an_end() {
        let line = |bytes: usize| [vec![b'x'; bytes], b"\n".to_vec()].concat();
        check(&line(LINE_BYTES), &["65536 bytes", "Left"]);
        check(&line(LINE_BYTES + 1), &["Long"]);
        check(&line(1 << 20), &["Long"]);
    }

    #[test]
    fn a_call_has_an_end() {
        let line = [vec![b'x'; 4095], b"\n".to_vec()].concat();
        let mut printed = line.repeat(SAID_CALL_BYTES / 4096);
        let (mut program, host) = UnixStream::pair().unwrap();
        printed.extend_from_slice(b"more\n");
        let prints = std::thread::spawn(move || program.write_all(&printed));
        let mut lines = Lines::new(host, Ends::Feed);
        let mut count = 0;
        let error = loop {
            match lines.next() {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LineError::Flood("call", SAID_CALL_BYTES)), "{error:?}");
        assert!(count >= SAID_CALL_BYTES / 4096 - 4, "{count}");
        drop(lines);
        let _ = prints.join().unwrap();
    }
}
