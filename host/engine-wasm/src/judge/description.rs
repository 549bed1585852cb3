//! What the table of games says about a plugged-in game, as a value that can be sent to another
//! program. Holds no rules.

use std::sync::{Arc, OnceLock};

use sandboard_games::formats::{Format, SHARED_FORMATS};
use sandboard_games::{
    Features, GameInfo, PluggedIn, SetupError, Sizes, Translations, Variant, VariantInfo,
};
use serde::{Deserialize, Serialize};

use super::JudgeModule;

/// A plugged-in game, without the module of its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameDescription {
    /// The game's id.
    pub id: String,
    /// The game's name for people.
    pub name: String,
    /// The number of seats, the largest of all variants. Seats belong to the sides in turn.
    pub seats: u8,
    /// The names of the sides at the start of a game.
    pub sides: Vec<String>,
    /// Whether chance moves in the game.
    pub chance: bool,
    /// Whether seats or spectators see only a part of positions and moves.
    pub hidden_information: bool,
    /// Whether several seats decide at the same time.
    pub simultaneous: bool,
    /// Describes the move texts, for people.
    pub move_texts: String,
    /// Whether a game can end while moves are still listed as legal.
    pub adjudicates: bool,
    /// The ids of the file formats of its games.
    pub formats: Vec<String>,
    /// Its variants; the first is the default.
    pub variants: Vec<VariantDescription>,
    /// The version of its rules.
    pub version: String,
    /// The SHA-256 of the module of its rules, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its texts in other languages.
    pub translations: Translations,
}

/// A variant of a plugged-in game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantDescription {
    /// The variant's id, without a size.
    pub id: String,
    /// One line for people.
    pub about: String,
    /// The smallest and the largest board size, and the difference between sizes; null: the size is
    /// fixed.
    pub sizes: Option<[u8; 3]>,
    /// The size if none is named; 0 if the size is fixed.
    pub default_size: u8,
    /// The number of seats: the first ones of the game.
    pub seats: u8,
}

impl GameDescription {
    /// The row in the table of games. It lives as long as the process, like those of built-in
    /// games. `rules` gives the compiled rules when a game begins; its error is one sentence
    /// without its subject.
    pub fn into_row(
        self,
        rules: impl Fn() -> Result<Arc<JudgeModule>, String> + Send + Sync + 'static,
    ) -> &'static GameInfo {
        let variant = |variant: VariantDescription| VariantInfo {
            id: leak(variant.id),
            about: leak(variant.about),
            sizes: variant.sizes.map(|[first, last, step]| Sizes {
                first,
                last,
                step: step.max(1),
            }),
            default_size: variant.default_size,
            setting: None,
            seats: Some(variant.seats),
        };
        let variants: Vec<VariantInfo> = self.variants.into_iter().map(variant).collect();
        let id = leak(self.id);
        let row: &'static OnceLock<&'static GameInfo> = Box::leak(Box::default());
        let set_up = move |variant: &Variant, position: Option<&str>| {
            let failed = |reason| SetupError::Judge { game: id, reason };
            let module = rules().map_err(failed)?;
            let info = row.get().ok_or_else(|| failed("have no row".into()))?;
            module.set_up(info, variant, position)
        };
        let has = |format: &&Format| self.formats.iter().any(|id| id == format.id);
        let formats: Vec<Format> = SHARED_FORMATS.iter().filter(has).copied().collect();
        let sides: Vec<&'static str> = self.sides.into_iter().map(leak).collect();
        let info = GameInfo {
            id,
            name: leak(self.name),
            seats: self.seats,
            sides: Box::leak(sides.into_boxed_slice()),
            features: Features {
                chance: self.chance,
                hidden_information: self.hidden_information,
                simultaneous: self.simultaneous,
            },
            variants: Box::leak(variants.into_boxed_slice()),
            move_texts: leak(self.move_texts),
            adjudicates: self.adjudicates,
            deal: None,
            formats: Box::leak(formats.into_boxed_slice()),
            new: Box::leak(Box::new(set_up)),
            plugged_in: Some(PluggedIn {
                version: leak(self.version),
                sha256: leak(self.sha256),
                translations: Box::leak(Box::new(self.translations)),
            }),
        };
        row.get_or_init(|| Box::leak(Box::new(info)))
    }
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
