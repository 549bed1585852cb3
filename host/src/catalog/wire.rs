//! How the border's plain types look in JSON; they derive nothing themselves.
//! Decides nothing.

use sandboard_abi::{GameSpec, Kind, OptionSpec};
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Game<'a> {
    game: &'a str,
    variants: &'a [String],
}

pub(super) fn games<S: Serializer>(games: &[GameSpec], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(games.iter().map(|spec| Game { game: &spec.game, variants: &spec.variants }))
}

#[derive(Serialize)]
struct Setting<'a> {
    name: &'a str,
    about: &'a str,
    #[serde(flatten)]
    kind: Range<'a>,
    default: &'a str,
    tunable: bool,
}

/// The words of the manifest, so that what is listed can be written there.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Range<'a> {
    Toggle,
    Whole { min: i64, max: i64 },
    Real { min: f64, max: f64 },
    Pick { values: &'a [String] },
    Text { max_bytes: u32 },
}

pub(super) fn options<S: Serializer>(options: &[OptionSpec], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(options.iter().map(|option| Setting {
        name: &option.name,
        about: &option.about,
        kind: match &option.kind {
            Kind::Toggle => Range::Toggle,
            Kind::Whole(min, max) => Range::Whole { min: *min, max: *max },
            Kind::Real(min, max) => Range::Real { min: *min, max: *max },
            Kind::Pick(values) => Range::Pick { values },
            Kind::Text(max_bytes) => Range::Text { max_bytes: *max_bytes },
        },
        default: &option.initial,
        tunable: option.tunable,
    }))
}

#[derive(Serialize)]
struct Preset<'a> {
    name: &'a str,
    value: &'a str,
}

pub(super) fn presets<S: Serializer>(
    presets: &[(String, String)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(presets.iter().map(|(name, value)| Preset { name, value }))
}
