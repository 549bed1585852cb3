//! The options that a program offers, held against those that its manifest sets.

use sandboard_abi::Setup;

use super::exchange::refusal;
use super::settings;
use super::uci::Offered;
use super::wire::Wire;
use crate::engine::{Fault, FaultCode};

/// Options that a program may offer, as far as they are looked at.
const OFFERED: usize = 1024;

/// The option that says how many threads a program may use, where it has one.
const THREADS: &str = "Threads";

/// What a program offers.
#[derive(Default)]
pub(super) struct Offers(Vec<Offered>);

impl Offers {
    /// One more. Err: that is more than is looked at.
    pub(super) fn add(&mut self, offered: Offered) -> Result<(), Fault> {
        if self.0.len() == OFFERED {
            let sentence = format!("offers more than {OFFERED} options");
            return Err(Fault::new(FaultCode::Flood, sentence));
        }
        self.0.push(offered);
        Ok(())
    }

    /// What it offers by this name, whose case means nothing.
    pub(super) fn find(&self, name: &str) -> Option<&Offered> {
        self.0.iter().find(|offered| offered.name.eq_ignore_ascii_case(name))
    }

    /// Its own name for an option that takes this value; `whose` sets it.
    pub(super) fn checked(&self, name: &str, value: &str, whose: &str) -> Result<String, Fault> {
        let Some(offered) = self.find(name) else {
            return Err(refusal(&format!("offers no option `{name}`, which {whose} sets")));
        };
        let name = offered.name.clone();
        match offered.check(value) {
            Ok(()) => Ok(name),
            Err(takes) => {
                Err(refusal(&format!("takes for its option `{name}` {takes}, not `{value}`")))
            }
        }
    }

    /// What is to be set: every option of the manifest with its value, by the program's own names, and what the host knows better.
    pub(super) fn chosen(
        &self,
        wire: &Wire,
        setup: &Setup,
    ) -> Result<Vec<(String, String)>, Fault> {
        let (options, speech) = (&wire.options, &wire.speech);
        let mut chosen = Vec::new();
        for (option, value) in settings(options, &setup.options) {
            let name = self.checked(speech.name_of(&option.name), value, "its manifest")?;
            chosen.push((name, value.to_owned()));
        }
        let is_named = |name: &str| {
            options.iter().any(|it| speech.name_of(&it.name).eq_ignore_ascii_case(name))
        };
        let threads = setup.threads.to_string();
        if setup.threads > 1 {
            if is_named(THREADS) {
                return Err(refusal(&format!(
                    "cannot be given {threads} threads: its manifest has an option `{THREADS}`"
                )));
            }
            chosen.push((self.checked(THREADS, &threads, "its number of threads")?, threads));
            return Ok(chosen);
        }
        if let Some(offered) = self.find(THREADS).filter(|it| it.check(&threads).is_ok())
            && !is_named(THREADS)
        {
            chosen.push((offered.name.clone(), threads));
        }
        Ok(chosen)
    }
}
