//! Checks that must hold for arbitrary input bytes: one function per parser of untrusted input,
//! which panics if a property fails. Called by libFuzzer (`tests/fuzz`), by proptest
//! (`tests/all/any_bytes.rs`) and with every file of `tests/fixtures/fuzz`. The checks read no file
//! and no clock.

mod component;
mod formats;
mod manifest;
mod message;
mod moves;
mod record;
pub mod sections;
mod session;
mod source;

pub use component::component;
pub use formats::formats;
pub use manifest::manifest;
pub use message::{from_engine_process, messages, to_engine_process};
pub use moves::moves;
pub use record::record;
pub use session::session;

/// A check: panics if the property fails for these bytes.
pub type Check = fn(&[u8]);

/// Every check by the name of its fuzz target, which is also its fixture folder.
pub const TARGETS: &[(&str, Check)] = &[
    ("manifest", manifest),
    ("record", record),
    ("moves", moves),
    ("formats", formats),
    ("session", session),
    ("from-engine-process", from_engine_process),
    ("to-engine-process", to_engine_process),
    ("messages", messages),
    ("component", component),
];

/// A text for people must have no control characters except line feeds, and fewer than 4096 bytes.
#[track_caller]
fn check_displayable(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.len() < 4096, "{} bytes: {text:?}", text.len());
}
