//! What an engine may ask of its host, as one handle that is the same in a
//! native library, in a wasm component and in a test. Plays no move itself.

use std::sync::Arc;

use sandboard_abi::{CellOp, Level, Line, Setup, View};

/// The host's side of the border; every method but one has a default, so that a
/// test needs little more than a clock.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use sandboard_sdk::{Host, HostCalls};
///
/// /// A clock that ticks whenever somebody looks.
/// struct Ticking(AtomicU64);
///
/// impl HostCalls for Ticking {
///     fn left(&self) -> u64 {
///         self.0.fetch_sub(1, Ordering::Relaxed)
///     }
/// }
///
/// let host = Host::new(Ticking(AtomicU64::new(3)));
/// assert_eq!([host.left(), host.left()], [3, 2]);
/// assert!(host.legal("").is_err(), "only a real host knows the rules");
/// ```
pub trait HostCalls: Send + Sync {
    /// Hands over a line found so far.
    fn report(&self, _line: &Line) {}
    /// Writes to the engine's log.
    fn log(&self, _level: Level, _text: &str) {}
    /// Units left of this call; 0: return now; `u64::MAX`: not limited.
    fn left(&self) -> u64;
    /// Legal moves after a line of moves from the current position.
    fn legal(&self, _moves: &str) -> Result<String, String> {
        Err("this host has no rules".into())
    }
    /// The position after a line of moves from the current one.
    fn look(&self, _moves: &str) -> Result<View, String> {
        Err("this host has no rules".into())
    }
    /// Bytes of an asset of the pack from `offset`, fewer than `length` only at its end.
    fn asset(&self, name: &str, _offset: u64, _length: u32) -> Result<Vec<u8>, String> {
        Err(format!("the pack has no asset `{name}`"))
    }
    /// The value stored under `key` in the helpers' table; 0: nothing.
    fn probe(&self, _key: u64) -> u64 {
        0
    }
    /// Stores a value in the helpers' table.
    fn store(&self, _key: u64, _value: u64) {}
    /// Works on one of the 64 cells that the helpers share; the old value.
    fn cell(&self, _index: u8, _op: CellOp, _value: i64) -> i64 {
        0
    }
}

/// Who searches for one player at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team {
    /// Threads that this instance may use, at least 1.
    pub threads: u16,
    /// Which of the instances this is: 0 chooses, others help it.
    pub helper: u16,
    /// How many help, each an instance of its own.
    pub helpers: u16,
    /// Whether they share the table behind `probe` and `store`.
    pub shares_table: bool,
}

impl Team {
    /// One thread of one instance.
    pub const ALONE: Team = Team { threads: 1, helper: 0, helpers: 0, shares_table: false };

    /// The team of a game, as its setup has it.
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

/// The handle on the host; cloned freely, also into an engine's threads.
#[derive(Clone)]
pub struct Host {
    calls: Arc<dyn HostCalls>,
    team: Team,
    /// Whoever asks has been seen to look at the clock.
    watched: bool,
}

impl Host {
    /// A handle on these calls.
    pub fn new(calls: impl HostCalls + 'static) -> Self {
        Self { calls: Arc::new(calls), team: Team::ALONE, watched: false }
    }

    /// The same handle for a member of a team, which a [`Search`](crate::Search) then searches with.
    pub fn in_team(self, team: Team) -> Self {
        Self { team, ..self }
    }

    /// The team in which whoever asks is.
    pub fn team(&self) -> Team {
        self.team
    }

    /// The same handle for an engine that has been seen to look at the clock, or has not.
    pub(crate) fn watched(self, watched: bool) -> Self {
        Self { watched, ..self }
    }

    /// Whether whoever asks has been seen to look at the clock.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// A host without a clock, rules or ears, for tests and tools.
    pub fn none() -> Self {
        struct Nobody;
        impl HostCalls for Nobody {
            fn left(&self) -> u64 {
                u64::MAX
            }
        }
        Self::new(Nobody)
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
