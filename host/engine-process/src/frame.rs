//! Messages on a stream: the length as four bytes, little-endian, then JSON of that length.
//! Allocates only for bytes that have arrived.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest message from an engine process, in bytes.
pub const PROCESS_MESSAGE_BYTES_MAX: u32 = 4 << 20;
/// The longest message to an engine process, in bytes: a setup may contain a long game.
pub const HOST_MESSAGE_BYTES_MAX: u32 = 64 << 20;

/// Why no message could be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The stream ended at the start of a message.
    #[error("the channel is closed")]
    Closed,
    /// The stream ended or failed within a message.
    #[error("the channel broke: {0}")]
    Broken(#[from] io::Error),
    /// The stated length exceeds the limit.
    #[error("a message of {0} bytes; at most {1} are admitted")]
    TooLong(u32, u32),
    /// The JSON is not one of the messages.
    #[error("an invalid message: {0}")]
    Unknown(String),
}

/// Writes a message with one call.
pub fn write(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let bytes = u32::try_from(frame.len() - 4).map_err(|_| io::ErrorKind::InvalidInput)?;
    frame[..4].copy_from_slice(&bytes.to_le_bytes());
    stream.write_all(&frame)
}

/// Reads a message of at most `max_bytes`.
pub fn read<T: DeserializeOwned>(stream: &mut impl Read, max_bytes: u32) -> Result<T, FrameError> {
    let mut length = [0; 4];
    if stream.read(&mut length[..1])? == 0 {
        return Err(FrameError::Closed);
    }
    stream.read_exact(&mut length[1..])?;
    let bytes = u32::from_le_bytes(length);
    if bytes > max_bytes {
        return Err(FrameError::TooLong(bytes, max_bytes));
    }
    let mut body = Vec::new();
    stream.take(bytes.into()).read_to_end(&mut body)?;
    if body.len() as u64 != u64::from(bytes) {
        return Err(FrameError::Broken(io::ErrorKind::UnexpectedEof.into()));
    }
    serde_json::from_slice(&body).map_err(|error| FrameError::Unknown(error.to_string()))
}
