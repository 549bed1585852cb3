//! Reads the `GameRules` elements of a manifest: games that are plugged in. Opens no file.

use sandboard_abi::limits;
use sandboard_common::text::{counted, quoted};
use sandboard_games::formats::SHARED_FORMATS;
use sandboard_games::{Features, GAMES, GameInfo, Sizes, Translations};

use super::LocatedText;
use super::attributes::Element;
use super::fault::PackFault;

/// One `GameRules` of a manifest: what a host must know of a game before it loads the rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameRulesConfig {
    /// The line of its start tag.
    pub line: u64,
    /// The game's id; empty when it has no valid one.
    pub id: String,
    /// Its name for people; by default the id.
    pub name: String,
    /// The author's name.
    pub author: String,
    pub version: String,
    /// The names of the sides at the start of a game.
    pub sides: Vec<String>,
    /// The number of seats, the largest of all variants.
    pub seats: u8,
    /// What the game has beside seats that move in turn and see everything.
    pub features: Features,
    /// Describes the move texts, for people.
    pub move_texts: String,
    /// The ids of its file formats, among the shared ones.
    pub formats: Vec<String>,
    /// Whether a game can end while legal moves remain.
    pub adjudicates: bool,
    /// The path of the component, relative to the pack.
    pub module: Option<LocatedText>,
    /// The required SHA-256 of the component, if the manifest gives one.
    pub sha256: Option<LocatedText>,
    /// Its variants; the first is the default.
    pub variants: Vec<VariantConfig>,
    /// Its texts in other languages.
    pub translations: Translations,
    /// All faults inside this `GameRules`, by line.
    pub faults: Vec<PackFault>,
}

/// One variant of a plugged-in game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariantConfig {
    pub id: String,
    /// One line for people.
    pub about: String,
    /// The board sizes; none: the size is fixed.
    pub sizes: Option<Sizes>,
    /// The size if none is named; 0 if the size is fixed.
    pub default_size: u8,
    /// The number of seats: the first ones of the game.
    pub seats: u8,
}

/// Reads a `GameRules` start tag.
pub(super) fn begin(element: &mut Element, others: &[GameRulesConfig]) -> GameRulesConfig {
    let text = |name| element.text(name).unwrap_or_default().to_owned();
    let id = text("id");
    let mut config = GameRulesConfig {
        line: element.line,
        name: if text("name").is_empty() { id.clone() } else { text("name") },
        author: text("author"),
        version: text("version"),
        sides: text("sides").split_ascii_whitespace().map(str::to_owned).collect(),
        move_texts: text("move_texts"),
        formats: text("formats").split_ascii_whitespace().map(str::to_owned).collect(),
        features: Features {
            chance: element.text("chance") == Some("true"),
            hidden_information: element.text("hidden_information") == Some("true"),
            simultaneous: element.text("simultaneous") == Some("true"),
        },
        adjudicates: element.text("adjudicates") == Some("true"),
        module: element.located("module").cloned(),
        sha256: element.located("sha256").cloned(),
        id,
        ..GameRulesConfig::default()
    };
    if GAMES.iter().any(|info| info.id == config.id) {
        element.fault(Some("id"), format!("`{}` is the id of a built-in game", config.id));
    }
    if let Some(first) = others.iter().find(|other| other.id == config.id) {
        let line = first.line;
        let reason = format!("`{}` is already the id of the game in line {line}", config.id);
        element.fault(Some("id"), reason);
    }
    let known: Vec<&str> = SHARED_FORMATS.iter().map(|format| format.id).collect();
    for unknown in config.formats.iter().filter(|format| !known.contains(&format.as_str())) {
        let reason = format!("{} is none of {}", quoted(unknown), known.join(", "));
        element.fault(Some("formats"), reason);
    }
    let sides = config.sides.len();
    if !config.formats.is_empty() && sides != 2 {
        let found = counted(sides, "side");
        let reason = format!("file formats are for games of two sides; the game has {found}");
        element.fault(Some("formats"), reason);
    }
    if sides > limits::SEATS {
        let found = counted(sides, "side");
        let reason = format!("names {found}; a game has at most {}", limits::SEATS);
        element.fault(Some("sides"), reason);
    }
    // The schema allows only numbers that fit.
    let seats = element.whole("seats").map_or(sides, |seats| seats as usize);
    if sides > 0 && !seats.is_multiple_of(sides) {
        let found = counted(sides, "side");
        element.fault(Some("seats"), format!("{seats} is no multiple of {found}"));
    }
    config.seats = u8::try_from(seats).unwrap_or(0);
    config
}

/// Reads a `Variant` of the game.
pub(super) fn variant(config: &mut GameRulesConfig, element: &mut Element) {
    let Some(id) = element.text("id").map(str::to_owned) else { return };
    if config.variants.iter().any(|variant| variant.id == id) {
        return element.fault(Some("id"), format!("`{id}` is listed twice in this game"));
    }
    const SIZES: [&str; 4] = ["min_size", "max_size", "size_step", "default_size"];
    if SIZES.iter().any(|name| element.has(name) && element.text(name).is_none()) {
        // The value has a fault already.
        return;
    }
    // The schema allows only numbers that fit.
    let size = |name| element.whole(name).and_then(|size| u8::try_from(size).ok());
    let [first, last, step, default_size] = SIZES.map(size);
    let sizes = match (first, last) {
        (Some(first), Some(last)) => Some(Sizes { first, last, step: step.unwrap_or(1) }),
        (None, None) => None,
        _ => return element.fault(None, "has only one of `min_size` and `max_size`"),
    };
    let fault = match (sizes, step, default_size) {
        (None, Some(_), _) => Some((Some("size_step"), "the variant has no sizes".to_owned())),
        (None, _, Some(_)) => Some((Some("default_size"), "the variant has no sizes".to_owned())),
        (Some(_), _, None) => Some((None, "needs a `default_size`".to_owned())),
        (Some(sizes), _, Some(size)) if !sizes.contains(size) => {
            Some((Some("default_size"), format!("{size} is none of the sizes")))
        }
        _ => None,
    };
    if let Some((attribute, reason)) = fault {
        return element.fault(attribute, reason);
    }
    let Some(seats) = variant_seats(config, element) else { return };
    let about = element.text("about").unwrap_or_default().to_owned();
    let default_size = default_size.unwrap_or(0);
    config.variants.push(VariantConfig { id, about, sizes, default_size, seats });
}

/// Reads a `Translation` of the game.
pub(super) fn translation(config: &mut GameRulesConfig, element: &mut Element) {
    let texts = ["lang", "text", "translated"].map(|name| element.text(name).map(str::to_owned));
    // A text that is missing or invalid has a fault already.
    let [Some(lang), Some(text), Some(translated)] = texts else { return };
    if !is_language_tag(&lang) {
        let reason = format!("{} is not a language tag, such as `zh` or `pt-BR`", quoted(&lang));
        return element.fault(Some("lang"), reason);
    }
    let of_language = config.translations.entry(lang.clone()).or_default();
    if of_language.contains_key(&text) {
        let reason = format!("{} has two translations for `{lang}`", quoted(&text));
        return element.fault(Some("text"), reason);
    }
    of_language.insert(text, translated);
}

/// Whether a text has the form of a language tag (BCP 47, section 2.1): a language of two or three
/// letters, then subtags of one to eight letters or digits, with `-` between.
fn is_language_tag(text: &str) -> bool {
    let mut subtags = text.split('-');
    let language = subtags.next().unwrap_or_default();
    let is_language =
        matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_language
        && subtags.all(|subtag| {
            matches!(subtag.len(), 1..=8) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// The number of seats of a `Variant`. `None`: it has a fault.
fn variant_seats(config: &GameRulesConfig, element: &mut Element) -> Option<u8> {
    // The schema allows only numbers that fit.
    let seats = match element.has("seats") {
        true => u8::try_from(element.whole("seats")?).ok()?,
        false => config.seats,
    };
    let (most, sides) = (config.seats, config.sides.len());
    // Without valid seats the game has a fault already.
    let fault = if most > 0 && seats > most {
        format!("{seats} is more than the {} of the game", counted(most.into(), "seat"))
    } else if !GameInfo::has_equal_sides(seats.into(), sides) && element.has("seats") {
        format!("{seats} is no multiple of {}", counted(sides, "side"))
    } else {
        return Some(seats);
    };
    element.fault(Some("seats"), fault);
    None
}
