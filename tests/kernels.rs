//! Engines in WebAssembly text whose `choose` repeats one operation. Each price of fuel is measured
//! and frozen with one of these kernels.

mod control;
mod imports;
mod memory;
mod numbers;
mod vectors;

/// An operation that is repeated.
pub struct Kernel {
    /// Name of the operation.
    pub name: &'static str,
    /// Repetitions of the operation per round.
    pub times: u64,
    /// Why the price deviates from the measured time; empty if it does not.
    pub deviation_reason: &'static str,
    /// Module fields that the operation needs: functions, globals, tables.
    fields: String,
    round: String,
}

/// Memory of every kernel in pages of 64 KiB: 1 MiB for data transfer, 16 MiB to access.
const PAGES: u32 = 17 * 16;
/// Address at which the host's answers are written.
const ANSWERS: u32 = 32 * 1024;

impl Kernel {
    /// The module text, to be wrapped into a component. Its `choose` runs as many rounds as the
    /// node limit says, at least one.
    pub fn text(&self) -> String {
        let Self { fields, round, .. } = self;
        format!(
            r#"(module
  (import "sandboard:engine/host@1.0.0" "report"
    (func $report (param i32 i32 i32 i32 i32 i64 i64 i32 i32)))
  (import "sandboard:engine/host@1.0.0" "log" (func $log (param i32 i32 i32)))
  (import "sandboard:engine/host@1.0.0" "left" (func $left (result i64)))
  (import "sandboard:engine/host@1.0.0" "legal" (func $legal (param i32 i32 i32)))
  (import "sandboard:engine/host@1.0.0" "look" (func $look (param i32 i32 i32)))
  (import "sandboard:engine/host@1.0.0" "asset" (func $asset (param i32 i32 i64 i32 i32)))
  (import "sandboard:engine/host@1.0.0" "probe" (func $probe (param i64) (result i64)))
  (import "sandboard:engine/host@1.0.0" "store" (func $store (param i64 i64)))
  (import "sandboard:engine/host@1.0.0" "cell" (func $cell (param i32 i32 i64) (result i64)))
  (memory (export "memory") {PAGES})
  (data (i32.const 4096) "{letters}")
  {fields}
  (func $kernel (param $n i64)
    (local $a i32) (local $b i32) (local $w i32) (local $c i64) (local $d i64) (local $e i64)
    (local $x f64) (local $y f64) (local $z f32) (local $v v128) (local $u v128)
    ;; Loaded from memory, so that the compiler cannot treat them as constants.
    (local.set $a (i32.load (i32.const 4096)))
    (local.set $b (i32.add (i32.const 7) (i32.load (i32.const 2200))))
    (local.set $w (i32.load (i32.const 4100)))
    (local.set $c (i64.load (i32.const 4104)))
    (local.set $d (i64.load (i32.const 4112)))
    (local.set $e (i64.load (i32.const 4120)))
    (local.set $x (f64.add (f64.const 1.000001) (f64.load (i32.const 2200))))
    (local.set $y (f64.add (f64.const 0.999999) (f64.load (i32.const 2200))))
    (local.set $z (f32.demote_f64 (local.get $x)))
    (local.set $v (v128.load (i32.const 4128)))
    (local.set $u (v128.load (i32.const 4144)))
    loop $again
      {round}
      (local.set $n (i64.sub (local.get $n) (i64.const 1)))
      (br_if $again (i64.ne (local.get $n) (i64.const 0)))
    end
    ;; Stored to memory, so that the compiler cannot remove their computation.
    (i32.store (i32.const 2048) (i32.add (local.get $a) (i32.add (local.get $b) (local.get $w))))
    (i64.store (i32.const 2056)
      (i64.add (local.get $c) (i64.add (local.get $d) (local.get $e))))
    (f64.store (i32.const 2064) (f64.add (local.get $x) (local.get $y)))
    (f32.store (i32.const 2072) (local.get $z))
    (v128.store (i32.const 2080) (i8x16.add (local.get $v) (local.get $u))))
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const {ANSWERS}))
  (func (export "sandboard:engine/engine@1.0.0#describe") (result i32) unreachable)
  (func (export "sandboard:engine/engine@1.0.0#start") (param i32) (result i32)
    ;; Every page in use, and not one page many times.
    (memory.fill (i32.const 0x100000) (i32.const 1) (i32.const 0x1000000))
    (i32.const 0))
  (func (export "sandboard:engine/engine@1.0.0#played") (param i32 i32) (result i32)
    (i32.const 0))
  (func (export "sandboard:engine/engine@1.0.0#taken-back") (param i32) (result i32)
    (i32.const 0))
  (func (export "sandboard:engine/engine@1.0.0#think") (result i32) (i32.const 0))
  ;; The node limit is at offset 80; the zeros at 0 are read as an empty move.
  (func (export "sandboard:engine/engine@1.0.0#choose") (param i32) (result i32)
    (call $kernel (i64.load offset=80 (local.get 0)))
    (i32.const 0)))"#,
            letters = LETTERS.repeat(20),
        )
    }

    /// Marks the kernel as priced far from its time, with the reason.
    fn with_deviation(self, deviation_reason: &'static str) -> Self {
        Self { deviation_reason, ..self }
    }
}

/// Fifteen moves of gomoku that make no five, then the same again.
const LETTERS: &str = "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12 m13 n14 o15 ";

/// Reason for operations that share a price with others but take longer alone.
const CHAINED: &str = "each operation waits for the previous one";
/// Reason for operations that call into the runtime.
const DEAREST: &str = "it has the maximum price";

/// A kernel that runs `once` sixteen times per round, in a module with these fields.
fn many(name: &'static str, fields: &str, once: &str) -> Kernel {
    Kernel {
        name,
        times: 16,
        deviation_reason: "",
        fields: fields.to_owned(),
        round: once.repeat(16),
    }
}

/// A kernel that runs `once` once per round, in a module with these fields.
fn single(name: &'static str, fields: &str, once: &str) -> Kernel {
    Kernel {
        name,
        times: 1,
        deviation_reason: "",
        fields: fields.to_owned(),
        round: once.to_owned(),
    }
}

/// The next number of a pseudorandom sequence (Marsaglia, "Xorshift RNGs", 2003).
const RANDOM: &str = "
    (local.set $c (i64.xor (local.get $c) (i64.shl (local.get $c) (i64.const 13))))
    (local.set $c (i64.xor (local.get $c) (i64.shr_u (local.get $c) (i64.const 7))))
    (local.set $c (i64.xor (local.get $c) (i64.shl (local.get $c) (i64.const 17))))";

/// All kernels. Names are unique.
pub fn kernels() -> Vec<Kernel> {
    let parts = [
        numbers::kernels(),
        memory::kernels(),
        control::kernels(),
        vectors::kernels(),
        imports::kernels(),
    ];
    parts.into_iter().flatten().collect()
}

/// An engine that does nothing, with these fields in its module.
pub fn guest(fields: &str) -> String {
    single("nothing", fields, "").text()
}
