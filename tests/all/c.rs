//! Engines in C: one file becomes a native library and a component, and both do
//! the same. Every field crosses the border both ways, every broken promise is
//! named, and the memory rules are proved by sanitizers (`c/memory.rs`).

mod faults;
mod memory;
mod minimal;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use sandboard_abi::{
    Abilities, Barred, Bound, Choice, Decision, Description, GameSpec, Kind, Level, Limits, Line,
    OptionSpec, Score, Setup, Unit,
};
use sandboard_forge::c::{self, Clang};
use sandboard_forge::rust::Native;
use sandboard_host::engine::native::{Calls, NativeModule};
use sandboard_host::engine::wasm::{Metering, WasmModule};
use sandboard_host::engine::{Assets, Caps, Engine, EngineSource, Listener};
use sandboard_tests::{gomoku, root, runtime};

use crate::engines::{check_answers, patient};

/// Both kinds of the engine in `tests/c/ask`.
struct Ask {
    wasm: WasmModule,
    native: NativeModule,
}

fn ask() -> &'static Ask {
    static ASK: OnceLock<Ask> = OnceLock::new();
    ASK.get_or_init(|| {
        // Once loaded, a library needs its file no more: the folder goes.
        let scratch = tempfile::tempdir().unwrap();
        let folder = root().join("tests/c/ask");
        let library = c::native(&folder, scratch.path(), Native::Release).unwrap();
        let wasm = c::wasm(&folder, &Clang::find().unwrap(), scratch.path()).unwrap();
        let caps = Caps::default();
        Ask {
            wasm: WasmModule::load(runtime(), &wasm, Metering::Deadline, caps, assets()).unwrap(),
            native: NativeModule::load(&library, Calls::Inline, caps, assets()).unwrap(),
        }
    })
}

fn assets() -> Assets {
    let large = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    Assets::from([("book".to_owned(), b"abcdef".to_vec()), ("large".to_owned(), large)])
}

fn both() -> [(&'static str, &'static dyn EngineSource); 2] {
    [("wasm", &ask().wasm), ("native", &ask().native)]
}

/// Keeps all that an engine says, as Rust writes it.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Listener for Notes {
    fn report(&self, line: &Line) {
        self.0.lock().unwrap().push(format!("{line:?}"));
    }

    fn log(&self, level: Level, text: &str) {
        let level = if level == Level::Info { String::new() } else { format!("{level:?}: ") };
        self.0.lock().unwrap().push(format!("{level}{text}"));
    }
}

fn engine_of(source: &dyn EngineSource) -> (Box<dyn Engine>, Arc<Notes>) {
    let notes = Arc::new(Notes::default());
    (source.open(notes.clone()).unwrap(), notes)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn a_description_crosses_with_every_field() {
    let option = |name: &str, about: &str, kind, initial: &str, tunable| OptionSpec {
        name: name.into(),
        about: about.into(),
        kind,
        initial: initial.into(),
        tunable,
    };
    let game =
        |game: &str, variants: &[&str]| GameSpec { game: game.into(), variants: words(variants) };
    let expected = Description {
        id: "ask".into(),
        name: "Ask".into(),
        author: "Nobody".into(),
        version: "1.2".into(),
        games: vec![game("gomoku", &["freestyle", "standard-15"]), game("chess", &[])],
        options: vec![
            option("deep", "about deep", Kind::Toggle, "true", true),
            option("at", "about at", Kind::Whole(i64::MIN, 1000), "-1", false),
            option("weight", "", Kind::Real(-0.5, 1.5), "0.25", true),
            option(
                "fault",
                "what it does",
                Kind::Pick(words(&["none", "ask", "other"])),
                "none",
                false,
            ),
            option("note", "grüß", Kind::Text(40), "", false),
        ],
        abilities: Abilities { ponders: true, helpers: false, proves: true },
    };
    assert_eq!(ask().wasm.describe().unwrap(), expected);
    assert_eq!(ask().native.describe().unwrap(), expected);
}

fn full_setup() -> Setup {
    Setup {
        variant: "freestyle-15".into(),
        start: "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b".into(),
        moves: "h8 h9".into(),
        seats: vec![1, 0],
        seed: u64::MAX - 1,
        memory_bytes: 1 << 40,
        threads: 3,
        helper: 4,
        helpers: 65535,
        table_slots: 1 << 33,
        ..gomoku(&[("fault", "echo"), ("note", "grüß \"\\"), ("deep", "false")])
    }
}

#[test]
fn what_comes_in_crosses_with_every_field() {
    let full = Limits {
        unit: Unit::Wall,
        call_max: Some(30_000_000),
        game_left: Some(u64::MAX - 1),
        increment: 5,
        moves_to_go: Some(u32::MAX),
        grace: 30_000_000,
        depth: Some(7),
        nodes: Some(1 << 50),
        lines: 300,
        others_left: vec![(1, 1 << 40), (7, 0)],
        draw_offered: true,
    };
    let barred = |mv: &str, reason: &str| Barred { r#move: mv.into(), reason: reason.into() };
    let barred = [barred("a1", "not now"), barred("", "")];
    let none = Limits { lines: 1, ..Limits::default() };
    for (kind, source) in both() {
        let (mut engine, notes) = engine_of(source);
        let setup = full_setup();
        engine.start(&setup).unwrap();
        assert_eq!(notes.taken(), [format!("{setup:?}")], "{kind}");
        engine.played("h10").unwrap();
        engine.taken_back(2).unwrap();
        engine.think().unwrap();
        assert_eq!(notes.taken(), ["played \"h10\"", "taken back 2", "thinks"], "{kind}");
        for (limits, barred) in [(&full, &barred[..]), (&none, &[])] {
            engine.choose(limits, barred).unwrap();
            let expected = [format!("{limits:?}"), format!("{barred:?}")];
            assert_eq!(notes.taken()[..2], expected, "{kind}");
        }
    }
}

#[test]
fn what_goes_out_crosses_with_every_field() {
    let line = |score| Line {
        rank: 2,
        score,
        depth: 4_000_000_000,
        nodes: 0x1234_5678_9abc_def0,
        spent: 0xfedc_ba98_7654_3210,
        moves: "h8 h9".into(),
    };
    let bounds = [Bound::Estimate, Bound::AtLeast, Bound::AtMost, Bound::Exact];
    let scores = bounds.into_iter().zip(-300..).map(|(bound, value)| Score { value, bound });
    let mut reports: Vec<String> = scores.map(|score| format!("{:?}", line(Some(score)))).collect();
    reports.push(format!("{:?}", line(None)));
    let chosen = Choice {
        decision: Decision::Play("h8".into()),
        offers_draw: true,
        line: Some(line(Some(Score { value: -77, bound: Bound::AtMost }))),
    };
    for (kind, source) in both() {
        let (mut engine, notes) = engine_of(source);
        engine.start(&gomoku(&[("fault", "echo")])).unwrap();
        assert_eq!(engine.choose(&patient(), &[]).unwrap().choice, chosen, "{kind}");
        assert_eq!(notes.taken()[3..], reports, "{kind}");
        for (word, decision) in
            [("resign", Decision::Resign), ("accept-draw", Decision::AcceptDraw)]
        {
            let (mut engine, _) = engine_of(source);
            engine.start(&gomoku(&[("fault", word)])).unwrap();
            let expected = Choice { decision, offers_draw: false, line: None };
            assert_eq!(engine.choose(&patient(), &[]).unwrap().choice, expected, "{kind}");
        }
    }
}

#[test]
fn the_host_answers_c_as_it_answers_rust() {
    for (kind, source) in both() {
        check_answers(kind, source);
    }
}

/// What an engine logs and reports with this option.
fn said(source: &dyn EngineSource, word: &str) -> Vec<String> {
    let (mut engine, notes) = engine_of(source);
    engine.start(&gomoku(&[("fault", word)])).unwrap();
    engine.choose(&patient(), &[]).unwrap();
    notes.taken()
}

#[test]
fn the_shim_s_c_library_does_what_the_system_s_does() {
    let [(_, wasm), (_, native)] = both();
    assert_eq!(said(wasm, "heap"), ["spoilt 0", "aligned 1"]);
    assert_eq!(said(native, "heap"), said(wasm, "heap"));
    let strings = said(wasm, "strings");
    assert_eq!(strings, said(native, "strings"));
    assert_eq!(strings[0], "\"defghijklmnopqrpqrstuvwxyz\"");
    assert_eq!(strings.len(), 11);
}

#[test]
fn what_does_not_fit_or_is_no_text_is_handed_over_alike() {
    let sum = (0..200_000_u32).skip(5).fold(0_u32, |sum, i| sum.wrapping_mul(31) + i % 251);
    let [(_, wasm), (_, native)] = both();
    let pieces = [
        // 225 moves of 2 or 3 letters, 224 spaces between them.
        format!("legal {}", 15 * (9 * 2 + 6 * 3) + 224),
        "\"a1 .\"".into(),
        format!("look {}", "15/".repeat(15).len() + 1),
        "untouched 123".into(),
        "asset 199995".into(),
        format!("sum {sum}"),
    ];
    assert_eq!(said(wasm, "pieces"), pieces);
    assert_eq!(said(native, "pieces"), pieces);

    let text = "caf\u{fffd} 🙂 \u{fffd} \u{fffd}\u{fffd}\u{fffd} é!";
    let line = Line { rank: u16::MAX, moves: text.into(), ..Line::default() };
    let broken = [format!("Debug: {text}"), "Warning: ".into(), format!("{line:?}")];
    assert_eq!(said(wasm, "no-utf8"), broken);
    assert_eq!(said(native, "no-utf8"), broken);

    let long = said(wasm, "long-log");
    assert_eq!(long, said(native, "long-log"));
    assert!(long[0].len() < 5000 && long[0].ends_with('…'), "{long:?}");
}

#[test]
fn a_compiler_s_refusal_is_an_error_and_a_folder_without_c_too() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("out");
    let error = c::native(scratch.path(), &out, Native::Release).unwrap_err().to_string();
    assert!(error.contains("holds no C file"), "{error}");
    std::fs::write(scratch.path().join("engine.c"), "int f(void) { return nothing; }\n").unwrap();
    let error = c::native(scratch.path(), &out, Native::Release).unwrap_err().to_string();
    assert!(error.contains("could not build") && error.contains("(exit status: 1)"), "{error}");
    c::wasm(scratch.path(), &Clang::find().unwrap(), &out).unwrap_err();
}

/// A folder of `tests/c`.
fn folder(name: &str) -> PathBuf {
    root().join(Path::new("tests/c").join(name))
}
