//! Raises the limit of open sockets of this process and its children.

/// Raises the limit as far as the system allows; prints a note if it stays below `wanted`.
#[cfg(unix)]
pub(crate) fn raise(wanted: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let most = now.maximum.unwrap_or(u64::MAX);
    let raised = Rlimit { current: Some(most.min(wanted.max(now.current.unwrap_or(0)))), ..now };
    let failed = setrlimit(Resource::Nofile, raised).err();
    let have = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if have < wanted {
        let why = failed.map(|error| format!(": {error}")).unwrap_or_default();
        println!("only {have} descriptors of {wanted} may be open here{why}; take fewer rooms");
    }
}

/// Other systems have no such limit to raise.
#[cfg(not(unix))]
pub fn raise(_wanted: u64) {}
