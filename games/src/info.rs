//! What is known of a game without playing it: ids, seats, variants.

use crate::erased::DynGame;
use crate::formats::Format;
use crate::rules::SetupError;

/// What sets up a game.
pub type SetUp = fn(&Variant, Option<&str>) -> Result<Box<dyn DynGame>, SetupError>;

/// A row of the table of games.
#[derive(Debug)]
pub struct GameInfo {
    /// The id, as in manifests and on command lines.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// How many seats it has.
    pub seats: u8,
    /// What the sides 0 and 1 are called as the game begins.
    pub sides: [&'static str; 2],
    /// Its variants; the first is played when none is named.
    pub variants: &'static [VariantInfo],
    /// What move texts look like, the words of phases included; for people.
    pub move_texts: &'static str,
    /// The formats of files of its moves, beside the host's own records.
    pub formats: &'static [Format],
    /// Sets up a game: a variant, and a position text where it does not begin
    /// at the variant's own start.
    pub new: SetUp,
}

/// One parameterisation of a game.
#[derive(Debug)]
pub struct VariantInfo {
    /// Its id, without a size.
    pub id: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Sizes it is played in, first to last; `None` where it has but one.
    pub sizes: Option<(u8, u8)>,
    /// The size when none is named; 0 where it has but one.
    pub usual_size: u8,
}

/// A variant by id with its size: `freestyle` (any size, begins at the usual
/// one) or `freestyle-19` (just that size).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The variant's id without a size.
    pub id: &'static str,
    /// The size asked for; `None`: the usual one, or that of a position text.
    pub size: Option<u8>,
}

impl Variant {
    /// The full text: `freestyle-19`, or `freestyle` where no size is set.
    pub fn text(&self) -> String {
        match self.size {
            Some(size) => format!("{}-{size}", self.id),
            None => self.id.to_owned(),
        }
    }
}

impl GameInfo {
    /// Reads a variant's text: `id` or `id-size`; empty: the first variant.
    /// Err names the text and lists what there is.
    pub fn variant(&self, text: &str) -> Result<Variant, SetupError> {
        if text.is_empty() {
            return Ok(Variant { id: self.variants[0].id, size: None });
        }
        if let Some(info) = self.variants.iter().find(|info| info.id == text) {
            return Ok(Variant { id: info.id, size: None });
        }
        let sized = text.rsplit_once('-').and_then(|(id, size)| {
            let info = self.variants.iter().find(|info| info.id == id)?;
            let (min, max) = info.sizes?;
            let size = size.parse::<u8>().ok()?;
            (min..=max).contains(&size).then_some(Variant { id: info.id, size: Some(size) })
        });
        sized.ok_or_else(|| SetupError::UnknownVariant {
            game: self.id,
            text: text.to_owned(),
            known: self.known_variants(),
        })
    }

    fn known_variants(&self) -> String {
        let text = |info: &VariantInfo| match info.sizes {
            Some((min, max)) => format!("{0}, {0}-{min} to {0}-{max}", info.id),
            None => info.id.to_owned(),
        };
        self.variants.iter().map(text).collect::<Vec<_>>().join("; ")
    }

    /// Whether an engine that declares `declared` plays `variant`: a bare id
    /// covers every size, a full one just its own (the usual size included).
    pub fn covers(&self, declared: &str, variant: &Variant) -> bool {
        let Ok(declared) = self.variant(declared) else { return false };
        let usual = self.variants.iter().find(|info| info.id == variant.id).map(|i| i.usual_size);
        declared.id == variant.id
            && (declared.size.is_none() || declared.size == variant.size.or(usual))
    }
}
