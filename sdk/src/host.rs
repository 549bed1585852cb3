//! The calls from an engine to its host, as one handle that is the same in a native library, in a
//! wasm component and in a test. Plays no move itself.

use std::sync::Arc;

use sandboard_abi::{CellOp, Level, Line, Setup, View};

/// The host's side of the ABI. Every method but one has a default, so that a test only has to
/// supply a clock.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use sandboard_sdk::{Host, HostCalls};
///
/// /// A clock that ticks at every look.
/// struct TickingClock(AtomicU64);
///
/// impl HostCalls for TickingClock {
///     fn left(&self) -> u64 {
///         self.0.fetch_sub(1, Ordering::Relaxed)
///     }
/// }
///
/// let host = Host::new(TickingClock(AtomicU64::new(3)));
/// assert_eq!([host.left(), host.left()], [3, 2]);
/// assert!(host.legal("").is_err(), "only a real host knows the rules");
/// ```
pub trait HostCalls: Send + Sync {
    /// Reports the best line so far.
    fn report(&self, _line: &Line) {}
    /// Writes to the engine's log.
    fn log(&self, _level: Level, _text: &str) {}
    /// Units left for this call, in the unit of its limits. 0: return now. `u64::MAX`: not limited.
    fn left(&self) -> u64;
    /// The legal moves after these moves from the game's position, separated by blanks.
    fn legal(&self, _moves: &str) -> Result<String, String> {
        Err("this host has no rules".into())
    }
    /// The position after these moves from the game's position.
    fn look(&self, _moves: &str) -> Result<View, String> {
        Err("this host has no rules".into())
    }
    /// `length` bytes of a pack's asset from `offset`, fewer only at its end.
    fn asset(&self, name: &str, _offset: u64, _length: u32) -> Result<Vec<u8>, String> {
        Err(format!("the pack has no asset `{name}`"))
    }
    /// The value stored under `key` in the table that instances of a team share; 0 if there is
    /// none.
    fn probe(&self, _key: u64) -> u64 {
        0
    }
    /// Stores a value in the table that instances of a team share.
    fn store(&self, _key: u64, _value: u64) {}
    /// Works atomically on one of the 64 cells that a team shares; returns the old value.
    fn cell(&self, _index: u8, _op: CellOp, _value: i64) -> i64 {
        0
    }
}

/// The threads and instances that search for one player at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// Threads that this instance may use, at least 1.
    pub threads: u16,
    /// The number of this instance: 0 chooses, the others help it.
    pub helper: u16,
    /// The number of helping instances.
    pub helpers: u16,
    /// Whether the instances share the table behind `probe` and `store`.
    pub shares_table: bool,
}

impl Team {
    /// One thread of one instance.
    pub const ALONE: Team = Team { threads: 1, helper: 0, helpers: 0, shares_table: false };

    /// The team that a game's setup describes.
    pub fn of(setup: &Setup) -> Self {
        let Setup { threads, helper, helpers, table_slots, .. } = *setup;
        Self { threads: threads.max(1), helper, helpers, shares_table: table_slots > 0 }
    }
}

impl Default for Team {
    fn default() -> Self {
        Self::ALONE
    }
}

/// A handle to the host. Clones are cheap and may go to an engine's threads.
#[derive(Clone)]
pub struct Host {
    calls: Arc<dyn HostCalls>,
    team: Team,
    /// Whether the engine has read the clock in an earlier choice.
    is_clock_reader: bool,
}

impl Host {
    /// A handle to these calls, for a team of one.
    pub fn new(calls: impl HostCalls + 'static) -> Self {
        Self { calls: Arc::new(calls), team: Team::ALONE, is_clock_reader: false }
    }

    /// The same handle for a member of a team. A [`Search`](crate::Search) then searches with the
    /// others.
    pub fn in_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// The team of the engine that holds this handle.
    pub fn team(&self) -> Team {
        self.team
    }

    /// The same handle, with a note whether the engine has read the clock before.
    pub(crate) fn with_clock_reader(self, is_clock_reader: bool) -> Self {
        Self { is_clock_reader, ..self }
    }

    /// Whether the engine has read the clock before, so that a stop reaches it.
    pub(crate) fn is_clock_reader(&self) -> bool {
        self.is_clock_reader
    }

    /// A host that limits nothing, knows no rules and ignores reports; for tests and tools.
    pub fn null() -> Self {
        struct NullHost;
        impl HostCalls for NullHost {
            fn left(&self) -> u64 {
                u64::MAX
            }
        }
        Self::new(NullHost)
    }
}

impl std::ops::Deref for Host {
    type Target = dyn HostCalls;

    fn deref(&self) -> &Self::Target {
        &*self.calls
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}
