//! The variants of gomoku: each is a rule of winning with a procedure.

use super::procedure::{MOST_FIFTHS, Procedure};
use super::rule::{Rule, USUAL_SIZE};
use super::{MAX_SIZE, MIN_SIZE};
use crate::info::{Setting, SettingInfo, Sizes, Variant, VariantInfo};

/// A variant as its id names it.
struct Row {
    id: &'static str,
    rule: Rule,
    procedure: Procedure,
    about: &'static str,
}

/// The variants, in the order in which they are listed.
const ROWS: [Row; 11] = [
    row("freestyle", Rule::Freestyle, Procedure::None, "five or more in a row win"),
    row(
        "standard",
        Rule::Standard,
        Procedure::None,
        "exactly five in a row win, a longer row counts for nothing",
    ),
    row(
        "caro",
        Rule::Caro,
        Procedure::None,
        "exactly five in a row win, unless both their ends are blocked",
    ),
    row(
        "renju",
        Rule::Renju,
        Procedure::None,
        "white wins with five or more, black with exactly five and not by forbidden moves",
    ),
    row(
        "renju-contest",
        Rule::Renju,
        Procedure::RenjuContest,
        "renju; three stones laid, N announced, swap, N offers for the fifth stone",
    ),
    row(
        "renju-rif",
        Rule::Renju,
        Procedure::RenjuRif,
        "renju; three stones laid, swap, two offers for the fifth stone",
    ),
    row(
        "yamaguchi",
        Rule::Renju,
        Procedure::Yamaguchi,
        "renju; three stones laid, 1 to 12 announced, swap, so many offers for the fifth stone",
    ),
    row(
        "soosorv-8",
        Rule::Renju,
        Procedure::Soosorv8,
        "renju; three stones laid, swap, with the fourth 1 to 8 announced, swap, so many offers",
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
        "standard; one player lays three stones, the other chooses the colour",
    ),
    row(
        "swap2",
        Rule::Standard,
        Procedure::Swap2,
        "standard; three stones laid, then a colour chosen or two more stones for the choice",
    ),
];

const fn row(id: &'static str, rule: Rule, procedure: Procedure, about: &'static str) -> Row {
    Row { id, rule, procedure, about }
}

/// The variants as the table of games knows them.
pub(super) static VARIANTS: [VariantInfo; ROWS.len()] = {
    let mut variants = [const { info(&ROWS[0]) }; ROWS.len()];
    let mut index = 0;
    while index < ROWS.len() {
        variants[index] = info(&ROWS[index]);
        index += 1;
    }
    variants
};

const fn info(row: &Row) -> VariantInfo {
    // The openings of renju are places on a board of 15.
    let renju_opening =
        matches!(row.rule, Rule::Renju) && !matches!(row.procedure, Procedure::None);
    let sizes = if renju_opening {
        Sizes::every(USUAL_SIZE, USUAL_SIZE)
    } else {
        Sizes::every(MIN_SIZE, MAX_SIZE)
    };
    let setting = match row.procedure {
        Procedure::RenjuContest => Some(MOST),
        _ => None,
    };
    VariantInfo {
        id: row.id,
        about: row.about,
        sizes: Some(sizes),
        usual_size: USUAL_SIZE,
        setting,
    }
}

/// What contests agree on beforehand.
const MOST: SettingInfo = SettingInfo {
    name: "fifths",
    about: "the most fifth stones that may be announced",
    range: (1, MOST_FIFTHS),
    usual: MOST_FIFTHS,
};

/// What a variant stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) rule: Rule,
    pub(super) procedure: Procedure,
    /// The most fifth stones that may be announced.
    pub(super) most_fifths: u8,
}

impl Terms {
    /// What this variant stands for.
    ///
    /// # Panics
    /// When no variant has this id; ids that come from
    /// [`GameInfo::variant`](crate::GameInfo::variant) do.
    pub(super) fn of(variant: &Variant) -> Terms {
        let Some(row) = ROWS.iter().find(|row| row.id == variant.id) else {
            panic!("gomoku has no variant `{}`", variant.id)
        };
        let usual = row.procedure.most_fifths();
        let most_fifths = variant.setting.map_or(usual, |setting| setting.number);
        Terms { rule: row.rule, procedure: row.procedure, most_fifths }
    }

    /// The variant on a board of this size.
    pub(super) fn variant(self, size: u8) -> Variant {
        let setting = (self.procedure == Procedure::RenjuContest)
            .then_some(Setting { name: MOST.name, number: self.most_fifths });
        Variant { id: self.id(), size: Some(size), setting }
    }

    /// The only size of boards, where there is but one.
    pub(super) fn only_size(self) -> Option<u8> {
        let info = VARIANTS.iter().find(|info| info.id == self.id())?;
        info.sizes.filter(|sizes| sizes.first == sizes.last).map(|sizes| sizes.first)
    }

    /// A number that no other procedure and setting have.
    pub(super) const fn course(self) -> u64 {
        (self.procedure as u64) << 8 | self.most_fifths as u64
    }

    /// The variant's id.
    pub(super) fn id(self) -> &'static str {
        let is_it = |row: &&Row| row.rule == self.rule && row.procedure == self.procedure;
        ROWS.iter().find(is_it).map_or(self.rule.id(), |row| row.id)
    }
}
