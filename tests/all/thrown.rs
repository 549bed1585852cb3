//! Exceptions of native C++ engines and panics of Go engines: a fault of that engine only, with the
//! message.

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Decision, Limits};
use sandboard_builder::{Language, NativeProfile, c};
use sandboard_engine::{Assets, Caps, Engine, EngineSource, Fault, NullListener};
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::{Metering, WasmModule};
use sandboard_tests::{gomoku, runtime};

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
    let (caps, assets) = (Caps::default(), Assets::default());
    let module = NativeModule::load(&library, CallMode::Inline, caps, assets).unwrap();
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
    let source = workers.native(bytes, Caps::default(), &Assets::default()).unwrap();
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
	"strings"
)

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

#[test]
fn a_panic_in_go_is_reported_with_its_location() {
    let scratch = tempfile::tempdir().unwrap();
    let own = [("engine.go", GO), ("deeper.go", GO_DEEPER)];
    write(scratch.path(), Language::Go, &own);
    let bytes =
        Language::Go.info().build_component(scratch.path(), &scratch.path().join("out")).unwrap();
    let (caps, assets) = (Caps::default(), Assets::default());
    let module = WasmModule::load(runtime(), &bytes, Metering::Deadline, caps, assets).unwrap();
    let place = |nodes: u64| {
        let mark = format!("// {nodes}");
        let mut lines =
            own.iter().flat_map(|(file, text)| text.lines().zip(1..).map(move |it| (file, it)));
        let found = lines.find(|(_, (line, _))| line.ends_with(&mark)).unwrap();
        format!("{}:{}", found.0, found.1.1)
    };
    let check = |nodes, expected: &str| {
        assert_eq!(outcome_of(&module, Call::Choose(nodes)), expected);
    };
    let panics = |nodes, words: &str| {
        let expected =
            format!("error: answered with an error: panicked at {}: {words}", place(nodes));
        check(nodes, &expected);
    };
    panics(1, "no book");
    panics(2, "runtime error: index out of range [2] with length 0");
    panics(3, "assignment to entry in nil map");
    panics(4, "strings: negative Repeat count");
    panics(5, "nothing there");
    check(6, "error: answered with an error: no book");
    check(7, "Resign");
    check(8, "Play(\"a1\")");
}
