//! Which variant a file's game is of: what was asked for, what the file says, and
//! what is usual where neither does. Judges no move.

use sandboard_games::formats::GameTree;
use sandboard_games::{GameInfo, SetupError, Variant};

use crate::record::Start;
use crate::referee::tidy;

/// A game that cannot be of the variant that is asked for, or of any.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unfit {
    /// The size is another.
    #[error("its board is of {file}, and {asked} is asked for: leave the size of --variant out")]
    Size {
        /// The file's.
        file: u8,
        /// The variant that is asked for.
        asked: String,
    },
    /// There is no such variant, or not with this start.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Where a game of a file begins; and, where the file names rules that no variant
/// here is called by, those.
pub fn start_of(
    info: &'static GameInfo,
    asked: Option<&Variant>,
    tree: &GameTree,
) -> Result<(Start, Option<String>), Unfit> {
    let named = tree.variant.as_deref();
    let told = named.and_then(|text| info.variant(&text.to_ascii_lowercase()).ok());
    let unknown = named.filter(|_| told.is_none() && asked.is_none());
    let unfit = |file, asked: &Variant| Err(Unfit::Size { file, asked: asked.text() });
    if let (Some(file), Some(asked)) = (tree.size, asked)
        && asked.size.is_some_and(|size| size != file)
    {
        return unfit(file, asked);
    }
    let told_size = told.as_ref().and_then(|told| told.size);
    let usual = Variant { id: info.variants[0].id, size: None, setting: None };
    let variant = asked.cloned().or(told).unwrap_or(usual);
    let size = tree.size.or(variant.size).or(told_size);
    // A variant with one size only is not named with it.
    let sized = info.variants.iter().any(|it| it.id == variant.id && it.sizes.is_some());
    let variant = Variant { size: size.filter(|_| sized), ..variant };
    let mut start =
        Start { game: info, variant: info.variant(&variant.text())?, position: tree.start.clone() };
    let in_force = start.set_up()?.variant();
    if let Some(file) = tree.size.filter(|file| in_force.size.is_some_and(|size| size != *file)) {
        return unfit(file, &in_force);
    }
    start.variant = in_force;
    Ok((start, unknown.map(|text| tidy(text, 64))))
}
