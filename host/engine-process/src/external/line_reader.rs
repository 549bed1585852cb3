//! Reads the lines of a program within limits: for a line, for a call and for a game. Memory use is
//! bounded by the longest line.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::net::RecvFlags;
use sandboard_abi::limits::{LINE_BYTES, OUTPUT_CALL_BYTES, OUTPUT_GAME_BYTES};

/// Why no line could be read.
#[derive(Debug)]
pub(crate) enum LineError {
    /// The program has closed its output, or was killed.
    Closed,
    /// The line exceeds the limit.
    TooLong,
    /// The output of the call or the game (text) exceeds its limit in bytes.
    Flood(&'static str, usize),
    /// The line is not UTF-8. The text has replacement characters.
    NotUtf8(String),
}

/// What ends a line. The protocol handles other control characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnding {
    /// A line feed.
    Feed,
    /// A line feed or a carriage return. Both together end a line and add an empty one.
    FeedOrReturn,
}

/// Beginnings of lines with text for people, in any case. Nothing depends on such lines.
const FREE_TEXT_PREFIXES: [&str; 8] = [
    "id ",
    "info string ",
    "info message ",
    "message ",
    "debug ",
    "name=",
    "status ",
    "set myname ",
];

/// Reads the output of a program.
pub(crate) struct LineReader {
    stream: UnixStream,
    line_ending: LineEnding,
    buffer: Vec<u8>,
    /// The number of bytes of `buffer` that were already returned.
    consumed: usize,
    call_bytes: usize,
    game_bytes: usize,
}

impl LineReader {
    /// Reads from a stream.
    pub(crate) fn new(stream: UnixStream, line_ending: LineEnding) -> Self {
        Self { stream, line_ending, buffer: Vec::new(), consumed: 0, call_bytes: 0, game_bytes: 0 }
    }

    /// Begins a call: resets the count for its limit.
    pub(crate) fn begin_call(&mut self) {
        self.call_bytes = 0;
    }

    /// Waits for the next line and returns it without its end. The watchdog kills a program that
    /// takes too long.
    pub(crate) fn next(&mut self) -> Result<String, LineError> {
        let mut searched = self.consumed;
        loop {
            let line_ending = self.line_ending;
            let is_end = |byte: &u8| {
                *byte == b'\n' || *byte == b'\r' && line_ending == LineEnding::FeedOrReturn
            };
            if let Some(at) = self.buffer[searched..].iter().position(is_end) {
                let end = searched + at;
                if end - self.consumed > LINE_BYTES {
                    return Err(LineError::TooLong);
                }
                let line = text(&self.buffer[self.consumed..end]);
                self.consumed = end + 1;
                return line;
            }
            self.buffer.drain(..self.consumed);
            self.consumed = 0;
            searched = self.buffer.len();
            if searched > LINE_BYTES {
                return Err(LineError::TooLong);
            }
            self.read_more()?;
        }
    }

    /// The next line as far as it has arrived, without waiting and without consuming it. None:
    /// nothing has arrived.
    pub(crate) fn peek_line(&mut self) -> Result<Option<String>, LineError> {
        if self.consumed == self.buffer.len() {
            let mut part = [0; 16 << 10];
            let flags = RecvFlags::DONTWAIT;
            match rustix::net::recv(&self.stream, &mut part, flags) {
                Ok((count, _)) if count > 0 => self.append(&part[..count])?,
                // The next call that waits reports a closed stream.
                _ => return Ok(None),
            }
        }
        let arrived = &self.buffer[self.consumed..];
        let line = arrived.split(|byte| *byte == b'\n').next().unwrap_or(arrived);
        Ok(Some(String::from_utf8_lossy(line).into_owned()))
    }

    fn read_more(&mut self) -> Result<(), LineError> {
        let mut part = [0; 16 << 10];
        let count = loop {
            match self.stream.read(&mut part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Ok(0) | Err(_) => return Err(LineError::Closed),
                Ok(count) => break count,
            }
        };
        self.append(&part[..count])
    }

    fn append(&mut self, part: &[u8]) -> Result<(), LineError> {
        let count = part.len();
        self.buffer.extend_from_slice(part);
        for (bytes, max, span) in [
            (&mut self.call_bytes, OUTPUT_CALL_BYTES, "call"),
            (&mut self.game_bytes, OUTPUT_GAME_BYTES, "game"),
        ] {
            *bytes = bytes.saturating_add(count);
            if *bytes > max {
                return Err(LineError::Flood(span, max));
            }
        }
        Ok(())
    }
}

/// The text of a line. Names and remarks may have an old encoding, because nothing depends on them.
fn text(bytes: &[u8]) -> Result<String, LineError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => {
            let shown = String::from_utf8_lossy(bytes).into_owned();
            let begins = |log_debug: &str| {
                bytes
                    .get(..log_debug.len())
                    .is_some_and(|it| it.eq_ignore_ascii_case(log_debug.as_bytes()))
            };
            let is_remark = FREE_TEXT_PREFIXES.iter().any(|log_debug| begins(log_debug));
            if is_remark { Ok(shown) } else { Err(LineError::NotUtf8(shown)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Reads all lines of this output, up to the first error.
    fn check(printed: &[u8], expected: &[&str]) {
        let (mut program, host) = UnixStream::pair().unwrap();
        let printed = printed.to_vec();
        let prints = std::thread::spawn(move || program.write_all(&printed));
        let mut lines = LineReader::new(host, LineEnding::Feed);
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
        // The reader may stop early, so this write may fail.
        let _ = prints.join().unwrap();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_in_order() {
        check(b"Message Jos\xe9\nOK\n", &["Message Jos\u{fffd}", "OK", "Closed"]);
        check(b"", &["Closed"]);
        check(b"uciok\nreadyok\n", &["uciok", "readyok", "Closed"]);
        check(b"\n\nbestmove a", &["", "", "Closed"]);
        check(b"id author Jos\xe9\n", &["id author Jos\u{fffd}", "Closed"]);
        check(b"bestmove \xff\n", &["NotUtf8(\"bestmove \u{fffd}\")"]);
    }

    #[test]
    fn lines_that_end_with_a_return() {
        let check = |line_ending: LineEnding, printed: &[u8], expected: &[&str]| {
            let (mut program, host) = UnixStream::pair().unwrap();
            program.write_all(printed).unwrap();
            drop(program);
            let mut lines = LineReader::new(host, line_ending);
            let found: Vec<String> = std::iter::from_fn(|| lines.next().ok()).collect();
            assert_eq!(found, expected);
        };
        check(LineEnding::FeedOrReturn, b"OK\r7,7\r\n8,8\n", &["OK", "7,7", "", "8,8"]);
        check(LineEnding::Feed, b"OK\r7,7\r\n8,8\n", &["OK\r7,7\r", "8,8"]);
    }

    #[test]
    fn arrived_output_is_known_without_waiting() {
        let (mut program, host) = UnixStream::pair().unwrap();
        let mut lines = LineReader::new(host, LineEnding::Feed);
        let mut check = |printed: &str, arrived: Option<&str>, next: &[&str]| {
            program.write_all(printed.as_bytes()).unwrap();
            assert_eq!(lines.peek_line().unwrap().as_deref(), arrived, "{printed:?}");
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
        assert_eq!(lines.peek_line().unwrap(), None);
    }

    #[test]
    fn a_line_has_a_size_limit() {
        let line = |bytes: usize| [vec![b'x'; bytes], b"\n".to_vec()].concat();
        check(&line(LINE_BYTES), &["65536 bytes", "Closed"]);
        check(&line(LINE_BYTES + 1), &["TooLong"]);
        check(&line(1 << 20), &["TooLong"]);
    }

    #[test]
    fn the_output_of_a_call_has_a_limit() {
        let line = [vec![b'x'; 4095], b"\n".to_vec()].concat();
        let mut printed = line.repeat(OUTPUT_CALL_BYTES / 4096);
        let (mut program, host) = UnixStream::pair().unwrap();
        printed.extend_from_slice(b"more\n");
        let prints = std::thread::spawn(move || program.write_all(&printed));
        let mut lines = LineReader::new(host, LineEnding::Feed);
        let mut count = 0;
        let error = loop {
            match lines.next() {
                Ok(_) => count += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LineError::Flood("call", OUTPUT_CALL_BYTES)), "{error:?}");
        assert!(count >= OUTPUT_CALL_BYTES / 4096 - 4, "{count}");
        drop(lines);
        let _ = prints.join().unwrap();
    }
}
