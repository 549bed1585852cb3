//! What host and worker say to each other: JSON, one value a frame. Sends
//! nothing and believes nothing: whoever receives checks.

use sandboard_abi::{Barred, Description, Level, Limits, Line, Setup};
use serde::{Deserialize, Serialize};

use crate::engine::wasm::{Metering, RuntimeOptions};
use crate::engine::{Answer, Caps, Fault, Spent};

/// From the host to a worker. The first is a [`Task`](ToWorker::Task); each is answered in
/// its turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToWorker {
    /// What it is for.
    Task(Task),
    /// What the engine says of itself is wanted.
    Describe,
    /// [`EngineSource::open`](crate::engine::EngineSource::open); once, before any of these:
    Open,
    /// [`Engine::start`](crate::engine::Engine::start).
    Start(Setup),
    /// [`Engine::played`](crate::engine::Engine::played).
    Played(String),
    /// [`Engine::taken_back`](crate::engine::Engine::taken_back).
    TakenBack(u32),
    /// [`Engine::choose`](crate::engine::Engine::choose).
    Choose(Limits, Vec<Barred>),
    /// [`Engine::think`](crate::engine::Engine::think).
    Think,
}

/// What a worker is for. Its first file is the module, all others in their order
/// are what it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Loads a native library.
    Native {
        /// What its instance may hold and say.
        caps: Caps,
        /// The names of its assets.
        assets: Vec<String>,
    },
    /// Runs a component that the host has compiled.
    Wasm {
        /// What is counted.
        metering: Metering,
        /// What it was compiled with.
        options: RuntimeOptions,
        /// What its instance may hold and say.
        caps: Caps,
        /// The names of its assets.
        assets: Vec<String>,
    },
    /// Compiles a component. Its second file is where the code goes.
    Compile {
        /// What is to be counted.
        metering: Metering,
        /// How.
        options: RuntimeOptions,
    },
}

/// From a worker to its host. What the engine says comes before the answer to the
/// call in which it said it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromWorker {
    /// The engine reported a line.
    Report(Line),
    /// The engine logged a text.
    Log(Level, String),
    /// The task is understood and its module loaded.
    Ready(Result<(), Fault>),
    /// What the engine says of itself.
    Described(Result<Description, Fault>),
    /// There is an instance, and making it has burnt so much fuel, in units.
    Opened(Result<u64, Fault>),
    /// A call came back that brings nothing.
    Done(Result<Spent, Fault>),
    /// A choice.
    Chosen(Result<Answer, Fault>),
    /// The component is compiled: so many bytes of code were written.
    Compiled(Result<u64, String>),
}
