//! Programs that speak another protocol than our border, or the border line by line, as engines: what they are is said in
//! a manifest, what runs is the sealed copy of the file that was hashed, in a jail and nowhere
//! else. Trusts nothing that a program says, and runs none to describe it. Knows no game but in the
//! folders of protocols that are of one.

pub mod dialect;
pub mod gomocup;
pub mod gtp;
pub mod nboard;
pub mod sandboard;
pub mod ucci;
pub mod uci;

#[cfg(target_os = "linux")]
mod exchange;
#[cfg(target_os = "linux")]
mod instance;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod offers;
#[cfg(target_os = "linux")]
mod source;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests;

#[cfg(not(target_os = "linux"))]
mod absent;

use sandboard_abi::OptionSpec;
use sandboard_games::{GameInfo, Variant};
use serde::Serialize;

use crate::jail::PROGRAM_FOLDER;

pub use dialect::Dialect;

#[cfg(not(target_os = "linux"))]
pub use absent::ProcessSource;
#[cfg(target_os = "linux")]
pub use source::ProcessSource;

/// How a program is spoken to, as its manifest says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Speech {
    /// In which protocol.
    pub protocol: Protocol,
    /// How it writes moves.
    pub dialect: Dialect,
    /// What it is started with.
    pub arguments: Vec<String>,
    /// Options whose names in the protocol are no words: ours, and its.
    pub spoken: Vec<(String, String)>,
    /// Assets that it looks for elsewhere than in its folder: their names, and where.
    pub places: Vec<(String, String)>,
}

/// A protocol that programs speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The universal chess interface, of 2006, whatever the game.
    #[default]
    Uci,
    /// UCCI 3.0, the universal Chinese chess protocol, whatever the game.
    Ucci,
    /// The protocol of Gomocup and Piskvork, version 2, for gomoku.
    Gomocup,
    /// The Go text protocol, version 2, for reversi and gomoku.
    Gtp,
    /// The protocol of NBoard, version 2, for reversi.
    Nboard,
    /// Our own border as lines of text, whatever the game.
    Sandboard,
}

impl Protocol {
    /// All of them.
    pub const ALL: &[Protocol] =
        &[Self::Uci, Self::Ucci, Self::Gomocup, Self::Gtp, Self::Nboard, Self::Sandboard];

    /// All of them, by their words in manifests.
    pub const WORDS: &[&str] = &["uci", "ucci", "gomocup", "gtp", "nboard", "sandboard"];

    /// Its word in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Ucci => "ucci",
            Self::Gomocup => "gomocup",
            Self::Gtp => "gtp",
            Self::Nboard => "nboard",
            Self::Sandboard => "sandboard",
        }
    }

    /// The protocol with this word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.word() == word)
    }

    /// The variants of a game that it can tell, as manifests name them; none: it cannot tell the game.
    pub fn variants_of(self, game: &GameInfo) -> Option<Vec<&'static str>> {
        let all = || game.variants.iter().map(|variant| variant.id).collect();
        match (self, game.id) {
            (Self::Uci | Self::Ucci | Self::Sandboard, _) => Some(all()),
            (Self::Gomocup, "gomoku") => Some(gomocup::VARIANTS.to_vec()),
            (Self::Gtp, "gomoku") => Some(gtp::GOMOKU.to_vec()),
            (Self::Gtp, "reversi") => Some(gtp::REVERSI.to_vec()),
            (Self::Nboard, "reversi") => Some(nboard::VARIANTS.to_vec()),
            (Self::Gomocup | Self::Gtp | Self::Nboard, _) => None,
        }
    }

    /// Whether it can tell games of this variant. Err: what it can tell.
    pub fn carries(self, game: &GameInfo, variant: &Variant) -> Result<(), String> {
        let (word, id) = (self.word(), game.id);
        let Some(known) = self.variants_of(game) else {
            return Err(format!("{word} cannot tell games of {id}"));
        };
        match known.iter().any(|known| game.covers(known, variant)) {
            true => Ok(()),
            false => {
                let (variant, known) = (variant.text(), known.join(", "));
                Err(format!("{word} cannot tell {id} {variant}; of {id} it can tell {known}"))
            }
        }
    }

    /// Whether programs that speak it may write moves otherwise than the game does ([`Dialect`]). In the others each
    /// move has one spelling.
    pub fn has_dialects(self) -> bool {
        matches!(self, Self::Uci | Self::Ucci)
    }

    /// Whether programs that speak it may call an option otherwise than the manifest does. Our own takes no name of
    /// several words.
    pub fn has_own_names(self) -> bool {
        self != Self::Sandboard
    }

    /// Its word that ends a search, where it has one.
    pub fn stop_word(self) -> Option<&'static str> {
        match self {
            Self::Uci | Self::Ucci => Some("stop"),
            // Of Yixin's extension; others answer that they do not know it, which does no harm.
            Self::Gomocup => Some(gomocup::STOP),
            // Of GoGui's extension, for who knows it.
            Self::Gtp => Some(gtp::INTERRUPT),
            Self::Nboard => None,
            Self::Sandboard => Some(sandboard::STOP),
        }
    }

    /// Whether a carriage return alone ends a line, too.
    pub fn ends_by_return(self) -> bool {
        self == Self::Gomocup
    }
}

/// Whether a text can be part of a command: no line ends in it.
pub fn is_one_line(text: &str) -> bool {
    !text.contains(|letter: char| letter.is_control())
}

impl Speech {
    /// Where the program finds an asset.
    pub fn place_of(&self, asset: &str) -> String {
        let place = self.places.iter().find(|(name, _)| name == asset);
        place.map_or_else(|| format!("{PROGRAM_FOLDER}/{asset}"), |(_, at)| at.clone())
    }

    /// What the program calls an option of ours.
    pub fn name_of<'a>(&'a self, ours: &'a str) -> &'a str {
        self.spoken.iter().find(|(name, _)| name == ours).map_or(ours, |(_, theirs)| theirs)
    }
}

/// The options of a manifest with the values that a game sets.
pub fn settings<'a>(
    options: &'a [OptionSpec],
    set: &'a [(String, String)],
) -> impl Iterator<Item = (&'a OptionSpec, &'a str)> {
    options.iter().map(|option| {
        let chosen = set.iter().find(|(name, _)| *name == option.name);
        (option, chosen.map_or(option.initial.as_str(), |(_, value)| value.as_str()))
    })
}

#[cfg(test)]
mod words {
    use sandboard_games::game;

    use super::*;

    #[test]
    fn every_protocol_has_its_word() {
        let words: Vec<&str> = Protocol::ALL.iter().map(|it| it.word()).collect();
        assert_eq!(words, Protocol::WORDS);
        assert!(words.iter().all(|word| Protocol::of(word).map(Protocol::word) == Some(word)));
        assert_eq!(Protocol::of("UCI"), None);
        assert!(is_one_line("a b") && !is_one_line("a\nquit") && !is_one_line("a\rb"));
    }

    #[test]
    fn what_a_protocol_can_tell() {
        let check = |word: &str, id: &str, variant: &str, expected: &str| {
            let info = game(id).unwrap();
            let found = Protocol::of(word).unwrap().carries(info, &info.variant(variant).unwrap());
            assert_eq!(found.err().unwrap_or_default(), expected, "{word} {id} {variant}");
        };
        check("uci", "bridge", "", "");
        check("gomocup", "gomoku", "freestyle-19", "");
        check("gomocup", "gomoku", "swap2", "");
        let known = "of gomoku it can tell freestyle, standard, caro, renju, swap2";
        check("gomocup", "gomoku", "swap", &format!("gomocup cannot tell gomoku swap; {known}"));
        check("gomocup", "reversi", "", "gomocup cannot tell games of reversi");
        check("ucci", "xiangqi", "", "");
        check("gtp", "reversi", "standard-10", "");
        check("gtp", "xiangqi", "", "gtp cannot tell games of xiangqi");
        check("nboard", "reversi", "", "");
        check("sandboard", "bridge", "", "");
        let known = "of reversi it can tell standard-8";
        check(
            "nboard",
            "reversi",
            "standard-6",
            &format!("nboard cannot tell reversi standard-6; {known}"),
        );
    }
}
