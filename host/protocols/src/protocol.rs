//! The table of the protocols: one row each, which the protocol's own module defines.

use sandboard_games::{GameInfo, Variant};
use serde::Serialize;

use super::{gomocup, gtp, nboard, sandboard, ucci, uci};

/// A protocol between a game program and an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The universal chess interface of 2006, for any game.
    #[default]
    Uci,
    /// UCCI 3.0, the universal Chinese chess protocol, for any game.
    Ucci,
    /// The protocol of Gomocup and Piskvork, version 2, for gomoku.
    Gomocup,
    /// The Go text protocol, version 2, for reversi and gomoku.
    Gtp,
    /// The protocol of NBoard, version 2, for reversi.
    Nboard,
    /// The Sandboard protocol: our ABI as lines of text, for any game.
    Sandboard,
}

/// The properties of a protocol. To add a protocol, add a module with its texts and its row.
#[derive(Debug)]
pub struct ProtocolInfo {
    /// Its word in manifests and on the command line.
    pub word: &'static str,
    /// The games that it can express.
    pub games: GameSupport,
    /// The command that ends a search, if there is one.
    pub stop_command: Option<&'static str>,
    /// Whether programs may write moves in another notation than the game, see
    /// [`Dialect`](super::Dialect). In the other protocols each move has one spelling.
    pub has_dialects: bool,
    /// Whether a program may have its own name for an option of the manifest.
    pub allows_option_names: bool,
    /// Whether a carriage return alone also ends a line.
    pub accepts_carriage_return: bool,
}

/// The games that a protocol can express.
#[derive(Debug)]
pub enum GameSupport {
    /// Every game in all its variants.
    Any,
    /// These games, each by its id, and their variants as manifests name them.
    Only(&'static [(&'static str, &'static [&'static str])]),
}

/// The row of each protocol, in the order of [`Protocol::ALL`].
const TABLE: [&ProtocolInfo; 6] =
    [&uci::INFO, &ucci::INFO, &gomocup::INFO, &gtp::INFO, &nboard::INFO, &sandboard::INFO];

const TABLE_WORDS: [&str; TABLE.len()] = {
    let mut words = [""; TABLE.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = TABLE[index].word;
        index += 1;
    }
    words
};

impl Protocol {
    /// All protocols, in the order of the enum.
    pub const ALL: &[Protocol] =
        &[Self::Uci, Self::Ucci, Self::Gomocup, Self::Gtp, Self::Nboard, Self::Sandboard];

    /// The words of all protocols in manifests, in the order of [`ALL`](Self::ALL).
    pub const WORDS: &[&str] = &TABLE_WORDS;

    /// Its row in the table of protocols.
    pub fn info(self) -> &'static ProtocolInfo {
        TABLE[self as usize]
    }

    /// Its word in manifests and on the command line.
    pub fn word(self) -> &'static str {
        self.info().word
    }

    /// The protocol with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|protocol| protocol.word() == word)
    }

    /// The variants of a game that the protocol can express, as manifests name them. None: it
    /// cannot express the game.
    pub fn variants_for(self, game: &GameInfo) -> Option<Vec<&'static str>> {
        match self.info().games {
            GameSupport::Any => Some(game.variants.iter().map(|variant| variant.id).collect()),
            GameSupport::Only(games) => {
                let supported = games.iter().find(|(id, _)| *id == game.id);
                supported.map(|(_, variants)| variants.to_vec())
            }
        }
    }

    /// Checks that the protocol can express games of this variant. Err: what it can express.
    pub fn check_variant(self, game: &GameInfo, variant: &Variant) -> Result<(), String> {
        let (word, id) = (self.word(), game.id);
        let Some(supported) = self.variants_for(game) else {
            return Err(format!("{word} cannot express games of {id}"));
        };
        match supported.iter().any(|supported| game.covers(supported, variant)) {
            true => Ok(()),
            false => {
                let (variant, supported) = (variant.text(), supported.join(", "));
                Err(format!(
                    "{word} cannot express {id} {variant}; of {id} it supports {supported}"
                ))
            }
        }
    }

    /// Whether its row [has dialects](ProtocolInfo::has_dialects).
    pub fn has_dialects(self) -> bool {
        self.info().has_dialects
    }

    /// Whether its row [allows option names](ProtocolInfo::allows_option_names).
    pub fn allows_option_names(self) -> bool {
        self.info().allows_option_names
    }
}

#[cfg(test)]
mod tests {
    use sandboard_games::Games;

    use super::*;
    use crate::is_one_line;

    #[test]
    fn every_protocol_has_its_row_and_its_word() {
        for (index, protocol) in Protocol::ALL.iter().enumerate() {
            assert_eq!(*protocol as usize, index);
            assert_eq!(Protocol::from_word(Protocol::WORDS[index]), Some(*protocol));
            let serialized = format!("{protocol:?}").to_ascii_lowercase();
            assert_eq!(protocol.word(), serialized);
        }
        assert_eq!(Protocol::ALL.len(), Protocol::WORDS.len());
        assert_eq!(Protocol::from_word("UCI"), None);
        assert!(is_one_line("a b") && !is_one_line("a\nquit") && !is_one_line("a\rb"));
    }

    #[test]
    fn variants_that_a_protocol_can_express() {
        let check = |word: &str, id: &str, variant: &str, expected: &str| {
            let info = Games::default().find(id).unwrap();
            let protocol = Protocol::from_word(word).unwrap();
            let found = protocol.check_variant(info, &info.variant(variant).unwrap());
            assert_eq!(found.err().unwrap_or_default(), expected, "{word} {id} {variant}");
        };
        check("uci", "bridge", "", "");
        check("gomocup", "gomoku", "freestyle-19", "");
        check("gomocup", "gomoku", "swap2", "");
        let known = "of gomoku it supports freestyle, standard, caro, renju, swap2";
        check("gomocup", "gomoku", "swap", &format!("gomocup cannot express gomoku swap; {known}"));
        check("gomocup", "reversi", "", "gomocup cannot express games of reversi");
        check("ucci", "xiangqi", "", "");
        check("gtp", "reversi", "standard-10", "");
        check("gtp", "xiangqi", "", "gtp cannot express games of xiangqi");
        check("nboard", "reversi", "", "");
        check("sandboard", "bridge", "", "");
        let known = "of reversi it supports standard-8";
        check(
            "nboard",
            "reversi",
            "standard-6",
            &format!("nboard cannot express reversi standard-6; {known}"),
        );
    }
}
