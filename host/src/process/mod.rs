//! Programs that speak another protocol than our border, as engines: what they are is said in
//! a manifest, what runs is the sealed copy of the file that was hashed, in a jail and nowhere
//! else. Knows no game, trusts nothing that a program says, and runs none to describe it.

pub mod dialect;
pub mod uci;

#[cfg(target_os = "linux")]
mod instance;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod source;
#[cfg(target_os = "linux")]
mod talk;

#[cfg(not(target_os = "linux"))]
mod absent;

use sandboard_abi::OptionSpec;
use serde::Serialize;

pub use dialect::Dialect;

#[cfg(not(target_os = "linux"))]
pub use absent::ProcessSource;
#[cfg(target_os = "linux")]
pub use source::ProcessSource;

/// How a program is spoken to, as its manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Speech {
    /// In which protocol.
    pub protocol: Protocol,
    /// How it writes moves.
    pub dialect: Dialect,
    /// What it is started with.
    pub arguments: Vec<String>,
    /// Options whose names in the protocol are no words: ours, and its.
    pub spoken: Vec<(String, String)>,
}

/// A protocol that programs speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The universal chess interface, of 2006, whatever the game.
    #[default]
    Uci,
}

impl Protocol {
    /// All of them, by their words in manifests.
    pub const WORDS: &[&str] = &["uci"];

    /// Its word in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Self::Uci => "uci",
        }
    }

    /// The protocol with this word.
    pub fn of(word: &str) -> Option<Self> {
        (word == Self::Uci.word()).then_some(Self::Uci)
    }
}

impl Speech {
    /// What the program calls an option of ours.
    pub fn name_of<'a>(&'a self, ours: &'a str) -> &'a str {
        self.spoken.iter().find(|(name, _)| name == ours).map_or(ours, |(_, theirs)| theirs)
    }
}

/// The options of a manifest with the values that a game sets.
pub fn settings<'a>(
    options: &'a [OptionSpec],
    set: &'a [(String, String)],
) -> impl Iterator<Item = (&'a OptionSpec, &'a str)> {
    options.iter().map(|option| {
        let chosen = set.iter().find(|(name, _)| *name == option.name);
        (option, chosen.map_or(option.initial.as_str(), |(_, value)| value.as_str()))
    })
}
