//! Engines that violate the ABI, which is a fault, or answer absurdly, which the rules of the game
//! judge.

use sandboard_abi::Limits;
use sandboard_bout::record::Record;

use super::guest::{Guest, small};
use super::harness::{Harness, Terms, result};

const ANSWER: &str = "(call $pick) (i32.const 1024)";

/// A sound engine that then changes its answer at 1024 by `stores`. Offsets: 8 decision, 12 and 16
/// its text, 20 draw offer, 24 whether there is a line; 32 rank, 36 whether there is a score, 40
/// score, 44 bound, 48 depth, 56 nodes, 64 spent, 72 and 76 moves.
fn with_changed_answer(stores: &str) -> Guest {
    Guest::with("choose", &format!("(call $pick) {stores} (i32.const 1024)"))
}

fn byte(at: u32, value: u32) -> String {
    format!("(i32.store8 (i32.const {}) (i32.const {value}))", 1024 + at)
}

fn word(at: u32, value: i64) -> String {
    format!("(i32.store (i32.const {}) (i32.const {value}))", 1024 + at)
}

/// Adds a line whose moves are at this address.
fn line(at: i64, bytes: i64) -> String {
    [byte(24, 1), word(72, at), word(76, bytes)].concat()
}

pub(super) fn invalid_answers(harness: &Harness) {
    let texts = "string pointer/length out of bounds of memory";
    let pointer = "return pointer not aligned";
    let outside = "pointer out of bounds of memory";
    for (guest, sentence) in [
        // Lengths and pointers.
        (with_changed_answer(&word(16, -1)), texts),
        (with_changed_answer(&word(16, 300_000)), texts),
        (with_changed_answer(&word(12, 0x7fff_ff00)), texts),
        (with_changed_answer(&line(4096, 0x7fff_ffff)), texts),
        (with_changed_answer(&line(-4, 8)), texts),
        (Guest::with("choose", "(i32.const 0x7ffffff8)"), outside),
        (Guest::with("choose", "(i32.const -8)"), outside),
        (Guest::with("choose", "(i32.const 1025)"), pointer),
        (Guest::with("start", "(i32.const 18)"), pointer),
        (Guest::with("played", "(i32.const -4)"), outside),
        (
            Guest::with(
                "choose",
                &format!("{} {} {} (i32.const 1024)", byte(0, 1), word(8, 4096), word(12, -1)),
            ),
            texts,
        ),
        // Invalid discriminants.
        (with_changed_answer(&byte(0, 2)), "invalid expected discriminant"),
        (with_changed_answer(&byte(8, 3)), "unexpected discriminant: 3"),
        (with_changed_answer(&byte(24, 2)), "invalid option discriminant"),
        (
            with_changed_answer(&[byte(24, 1), byte(36, 1), byte(44, 4)].concat()),
            "unexpected discriminant: 4",
        ),
        (
            Guest::with(
                "choose",
                &format!("(call $log (i32.const 4) (i32.const 0) (i32.const 0)) {ANSWER}"),
            ),
            "unexpected discriminant: 4",
        ),
        (
            Guest::with(
                "choose",
                &format!("(drop (call $cell (i32.const 0) (i32.const 9) (i64.const 0))) {ANSWER}"),
            ),
            "unexpected discriminant: 9",
        ),
        // Invalid UTF-8.
        (
            with_changed_answer(
                &[
                    word(12, 4096),
                    word(16, 2),
                    "(i32.store16 (i32.const 4096) (i32.const 0xfeff))".into(),
                ]
                .concat(),
            ),
            "invalid utf-8 sequence of 1 bytes from index 0",
        ),
        // Invalid addresses for the host's answer.
        (
            Guest::with(
                "choose",
                "(call $legal (i32.const 0) (i32.const 0) (i32.const 513)) (i32.const 1024)",
            ),
            "pointer not aligned",
        ),
        (
            Guest::with(
                "choose",
                "(call $legal (i32.const 0) (i32.const 0) (i32.const -4)) (i32.const 1024)",
            ),
            "pointer out of bounds",
        ),
        (
            Guest::with(
                "choose",
                "(call $legal (i32.const -1) (i32.const 8) (i32.const 512)) (i32.const 1024)",
            ),
            texts,
        ),
    ] {
        harness.faults(
            &guest,
            Terms::default(),
            "protocol",
            &format!("violated the ABI: {sentence}"),
        );
    }
    let cell = format!("(drop (call $cell (i32.const 64) (i32.const 0) (i64.const 0))) {ANSWER}");
    let sentence = "asked for cell 64; there are cells 0 to 63";
    harness.faults(&Guest::with("choose", &cell), Terms::default(), "protocol", sentence);
    // Every number except 0 is true in the canonical ABI.
    harness.plays(&with_changed_answer(&byte(20, 2)), Terms::default());
    descriptions(harness);
    // Wasmtime would call the instance again; the host does not.
    let mut engine = harness.instance(&with_changed_answer(&word(16, -1)), &small());
    let fault = engine.choose(&Limits::default(), &[]).unwrap_err();
    assert_eq!(engine.played("a1").unwrap_err(), fault);
    assert_eq!(engine.choose(&Limits::default(), &[]).unwrap_err(), fault);
}

/// Invalid answers of `describe`, at 2048.
fn descriptions(harness: &Harness) {
    let with_changed_answer = |at: u32, value: i64| {
        let store = format!("(i32.store (i32.const {}) (i32.const {value}))", 2048 + at);
        harness.load_fault(&Guest::with("describe", &format!("{store} (i32.const 2048)")).bytes())
    };
    assert_eq!(with_changed_answer(48, 0), "", "the sound one");
    let list = "protocol: violated the ABI: list pointer/length out of bounds of memory";
    assert_eq!(with_changed_answer(36, 0x7fff_ffff), list);
    assert_eq!(with_changed_answer(32, -4), list);
    assert_eq!(
        with_changed_answer(32, 2178),
        "protocol: violated the ABI: list pointer is not aligned"
    );
    let text = "protocol: violated the ABI: string pointer/length out of bounds of memory";
    assert_eq!(with_changed_answer(4, -1), text);
    let options = "protocol: describes itself with a list of 257; at most 256 are admitted";
    // Memory from 200000 on is zero, so all entries are empty.
    let many = "(i32.store (i32.const 2088) (i32.const 200000))
        (i32.store (i32.const 2092) (i32.const 257)) (i32.const 2048)";
    assert_eq!(harness.load_fault(&Guest::with("describe", many).bytes()), options);
    // The size of many empty texts is limited, too.
    let flood = "flood: handed over more than 1024 KiB in one call";
    let many = "(i32.store (i32.const 2176) (i32.const 4096))
        (i32.store (i32.const 2188) (i32.const 200000)) (i32.store (i32.const 2184) (i32.const 4096))
        (i32.const 2048)";
    let guest = Guest::with("describe", many).and("memory", r#"(memory (export "memory") 40)"#);
    assert_eq!(harness.load_fault(&guest.bytes()), flood);
}

/// An engine that always chooses this text.
fn always(text: &str) -> Guest {
    let bytes: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let choose =
        format!("(call $play (i32.const 4096) (i32.const {})) (i32.const 1024)", text.len());
    Guest::with("choose", &choose).and("more", &format!("(data (i32.const 4096) \"{bytes}\")"))
}

pub(super) fn absurd_answers(harness: &Harness) {
    let illegal = |text: &str, shown: &str, why: &str| {
        let why = format!(": the move `{shown}` is illegal: {why}");
        harness.loses(&always(text), Terms::default(), &why)
    };
    let record = illegal("a1", "a1", "a black stone is on a1");
    // Two requests; each has the position of the answer.
    let refused = |record: &Record| -> Vec<String> {
        let refused = record.events.iter().map(|event| serde_json::to_value(event).unwrap());
        let refused = refused.filter(|event| event["event"] == "refused");
        refused.map(|event| event["position"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(refused(&record), ["5/5/5/5/xo3 b"; 2]);
    let record = illegal("b9", "b9", "there is no row 9; the rows are 1 to 5");
    assert_eq!(refused(&record), ["5/5/5/5/5 b"; 2]);
    illegal("z1", "z1", "there is no column z; the columns are a to e");
    illegal("", "", "it is empty; a point is a column a to e and a row 1 to 5, like c3");
    let number = "the text after the column is not a number; the rows are 1 to 5";
    illegal("a1 b1", "a1 b1", number);
    illegal("a\u{1b}[2J", "a\u{fffd}[2J", number);
    let sentence = "sent a move of 65 bytes; at most 64 are admitted";
    harness.faults(&always(&"a".repeat(65)), Terms::default(), "protocol", sentence);
    let record = harness.loses(
        &with_changed_answer(&byte(8, 2)),
        Terms::default(),
        ": the move `accept-draw` is illegal: no draw is offered",
    );
    assert_eq!(refused(&record).len(), 2);
    let record = harness.bout_of(&with_changed_answer(&byte(8, 1)), Terms::default());
    assert_eq!(result(&record).sentence, "hostile (black) resigns");
    lines(harness);
    // An option range of NaN, and one with infinity.
    let option = |min: &str| {
        let option = REAL_OPTION.replace("%min%", min);
        harness
            .load_fault(&Guest::with("describe", "(i32.const 2048)").and("more", &option).bytes())
    };
    let reason = |min: &str| {
        format!(
            "protocol: describes the option `x` with the bounds {min} and inf; both must be finite numbers"
        )
    };
    assert_eq!(option(r"\00\00\00\00\00\00\f8\7f"), reason("NaN"));
    assert_eq!(option(r"\00\00\00\00\00\00\f0\ff"), reason("-inf"));
}

/// A real option `x` with an infinite maximum and default 0.
const REAL_OPTION: &str = r#"
  (data (i32.const 2088) "\00\10\00\00\01\00\00\00")
  (data (i32.const 4096)
    "\40\10\00\00\01\00\00\00" "\00\00\00\00\00\00\00\00" "\02\00\00\00\00\00\00\00"
    "%min%" "\00\00\00\00\00\00\f0\7f" "\41\10\00\00\01\00\00\00")
  (data (i32.const 4160) "x0")"#;

/// Lines that no search can produce.
fn lines(harness: &Harness) {
    let memory = r#"(memory (export "memory") 40)"#;
    let moves = "(memory.fill (i32.const 4096) (i32.const 32) (i32.const 1600000))";
    let long = |bytes: i64| {
        let choose = format!("{moves} (call $pick) {} (i32.const 1024)", line(4096, bytes));
        Guest::with("choose", &choose).and("memory", memory)
    };
    let sentence = "sent a line of moves of 300000 bytes; at most 65536 are admitted";
    harness.faults(&long(300_000), Terms::default(), "protocol", sentence);
    // A line of half a million moves.
    let sentence = "handed over more than 1024 KiB in one call";
    harness.faults(&long(1_500_000), Terms::default(), "flood", sentence);
    harness.plays(&long(65_536), Terms::default());
    // Lines are not checked for legality; they are shown as reported.
    let twice =
        format!("{} (i64.store (i32.const 4096) (i64.const 0x3161203161203161))", line(4096, 8));
    let record = harness.plays(&with_changed_answer(&twice), Terms::default());
    assert_eq!(record.plies[0].line.as_ref().unwrap().pv, "a1 a1 a1");
    for (value, clamped) in [(i32::MAX, 30_000), (i32::MIN, -30_000), (-7, -7)] {
        let score = [byte(36, 1), word(40, value.into()), byte(44, 3)].concat();
        let huge = "(i32.store (i32.const 1072) (i32.const -1)) (i64.store (i32.const 1080) (i64.const -1))";
        let record = harness.plays(
            &with_changed_answer(&format!("{} {score} {huge}", line(4096, 0))),
            Terms::default(),
        );
        let line = record.plies[0].line.clone().unwrap();
        assert_eq!((line.score, line.depth, line.nodes), (Some(clamped), u32::MAX, u64::MAX));
    }
}
