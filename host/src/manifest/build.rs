//! Makes engines out of the elements that the walk meets: what attributes and
//! elements say together, against the table of games. Sees no XML.

use std::path::Path;

use sandboard_abi::{ABI, GameSpec};
use sandboard_games::GAMES;

use super::attributes::Element;
use super::fault::{PackFault, quoted};
use super::nearest::suggestion;
use super::schema::ElementSpec;
use super::{AssetConfig, EngineConfig, Manifest, ModuleKind, PackLimits, options};
use crate::jail::SHARED_FOLDER;
use crate::process::{Dialect, Protocol, Speech};

/// Engine ids that mean something else on command lines.
const TAKEN_IDS: [&str; 1] = ["human"];

/// A manifest in the making.
pub(super) struct Builder<'f> {
    file: &'f Path,
    manifest: Manifest,
    engine: Option<Draft>,
    faults: usize,
}

/// An engine whose end tag has not come yet.
#[derive(Default)]
struct Draft {
    engine: EngineConfig,
    /// Its options, right or wrong, with their lines.
    options: Vec<(String, u64)>,
    /// An option was not understood: what is said of options may be wrong then.
    options_in_doubt: bool,
    sets: Vec<(Named, String)>,
}

/// A name and the lines it and its value stand in.
struct Named {
    name: String,
    line: u64,
    value_line: u64,
}

impl<'f> Builder<'f> {
    pub(super) fn new(file: &'f Path) -> Self {
        Self { file, manifest: Manifest::default(), engine: None, faults: 0 }
    }

    /// How many faults there are so far.
    pub(super) fn faults(&self) -> usize {
        self.faults
    }

    /// Takes a fault: of the engine that is open, else of the document.
    pub(super) fn fault(&mut self, fault: PackFault) {
        self.faults += 1;
        match &mut self.engine {
            Some(draft) => draft.engine.faults.push(fault),
            None => self.manifest.faults.push(fault),
        }
    }

    /// Takes a fault of the document, wherever it stands.
    pub(super) fn document_fault(&mut self, fault: PackFault) {
        self.faults += 1;
        self.manifest.faults.push(fault);
    }

    pub(super) fn open(&mut self, mut element: Element) {
        match (element.spec.name, &mut self.engine) {
            ("EngineConfigs", _) => check_abi(&mut element),
            ("Engine", _) => self.engine = Some(self.begin_engine(&mut element)),
            ("Game", Some(draft)) => game(&mut draft.engine, &mut element),
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
        if spec.name == "Engine" {
            self.end_engine(true);
        }
    }

    /// The manifest; `whole`: it was read to its end.
    pub(super) fn finish(mut self, whole: bool) -> Manifest {
        self.end_engine(whole);
        self.manifest.faults.sort_by_key(|fault| fault.line);
        self.manifest
    }

    fn begin_engine(&self, element: &mut Element) -> Draft {
        if let Some(id) = element.text("id").map(str::to_owned) {
            if TAKEN_IDS.contains(&id.as_str()) {
                element.fault(Some("id"), format!("`{id}` means something else to `--seat`"));
            }
            let same = self.manifest.engines.iter().find(|engine| engine.id == id);
            if let Some(first) = same.map(|engine| engine.line) {
                let reason = format!("`{id}` is the id of the engine in line {first} already");
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
        let is_process = kind == Some(ModuleKind::Process);
        let speech = is_process.then(|| Speech {
            protocol: element.text("protocol").and_then(Protocol::of).unwrap_or_default(),
            dialect: element.text("moves").and_then(Dialect::of).unwrap_or_default(),
            ..Speech::default()
        });
        let engine = EngineConfig {
            line: element.line,
            id: text("id"),
            name,
            author: text("author"),
            version: text("version"),
            kind,
            module: element.located("module").cloned(),
            program: element.located("program").cloned(),
            speech,
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
        Draft { engine, ..Draft::default() }
    }

    fn end_engine(&mut self, whole: bool) {
        let Some(draft) = &self.engine else { return };
        let mut late = Vec::new();
        if whole && !draft.options_in_doubt {
            for (set, value) in &draft.sets {
                let fault = |line, attribute: &str, reason| {
                    PackFault::in_line(self.file, line, reason)
                        .of_element("Set")
                        .of_attribute(attribute)
                };
                let (options, are_all) = (&draft.engine.options, draft.engine.speech.is_some());
                match options::check_preset(options, are_all, &set.name, value) {
                    Ok(()) => {}
                    Err(options::Wrong::Name(why)) => late.push(fault(set.line, "name", why)),
                    Err(options::Wrong::Value(why)) => {
                        late.push(fault(set.value_line, "value", why));
                    }
                }
            }
        }
        late.into_iter().for_each(|fault| self.fault(fault));
        let Some(Draft { mut engine, sets, .. }) = self.engine.take() else { return };
        engine.presets = sets.into_iter().map(|(set, value)| (set.name, value)).collect();
        engine.faults.sort_by_key(|fault| fault.line);
        self.manifest.engines.push(engine);
    }
}

fn check_abi(element: &mut Element) {
    let Some(number) = element.whole("abi") else { return };
    if number != u64::from(ABI) {
        let reason = format!("built for border ABI {number}; this host speaks ABI {ABI}");
        element.fault(Some("abi"), reason);
    }
}

/// What attributes of an engine say of its kind.
fn check_kind(kind: ModuleKind, element: &mut Element) {
    let is_process = kind == ModuleKind::Process;
    for name in ["program", "protocol", "moves"] {
        if element.has(name) && !is_process {
            element.fault(Some(name), of_process(kind));
        }
    }
    if is_process && !element.has("protocol") {
        element.fault(Some("protocol"), "missing; kind `process` needs it");
    }
    let protocol = element.text("protocol").and_then(Protocol::of).filter(|_| is_process);
    if let Some(protocol) = protocol.filter(|it| !it.has_dialects() && element.has("moves")) {
        element.fault(Some("moves"), of_protocols(protocol, Protocol::has_dialects));
    }
    match (element.has("module"), element.has("program") && is_process) {
        (true, true) => element.fault(Some("program"), "there is a `module` already; one of them"),
        (false, false) => element.missing("module"),
        _ => (),
    }
}

fn of_process(kind: ModuleKind) -> String {
    format!("means nothing for kind `{}`, only for `process`", kind.word())
}

/// What is said of what one protocol does not know and these do.
fn of_protocols(protocol: Protocol, know: fn(Protocol) -> bool) -> String {
    let others = Protocol::ALL.iter().filter(|other| know(**other));
    let others: Vec<String> = others.map(|other| format!("`{}`", other.word())).collect();
    let word = protocol.word();
    format!("means nothing for protocol `{word}`, only for {}; leave it out", others.join(", "))
}

fn argument(engine: &mut EngineConfig, element: &mut Element) {
    let Some(value) = element.text("value").map(str::to_owned) else { return };
    if value.contains(|letter: char| letter.is_control()) {
        return element
            .fault(Some("value"), format!("{} holds a control character", quoted(&value)));
    }
    match (&mut engine.speech, engine.kind) {
        (Some(speech), _) => speech.arguments.push(value),
        (None, Some(kind)) => element.fault(None, of_process(kind)),
        (None, None) => (),
    }
}

fn game(engine: &mut EngineConfig, element: &mut Element) {
    let Some(id) = element.text("id").map(str::to_owned) else { return };
    let Some(info) = sandboard_games::game(&id) else {
        let known: Vec<&str> = GAMES.iter().map(|info| info.id).collect();
        let reason = format!("no game `{id}` here{}", suggestion(&id, &known));
        return element.fault(Some("id"), reason);
    };
    if engine.games.iter().any(|game| game.game == id) {
        return element.fault(Some("id"), format!("`{id}` stands in this engine twice"));
    }
    let named = element.text("variants").map(str::to_owned);
    if named.is_none() && element.has("variants") {
        return;
    }
    let protocol = engine.speech.as_ref().map(|speech| speech.protocol);
    let all = || Some(info.variants.iter().map(|variant| variant.id).collect::<Vec<_>>());
    let Some(told) = protocol.map_or_else(all, |protocol| protocol.variants_of(info)) else {
        let word = protocol.map_or("", Protocol::word);
        return element.fault(Some("id"), format!("{word} cannot tell games of {id}"));
    };
    let variants: Vec<String> = match named {
        Some(named) => named.split_ascii_whitespace().map(str::to_owned).collect(),
        None => told.iter().map(|variant| (*variant).to_owned()).collect(),
    };
    for variant in &variants {
        let Ok(named) = info.variant(variant) else {
            let known: Vec<&str> = info.variants.iter().map(|variant| variant.id).collect();
            let hint = suggestion(variant, &known);
            let reason = format!("{id} has no variant {}{hint}", quoted(variant));
            element.fault(Some("variants"), reason);
            continue;
        };
        // One without a size is for all sizes, of which some may be none of the protocol's.
        let carried = protocol.map_or(Ok(()), |protocol| protocol.carries(info, &named));
        if let Err(reason) = carried {
            element.fault(Some("variants"), reason);
        }
    }
    engine.games.push(GameSpec { game: id, variants });
}

fn limits(element: &Element) -> PackLimits {
    PackLimits {
        memory_bytes: element.whole("memory_bytes"),
        start_ms: element.whole("start_ms"),
        log_bytes: element.whole("log_bytes"),
    }
}

fn option(draft: &mut Draft, element: &mut Element) {
    if let Some(name) = element.text("name").map(str::to_owned) {
        match draft.options.iter().find(|(known, _)| *known == name) {
            Some((_, first)) => {
                let reason = format!("`{name}` is the option in line {first} already");
                element.fault(Some("name"), reason);
            }
            None => draft.options.push((name, element.line)),
        }
    }
    if let Some(spoken) = element.text("spoken").map(str::to_owned) {
        let name = element.text("name").unwrap_or_default().to_owned();
        match (&mut draft.engine.speech, draft.engine.kind) {
            (Some(speech), _) if !speech.protocol.has_own_names() => {
                let reason = of_protocols(speech.protocol, Protocol::has_own_names);
                element.fault(Some("spoken"), reason);
            }
            (Some(speech), _) => speech.spoken.push((name, spoken)),
            (None, Some(kind)) => element.fault(Some("spoken"), of_process(kind)),
            (None, None) => (),
        }
    }
    match options::read(element) {
        Some(option) if element.faults.is_empty() => draft.engine.options.push(option),
        _ => draft.options_in_doubt = true,
    }
}

fn set(draft: &mut Draft, element: &mut Element) {
    let (Some(name), Some(value)) = (element.located("name"), element.located("value")) else {
        return;
    };
    let (name, value) = (name.clone(), value.clone());
    if draft.sets.iter().any(|(set, _)| set.name == name.text) {
        return element.fault(Some("name"), format!("`{}` is set in this engine twice", name.text));
    }
    let named = Named { name: name.text, line: name.line, value_line: value.line };
    draft.sets.push((named, value.text));
}

fn asset(engine: &mut EngineConfig, element: &mut Element) {
    if let Some(name) = element.text("name").map(str::to_owned)
        && engine.assets.iter().any(|asset| asset.name == name)
    {
        element.fault(Some("name"), format!("`{name}` is an asset of this engine already"));
    }
    if let Some(at) = element.text("at").map(str::to_owned) {
        let name = element.text("name").unwrap_or_default().to_owned();
        match (&mut engine.speech, engine.kind) {
            (Some(speech), _) => match check_place(&at, &speech.places) {
                Ok(()) => speech.places.push((name, at)),
                Err(reason) => element.fault(Some("at"), reason),
            },
            (None, Some(kind)) => element.fault(Some("at"), of_process(kind)),
            (None, None) => (),
        }
    }
    let parts = (element.text("name"), element.located("path"), element.located("sha256"));
    let (Some(name), Some(path), Some(sha256)) = parts else { return };
    let (name, path, sha256) = (name.to_owned(), path.clone(), sha256.clone());
    engine.assets.push(AssetConfig { name, path, sha256 });
}

/// The longest place of a file, in bytes. So long at most, all places and arguments of a manifest
/// are one request to the jail.
const PLACE_BYTES: usize = 512;
/// The names that a place is of, below the folder of all.
const PLACE_NAMES: usize = 16;
/// The longest name in a folder, in bytes; the system's.
const NAME_BYTES: usize = 255;

/// Whether a program can find a file there, beside these. Err: why not.
fn check_place(at: &str, others: &[(String, String)]) -> Result<(), String> {
    let below = at.strip_prefix(SHARED_FOLDER).and_then(|rest| rest.strip_prefix('/'));
    let is_plain = |part: &str| !["", ".", ".."].contains(&part);
    let Some(below) = below.filter(|below| below.split('/').all(is_plain)) else {
        return Err(format!("{} is no path below {SHARED_FOLDER}/, without `..`", quoted(at)));
    };
    let names = below.split('/').count();
    if names > PLACE_NAMES {
        let place = quoted(at);
        return Err(format!(
            "{place} has {names} names below {SHARED_FOLDER}/; {PLACE_NAMES} is the most"
        ));
    }
    if let Some(long) = below.split('/').find(|name| name.len() > NAME_BYTES) {
        let (name, bytes) = (quoted(long), long.len());
        return Err(format!("{name} is a name of {bytes} bytes; {NAME_BYTES} is the most"));
    }
    if at.len() > PLACE_BYTES {
        return Err(format!("is {} bytes long; {PLACE_BYTES} is the most", at.len()));
    }
    let holds = |folder: &str, file: &str| Path::new(file).starts_with(folder);
    match others.iter().find(|(_, other)| holds(at, other) || holds(other, at)) {
        Some((name, other)) => Err(format!("`{name}` lies at {} already", quoted(other))),
        None => Ok(()),
    }
}
