//! The interface of engines: its functions, and its values, which are those of `sandboard-abi`.

use sandboard_abi::{
    ABI, Abilities, Barred, Bound, CellOp, Choice, Decision, Description, Ending, GameSpec, Kind,
    Level, Limits, Line, OptionSpec, Score, Setup, Unit, View, WIT_PACKAGE,
};

use crate::canonical::{
    FlatValues, Guest, Layout, Lift, Lower, Memory, Reader, Value, ValueError, enumeration, flags,
    payload_offset, record, variant,
};
use crate::core_modules::Interface;
use crate::types::{Function, Type};

/// The interface of engines.
pub static ENGINE: Interface = Interface {
    package: WIT_PACKAGE,
    number: ABI,
    export: "engine",
    exported: &[
        Function { name: "describe", params: &[], result: Description::TYPE },
        Function { name: "start", params: &[("setup", Setup::TYPE)], result: DONE },
        Function { name: "played", params: &[("move", &Type::String)], result: DONE },
        Function { name: "taken-back", params: &[("plies", &Type::U32)], result: DONE },
        Function {
            name: "choose",
            params: &[("limits", Limits::TYPE), ("barred", <Vec<Barred>>::TYPE)],
            result: <Result<Choice, String>>::TYPE,
        },
        Function { name: "think", params: &[], result: DONE },
    ],
    imported: &[
        Function { name: "report", params: &[("line", Line::TYPE)], result: &Type::Unit },
        Function {
            name: "log",
            params: &[("level", Level::TYPE), ("text", &Type::String)],
            result: &Type::Unit,
        },
        Function { name: "left", params: &[], result: &Type::U64 },
        Function {
            name: "legal",
            params: &[("moves", &Type::String)],
            result: <Result<String, String>>::TYPE,
        },
        Function {
            name: "look",
            params: &[("moves", &Type::String)],
            result: <Result<View, String>>::TYPE,
        },
        Function {
            name: "asset",
            params: &[("name", &Type::String), ("offset", &Type::U64), ("length", &Type::U32)],
            result: <Result<Vec<u8>, String>>::TYPE,
        },
        Function { name: "probe", params: &[("key", &Type::U64)], result: &Type::U64 },
        Function {
            name: "store",
            params: &[("key", &Type::U64), ("value", &Type::U64)],
            result: &Type::Unit,
        },
        Function {
            name: "cell",
            params: &[("index", &Type::U8), ("op", CellOp::TYPE), ("value", &Type::S64)],
            result: &Type::S64,
        },
    ],
};

/// The type of `result<_, string>`.
const DONE: &Type = <Result<(), String>>::TYPE;

enumeration!(Unit { 0 "unlimited" Unlimited, 1 "wall" Wall, 2 "cpu" Cpu, 3 "fuel" Fuel });
enumeration!(Bound {
    0 "estimate" Estimate, 1 "at-least" AtLeast, 2 "at-most" AtMost, 3 "exact" Exact,
});
enumeration!(Level { 0 "fatal" Fatal, 1 "warning" Warning, 2 "info" Info, 3 "debug" Debug });
enumeration!(CellOp { 0 "get" Get, 1 "put" Put, 2 "add" Add, 3 "max" Max });

flags!(Abilities { 0 ponders, 1 helpers, 2 proves });

variant!(Kind {
    0 "toggle": () = () => [Kind::Toggle],
    1 "whole": (i64, i64) = (min, max) => [Kind::Whole(min, max)],
    2 "real": (f64, f64) = (min, max) => [Kind::Real(min, max)],
    3 "pick": Vec<String> = words => [Kind::Pick(words)],
    4 "text": u32 = bytes => [Kind::Text(bytes)],
});
variant!(Decision {
    0 "play": String = text => [Decision::Play(text)],
    1 "resign": () = () => [Decision::Resign],
    2 "accept-draw": () = () => [Decision::AcceptDraw],
});

record!(OptionSpec { name: String, about: String, kind: Kind, initial: String, tunable: bool });
record!(GameSpec { game: String, variants: Vec<String> });
record!(Description {
    id: String,
    name: String,
    author: String,
    version: String,
    games: Vec<GameSpec>,
    options: Vec<OptionSpec>,
    abilities: Abilities,
});
record!(Setup {
    game: String,
    variant: String,
    start: String,
    moves: String,
    seats: Vec<u8>,
    seed: u64,
    options: Vec<(String, String)>,
    memory_bytes: u64,
    threads: u16,
    helper: u16,
    helpers: u16,
    table_slots: u64,
});
record!(Limits {
    unit: Unit,
    call_max: Option<u64>,
    game_left: Option<u64>,
    increment: u64,
    moves_to_go: Option<u32>,
    grace: u64,
    depth: Option<u32>,
    nodes: Option<u64>,
    lines: u16,
    others_left: Vec<(u8, u64)>,
    draw_offered: bool,
});
record!(Barred { r#move: String, reason: String });
record!(Score { value: i32, bound: Bound });
record!(Line {
    rank: u16,
    score: Option<Score>,
    depth: u32,
    nodes: u64,
    spent: u64,
    moves: String,
});
record!(Choice { decision: Decision, offers_draw: bool, line: Option<Line> });
record!(Ending { scores: Vec<i32>, reason: String });
record!(View { position: String, to_move: u8, ending: Option<Ending> });
