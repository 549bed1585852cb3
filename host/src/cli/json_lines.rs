//! Many questions to one process: a JSON line in, a JSON line out, in order,
//! flushed after each. A bad line gets `{"error": …}` and stops nothing.

use std::io::{BufRead, Read, Write};

use anyhow::Result;
use sandboard_games::{DynGame, GameInfo, Variant};
use serde::{Deserialize, Serialize};

/// The longest line that is read, in bytes.
pub const LINE_BYTES: usize = 1024 * 1024;

/// A position with the moves after it, as it stands in a line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub position: Option<String>,
    pub moves: Option<Moves>,
    pub variant: Option<String>,
    pub exclude: Option<Moves>,
}

/// Moves as a list of texts, or as one text with blanks between.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "moves are a list of texts, or one text with blanks between them")]
pub enum Moves {
    List(Vec<String>),
    Text(String),
}

impl Moves {
    pub fn texts(&self) -> Vec<&str> {
        match self {
            Moves::List(list) => list.iter().map(String::as_str).collect(),
            Moves::Text(text) => text.split_ascii_whitespace().collect(),
        }
    }
}

impl Question {
    /// The game as it stands after the moves. The line's variant goes before `variant`.
    pub fn game(&self, info: &GameInfo, variant: &Variant) -> Result<Box<dyn DynGame>, String> {
        let own = self.variant.as_deref().map(|text| info.variant(text)).transpose();
        let own = own.map_err(|error| error.to_string())?;
        let mut game = (info.new)(own.as_ref().unwrap_or(variant), self.position.as_deref())
            .map_err(|error| error.to_string())?;
        for (index, mv) in self.moves.iter().flat_map(Moves::texts).enumerate() {
            game.play(mv).map_err(|refusal| format!("move {}: {refusal}", index + 1))?;
        }
        Ok(game)
    }
}

/// What is wrong with a line.
#[derive(Debug, Serialize)]
pub struct Wrong {
    pub error: String,
    /// The kind of an engine's fault, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<crate::engine::FaultCode>,
}

impl From<String> for Wrong {
    fn from(error: String) -> Self {
        Self { error, fault: None }
    }
}

/// Answers every line of standard input until its end. Blank lines are skipped.
pub fn serve<T: Serialize>(answer: impl FnMut(Question) -> Result<T, Wrong>) -> Result<()> {
    serve_on(&mut std::io::stdin().lock(), &mut std::io::stdout().lock(), answer)
}

fn serve_on<T: Serialize>(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    mut answer: impl FnMut(Question) -> Result<T, Wrong>,
) -> Result<()> {
    while let Some(line) = next_line(input)? {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => read(&line).map_err(Wrong::from).and_then(&mut answer),
            Err(reason) => Err(reason.into()),
        };
        match answer {
            Ok(answer) => serde_json::to_writer(&mut *output, &answer)?,
            Err(wrong) => serde_json::to_writer(&mut *output, &wrong)?,
        }
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn read(line: &str) -> Result<Question, String> {
    if !line.trim_start().starts_with('{') {
        return Err("a line is a JSON object, such as {\"moves\": [\"…\"]}".into());
    }
    serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let text = text.replace(" at line 1 column ", " at column ");
        format!("the line cannot be read: {text}")
    })
}

/// The next line without its end; none at the end of the input. What is wrong
/// with the line itself is the inner error.
pub fn next_line(input: &mut dyn BufRead) -> std::io::Result<Option<Result<String, String>>> {
    let mut bytes = Vec::new();
    let mut bounded = input.take(LINE_BYTES as u64 + 1);
    bounded.read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let ended = bytes.last() == Some(&b'\n');
    if !ended && bytes.len() > LINE_BYTES {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(format!("the line is longer than {LINE_BYTES} bytes"))));
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8(bytes).map_err(|_| "the line is not UTF-8".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &[u8], expected: &str) {
        let mut output = Vec::new();
        let moves = |question: Question| {
            let moves = question.moves.ok_or_else(|| Wrong::from("no moves".to_owned()))?;
            Ok(moves.texts().join("+"))
        };
        serve_on(&mut &*input, &mut output, moves).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn every_line_has_its_answer_in_order() {
        check(b"{\"moves\": [\"a\", \"b\"]}\n\n{\"moves\": \"a  b\"}\r\n", "\"a+b\"\n\"a+b\"\n");
        check(b"{}\n{\"moves\": \"a\"}", "{\"error\":\"no moves\"}\n\"a\"\n");
        check(b"", "");
    }

    #[test]
    fn a_bad_line_stops_nothing() {
        let object = r#"{"error":"a line is a JSON object, such as {\"moves\": [\"…\"]}"}"#;
        check(b"nonsense\n{\"moves\": \"a\"}\n", &format!("{object}\n\"a\"\n"));
        check(b"[1]\n", &format!("{object}\n"));
        check(b"\xff\n{\"moves\": \"a\"}\n", "{\"error\":\"the line is not UTF-8\"}\n\"a\"\n");
        let long = [vec![b' '; LINE_BYTES + 5], b"\n{\"moves\": \"a\"}\n".to_vec()].concat();
        check(&long, "{\"error\":\"the line is longer than 1048576 bytes\"}\n\"a\"\n");
    }

    #[test]
    fn a_wrong_field_is_named() {
        let error = read(r#"{"move": "h8"}"#).unwrap_err();
        assert!(error.contains("unknown field `move`") && error.contains("`moves`"), "{error}");
        let error = read(r#"{"moves": 8}"#).unwrap_err();
        assert!(error.contains("moves are a list of texts"), "{error}");
    }
}
