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
    /// Games can end by adjudication (repetition, a count of plies) while the pieces still
    /// have moves. These are listed all the same, though none can be played, and perft counts
    /// lines of moves alone: no adjudication ends one, and one that stops early counts for
    /// nothing. Elsewhere a game that is over has no moves and counts as one.
    pub adjudicates: bool,
    /// For a game that begins by chance: the text of the position that this seed gives a
    /// variant. None: every game of a variant begins alike.
    pub deal: Option<fn(&Variant, u64) -> String>,
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
    /// Sizes it is played in; `None` where it has but one.
    pub sizes: Option<Sizes>,
    /// The size when none is named; 0 where it has but one.
    pub usual_size: u8,
    /// A number that the players agree on beforehand, where there is one.
    pub setting: Option<SettingInfo>,
}

/// The sizes of a variant's boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest.
    pub first: u8,
    /// The largest.
    pub last: u8,
    /// From one to the next: 2 where only every other one is played.
    pub step: u8,
}

impl Sizes {
    /// Every size from the first to the last.
    pub const fn every(first: u8, last: u8) -> Sizes {
        Sizes { first, last, step: 1 }
    }

    /// Every other size from the first to the last.
    pub const fn every_other(first: u8, last: u8) -> Sizes {
        Sizes { first, last, step: 2 }
    }

    /// All of them, smallest first.
    pub fn all(self) -> impl Iterator<Item = u8> {
        (self.first..=self.last).step_by(self.step.into())
    }

    /// Whether boards of this size are played on.
    pub fn contains(self, size: u8) -> bool {
        self.all().any(|known| known == size)
    }

    /// What the texts of a variant with a size look like, behind a comma.
    fn forms(self, id: &str) -> String {
        let (first, last) = (self.first, self.last);
        let second = first.saturating_add(self.step);
        match (first == last, self.step) {
            (true, _) => format!(", {id}-{first}"),
            (false, 1) => format!(", {id}-{first} to {id}-{last}"),
            (false, _) => format!(", {id}-{first}, {id}-{second} to {id}-{last}"),
        }
    }
}

/// A number that belongs to a variant.
#[derive(Debug)]
pub struct SettingInfo {
    /// Its name in variant texts: `fifths` in `renju-contest:fifths=6`.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// The first and the last number that is allowed.
    pub range: (u8, u8),
    /// The number when none is named.
    pub usual: u8,
}

/// A variant by id with its size and setting: `freestyle` (any size, begins at
/// the usual one), `freestyle-19` (just that size), `renju-contest:fifths=6`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The variant's id without a size.
    pub id: &'static str,
    /// The size asked for; `None`: the usual one, or that of a position text.
    pub size: Option<u8>,
    /// The setting asked for; `None`: the usual one, or the variant has none.
    pub setting: Option<Setting>,
}

/// A setting with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The name of the variant's setting.
    pub name: &'static str,
    /// The number, one of the setting's range.
    pub number: u8,
}

impl Variant {
    /// The full text, without what is not set: `freestyle-19`, `freestyle`.
    pub fn text(&self) -> String {
        let size = self.size.map_or(String::new(), |size| format!("-{size}"));
        let setting = self
            .setting
            .map_or(String::new(), |setting| format!(":{}={}", setting.name, setting.number));
        format!("{}{size}{setting}", self.id)
    }
}

impl VariantInfo {
    /// Reads what stands behind an id: nothing, `-size`, `:setting=number` or both.
    fn read(&self, rest: &str) -> Option<Variant> {
        let (size, setting) = match rest.split_once(':') {
            Some((size, setting)) => (size, Some(setting)),
            None => (rest, None),
        };
        let size = match size {
            "" => None,
            _ => {
                let sizes = self.sizes?;
                let size = within((sizes.first, sizes.last), size.strip_prefix('-')?)?;
                Some(Some(size).filter(|&size| sizes.contains(size))?)
            }
        };
        let setting = match setting {
            None => None,
            Some(text) => Some(self.setting.as_ref()?.read(text)?),
        };
        Some(Variant { id: self.id, size, setting })
    }

    /// What its texts look like.
    fn forms(&self) -> String {
        let sized = self.sizes.map_or(String::new(), |sizes| sizes.forms(self.id));
        let set = self.setting.as_ref().map_or(String::new(), |setting| {
            let (first, last) = setting.range;
            format!(", {0}:{1}={first} to {0}:{1}={last}", self.id, setting.name)
        });
        format!("{}{sized}{set}", self.id)
    }
}

impl SettingInfo {
    /// The setting with this number.
    pub(crate) fn at(&self, number: u8) -> Setting {
        Setting { name: self.name, number }
    }

    fn read(&self, text: &str) -> Option<Setting> {
        let (name, number) = text.split_once('=')?;
        (name == self.name).then(|| within(self.range, number))?.map(|number| self.at(number))
    }
}

/// Reads a plain number of a range: one text for each, so no sign and no 0 before it.
fn within((first, last): (u8, u8), text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number.to_string() == text && (first..=last).contains(&number)).then_some(number)
}

impl GameInfo {
    /// Reads a variant's text: `id`, `id-size`, `id:setting=number` or both;
    /// empty: the first variant. Err names the text and lists what there is.
    pub fn variant(&self, text: &str) -> Result<Variant, SetupError> {
        if text.is_empty() {
            return Ok(Variant { id: self.variants[0].id, size: None, setting: None });
        }
        // An id may begin with another, and end with what looks like a size.
        let read = |info: &VariantInfo| info.read(text.strip_prefix(info.id)?);
        self.variants.iter().find_map(read).ok_or_else(|| SetupError::UnknownVariant {
            game: self.id,
            text: text.to_owned(),
            known: self.known_variants(),
        })
    }

    fn known_variants(&self) -> String {
        self.variants.iter().map(VariantInfo::forms).collect::<Vec<_>>().join("; ")
    }

    /// Whether an engine that declares `declared` plays `variant`: a bare id
    /// covers every size and setting, a full one just its own (the usual ones
    /// included).
    pub fn covers(&self, declared: &str, variant: &Variant) -> bool {
        let Ok(declared) = self.variant(declared) else { return false };
        let Some(info) = self.variants.iter().find(|info| info.id == variant.id) else {
            return false;
        };
        let usual = info.setting.as_ref().map(|setting| setting.at(setting.usual));
        declared.id == variant.id
            && (declared.size.is_none() || declared.size == variant.size.or(Some(info.usual_size)))
            && (declared.setting.is_none() || declared.setting == variant.setting.or(usual))
    }
}
