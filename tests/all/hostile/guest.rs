//! Guest engines in WebAssembly text: a sound one, of which a test replaces parts. Independent of
//! the host's reaction.

use std::sync::Arc;

use sandboard_abi::Setup;
use sandboard_builder::component;
use sandboard_engine::{Assets, Caps, Fault, Resources};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, runtime};

/// The replaceable parts with their text in a sound engine. Function names and parameters stay.
const PARTS: &[(&str, &str)] = &[
    // More fields of the module.
    ("more", ""),
    ("memory", r#"(memory (export "memory") 4)"#),
    // The body of the start section's function.
    ("begin", ""),
    // Answers of the six calls: at 16 is an empty `ok`,
    // at 1024 a choice, at 2048 a description.
    ("describe", "(i32.const 2048)"),
    ("start", "(i32.const 16)"),
    ("played", "(i32.const 16)"),
    ("taken-back", "(i32.const 16)"),
    ("choose", "(call $pick) (i32.const 1024)"),
    ("think", "(i32.const 16)"),
    // After each call, the input is freed.
    ("post", "(global.set $top (i32.const 65536))"),
    ("realloc", "(call $bump (local.get $size) (local.get $align))"),
];

/// `%name%` stands for a part. Memory below 65536 is the engine's own: 0 to 15 is empty, answers of
/// `legal` and `look` are at 512, texts of tests at 4096.
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
  ;; Allocates memory that is freed at the end of the call.
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

/// A guest engine, sound or with replaced parts.
#[derive(Clone)]
pub(crate) struct Guest {
    parts: Vec<(&'static str, String)>,
    wit: String,
}

impl Guest {
    /// An engine that plays the first legal move.
    pub(crate) fn sound() -> Self {
        let parts = PARTS.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        Self { parts, wit: component::WIT.to_owned() }
    }

    /// A sound engine with one part replaced.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        Self::sound().and(name, text)
    }

    /// Replaces another part.
    pub(crate) fn and(mut self, name: &str, text: &str) -> Self {
        let part = self.parts.iter_mut().find(|(known, _)| *known == name);
        part.unwrap_or_else(|| panic!("there is no part {name}")).1 = text.to_owned();
        self
    }

    /// Replaces `was` by `is` in the WIT that the engine is built against.
    pub(crate) fn with_interface(mut self, was: &str, is: &str) -> Self {
        assert!(self.wit.contains(was), "the interface has no {was:?}");
        self.wit = self.wit.replacen(was, is, 1);
        self
    }

    /// The guest as a component.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes_with(MODULE)
    }

    /// The component of this module instead, where parts stand as in [`MODULE`].
    fn bytes_with(&self, module: &str) -> Vec<u8> {
        let mut text = module.to_owned();
        for (name, part) in &self.parts {
            text = text.replace(&format!("%{name}%"), part);
        }
        let module = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        component::wrap_core_module(module, &self.wit).expect("it fits the border")
    }

    /// The component, where `was` is `is` in the text of the module.
    pub(crate) fn bytes_where(&self, was: &str, is: &str) -> Vec<u8> {
        assert!(MODULE.contains(was), "the module has no {was:?}");
        self.bytes_with(&MODULE.replace(was, is))
    }

    /// Loads the guest's component.
    pub(crate) fn load(&self, metering: Metering, caps: Caps) -> Arc<WasmModule> {
        Arc::new(load(&self.bytes(), metering, caps).expect("it loads"))
    }
}

/// Loads a component, with one asset of 6 bytes.
pub(crate) fn load(bytes: &[u8], metering: Metering, caps: Caps) -> Result<WasmModule, Fault> {
    let assets = Assets::from([("book".to_owned(), b"abcdef".to_vec())]);
    let resources = Resources { assets, ..Resources::default() };
    WasmModule::load(runtime(), bytes, metering, caps, resources)
}

/// Adds a component of this text, which is instantiated before the first call.
pub(crate) fn with_component(mut engine: Vec<u8>, text: &str) -> Vec<u8> {
    let part = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    append(&mut engine, 4, &part);
    // One instance of the second component, without arguments; the first is the encoder's.
    append(&mut engine, 5, &[1, 0, 1, 0]);
    engine
}

/// Adds a core module of this text.
pub(crate) fn with_module(mut engine: Vec<u8>, text: &str) -> Vec<u8> {
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

/// Setup of a game on the smallest board.
pub(crate) fn small() -> Setup {
    Setup { variant: "freestyle-5".into(), ..gomoku(&[]) }
}
