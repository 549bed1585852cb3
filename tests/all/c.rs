//! Engines in C: one file becomes a native library and a component, and both behave the same. Every
//! field crosses the ABI in both directions, every contract violation is reported, and sanitizers
//! check the memory rules (`c/memory.rs`).

mod faults;
mod memory;
mod minimal;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use sandboard_abi::{
    Abilities, Barred, Bound, Choice, Decision, Description, GameSpec, Kind, Level, Limits, Line,
    OptionSpec, Score, Setup, Unit,
};
use sandboard_builder::c::{self, Clang};
use sandboard_builder::rust::NativeProfile;
use sandboard_engine::{Assets, Caps, Engine, EngineSource, Listener, Resources};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, root, runtime};

use crate::engines::{check_answers, lenient_limits};

/// The engine of `tests/c/faulty`.
struct Faulty {
    wasm: WasmModule,
    native: NativeModule,
}

fn faulty() -> &'static Faulty {
    static FAULTY: OnceLock<Faulty> = OnceLock::new();
    FAULTY.get_or_init(|| {
        // A loaded library does not need its file, so the scratch folder may be deleted.
        let scratch = tempfile::tempdir().unwrap();
        let folder = root().join("tests/c/faulty");
        let library = c::build_library(&folder, scratch.path(), NativeProfile::Release).unwrap();
        let wasm = c::build_component(&folder, &Clang::find().unwrap(), scratch.path()).unwrap();
        let caps = Caps::default();
        Faulty {
            wasm: WasmModule::load(runtime(), &wasm, Metering::Deadline, caps, resources())
                .unwrap(),
            native: NativeModule::load(&library, CallMode::Inline, caps, resources()).unwrap(),
        }
    })
}

fn resources() -> Resources {
    let large = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    let assets =
        Assets::from([("book".to_owned(), b"abcdef".to_vec()), ("large".to_owned(), large)]);
    Resources { assets, ..Resources::default() }
}

fn both() -> [(&'static str, &'static dyn EngineSource); 2] {
    [("wasm", &faulty().wasm), ("native", &faulty().native)]
}

/// A listener that keeps all reports and logs in Rust's Debug format.
#[derive(Default)]
struct OutputLog(Mutex<Vec<String>>);

impl OutputLog {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Listener for OutputLog {
    fn report(&self, line: &Line) {
        self.0.lock().unwrap().push(format!("{line:?}"));
    }

    fn log(&self, level: Level, text: &str) {
        let level = if level == Level::Info { String::new() } else { format!("{level:?}: ") };
        self.0.lock().unwrap().push(format!("{level}{text}"));
    }
}

fn engine_of(source: &dyn EngineSource) -> (Box<dyn Engine>, Arc<OutputLog>) {
    let output = Arc::new(OutputLog::default());
    (source.open(output.clone(), 1).unwrap(), output)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn every_field_of_a_description_is_transferred() {
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
        id: "c-faulty".into(),
        name: "C Faulty".into(),
        author: "Sandboard".into(),
        version: "1.2".into(),
        games: vec![game("gomoku", &["freestyle", "standard-15"]), game("chess", &[])],
        options: vec![
            option("deep", "about deep", Kind::Toggle, "true", true),
            option("at", "about at", Kind::Whole(i64::MIN, 1000), "-1", false),
            option("weight", "", Kind::Real(-0.5, 1.5), "0.25", true),
            option(
                "fault",
                "what it does",
                Kind::Pick(words(&["none", "query-host", "other"])),
                "none",
                false,
            ),
            option("note", "grüß", Kind::Text(40), "", false),
        ],
        abilities: Abilities { ponders: true, helpers: false, proves: true },
    };
    assert_eq!(faulty().wasm.describe().unwrap(), expected);
    assert_eq!(faulty().native.describe().unwrap(), expected);
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
fn every_input_field_is_transferred() {
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
        let (mut engine, output) = engine_of(source);
        let setup = full_setup();
        engine.start(&setup).unwrap();
        assert_eq!(output.take(), [format!("{setup:?}")], "{kind}");
        engine.played("h10").unwrap();
        engine.taken_back(2).unwrap();
        engine.think().unwrap();
        assert_eq!(output.take(), ["played \"h10\"", "taken back 2", "thinks"], "{kind}");
        for (limits, barred) in [(&full, &barred[..]), (&none, &[])] {
            engine.choose(limits, barred).unwrap();
            let expected = [format!("{limits:?}"), format!("{barred:?}")];
            assert_eq!(output.take()[..2], expected, "{kind}");
        }
    }
}

#[test]
fn every_output_field_is_transferred() {
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
        let (mut engine, output) = engine_of(source);
        engine.start(&gomoku(&[("fault", "echo")])).unwrap();
        assert_eq!(engine.choose(&lenient_limits(), &[]).unwrap().choice, chosen, "{kind}");
        assert_eq!(output.take()[3..], reports, "{kind}");
        for (word, decision) in
            [("resign", Decision::Resign), ("accept-draw", Decision::AcceptDraw)]
        {
            let (mut engine, _) = engine_of(source);
            engine.start(&gomoku(&[("fault", word)])).unwrap();
            let expected = Choice { decision, offers_draw: false, line: None };
            assert_eq!(engine.choose(&lenient_limits(), &[]).unwrap().choice, expected, "{kind}");
        }
    }
}

#[test]
fn the_host_answers_c_and_rust_alike() {
    for (kind, source) in both() {
        check_answers(kind, source);
    }
}

/// The logs and reports of an engine under this value of its option `fault`.
fn output_of(source: &dyn EngineSource, word: &str) -> Vec<String> {
    let (mut engine, output) = engine_of(source);
    engine.start(&gomoku(&[("fault", word)])).unwrap();
    engine.choose(&lenient_limits(), &[]).unwrap();
    output.take()
}

#[test]
fn the_shim_s_c_library_matches_the_system_s() {
    let [(_, wasm), (_, native)] = both();
    assert_eq!(output_of(wasm, "heap"), ["spoilt 0", "aligned 1"]);
    assert_eq!(output_of(native, "heap"), output_of(wasm, "heap"));
    let strings = output_of(wasm, "strings");
    assert_eq!(strings, output_of(native, "strings"));
    assert_eq!(strings[0], "\"defghijklmnopqrpqrstuvwxyz\"");
    assert_eq!(strings.len(), 11);
}

#[test]
fn truncated_and_invalid_texts_are_transferred_alike() {
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
    assert_eq!(output_of(wasm, "pieces"), pieces);
    assert_eq!(output_of(native, "pieces"), pieces);

    let text = "caf\u{fffd} 🙂 \u{fffd} \u{fffd}\u{fffd}\u{fffd} é!";
    let line = Line { rank: u16::MAX, moves: text.into(), ..Line::default() };
    let broken = [format!("Debug: {text}"), "Warning: ".into(), format!("{line:?}")];
    assert_eq!(output_of(wasm, "no-utf8"), broken);
    assert_eq!(output_of(native, "no-utf8"), broken);

    let long = output_of(wasm, "long-log");
    assert_eq!(long, output_of(native, "long-log"));
    assert!(long[0].len() < 5000 && long[0].ends_with('…'), "{long:?}");
}

#[test]
fn compiler_errors_and_folders_without_c_are_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("out");
    let error =
        c::build_library(scratch.path(), &out, NativeProfile::Release).unwrap_err().to_string();
    assert!(error.contains("has no C file"), "{error}");
    std::fs::write(scratch.path().join("engine.c"), "int f(void) { return nothing; }\n").unwrap();
    let error =
        c::build_library(scratch.path(), &out, NativeProfile::Release).unwrap_err().to_string();
    assert!(error.contains("failed to build") && error.contains("(exit status: 1)"), "{error}");
    c::build_component(scratch.path(), &Clang::find().unwrap(), &out).unwrap_err();
}

/// A folder of `tests/c`.
fn folder(name: &str) -> PathBuf {
    root().join(Path::new("tests/c").join(name))
}
