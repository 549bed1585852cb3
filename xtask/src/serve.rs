//! `cargo xtask serve`, and the browser's half of `cargo xtask play`: everything built, then the
//! host's own server. Decides nothing about it but where its engines are.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sandboard_forge::run::{on_path, run, show};

use crate::workspace::Workspace;
use crate::{engines, play};

#[derive(clap::Args)]
pub struct Args {
    /// Passed on to `sandboard serve`: --port, --address, --token, --store …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

pub fn main(args: &Args) -> Result<()> {
    let workspace = Workspace::load()?;
    play::build(&workspace)?;
    run(&mut command(&workspace, &args.arguments))
}

/// Serves, and opens the address in a browser where there is a desktop.
pub fn open(workspace: &Workspace, arguments: &[OsString]) -> Result<()> {
    let mut command = command(workspace, arguments);
    let mut server = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", show(&command)))?;
    let words = server.stdout.take().context("the server has an output")?;
    let mut opened = false;
    for line in BufReader::new(words).lines() {
        let line = line.context("cannot read what the server says")?;
        writeln!(std::io::stdout(), "{line}").context("cannot print")?;
        if let Some(address) = address_in(&line).filter(|_| !opened) {
            show_in_browser(address);
            opened = true;
        }
    }
    let status = server.wait()?;
    if !status.success() {
        bail!("`{}` failed ({status})", show(&command));
    }
    Ok(())
}

/// Adds the workspace's folder of engines, unless another one is named.
pub fn with_engines<'a>(
    command: &'a mut Command,
    workspace: &Workspace,
    asked: &[OsString],
) -> &'a mut Command {
    if !play::mentions(asked, "--engines-dir") {
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

/// The first address of a page that a line names.
fn address_in(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| word.starts_with("http://") || word.starts_with("https://"))
}

/// On a desktop; elsewhere, and where it fails, the printed address must do.
fn show_in_browser(address: &str) {
    let desktop =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if desktop && on_path("xdg-open") => "xdg-open",
        () => return,
    };
    let mut command = Command::new(opener);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Nobody waits for it: some of them end with the browser.
    if let Err(error) = command.spawn() {
        eprintln!("`{}`: {error}; open the address yourself", show(&command));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_what_the_server_says() {
        let check = |line, expected| assert_eq!(address_in(line), expected, "{line}");
        check("sandboard listens on http://127.0.0.1:8000/", Some("http://127.0.0.1:8000/"));
        check("http://[::1]:8000", Some("http://[::1]:8000"));
        check("nothing like http: here, nor xhttp://y", None);
        check("", None);
    }
}
