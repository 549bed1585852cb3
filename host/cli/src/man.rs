//! `sandboard man`: the manual pages of all commands, made from the definition of the command line.
//! The pages depend on nothing but the build: they have no date, and no path of this machine.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use sandboard_common::files::write_atomically;

use crate::output::{out_line, write_file};
use crate::output_file::{FileKind, ensure_replaceable};
use crate::usage;

/// The section of the manual for commands of users.
const SECTION: &str = "1";

const EXAMPLES: &str = "\
Examples:
  sandboard man | man -l -                             # read the page of `sandboard`
  sandboard man ~/.local/share/man/man1                # then: man sandboard-play";

/// Print the manual page of `sandboard`, or write the pages of all commands
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder to write the pages into, one file for each command (`sandboard-play.1`)
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let pages = pages();
    let Some(folder) = &args.folder else {
        return Ok(write_file(pages[0].text.as_bytes())?);
    };
    write_all(&pages, folder)?;
    out_line!("{} pages in {}", pages.len(), folder.display());
    Ok(())
}

/// Writes the pages into an existing folder. Nothing is written if a file there is no manual page.
fn write_all(pages: &[Page], folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        return Err(usage(format!("DIR: folder {} does not exist", folder.display())));
    }
    let files: Vec<PathBuf> = pages.iter().map(|page| folder.join(&page.file)).collect();
    for file in &files {
        ensure_replaceable("DIR", file, FileKind::ManualPage)?;
    }
    for (page, file) in pages.iter().zip(&files) {
        write_atomically(file, page.text.as_bytes())?;
    }
    Ok(())
}

/// A manual page.
struct Page {
    /// Its file, such as `sandboard-play.1`.
    file: String,
    /// What `man` reads.
    text: String,
}

/// The pages of all visible commands; the page of the program itself is the first.
fn pages() -> Vec<Page> {
    let mut command = crate::commands::definition();
    command.build();
    let mut pages = Vec::new();
    add(&command, None, &mut pages);
    pages
}

fn add(command: &Command, parent: Option<&str>, pages: &mut Vec<Page>) {
    pages.push(page(command, parent));
    let name = full_name(command);
    for sub in children(command) {
        add(sub, Some(&name), pages);
    }
}

/// The visible commands below a command.
fn children(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help")
}

/// The name of a command's page, such as `sandboard-arena-match`.
fn full_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: &Command, parent: Option<&str>) -> Page {
    let name = full_name(command);
    let source = format!("sandboard {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(&name).source(source).manual("Sandboard");
    let sections = [
        Man::render_title,
        Man::render_name_section,
        Man::render_synopsis_section,
        Man::render_description_section,
        Man::render_options_section,
    ];
    // Each part begins with the same definitions.
    let definitions = Roff::default().render();
    let mut text = definitions.clone();
    for section in sections {
        let mut part = Vec::new();
        section(&man, &mut part).expect("a vector takes all bytes");
        let part = String::from_utf8(part).expect("pages are UTF-8");
        text += part.strip_prefix(&definitions).unwrap_or(&part);
    }
    let mut roff = Roff::default();
    if children(command).next().is_some() {
        roff.control("SH", ["COMMANDS"]);
        for sub in children(command) {
            roff.control("TP", []);
            roff.text([bold(format!("{}({SECTION})", full_name(sub)))]);
            roff.text([roman(sub.get_about().map(ToString::to_string).unwrap_or_default())]);
        }
    }
    if let Some(more) = command.get_after_long_help() {
        add_sections(&more.to_string(), &mut roff);
    }
    let others: Vec<String> = parent.map(str::to_owned).into_iter().collect();
    let others: Vec<String> = others.into_iter().chain(children(command).map(full_name)).collect();
    if !others.is_empty() {
        roff.control("SH", ["SEE ALSO"]);
        let names: Vec<String> = others.iter().map(|name| format!("{name}({SECTION})")).collect();
        roff.text([roman(names.join(", "))]);
    }
    let part = roff.render();
    text += part.strip_prefix(&definitions).unwrap_or(&part);
    Page { file: format!("{name}.{SECTION}"), text }
}

/// The sections for the text at the end of a command's help. Its paragraphs about exit codes and
/// its examples have sections of their own; indented lines keep their shape.
fn add_sections(text: &str, roff: &mut Roff) {
    let mut heading = "";
    let mut is_indented = false;
    let mut is_paragraph_start = true;
    for line in text.lines() {
        let section = match line {
            line if line.starts_with("Exit codes") => "EXIT STATUS",
            line if line.starts_with("Examples:") => "EXAMPLES",
            // A new paragraph after those sections.
            line if heading != "NOTES" && is_paragraph_start && !line.starts_with(' ') => "NOTES",
            _ => heading,
        };
        if line.is_empty() {
            is_paragraph_start = true;
            continue;
        }
        let indents = line.starts_with(' ');
        if is_indented && !indents {
            roff.control("fi", []).control("RE", []);
        }
        if section != heading {
            roff.control("SH", [section]);
        } else if is_paragraph_start {
            roff.control("PP", []);
        }
        if indents && !is_indented {
            roff.control("RS", ["4"]).control("nf", []);
        }
        (heading, is_indented, is_paragraph_start) = (section, indents, false);
        if line != "Examples:" {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
    }
    if is_indented {
        roff.control("fi", []).control("RE", []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_visible_command_has_a_page() {
        let pages = pages();
        assert_eq!(pages[0].file, "sandboard.1");
        let check = |file: &str, expected: bool| {
            assert_eq!(pages.iter().any(|page| page.file == file), expected, "{file}");
        };
        check("sandboard-play.1", true);
        check("sandboard-arena-match.1", true);
        check("sandboard-man.1", true);
        check("sandboard-zygote.1", false);
        check("sandboard-help.1", false);
        check("sandboard-arena-help.1", false);
        for page in &pages {
            let name = page.file.strip_suffix(".1").unwrap();
            for part in [".SH NAME", ".SH SYNOPSIS", ".SH \"SEE ALSO\""] {
                assert!(page.text.contains(part), "{name}: {part}");
            }
            assert!(!page.text.contains("zygote"), "{name}");
        }
    }

    #[test]
    fn the_end_of_a_help_becomes_sections() {
        let check = |text: &str, expected: &str| {
            let mut roff = Roff::default();
            add_sections(text, &mut roff);
            assert_eq!(roff.to_roff(), expected, "{text}");
        };
        check("One.\n\nTwo.", ".SH NOTES\nOne.\n.PP\nTwo.\n");
        check(
            "Exit codes: 0: done.\n\nExamples:\n  a -b   # c",
            ".SH \"EXIT STATUS\"\nExit codes: 0: done.\n.SH EXAMPLES\n.RS 4\n.nf\na \\-b   # c\n.fi\n\
             .RE\n",
        );
        check("Files:\n  x\nend", ".SH NOTES\nFiles:\n.RS 4\n.nf\nx\n.fi\n.RE\nend\n");
        check(
            "Examples:\n  x\n\nThen.",
            ".SH EXAMPLES\n.RS 4\n.nf\nx\n.fi\n.RE\n.SH NOTES\nThen.\n",
        );
    }

    #[test]
    fn pages_replace_only_pages() {
        let folder = tempfile::tempdir().unwrap();
        let pages = pages();
        write_all(&pages, folder.path()).unwrap();
        write_all(&pages, folder.path()).unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), pages.len());
        let last = folder.path().join(&pages.last().unwrap().file);
        std::fs::write(&last, "my notes").unwrap();
        let error = write_all(&pages, folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not a manual page of Sandboard"), "{error}");
        assert_eq!(std::fs::read_to_string(&last).unwrap(), "my notes");
        let error = write_all(&pages, &folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("does not exist"), "{error}");
    }
}
