//! The JSON forms of types that do not derive `Serialize` themselves.

use sandboard_abi::{GameSpec, Kind, OptionSpec};
use serde::{Serialize, Serializer};

use crate::manifest::VariantConfig;

#[derive(Serialize)]
struct GameJson<'a> {
    game: &'a str,
    variants: &'a [String],
}

pub(super) fn games<S: Serializer>(games: &[GameSpec], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(games.iter().map(|spec| GameJson { game: &spec.game, variants: &spec.variants }))
}

#[derive(Serialize)]
struct VariantJson<'a> {
    id: &'a str,
    about: &'a str,
    seats: u8,
    #[serde(flatten)]
    sizes: Option<SizesJson>,
}

/// The sizes of a variant, with the words of the manifest.
#[derive(Serialize)]
struct SizesJson {
    min_size: u8,
    max_size: u8,
    size_step: u8,
    default_size: u8,
}

pub(super) fn variants<S: Serializer>(
    variants: &[VariantConfig],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(variants.iter().map(|variant| VariantJson {
        id: &variant.id,
        about: &variant.about,
        seats: variant.seats,
        sizes: variant.sizes.map(|sizes| SizesJson {
            min_size: sizes.first,
            max_size: sizes.last,
            size_step: sizes.step,
            default_size: variant.default_size,
        }),
    }))
}

#[derive(Serialize)]
struct OptionJson<'a> {
    name: &'a str,
    about: &'a str,
    #[serde(flatten)]
    kind: OptionRange<'a>,
    default: &'a str,
    tunable: bool,
}

/// The kind and range of an option, with the words of the manifest.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum OptionRange<'a> {
    Toggle,
    Whole { min: i64, max: i64 },
    Real { min: f64, max: f64 },
    Pick { values: &'a [String] },
    Text { max_bytes: u32 },
}

pub(super) fn options<S: Serializer>(options: &[OptionSpec], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(options.iter().map(|option| OptionJson {
        name: &option.name,
        about: &option.about,
        kind: match &option.kind {
            Kind::Toggle => OptionRange::Toggle,
            Kind::Whole(min, max) => OptionRange::Whole { min: *min, max: *max },
            Kind::Real(min, max) => OptionRange::Real { min: *min, max: *max },
            Kind::Pick(values) => OptionRange::Pick { values },
            Kind::Text(max_bytes) => OptionRange::Text { max_bytes: *max_bytes },
        },
        default: &option.initial,
        tunable: option.tunable,
    }))
}

#[derive(Serialize)]
struct PresetJson<'a> {
    name: &'a str,
    value: &'a str,
}

pub(super) fn presets<S: Serializer>(
    presets: &[(String, String)],
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(presets.iter().map(|(name, value)| PresetJson { name, value }))
}
