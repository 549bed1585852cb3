//! The resources that one call used.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::TranscriptHash;

/// Resources used by one call; also part of a [`Fault`](crate::Fault).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Wall time where the engine runs, in microseconds.
    pub wall_us: u64,
    /// CPU time of the thread that made the call, in microseconds, if it was counted: always under
    /// a budget of CPU time, otherwise while choices take 100 µs or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_us: Option<u64>,
    /// Fuel in units, if it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// The instance's peak memory so far, in bytes, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
    /// Bytes logged in this game, including discarded ones.
    #[serde(default)]
    pub logged_bytes: u64,
    /// Hash of the instance's transcript up to the end of the call; kept under fuel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript_hash: Option<TranscriptHash>,
    /// Whether the call received a stop request: without one it might have continued.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
}

/// Writes a list: `20.2 ms, 1024 KiB of memory`.
impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |us: u64| us as f64 / 1000.0;
        write!(f, "{:.1} ms", ms(self.wall_us))?;
        if let Some(cpu_us) = self.cpu_us {
            write!(f, ", {:.1} ms of CPU time", ms(cpu_us))?;
        }
        if let Some(fuel) = self.fuel {
            write!(f, ", {fuel} units of fuel")?;
        }
        if let Some(bytes) = self.peak_memory_bytes {
            write!(f, ", {} KiB of memory", bytes / 1024)?;
        }
        match self.logged_bytes {
            0 => Ok(()),
            bytes => write!(f, ", {bytes} bytes of log"),
        }
    }
}
