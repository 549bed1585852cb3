//! Engines by the line: a sound one in WebAssembly text, of which a case
//! replaces a part. Says nothing of what the host makes of it.

use std::sync::Arc;

use sandboard_abi::Setup;
use sandboard_forge::component;
use sandboard_host::engine::wasm::{Metering, WasmModule};
use sandboard_host::engine::{Assets, Caps, Fault};
use sandboard_tests::{gomoku, runtime};

/// What a case may replace, and what stands there in a sound engine. The
/// functions' names and parameters stay.
const PARTS: &[(&str, &str)] = &[
    // More fields of the module.
    ("more", ""),
    ("memory", r#"(memory (export "memory") 4)"#),
    // The body of the start section's function.
    ("begin", ""),
    // Where the six calls answer from: 16 holds an `ok` with nothing in it,
    // 1024 a choice, 2048 a description.
    ("describe", "(i32.const 2048)"),
    ("start", "(i32.const 16)"),
    ("played", "(i32.const 16)"),
    ("taken-back", "(i32.const 16)"),
    ("choose", "(call $pick) (i32.const 1024)"),
    ("think", "(i32.const 16)"),
    // After each call: all that was handed in is forgotten.
    ("post", "(global.set $top (i32.const 65536))"),
    ("realloc", "(call $bump (local.get $size) (local.get $align))"),
];

/// `%name%` is a part. Memory below 65536 is the engine's own: 0 to 15 stays
/// empty, 512 is where `legal` and `look` answer, 4096 holds texts of cases.
const MODULE: &str = r#"(module
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
  %memory%
  (global $top (mut i32) (i32.const 65536))
  %more%
  (func $begin %begin%)
  (start $begin)
  ;; Takes memory that nobody gives back before the end of the call.
  (func $bump (param $size i32) (param $align i32) (result i32) (local $at i32)
    (local.set $at
      (i32.and
        (i32.add (global.get $top) (i32.sub (local.get $align) (i32.const 1)))
        (i32.sub (i32.const 0) (local.get $align))))
    (global.set $top (i32.add (local.get $at) (local.get $size)))
    (local.get $at))
  (func $realloc (export "cabi_realloc")
    (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
    %realloc%)
  ;; The first legal move becomes the choice.
  (func $pick (local $at i32) (local $end i32)
    (call $legal (i32.const 0) (i32.const 0) (i32.const 512))
    (local.set $at (i32.load (i32.const 516)))
    (local.set $end (i32.add (local.get $at) (i32.load (i32.const 520))))
    (i32.store (i32.const 1036) (local.get $at))
    (block $found
      (loop $next
        (br_if $found (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $found (i32.eq (i32.load8_u (local.get $at)) (i32.const 32)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.store (i32.const 1040) (i32.sub (local.get $at) (i32.load (i32.const 1036)))))
  ;; The choice is to play the text there.
  (func $play (param $at i32) (param $length i32)
    (i32.store (i32.const 1036) (local.get $at))
    (i32.store (i32.const 1040) (local.get $length)))
  (func (export "sandboard:engine/engine@1.0.0#describe") (result i32) %describe%)
  (func (export "sandboard:engine/engine@1.0.0#start") (param $setup i32) (result i32) %start%)
  (func (export "sandboard:engine/engine@1.0.0#played")
    (param $at i32) (param $length i32) (result i32) %played%)
  (func (export "sandboard:engine/engine@1.0.0#taken-back")
    (param $plies i32) (result i32) %taken-back%)
  (func (export "sandboard:engine/engine@1.0.0#choose") (param $limits i32) (result i32)
    %choose%)
  (func (export "sandboard:engine/engine@1.0.0#think") (result i32) %think%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#describe") (param i32) %post%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#start") (param i32) %post%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#played") (param i32) %post%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#taken-back") (param i32) %post%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#choose") (param i32) %post%)
  (func (export "cabi_post_sandboard:engine/engine@1.0.0#think") (param i32) %post%)
  ;; id, name, author, version: `guest`; one game, gomoku, with one variant, freestyle.
  (data (i32.const 2048)
    "\00\0c\00\00\05\00\00\00" "\00\0c\00\00\05\00\00\00" "\00\0c\00\00\05\00\00\00"
    "\00\0c\00\00\05\00\00\00" "\80\08\00\00\01\00\00\00")
  (data (i32.const 2176) "\08\0c\00\00\06\00\00\00" "\a0\08\00\00\01\00\00\00")
  (data (i32.const 2208) "\10\0c\00\00\09\00\00\00")
  (data (i32.const 3072) "guest   gomoku  freestyle"))"#;

/// A sound engine, or what was made of it.
#[derive(Clone)]
pub struct Guest {
    parts: Vec<(&'static str, String)>,
    wit: String,
}

impl Guest {
    /// Plays the first legal move each time.
    pub fn sound() -> Self {
        let parts = PARTS.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        Self { parts, wit: component::WIT.to_owned() }
    }

    /// A sound engine but for one part.
    pub fn with(name: &str, text: &str) -> Self {
        Self::sound().and(name, text)
    }

    /// Replaces one more part.
    pub fn and(mut self, name: &str, text: &str) -> Self {
        let part = self.parts.iter_mut().find(|(known, _)| *known == name);
        part.unwrap_or_else(|| panic!("there is no part {name}")).1 = text.to_owned();
        self
    }

    /// Built against another border: `was` is `is` in it.
    pub fn border(mut self, was: &str, is: &str) -> Self {
        assert!(self.wit.contains(was), "the border has no {was:?}");
        self.wit = self.wit.replacen(was, is, 1);
        self
    }

    /// The component.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes_with(MODULE)
    }

    /// The component of this module instead, where parts stand as in [`MODULE`].
    fn bytes_with(&self, module: &str) -> Vec<u8> {
        let mut text = module.to_owned();
        for (name, part) in &self.parts {
            text = text.replace(&format!("%{name}%"), part);
        }
        let module = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        component::of_core(module, &self.wit).expect("it fits the border")
    }

    /// The component, where `was` is `is` in the text of the module.
    pub fn bytes_where(&self, was: &str, is: &str) -> Vec<u8> {
        assert!(MODULE.contains(was), "the module has no {was:?}");
        self.bytes_with(&MODULE.replace(was, is))
    }

    /// Loaded.
    pub fn load(&self, metering: Metering, caps: Caps) -> Arc<WasmModule> {
        Arc::new(load(&self.bytes(), metering, caps).expect("it loads"))
    }
}

/// Loads a component, with one asset of 6 bytes.
pub fn load(bytes: &[u8], metering: Metering, caps: Caps) -> Result<WasmModule, Fault> {
    let assets = Assets::from([("book".to_owned(), b"abcdef".to_vec())]);
    WasmModule::load(runtime(), bytes, metering, caps, assets)
}

/// A component with one more, of this text, that is instantiated before it is
/// asked anything.
pub fn with_component(mut engine: Vec<u8>, text: &str) -> Vec<u8> {
    let part = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    append(&mut engine, 4, &part);
    // One instance, of the second component, with no arguments: the first is of the encoder.
    append(&mut engine, 5, &[1, 0, 1, 0]);
    engine
}

/// A component with one more module, of this text.
pub fn with_module(mut engine: Vec<u8>, text: &str) -> Vec<u8> {
    append(&mut engine, 1, &wat::parse_str(text).unwrap_or_else(|error| panic!("{error}")));
    engine
}

/// Appends a section.
fn append(bytes: &mut Vec<u8>, id: u8, body: &[u8]) {
    bytes.push(id);
    let mut length = body.len();
    while length > 0x7f {
        bytes.push(length as u8 & 0x7f | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.extend(body);
}

/// A game on the smallest board.
pub fn small() -> Setup {
    Setup { variant: "freestyle-5".into(), ..gomoku(&[]) }
}
