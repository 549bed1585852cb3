//! Decodes files whose texts are not UTF-8. The format names the encoding; its tables are here and
//! not in `games`, because they would become part of every engine. Reads no files and knows no
//! format.

use std::borrow::Cow;

use encoding_rs::GB18030;
use sandboard_games::Variant;
use sandboard_games::formats::{
    Encoding, FormatError, GameTree, Location, ReadFn, preserved_bytes,
};

/// Reads the games of a file whose texts are UTF-8 or in this encoding.
pub fn read_decoded(
    read: ReadFn,
    encoding: Encoding,
    bytes: &[u8],
    variant: Option<&Variant>,
) -> Result<Vec<GameTree>, FormatError> {
    match encoding {
        Encoding::Latin1 => read(bytes, variant),
        Encoding::Gb18030 => read(&decode_file(bytes)?, variant),
        Encoding::Gb18030Parts => {
            let mut games = read(bytes, variant)?;
            for game in &mut games {
                let full = |full| FormatError::new(Location::Whole, format!("{full}"));
                game.map_texts(decode_part).map_err(full)?;
            }
            Ok(games)
        }
    }
}

/// The whole file as UTF-8.
fn decode_file(bytes: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    let Err(error) = std::str::from_utf8(bytes) else { return Ok(Cow::Borrowed(bytes)) };
    match GB18030.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(Cow::Owned(text.into_owned().into_bytes())),
        None => {
            let reason = "the text is neither UTF-8 nor GB 18030";
            Err(FormatError::new(Location::Byte(error.valid_up_to()), reason))
        }
    }
}

/// A name or a comment as UTF-8; invalid bytes are replaced.
fn decode_part(text: &str) -> String {
    let Some(bytes) = preserved_bytes(text) else { return text.to_owned() };
    let text = GB18030.decode_without_bom_handling(&bytes).0;
    // No control characters, which a terminal could interpret.
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
