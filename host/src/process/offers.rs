//! The options that a program offers, held against those that its manifest sets.

use super::exchange::refusal;
use super::uci::Offered;
use crate::engine::{Fault, FaultCode};

/// Options that a program may offer, as far as they are looked at.
const OFFERED: usize = 1024;

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
}
