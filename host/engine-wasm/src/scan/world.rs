//! The kinds of components that a host loads, with the names of their interfaces.

use sandboard_abi::{ABI, GAME_ABI, GAME_WIT_PACKAGE, WIT_PACKAGE};

/// What a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// It is an engine.
    Engine,
    /// It has the rules of a game.
    Judge,
}

impl World {
    /// Its WIT package, without the version.
    pub fn package(self) -> &'static str {
        match self {
            World::Engine => WIT_PACKAGE,
            World::Judge => GAME_WIT_PACKAGE,
        }
    }

    /// The number of its interface that this host has: the major version of the package.
    pub fn number(self) -> u32 {
        match self {
            World::Engine => ABI,
            World::Judge => GAME_ABI,
        }
    }

    /// The interface that the component must export.
    pub fn export(self) -> &'static str {
        match self {
            World::Engine => "engine",
            World::Judge => "judge",
        }
    }

    /// A noun with its article, for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            World::Engine => "an engine",
            World::Judge => "a game",
        }
    }
}
