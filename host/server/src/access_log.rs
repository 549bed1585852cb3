//! The access log: a line for each request, written by a thread of its own, so that a slow disk
//! delays no request. It decides nothing about requests.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use sandboard_common::date::rfc3339;
use sandboard_common::file_modes;

/// How many lines may wait for the disk. Further ones are counted and dropped.
const LINES_MAX: usize = 4096;
/// The longest path in a line, in bytes. Longer ones are cut.
const PATH_BYTES_MAX: usize = 1024;

/// The log of all requests.
#[derive(Debug)]
pub(crate) struct AccessLog {
    /// The thread that writes, and its queue; none: the log is closed.
    writer: Mutex<Option<(SyncSender<String>, JoinHandle<()>)>>,
    /// Lines that were dropped since the last one that was not.
    dropped: AtomicU64,
}

/// A request and its response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// The client, behind trusted proxies.
    pub client: IpAddr,
    pub method: &'a str,
    /// The path without the query, as it was sent.
    pub path: &'a str,
    pub status: u16,
    /// The time from the head of the request to the head of the response.
    pub duration: Duration,
}

impl Access<'_> {
    /// The line of the request, without its end.
    fn line(&self, at: SystemTime) -> String {
        let Self { client, method, path, status, duration } = self;
        let path = &path[..path.floor_char_boundary(PATH_BYTES_MAX)];
        format!("{} {client} {method} {path} {status} {}", rfc3339(at), duration.as_micros())
    }
}

impl AccessLog {
    /// Opens the file, or creates it. Lines are appended. Only its owner can read it. Err: it is no
    /// file, belongs to another user, or the thread cannot be started.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        file_modes::create_file(path)?;
        let mut options = File::options();
        options.append(true);
        let file = sandboard_common::files::open_regular_with(&mut options, path)?;
        // Only now is it known to be a file: the mode of a device must stay.
        if let Some(note) = file_modes::make_private(path)? {
            log::warn!("{note}");
        }
        let (lines, received) = sync_channel(LINES_MAX);
        let writer = std::thread::Builder::new().name("access-log".into());
        let writer = writer.spawn(move || write_lines(&received, BufWriter::new(file)))?;
        Ok(Self { writer: Mutex::new(Some((lines, writer))), dropped: AtomicU64::new(0) })
    }

    /// Adds the line of a request.
    pub(crate) fn add(&self, access: Access<'_>) {
        let writer = self.writer();
        let Some((lines, _)) = writer.as_ref() else { return };
        let mut line = access.line(SystemTime::now());
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line = format!("# {dropped} requests are missing here\n{line}");
        }
        if lines.try_send(line).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    /// Writes what is left, and ignores later requests.
    pub(crate) fn close(&self) {
        let Some((lines, writer)) = self.writer().take() else { return };
        drop(lines);
        // A panic of the thread was reported by itself.
        let _ = writer.join();
    }

    fn writer(&self) -> MutexGuard<'_, Option<(SyncSender<String>, JoinHandle<()>)>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines until the sender is gone. Flushes when no line waits.
fn write_lines(lines: &Receiver<String>, mut file: impl Write) {
    let mut has_failed = false;
    let mut report = |result: io::Result<()>| {
        // One message for a series of failures: the disk may be full for long.
        match result {
            Err(error) if !has_failed => {
                log::error!("the access log cannot be written: {error}");
                has_failed = true;
            }
            Err(_) => (),
            Ok(()) => has_failed = false,
        }
    };
    while let Ok(line) = lines.recv() {
        report(writeln!(file, "{line}"));
        while let Ok(line) = lines.try_recv() {
            report(writeln!(file, "{line}"));
        }
        report(file.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_client_request_status_and_duration() {
        let check = |path: &str, expected: &str| {
            let access = Access {
                client: IpAddr::from([192, 0, 2, 7]),
                method: "GET",
                path,
                status: 404,
                duration: Duration::from_micros(1_234),
            };
            assert_eq!(access.line(SystemTime::UNIX_EPOCH), expected);
        };
        check("/a%20b", "1970-01-01T00:00:00Z 192.0.2.7 GET /a%20b 404 1234");
        let (long, cut) = ("/".repeat(PATH_BYTES_MAX + 1), "/".repeat(PATH_BYTES_MAX));
        check(&long, &format!("1970-01-01T00:00:00Z 192.0.2.7 GET {cut} 404 1234"));
    }

    /// A disk that is full for the first writes.
    struct FullDisk {
        refusals: usize,
        written: Vec<u8>,
    }

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.refusals > 0 {
                self.refusals -= 1;
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.written.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_log_goes_on_when_the_disk_has_room_again() {
        let (sender, lines) = sync_channel(4);
        for line in ["first", "second"] {
            sender.send(line.to_owned()).unwrap();
        }
        drop(sender);
        let mut disk = FullDisk { refusals: 1, written: Vec::new() };
        write_lines(&lines, &mut disk);
        assert_eq!(String::from_utf8(disk.written).unwrap(), "second\n");
    }
}
