//! The limit on open files and sockets of this process.

/// Raises the limit as far as the system allows and returns the new limit; `None` if it is
/// unlimited or unknown.
#[cfg(unix)]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum.or(limit.current), ..limit };
    // If the system refuses, the old limit stays.
    let _ = setrlimit(Resource::Nofile, raised);
    getrlimit(Resource::Nofile).current
}

/// Always `None` on this system.
#[cfg(not(unix))]
pub fn raise_open_files() -> Option<u64> {
    None
}
