//! The commands that a person can type: one table for the parser, `help`, and the help page of
//! `sandboard play`.

use std::path::PathBuf;

use sandboard_bout::driver::InputEvent;
use sandboard_common::suggestions::nearest;

/// The meaning of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// An event of the bout.
    Event(InputEvent),
    /// Print the list of commands.
    Help,
    /// Print the list of legal moves.
    Moves,
    /// An empty line.
    Nothing,
}

/// A command that a person can type.
struct Command {
    name: &'static str,
    /// The argument, for people; in brackets if it is optional.
    argument: &'static str,
    about: &'static str,
    read: fn(&str) -> Result<Request, String>,
}

macro_rules! event {
    ($event:expr) => {
        |rest| match rest {
            "" => Ok(Request::Event($event)),
            _ => Err("it takes no argument".into()),
        }
    };
}

/// The commands, in the order of `help`. All other words are moves.
const COMMANDS: &[Command] = &[
    Command {
        name: "move",
        argument: "MOVE",
        about: "play a move whose text is a command's name; type all other moves directly",
        read: read_move,
    },
    Command {
        name: "undo",
        argument: "[N]",
        about: "take back N plies; without a number, your last move",
        read: read_undo,
    },
    Command {
        name: "hint",
        argument: "",
        about: "ask an engine for a move; your clock keeps running",
        read: event!(InputEvent::Hint),
    },
    Command {
        name: "moves",
        argument: "",
        about: "list the legal moves",
        read: |rest| plain(rest, Request::Moves),
    },
    Command {
        name: "show",
        argument: "",
        about: "draw board and clocks again",
        read: event!(InputEvent::ShowBoard),
    },
    Command {
        name: "now",
        argument: "",
        about: "make the thinking engine move at once",
        read: event!(InputEvent::MoveNow),
    },
    Command {
        name: "pause",
        argument: "",
        about: "stop the clocks",
        read: event!(InputEvent::Pause),
    },
    Command {
        name: "resume",
        argument: "",
        about: "continue the clocks",
        read: event!(InputEvent::Resume),
    },
    Command {
        name: "draw",
        argument: "",
        about: "offer a draw, or accept an offered one",
        read: event!(InputEvent::OfferDraw),
    },
    Command {
        name: "accept",
        argument: "",
        about: "accept the offered draw",
        read: event!(InputEvent::AcceptDraw),
    },
    Command {
        name: "decline",
        argument: "",
        about: "decline the offered draw",
        read: event!(InputEvent::DeclineDraw),
    },
    Command {
        name: "save",
        argument: "[FILE]",
        about: "save the bout now, or a copy of it in FILE",
        read: read_save,
    },
    Command {
        name: "resign",
        argument: "",
        about: "resign the bout",
        read: event!(InputEvent::Resign),
    },
    Command {
        name: "abort",
        argument: "[REASON]",
        about: "end the bout without a result",
        read: read_abort,
    },
    Command {
        name: "quit",
        argument: "",
        about: "leave; the bout is saved and can be resumed (also with Ctrl-C and Ctrl-D)",
        read: event!(InputEvent::Quit),
    },
    Command {
        name: "help",
        argument: "",
        about: "show this list",
        read: |rest| plain(rest, Request::Help),
    },
];

/// Parses a line. Err: the problem, and what to type instead.
pub(super) fn parse(line: &str) -> Result<Request, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Request::Nothing);
    }
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if let Some(command) = COMMANDS.iter().find(|command| command.name == first) {
        let read = (command.read)(rest.trim());
        return read.map_err(|reason| format!("`{}`: {reason}; {}", command.name, usage(command)));
    }
    if rest.is_empty() {
        return Ok(Request::Event(InputEvent::Move(first.to_owned())));
    }
    let hint =
        likely_command(first).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Err(format!("a move is one word; {hint}`help` lists what you can type"))
}

/// The command that a misspelt word probably means.
pub(super) fn likely_command(word: &str) -> Option<&'static str> {
    let letters = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    letters.then(|| nearest(word, names())).flatten()
}

/// The names of the commands.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// The list of commands, for people.
pub(crate) fn commands_help() -> String {
    let head = |command: &Command| format!("{} {}", command.name, command.argument);
    let width = COMMANDS.iter().map(|command| head(command).len()).max().unwrap_or(0);
    let line = |command: &Command| format!("  {:width$}  {}\n", head(command), command.about);
    let moves = format!("  {:width$}  {}\n", "a move", "play it, for example `h8`");
    moves + &COMMANDS.iter().map(line).collect::<String>()
}

fn usage(command: &Command) -> String {
    match command.argument {
        "" => format!("type just `{}`", command.name),
        argument => format!("type `{} {argument}`", command.name),
    }
}

fn plain(rest: &str, request: Request) -> Result<Request, String> {
    if rest.is_empty() { Ok(request) } else { Err("it takes no argument".into()) }
}

fn read_move(rest: &str) -> Result<Request, String> {
    match rest.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
        [mv] => Ok(Request::Event(InputEvent::Move((*mv).to_owned()))),
        _ => Err("it needs one move".into()),
    }
}

fn read_undo(rest: &str) -> Result<Request, String> {
    if rest.is_empty() {
        return Ok(Request::Event(InputEvent::Undo(None)));
    }
    match rest.parse::<u32>() {
        Ok(plies) if plies > 0 => Ok(Request::Event(InputEvent::Undo(Some(plies)))),
        _ => Err(format!("`{rest}` is not a positive number of plies")),
    }
}

fn read_save(rest: &str) -> Result<Request, String> {
    let file = (!rest.is_empty()).then(|| PathBuf::from(rest));
    Ok(Request::Event(InputEvent::Save(file)))
}

fn read_abort(rest: &str) -> Result<Request, String> {
    let reason = if rest.is_empty() { "by the person at the terminal" } else { rest };
    Ok(Request::Event(InputEvent::Abort(reason.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Request) {
        assert_eq!(parse(line), Ok(expected), "{line}");
    }

    fn check_wrong(line: &str, expected: &str) {
        let found = parse(line).map_or_else(|error| error, |request| format!("{request:?}"));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines_are_parsed() {
        use InputEvent::*;
        check("h8", Request::Event(Move("h8".into())));
        check("  h8\t", Request::Event(Move("h8".into())));
        check("move undo", Request::Event(Move("undo".into())));
        check("undo", Request::Event(Undo(None)));
        check("undo 2", Request::Event(Undo(Some(2))));
        check("hint", Request::Event(Hint));
        check("save", Request::Event(Save(None)));
        check("save my game.json", Request::Event(Save(Some("my game.json".into()))));
        check("abort", Request::Event(Abort("by the person at the terminal".into())));
        check("abort it rains", Request::Event(Abort("it rains".into())));
        check("quit", Request::Event(Quit));
        check("help", Request::Help);
        check("moves", Request::Moves);
        check("   ", Request::Nothing);
        check("quitt", Request::Event(Move("quitt".into())));
    }

    #[test]
    fn wrong_lines_are_explained() {
        check_wrong("undo x", "`undo`: `x` is not a positive number of plies; type `undo [N]`");
        check_wrong("undo 0", "`undo`: `0` is not a positive number of plies; type `undo [N]`");
        check_wrong("hint h8", "`hint`: it takes no argument; type just `hint`");
        check_wrong("move", "`move`: it needs one move; type `move MOVE`");
        check_wrong("h8 i9", "a move is one word; `help` lists what you can type");
        check_wrong(
            "sav file",
            "a move is one word; did you mean `save`? `help` lists what you can type",
        );
    }

    #[test]
    fn misspelt_commands_are_recognised() {
        assert_eq!(likely_command("quti"), Some("quit"));
        assert_eq!(likely_command("ressign"), Some("resign"));
        assert_eq!(likely_command("h8"), None);
        assert_eq!(likely_command("h2e2"), None);
    }

    #[test]
    fn every_command_is_in_the_help() {
        let help = commands_help();
        assert!(names().all(|name| help.contains(&format!("\n  {name} "))), "{help}");
    }
}
