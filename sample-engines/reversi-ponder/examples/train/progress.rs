//! Progress of a long task for people: how much is done, and the estimated time left.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(crate) struct Progress<'a> {
    name: &'a str,
    of: usize,
    done: AtomicUsize,
    began: Instant,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(name: &'a str, of: usize) -> Self {
        Self { name, of, done: AtomicUsize::new(0), began: Instant::now() }
    }

    /// Counts one more step.
    pub(crate) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let reports = if std::io::stderr().is_terminal() { 100 } else { 10 };
        if done.is_multiple_of(self.of.div_ceil(reports)) {
            let spent = self.began.elapsed().as_secs_f64();
            let left = spent / done as f64 * (self.of - done) as f64;
            let (name, of) = (self.name, self.of);
            let end = if std::io::stderr().is_terminal() { "\r" } else { "\n" };
            eprint!("{name}: {done} of {of}, {left:.0} s left    {end}");
            let _ = std::io::stderr().flush();
        }
    }

    pub(crate) fn end(&self) {
        let spent = self.began.elapsed().as_secs_f64();
        eprintln!("{}: {} in {spent:.0} s              ", self.name, self.of);
    }
}
