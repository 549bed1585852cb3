//! What compiling may take, wherever it is done. Values only.

/// What compiling one component may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    /// CPU time of all threads, in seconds.
    pub cpu_s: u64,
    /// Wall time, in seconds: a guard, long enough for a busy machine.
    pub wall_s: u64,
    /// Memory, in bytes.
    pub memory_bytes: u64,
    /// Machine code, in bytes.
    pub code_bytes: u64,
}

impl CompileLimits {
    /// For engines that somebody chose to have: those of interpreted languages, too.
    pub const EVERYDAY: Self =
        Self { cpu_s: 300, wall_s: 900, memory_bytes: 4 << 30, code_bytes: 1 << 30 };
    /// For entries that nobody trusts.
    pub const CONTEST: Self =
        Self { cpu_s: 60, wall_s: 600, memory_bytes: 1 << 30, code_bytes: 256 << 20 };
}
