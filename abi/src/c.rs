//! The C header as `#[repr(C)]` types, with the same fields and names (without the prefix `sb_`).
//! Plain declarations; a caller that follows the pointers is responsible for their validity.
//! `wit/since-v1/engine.wit` documents every field, `include/sandboard_engine_v1.h` ownership and
//! threads.
#![allow(missing_docs)]

use core::ffi::c_void;

/// An absent optional number.
pub const NONE: u64 = u64::MAX;
/// The value of `Line::bound` in a line without a score.
pub const UNSCORED: u32 = 4;

/// The call succeeded.
pub const OK: i32 = 0;
/// The call failed with an error of the engine.
pub const ERROR: i32 = -1;
/// The call failed with a caught crash: a panic or an exception.
pub const CRASHED: i32 = -2;

/// UTF-8, not terminated by NUL; `ptr` may be null if `len` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub ptr: *const u8,
    pub len: u32,
}

impl Text {
    /// The empty text.
    pub const EMPTY: Text = Text { ptr: core::ptr::null(), len: 0 };

    /// Borrows `text`. The caller must keep it alive during the call it is passed to.
    pub fn borrow(text: &str) -> Text {
        Text { ptr: text.as_ptr(), len: text.len().try_into().unwrap_or(u32::MAX) }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    pub name: Text,
    pub about: Text,
    pub initial: Text,
    pub kind: u32,
    pub tunable: u32,
    pub whole_min: i64,
    pub whole_max: i64,
    pub real_min: f64,
    pub real_max: f64,
    pub picks: *const Text,
    pub n_picks: u32,
    pub text_max: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Game {
    pub game: Text,
    pub variants: *const Text,
    pub n_variants: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub size: u32,
    pub abilities: u32,
    pub id: Text,
    pub name: Text,
    pub author: Text,
    pub version: Text,
    pub games: *const Game,
    pub n_games: u32,
    pub options: *const OptionSpec,
    pub n_options: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub name: Text,
    pub value: Text,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub size: u32,
    pub n_seats: u32,
    pub seats: *const u8,
    pub game: Text,
    pub variant: Text,
    pub start: Text,
    pub moves: Text,
    pub seed: u64,
    pub options: *const Setting,
    pub n_options: u32,
    pub threads: u16,
    pub helper: u16,
    pub helpers: u16,
    pub reserved: u16,
    pub memory_bytes: u64,
    pub table_slots: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SeatLeft {
    pub seat: u32,
    pub reserved: u32,
    pub left: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub size: u32,
    pub unit: u32,
    pub call_max: u64,
    pub game_left: u64,
    pub increment: u64,
    pub grace: u64,
    pub moves_to_go: u64,
    pub depth: u64,
    pub nodes: u64,
    pub others: *const SeatLeft,
    pub n_others: u32,
    pub draw_offered: u32,
    pub lines: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Barred {
    pub r#move: Text,
    pub reason: Text,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub size: u32,
    pub rank: u32,
    pub score: i32,
    pub bound: u32,
    pub depth: u32,
    pub reserved: u32,
    pub nodes: u64,
    pub spent: u64,
    pub moves: Text,
}

impl Line {
    /// A line without data.
    pub const EMPTY: Line = Line {
        size: size_of::<Line>() as u32,
        rank: 1,
        score: 0,
        bound: UNSCORED,
        depth: 0,
        reserved: 0,
        nodes: 0,
        spent: 0,
        moves: Text::EMPTY,
    };
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub size: u32,
    pub decision: u32,
    pub r#move: Text,
    pub offers_draw: u32,
    pub reserved: u32,
    pub line: *const Line,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub size: u32,
    pub to_move: u32,
    pub over: u32,
    pub n_scores: u32,
    pub scores: [i32; crate::limits::SEATS],
}

/// The host's functions, called by the engine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostV1 {
    pub size: u32,
    pub ctx: *mut c_void,
    pub report: unsafe extern "C" fn(*mut c_void, *const Line),
    pub log: unsafe extern "C" fn(*mut c_void, u32, Text),
    pub left: unsafe extern "C" fn(*mut c_void) -> u64,
    pub legal: unsafe extern "C" fn(*mut c_void, Text, *mut u8, u32) -> i64,
    pub look: unsafe extern "C" fn(*mut c_void, Text, *mut View, *mut u8, u32) -> i64,
    pub asset: unsafe extern "C" fn(*mut c_void, Text, u64, *mut u8, u32) -> i64,
    pub probe: unsafe extern "C" fn(*mut c_void, u64) -> u64,
    pub store: unsafe extern "C" fn(*mut c_void, u64, u64),
    pub cell: unsafe extern "C" fn(*mut c_void, u32, u32, i64) -> i64,
}

/// The engine's functions, called by the host. They are optional here because a foreign engine may
/// omit one; the host then rejects it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EngineV1 {
    pub size: u32,
    pub abi: u32,
    pub describe: Option<unsafe extern "C" fn() -> *const Description>,
    pub start: Option<unsafe extern "C" fn(*const Setup, *const HostV1, *mut *mut c_void) -> i32>,
    pub played: Option<unsafe extern "C" fn(*mut c_void, Text) -> i32>,
    pub taken_back: Option<unsafe extern "C" fn(*mut c_void, u32) -> i32>,
    pub choose: Option<
        unsafe extern "C" fn(*mut c_void, *const Limits, *const Barred, u32, *mut Choice) -> i32,
    >,
    pub think: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    pub error: Option<unsafe extern "C" fn(*mut c_void) -> Text>,
    pub drop: Option<unsafe extern "C" fn(*mut c_void)>,
}
