//! Exports an engine in the form for choosers.

use sandboard_sdk::abi::{Barred, Choice, Description, Limits, Setup};
use sandboard_sdk::{CrateInfo, Engine, Host, export_engine};

struct Mine;

impl Engine for Mine {
    fn describe(_crate_info: CrateInfo) -> Description {
        Description::default()
    }

    fn start(_setup: &Setup, _host: Host) -> Result<Self, String> {
        Ok(Mine)
    }

    fn played(&mut self, _mv: &str) -> Result<(), String> {
        Ok(())
    }

    fn taken_back(&mut self, _plies: u32) -> Result<(), String> {
        Ok(())
    }

    fn choose(&mut self, _limits: &Limits, _barred: &[Barred]) -> Result<Choice, String> {
        Err("never".into())
    }
}

export_engine!(Mine);

fn main() {}
