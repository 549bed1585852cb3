//! The limits of compiling, in a jailed process or not. Values only.

/// The limits of compiling one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    /// CPU time of all threads, in seconds.
    pub cpu_s: u64,
    /// Wall time, in seconds. It only guards against hanging, so it is long enough for a busy
    /// machine.
    pub wall_s: u64,
    /// Memory of the process, in bytes.
    pub memory_bytes: u64,
    /// Size of the machine code, in bytes.
    pub code_bytes: u64,
}

impl CompileLimits {
    /// For engines that the user installed, including those of interpreted languages.
    pub const EVERYDAY: Self =
        Self { cpu_s: 300, wall_s: 900, memory_bytes: 4 << 30, code_bytes: 1 << 30 };
    /// For untrusted entries of a contest.
    pub const CONTEST: Self =
        Self { cpu_s: 60, wall_s: 600, memory_bytes: 1 << 30, code_bytes: 256 << 20 };
}
