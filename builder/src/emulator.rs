//! Runs programs for 64-bit ARM with Linux on other processors, with QEMU's emulator of programs.
//! There another compiler back end makes the machine code of WebAssembly modules.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::command::is_on_path;
use crate::packages::{self, Purpose};

/// The folder of the C library for this processor. The emulator looks for libraries there first.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// The names of the emulator; the second one needs no libraries itself.
const EMULATORS: [&str; 2] = ["qemu-aarch64", "qemu-aarch64-static"];

/// The address space of the program, in bytes: 64 GiB. The emulator (QEMU 7.2) keeps a table of all
/// pages that were ever reserved. Without this limit, programs that reserve much for WebAssembly
/// memories use up the machine's memory in minutes. The host then takes no pool of instances.
const ADDRESS_SPACE: &str = "0x1000000000";

/// A command that runs this program for 64-bit ARM, ready for its arguments. The program cannot
/// start others for its processor. An error has the command that installs the emulator.
pub fn aarch64(program: &Path) -> Result<Command> {
    let Some(emulator) = EMULATORS.into_iter().find(|name| is_on_path(name)) else {
        let missing = packages::install_command(&packages::names(&[Purpose::Aarch64]));
        bail!("the emulator {} is missing; install it: {missing}", EMULATORS[0]);
    };
    let mut command = Command::new(emulator);
    command.args(["-L", LIBRARIES, "-R", ADDRESS_SPACE]).arg(program);
    Ok(command)
}
