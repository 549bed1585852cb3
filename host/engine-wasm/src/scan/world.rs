//! The kinds of components that a host loads, with the names of their interfaces.

use sandboard_component::{ENGINE, Interface, JUDGE};

/// What a component is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// It is an engine.
    Engine,
    /// It has the rules of a game.
    Judge,
}

impl World {
    /// The interface that the component must export.
    pub fn interface(self) -> &'static Interface {
        match self {
            World::Engine => &ENGINE,
            World::Judge => &JUDGE,
        }
    }

    /// Its WIT package, without the version.
    pub fn package(self) -> &'static str {
        self.interface().package
    }

    /// The number of its interface that this host has: the major version of the package.
    pub fn number(self) -> u32 {
        self.interface().number
    }

    /// The name of the interface that the component must export.
    pub fn export(self) -> &'static str {
        self.interface().export
    }

    /// A noun with its article, for messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            World::Engine => "an engine",
            World::Judge => "a game",
        }
    }
}
