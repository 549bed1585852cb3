//! Lines of bounded length from an input that may be hostile.

use std::io::{BufRead, Read};

/// The longest line that is read, in bytes.
pub const LINE_BYTES: usize = 1024 * 1024;

/// The next line without its line ending; `None` at the end of the input. The inner error says what
/// is wrong with the line (too long, not UTF-8); reading can continue after it.
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
