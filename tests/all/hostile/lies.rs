//! Engines that break the rules of the border, or keep them and answer
//! nonsense: the first is a fault, the second is judged by the rules of the game.

use sandboard_abi::Limits;
use sandboard_host::record::Record;

use super::guest::{Guest, small};
use super::room::{Room, Terms, result};

const ANSWER: &str = "(call $pick) (i32.const 1024)";

/// Answers as a sound one and then does this to its answer, which is at 1024:
/// 8 the decision, 12 and 16 its text, 20 the offer, 24 whether there is a line;
/// 32 its rank, 36 whether there is a score, 40 that, 44 its bound, 48 the depth,
/// 56 nodes, 64 what was spent, 72 and 76 the moves.
fn but(stores: &str) -> Guest {
    Guest::with("choose", &format!("(call $pick) {stores} (i32.const 1024)"))
}

fn byte(at: u32, value: u32) -> String {
    format!("(i32.store8 (i32.const {}) (i32.const {value}))", 1024 + at)
}

fn word(at: u32, value: i64) -> String {
    format!("(i32.store (i32.const {}) (i32.const {value}))", 1024 + at)
}

/// A line with these moves, that lie there.
fn line(at: i64, bytes: i64) -> String {
    [byte(24, 1), word(72, at), word(76, bytes)].concat()
}

pub fn lies(room: &Room) {
    let texts = "string pointer/length out of bounds of memory";
    let pointer = "return pointer not aligned";
    let outside = "pointer out of bounds of memory";
    for (guest, sentence) in [
        // Lengths and pointers.
        (but(&word(16, -1)), texts),
        (but(&word(16, 300_000)), texts),
        (but(&word(12, 0x7fff_ff00)), texts),
        (but(&line(4096, 0x7fff_ffff)), texts),
        (but(&line(-4, 8)), texts),
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
        // Cases that there are not.
        (but(&byte(0, 2)), "invalid expected discriminant"),
        (but(&byte(8, 3)), "unexpected discriminant: 3"),
        (but(&byte(24, 2)), "invalid option discriminant"),
        (but(&[byte(24, 1), byte(36, 1), byte(44, 4)].concat()), "unexpected discriminant: 4"),
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
        // What is no text.
        (
            but(&[
                word(12, 4096),
                word(16, 2),
                "(i32.store16 (i32.const 4096) (i32.const 0xfeff))".into(),
            ]
            .concat()),
            "invalid utf-8 sequence of 1 bytes from index 0",
        ),
        // Where the host is to answer.
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
        room.faults(&guest, Terms::default(), "protocol", &format!("broke the border: {sentence}"));
    }
    let cell = format!("(drop (call $cell (i32.const 64) (i32.const 0) (i64.const 0))) {ANSWER}");
    let sentence = "asked for cell 64; there are cells 0 to 63";
    room.faults(&Guest::with("choose", &cell), Terms::default(), "protocol", sentence);
    // Whatever is not 0 is true: the border's rule.
    room.plays(&but(&byte(20, 2)), Terms::default());
    descriptions(room);
    // Wasmtime would call such an instance again; the host does not.
    let mut engine = room.instance(&but(&word(16, -1)), &small());
    let fault = engine.choose(&Limits::default(), &[]).unwrap_err();
    assert_eq!(engine.played("a1").unwrap_err(), fault);
    assert_eq!(engine.choose(&Limits::default(), &[]).unwrap_err(), fault);
}

/// Lies of `describe`, whose answer is at 2048.
fn descriptions(room: &Room) {
    let but = |at: u32, value: i64| {
        let store = format!("(i32.store (i32.const {}) (i32.const {value}))", 2048 + at);
        room.load_fault(&Guest::with("describe", &format!("{store} (i32.const 2048)")).bytes())
    };
    assert_eq!(but(48, 0), "", "the sound one");
    let list = "protocol: broke the border: list pointer/length out of bounds of memory";
    assert_eq!(but(36, 0x7fff_ffff), list);
    assert_eq!(but(32, -4), list);
    assert_eq!(but(32, 2178), "protocol: broke the border: list pointer is not aligned");
    let text = "protocol: broke the border: string pointer/length out of bounds of memory";
    assert_eq!(but(4, -1), text);
    let options = "protocol: describes itself with a list of 257; at most 256 are admitted";
    // From 200000 on there is nothing, and so are all of them.
    let many = "(i32.store (i32.const 2088) (i32.const 200000))
        (i32.store (i32.const 2092) (i32.const 257)) (i32.const 2048)";
    assert_eq!(room.load_fault(&Guest::with("describe", many).bytes()), options);
    // Many empty texts are much, too.
    let flood = "flood: handed over more than 1024 KiB in one call";
    let many = "(i32.store (i32.const 2176) (i32.const 4096))
        (i32.store (i32.const 2188) (i32.const 200000)) (i32.store (i32.const 2184) (i32.const 4096))
        (i32.const 2048)";
    let guest = Guest::with("describe", many).and("memory", r#"(memory (export "memory") 40)"#);
    assert_eq!(room.load_fault(&guest.bytes()), flood);
}

/// Chooses this text each time.
fn always(text: &str) -> Guest {
    let bytes: String = text.bytes().map(|byte| format!("\\{byte:02x}")).collect();
    let choose =
        format!("(call $play (i32.const 4096) (i32.const {})) (i32.const 1024)", text.len());
    Guest::with("choose", &choose).and("more", &format!("(data (i32.const 4096) \"{bytes}\")"))
}

pub fn absurd(room: &Room) {
    let illegal = |text: &str, shown: &str, why: &str| {
        let why = format!(": the move `{shown}` is illegal: {why}");
        room.loses(&always(text), Terms::default(), &why)
    };
    let record = illegal("a1", "a1", "a black stone is on a1");
    // Two requests, and with each the position in which the answer came.
    let refused = |record: &Record| -> Vec<String> {
        let refused = record.events.iter().map(|event| serde_json::to_value(event).unwrap());
        let refused = refused.filter(|event| event["event"] == "refused");
        refused.map(|event| event["position"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(refused(&record), ["5/5/5/5/xo3 b"; 2]);
    let record = illegal("b9", "b9", "there is no row 9; the rows are 1 to 5");
    assert_eq!(refused(&record), ["5/5/5/5/5 b"; 2]);
    illegal("z1", "z1", "there is no column z; the columns are a to e");
    illegal("", "", "it is empty; a move is a column a to e and a row 1 to 5, like c3");
    let number = "what follows the column is not a number; the rows are 1 to 5";
    illegal("a1 b1", "a1 b1", number);
    illegal("a\u{1b}[2J", "a\u{fffd}[2J", number);
    let sentence = "sent a move of 65 bytes; at most 64 are admitted";
    room.faults(&always(&"a".repeat(65)), Terms::default(), "protocol", sentence);
    let record = room.loses(
        &but(&byte(8, 2)),
        Terms::default(),
        ": the move `accept-draw` is illegal: no draw is offered",
    );
    assert_eq!(refused(&record).len(), 2);
    let record = room.bout_of(&but(&byte(8, 1)), Terms::default());
    assert_eq!(result(&record).sentence, "hostile (black) resigns");
    lines(room);
    // A range that no number is in, and one that no manifest can name.
    let option = |min: &str| {
        let option = REAL_OPTION.replace("%min%", min);
        room.load_fault(&Guest::with("describe", "(i32.const 2048)").and("more", &option).bytes())
    };
    let reason = |min: &str| {
        format!(
            "protocol: describes the option `x` with the bounds {min} and inf; both are to be numbers"
        )
    };
    assert_eq!(option(r"\00\00\00\00\00\00\f8\7f"), reason("NaN"));
    assert_eq!(option(r"\00\00\00\00\00\00\f0\ff"), reason("-inf"));
}

/// One option, `x`, a number up to infinity, to begin with 0.
const REAL_OPTION: &str = r#"
  (data (i32.const 2088) "\00\10\00\00\01\00\00\00")
  (data (i32.const 4096)
    "\40\10\00\00\01\00\00\00" "\00\00\00\00\00\00\00\00" "\02\00\00\00\00\00\00\00"
    "%min%" "\00\00\00\00\00\00\f0\7f" "\41\10\00\00\01\00\00\00")
  (data (i32.const 4160) "x0")"#;

/// Lines that nobody can have searched.
fn lines(room: &Room) {
    let room_for = r#"(memory (export "memory") 40)"#;
    let moves = "(memory.fill (i32.const 4096) (i32.const 32) (i32.const 1600000))";
    let long = |bytes: i64| {
        let choose = format!("{moves} (call $pick) {} (i32.const 1024)", line(4096, bytes));
        Guest::with("choose", &choose).and("memory", room_for)
    };
    let sentence = "sent a line of moves of 300000 bytes; at most 65536 are admitted";
    room.faults(&long(300_000), Terms::default(), "protocol", sentence);
    // Half a million moves.
    let sentence = "handed over more than 1024 KiB in one call";
    room.faults(&long(1_500_000), Terms::default(), "flood", sentence);
    room.plays(&long(65_536), Terms::default());
    // The same move over and over is but a line; it is shown as it was given.
    let twice =
        format!("{} (i64.store (i32.const 4096) (i64.const 0x3161203161203161))", line(4096, 8));
    let record = room.plays(&but(&twice), Terms::default());
    assert_eq!(record.plies[0].line.as_ref().unwrap().pv, "a1 a1 a1");
    for (value, clamped) in [(i32::MAX, 30_000), (i32::MIN, -30_000), (-7, -7)] {
        let score = [byte(36, 1), word(40, value.into()), byte(44, 3)].concat();
        let huge = "(i32.store (i32.const 1072) (i32.const -1)) (i64.store (i32.const 1080) (i64.const -1))";
        let record =
            room.plays(&but(&format!("{} {score} {huge}", line(4096, 0))), Terms::default());
        let line = record.plies[0].line.clone().unwrap();
        assert_eq!((line.score, line.depth, line.nodes), (Some(clamped), u32::MAX, u64::MAX));
    }
}
