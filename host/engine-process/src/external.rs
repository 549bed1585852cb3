//! External engines: programs that speak UCI, UCCI, Gomocup, GTP, NBoard or the Sandboard protocol.
//! What runs is a sealed copy of the file that was hashed, and only in a jail. The host checks
//! everything that a program writes, and runs no program only to list it.

#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod connection;
#[cfg(target_os = "linux")]
mod external_engine;
#[cfg(all(target_os = "linux", any(test, feature = "test-support")))]
pub mod fixture;
#[cfg(target_os = "linux")]
mod gomocup;
#[cfg(target_os = "linux")]
mod gtp;
mod identity;
#[cfg(target_os = "linux")]
mod line_reader;
#[cfg(target_os = "linux")]
mod nboard;
#[cfg(target_os = "linux")]
mod offered_options;
#[cfg(target_os = "linux")]
mod sandboard;
#[cfg(target_os = "linux")]
mod source;
#[cfg(target_os = "linux")]
mod ucci;
#[cfg(target_os = "linux")]
mod uci;

#[cfg(all(test, target_os = "linux"))]
mod tests;

#[cfg(not(target_os = "linux"))]
mod unsupported;

pub use identity::{IdentifiedOption, ProgramIdentity};
#[cfg(target_os = "linux")]
pub use source::ExternalSource;
#[cfg(not(target_os = "linux"))]
pub use unsupported::ExternalSource;
