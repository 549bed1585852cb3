//! The variant and start position of a file's game: from the caller, from the file, or the game's
//! default. Plays no move.

use sandboard_games::formats::GameTree;
use sandboard_games::{GameInfo, SetupError, Variant};

use crate::start::StartPosition;
use crate::text::sanitize;

/// Why the start position of a file's game is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The file has another board size than the requested variant.
    #[error(
        "the board of the file has size {file}, but {requested} was requested: omit the size in \
         --variant"
    )]
    Size {
        /// The size in the file.
        file: u8,
        /// The text of the requested variant.
        requested: String,
    },
    /// The variant is unknown, or does not fit the position.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// The start position of a file's game. The second value is the file's name of its rules, if no
/// variant has this name and none was requested.
pub fn resolve_start(
    info: &'static GameInfo,
    requested: Option<&Variant>,
    tree: &GameTree,
) -> Result<(StartPosition, Option<String>), StartError> {
    let name = tree.variant.as_deref();
    let recorded = name.and_then(|text| info.variant(&text.to_ascii_lowercase()).ok());
    let unknown = name.filter(|_| recorded.is_none() && requested.is_none());
    let size_error =
        |file, requested: &Variant| Err(StartError::Size { file, requested: requested.text() });
    if let (Some(file), Some(requested)) = (tree.size, requested)
        && requested.size.is_some_and(|size| size != file)
    {
        return size_error(file, requested);
    }
    let recorded_size = recorded.as_ref().and_then(|recorded| recorded.size);
    let default = Variant { id: info.variants[0].id, size: None, setting: None };
    let variant = requested.cloned().or(recorded).unwrap_or(default);
    let size = tree.size.or(variant.size).or(recorded_size);
    // The text of a variant with only one size does not contain it.
    let has_sizes = info.variants.iter().any(|it| it.id == variant.id && it.sizes.is_some());
    let variant = Variant { size: size.filter(|_| has_sizes), ..variant };
    let variant = info.variant(&variant.text())?;
    let mut start = StartPosition::new(info, variant, tree.start.clone());
    let in_force = start.set_up()?.variant();
    if let Some(file) = tree.size.filter(|file| in_force.size.is_some_and(|size| size != *file)) {
        return size_error(file, &in_force);
    }
    start.variant = in_force;
    Ok((start, unknown.map(|text| sanitize(text, 64))))
}
