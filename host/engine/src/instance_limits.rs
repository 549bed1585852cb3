//! The limits of an instance that can decide a game, as setups and records store them.

use serde::{Deserialize, Serialize};

use super::Caps;

/// The limits of an instance of an engine that can decide a game: two instances with different
/// limits may answer differently to the same calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceLimits {
    /// The size of all its memories and tables together, in bytes; 0: unlimited.
    pub memory_bytes: u64,
    /// The time for instantiation and `start`, in milliseconds; 0: unknown.
    pub start_ms: u64,
    /// The size of the log of one game, in bytes.
    pub log_bytes: u64,
    /// The stack of a call of a WebAssembly engine, in bytes; 0: the host does not set it.
    pub stack_bytes: u64,
}

impl InstanceLimits {
    /// The limits of an instance with these caps, and with this stack (0: the host does not set
    /// it).
    pub fn new(caps: &Caps, stack_bytes: u64) -> Self {
        Self {
            memory_bytes: caps.memory_bytes,
            start_ms: caps.start_us / 1000,
            log_bytes: caps.log_bytes,
            stack_bytes,
        }
    }

    /// The caps of an instance with these limits. Unknown limits, and the caps that are no part of
    /// them, have their defaults.
    pub fn caps(&self) -> Caps {
        let default = Caps::default();
        Caps {
            memory_bytes: match self.memory_bytes {
                0 => default.memory_bytes,
                bytes => bytes,
            },
            start_us: match self.start_ms {
                0 => default.start_us,
                ms => ms.saturating_mul(1000),
            },
            log_bytes: self.log_bytes.min(default.log_bytes),
            ..default
        }
    }

    /// Names and values of the limits, in a fixed order, for comparisons.
    pub fn named(&self) -> [(&'static str, u64); 4] {
        let Self { memory_bytes, start_ms, log_bytes, stack_bytes } = *self;
        [
            ("memory limit in bytes", memory_bytes),
            ("start limit in ms", start_ms),
            ("log limit in bytes", log_bytes),
            ("stack limit in bytes", stack_bytes),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_caps_agree() {
        let check = |limits: InstanceLimits, expected: Caps| {
            assert_eq!(limits.caps(), expected);
            assert_eq!(InstanceLimits::new(&limits.caps(), limits.stack_bytes).caps(), expected);
        };
        let default = Caps::default();
        check(InstanceLimits::default(), Caps { log_bytes: 0, ..default });
        check(InstanceLimits::new(&default, 7), default);
        let own = Caps { memory_bytes: 1, start_us: 2000, log_bytes: 3, ..default };
        check(InstanceLimits::new(&own, 0), own);
        // A record cannot request more log than any engine has.
        let much = InstanceLimits { log_bytes: u64::MAX, ..InstanceLimits::new(&default, 0) };
        check(much, default);
    }
}
