//! Files whose texts are not UTF-8: the encoding is the format's to say, its tables are here,
//! since those of games would go into every engine. Reads no file and knows no format.

use std::borrow::Cow;

use encoding_rs::GB18030;
use sandboard_games::Variant;
use sandboard_games::formats::{Encoding, FormatError, GameTree, Place, Read, bytes_of};

/// Reads the games of a file whose texts, where they are not UTF-8, are in this encoding.
pub fn read_decoded(
    read: Read,
    encoding: Encoding,
    bytes: &[u8],
    variant: Option<&Variant>,
) -> Result<Vec<GameTree>, FormatError> {
    match encoding {
        Encoding::Latin1 => read(bytes, variant),
        Encoding::Gb18030 => read(&whole(bytes)?, variant),
        Encoding::Gb18030Parts => {
            let mut games = read(bytes, variant)?;
            for game in &mut games {
                let full = |full| FormatError::new(Place::Whole, format!("{full}"));
                game.respell(part).map_err(full)?;
            }
            Ok(games)
        }
    }
}

/// The file as UTF-8.
fn whole(bytes: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    let Err(wrong) = std::str::from_utf8(bytes) else { return Ok(Cow::Borrowed(bytes)) };
    match GB18030.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => Ok(Cow::Owned(text.into_owned().into_bytes())),
        None => {
            let reason = "the text is neither UTF-8 nor GB 18030";
            Err(FormatError::new(Place::Byte(wrong.valid_up_to()), reason))
        }
    }
}

/// A name or a comment; what is no sign of the encoding is replaced.
fn part(text: &str) -> String {
    let Some(bytes) = bytes_of(text) else { return text.to_owned() };
    let text = GB18030.decode_without_bom_handling(&bytes).0;
    // Nothing that a terminal would take for an order.
    text.chars().map(|sign| if sign.is_control() && sign != '\n' { ' ' } else { sign }).collect()
}
