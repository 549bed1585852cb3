//! Builds engines from the elements of a manifest: checks attributes and elements against each
//! other and against the table of games. Does not read XML.

use std::path::Path;

use sandboard_abi::{ABI, GameSpec};
use sandboard_games::Games;

use super::attributes::Element;
use super::fault::PackFault;
use super::game_rules::{self, GameRulesConfig};
use super::schema::ElementSpec;
use super::{AssetConfig, EngineConfig, Manifest, ModuleKind, PackLimits, Purpose, options};
use sandboard_common::jail_paths::SHARED_FOLDER;
use sandboard_common::suggestions::suggestion;
use sandboard_common::text::quoted;
use sandboard_protocols::{Dialect, Protocol, ProtocolConfig};

/// Engine ids that have another meaning on command lines.
const RESERVED_IDS: [&str; 1] = ["human"];

/// A manifest under construction.
pub(super) struct Builder<'f> {
    file: &'f Path,
    /// The games that an engine may name.
    games: &'f Games,
    manifest: Manifest,
    engine: Option<EngineDraft>,
    /// The `GameRules` whose end tag was not read yet.
    game_rules: Option<GameRulesConfig>,
    /// The line of the root's start tag.
    root_line: u64,
    faults: usize,
}

/// An engine whose end tag was not read yet.
#[derive(Default)]
struct EngineDraft {
    engine: EngineConfig,
    /// The names of its options, valid or not, with their lines.
    options: Vec<(String, u64)>,
    /// An option is invalid, so presets cannot be checked against the options.
    options_incomplete: bool,
    sets: Vec<(PresetName, String)>,
}

/// The name of a `Set`, with the lines of the name and of the value.
struct PresetName {
    name: String,
    line: u64,
    value_line: u64,
}

impl<'f> Builder<'f> {
    pub(super) fn new(file: &'f Path, games: &'f Games) -> Self {
        Self {
            file,
            games,
            manifest: Manifest::default(),
            engine: None,
            game_rules: None,
            root_line: 0,
            faults: 0,
        }
    }

    /// The number of faults so far.
    pub(super) fn faults(&self) -> usize {
        self.faults
    }

    /// Adds a fault of the open engine or game, or else of the document.
    pub(super) fn fault(&mut self, fault: PackFault) {
        self.faults += 1;
        match (&mut self.engine, &mut self.game_rules) {
            (Some(draft), _) => draft.engine.faults.push(fault),
            (None, Some(rules)) => rules.faults.push(fault),
            (None, None) => self.manifest.faults.push(fault),
        }
    }

    /// Adds a fault of the document.
    pub(super) fn document_fault(&mut self, fault: PackFault) {
        self.faults += 1;
        self.manifest.faults.push(fault);
    }

    pub(super) fn open(&mut self, mut element: Element) {
        match (element.spec.name, &mut self.game_rules) {
            ("GameRules", _) => {
                let rules = game_rules::begin(&mut element, &self.manifest.game_rules);
                self.game_rules = Some(rules);
            }
            ("Variant", Some(rules)) => game_rules::variant(rules, &mut element),
            ("Translation", Some(rules)) => game_rules::translation(rules, &mut element),
            ("EngineConfigs", _) => self.root_line = element.line,
            _ => {}
        }
        match (element.spec.name, &mut self.engine) {
            ("EngineConfigs", _) => check_abi(&mut element),
            ("Engine", _) => self.engine = Some(self.begin_engine(&mut element)),
            ("Game", Some(draft)) => game(&mut draft.engine, &mut element, self.games),
            ("Limits", Some(draft)) => draft.engine.limits = limits(&element),
            ("Option", Some(draft)) => option(draft, &mut element),
            ("Set", Some(draft)) => set(draft, &mut element),
            ("Argument", Some(draft)) => argument(&mut draft.engine, &mut element),
            ("Asset", Some(draft)) => asset(&mut draft.engine, &mut element),
            _ => {}
        }
        for fault in std::mem::take(&mut element.faults) {
            self.fault(fault);
        }
    }

    pub(super) fn close(&mut self, spec: &ElementSpec) {
        match spec.name {
            "Engine" => self.end_engine(true),
            "GameRules" => self.end_game_rules(),
            "EngineConfigs" => self.check_content(),
            _ => {}
        }
    }

    /// Returns the manifest. `whole`: it was read to its end, so that presets are checked
    /// against the options.
    pub(super) fn finish(mut self, whole: bool) -> Manifest {
        self.end_engine(whole);
        self.end_game_rules();
        self.manifest.faults.sort_by_key(|fault| fault.line);
        self.manifest
    }

    /// Adds a fault if the manifest has neither an engine nor a game.
    fn check_content(&mut self) {
        if self.manifest.engines.is_empty() && self.manifest.game_rules.is_empty() {
            let reason = "needs at least one `Engine` or `GameRules`";
            let fault = PackFault::in_line(self.file, self.root_line, reason);
            self.document_fault(fault.of_element("EngineConfigs"));
        }
    }

    fn end_game_rules(&mut self) {
        let Some(mut rules) = self.game_rules.take() else { return };
        rules.faults.sort_by_key(|fault| fault.line);
        self.manifest.game_rules.push(rules);
    }

    fn begin_engine(&self, element: &mut Element) -> EngineDraft {
        if let Some(id) = element.text("id").map(str::to_owned) {
            if RESERVED_IDS.contains(&id.as_str()) {
                element.fault(Some("id"), format!("`{id}` is reserved for `--seat {id}`"));
            }
            let same = self.manifest.engines.iter().find(|engine| engine.id == id);
            if let Some(first) = same.map(|engine| engine.line) {
                let reason = format!("`{id}` is already the id of the engine in line {first}");
                element.fault(Some("id"), reason);
            }
        }
        let kind =
            ModuleKind::ALL.into_iter().find(|kind| element.text("kind") == Some(kind.word()));
        if let Some(kind) = kind {
            check_kind(kind, element);
        }
        let text = |name| element.text(name).unwrap_or_default().to_owned();
        let name = match text("name") {
            name if name.is_empty() => text("id"),
            name => name,
        };
        let is_external = kind == Some(ModuleKind::External);
        let protocol_config = is_external.then(|| ProtocolConfig {
            protocol: element.text("protocol").and_then(Protocol::from_word).unwrap_or_default(),
            dialect: element.text("moves").and_then(Dialect::from_word).unwrap_or_default(),
            ..ProtocolConfig::default()
        });
        let engine = EngineConfig {
            line: element.line,
            id: text("id"),
            name,
            author: text("author"),
            version: text("version"),
            kind,
            purpose: match element.text("purpose") == Some(Purpose::Test.word()) {
                true => Purpose::Test,
                false => Purpose::Play,
            },
            module: element.located("module").cloned(),
            program: element.located("program").cloned(),
            protocol_config,
            sha256: element.located("sha256").cloned(),
            ..EngineConfig::default()
        };
        let cached = engine.module.as_ref().is_some_and(|module| {
            module.text.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("cwasm"))
        });
        if cached {
            element
                .fault(Some("module"), "a precompiled `.cwasm` is never loaded; name the `.wasm`");
        }
        EngineDraft { engine, ..EngineDraft::default() }
    }

    fn end_engine(&mut self, whole: bool) {
        let Some(draft) = &self.engine else { return };
        let mut late = Vec::new();
        if whole && !draft.options_incomplete {
            for (set, value) in &draft.sets {
                let fault = |line, attribute: &str, reason| {
                    PackFault::in_line(self.file, line, reason)
                        .of_element("Set")
                        .of_attribute(attribute)
                };
                let (options, are_all) =
                    (&draft.engine.options, draft.engine.protocol_config.is_some());
                match options::check_preset(options, are_all, &set.name, value) {
                    Ok(()) => {}
                    Err(options::PresetFault::Name(why)) => late.push(fault(set.line, "name", why)),
                    Err(options::PresetFault::Value(why)) => {
                        late.push(fault(set.value_line, "value", why));
                    }
                }
            }
        }
        late.into_iter().for_each(|fault| self.fault(fault));
        let Some(EngineDraft { mut engine, sets, .. }) = self.engine.take() else { return };
        if let Some(protocol_config) = &mut engine.protocol_config {
            protocol_config.usable_bytes = engine.limits.usable_bytes;
        }
        engine.presets = sets.into_iter().map(|(set, value)| (set.name, value)).collect();
        engine.faults.sort_by_key(|fault| fault.line);
        self.manifest.engines.push(engine);
    }
}

fn check_abi(element: &mut Element) {
    let Some(number) = element.whole("abi") else { return };
    if number != u64::from(ABI) {
        let reason = format!("built for ABI {number}; this host speaks ABI {ABI}");
        element.fault(Some("abi"), reason);
    }
}

/// Checks the attributes that depend on the kind of an engine.
fn check_kind(kind: ModuleKind, element: &mut Element) {
    let is_external = kind == ModuleKind::External;
    for name in ["program", "protocol", "moves"] {
        if element.has(name) && !is_external {
            element.fault(Some(name), only_for_external(kind));
        }
    }
    if is_external && !element.has("protocol") {
        element.fault(Some("protocol"), "missing; kind `external` requires it");
    }
    let protocol = element.text("protocol").and_then(Protocol::from_word).filter(|_| is_external);
    if let Some(protocol) = protocol.filter(|it| !it.has_dialects() && element.has("moves")) {
        element.fault(Some("moves"), only_for_protocols(protocol, Protocol::has_dialects));
    }
    match (element.has("module"), element.has("program") && is_external) {
        (true, true) => {
            element.fault(Some("program"), "is given in addition to `module`; keep one of them")
        }
        (false, false) => element.missing("module"),
        _ => (),
    }
}

fn only_for_external(kind: ModuleKind) -> String {
    format!("does not apply to kind `{}`, only to `external`", kind.word())
}

/// The fault of an attribute that applies only to other protocols.
fn only_for_protocols(protocol: Protocol, know: fn(Protocol) -> bool) -> String {
    let others = Protocol::ALL.iter().filter(|other| know(**other));
    let others: Vec<String> = others.map(|other| format!("`{}`", other.word())).collect();
    let word = protocol.word();
    format!("does not apply to protocol `{word}`, only to {}; remove it", others.join(", "))
}

fn argument(engine: &mut EngineConfig, element: &mut Element) {
    let Some(value) = element.text("value").map(str::to_owned) else { return };
    if value.contains(|letter: char| letter.is_control()) {
        return element
            .fault(Some("value"), format!("{} contains a control character", quoted(&value)));
    }
    match (&mut engine.protocol_config, engine.kind) {
        (Some(protocol_config), _) => protocol_config.arguments.push(value),
        (None, Some(kind)) => element.fault(None, only_for_external(kind)),
        (None, None) => (),
    }
}

fn game(engine: &mut EngineConfig, element: &mut Element, games: &Games) {
    let Some(id) = element.text("id").map(str::to_owned) else { return };
    let Some(info) = games.find(&id) else {
        let known: Vec<&str> = games.iter().map(|info| info.id).collect();
        let reason = format!("unknown game `{id}`{}", suggestion(&id, &known));
        return element.fault(Some("id"), reason);
    };
    if engine.games.iter().any(|game| game.game == id) {
        return element.fault(Some("id"), format!("`{id}` is listed twice in this engine"));
    }
    let named = element.text("variants").map(str::to_owned);
    if named.is_none() && element.has("variants") {
        return;
    }
    let protocol = engine.protocol_config.as_ref().map(|protocol_config| protocol_config.protocol);
    let all = || Some(info.variants.iter().map(|variant| variant.id).collect::<Vec<_>>());
    let Some(supported) = protocol.map_or_else(all, |protocol| protocol.variants_for(info)) else {
        let word = protocol.map_or("", Protocol::word);
        return element.fault(Some("id"), format!("protocol {word} does not support {id}"));
    };
    let variants: Vec<String> = match named {
        Some(named) => named.split_ascii_whitespace().map(str::to_owned).collect(),
        None => supported.iter().map(|variant| (*variant).to_owned()).collect(),
    };
    for variant in &variants {
        let Ok(named) = info.variant(variant) else {
            let known: Vec<&str> = info.variants.iter().map(|variant| variant.id).collect();
            let hint = suggestion(variant, &known);
            let reason = format!("{id} has no variant {}{hint}", quoted(variant));
            element.fault(Some("variants"), reason);
            continue;
        };
        // A variant without a size means all sizes, and the protocol may not support all of them.
        let carried = protocol.map_or(Ok(()), |protocol| protocol.check_variant(info, &named));
        if let Err(reason) = carried {
            element.fault(Some("variants"), reason);
        }
    }
    engine.games.push(GameSpec { game: id, variants });
}

fn limits(element: &Element) -> PackLimits {
    PackLimits {
        memory_bytes: element.whole("memory_bytes"),
        usable_bytes: element.whole("usable_bytes"),
        start_ms: element.whole("start_ms"),
        log_bytes: element.whole("log_bytes"),
    }
}

fn option(draft: &mut EngineDraft, element: &mut Element) {
    if let Some(name) = element.text("name").map(str::to_owned) {
        match draft.options.iter().find(|(known, _)| *known == name) {
            Some((_, first)) => {
                let reason = format!("`{name}` is already the option in line {first}");
                element.fault(Some("name"), reason);
            }
            None => draft.options.push((name, element.line)),
        }
    }
    if let Some(protocol_name) = element.text("protocol_name").map(str::to_owned) {
        let name = element.text("name").unwrap_or_default().to_owned();
        match (&mut draft.engine.protocol_config, draft.engine.kind) {
            (Some(protocol_config), _) if !protocol_config.protocol.allows_option_names() => {
                let reason =
                    only_for_protocols(protocol_config.protocol, Protocol::allows_option_names);
                element.fault(Some("protocol_name"), reason);
            }
            (Some(protocol_config), _) => protocol_config.option_names.push((name, protocol_name)),
            (None, Some(kind)) => element.fault(Some("protocol_name"), only_for_external(kind)),
            (None, None) => (),
        }
    }
    match options::read(element) {
        Some(option) if element.faults.is_empty() => draft.engine.options.push(option),
        _ => draft.options_incomplete = true,
    }
}

fn set(draft: &mut EngineDraft, element: &mut Element) {
    let (Some(name), Some(value)) = (element.located("name"), element.located("value")) else {
        return;
    };
    let (name, value) = (name.clone(), value.clone());
    if draft.sets.iter().any(|(set, _)| set.name == name.text) {
        return element.fault(Some("name"), format!("`{}` is set twice in this engine", name.text));
    }
    let named = PresetName { name: name.text, line: name.line, value_line: value.line };
    draft.sets.push((named, value.text));
}

fn asset(engine: &mut EngineConfig, element: &mut Element) {
    if let Some(name) = element.text("name").map(str::to_owned)
        && engine.assets.iter().any(|asset| asset.name == name)
    {
        element.fault(Some("name"), format!("`{name}` is already an asset of this engine"));
    }
    if let Some(at) = element.text("visible_at").map(str::to_owned) {
        let name = element.text("name").unwrap_or_default().to_owned();
        match (&mut engine.protocol_config, engine.kind) {
            (Some(protocol_config), _) => {
                match check_visible_path(&at, &protocol_config.asset_paths) {
                    Ok(()) => protocol_config.asset_paths.push((name, at)),
                    Err(reason) => element.fault(Some("visible_at"), reason),
                }
            }
            (None, Some(kind)) => element.fault(Some("visible_at"), only_for_external(kind)),
            (None, None) => (),
        }
    }
    let parts = (element.text("name"), element.located("path"), element.located("sha256"));
    let (Some(name), Some(path), Some(sha256)) = parts else { return };
    let (name, path, sha256) = (name.to_owned(), path.clone(), sha256.clone());
    engine.assets.push(AssetConfig { name, path, sha256 });
}

/// The longest path of an asset for the program, in bytes. Within this limit all paths and
/// arguments of a manifest fit into one request to the jail.
const VISIBLE_PATH_BYTES_MAX: usize = 512;
/// The most names of such a path, below the shared folder.
const VISIBLE_PATH_NAMES_MAX: usize = 16;
/// The longest file name, in bytes (`NAME_MAX` of Linux).
const NAME_BYTES_MAX: usize = 255;

/// Checks the path at which a program finds an asset, given those of other assets. Err: why it is
/// not possible.
fn check_visible_path(at: &str, others: &[(String, String)]) -> Result<(), String> {
    let below = at.strip_prefix(SHARED_FOLDER).and_then(|rest| rest.strip_prefix('/'));
    let is_plain = |part: &str| !["", ".", ".."].contains(&part);
    let Some(below) = below.filter(|below| below.split('/').all(is_plain)) else {
        return Err(format!("{} is not a path below {SHARED_FOLDER}/ without `..`", quoted(at)));
    };
    let names = below.split('/').count();
    if names > VISIBLE_PATH_NAMES_MAX {
        let place = quoted(at);
        return Err(format!(
            "{place} has {names} names below {SHARED_FOLDER}/; the limit is \
             {VISIBLE_PATH_NAMES_MAX}"
        ));
    }
    if let Some(long) = below.split('/').find(|name| name.len() > NAME_BYTES_MAX) {
        let (name, bytes) = (quoted(long), long.len());
        return Err(format!("{name} is a name of {bytes} bytes; the limit is {NAME_BYTES_MAX}"));
    }
    if at.len() > VISIBLE_PATH_BYTES_MAX {
        return Err(format!("is {} bytes long; the limit is {VISIBLE_PATH_BYTES_MAX}", at.len()));
    }
    let contains = |folder: &str, file: &str| Path::new(file).starts_with(folder);
    match others.iter().find(|(_, other)| contains(at, other) || contains(other, at)) {
        Some((name, other)) => Err(format!("`{name}` is already at {}", quoted(other))),
        None => Ok(()),
    }
}
