//! `cargo xtask serve`, and `cargo xtask play` in the browser: builds everything, then runs
//! `sandboard serve`. The only setting that it adds is the engines folder.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sandboard_builder::command::{command_line, is_on_path, run};

use crate::workspace::Workspace;
use crate::{engines, play};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Arguments for `sandboard serve`: --port, --address, --token, --store …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    play::build(&workspace)?;
    run(&mut command(&workspace, &args.arguments))
}

/// Runs the server, and opens its address in a browser if there is a desktop.
pub(crate) fn open(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let mut command = command(workspace, arguments);
    let mut server = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", command_line(&command)))?;
    let stdout = server.stdout.take().context("the server has no standard output")?;
    let mut opened = false;
    for line in BufReader::new(stdout).lines() {
        let line = line.context("cannot read the output of the server")?;
        writeln!(std::io::stdout(), "{line}").context("cannot print")?;
        if let Some(address) = address_in(&line).filter(|_| !opened) {
            show_in_browser(address);
            opened = true;
        }
    }
    let status = server.wait()?;
    if !status.success() {
        bail!("`{}` failed ({status})", command_line(&command));
    }
    Ok(())
}

/// Adds the workspace's engines folder, unless the arguments name another one.
pub(crate) fn with_engines<'a>(
    command: &'a mut Command,
    workspace: &Workspace,
    arguments: &[OsString],
) -> &'a mut Command {
    if !play::has_option(arguments, "--engines-dir") {
        command.arg("--engines-dir").arg(workspace.root.join("engines-dir"));
    }
    command
}

fn command(workspace: &Workspace, arguments: &[OsString]) -> Command {
    let mut command = engines::host(workspace);
    command.arg("serve").args(arguments);
    with_engines(&mut command, workspace, arguments);
    command
}

/// The first address of a web page in a line.
fn address_in(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| word.starts_with("http://") || word.starts_with("https://"))
}

/// Opens an address in the browser of the desktop. Without a desktop nothing happens: the address
/// was printed.
fn show_in_browser(address: &str) {
    let desktop =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if desktop && is_on_path("xdg-open") => "xdg-open",
        () => return,
    };
    let mut command = Command::new(opener);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not waited for: some openers end only with the browser.
    if let Err(error) = command.spawn() {
        eprintln!("`{}`: {error}; open the address yourself", command_line(&command));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_the_output_of_the_server() {
        let check = |line, expected| assert_eq!(address_in(line), expected, "{line}");
        check("sandboard listens on http://127.0.0.1:8000/", Some("http://127.0.0.1:8000/"));
        check("http://[::1]:8000", Some("http://[::1]:8000"));
        check("nothing like http: here, nor xhttp://y", None);
        check("", None);
    }
}
