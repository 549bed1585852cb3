//! The variants of gomoku: each combines a rule of winning with an opening procedure.

use super::procedure::{MAX_FIFTHS, Procedure};
use super::rule::{DEFAULT_SIZE, Rule};
use super::{MAX_SIZE, MIN_SIZE};
use crate::info::{Setting, SettingInfo, Sizes, Variant, VariantInfo};

/// A variant by id.
struct VariantRow {
    id: &'static str,
    rule: Rule,
    procedure: Procedure,
    about: &'static str,
}

/// The variants, in the order of listings.
const ROWS: [VariantRow; 11] = [
    row("freestyle", Rule::Freestyle, Procedure::None, "five or more in a row win"),
    row(
        "standard",
        Rule::Standard,
        Procedure::None,
        "exactly five in a row win, a longer row has no effect",
    ),
    row(
        "caro",
        Rule::Caro,
        Procedure::None,
        "exactly five in a row win, unless both ends are blocked",
    ),
    row(
        "renju",
        Rule::Renju,
        Procedure::None,
        "white wins with five or more, black with exactly five; some black moves are forbidden",
    ),
    row(
        "renju-contest",
        Rule::Renju,
        Procedure::RenjuContest,
        "renju; three stones placed, N announced, swap, N offers for the fifth stone",
    ),
    row(
        "renju-rif",
        Rule::Renju,
        Procedure::RenjuRif,
        "renju; three stones placed, swap, two offers for the fifth stone",
    ),
    row(
        "yamaguchi",
        Rule::Renju,
        Procedure::Yamaguchi,
        "renju; three stones placed, 1 to 12 announced, swap, that many fifth-stone offers",
    ),
    row(
        "soosorv-8",
        Rule::Renju,
        Procedure::Soosorv8,
        "renju; three stones placed, swap, fourth stone and 1 to 8 announced, swap, that many offers",
    ),
    row(
        "taraguchi-10",
        Rule::Renju,
        Procedure::Taraguchi10,
        "renju; swap after each of five stones near the centre, or ten offers for the fifth",
    ),
    row(
        "swap",
        Rule::Standard,
        Procedure::Swap,
        "standard; one player places three stones, the other chooses the colour",
    ),
    row(
        "swap2",
        Rule::Standard,
        Procedure::Swap2,
        "standard; three stones placed, then a choice of colour or of two more stones",
    ),
];

const fn row(
    id: &'static str,
    rule: Rule,
    procedure: Procedure,
    about: &'static str,
) -> VariantRow {
    VariantRow { id, rule, procedure, about }
}

/// The variants for the table of games.
pub(super) static VARIANTS: [VariantInfo; ROWS.len()] = {
    let mut variants = [const { info(&ROWS[0]) }; ROWS.len()];
    let mut index = 0;
    while index < ROWS.len() {
        variants[index] = info(&ROWS[index]);
        index += 1;
    }
    variants
};

const fn info(row: &VariantRow) -> VariantInfo {
    // Renju openings are defined on a board of 15.
    let renju_opening =
        matches!(row.rule, Rule::Renju) && !matches!(row.procedure, Procedure::None);
    let sizes = if renju_opening {
        Sizes::every(DEFAULT_SIZE, DEFAULT_SIZE)
    } else {
        Sizes::every(MIN_SIZE, MAX_SIZE)
    };
    let setting = match row.procedure {
        Procedure::RenjuContest => Some(FIFTHS_SETTING),
        _ => None,
    };
    VariantInfo {
        id: row.id,
        about: row.about,
        sizes: Some(sizes),
        default_size: DEFAULT_SIZE,
        setting,
        seats: None,
    }
}

/// The number that contests agree on before the game.
const FIFTHS_SETTING: SettingInfo = SettingInfo {
    name: "fifths",
    about: "the maximum number of fifth stones that may be announced",
    range: (1, MAX_FIFTHS),
    default: MAX_FIFTHS,
};

/// The rules of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RuleSet {
    pub(super) rule: Rule,
    pub(super) procedure: Procedure,
    /// The most fifth stones that may be announced.
    pub(super) max_fifths: u8,
}

impl RuleSet {
    /// The rules of this variant.
    ///
    /// # Panics
    /// If no variant has this id. Ids from [`GameInfo::variant`](crate::GameInfo::variant) are
    /// valid.
    pub(super) fn of_variant(variant: &Variant) -> RuleSet {
        let Some(row) = ROWS.iter().find(|row| row.id == variant.id) else {
            panic!("gomoku has no variant `{}`", variant.id)
        };
        let usual = row.procedure.max_fifths();
        let max_fifths = variant.setting.map_or(usual, |setting| setting.number);
        RuleSet { rule: row.rule, procedure: row.procedure, max_fifths }
    }

    /// The variant on a board of this size.
    pub(super) fn variant(self, size: u8) -> Variant {
        let setting = (self.procedure == Procedure::RenjuContest)
            .then_some(Setting { name: FIFTHS_SETTING.name, number: self.max_fifths });
        Variant { id: self.id(), size: Some(size), setting }
    }

    /// The board size, if the variant has only one.
    pub(super) fn only_size(self) -> Option<u8> {
        let info = VARIANTS.iter().find(|info| info.id == self.id())?;
        info.sizes.filter(|sizes| sizes.first == sizes.last).map(|sizes| sizes.first)
    }

    /// A number that is unique for procedure and setting.
    pub(super) const fn procedure_key(self) -> u64 {
        (self.procedure as u64) << 8 | self.max_fifths as u64
    }

    /// The variant's id.
    pub(super) fn id(self) -> &'static str {
        let matches = |row: &&VariantRow| row.rule == self.rule && row.procedure == self.procedure;
        ROWS.iter().find(matches).map_or(self.rule.id(), |row| row.id)
    }
}
