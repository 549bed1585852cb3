//! A jailed process that tries what the jail forbids, and says what came of it: for
//! `sandboard doctor` and for tests. Tries what it is told to, one act after the other.

use std::io::{self, BufRead, BufReader, Write};

use serde::{Deserialize, Serialize};

use super::{Cell, Layer, Layers, Role};

mod allowed;
mod calls;
mod deeds;
mod forbidden;

/// Something that can be tried.
pub struct Act {
    /// Its name, on the probe's channel.
    pub name: &'static str,
    /// What it is to people.
    pub about: &'static str,
    /// What must come of it.
    pub verdict: Verdict,
    run: fn(&Cell, &str) -> io::Result<String>,
}

/// What the jail says to an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Refused to every role, with one of these errors.
    Forbidden(&'static [i32]),
    /// No file is there, or none may be opened. Without landlock and a root of its own, files
    /// are there for [`Role::Native`].
    NoFile,
    /// Allowed to every role.
    Allowed,
    /// Allowed to [`Role::Native`] only; the others get one of these errors.
    NativeOnly(&'static [i32]),
    /// It is for a test or the doctor to say: it depends on the argument, or ends the process.
    Open,
}

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

impl Act {
    /// Whether there is only one right outcome.
    pub fn is_judged(&self) -> bool {
        self.verdict != Verdict::Open
    }

    /// Whether this is what must come of it behind these layers. Open acts may end in any way.
    pub fn is_right(&self, role: Role, layers: &Layers, refused: Option<i32>) -> bool {
        let open_files = !layers.has(Layer::Landlock) && !layers.has(Layer::MountNamespace);
        let among = |errors: &[i32]| refused.is_some_and(|number| errors.contains(&number));
        match self.verdict {
            Verdict::Forbidden(errors) => among(errors),
            Verdict::NoFile if role == Role::Native && open_files => true,
            Verdict::NoFile => among(&[libc::EPERM, libc::EACCES, libc::ENOENT]),
            Verdict::NativeOnly(errors) if role != Role::Native => among(errors),
            Verdict::NativeOnly(_) | Verdict::Allowed => refused.is_none(),
            Verdict::Open => true,
        }
    }
}

/// All that can be tried.
pub fn acts() -> impl Iterator<Item = &'static Act> {
    [calls::ACTS, forbidden::ACTS, allowed::ACTS, deeds::ACTS].into_iter().flatten()
}

/// Reads the names of acts line by line from its channel, an argument after a blank, and
/// answers with a line of JSON each.
pub fn serve(cell: Cell) -> i32 {
    let Ok(channel) = cell.channel.try_clone() else { return 1 };
    for line in BufReader::new(channel).lines() {
        let Ok(act) = line else { return 0 };
        let (name, argument) = act.split_once(' ').unwrap_or((&act, ""));
        let done = match acts().find(|it| it.name == name) {
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

/// One call of the system, with no pointer but none and [`EMPTY`].
fn call(number: libc::c_long, arguments: [usize; 6]) -> io::Result<String> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: numbers, null and a constant text; no act maps over or frees what is in use.
    came(unsafe { libc::syscall(number, a, b, c, d, e, f) })
}

/// What the system says of a call.
fn came(result: libc::c_long) -> io::Result<String> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value.to_string()),
    }
}

fn parent() -> usize {
    // SAFETY: a question about a number.
    unsafe { libc::getppid() as usize }
}

/// A call that comes back twice if it is allowed; the second process ends at once.
fn forked(result: libc::c_long) -> io::Result<String> {
    if result == 0 {
        // SAFETY: ends the new process.
        unsafe { libc::_exit(0) }
    }
    came(result)
}
