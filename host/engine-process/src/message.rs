//! The messages between the host and an engine process: one JSON value in each frame. This module
//! checks no values; each receiver does.

use sandboard_abi::{Barred, Description, Level, Limits, Line, Setup, View};
use serde::{Deserialize, Serialize};

use sandboard_engine::{Caps, ChooseResponse, Fault, Usage};
use sandboard_engine_wasm::{Metering, RuntimeOptions};

/// From the host to an engine process. The first is a [`Task`](HostMessage::Task). Each gets one
/// answer, in order, except for the answers to questions of the process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostMessage {
    /// The task of the process.
    Task(Task),
    /// Requests the engine's description.
    Describe,
    /// Makes the call [`EngineSource::open`](sandboard_engine::EngineSource::open), once, before
    /// the calls below.
    Open,
    /// Makes the call [`Engine::start`](sandboard_engine::Engine::start).
    Start(Setup),
    /// Makes the call [`Engine::played`](sandboard_engine::Engine::played).
    Played(String),
    /// Makes the call [`Engine::taken_back`](sandboard_engine::Engine::taken_back).
    TakenBack(u32),
    /// Makes the call [`Engine::choose`](sandboard_engine::Engine::choose).
    Choose(Limits, Vec<Barred>),
    /// Makes the call [`Engine::think`](sandboard_engine::Engine::think).
    Think,
    /// Answers [`ProcessMessage::Legal`], during a call.
    Legal(Result<String, String>),
    /// Answers [`ProcessMessage::Look`], during a call.
    Look(Result<View, String>),
}

/// The task of an engine process. Its first file is the module; the others are the assets, in
/// order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Loads a native library.
    Native {
        /// The caps of the instance.
        caps: Caps,
        /// The names of its assets.
        assets: Vec<String>,
    },
    /// Runs a component that the host has compiled.
    Wasm {
        /// What the runtime meters.
        metering: Metering,
        /// The options with which it was compiled.
        options: RuntimeOptions,
        /// The caps of the instance.
        caps: Caps,
        /// The names of its assets.
        assets: Vec<String>,
    },
    /// Compiles a component. The second file receives the code.
    Compile {
        /// What the runtime will meter.
        metering: Metering,
        /// The options of the compiler.
        options: RuntimeOptions,
    },
}

/// From an engine process to the host. Reports and logs come before the answer of the call that
/// made them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessMessage {
    /// A line that the engine reported.
    Report(Line),
    /// A text that the engine logged.
    Log(Level, String),
    /// Asks for the legal moves after a line of moves, in a game that the process does not know.
    Legal(String),
    /// Asks for the position after a line of moves, in a game that the process does not know.
    Look(String),
    /// The task is known and its module is loaded.
    Ready(Result<(), Fault>),
    /// The engine's description.
    Described(Result<Description, Fault>),
    /// The instance exists. Making it burned this fuel, in units.
    Opened(Result<u64, Fault>),
    /// The usage of a call without another result.
    Done(Result<Usage, Fault>),
    /// The engine's choice, with its usage.
    Chosen(Result<ChooseResponse, Fault>),
    /// The component is compiled: the size of its code, in bytes. Err: why it cannot be compiled.
    Compiled(Result<u64, String>),
}
