//! Limits on what may cross the interface. A host checks each of them and turns an excess into a
//! fault or a truncated text. Staying below a limit does not guarantee success.

/// Maximum length of the id of an engine, game or variant, in bytes.
pub const ID_BYTES: usize = 64;
/// Maximum length of a name, author or version in a description, in bytes.
pub const LABEL_BYTES: usize = 256;
/// Maximum number of options of an engine.
pub const OPTIONS: usize = 256;
/// Maximum length of an option value, in bytes.
pub const OPTION_VALUE_BYTES: usize = 4096;
/// Maximum length of a move text, in bytes.
pub const MOVE_BYTES: usize = 64;
/// Maximum length of a line of moves, in bytes.
pub const LINE_BYTES: usize = 64 * 1024;
/// Maximum length of a log text, in bytes; longer ones are truncated.
pub const LOG_TEXT_BYTES: usize = 4096;
/// Maximum size of the logs of an instance in one call, in bytes; the rest is dropped and counted.
pub const LOG_CALL_BYTES: usize = 256 * 1024;
/// Maximum size of the logs of an instance in one game, in bytes; the rest is dropped and counted.
pub const LOG_GAME_BYTES: usize = 1024 * 1024;
/// Maximum length of a reason or error text, in bytes; longer ones are truncated.
pub const REASON_BYTES: usize = 1024;
/// Maximum number of reports in one call; more are a fault.
pub const REPORTS_PER_CALL: u32 = 100_000;
/// Maximum number of reports in one game; more are a fault.
pub const REPORTS_PER_GAME: u32 = 1_000_000;
/// Maximum size of reports and logs in one call, in bytes, including dropped ones; more is a fault.
pub const OUTPUT_CALL_BYTES: usize = 64 * 1024 * 1024;
/// Maximum size of reports and logs in one game, in bytes, including dropped ones; more is a fault.
pub const OUTPUT_GAME_BYTES: usize = 1024 * 1024 * 1024;
/// Maximum number of bytes that one `asset` call returns.
pub const ASSET_READ_BYTES: u32 = 1024 * 1024;
/// Maximum size of all texts that a sandboxed engine passes in one call, in bytes.
pub const TRANSFER_CALL_BYTES: usize = 1024 * 1024;
/// Maximum number of seats of a game.
pub const SEATS: usize = 16;
/// The value of `view.to_move` when chance is next.
pub const NO_SEAT: u8 = 255;
/// Number of atomic cells that helpers share.
pub const CELLS: usize = 64;
/// The score of a forced win is this minus the number of plies to it.
pub const WIN_SCORE: i32 = 30_000;
