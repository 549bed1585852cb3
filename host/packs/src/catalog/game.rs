//! Reads the plugged-in games of a pack, and selects those that engines may play. Loads no rules.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use sandboard_common::text::{plain, quoted};
use sandboard_engine_wasm::{GameDescription, VariantDescription};
use sandboard_games::Translations;
use serde::Serialize;

use super::Status;
use super::find::compare_versions;
use super::pack::{FileInspector, check_hash};
use crate::manifest::{GameRulesConfig, PackFault, VariantConfig};

/// A plugged-in game of an engines folder. The fields of an unusable one hold what could be read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameEntry {
    /// The game's id.
    pub id: String,
    /// The version of its rules.
    pub version: String,
    /// The game's name for people.
    pub name: String,
    /// The author's name.
    pub author: String,
    /// The names of the sides at the start of a game.
    pub sides: Vec<String>,
    /// The number of seats, the largest of all variants. Seats belong to the sides in turn.
    pub seats: u8,
    /// Whether chance moves in the game.
    pub chance: bool,
    /// Whether seats or spectators see only a part of positions and moves.
    pub hidden_information: bool,
    /// Whether several seats decide at the same time.
    pub simultaneous: bool,
    /// Describes the move texts, for people.
    pub move_texts: String,
    /// The ids of the file formats of its games.
    pub formats: Vec<String>,
    /// Whether a game can end while moves are still listed as legal.
    pub adjudicates: bool,
    /// Its variants; the first is the default.
    #[serde(serialize_with = "super::json::variants")]
    pub variants: Vec<VariantConfig>,
    /// Its texts in other languages.
    pub translations: Translations,
    /// The manifest, relative to the engines folder.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub source: PathBuf,
    /// The line of its `GameRules` element, from 1.
    pub line: u64,
    /// The canonical path of its component, inside the pack. Empty if there is none.
    #[serde(serialize_with = "crate::manifest::path_text")]
    pub module: PathBuf,
    /// The SHA-256 of the component at the time of the scan, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// The size of the component.
    pub module_bytes: u64,
    /// Whether it can be played.
    #[serde(flatten)]
    pub status: Status,
}

impl GameEntry {
    /// What the table of games says about it.
    pub fn description(&self) -> GameDescription {
        let variant = |variant: &VariantConfig| VariantDescription {
            id: variant.id.clone(),
            about: variant.about.clone(),
            sizes: variant.sizes.map(|sizes| [sizes.first, sizes.last, sizes.step]),
            default_size: variant.default_size,
            seats: variant.seats,
        };
        GameDescription {
            id: self.id.clone(),
            name: self.name.clone(),
            seats: self.seats,
            sides: self.sides.clone(),
            chance: self.chance,
            hidden_information: self.hidden_information,
            simultaneous: self.simultaneous,
            move_texts: self.move_texts.clone(),
            adjudicates: self.adjudicates,
            formats: self.formats.clone(),
            variants: self.variants.iter().map(variant).collect(),
            version: self.version.clone(),
            sha256: self.sha256.clone(),
            translations: self.translations.clone(),
        }
    }

    /// Its faults; empty if it is usable.
    pub fn faults(&self) -> &[PackFault] {
        match &self.status {
            Status::Usable => &[],
            Status::Unusable(faults) => faults,
        }
    }
}

/// The entry of a game in the manifest `source` of the pack in the canonical folder `root`.
pub(super) fn entry(
    root: &Path,
    source: &Path,
    rules: GameRulesConfig,
    inspector: &mut FileInspector<'_>,
) -> GameEntry {
    let mut faults = rules.faults;
    let mut fault = |line, attribute: &str, reason: String| {
        let fault = PackFault::in_line(source, line, reason);
        faults.push(fault.of_element("GameRules").of_attribute(attribute));
    };
    let mut entry = GameEntry {
        id: rules.id,
        version: rules.version,
        name: rules.name,
        author: rules.author,
        sides: rules.sides,
        seats: rules.seats,
        chance: rules.features.chance,
        hidden_information: rules.features.hidden_information,
        simultaneous: rules.features.simultaneous,
        move_texts: rules.move_texts,
        formats: rules.formats,
        adjudicates: rules.adjudicates,
        variants: rules.variants,
        translations: rules.translations,
        source: source.to_owned(),
        line: rules.line,
        module: PathBuf::new(),
        sha256: String::new(),
        module_bytes: 0,
        status: Status::Usable,
    };
    if let Some(file) = &rules.module {
        let mut add = |why: String| {
            fault(file.line, "module", format!("{}: {why}", quoted(&file.text)));
        };
        match inspector.judge(root, Path::new(&file.text)) {
            Ok((path, facts)) => {
                facts.faults.into_iter().for_each(&mut add);
                if let Some(Err((line, reason))) =
                    rules.sha256.as_ref().map(|wanted| check_hash(&facts.sha256, wanted))
                {
                    fault(line, "sha256", reason);
                }
                (entry.module, entry.sha256, entry.module_bytes) =
                    (path, facts.sha256, facts.bytes);
            }
            Err(why) => add(why),
        }
    }
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        entry.status = Status::Unusable(faults);
    }
    entry
}

/// Marks the later of two usable games with the same id and version as unusable.
pub(super) fn reject_duplicates(games: &mut [GameEntry]) {
    for index in 1..games.len() {
        let (before, rest) = games.split_at_mut(index);
        let game = &mut rest[0];
        let same = |other: &&GameEntry| {
            other.status == Status::Usable
                && (&other.id, &other.version) == (&game.id, &game.version)
        };
        let Some(other) = before.iter().find(same).filter(|_| game.status == Status::Usable) else {
            continue;
        };
        let place = format!("{}:{}", plain(&other.source.to_string_lossy()), other.line);
        let reason = format!("`{}` {} already exists in {place}", game.id, game.version);
        let fault = PackFault::in_line(&game.source, game.line, reason).of_element("GameRules");
        game.status = Status::Unusable(vec![fault.of_attribute("id")]);
    }
}

/// The usable game with the highest version of each id.
pub(super) fn newest(games: &[GameEntry]) -> Vec<&GameEntry> {
    let mut newest: Vec<&GameEntry> = Vec::new();
    for game in games.iter().filter(|game| game.status == Status::Usable) {
        match newest.iter_mut().find(|other| other.id == game.id) {
            Some(other) if compare_versions(&other.version, &game.version) == Ordering::Less => {
                *other = game;
            }
            Some(_) => {}
            None => newest.push(game),
        }
    }
    newest
}
