//! What holds whatever bytes come in: one function for each of the project's mouths,
//! which panics where something does not hold. libFuzzer calls them (`tests/fuzz`),
//! proptest does (`tests/all/any_bytes`), and a test with every file of
//! `tests/fixtures/fuzz`. They read no file and depend on no clock.

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
pub use message::{from_worker, messages, to_worker};
pub use moves::moves;
pub use record::record;
pub use session::session;

/// What holds, whatever bytes come in.
pub type Body = fn(&[u8]);

/// Every function by the name of its target and of its folder of fixtures.
pub const TARGETS: &[(&str, Body)] = &[
    ("manifest", manifest),
    ("record", record),
    ("moves", moves),
    ("formats", formats),
    ("session", session),
    ("from-worker", from_worker),
    ("to-worker", to_worker),
    ("messages", messages),
    ("component", component),
];

/// What people are shown holds nothing that moves a cursor or that cannot be seen, and
/// is no longer than people read.
#[track_caller]
fn can_be_shown(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(text.len() < 4096, "{} bytes: {text:?}", text.len());
}
