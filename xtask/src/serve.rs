//! `cargo xtask serve`, and `cargo xtask play` in the browser: builds everything, then runs
//! `sandboard serve`. The only setting that it adds is the engines folder.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
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
            let page = workspace.root.join("target/play.html");
            show_in_browser(address, &page);
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
/// was printed. The address contains a token, so it is passed in a private file: every user of the
/// machine can read the arguments of a process.
fn show_in_browser(address: &str, page: &Path) {
    let desktop =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let opener = match () {
        () if cfg!(target_os = "macos") => "open",
        () if desktop && is_on_path("xdg-open") => "xdg-open",
        () => return,
    };
    let page = match write_redirect(address, page) {
        Ok(page) => page,
        Err(error) => {
            eprintln!("{}: {error}; open the address yourself", page.display());
            return;
        }
    };
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not waited for: some openers end only with the browser.
    if let Err(error) = command.spawn() {
        eprintln!("`{}`: {error}; open the address yourself", command_line(&command));
    }
}

/// Writes a page that only the owner can read, and that leads to an address. Returns its path.
fn write_redirect(address: &str, page: &Path) -> std::io::Result<PathBuf> {
    // A new file, so that its permissions are the ones below.
    if let Err(error) = std::fs::remove_file(page)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut options = File::options();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // An address consists of characters that need no escapes in HTML.
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" \
         content=\"0; url={address}\"><title>Sandboard</title><a href=\"{address}\">Sandboard</a>\n"
    );
    options.open(page)?.write_all(text.as_bytes())?;
    Ok(page.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_page_with_the_token_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("play.html");
        std::fs::write(&page, "readable by all").unwrap();
        write_redirect("http://127.0.0.1:8000/#token=abc", &page).unwrap();
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(text.contains("url=http://127.0.0.1:8000/#token=abc\""), "{text}");
    }

    #[test]
    fn the_address_is_found_in_the_output_of_the_server() {
        let check = |line, expected| assert_eq!(address_in(line), expected, "{line}");
        check("sandboard listens on http://127.0.0.1:8000/", Some("http://127.0.0.1:8000/"));
        let with_token = "http://127.0.0.1:8000/#token=abc";
        check("Sandboard is running at http://127.0.0.1:8000/#token=abc", Some(with_token));
        check("http://[::1]:8000", Some("http://[::1]:8000"));
        check("nothing like http: here, nor xhttp://y", None);
        check("", None);
    }
}
