//! Random games of OpenSpiel, in a Python process that waits for requests (`open_spiel.py`).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::implementations::{Implementation, Measurement};
use crate::parts::setting;

const SCRIPT: &str = include_str!("open_spiel.py");

/// The Python of the command line that has OpenSpiel. `None` if none is given. One without
/// OpenSpiel ends the process with a message.
pub(crate) fn python() -> Option<String> {
    let python = setting("open_spiel", "");
    if python.is_empty() {
        return None;
    }
    let import = Command::new(&python).args(["-c", "import pyspiel"]).output();
    let fault = match import {
        Ok(output) if output.status.success() => return Some(python),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    let fault = fault.lines().last().unwrap_or_default();
    eprintln!("{python} cannot import pyspiel of the Python package open_spiel: {fault}");
    std::process::exit(2);
}

/// A process of the script, and its request without the number of games.
pub(crate) struct OpenSpiel {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    request: &'static str,
}

impl OpenSpiel {
    pub(crate) fn start(python: &str, request: &'static str) -> Self {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python runs");
        let input = child.stdin.take().expect("it has an input");
        let output = BufReader::new(child.stdout.take().expect("it has an output"));
        Self { child, input, output, request }
    }
}

impl Implementation for OpenSpiel {
    fn play(&mut self, games: u64) -> Measurement {
        writeln!(self.input, "{games} {}", self.request).expect("the script reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the script answers");
        let mut numbers = answer.split_ascii_whitespace().map(str::parse::<f64>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(cpu_s)), Some(Ok(mean_result))) => Measurement { cpu_s, mean_result },
            _ => panic!("OpenSpiel answered `{}` to {}", answer.trim(), self.request),
        }
    }
}

impl Drop for OpenSpiel {
    fn drop(&mut self) {
        // The script would wait for the next request.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
