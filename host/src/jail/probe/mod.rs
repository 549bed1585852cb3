//! A jailed process that tries what the jail forbids, and says what came of it: for
//! `sandboard doctor` and for tests. Tries what it is told to, one act after the other.

use std::io::{self, BufRead, BufReader, Write};

use serde::{Deserialize, Serialize};

use super::Cell;

mod acts;

pub use acts::{ACTS, Act, Twin};

/// An act that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// Its name, and an argument.
    pub act: String,
    /// None: it succeeded. Else the number of the system's error; nought: one without.
    pub refused: Option<i32>,
    /// What came of it, or the error, in words.
    pub words: String,
}

/// Reads the names of acts line by line from its channel, an argument after a blank, and
/// answers with a line of JSON each.
pub fn serve(cell: Cell) -> i32 {
    let Ok(channel) = cell.channel.try_clone() else { return 1 };
    for line in BufReader::new(channel).lines() {
        let Ok(act) = line else { return 0 };
        let (name, argument) = act.split_once(' ').unwrap_or((&act, ""));
        let done = match ACTS.iter().find(|it| it.name == name) {
            Some(found) => (found.run)(&cell, argument),
            None => Err(io::Error::other("there is no such act")),
        };
        let tried = match done {
            Ok(words) => Tried { act, refused: None, words },
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(0);
                Tried { act, refused: Some(number), words: error.to_string() }
            }
        };
        let Ok(mut answer) = serde_json::to_vec(&tried) else { return 1 };
        answer.push(b'\n');
        if (&cell.channel).write_all(&answer).is_err() {
            return 1;
        }
    }
    0
}
