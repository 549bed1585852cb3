//! How the host talks to one external engine, as its manifest says.

use sandboard_abi::OptionSpec;
use sandboard_common::jail_paths::PROGRAM_FOLDER;
use serde::Serialize;

use super::{Dialect, Protocol};

/// How the host talks to an external engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProtocolConfig {
    /// The protocol that the program speaks.
    pub protocol: Protocol,
    /// How the program writes moves.
    pub dialect: Dialect,
    /// The command line arguments of the program.
    pub arguments: Vec<String>,
    /// Options with another name in the protocol: the manifest's name, then the protocol's.
    pub option_names: Vec<(String, String)>,
    /// Assets that the program expects outside of its folder: the asset's name, then its path.
    pub asset_paths: Vec<(String, String)>,
    /// How much memory the program is advised to use; none: three quarters of its limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usable_bytes: Option<u64>,
}

impl ProtocolConfig {
    /// The path at which the program finds an asset.
    pub fn asset_path(&self, asset: &str) -> String {
        let path = self.asset_paths.iter().find(|(name, _)| name == asset);
        path.map_or_else(|| format!("{PROGRAM_FOLDER}/{asset}"), |(_, path)| path.clone())
    }

    /// How much memory the program is advised to use under this limit. A program that fills its
    /// limit with tables has nothing left for itself.
    pub fn usable_bytes(&self, memory_bytes: u64) -> u64 {
        self.usable_bytes.unwrap_or(memory_bytes / 4 * 3)
    }

    /// The protocol's name for an option of the manifest.
    pub fn option_name<'a>(&'a self, name: &'a str) -> &'a str {
        let renamed = self.option_names.iter().find(|(ours, _)| ours == name);
        renamed.map_or(name, |(_, theirs)| theirs)
    }
}

/// Every option of a manifest with its value: from the settings of the game, else its default.
pub fn option_values<'a>(
    options: &'a [OptionSpec],
    settings: &'a [(String, String)],
) -> impl Iterator<Item = (&'a OptionSpec, &'a str)> {
    options.iter().map(|option| {
        let setting = settings.iter().find(|(name, _)| *name == option.name);
        (option, setting.map_or(option.initial.as_str(), |(_, value)| value.as_str()))
    })
}
