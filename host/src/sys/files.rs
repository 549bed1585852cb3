//! How many files and sockets this process may have open at once.

/// Asks the system for as many as it gives; how many there may be now. None: it does not say, or
/// has no such limit.
#[cfg(unix)]
pub fn raise_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum.or(limit.current), ..limit };
    // A system that does not give more leaves it as it was.
    let _ = setrlimit(Resource::Nofile, raised);
    getrlimit(Resource::Nofile).current
}

/// As above: of other systems nothing is known.
#[cfg(not(unix))]
pub fn raise_open_files() -> Option<u64> {
    None
}
