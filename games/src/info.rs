//! Static descriptions of games: ids, seats, sides, variants, board sizes and settings. Holds no
//! position.

use std::collections::BTreeMap;
use std::fmt;

use crate::erased::{DynGame, Game};
use crate::formats::Format;
use crate::general::{GeneralGame, GeneralRules};
use crate::rules::{Rules, Seat, SetupError, Side};

/// Sets up a game of a variant, from a position text if one is given.
pub type SetUpFn =
    &'static (dyn Fn(&Variant, Option<&str>) -> Result<Box<dyn DynGame>, SetupError> + Send + Sync);

/// One row of the table of games.
pub struct GameInfo {
    /// Id in manifests and on command lines.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Number of seats, the largest of all variants. [`seats_of`](Self::seats_of) is the number of
    /// one variant.
    pub seats: u8,
    /// The names of the sides at the start of a game, 1 to 16. Seat `n` belongs to side `n` modulo
    /// their number. A variant has only [those with a seat](Self::sides_of).
    pub sides: &'static [&'static str],
    /// What the game has that two-sided games of perfect information lack.
    pub features: Features,
    /// Variants; the first is the default.
    pub variants: &'static [VariantInfo],
    /// Describes the syntax of move texts for people, including the words of opening procedures.
    pub move_texts: &'static str,
    /// Whether a game can end by adjudication (repetition, ply count) while legal moves remain.
    /// Such moves are still listed but cannot be played, and [`perft`](crate::perft()) ignores
    /// adjudication: it counts move sequences, and one that stops early counts 0. In other games a
    /// finished game has no moves and counts 1.
    pub adjudicates: bool,
    /// For games with a random start: the text of the position that a seed gives a variant. `None`:
    /// every game of a variant starts the same way.
    pub deal: Option<fn(&Variant, u64) -> String>,
    /// File formats that this game's moves can be read from or written to, beside the host's
    /// records.
    pub formats: &'static [Format],
    /// Sets up a game from a variant and, if it does not start normally, a position text.
    pub new: SetUpFn,
    /// Where the rules come from, if the game was plugged in. `None`: they are built in.
    pub plugged_in: Option<PluggedIn>,
}

/// What a game has beside seats that move in turn and see everything. The default is none of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Outcomes of chance during the game: dice, or the deal of cards.
    pub chance: bool,
    /// Positions and moves of which some seats, or spectators, see only a part.
    pub hidden_information: bool,
    /// Several seats that decide at the same time.
    pub simultaneous: bool,
}

impl Features {
    /// None of them: seats move in turn and see everything.
    pub const NONE: Features =
        Features { chance: false, hidden_information: false, simultaneous: false };

    /// Whether the game has none of them.
    pub const fn is_none(self) -> bool {
        !(self.chance || self.hidden_information || self.simultaneous)
    }

    /// Whether each seat sees the game in its own way while it is in progress: something is hidden
    /// from it, or it chooses its move at the same time as other seats.
    pub const fn has_views(self) -> bool {
        self.hidden_information || self.simultaneous
    }
}

/// What the table of games says about plugged-in rules only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluggedIn {
    /// The version in their manifest.
    pub version: &'static str,
    /// The SHA-256 of their module, 64 lower-case hexadecimal digits.
    pub sha256: &'static str,
    /// Their texts in other languages.
    pub translations: &'static Translations,
}

/// The texts of a plugged-in game in other languages: for each language tag (BCP 47), such as `zh`,
/// the translation of each text of the manifest or of the rules. A text may be missing.
pub type Translations = BTreeMap<String, BTreeMap<String, String>>;

/// The translations of a game that has its texts in one language only.
pub static NO_TRANSLATIONS: Translations = Translations::new();

/// One set of rules of a game.
#[derive(Debug)]
pub struct VariantInfo {
    /// Variant id, without a size.
    pub id: &'static str,
    /// One-line description for people.
    pub about: &'static str,
    /// Board sizes; `None` if the size is fixed.
    pub sizes: Option<Sizes>,
    /// Board size if none is named; 0 if the size is fixed.
    pub default_size: u8,
    /// A number that the players agree on before the game.
    pub setting: Option<SettingInfo>,
    /// Number of seats, 1 to [`GameInfo::seats`]: the first seats of the game. `None`: all of them.
    /// Sides that have a seat in the variant have [equally many](GameInfo::has_equal_sides).
    pub seats: Option<u8>,
}

/// The board sizes of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The smallest size.
    pub first: u8,
    /// The largest size.
    pub last: u8,
    /// Difference between sizes: 1 for all, 2 for every other size.
    pub step: u8,
}

impl Sizes {
    /// Every size from `first` to `last`, inclusive.
    pub const fn every(first: u8, last: u8) -> Sizes {
        Sizes { first, last, step: 1 }
    }

    /// Every other size from `first` to `last`, inclusive.
    pub const fn every_other(first: u8, last: u8) -> Sizes {
        Sizes { first, last, step: 2 }
    }

    /// All sizes, smallest first.
    pub fn all(self) -> impl Iterator<Item = u8> {
        (self.first..=self.last).step_by(self.step.into())
    }

    /// Whether `size` is one of these sizes.
    pub fn contains(self, size: u8) -> bool {
        self.all().any(|known| known == size)
    }

    /// The sized variant texts, each after a comma, for error messages.
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

/// A number that is part of a variant.
#[derive(Debug)]
pub struct SettingInfo {
    /// Name in variant texts: `fifths` in `renju-contest:fifths=6`.
    pub name: &'static str,
    /// One-line description for people.
    pub about: &'static str,
    /// Smallest and largest allowed number.
    pub range: (u8, u8),
    /// Number if none is named.
    pub default: u8,
}

/// A variant id with an optional size and setting: `freestyle` (any size, default 15),
/// `freestyle-19` (only that size), `renju-contest:fifths=6`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Variant id, without a size.
    pub id: &'static str,
    /// Requested size. `None`: the default, or the size of a position text.
    pub size: Option<u8>,
    /// Requested setting. `None`: the default, or the variant has no setting.
    pub setting: Option<Setting>,
}

/// A setting's name and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    /// Name of the variant's setting.
    pub name: &'static str,
    /// A number in the setting's range.
    pub number: u8,
}

impl Variant {
    /// The text that [`GameInfo::variant`] reads, without absent parts: `freestyle-19`,
    /// `freestyle`.
    pub fn text(&self) -> String {
        let size = self.size.map_or(String::new(), |size| format!("-{size}"));
        let setting = self
            .setting
            .map_or(String::new(), |setting| format!(":{}={}", setting.name, setting.number));
        format!("{}{size}{setting}", self.id)
    }
}

impl VariantInfo {
    /// A variant with a fixed size and without a setting.
    pub const fn of_one_size(id: &'static str, about: &'static str) -> Self {
        Self { id, about, sizes: None, default_size: 0, setting: None, seats: None }
    }

    /// The same variant for the first `seats` seats of the game.
    pub const fn with_seats(self, seats: u8) -> Self {
        Self { seats: Some(seats), ..self }
    }

    /// Reads what follows the id: nothing, `-size`, `:setting=number` or both.
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

    /// The syntax of this variant's texts, for error messages.
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

/// Reads a canonical decimal number (no sign, no leading 0) within a range.
fn within((first, last): (u8, u8), text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number.to_string() == text && (first..=last).contains(&number)).then_some(number)
}

impl fmt::Debug for GameInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameInfo").field("id", &self.id).finish_non_exhaustive()
    }
}

impl GameInfo {
    /// The row of a two-sided game without a random start, adjudication or file formats.
    pub const fn of<R: Rules>(
        id: &'static str,
        name: &'static str,
        sides: &'static [&'static str; 2],
        variants: &'static [VariantInfo],
        move_texts: &'static str,
    ) -> Self {
        Self {
            id,
            name,
            seats: 2,
            sides,
            features: Features::NONE,
            variants,
            move_texts,
            adjudicates: false,
            deal: None,
            formats: &[],
            new: &Game::<R>::set_up,
            plugged_in: None,
        }
    }

    /// The row of a game of any kind, in which each seat is a side of its own; without a random
    /// start, adjudication or file formats. Sides are named for each seat.
    pub const fn of_general<G: GeneralRules>(
        id: &'static str,
        name: &'static str,
        sides: &'static [&'static str],
        features: Features,
        variants: &'static [VariantInfo],
        move_texts: &'static str,
    ) -> Self {
        Self {
            id,
            name,
            seats: sides.len() as u8,
            sides,
            features,
            variants,
            move_texts,
            adjudicates: false,
            deal: None,
            formats: &[],
            new: &GeneralGame::<G>::set_up,
            plugged_in: None,
        }
    }

    /// The side of a seat: seats belong to the sides in turn.
    pub fn side(&self, seat: Seat) -> Side {
        Side(seat.0 % self.sides.len().max(1) as u8)
    }

    /// The number of seats of a variant: the first seats of the game.
    pub fn seats_of(&self, variant: &Variant) -> u8 {
        let info = self.variants.iter().find(|info| info.id == variant.id);
        info.and_then(|info| info.seats).unwrap_or(self.seats)
    }

    /// The names of the sides that have a seat in a variant, at the start of a game.
    pub fn sides_of(&self, variant: &Variant) -> &'static [&'static str] {
        &self.sides[..self.sides.len().min(self.seats_of(variant).into())]
    }

    /// Whether the first `seats` seats of a game with `sides` sides give each side that has a seat
    /// equally many.
    pub fn has_equal_sides(seats: usize, sides: usize) -> bool {
        seats <= sides || seats.is_multiple_of(sides.max(1))
    }

    /// The seats of each player in a game of a variant with as few players as possible: one player
    /// for each side, or one for each seat where a seat does not know what others see or choose.
    pub fn seats_of_players(&self, variant: &Variant) -> Vec<Vec<u8>> {
        let seats = 0..self.seats_of(variant);
        if self.features.has_views() {
            return seats.map(|seat| vec![seat]).collect();
        }
        let of_side =
            |side: u8| seats.clone().filter(|seat| self.side(Seat(*seat)) == Side(side)).collect();
        (0..self.sides_of(variant).len() as u8).map(of_side).collect()
    }

    /// Whether two sides play against each other in a variant: then a side can resign, and both can
    /// agree on a draw.
    pub fn has_two_sides(&self, variant: &Variant) -> bool {
        self.sides_of(variant).len() == 2
    }

    /// Whether moves can be taken back: not where chance has spoken, or where a seat has learned
    /// what was hidden.
    pub fn allows_undo(&self) -> bool {
        self.features.is_none()
    }

    /// The first variant, in its default size.
    pub fn default_variant(&self) -> Variant {
        Variant { id: self.variants[0].id, size: None, setting: None }
    }

    /// Reads a variant text: `id`, `id-size`, `id:setting=number` or `id-size:setting=number`. An
    /// empty text is the first variant. The error quotes the text and lists the valid ones.
    pub fn variant(&self, text: &str) -> Result<Variant, SetupError> {
        if text.is_empty() {
            return Ok(self.default_variant());
        }
        // One id may start with another id, and may end with what looks like a size.
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

    /// Whether an engine that declares `declared` plays `variant`. A bare id covers every size and
    /// setting. A full id covers only its own, including the default size or setting.
    pub fn covers(&self, declared: &str, variant: &Variant) -> bool {
        let Ok(declared) = self.variant(declared) else { return false };
        let Some(info) = self.variants.iter().find(|info| info.id == variant.id) else {
            return false;
        };
        let usual = info.setting.as_ref().map(|setting| setting.at(setting.default));
        declared.id == variant.id
            && (declared.size.is_none()
                || declared.size == variant.size.or(Some(info.default_size)))
            && (declared.setting.is_none() || declared.setting == variant.setting.or(usual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reversi::Reversi;

    const VARIANTS: [VariantInfo; 4] = [
        VariantInfo::of_one_size("all", "all seats"),
        VariantInfo::of_one_size("three", "three seats").with_seats(3),
        VariantInfo::of_one_size("two", "two seats").with_seats(2),
        VariantInfo::of_one_size("one", "one seat").with_seats(1),
    ];

    #[test]
    fn a_variant_has_the_first_seats_and_their_sides() {
        let check = |seats: u8, sides: &'static [&'static str], variant: &str, expected: &str| {
            let row = GameInfo::of::<Reversi>("game", "Game", &["", ""], &VARIANTS, "");
            let info = GameInfo { seats, sides, ..row };
            let variant = info.variant(variant).expect("a variant");
            let (names, players) = (info.sides_of(&variant), info.seats_of_players(&variant));
            let found = format!("{} {names:?} {players:?}", info.seats_of(&variant));
            assert_eq!(found, expected);
            assert_eq!(info.has_two_sides(&variant), names.len() == 2, "{expected}");
        };
        let three = &["a", "b", "c"];
        check(3, three, "", r#"3 ["a", "b", "c"] [[0], [1], [2]]"#);
        check(3, three, "three", r#"3 ["a", "b", "c"] [[0], [1], [2]]"#);
        check(3, three, "two", r#"2 ["a", "b"] [[0], [1]]"#);
        check(3, three, "one", r#"1 ["a"] [[0]]"#);
        check(6, three, "all", r#"6 ["a", "b", "c"] [[0, 3], [1, 4], [2, 5]]"#);
        check(6, three, "three", r#"3 ["a", "b", "c"] [[0], [1], [2]]"#);
        check(4, &["a", "b"], "two", r#"2 ["a", "b"] [[0], [1]]"#);
    }

    #[test]
    fn sides_with_a_seat_have_equally_many() {
        let check = |seats, sides, expected| {
            assert_eq!(GameInfo::has_equal_sides(seats, sides), expected, "{seats} of {sides}");
        };
        check(1, 6, true);
        check(5, 6, true);
        check(6, 6, true);
        check(7, 6, false);
        check(12, 6, true);
        check(3, 2, false);
        check(2, 2, true);
        check(1, 2, true);
        check(4, 2, true);
    }
}
