//! What a program says about itself before any game: its name, and the options that it offers.
//! Every text comes from the program, so it is cut and cleaned.

use sandboard_abi::{GameSpec, OptionSpec, limits};
use sandboard_common::text::clean_text;

/// What a program says about itself. Texts are empty if it does not say them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramIdentity {
    /// The name for people, which may contain the version.
    pub name: String,
    /// The name of its author.
    pub author: String,
    /// The version, in its own scheme.
    pub version: String,
    /// The games that it plays; empty if its protocol does not say that.
    pub games: Vec<GameSpec>,
    /// Its options in its order. Options that no manifest can hold are left out.
    pub options: Vec<IdentifiedOption>,
}

/// An option of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct IdentifiedOption {
    /// The option as a manifest declares it.
    pub spec: OptionSpec,
    /// Its name in the protocol.
    pub protocol_name: String,
}

/// A text of a program as a label: one line, cut to the length of labels.
pub(super) fn label(text: &str) -> String {
    clean_text(text.trim(), limits::LABEL_BYTES)
}
