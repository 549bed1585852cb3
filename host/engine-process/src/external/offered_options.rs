//! The options that a program offers, compared with those that its manifest sets.

use sandboard_abi::Setup;

use super::client::start_fault;
use super::connection::Connection;
use super::identity::IdentifiedOption;
use sandboard_engine::{Fault, FaultCode};
use sandboard_protocols::option_values;
use sandboard_protocols::uci::OfferedOption;

/// The most options that the host reads.
const OPTIONS_MAX: usize = 1024;

/// The option for the number of threads, if the program has it.
const THREADS_OPTION: &str = "Threads";

/// The options that a program offers.
#[derive(Default)]
pub(super) struct OfferedOptions(Vec<OfferedOption>);

impl OfferedOptions {
    /// Adds an option. Err: there are too many.
    pub(super) fn add(&mut self, offered: OfferedOption) -> Result<(), Fault> {
        if self.0.len() == OPTIONS_MAX {
            let sentence = format!("offers more than {OPTIONS_MAX} options");
            return Err(Fault::new(FaultCode::Flood, sentence));
        }
        self.0.push(offered);
        Ok(())
    }

    /// All options that a manifest can hold.
    pub(super) fn identified(&self) -> Vec<IdentifiedOption> {
        let identified = |offered: &OfferedOption| {
            let protocol_name = offered.name.clone();
            offered.spec().map(|spec| IdentifiedOption { spec, protocol_name })
        };
        self.0.iter().filter_map(identified).collect()
    }

    /// The offered option with this name, in any case.
    pub(super) fn find(&self, name: &str) -> Option<&OfferedOption> {
        self.0.iter().find(|offered| offered.name.eq_ignore_ascii_case(name))
    }

    /// The program's own spelling of an option that accepts this value. `source`: what sets the
    /// option, for the error.
    pub(super) fn check_value(
        &self,
        name: &str,
        value: &str,
        source: &str,
    ) -> Result<String, Fault> {
        let Some(offered) = self.find(name) else {
            return Err(start_fault(&format!("offers no option `{name}`, which {source} sets")));
        };
        let name = offered.name.clone();
        match offered.check(value) {
            Ok(()) => Ok(name),
            Err(takes) => {
                Err(start_fault(&format!("accepts {takes} for its option `{name}`, not `{value}`")))
            }
        }
    }

    /// The options to set: every option of the manifest with its value, by the program's own names,
    /// and the number of threads.
    pub(super) fn values_to_set(
        &self,
        connection: &Connection,
        setup: &Setup,
    ) -> Result<Vec<(String, String)>, Fault> {
        let (options, config) = (&connection.options, &connection.config);
        let mut chosen = Vec::new();
        for (option, value) in option_values(options, &setup.options) {
            let name = self.check_value(config.option_name(&option.name), value, "its manifest")?;
            chosen.push((name, value.to_owned()));
        }
        let is_named = |name: &str| is_in_manifest(connection, name);
        let threads = setup.threads.to_string();
        if setup.threads > 1 {
            if is_named(THREADS_OPTION) {
                return Err(start_fault(&format!(
                    "cannot be given {threads} threads: its manifest has an option `{THREADS_OPTION}`"
                )));
            }
            chosen.push((
                self.check_value(THREADS_OPTION, &threads, "its number of threads")?,
                threads,
            ));
            return Ok(chosen);
        }
        if let Some(offered) = self.find(THREADS_OPTION).filter(|it| it.check(&threads).is_ok())
            && !is_named(THREADS_OPTION)
        {
            chosen.push((offered.name.clone(), threads));
        }
        Ok(chosen)
    }
}

/// Whether the manifest declares the program's option with this name.
pub(super) fn is_in_manifest(connection: &Connection, name: &str) -> bool {
    let (options, config) = (&connection.options, &connection.config);
    options.iter().any(|it| config.option_name(&it.name).eq_ignore_ascii_case(name))
}
