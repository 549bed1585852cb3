//! The acts: one call of the system each, or a few. Those that the jail forbids stand
//! beside near ones that it must allow.

use std::io;

use crate::jail::Cell;

/// Something that can be tried.
pub struct Act {
    /// Its name, on the probe's channel.
    pub name: &'static str,
    /// Whether the jail allows it.
    pub twin: Twin,
    pub(super) run: fn(&Cell, &str) -> io::Result<String>,
}

/// Which side of the border an act is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// Refused, to every role.
    Forbidden,
    /// Allowed, to every role.
    Allowed,
}

/// What the system says of a call.
fn came(result: libc::c_long) -> io::Result<String> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value.to_string()),
    }
}

/// All of them.
pub const ACTS: &[Act] = &[Act {
    name: "socket",
    twin: Twin::Forbidden,
    // SAFETY: makes a descriptor, which ends with the process.
    run: |_, _| came(unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0) }.into()),
}];
