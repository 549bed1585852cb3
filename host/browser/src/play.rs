//! Plays a game against an engine, and analyses its positions, all inside of this program. A page
//! that plays without a server, or with an engine on the visitor's device, is the other side.
//!
//! Invariant: rules, clocks and results are the referee's, and engines count fuel as everywhere, so
//! `sandboard verify` repeats the calls of a record from here.
//!
//! There is no clock: requests bring the time. An engine that does not end its call is ended with
//! the whole program, by the page.

use std::collections::BTreeMap;
use std::sync::Arc;

use sandboard_abi::{Barred, Decision, Line, Setup};
use sandboard_bout::driver::{EngineOutput, EnginePlayer, InlineBout, OutputListener, Participant};
use sandboard_bout::query::seats_to_move;
use sandboard_bout::referee::{BoutResult, BoutSettings, Event, Viewer};
use sandboard_bout::start::StartPosition;
use sandboard_bout::view::{self, Ply, Position};
use sandboard_common::hex::sha256_hex;
use sandboard_engine::{Assets, Budget, Caps, EngineSource, InstanceLimits, Listener, Resources};
use sandboard_engine_wasm::{GameDescription, JudgeModule, Metering, Runtime, WasmModule};
use sandboard_games::{DynGame, Games};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The budget of a person, who may think as long as it pleases.
const PERSON_BUDGET: Budget = Budget::NONE;

/// What is loaded, and the bout that is played.
#[derive(Default)]
pub struct Play {
    runtime: Runtime,
    games: Games,
    /// Files that were added and not used yet, by name.
    files: BTreeMap<String, Vec<u8>>,
    engine: Option<LoadedEngine>,
    bout: Option<InlineBout>,
}

/// The engine that plays.
struct LoadedEngine {
    source: Arc<WasmModule>,
    id: String,
    version: String,
    module_sha256: String,
    limits: InstanceLimits,
    assets: BTreeMap<String, String>,
}

/// Gets each report of an engine, while its call runs.
pub type Reports = Arc<dyn Fn(&Report) + Send + Sync>;

/// What an engine reports while it thinks.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Report {
    /// A line of a player of the bout.
    Line { player: usize, line: view::Line },
    /// A line of an analysis.
    Analysis { line: view::Line },
    /// A text that a player logged.
    Log { player: usize, text: String },
}

/// The rules of a plugged-in game.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    description: GameDescription,
    /// The file of its rules.
    file: String,
}

/// An engine whose files were added.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineRequest {
    /// The file of its module.
    file: String,
    /// The size of all memories of an instance together.
    memory_bytes: u64,
    /// The names of the files that it may read.
    #[serde(default)]
    assets: Vec<String>,
}

/// A position: the start, and the moves from there.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionRequest {
    game: String,
    variant: String,
    /// The position text of the start; null: the variant's own.
    #[serde(default)]
    start: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
}

/// A bout to begin.
#[derive(Debug, Deserialize)]
pub struct BoutRequest {
    /// Where it begins.
    #[serde(flatten)]
    start: PositionRequest,
    /// The source of all chance.
    seed: u64,
    /// The date, as RFC 3339.
    date: String,
    players: Vec<PlayerRequest>,
}

/// A player of a bout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerRequest {
    name: String,
    seats: Vec<u8>,
    /// How the engine plays it; null: a person.
    engine: Option<Strength>,
}

/// How an engine thinks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strength {
    /// What a move may use, in units of fuel.
    fuel: u64,
    #[serde(default)]
    options: BTreeMap<String, String>,
}

impl Strength {
    fn budget(&self) -> Result<Budget, String> {
        let text = format!("fuel:{}/move", self.fuel);
        text.parse().map_err(|error| format!("{text} is no budget: {error}"))
    }
}

/// An action of the person, at a time in microseconds since the beginning of the bout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRequest {
    now_us: u64,
    action: Action,
}

/// What a person does.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Plays a move.
    Move {
        r#move: String,
    },
    /// Takes moves back until the person is to move again.
    Undo {
        player: usize,
    },
    Resign {
        player: usize,
    },
}

/// The time of a request, in microseconds since the beginning of the bout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRequest {
    now_us: u64,
}

/// The time of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRequest {
    now_us: u64,
    /// The date, as RFC 3339.
    date: String,
}

/// A position to analyse.
#[derive(Debug, Deserialize)]
pub struct AnalysisRequest {
    #[serde(flatten)]
    at: PositionRequest,
    strength: Strength,
    /// The number of lines.
    lines: u16,
}

/// A bout as its page shows it.
#[derive(Debug, Serialize)]
struct State<'a> {
    /// The position text of the start; null: the variant's own.
    start: Option<&'a str>,
    position: Position,
    plies: Vec<Ply>,
    /// The player to move; null: the bout is over.
    to_move: Option<usize>,
    result: Option<&'a BoutResult>,
    /// Whether the person has a move to take back.
    can_undo: bool,
}

impl Play {
    /// Adds a file, which a later request names.
    pub fn add_file(&mut self, name: String, bytes: Vec<u8>) -> Result<Value, String> {
        self.files.insert(name, bytes);
        Ok(Value::Null)
    }

    fn take_file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.files.remove(name).ok_or_else(|| format!("the file `{name}` was not added"))
    }

    /// Makes a plugged-in game playable.
    pub fn load_game(&mut self, request: GameRequest) -> Result<Value, String> {
        let GameRequest { description, file } = request;
        let bytes = self.take_file(&file)?;
        if sha256_hex(&bytes) != description.sha256 {
            return Err(format!("the file `{file}` is not the rules of {}", description.id));
        }
        let rules = JudgeModule::load(&self.runtime, &bytes);
        let rules = rules.map_err(|fault| format!("the rules {}", fault.sentence))?;
        self.games = self.games.with([description.into_row(move || Ok(rules.clone()))]);
        Ok(Value::Null)
    }

    /// Loads the engine that plays and analyses. Returns its description.
    pub fn load_engine(&mut self, request: EngineRequest) -> Result<Value, String> {
        let bytes = self.take_file(&request.file)?;
        let mut assets = Vec::with_capacity(request.assets.len());
        for name in request.assets {
            let bytes = self.take_file(&name)?;
            assets.push((name, bytes));
        }
        let hashes = assets.iter().map(|(name, bytes)| (name.clone(), sha256_hex(bytes)));
        let hashes: BTreeMap<String, String> = hashes.collect();
        let resources = Resources {
            assets: assets.into_iter().collect::<Assets>(),
            games: self.games.clone(),
            ..Resources::default()
        };
        let caps = Caps { memory_bytes: request.memory_bytes, ..Caps::default() };
        let (caps, metering) = (self.runtime.caps(caps), Metering::Fuel);
        let module = WasmModule::load(&self.runtime, &bytes, metering, caps, resources);
        let module = module.map_err(|fault| format!("the engine {}", fault.sentence))?;
        let description = module.describe();
        let description = description.map_err(|fault| format!("the engine {}", fault.sentence))?;
        self.engine = Some(LoadedEngine {
            source: Arc::new(module),
            id: description.id.clone(),
            version: description.version.clone(),
            module_sha256: sha256_hex(&bytes),
            limits: InstanceLimits::new(&caps, metering.stack_limit()),
            assets: hashes,
        });
        Ok(
            json!({ "id": description.id, "name": description.name, "version": description.version }),
        )
    }

    fn engine(&self) -> Result<&LoadedEngine, String> {
        self.engine.as_ref().ok_or_else(|| "no engine is loaded".to_owned())
    }

    fn bout(&mut self) -> Result<&mut InlineBout, String> {
        self.bout.as_mut().ok_or_else(|| "no bout has begun".to_owned())
    }

    fn start(&self, request: PositionRequest) -> Result<StartPosition, String> {
        let PositionRequest { game, variant, start, moves } = request;
        let info = self.games.find(&game).ok_or_else(|| format!("there is no game `{game}`"))?;
        let variant = info.variant(&variant).map_err(|error| error.to_string())?;
        Ok(StartPosition { moves, ..StartPosition::new(info, variant, start) })
    }

    /// Returns the position after the moves of a request.
    pub fn position(&self, request: PositionRequest) -> Result<Value, String> {
        let game = self.start(request)?.set_up().map_err(|error| error.to_string())?;
        Ok(json!(view::position(game.as_ref())))
    }

    /// Begins a bout in place of an earlier one; a game that is dealt is dealt by the seed. The
    /// engine is not called before [`run`](Self::run). Returns the bout's state.
    pub fn begin(&mut self, request: BoutRequest, reports: Reports) -> Result<Value, String> {
        let BoutRequest { start, seed, date, players } = request;
        let mut participants = Vec::with_capacity(players.len());
        for PlayerRequest { name, seats, engine } in players {
            let budget = engine.as_ref().map_or(Ok(PERSON_BUDGET), Strength::budget)?;
            let engine = match engine {
                Some(strength) => Some(self.engine()?.player(strength.options)),
                None => None,
            };
            participants.push(Participant { name, seats, budget, engine, ponders: false });
        }
        let listener: OutputListener = Arc::new(move |player, output| {
            reports(&match output {
                EngineOutput::Line(line) => Report::Line { player, line: view::line(line) },
                EngineOutput::Log(log) => Report::Log { player, text: log.text.clone() },
            });
        });
        let (mut start, settings) = (self.start(start)?, BoutSettings::default());
        if let (None, Some(deal)) = (&start.position, start.game.deal) {
            start.position = Some(deal(&start.variant, seed));
        }
        let bout = InlineBout::new(start, seed, settings, participants, Some(listener), date);
        self.bout = Some(bout.map_err(|error| error.to_string())?);
        self.state()
    }

    /// Hands an action of the person to the bout. Returns the bout's state.
    pub fn act(&mut self, request: ActionRequest) -> Result<Value, String> {
        let ActionRequest { now_us, action } = request;
        let bout = self.bout()?;
        match action {
            Action::Move { r#move } => bout.play(now_us, &r#move),
            Action::Undo { player } => {
                bout.handle(now_us, Event::Undo { plies: None, by: Some(player) })
            }
            Action::Resign { player } => bout.handle(now_us, Event::Resign { player }),
        }?;
        self.state()
    }

    /// Lets engines and chance move until the person is to act. Returns the bout's state.
    pub fn run(&mut self, request: &TimeRequest) -> Result<Value, String> {
        self.bout()?.run(&|| request.now_us);
        self.state()
    }

    /// Returns the record of the bout so far, as the text of its file: JavaScript's numbers cannot
    /// hold every seed.
    pub fn record(&mut self, request: RecordRequest) -> Result<Value, String> {
        let RecordRequest { now_us, date } = request;
        let text = self.bout()?.record(now_us, date).to_json();
        Ok(Value::String(String::from_utf8_lossy(&text).into_owned()))
    }

    /// Asks a fresh instance of the engine for a move. Returns it; null: the engine resigns. For
    /// each further line another instance is asked, which may not begin with the moves of the lines
    /// before it. An engine that does not obey has fewer lines.
    pub fn analyse(&self, request: AnalysisRequest, reports: Reports) -> Result<Value, String> {
        let AnalysisRequest { at, strength, lines } = request;
        let game = self.start(at)?.set_up().map_err(|error| error.to_string())?;
        if game.ending().is_some() {
            return Err("the game is over".into());
        }
        if game.info().features.has_views() {
            return Err("seats of this game see different things".into());
        }
        let engine = self.engine()?.player(strength.options.clone());
        let limits = sandboard_bout::clock::Clock::new(strength.budget()?)
            .limits(BoutSettings::default().grace);
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let lines = usize::from(lines).min(legal.split_ascii_whitespace().count());
        let mut barred: Vec<Barred> = Vec::new();
        let mut best = None;
        for rank in 1..=lines.max(1) {
            let listener = Arc::new(AnalysisListener { reports: reports.clone(), rank });
            let answer = engine.source.open(listener.clone(), 1).and_then(|mut instance| {
                instance.start(&setup(game.as_ref(), &engine))?;
                instance.choose(&limits, &barred)
            });
            let choice = match answer {
                Ok(response) => response.choice,
                Err(_) if rank > 1 => break,
                Err(fault) => return Err(format!("the engine {}", fault.sentence)),
            };
            if let Some(line) = &choice.line {
                listener.report(line);
            }
            let Decision::Play(text) = choice.decision else { break };
            let Ok(mv) = game.canonical(&text) else { break };
            if barred.iter().any(|barred| barred.r#move == mv) {
                break;
            }
            best.get_or_insert(mv.clone());
            barred.push(Barred { r#move: mv, reason: "another line begins with it".into() });
        }
        Ok(json!(best))
    }

    /// The state of the bout, as the person sees it.
    fn state(&mut self) -> Result<Value, String> {
        let bout = self.bout()?;
        let (start, referee) = (bout.start().position.as_deref(), bout.referee());
        let person = (0..referee.player_count()).find(|player| is_person(referee, *player));
        let viewer = person.map_or(Viewer::Spectator, Viewer::Player);
        let state = State {
            start,
            position: view::position_for(referee, viewer),
            plies: view::plies(referee, viewer),
            to_move: referee.to_move().map(|(player, _)| player),
            result: referee.result(),
            can_undo: referee.settings().undo
                && referee.result().is_none()
                && referee.plies().iter().any(|ply| ply.player == person),
        };
        serde_json::to_value(state).map_err(|error| error.to_string())
    }
}

fn is_person(referee: &sandboard_bout::referee::Referee, player: usize) -> bool {
    use sandboard_bout::referee::PlayerKind;
    referee.player(player).is_some_and(|setup| setup.kind == PlayerKind::Person)
}

impl LoadedEngine {
    fn player(&self, options: BTreeMap<String, String>) -> EnginePlayer {
        let source: Arc<dyn EngineSource> = self.source.clone();
        EnginePlayer {
            version: self.version.clone(),
            module_sha256: Some(self.module_sha256.clone()),
            options: options.into_iter().collect(),
            limits: self.limits,
            assets: self.assets.clone(),
            ..EnginePlayer::new(source, self.id.clone())
        }
    }
}

/// The setup of an instance that analyses the position of a game. The position text contains what
/// the rules need of earlier moves.
fn setup(game: &dyn DynGame, engine: &EnginePlayer) -> Setup {
    Setup {
        game: game.info().id.into(),
        variant: game.variant().text(),
        start: game.position(),
        moves: String::new(),
        seats: seats_to_move(game),
        seed: 0,
        options: engine.options.clone(),
        memory_bytes: engine.limits.memory_bytes,
        threads: 1,
        helper: 0,
        helpers: 0,
        table_slots: 0,
    }
}

/// Passes the lines of an analysis on, with their rank.
struct AnalysisListener {
    reports: Reports,
    rank: usize,
}

impl Listener for AnalysisListener {
    fn report(&self, line: &Line) {
        let line = view::Line { rank: self.rank as u32, ..view::line(line) };
        (self.reports)(&Report::Analysis { line });
    }
}

#[cfg(test)]
mod tests;
