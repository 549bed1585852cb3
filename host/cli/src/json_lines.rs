//! Answers many requests in one process: a JSON line in, a JSON line out, in order, flushed after
//! each. An invalid line gets `{"error": …}` and does not stop the process.

use std::io::{BufRead, Write};

use anyhow::Result;
use sandboard_games::{DynGame, GameInfo, Variant};
use serde::{Deserialize, Serialize};

use sandboard_common::line_reader::next_line;

/// A line of input: a position, and moves after it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PositionRequest {
    pub position: Option<String>,
    pub moves: Option<Moves>,
    pub variant: Option<String>,
    pub exclude: Option<Moves>,
}

/// Moves as a list of texts, or as one text separated by blanks.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "moves must be a list of texts, or one text separated by blanks")]
pub(crate) enum Moves {
    List(Vec<String>),
    Text(String),
}

impl Moves {
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Moves::List(list) => list.iter().map(String::as_str).collect(),
            Moves::Text(text) => text.split_ascii_whitespace().collect(),
        }
    }
}

impl PositionRequest {
    /// The game after the moves. The line's own variant overrides `variant`.
    pub(crate) fn game(
        &self,
        info: &GameInfo,
        variant: &Variant,
    ) -> Result<Box<dyn DynGame>, String> {
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

/// The error of a line.
#[derive(Debug, Serialize)]
pub(crate) struct LineError {
    pub error: String,
    /// The kind of fault, if an engine caused the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<sandboard_engine::FaultCode>,
}

impl From<String> for LineError {
    fn from(error: String) -> Self {
        Self { error, fault: None }
    }
}

/// Answers every line of standard input until its end. Blank lines are skipped.
pub(crate) fn serve<T: Serialize>(
    answer: impl FnMut(PositionRequest) -> Result<T, LineError>,
) -> Result<()> {
    serve_on(&mut std::io::stdin().lock(), &mut crate::output::stdout(), answer)
}

fn serve_on<T: Serialize>(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    mut answer: impl FnMut(PositionRequest) -> Result<T, LineError>,
) -> Result<()> {
    while let Some(line) = next_line(input)? {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => read(&line).map_err(LineError::from).and_then(&mut answer),
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

fn read(line: &str) -> Result<PositionRequest, String> {
    if !line.trim_start().starts_with('{') {
        return Err("a line must be a JSON object, such as {\"moves\": [\"…\"]}".into());
    }
    serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let text = text.replace(" at line 1 column ", " at column ");
        format!("invalid line: {text}")
    })
}

#[cfg(test)]
mod tests {
    use sandboard_common::line_reader::LINE_BYTES;

    use super::*;

    fn check(input: &[u8], expected: &str) {
        let mut output = Vec::new();
        let moves = |request: PositionRequest| {
            let moves = request.moves.ok_or_else(|| LineError::from("no moves".to_owned()))?;
            Ok(moves.texts().join("+"))
        };
        serve_on(&mut &*input, &mut output, moves).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn every_line_gets_its_answer_in_order() {
        check(b"{\"moves\": [\"a\", \"b\"]}\n\n{\"moves\": \"a  b\"}\r\n", "\"a+b\"\n\"a+b\"\n");
        check(b"{}\n{\"moves\": \"a\"}", "{\"error\":\"no moves\"}\n\"a\"\n");
        check(b"", "");
    }

    #[test]
    fn a_bad_line_does_not_stop_the_others() {
        let object = r#"{"error":"a line must be a JSON object, such as {\"moves\": [\"…\"]}"}"#;
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
        assert!(error.contains("moves must be a list of texts"), "{error}");
    }
}
