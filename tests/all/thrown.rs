//! Exceptions and panics in each language, and what engines print: a fault of that engine only,
//! with the message and, where the language knows it, the place in the source. `java.rs` has those
//! of Java, `c/faults.rs` those of C, `engines.rs` those of Rust.

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Decision, Limits};
use sandboard_builder::{Language, NativeProfile, c};
use sandboard_engine::{Caps, Engine, EngineSource, Fault, NullListener, Resources};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{RecordingListener, gomoku, runtime};

use crate::engines::lenient_limits;

/// Writes an engine: its language's template with these files instead of the main file.
fn write(folder: &Path, language: Language, own: &[(&str, &str)]) {
    for (name, text) in language.info().template_files.iter().skip(1).chain(own) {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// The first fault of an instance, or its decision.
fn outcome_of(source: &dyn EngineSource, call: Call) -> String {
    let live = || -> Result<Decision, Fault> {
        let mut engine = source.open(Arc::new(NullListener), 1)?;
        engine.start(&gomoku(&[]))?;
        call.of(&mut *engine)
    };
    match live() {
        Ok(decision) => format!("{decision:?}"),
        Err(fault) => format!("{}: {}", fault.code, fault.sentence),
    }
}

/// The call of an instance after its start.
#[derive(Clone, Copy)]
enum Call {
    /// `choose` with this node limit, by which the engines below select a case.
    Choose(u64),
    /// `played`, then `taken-back` with this number of plies.
    Play(&'static str, u32),
}

impl Call {
    fn of(self, engine: &mut dyn Engine) -> Result<Decision, Fault> {
        match self {
            Call::Choose(nodes) => {
                let limits = Limits { nodes: Some(nodes), ..lenient_limits() };
                engine.choose(&limits, &[]).map(|answer| answer.choice.decision)
            }
            Call::Play(mv, plies) => {
                engine.played(mv)?;
                engine.taken_back(plies)?;
                Ok(Decision::Resign)
            }
        }
    }
}

const CPP: &str = r#"
#include <new>
#include <stdexcept>
#include <string>
#include "sandboard.hpp"
using namespace sandboard;

enum { MOVES, CONSTRUCTOR, ABOUT };

struct Nameless : std::exception {
  const char *what() const noexcept override { return ""; }
};

class Mine : public BaseEngine<Mine> {
 public:
  static About about() {
    if (THROWER == ABOUT) throw std::runtime_error("no name yet");
    return {"mine", "Mine", "Author", "1", "gomoku"};
  }
  Mine() {
    if (THROWER == CONSTRUCTOR) throw std::logic_error("nothing to be made of");
  }
  void played(Text move) {
    if (move == Text("a1")) throw std::runtime_error("not a1");
  }
  void taken_back(uint32_t plies) {
    if (plies > 1) throw "two plies";
  }
  Text next_move(Turn &turn) {
    std::string words = "no book";
    volatile size_t all = SIZE_MAX / 4;
    switch (turn.limits.nodes) {
      case 1: throw std::runtime_error(words);
      case 2: throw 7;
      case 3: return Text(new char[all], 1);
      case 4: throw Nameless();
      case 5: throw std::length_error(std::string(600, 'x'));
      case 6: words = "caf\xe9"; throw std::domain_error(words);
      case 7:
        try {
          throw std::runtime_error(words);
        } catch (const std::exception &) {
          return Text();
        }
    }
    return turn.legal()[0];
  }
};
SANDBOARD_ENGINE(Mine)
"#;

/// The C++ engine that throws there, in this process.
fn in_cpp(thrower: &str) -> (NativeModule, Vec<u8>) {
    let scratch = tempfile::tempdir().unwrap();
    let text = format!("#define THROWER {thrower}\n{CPP}");
    write(scratch.path(), Language::Cpp, &[("engine.cpp", &text)]);
    let library =
        c::build_library(scratch.path(), &scratch.path().join("out"), NativeProfile::Release)
            .unwrap();
    let (caps, resources) = (Caps::default(), Resources::default());
    let module = NativeModule::load(&library, CallMode::Inline, caps, resources).unwrap();
    (module, std::fs::read(&library).unwrap())
}

/// The engine in this process and, if supported, in engine processes.
fn in_all_processes(thrower: &str) -> Vec<Box<dyn EngineSource>> {
    let (module, bytes) = in_cpp(thrower);
    let sources: Vec<Box<dyn EngineSource>> = vec![Box::new(module)];
    in_engine_processes(sources, &bytes)
}

#[cfg(target_os = "linux")]
fn in_engine_processes(
    mut sources: Vec<Box<dyn EngineSource>>,
    bytes: &[u8],
) -> Vec<Box<dyn EngineSource>> {
    let workers = sandboard_tests::engine_processes();
    let source = workers.native(bytes, Caps::default(), &Resources::default()).unwrap();
    sources.push(Box::new(source));
    sources
}

#[cfg(not(target_os = "linux"))]
fn in_engine_processes(
    sources: Vec<Box<dyn EngineSource>>,
    _: &[u8],
) -> Vec<Box<dyn EngineSource>> {
    sources
}

#[test]
fn an_uncaught_exception_is_a_fault_of_a_cpp_engine() {
    let sound = in_all_processes("MOVES");
    let check = |sources: &[Box<dyn EngineSource>], call: Call, expected: &str| {
        for source in sources {
            assert_eq!(outcome_of(&**source, call), expected);
        }
    };
    let choose = |nodes, words: &str| {
        let expected = format!("crash: gave up: uncaught exception{words}");
        check(&sound, Call::Choose(nodes), &expected);
    };
    choose(1, ": no book");
    choose(2, " that is no std::exception");
    choose(3, ": std::bad_alloc");
    choose(4, ": ");
    choose(5, &format!(": {}", "x".repeat(512 - "uncaught exception: ".len())));
    choose(6, ": caf\u{fffd}");
    check(&sound, Call::Choose(7), "Resign");
    check(&sound, Call::Choose(8), "Play(\"a1\")");
    check(&sound, Call::Play("a1", 1), "crash: gave up: uncaught exception: not a1");
    let odd = "crash: gave up: uncaught exception that is no std::exception";
    check(&sound, Call::Play("b1", 2), odd);
    check(&sound, Call::Play("b1", 1), "Resign");
    let made = "crash: gave up: uncaught exception: nothing to be made of";
    check(&in_all_processes("CONSTRUCTOR"), Call::Choose(8), made);
}

#[test]
fn an_exception_in_describe_becomes_name_and_fault() {
    let words = "uncaught exception: no name yet";
    let described = |thrower: &str| {
        let description = in_cpp(thrower).0.describe().unwrap();
        (description.id, description.name)
    };
    assert_eq!(described("MOVES"), ("mine".to_owned(), "Mine".to_owned()));
    assert_eq!(described("ABOUT"), (String::new(), words.to_owned()));
    for source in in_all_processes("ABOUT") {
        let found = outcome_of(&*source, Call::Choose(8));
        assert_eq!(found, format!("crash: gave up: {words}"));
    }
}

const GO: &str = r#"package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func init() { fmt.Println("made") }

var about = About{ID: "mine", Name: "Mine", Author: "Author", Version: "1", Game: "gomoku"}

func nextMove(turn *Turn) (string, error) {
	var none map[string]int
	var squares []string
	switch turn.Limits.Nodes {
	case 1:
		panic("no book") // 1
	case 2:
		return squares[turn.Limits.Nodes], nil // 2
	case 3:
		none["a1"] = 1 // 3
	case 4:
		return strings.Repeat("x", len(squares)-1), nil // 4
	case 5:
		return deeper(100), nil
	case 6:
		return "", errors.New("no book")
	case 7:
		defer func() { recover() }()
		panic("caught")
	case 9:
		fmt.Println("some", 1)
		println("two\nlines", 7, none == nil)
		fmt.Print("a part, ")
		fmt.Fprintln(os.Stderr, "an error")
		fmt.Println("bad\xff")
		fmt.Print("no end")
	case 10:
		<-make(chan int) // 10
	case 11:
		go func() {
			panic("lost") // 11
		}()
		runtime.Gosched()
	case 12:
		os.Exit(3)
	}
	moves, err := turn.Legal("")
	return moves[0], err
}
"#;

const GO_DEEPER: &str = r#"package main

func deeper(plies int) string {
	if plies == 0 {
		panic(errNone) // 5
	}
	return deeper(plies - 1)
}

type none struct{}

func (none) Error() string { return "nothing there" }

var errNone none
"#;

/// The place of the line that ends with this mark, in the files of an engine: `engine.go:12`.
fn place_of(files: &[(&str, &str)], mark: &str) -> String {
    let mut lines =
        files.iter().flat_map(|(file, text)| text.lines().zip(1..).map(move |it| (file, it)));
    let found = lines.find(|(_, (line, _))| line.ends_with(mark));
    let (file, (_, line)) = found.unwrap_or_else(|| panic!("no line ends with {mark}"));
    format!("{file}:{line}")
}

/// The component of an engine with these files.
fn component_of(language: Language, own: &[(&str, &str)]) -> WasmModule {
    let scratch = tempfile::tempdir().unwrap();
    write(scratch.path(), language, own);
    let built = language.info().build_component(scratch.path(), &scratch.path().join("out"));
    let (caps, resources) = (Caps::default(), Resources::default());
    WasmModule::load(runtime(), &built.unwrap(), Metering::Deadline, caps, resources).unwrap()
}

#[test]
fn a_panic_in_go_is_reported_with_its_location() {
    let own = [("engine.go", GO), ("deeper.go", GO_DEEPER)];
    let module = component_of(Language::Go, &own);
    let check = |nodes, expected: &str| {
        assert_eq!(outcome_of(&module, Call::Choose(nodes)), expected);
    };
    let panics = |nodes: u64, words: &str| {
        let place = place_of(&own, &format!("// {nodes}"));
        check(nodes, &format!("error: answered with an error: panicked at {place}: {words}"));
    };
    panics(1, "no book");
    panics(2, "runtime error: index out of range [2] with length 0");
    panics(3, "assignment to entry in nil map");
    panics(4, "strings: negative Repeat count");
    panics(5, "nothing there");
    check(6, "error: answered with an error: no book");
    check(7, "Resign");
    check(8, "Play(\"a1\")");
    check(12, "crash: gave up: exited with status 3");
    let (outcome, log) = choice_with_log(&module, 9);
    assert_eq!(outcome, "Play(\"a1\")");
    let printed =
        ["made", "some 1", "two", "lines 7 true", "a part, ", "an error", "bad?", "no end"];
    assert_eq!(log, printed);
    // What Go's runtime cannot recover from ends the program. The log has the place.
    for (nodes, words) in
        [(10, "fatal error: all goroutines are asleep - deadlock!"), (11, "panic: lost")]
    {
        let (outcome, log) = choice_with_log(&module, nodes);
        assert_eq!(outcome, format!("crash: gave up: {words}"));
        assert_eq!(log[..2], ["made", words], "{log:?}");
        let place = place_of(&own, &format!("// {nodes}"));
        assert!(log.iter().any(|line| line.contains(&place)), "no {place} in {log:?}");
    }
}

/// The outcome of a choice, and the log lines that it wrote.
fn choice_with_log(source: &dyn EngineSource, nodes: u64) -> (String, Vec<String>) {
    let listener = RecordingListener::new();
    let live = || -> Result<Decision, Fault> {
        let mut engine = source.open(listener.clone(), 1)?;
        engine.start(&gomoku(&[]))?;
        Call::Choose(nodes).of(&mut *engine)
    };
    let outcome = match live() {
        Ok(decision) => format!("{decision:?}"),
        Err(fault) => format!("{}: {}", fault.code, fault.sentence),
    };
    let log = std::mem::take(&mut *listener.log.lock().unwrap());
    (outcome, log)
}

const PYTHON: &str = r#"import sys
import time
import traceback
import warnings

from deeper import fail
from sandboard_engine import About, Turn, make_engine

ABOUT = About(id="mine", name="Mine", author="Author", version="1", game="gomoku")


def next_move(turn: Turn) -> str | None:
    match turn.limits.nodes:
        case 1:
            raise ValueError("no book")  # 1
        case 2:
            return [][7]  # 2
        case 3:
            fail(20)
        case 4:
            turn.look("nonsense")  # 4
        case 5:
            sys.exit("enough")  # 5
        case 6:
            open("book")  # 6
        case 7:
            time.time()  # 7
        case 8:
            raise RuntimeError  # 8
        case 9:
            input()  # 9
        case 11:
            return 7
        case 12:
            print("some", 1)
            print("two\nlines")
            print("an error", file=sys.stderr)
            print("no end", end="")
        case 13:
            try:
                fail(0)
            except LookupError:
                traceback.print_exc()
            warnings.warn("old")
    return turn.legal()[0]


Engine = make_engine(ABOUT, next_move)
"#;

const PYTHON_DEEPER: &str = r#"def fail(plies: int) -> None:
    if plies == 0:
        raise LookupError("out of\n  ideas")  # 3
    fail(plies - 1)
"#;

#[test]
fn exceptions_and_prints_in_python_arrive_in_words() {
    let own = [("engine.py", PYTHON), ("deeper.py", PYTHON_DEEPER)];
    let module = component_of(Language::Python, &own);
    let check = |nodes: u64, kind: &str, words: &str| {
        let place = place_of(&own, &format!("# {nodes}"));
        let expected = format!("error: answered with an error: {kind} at {place}{words}");
        assert_eq!(outcome_of(&module, Call::Choose(nodes)), expected);
    };
    check(1, "ValueError", ": no book");
    check(2, "IndexError", ": list index out of range");
    check(3, "LookupError", ": out of ideas");
    let look = outcome_of(&module, Call::Choose(4));
    let start =
        format!("error: answered with an error: IllegalLine at {}: ", place_of(&own, "# 4"));
    assert!(look.starts_with(&start) && look.len() > start.len(), "{look}");
    check(5, "SystemExit", ": enough");
    check(6, "OSError", ": an engine has no files");
    check(7, "OSError", ": an engine has no clock except turn.left()");
    check(8, "RuntimeError", "");
    check(9, "RuntimeError", ": lost sys.stdin");
    let odd = "error: answered with an error: next_move returned int, not a text or None";
    assert_eq!(outcome_of(&module, Call::Choose(11)), odd);
    let (outcome, log) = choice_with_log(&module, 12);
    assert_eq!(outcome, "Play(\"a1\")");
    assert_eq!(log, ["some 1", "two", "lines", "an error", "no end"]);
    let (outcome, log) = choice_with_log(&module, 13);
    assert_eq!(outcome, "Play(\"a1\")");
    let log = log.join("\n");
    for words in
        ["Traceback", "deeper.py\", line 3, in fail", "LookupError: out of", "UserWarning: old"]
    {
        assert!(log.contains(words), "no {words:?} in {log}");
    }
}

const JAVASCRIPT: &str = r#"import { fail } from "./deeper.js";
import { makeEngine } from "./sandboard.js";

const about = { id: "mine", name: "Mine", author: "Author", version: "1", game: "gomoku" };

function nextMove(turn) {
  switch (Number(turn.limits.nodes)) {
    case 1:
      throw new Error("no book"); // 1
    case 2:
      return undefined.length; // 2
    case 3:
      return fail(20);
    case 4:
      throw "only words";
    case 5:
      console.log("some", 1);
      console.error("an error");
  }
  return turn.legal()[0];
}

export const engine = makeEngine(about, nextMove);
"#;

const JAVASCRIPT_DEEPER: &str = r#"export function fail(plies) {
  if (plies === 0) throw new RangeError("out of\n  ideas"); // 3
  return fail(plies - 1);
}
"#;

#[test]
fn exceptions_and_prints_in_javascript_arrive_in_words() {
    let own = [("engine.js", JAVASCRIPT), ("deeper.js", JAVASCRIPT_DEEPER)];
    let module = component_of(Language::JavaScript, &own);
    let check = |nodes: u64, kind: &str, words: &str| {
        let place = place_of(&own, &format!("// {nodes}"));
        let expected = format!("error: answered with an error: {kind} at {place}: {words}");
        assert_eq!(outcome_of(&module, Call::Choose(nodes)), expected);
    };
    check(1, "Error", "no book");
    check(2, "TypeError", "can't access property \"length\" of undefined");
    check(3, "RangeError", "out of ideas");
    assert_eq!(outcome_of(&module, Call::Choose(4)), "error: answered with an error: only words");
    let (outcome, log) = choice_with_log(&module, 5);
    assert_eq!(outcome, "Play(\"a1\")");
    assert_eq!(log, ["some 1", "an error"]);
}

const ASSEMBLY_SCRIPT: &str = r#"import { About, Turn, engine } from "./sandboard";
export { cabi_realloc, engineDescribe, engineStart, enginePlayed, engineTakenBack, engineChoose, engineThink } from "./sandboard";

const about = new About("mine", "Mine", "Author", "1", "gomoku");

function nextMove(turn: Turn): string | null {
  if (turn.limits.nodes == 1) throw new Error("no book"); // 1
  const none: string[] = [];
  if (turn.limits.nodes == 2) return none[7];
  if (turn.limits.nodes == 3) turn.look("nonsense");
  if (turn.limits.nodes == 4) assert(none.length > 0, "no squares"); // 4
  if (turn.limits.nodes == 5) return (7 / none.length).toString();
  return turn.legal()[0];
}

engine(about, nextMove);
"#;

#[test]
fn an_abort_in_assemblyscript_arrives_in_words() {
    let own = [("engine.ts", ASSEMBLY_SCRIPT)];
    let module = component_of(Language::AssemblyScript, &own);
    let check = |nodes: u64, start: &str, end: &str| {
        let found = outcome_of(&module, Call::Choose(nodes));
        assert!(found.starts_with(&format!("crash: gave up: {start}")), "{found}");
        assert!(found.ends_with(end), "{found}");
    };
    let at = |mark: &str| format!(" ({})", place_of(&own, mark));
    check(1, "no book", &at("// 1"));
    check(2, "Index out of range (~lib/array.ts:", ")");
    check(3, "", ")");
    check(4, "no squares", &at("// 4"));
    // What is no exception in AssemblyScript has at least the name of the function.
    let trapped =
        "crash: trapped: integer divide by zero in the module's function `engine/nextMove`";
    assert_eq!(outcome_of(&module, Call::Choose(5)), trapped);
    assert_eq!(outcome_of(&module, Call::Choose(6)), "Play(\"a1\")");
}

const ZIG: &str = r#"const sandboard = @import("sandboard.zig");

pub const about: sandboard.About = .{
    .id = "mine",
    .name = "Mine",
    .author = "Author",
    .version = "1",
    .game = "gomoku",
};

pub fn nextMove(turn: *sandboard.Turn) !?[]const u8 {
    const moves = try turn.legal("");
    switch (turn.limits.nodes) {
        1 => @panic("no book"),
        2 => return error.NoBook,
        3 => _ = try turn.look("nonsense"),
        4 => sandboard.assert(moves.len == 7, @src()), // 4
        5 => sandboard.panicAt("no squares", @src()), // 5
        else => sandboard.assert(moves.len > 0, @src()),
    }
    return moves[0];
}

pub const panic = sandboard.panic;

comptime {
    sandboard.exportEngine(@This());
}
"#;

#[test]
fn panics_and_errors_in_zig_arrive_in_words() {
    let own = [("engine.zig", ZIG)];
    let module = component_of(Language::Zig, &own);
    let check = |nodes: u64, expected: &str| {
        assert_eq!(outcome_of(&module, Call::Choose(nodes)), expected);
    };
    check(1, "crash: gave up: no book");
    check(2, "error: answered with an error: NoBook");
    check(3, "error: answered with an error: IllegalLine");
    for (nodes, words) in [(4, "assertion failed"), (5, "no squares")] {
        let place = place_of(&own, &format!("// {nodes}"));
        check(nodes, &format!("crash: gave up: {words} ({place})"));
    }
    check(6, "Play(\"a1\")");
}
