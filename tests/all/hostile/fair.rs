//! Engines that look for information they must not have: the machine, the time, data of other
//! instances, earlier games.

use std::sync::Arc;

use sandboard_engine::{Caps, EngineSource};
use sandboard_engine_wasm::Metering;

use super::guest::Guest;
use super::harness::{Harness, Terms, result};

const ANSWER: &str = "(call $pick) (i32.const 1024)";
const WINS: &str = "hostile (black) wins: five in a row";

/// WebAssembly text that traps unless the condition holds.
fn trap_unless(condition: &str) -> String {
    format!("(if (i32.eqz {condition}) (then (unreachable)))")
}

pub(super) fn floats(harness: &Harness) {
    // Numbers from memory, so that no compiler folds them: at 4096 NaNs with
    // a payload and a sign, of 8 and of 4 bytes; then 0, 1, -1 and infinity.
    let data = r#"(data (i32.const 4096)
        "\01\00\00\00\00\00\f4\ff" "\01\00\a0\ff" "\00\00\00\00"
        "\00\00\00\00\00\00\00\00" "\00\00\00\00\00\00\f0\3f"
        "\00\00\00\00\00\00\f0\bf" "\00\00\00\00\00\00\f0\7f")"#;
    let [nan, zero, one, minus, infinity] =
        [4096, 4112, 4120, 4128, 4136].map(|at| format!("(f64.load (i32.const {at}))"));
    let small = |number: &str| format!("(f32.demote_f64 {number})");
    let nan32 = "(f32.load (i32.const 4104))";
    let mut checks = String::new();
    for number in [
        format!("(f64.add {nan} {one})"),
        format!("(f64.mul {one} {nan})"),
        format!("(f64.div {zero} {zero})"),
        format!("(f64.sub {infinity} {infinity})"),
        format!("(f64.mul {zero} {infinity})"),
        format!("(f64.sqrt {minus})"),
        format!("(f64.min {nan} {one})"),
        format!("(f64.floor {nan})"),
        format!("(f64.promote_f32 {nan32})"),
        format!("(f64x2.extract_lane 1 (f64x2.add (f64x2.splat {nan}) (f64x2.splat {one})))"),
    ] {
        let canonical = "(i64.const 0x7ff8000000000000)";
        checks += &trap_unless(&format!("(i64.eq (i64.reinterpret_f64 {number}) {canonical})"));
    }
    for number in [
        format!("(f32.add {nan32} {})", small(&one)),
        format!("(f32.div {0} {0})", small(&zero)),
        format!("(f32.sqrt {})", small(&minus)),
        small(&nan),
        format!("(f32x4.extract_lane 3 (f32x4.sqrt (f32x4.splat {})))", small(&minus)),
    ] {
        checks += &trap_unless(&format!(
            "(i32.eq (i32.reinterpret_f32 {number}) (i32.const 0x7fc00000))"
        ));
    }
    let guest = Guest::with("choose", &format!("{checks} {ANSWER}")).and("more", data);
    let fuel = Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e6/move") };
    for terms in [Terms::default(), fuel] {
        assert_eq!(result(&harness.bout_of(&guest, terms)).sentence, WINS);
    }
    // A NaN that is only moved keeps its payload.
    let kept = trap_unless(&format!(
        "(i64.ne (i64.reinterpret_f64 {nan}) (i64.const 0x7ff8000000000000))"
    ));
    harness.plays(
        &Guest::with("choose", &format!("{kept} {ANSWER}")).and("more", data),
        Terms::default(),
    );
}

pub(super) fn side_channels(harness: &Harness) {
    // A clock is readable in `choose` only, and only under a time budget.
    let no_clock = trap_unless("(i64.eq (call $left) (i64.const -1))");
    let mut guest = Guest::sound();
    for part in ["start", "played", "taken-back", "think"] {
        guest = guest.and(part, &format!("{no_clock} (i32.const 16)"));
    }
    let guest = guest.and("describe", &format!("{no_clock} (i32.const 2048)"));
    let clock = trap_unless("(i64.lt_u (call $left) (i64.const 60000001))");
    let timed = guest.clone().and("choose", &format!("{clock} {ANSWER}"));
    assert_eq!(harness.load_fault(&timed.bytes()), "");
    assert_eq!(result(&harness.bout_of(&timed, Terms::default())).sentence, WINS);
    let untimed = guest.and("choose", &format!("{no_clock} {ANSWER}"));
    assert_eq!(result(&harness.bout_of(&untimed, Terms::within("none"))).sentence, WINS);
    // Under a fuel budget it counts fuel, with the same number each time.
    let fuel = "(i32.store (i32.const 4096) (i32.wrap_i64 (call $left)))
        (call $log (i32.const 2) (i32.const 4100) (i32.const 0))
        (call $look (i32.const 0) (i32.const 0) (i32.const 512))";
    let log = "(call $number (i32.load (i32.const 4096)))";
    let number = "(func $number (param $n i32) (local $at i32)
        (local.set $at (i32.const 4200))
        (loop $next
          (local.set $at (i32.sub (local.get $at) (i32.const 1)))
          (i32.store8 (local.get $at)
            (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10))))
          (local.set $n (i32.div_u (local.get $n) (i32.const 10)))
          (br_if $next (local.get $n)))
        (call $log (i32.const 2) (local.get $at) (i32.sub (i32.const 4200) (local.get $at))))";
    let guest = Guest::with("choose", &format!("{fuel} {log} {ANSWER}")).and("more", number);
    let logged = || {
        let terms = Terms { metering: Metering::Fuel, ..Terms::within("fuel:1e6/move") };
        let record = harness.bout_of(&guest, terms);
        record.logs.iter().map(|log| log.text.clone()).collect::<Vec<_>>()
    };
    let first = logged();
    assert!(
        first.iter().any(|text| text.parse::<u32>().is_ok_and(|left| left < 1_000_000)),
        "{first:?}"
    );
    assert_eq!(logged(), first);
    // Without a shared table, no instance finds stored data, not even its own.
    let leave = "(call $store (i64.const 1) (i64.const 99))
        (drop (call $cell (i32.const 0) (i32.const 1) (i64.const 7)))";
    let empty = trap_unless("(i64.eqz (call $probe (i64.const 1)))")
        + &trap_unless("(i64.eqz (call $cell (i32.const 0) (i32.const 0) (i64.const 0)))");
    let guest = Guest::with("start", &format!("{empty} {leave} (i32.const 16)"));
    let source = guest.load(Metering::Deadline, Caps::default());
    // The first instance is alive while the second bout is played.
    let setup = super::guest::small();
    let mut first = source.open(Arc::new(sandboard_engine::NullListener), 1).unwrap();
    first.start(&setup).unwrap();
    assert_eq!(result(&harness.bout(source, Terms::default())).sentence, WINS);
    drop(first);
}

pub(super) fn state(harness: &Harness) {
    // Leaves state behind: a global, memory, grown memory, a table.
    let fresh = [
        trap_unless("(i32.eqz (global.get $games))"),
        trap_unless("(i32.eqz (i32.load (i32.const 60000)))"),
        trap_unless("(i32.eq (memory.size) (i32.const 4))"),
        trap_unless("(i32.eq (memory.grow (i32.const 4)) (i32.const 4))"),
        trap_unless("(i32.eqz (i32.load (i32.const 300000)))"),
        trap_unless("(i32.eq (table.size $t) (i32.const 2))"),
        trap_unless("(ref.is_null (table.get $t (i32.const 1)))"),
    ];
    let leave = "(global.set $games (i32.const 1))
        (i32.store (i32.const 60000) (i32.const 1))
        (i32.store (i32.const 300000) (i32.const 1))
        (table.set $t (i32.const 1) (ref.func $begin))
        (drop (table.grow $t (ref.null func) (i32.const 10)))";
    let guest = Guest::with("start", &format!("{} {leave} (i32.const 16)", fresh.concat())).and(
        "more",
        "(global $games (mut i32) (i32.const 0)) (table $t 2 funcref) (elem declare func $begin)",
    );
    let source = guest.load(Metering::Deadline, Caps::default());
    for _ in 0..5 {
        assert_eq!(result(&harness.bout(source.clone(), Terms::default())).sentence, WINS);
    }
    // An instance plays one game: a second start in it sees the state of the first.
    let mut engine = harness.instance(&guest, &super::guest::small());
    let fault = engine.start(&super::guest::small()).unwrap_err();
    assert_eq!(fault.sentence, "trapped: wasm `unreachable` instruction executed");
}
