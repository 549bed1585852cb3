//! The limits of an instance that can decide a game, as setups and records store them.

use std::fmt;

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
    /// The stack of a call of a WebAssembly engine whose fuel its modules do not count, in bytes;
    /// 0: the host does not set it.
    pub stack_bytes: u64,
    /// The stack of a call of a WebAssembly engine whose fuel its modules count, in slots; 0: it
    /// is not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stack_slots: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The limit of the stack of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackLimit {
    /// The host does not set it.
    Unknown,
    /// The size of the machine's stack, in bytes.
    Bytes(u64),
    /// The number of slots that the code of the engine counts.
    Slots(u64),
}

impl fmt::Display for StackLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("unknown"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
            Self::Slots(slots) => write!(f, "{slots} slots"),
        }
    }
}

impl InstanceLimits {
    /// The limits of an instance with these caps, and with this stack.
    pub fn new(caps: &Caps, stack: StackLimit) -> Self {
        let (stack_bytes, stack_slots) = match stack {
            StackLimit::Unknown => (0, 0),
            StackLimit::Bytes(bytes) => (bytes, 0),
            StackLimit::Slots(slots) => (0, slots),
        };
        Self {
            memory_bytes: caps.memory_bytes,
            start_ms: caps.start_us / 1000,
            log_bytes: caps.log_bytes,
            stack_bytes,
            stack_slots,
        }
    }

    /// The limit of the stack of a call.
    pub fn stack(&self) -> StackLimit {
        match (self.stack_bytes, self.stack_slots) {
            (0, 0) => StackLimit::Unknown,
            (bytes, 0) => StackLimit::Bytes(bytes),
            (_, slots) => StackLimit::Slots(slots),
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
    pub fn named(&self) -> [(&'static str, u64); 5] {
        let Self { memory_bytes, start_ms, log_bytes, stack_bytes, stack_slots } = *self;
        [
            ("memory limit in bytes", memory_bytes),
            ("start limit in ms", start_ms),
            ("log limit in bytes", log_bytes),
            ("stack limit in bytes", stack_bytes),
            ("stack limit in slots", stack_slots),
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
            assert_eq!(InstanceLimits::new(&limits.caps(), limits.stack()).caps(), expected);
        };
        let default = Caps::default();
        check(InstanceLimits::default(), Caps { log_bytes: 0, ..default });
        check(InstanceLimits::new(&default, StackLimit::Bytes(7)), default);
        check(InstanceLimits::new(&default, StackLimit::Slots(7)), default);
        let own = Caps { memory_bytes: 1, start_us: 2000, log_bytes: 3, ..default };
        check(InstanceLimits::new(&own, StackLimit::Unknown), own);
        // A record cannot request more log than any engine has.
        let much = InstanceLimits {
            log_bytes: u64::MAX,
            ..InstanceLimits::new(&default, StackLimit::Unknown)
        };
        check(much, default);
    }
}
