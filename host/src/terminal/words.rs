//! What a person can type: one table behind the parser, `help`, and the help
//! page of `sandboard play`.

use std::path::PathBuf;

use crate::bout::PersonEvent;
use crate::manifest::nearest;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Something of the bout.
    Event(PersonEvent),
    /// The list of commands.
    Help,
    /// The list of legal moves.
    Moves,
    /// Nothing: an empty line.
    Nothing,
}

/// A command.
struct Word {
    name: &'static str,
    /// What may follow, for people; in brackets where it may be left out.
    argument: &'static str,
    about: &'static str,
    read: fn(&str) -> Result<Wish, String>,
}

macro_rules! event {
    ($event:expr) => {
        |rest| match rest {
            "" => Ok(Wish::Event($event)),
            _ => Err("it takes nothing after it".into()),
        }
    };
}

/// The commands, in the order of `help`. Moves are what is none of them.
const WORDS: &[Word] = &[
    Word {
        name: "move",
        argument: "MOVE",
        about: "play a move whose text is a command's name; any other is typed as it is",
        read: read_move,
    },
    Word {
        name: "undo",
        argument: "[N]",
        about: "take back N plies; without a number, your last move",
        read: read_undo,
    },
    Word {
        name: "hint",
        argument: "",
        about: "ask an engine what it would play; your clock runs on",
        read: event!(PersonEvent::Hint),
    },
    Word {
        name: "moves",
        argument: "",
        about: "list the legal moves",
        read: |rest| plain(rest, Wish::Moves),
    },
    Word {
        name: "show",
        argument: "",
        about: "draw board and clocks again",
        read: event!(PersonEvent::Show),
    },
    Word {
        name: "now",
        argument: "",
        about: "have the engine that thinks play at once",
        read: event!(PersonEvent::MoveNow),
    },
    Word {
        name: "pause",
        argument: "",
        about: "stop the clocks",
        read: event!(PersonEvent::Pause),
    },
    Word {
        name: "resume",
        argument: "",
        about: "let the clocks run again",
        read: event!(PersonEvent::Resume),
    },
    Word {
        name: "draw",
        argument: "",
        about: "offer a draw, or take the one that is offered",
        read: event!(PersonEvent::OfferDraw),
    },
    Word {
        name: "accept",
        argument: "",
        about: "take the draw that is offered",
        read: event!(PersonEvent::AcceptDraw),
    },
    Word {
        name: "decline",
        argument: "",
        about: "decline the draw that is offered",
        read: event!(PersonEvent::DeclineDraw),
    },
    Word {
        name: "save",
        argument: "[FILE]",
        about: "save the bout now, or a copy of it in FILE",
        read: read_save,
    },
    Word { name: "resign", argument: "", about: "give up", read: event!(PersonEvent::Resign) },
    Word {
        name: "abort",
        argument: "[REASON]",
        about: "end the bout without a result",
        read: read_abort,
    },
    Word {
        name: "quit",
        argument: "",
        about: "leave; the bout is saved and can be resumed (Ctrl-C and Ctrl-D do the same)",
        read: event!(PersonEvent::Quit),
    },
    Word {
        name: "help",
        argument: "",
        about: "show this list",
        read: |rest| plain(rest, Wish::Help),
    },
];

/// Reads a line. Err: what is wrong with it, and what to type instead.
pub fn parse(line: &str) -> Result<Wish, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Wish::Nothing);
    }
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if let Some(word) = WORDS.iter().find(|word| word.name == first) {
        let read = (word.read)(rest.trim());
        return read.map_err(|reason| format!("`{}`: {reason}; {}", word.name, usage(word)));
    }
    if rest.is_empty() {
        return Ok(Wish::Event(PersonEvent::Move(first.to_owned())));
    }
    let hint = meant(first).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Err(format!("a move is one word; {hint}`help` lists what you can type"))
}

/// The command that a word was probably meant to be.
pub fn meant(word: &str) -> Option<&'static str> {
    let letters = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    letters.then(|| nearest(word, names())).flatten()
}

/// The commands' names.
pub fn names() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|word| word.name)
}

/// The commands as a list for people.
pub fn words_help() -> String {
    let head = |word: &Word| format!("{} {}", word.name, word.argument);
    let width = WORDS.iter().map(|word| head(word).len()).max().unwrap_or(0);
    let line = |word: &Word| format!("  {:width$}  {}\n", head(word), word.about);
    let moves = format!("  {:width$}  {}\n", "a move", "play it, as in `h8`");
    moves + &WORDS.iter().map(line).collect::<String>()
}

fn usage(word: &Word) -> String {
    match word.argument {
        "" => format!("type just `{}`", word.name),
        argument => format!("type `{} {argument}`", word.name),
    }
}

fn plain(rest: &str, wish: Wish) -> Result<Wish, String> {
    if rest.is_empty() { Ok(wish) } else { Err("it takes nothing after it".into()) }
}

fn read_move(rest: &str) -> Result<Wish, String> {
    match rest.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
        [mv] => Ok(Wish::Event(PersonEvent::Move((*mv).to_owned()))),
        _ => Err("it takes one move".into()),
    }
}

fn read_undo(rest: &str) -> Result<Wish, String> {
    if rest.is_empty() {
        return Ok(Wish::Event(PersonEvent::Undo(None)));
    }
    match rest.parse::<u32>() {
        Ok(plies) if plies > 0 => Ok(Wish::Event(PersonEvent::Undo(Some(plies)))),
        _ => Err(format!("`{rest}` is no number of plies from 1")),
    }
}

fn read_save(rest: &str) -> Result<Wish, String> {
    let file = (!rest.is_empty()).then(|| PathBuf::from(rest));
    Ok(Wish::Event(PersonEvent::Save(file)))
}

fn read_abort(rest: &str) -> Result<Wish, String> {
    let reason = if rest.is_empty() { "by the person at the terminal" } else { rest };
    Ok(Wish::Event(PersonEvent::Abort(reason.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Wish) {
        assert_eq!(parse(line), Ok(expected), "{line}");
    }

    fn check_wrong(line: &str, expected: &str) {
        let found = parse(line).map_or_else(|error| error, |wish| format!("{wish:?}"));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn lines() {
        use PersonEvent::*;
        check("h8", Wish::Event(Move("h8".into())));
        check("  h8\t", Wish::Event(Move("h8".into())));
        check("move undo", Wish::Event(Move("undo".into())));
        check("undo", Wish::Event(Undo(None)));
        check("undo 2", Wish::Event(Undo(Some(2))));
        check("hint", Wish::Event(Hint));
        check("save", Wish::Event(Save(None)));
        check("save my game.json", Wish::Event(Save(Some("my game.json".into()))));
        check("abort", Wish::Event(Abort("by the person at the terminal".into())));
        check("abort it rains", Wish::Event(Abort("it rains".into())));
        check("quit", Wish::Event(Quit));
        check("help", Wish::Help);
        check("moves", Wish::Moves);
        check("   ", Wish::Nothing);
        check("quitt", Wish::Event(Move("quitt".into())));
    }

    #[test]
    fn wrong_lines() {
        check_wrong("undo x", "`undo`: `x` is no number of plies from 1; type `undo [N]`");
        check_wrong("undo 0", "`undo`: `0` is no number of plies from 1; type `undo [N]`");
        check_wrong("hint h8", "`hint`: it takes nothing after it; type just `hint`");
        check_wrong("move", "`move`: it takes one move; type `move MOVE`");
        check_wrong("h8 i9", "a move is one word; `help` lists what you can type");
        check_wrong(
            "sav file",
            "a move is one word; did you mean `save`? `help` lists what you can type",
        );
    }

    #[test]
    fn commands_that_were_meant() {
        assert_eq!(meant("quti"), Some("quit"));
        assert_eq!(meant("ressign"), Some("resign"));
        assert_eq!(meant("h8"), None);
        assert_eq!(meant("h2e2"), None);
    }

    #[test]
    fn every_command_is_in_the_help() {
        let help = words_help();
        assert!(names().all(|name| help.contains(&format!("\n  {name} "))), "{help}");
    }
}
