//! Messages on a stream: four bytes that say how long, the little end first, then
//! so many bytes of JSON. Allocates no more than what has come.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest message that a host takes from a worker, in bytes.
pub const FROM_WORKER_BYTES: u32 = 4 << 20;
/// The longest message that a worker takes from its host, in bytes: a setup may hold
/// a long game.
pub const TO_WORKER_BYTES: u32 = 64 << 20;

/// Why there is no message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The stream has ended where a message would begin.
    #[error("the channel is closed")]
    Closed,
    /// The stream ended or failed in the middle.
    #[error("the channel broke: {0}")]
    Broken(#[from] io::Error),
    /// It says that it is longer than is admitted.
    #[error("a message of {0} bytes; at most {1} are admitted")]
    TooLong(u32, u32),
    /// It is none of the messages there are.
    #[error("a message that is none: {0}")]
    Unknown(String),
}

/// Writes a message, in one piece.
pub fn write(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let bytes = u32::try_from(frame.len() - 4).map_err(|_| io::ErrorKind::InvalidInput)?;
    frame[..4].copy_from_slice(&bytes.to_le_bytes());
    stream.write_all(&frame)
}

/// Reads a message of at most `most_bytes`.
pub fn read<T: DeserializeOwned>(stream: &mut impl Read, most_bytes: u32) -> Result<T, FrameError> {
    let mut length = [0; 4];
    if stream.read(&mut length[..1])? == 0 {
        return Err(FrameError::Closed);
    }
    stream.read_exact(&mut length[1..])?;
    let bytes = u32::from_le_bytes(length);
    if bytes > most_bytes {
        return Err(FrameError::TooLong(bytes, most_bytes));
    }
    let mut body = Vec::new();
    stream.take(bytes.into()).read_to_end(&mut body)?;
    if body.len() as u64 != u64::from(bytes) {
        return Err(FrameError::Broken(io::ErrorKind::UnexpectedEof.into()));
    }
    serde_json::from_slice(&body).map_err(|error| FrameError::Unknown(error.to_string()))
}
