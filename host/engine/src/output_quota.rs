//! Limits what one instance may report and log, per call and per game. Counts what the host stores
//! or passes on. Queries (`legal`, `look`, `asset`) are answered and forgotten, and cost the engine
//! only its own time.

use sandboard_abi::limits;

use crate::{Fault, FaultCode};

/// Bytes counted for each log entry in addition to its text, so that empty texts are limited, too.
const LOG_ENTRY_BYTES: u64 = 64;

/// The output of one instance so far.
#[derive(Debug)]
pub(crate) struct OutputQuota {
    /// Size of the stored log of one game, in bytes.
    log_game_bytes: u64,
    /// Bytes logged in this game, including discarded texts.
    logged_bytes: u64,
    call: OutputCount,
    game: OutputCount,
}

#[derive(Debug, Default)]
struct OutputCount {
    reports: u32,
    /// Bytes of all texts in reports and logs.
    bytes: u64,
    /// Bytes of stored log entries.
    stored_bytes: u64,
}

impl OutputQuota {
    pub(crate) fn new(log_game_bytes: u64) -> Self {
        let (call, game) = (OutputCount::default(), OutputCount::default());
        Self { log_game_bytes, logged_bytes: 0, call, game }
    }

    /// Bytes logged in this game, including discarded texts.
    pub(crate) fn logged_bytes(&self) -> u64 {
        self.logged_bytes
    }

    /// Begins a call: its counts start at 0.
    pub(crate) fn begin_call(&mut self) {
        self.call = OutputCount::default();
    }

    /// Counts a reported line of `bytes`. Err: a quota is exceeded.
    pub(crate) fn report(&mut self, bytes: usize) -> Result<(), Fault> {
        for (count, max, span) in [
            (&mut self.call, limits::REPORTS_PER_CALL, "call"),
            (&mut self.game, limits::REPORTS_PER_GAME, "game"),
        ] {
            count.reports += 1;
            if count.reports > max {
                return Err(flood(format!("reported more than {max} lines in one {span}")));
            }
        }
        self.add_bytes(bytes)
    }

    /// Counts a logged text of `bytes`, of which `clean_bytes` would be stored. Returns whether the
    /// text is to be stored. Err: a quota is exceeded.
    pub(crate) fn log(&mut self, bytes: usize, clean_bytes: usize) -> Result<bool, Fault> {
        self.add_bytes(bytes)?;
        self.logged_bytes += bytes.max(clean_bytes) as u64 + LOG_ENTRY_BYTES;
        let stored = clean_bytes as u64 + LOG_ENTRY_BYTES;
        let fits = self.call.stored_bytes + stored <= limits::LOG_CALL_BYTES as u64
            && self.game.stored_bytes + stored <= self.log_game_bytes;
        if fits {
            self.call.stored_bytes += stored;
            self.game.stored_bytes += stored;
        }
        Ok(fits)
    }

    fn add_bytes(&mut self, bytes: usize) -> Result<(), Fault> {
        for (count, max, span) in [
            (&mut self.call, limits::OUTPUT_CALL_BYTES, "call"),
            (&mut self.game, limits::OUTPUT_GAME_BYTES, "game"),
        ] {
            count.bytes += bytes as u64;
            if count.bytes > max as u64 {
                let mib = max >> 20;
                let sentence = format!("reported and logged more than {mib} MiB in one {span}");
                return Err(flood(sentence));
            }
        }
        Ok(())
    }
}

fn flood(sentence: String) -> Fault {
    Fault::new(FaultCode::Flood, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_counted_by_call_and_by_game() {
        let mut quota = OutputQuota::new(0);
        for _ in 0..10 {
            quota.begin_call();
            (0..limits::REPORTS_PER_CALL).for_each(|_| quota.report(3).unwrap());
        }
        quota.begin_call();
        let fault = quota.report(3).unwrap_err();
        assert_eq!(fault.to_string(), "reported more than 1000000 lines in one game");
        let mut quota = OutputQuota::new(0);
        (0..limits::REPORTS_PER_CALL).for_each(|_| quota.report(3).unwrap());
        let fault = quota.report(3).unwrap_err();
        assert_eq!(fault.to_string(), "reported more than 100000 lines in one call");
        assert_eq!(fault.code, FaultCode::Flood);
    }

    #[test]
    fn bytes_are_counted_by_call_and_by_game() {
        let mut quota = OutputQuota::new(0);
        let max = limits::OUTPUT_CALL_BYTES;
        for _ in 0..16 {
            quota.begin_call();
            quota.report(max - 1).unwrap();
            assert!(!quota.log(1, 1).unwrap());
        }
        quota.begin_call();
        let fault = quota.log(1, 1).unwrap_err();
        assert_eq!(fault.to_string(), "reported and logged more than 1024 MiB in one game");
        let mut quota = OutputQuota::new(0);
        quota.report(max).unwrap();
        let fault = quota.report(1).unwrap_err();
        assert_eq!(fault.to_string(), "reported and logged more than 64 MiB in one call");
    }

    #[test]
    fn logs_beyond_a_quota_are_discarded_and_counted() {
        let quarter = limits::LOG_CALL_BYTES as u64 / 4;
        let text = (quarter - LOG_ENTRY_BYTES) as usize;
        let mut quota = OutputQuota::new(6 * quarter);
        let mut call = |texts: usize| {
            quota.begin_call();
            let stored = (0..texts).filter(|_| quota.log(1, text).unwrap()).count();
            (stored, quota.logged_bytes() / quarter)
        };
        assert_eq!(call(100), (4, 100), "of the first call");
        assert_eq!(call(1), (1, 101), "the quota of a call starts again");
        assert_eq!(call(5), (1, 106), "the game's quota is used up");
        // Of a long text only the beginning is stored, but all of it counts.
        let mut quota = OutputQuota::new(1000);
        assert!(quota.log(1_000_000, 936).unwrap());
        assert!(!quota.log(0, 0).unwrap());
        assert_eq!(quota.logged_bytes(), 1_000_128);
    }
}
