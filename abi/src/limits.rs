//! How much may cross the border at once. A host checks every one of these and
//! turns what exceeds it into a fault or a cut text; nothing here is a promise
//! that less will always do.

/// Longest id of an engine, game or variant, in bytes.
pub const ID_BYTES: usize = 64;
/// Longest name, author or version in a description, in bytes.
pub const LABEL_BYTES: usize = 256;
/// Most options of one engine.
pub const OPTIONS: usize = 256;
/// Longest value of an option, in bytes.
pub const OPTION_VALUE_BYTES: usize = 4096;
/// Longest text of one move, in bytes.
pub const MOVE_BYTES: usize = 64;
/// Longest line of moves, in bytes.
pub const LINE_BYTES: usize = 64 * 1024;
/// Longest single log text, in bytes; the rest of a longer one is cut.
pub const LOG_TEXT_BYTES: usize = 4096;
/// What one instance may log in one call, in bytes; the rest is dropped and counted.
pub const LOG_CALL_BYTES: usize = 256 * 1024;
/// What one instance may log in one game, in bytes; the rest is dropped and counted.
pub const LOG_GAME_BYTES: usize = 1024 * 1024;
/// Longest reason or error text, in bytes; the rest is cut.
pub const REASON_BYTES: usize = 1024;
/// Most reports in one call; one more is a fault.
pub const REPORTS_PER_CALL: u32 = 100_000;
/// Most reports in one game; one more is a fault.
pub const REPORTS_PER_GAME: u32 = 1_000_000;
/// Most bytes of reports and logs in one call, dropped ones included; one more is a fault.
pub const SAID_CALL_BYTES: usize = 64 * 1024 * 1024;
/// Most bytes of reports and logs in one game, dropped ones included; one more is a fault.
pub const SAID_GAME_BYTES: usize = 1024 * 1024 * 1024;
/// Most bytes one `asset` call brings.
pub const ASSET_READ_BYTES: u32 = 1024 * 1024;
/// Most bytes a sandboxed engine hands over in one call, all texts together.
pub const HANDED_OVER_BYTES: usize = 1024 * 1024;
/// Most seats of a game.
pub const SEATS: usize = 8;
/// Atomic cells that helpers share.
pub const CELLS: usize = 64;
/// The score of a forced win is this less the plies to it.
pub const WIN_SCORE: i32 = 30_000;
