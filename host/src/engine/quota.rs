//! How much one instance may say, in one call and in one game. Counts what the
//! host keeps or passes on (reports and logs); what an engine asks (`legal`,
//! `look`, `asset`) is answered and forgotten, and its time is the engine's own.

use sandboard_abi::limits;

use super::{Fault, FaultCode};

/// What an entry in the log costs beside its text, in bytes: many empty texts
/// are a flood, too.
const LOG_ENTRY_BYTES: u64 = 64;

/// What one instance has said so far.
#[derive(Debug)]
pub struct Quota {
    /// What it may log in one game, in bytes.
    log_game_bytes: u64,
    /// What it has logged in this game, dropped texts included.
    logged_bytes: u64,
    call: Said,
    game: Said,
}

#[derive(Debug, Default)]
struct Said {
    reports: u32,
    /// All texts of reports and logs.
    bytes: u64,
    /// What is kept of logs.
    kept_bytes: u64,
}

impl Quota {
    /// Nothing has been said.
    pub fn new(log_game_bytes: u64) -> Self {
        Self { log_game_bytes, logged_bytes: 0, call: Said::default(), game: Said::default() }
    }

    /// Bytes logged in this game, dropped ones included.
    pub fn logged_bytes(&self) -> u64 {
        self.logged_bytes
    }

    /// A call begins.
    pub fn call_begins(&mut self) {
        self.call = Said::default();
    }

    /// A line of so many bytes is reported. Err: it is one too many.
    pub fn report(&mut self, bytes: usize) -> Result<(), Fault> {
        for (said, most, span) in [
            (&mut self.call, limits::REPORTS_PER_CALL, "call"),
            (&mut self.game, limits::REPORTS_PER_GAME, "game"),
        ] {
            said.reports += 1;
            if said.reports > most {
                return Err(flood(format!("reported more than {most} lines in one {span}")));
            }
        }
        self.hand_over(bytes)
    }

    /// A text of so many bytes is logged, which takes `clean_bytes` as it is
    /// kept. False: it is to be dropped. Err: it is far too much.
    pub fn log(&mut self, bytes: usize, clean_bytes: usize) -> Result<bool, Fault> {
        self.hand_over(bytes)?;
        self.logged_bytes += bytes.max(clean_bytes) as u64 + LOG_ENTRY_BYTES;
        let kept = clean_bytes as u64 + LOG_ENTRY_BYTES;
        let fits = self.call.kept_bytes + kept <= limits::LOG_CALL_BYTES as u64
            && self.game.kept_bytes + kept <= self.log_game_bytes;
        if fits {
            self.call.kept_bytes += kept;
            self.game.kept_bytes += kept;
        }
        Ok(fits)
    }

    fn hand_over(&mut self, bytes: usize) -> Result<(), Fault> {
        for (said, most, span) in [
            (&mut self.call, limits::SAID_CALL_BYTES, "call"),
            (&mut self.game, limits::SAID_GAME_BYTES, "game"),
        ] {
            said.bytes += bytes as u64;
            if said.bytes > most as u64 {
                let mib = most >> 20;
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
        let mut quota = Quota::new(0);
        for _ in 0..10 {
            quota.call_begins();
            (0..limits::REPORTS_PER_CALL).for_each(|_| quota.report(3).unwrap());
        }
        quota.call_begins();
        let fault = quota.report(3).unwrap_err();
        assert_eq!(fault.to_string(), "reported more than 1000000 lines in one game");
        let mut quota = Quota::new(0);
        (0..limits::REPORTS_PER_CALL).for_each(|_| quota.report(3).unwrap());
        let fault = quota.report(3).unwrap_err();
        assert_eq!(fault.to_string(), "reported more than 100000 lines in one call");
        assert_eq!(fault.code, FaultCode::Flood);
    }

    #[test]
    fn bytes_are_counted_by_call_and_by_game() {
        let mut quota = Quota::new(0);
        let most = limits::SAID_CALL_BYTES;
        for _ in 0..16 {
            quota.call_begins();
            quota.report(most - 1).unwrap();
            assert!(!quota.log(1, 1).unwrap());
        }
        quota.call_begins();
        let fault = quota.log(1, 1).unwrap_err();
        assert_eq!(fault.to_string(), "reported and logged more than 1024 MiB in one game");
        let mut quota = Quota::new(0);
        quota.report(most).unwrap();
        let fault = quota.report(1).unwrap_err();
        assert_eq!(fault.to_string(), "reported and logged more than 64 MiB in one call");
    }

    #[test]
    fn logs_beyond_a_quota_are_dropped_and_counted() {
        let quarter = limits::LOG_CALL_BYTES as u64 / 4;
        let text = (quarter - LOG_ENTRY_BYTES) as usize;
        let mut quota = Quota::new(6 * quarter);
        let mut call = |texts: usize| {
            quota.call_begins();
            let kept = (0..texts).filter(|_| quota.log(1, text).unwrap()).count();
            (kept, quota.logged_bytes() / quarter)
        };
        assert_eq!(call(100), (4, 100), "of the first call");
        assert_eq!(call(1), (1, 101), "the flood of one call does not silence the next");
        assert_eq!(call(5), (1, 106), "the game's quota is used up");
        // Of a long text only the beginning is kept, but all of it counts.
        let mut quota = Quota::new(1000);
        assert!(quota.log(1_000_000, 936).unwrap());
        assert!(!quota.log(0, 0).unwrap());
        assert_eq!(quota.logged_bytes(), 1_000_128);
    }
}
