//! The stub of WASI preview 1, which takes the place of a system for engines in Go and for modules
//! of other compilers: what it answers, and how it logs what a program prints.

use std::sync::{Arc, Mutex};

use sandboard_abi::{Decision, Level, Limits, Line, Unit};
use sandboard_builder::component::{self, CoreModuleOptions, WIT};
use sandboard_common::text::clean_text;
use sandboard_engine::{Caps, EngineSource, Fault, Listener, Resources};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, runtime};

/// The log of an instance: level and text of each entry.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Listener for Log {
    fn report(&self, _: &Line) {}

    fn log(&self, level: Level, text: &str) {
        self.0.lock().unwrap().push(format!("{level:?}: {text}"));
    }
}

/// The result of running an engine.
#[derive(Debug, PartialEq)]
struct Outcome {
    decision: Result<Decision, String>,
    log: Vec<String>,
    fuel: Option<u64>,
}

/// An engine that calls WASI in `choose` and in `_initialize`, traps on an unexpected answer, and
/// resigns. `data` is at [`DATA`].
#[derive(Default)]
struct Program<'a> {
    choose: &'a str,
    initialize: &'a str,
    data: &'a [u8],
    utf16: bool,
}

/// Where the data of a program begins.
const DATA: usize = 65536;

impl Program<'_> {
    fn module(&self) -> Vec<u8> {
        let Self { choose, initialize, data, .. } = self;
        let ok = "(param i32) (result i32) (i32.const 16)";
        let data: String = data.iter().map(|byte| format!("\\{byte:02x}")).collect();
        // The results at 16, 1024 and 2048 are: no error, a choice to resign, an empty description.
        let text = format!(
            r#"(module
            (import "wasi_snapshot_preview1" "args_sizes_get" (func $args (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
            (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_sync" (func $sync (param i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $stat (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
            (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
            (memory (export "memory") 8)
            (global $top (mut i32) (i32.const 262144))
            (data (i32.const 0) "a module that begins at address 0")
            (data (i32.const 16) "\00\00\00\00")
            (data (i32.const 240) "and has something here, too")
            (data (i32.const 1032) "\01")
            (data (i32.const {DATA}) "{data}")
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
              (global.set $top (i32.and (i32.add (global.get $top) (i32.const 15)) (i32.const -16)))
              (global.get $top)
              (global.set $top (i32.add (global.get $top) (local.get 3))))
            (func $is (param i64 i64) (if (i64.ne (local.get 0) (local.get 1)) (then (unreachable))))
            (func $ok (param i32) (call $is (i64.extend_i32_u (local.get 0)) (i64.const 0)))
            (func $print (param $fd i32) (param $at i32) (param $bytes i32)
              (i32.store (i32.const 4000) (local.get $at))
              (i32.store (i32.const 4004) (local.get $bytes))
              (call $ok (call $write (local.get $fd) (i32.const 4000) (i32.const 1) (i32.const 3000)))
              (call $is (i64.load32_u (i32.const 3000)) (i64.extend_i32_u (local.get $bytes))))
            (func (export "_initialize") {initialize})
            (func (export "sandboard:engine/engine@1.0.0#describe") (result i32) (i32.const 2048))
            (func (export "sandboard:engine/engine@1.0.0#start") {ok})
            (func (export "sandboard:engine/engine@1.0.0#played") (param i32 i32) (result i32) (i32.const 16))
            (func (export "sandboard:engine/engine@1.0.0#taken-back") {ok})
            (func (export "sandboard:engine/engine@1.0.0#think") (result i32) (i32.const 16))
            (func (export "sandboard:engine/engine@1.0.0#choose") (param i32) (result i32)
              (local $at i32)
              (memory.copy (i32.const 8192) (i32.const 0) (i32.const 512))
              {choose}
              ;; The stub has left the memory as it was.
              (loop $next
                (call $is (i64.load (local.get $at)) (i64.load offset=8192 (local.get $at)))
                (local.set $at (i32.add (local.get $at) (i32.const 8)))
                (br_if $next (i32.lt_u (local.get $at) (i32.const 512))))
              (i32.const 1024)))"#
        );
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Runs the program as a component and, if its texts are UTF-8, as a core module, which the
    /// host wraps; each twice.
    fn run(&self) -> Outcome {
        let core = self.module();
        let options = CoreModuleOptions { wasi: true, utf16: self.utf16 };
        let component = component::wrap_with(core.clone(), WIT, options).unwrap();
        let found = outcome_of(&component);
        assert_eq!(outcome_of(&component), found);
        if !self.utf16 {
            assert_eq!(outcome_of(&core), found);
            assert_eq!(outcome_of(&core), found);
        }
        found
    }
}

fn outcome_of(bytes: &[u8]) -> Outcome {
    let (caps, resources) = (Caps::default(), Resources::default());
    let module = WasmModule::load(runtime(), bytes, Metering::Fuel, caps, resources).unwrap();
    let log = Arc::new(Log::default());
    let live = || {
        let mut engine = module.open(log.clone(), 1)?;
        engine.start(&gomoku(&[]))?;
        let limits =
            Limits { unit: Unit::Fuel, call_max: Some(1_000_000_000), ..Limits::default() };
        engine.choose(&limits, &[])
    };
    let answer = live();
    let fuel = match &answer {
        Ok(answer) => answer.spent.fuel,
        Err(fault) => fault.spent.fuel,
    };
    let decision = answer.map(|it| it.choice.decision).map_err(|fault: Fault| fault.sentence);
    let log = std::mem::take(&mut *log.0.lock().unwrap());
    Outcome { decision, log, fuel }
}

/// The outcome of a program that writes these pieces, and then does something else.
fn printed(pieces: &[(u32, &[u8])], then: &str) -> Outcome {
    let (mut data, mut choose) = (Vec::new(), String::new());
    for (fd, piece) in pieces {
        let (at, bytes) = (DATA + data.len(), piece.len());
        choose += &format!("(call $print (i32.const {fd}) (i32.const {at}) (i32.const {bytes}))\n");
        data.extend_from_slice(piece);
    }
    choose += then;
    Program { choose: &choose, data: &data, ..Program::default() }.run()
}

/// Checks the log of a program that writes these pieces.
fn check_log(pieces: &[(u32, &[u8])], expected: &[&str]) {
    let found = printed(pieces, "");
    let text: Vec<u8> = pieces.iter().flat_map(|(_, piece)| piece.iter().copied()).collect();
    let text = String::from_utf8_lossy(&text);
    assert_eq!(found.log, expected, "{text:?}");
    assert_eq!(found.decision, Ok(Decision::Resign), "{text:?}");
}

#[test]
fn output_is_logged_line_by_line() {
    check_log(&[(1, b"some 1\n")], &["Info: some 1"]);
    check_log(&[(2, b"an error\n")], &["Warning: an error"]);
    check_log(&[(1, b"two\nlines\n"), (1, b"\n")], &["Info: two", "Info: lines", "Info: "]);
    check_log(&[(1, b"")], &[]);
    // A line in pieces.
    let pieces: [(u32, &[u8]); 7] = [
        (2, b"a"),
        (2, b""),
        (2, b" line"),
        (2, b" in"),
        (2, b" pieces\nan"),
        (2, b"other"),
        (2, b"\n"),
    ];
    check_log(&pieces, &["Warning: a line in pieces", "Warning: another"]);
    // What is written to the other descriptor begins another line.
    check_log(
        &[(1, b"out"), (2, b"error\n"), (1, b"put\n")],
        &["Info: out", "Warning: error", "Info: put"],
    );
    // Several pieces in one write.
    let both =
        "(i32.store (i32.const 4000) (i32.const 65536)) (i32.store (i32.const 4004) (i32.const 3))
        (i32.store (i32.const 4008) (i32.const 65539)) (i32.store (i32.const 4012) (i32.const 4))
        (call $ok (call $write (i32.const 1) (i32.const 4000) (i32.const 2) (i32.const 3000)))
        (call $is (i64.load32_u (i32.const 3000)) (i64.const 7))";
    let found = Program { choose: both, data: b"two one\n", ..Program::default() }.run();
    assert_eq!((found.decision, found.log), (Ok(Decision::Resign), vec![]));
    let both = format!("{both} (call $print (i32.const 1) (i32.const 65543) (i32.const 1))");
    let found = Program { choose: &both, data: b"two one\n", ..Program::default() }.run();
    assert_eq!(found.log, ["Info: two one"]);
}

#[test]
fn output_without_a_newline_is_logged_by_sync_and_at_the_end() {
    check_log(&[(1, b"line\nno end")], &["Info: line"]);
    let sync = |fd| format!("(call $ok (call $sync (i32.const {fd})))");
    let found = printed(&[(1, b"no end")], &sync(1));
    assert_eq!((found.decision, found.log), (Ok(Decision::Resign), vec!["Info: no end".into()]));
    assert_eq!(printed(&[(1, b"no end")], &sync(2)).log, [""; 0]);
    assert_eq!(printed(&[(2, b"an end\n")], &sync(2)).log, ["Warning: an end"]);
    let found = printed(&[(2, b"no end")], "(call $exit (i32.const 102))");
    assert_eq!(found.decision, Err("gave up: exited with status 102".into()));
    assert_eq!(found.log, ["Warning: no end", "Fatal: exited with status 102"]);
    // A trap says nothing to the stub.
    let found = printed(&[(2, b"line\nno end")], "(unreachable)");
    assert_eq!(found.log, ["Warning: line"]);
}

#[test]
fn the_last_words_of_a_program_are_the_reason_of_its_fault() {
    let check = |pieces: &[(u32, &[u8])], expected: &str| {
        let found = printed(pieces, "(call $exit (i32.const 2))");
        assert_eq!(found.decision, Err(expected.into()), "{pieces:?}");
    };
    check(&[], "gave up: exited with status 2");
    let pieces: [(u32, &[u8]); 5] = [
        (2, b"fatal error: "),
        (2, b"all goroutines are asleep - deadlock!"),
        (2, b"\n"),
        (2, b"\ngoroutine 1 [select]:\n"),
        (2, b"main.main()\n"),
    ];
    check(&pieces, "gave up: fatal error: all goroutines are asleep - deadlock!");
    check(&[(2, b"panic: no book\n\ngoroutine 1:\n")], "gave up: panic: no book");
    check(&[(2, b"panic: a\n"), (2, b"panic: b")], "gave up: panic: b");
    for other in
        [&b"panic\n"[..], b"panics: x\n", b"fatal error\n", b"fatal errors: x\n", b" panic: x\n"]
    {
        check(&[(2, other)], "gave up: exited with status 2");
    }
    // Any other fault of the same call has the same reason.
    let found = printed(&[(2, b"panic: no book\n")], "(unreachable)");
    assert_eq!(found.decision, Err("gave up: panic: no book".into()));
}

#[test]
fn long_lines_are_logged_in_pieces_of_whole_characters() {
    let x = |count: usize| format!("Info: {}", "x".repeat(count));
    // Where it is, up to the longest text of the log.
    let at_once = |count: usize| "x".repeat(count) + "\n";
    check_log(&[(1, at_once(4096).as_bytes())], &[&x(4096)]);
    let pieces: Vec<String> = (0..16).map(|_| x(256)).chain([x(1)]).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    check_log(&[(1, at_once(4097).as_bytes())], &pieces);
    for (count, expected) in
        [(255, &[x(255)][..]), (256, &[x(256)]), (257, &[x(256), x(1)]), (300, &[x(256), x(44)])]
    {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check_log(&[(1, "x".repeat(count).as_bytes()), (1, b"\n")], &expected);
    }
    for letter in ["x", "é", "格", "🎲"] {
        for shift in 0..4 {
            let text = "x".repeat(shift) + &letter.repeat(600 / letter.len());
            let found = printed(&[(1, text.as_bytes()), (1, b"\n")], "");
            let pieces: Vec<&str> =
                found.log.iter().map(|entry| entry.strip_prefix("Info: ").unwrap()).collect();
            assert_eq!(pieces.concat(), text);
            assert_eq!(pieces.len(), 3);
            assert!(pieces[..2].iter().all(|piece| (253..=256).contains(&piece.len())));
        }
    }
}

/// The line as the stub logs it: each byte that is not part of a character becomes `?`.
fn repaired(line: &[u8]) -> String {
    line.utf8_chunks()
        .map(|chunk| chunk.valid().to_owned() + &"?".repeat(chunk.invalid().len()))
        .collect()
}

#[test]
fn bytes_that_are_no_text_become_question_marks() {
    check_log(&[(1, b"a\xffb\n")], &["Info: a?b"]);
    check_log(&[(1, b"\xe2\x82\n"), (1, b"\xe2"), (1, b"\x82\xac\n")], &["Info: ??", "Info: €"]);
    // Continuation bytes alone do not keep a line from being cut.
    let all = "Info: ".to_owned() + &"?".repeat(256);
    check_log(&[(1, &[0x80; 512]), (1, b"\n")], &[&all, &all]);
    // All first bytes, with the bounds of the others.
    for leads in (0x80..=0xff_u8).collect::<Vec<_>>().chunks(16) {
        let mut lines = Vec::new();
        for lead in leads {
            for second in [0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0] {
                let mut line = vec![];
                for third in [0x41, 0x80, 0xbf, 0xc0] {
                    for fourth in [0x41, 0x80, 0xbf, 0xc0] {
                        line.extend([*lead, second, third, fourth, b'x']);
                    }
                }
                lines.push(line);
            }
        }
        let expected: Vec<String> = lines
            .iter()
            .map(|line| "Info: ".to_owned() + &clean_text(&repaired(line), 4096))
            .collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let text = lines.join(&b'\n');
        check_log(&[(1, &text), (1, b"\n")], &expected);
    }
}

#[test]
fn pointers_beyond_the_memory_end_in_an_error() {
    let check = |write: &str, expected: Result<Decision, &str>| {
        let found = Program { choose: write, ..Program::default() }.run();
        assert_eq!(
            found.decision.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|it| *it)
        );
        assert_eq!(found.log, [""; 0]);
    };
    // 8 pages end at 524288.
    for (at, bytes, errno) in [
        (524_287, 1, 0),
        (524_288, 0, 0),
        (524_287, 2, 21),
        (524_289, 0, 21),
        (65_536, u32::MAX, 21),
        (u32::MAX, 1, 21),
        (u32::MAX, u32::MAX, 21),
    ] {
        let write = format!(
            "(i32.store (i32.const 4000) (i32.const {at})) (i32.store (i32.const 4004) (i32.const {bytes}))
            (call $is (i64.extend_i32_u
              (call $write (i32.const 1) (i32.const 4000) (i32.const 1) (i32.const 3000))) (i64.const {errno}))"
        );
        check(&write, Ok(Decision::Resign));
    }
    let trap = Err("trapped: out of bounds memory access");
    for (pieces, count, out) in [(524_284, 1, 3000), (524_280, 2, 3000), (4000, 0, 524_285)] {
        let write = format!(
            "(drop (call $write (i32.const 1) (i32.const {pieces}) (i32.const {count}) (i32.const {out})))"
        );
        check(&write, trap.clone());
    }
    for fd in ["0", "3", "-1"] {
        let write = format!(
            "(call $is (i64.extend_i32_u
              (call $write (i32.const {fd}) (i32.const 4000) (i32.const 1) (i32.const 3000))) (i64.const 8))
            (call $is (i64.extend_i32_u (call $sync (i32.const {fd}))) (i64.const 8))
            (call $is (i64.extend_i32_u (call $stat (i32.const {fd}) (i32.const 5000))) (i64.const 8))"
        );
        check(&write, Ok(Decision::Resign));
    }
}

#[test]
fn output_before_the_first_call_is_logged() {
    let initialize = "(call $print (i32.const 1) (i32.const 65536) (i32.const 6))";
    let choose = "(call $print (i32.const 1) (i32.const 65542) (i32.const 5))";
    let program = Program { initialize, choose, data: b"first\nthen\n", utf16: false };
    let found = program.run();
    assert_eq!(
        (found.decision, &found.log[..]),
        (Ok(Decision::Resign), &["Info: first".into(), "Info: then".into()][..])
    );
    // The stub's texts are UTF-8, whatever those of the module are.
    assert_eq!(Program { utf16: true, ..program }.run().log, ["Info: first", "Info: then"]);
}

#[test]
fn output_costs_fuel() {
    let fuel = |pieces: &[(u32, &[u8])]| printed(pieces, "").fuel.unwrap();
    let (none, whole) = (fuel(&[]), fuel(&[(1, b"twelve bytes\n")]));
    let pieces = fuel(&[(1, b"twelve"), (1, b" bytes\n")]);
    assert!(none < whole && whole < pieces && pieces < none + 10_000, "{none} {whole} {pieces}");
}

#[test]
fn the_wasi_stub_answers_without_a_system() {
    let check = |choose: &str, expected: Result<Decision, &str>| {
        let found = Program { choose, ..Program::default() }.run().decision;
        assert_eq!(
            found.as_ref().map_err(String::as_str),
            expected.as_ref().map_err(|it| *it),
            "{choose}"
        );
    };
    let clock = "(call $ok (call $clock (i32.const 1) (i64.const 0) (i32.const 3000)))";
    let is =
        |at: u32, value: u64| format!("(call $is (i64.load (i32.const {at})) (i64.const {value}))");
    // There are no arguments; the count is written as 0.
    let arguments = "(i64.store (i32.const 3000) (i64.const -1))
        (call $ok (call $args (i32.const 3000) (i32.const 3004)))";
    check(&format!("{arguments} {}", is(3000, 0)), Ok(Decision::Resign));
    // The clock advances by 1 µs per read and by the time slept: 5 µs.
    let twice = format!("{clock} {} {clock} {}", is(3000, 1000), is(3000, 2000));
    let sleep =
        "(i64.store (i32.const 4000) (i64.const 77)) (i64.store (i32.const 4024) (i64.const 5000))
        (call $ok (call $poll (i32.const 4000) (i32.const 5000) (i32.const 1) (i32.const 3000)))";
    let slept = format!("{sleep} {} {clock} {}", is(5000, 77), is(3000, 8000));
    check(&format!("{twice} {slept}"), Ok(Decision::Resign));
    // Waiting for a file is not supported.
    let file = "(i32.store8 (i32.const 4008) (i32.const 1))
        (call $is (i64.extend_i32_u (call $poll (i32.const 4000) (i32.const 5000) (i32.const 1) (i32.const 3000)))
          (i64.const 58))";
    check(file, Ok(Decision::Resign));
    // There is no file to close. Output is a character device without an end.
    check(
        "(call $is (i64.extend_i32_u (call $close (i32.const 3))) (i64.const 8))",
        Ok(Decision::Resign),
    );
    let stat =
        "(i64.store (i32.const 3000) (i64.const -1)) (i64.store (i32.const 3016) (i64.const -1))
        (call $ok (call $stat (i32.const 1) (i32.const 3000)))";
    let stat = format!("{stat} {} {} {}", is(3000, 2), is(3008, 0x51), is(3016, 0));
    check(&stat, Ok(Decision::Resign));
    // Random bytes are the same sequence in each instance, and no more bytes are written than
    // requested.
    let random = "(call $ok (call $random (i32.const 3000) (i32.const 7)))";
    let first = 0x004e_3dc3_98cd_c9e1;
    check(&format!("{random} {}", is(3000, first)), Ok(Decision::Resign));
    check(
        &format!("{random} {random} {}", is(3000, first)),
        Err("trapped: wasm `unreachable` instruction executed in the module's function `is`"),
    );
    check("(call $exit (i32.const 0))", Err("gave up: exited with status 0"));
}
