//! The variants of gomoku: ids, sizes, and the rule that each is played by.

use super::rule::{Rule, USUAL_SIZE};
use super::{MAX_SIZE, MIN_SIZE};
use crate::info::VariantInfo;

/// The variants, in the order in which they are listed.
pub(super) static VARIANTS: [VariantInfo; 4] = [
    variant("freestyle", "five or more in a row win"),
    variant("standard", "exactly five in a row win, a longer row counts for nothing"),
    variant("caro", "exactly five in a row win, unless both ends are blocked"),
    variant(
        "renju",
        "black wins with exactly five and has forbidden points, white with five or more",
    ),
];

const fn variant(id: &'static str, about: &'static str) -> VariantInfo {
    let sizes = Some((MIN_SIZE, MAX_SIZE));
    VariantInfo { id, about, sizes, usual_size: USUAL_SIZE, setting: None }
}

/// The rule of a variant by its id.
///
/// # Panics
/// When no variant has this id; ids that come from
/// [`GameInfo::variant`](crate::GameInfo::variant) do.
pub(super) fn rule_of(id: &str) -> Rule {
    match id {
        "freestyle" => Rule::Freestyle,
        "standard" => Rule::Standard,
        "caro" => Rule::Caro,
        "renju" => Rule::Renju,
        _ => panic!("gomoku has no variant `{id}`"),
    }
}
