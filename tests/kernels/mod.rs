//! Engines whose `choose` does one thing over and over, as text in WebAssembly's
//! format: what each price of fuel is measured by and frozen with.

mod control;
mod imports;
mod memory;
mod numbers;
mod vectors;

/// One thing to do over and over.
pub struct Kernel {
    /// What it does.
    pub name: &'static str,
    /// How often a round does it.
    pub times: u64,
    /// Why its price is far from its time; empty where it is not.
    pub apart: &'static str,
    /// Fields of the module that it needs: functions, globals, tables.
    fields: String,
    round: String,
}

/// The memory of every kernel, in pages of 64 KiB: 1 MiB to hand things over, and 16 to roam in.
const PAGES: u32 = 17 * 16;
/// Where the host's answers go.
const ANSWERS: u32 = 32 * 1024;

impl Kernel {
    /// The module, to be wrapped into a component. Its `choose` does as many rounds
    /// as the limits have nodes, at least one.
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
    ;; From memory, so that no compiler knows them.
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
    ;; Into memory, so that no compiler leaves them out.
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
  ;; The limits' nodes lie at 80; what lies at 0 reads as the choice of an empty move.
  (func (export "sandboard:engine/engine@1.0.0#choose") (param i32) (result i32)
    (call $kernel (i64.load offset=80 (local.get 0)))
    (i32.const 0)))"#,
            letters = LETTERS.repeat(20),
        )
    }

    /// The same, priced far from its time for this reason.
    fn apart(self, apart: &'static str) -> Self {
        Self { apart, ..self }
    }
}

/// Fifteen moves of gomoku that make no five, then the same again.
const LETTERS: &str = "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12 m13 n14 o15 ";

/// Why what is priced beside others may be far from its time on its own.
const CHAINED: &str = "each waits for the one before";
/// Why what leads into the runtime may be far from its time.
const DEAREST: &str = "it has the dearest price there is";

/// Does `once` sixteen times a round, in a module with these fields.
fn many(name: &'static str, fields: &str, once: &str) -> Kernel {
    Kernel { name, times: 16, apart: "", fields: fields.to_owned(), round: once.repeat(16) }
}

/// Does `once` once a round, in a module with these fields.
fn single(name: &'static str, fields: &str, once: &str) -> Kernel {
    Kernel { name, times: 1, apart: "", fields: fields.to_owned(), round: once.to_owned() }
}

/// The next of a sequence without a pattern (Marsaglia, "Xorshift RNGs", 2003).
const RANDOM: &str = "
    (local.set $c (i64.xor (local.get $c) (i64.shl (local.get $c) (i64.const 13))))
    (local.set $c (i64.xor (local.get $c) (i64.shr_u (local.get $c) (i64.const 7))))
    (local.set $c (i64.xor (local.get $c) (i64.shl (local.get $c) (i64.const 17))))";

/// All kernels, each under a name of its own.
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
