//! `sandboard zygote`: the process that makes the jailed ones. For sandboard itself to
//! start; it answers nobody at a terminal.

use std::process::ExitCode;

use clap::builder::PossibleValue;

use crate::jail::{Layer, Zygote, zygote_main};

/// Make jailed processes; sandboard starts this itself
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Do without a layer, as if this machine did not give it
    #[arg(long, value_name = "LAYER")]
    without: Vec<Layer>,
}

impl clap::ValueEnum for Layer {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.word()))
    }
}

pub fn run(args: &Args) -> ExitCode {
    let zygote = Zygote { prepare: || (), serve: crate::worker::serve };
    zygote_main(&zygote, &args.without)
}
