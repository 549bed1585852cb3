//! `sandboard completions`: prints the script with which a shell completes commands and options.
//! The scripts are made from the definition of the command line, so that they fit this build.

use anyhow::Result;
use clap::Command;

use crate::output::write_file;

const EXAMPLES: &str = "\
Where the shells look for these scripts:

  sandboard completions bash > ~/.local/share/bash-completion/completions/sandboard
  sandboard completions zsh > ~/.zfunc/_sandboard      # with ~/.zfunc in fpath, before compinit
  sandboard completions fish > ~/.config/fish/completions/sandboard.fish

The new script is used in the next shell.";

/// Print the script that completes commands and options in a shell
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

/// The shells that have a script.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    Ok(write_file(&script(args.shell))?)
}

/// The script for a shell. It completes no hidden command.
fn script(shell: Shell) -> Vec<u8> {
    let generator = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut command = visible(&crate::commands::definition());
    let mut script = Vec::new();
    clap_complete::generate(generator, &mut command, "sandboard", &mut script);
    script
}

/// What a script needs of a command, without hidden commands and options.
fn visible(command: &Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    let args = command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned();
    let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(visible);
    let version = command.get_version().map(str::to_owned);
    let copy =
        Command::new(command.get_name().to_owned()).about(about).args(args).subcommands(subs);
    let copy = copy.groups(command.get_groups().cloned());
    match version {
        Some(version) => copy.version(version),
        None => copy,
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn scripts_have_commands_and_options_but_no_hidden_ones() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell)).unwrap();
            let check = |word: &str, expected: bool| {
                assert_eq!(script.contains(word), expected, "{shell:?}: {word}");
            };
            check("sandboard", true);
            check("untrust", true);
            check("engines-dir", true);
            check("round-robin", true);
            check("zygote", false);
            check("without-layer", false);
        }
    }
}
