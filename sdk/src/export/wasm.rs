//! The component side of `export_engine!`: translates between the types that wit-bindgen generates
//! from the WIT and those of `sandboard-abi`. An instance of the component is an instance of the
//! engine.

use std::cell::RefCell;
use std::sync::Once;

use sandboard_abi as abi;

use crate::engine::{CrateInfo, Engine};
use crate::host::{Host, HostCalls};

#[allow(missing_docs, unsafe_code, clippy::all)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "wit/since-v1",
        world: "sandboard",
        pub_export_macro: true,
        default_bindings_module: "sandboard_sdk::export::wasm::bindings",
        runtime_path: "sandboard_sdk::export::wasm::runtime",
    });
}

#[doc(hidden)]
pub use wit_bindgen::rt as runtime;

use bindings::exports::sandboard::engine::engine as exported;
use bindings::sandboard::engine::{host, types};

/// The engine of a component instance.
pub struct EngineSlot<E>(RefCell<Option<E>>);

// SAFETY: the target has no threads, since no host enables them. Only one thread accesses the slot.
unsafe impl<E> Sync for EngineSlot<E> {}

impl<E: Engine> EngineSlot<E> {
    /// A slot without an engine.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(RefCell::new(None))
    }

    pub fn describe(&self, crate_info: CrateInfo) -> exported::Description {
        report_panics();
        description(E::describe(crate_info))
    }

    pub fn start(&self, setup: exported::Setup) -> Result<(), String> {
        report_panics();
        let engine = E::start(&from_setup(setup), Host::new(ImportedHost))?;
        *self.0.borrow_mut() = Some(engine);
        Ok(())
    }

    pub fn played(&self, mv: String) -> Result<(), String> {
        self.with(|engine| engine.played(&mv))
    }

    pub fn taken_back(&self, plies: u32) -> Result<(), String> {
        self.with(|engine| engine.taken_back(plies))
    }

    pub fn choose(
        &self,
        limits: exported::Limits,
        barred: Vec<exported::Barred>,
    ) -> Result<exported::Choice, String> {
        let barred: Vec<_> =
            barred.into_iter().map(|b| abi::Barred { r#move: b.move_, reason: b.reason }).collect();
        self.with(|engine| engine.choose(&from_limits(limits), &barred)).map(choice)
    }

    pub fn think(&self) -> Result<(), String> {
        self.with(Engine::think)
    }

    fn with<T>(&self, call: impl FnOnce(&mut E) -> Result<T, String>) -> Result<T, String> {
        match self.0.borrow_mut().as_mut() {
            Some(engine) => call(engine),
            None => Err("called before start".into()),
        }
    }
}

/// Logs a panic's message to the host before the trap, so that it becomes the text of the fault.
fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            host::log(types::Level::Fatal, &info.to_string().replace('\n', " "));
        }));
    });
}

struct ImportedHost;

impl HostCalls for ImportedHost {
    fn report(&self, line: &abi::Line) {
        host::report(&to_line(line.clone()));
    }

    fn log(&self, level: abi::Level, text: &str) {
        let level = match level {
            abi::Level::Fatal => types::Level::Fatal,
            abi::Level::Warning => types::Level::Warning,
            abi::Level::Info => types::Level::Info,
            abi::Level::Debug => types::Level::Debug,
        };
        host::log(level, text);
    }

    fn left(&self) -> u64 {
        host::left()
    }

    fn legal(&self, moves: &str) -> Result<String, String> {
        host::legal(moves)
    }

    fn look(&self, moves: &str) -> Result<abi::View, String> {
        let ending = |e: types::Ending| abi::Ending { scores: e.scores, reason: e.reason };
        host::look(moves).map(|view| abi::View {
            position: view.position,
            to_move: view.to_move,
            ending: view.ending.map(ending),
        })
    }

    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        host::asset(name, offset, length)
    }

    fn probe(&self, key: u64) -> u64 {
        host::probe(key)
    }

    fn store(&self, key: u64, value: u64) {
        host::store(key, value);
    }

    fn cell(&self, index: u8, op: abi::CellOp, value: i64) -> i64 {
        let op = match op {
            abi::CellOp::Get => types::CellOp::Get,
            abi::CellOp::Put => types::CellOp::Put,
            abi::CellOp::Add => types::CellOp::Add,
            abi::CellOp::Max => types::CellOp::Max,
        };
        host::cell(index, op, value)
    }
}

fn description(d: abi::Description) -> types::Description {
    let kind = |kind| match kind {
        abi::Kind::Toggle => types::Kind::Toggle,
        abi::Kind::Whole(min, max) => types::Kind::Whole((min, max)),
        abi::Kind::Real(min, max) => types::Kind::Real((min, max)),
        abi::Kind::Pick(words) => types::Kind::Pick(words),
        abi::Kind::Text(bytes) => types::Kind::Text(bytes),
    };
    let option = |o: abi::OptionSpec| types::OptionSpec {
        name: o.name,
        about: o.about,
        kind: kind(o.kind),
        initial: o.initial,
        tunable: o.tunable,
    };
    let game = |g: abi::GameSpec| types::GameSpec { game: g.game, variants: g.variants };
    let mut abilities = types::Abilities::empty();
    if d.abilities.ponders {
        abilities = abilities | types::Abilities::PONDERS;
    }
    if d.abilities.helpers {
        abilities = abilities | types::Abilities::HELPERS;
    }
    if d.abilities.proves {
        abilities = abilities | types::Abilities::PROVES;
    }
    types::Description {
        id: d.id,
        name: d.name,
        author: d.author,
        version: d.version,
        games: d.games.into_iter().map(game).collect(),
        options: d.options.into_iter().map(option).collect(),
        abilities,
    }
}

fn from_setup(setup: types::Setup) -> abi::Setup {
    abi::Setup {
        game: setup.game,
        variant: setup.variant,
        start: setup.start,
        moves: setup.moves,
        seats: setup.seats,
        seed: setup.seed,
        options: setup.options,
        memory_bytes: setup.memory_bytes,
        threads: setup.threads,
        helper: setup.helper,
        helpers: setup.helpers,
        table_slots: setup.table_slots,
    }
}

fn from_limits(limits: types::Limits) -> abi::Limits {
    abi::Limits {
        unit: match limits.unit {
            types::Unit::Unlimited => abi::Unit::Unlimited,
            types::Unit::Wall => abi::Unit::Wall,
            types::Unit::Cpu => abi::Unit::Cpu,
            types::Unit::Fuel => abi::Unit::Fuel,
        },
        call_max: limits.call_max,
        game_left: limits.game_left,
        increment: limits.increment,
        moves_to_go: limits.moves_to_go,
        grace: limits.grace,
        depth: limits.depth,
        nodes: limits.nodes,
        lines: limits.lines,
        others_left: limits.others_left,
        draw_offered: limits.draw_offered,
    }
}

fn to_line(line: abi::Line) -> types::Line {
    let bound = |bound| match bound {
        abi::Bound::Estimate => types::Bound::Estimate,
        abi::Bound::AtLeast => types::Bound::AtLeast,
        abi::Bound::AtMost => types::Bound::AtMost,
        abi::Bound::Exact => types::Bound::Exact,
    };
    types::Line {
        rank: line.rank,
        score: line.score.map(|s| types::Score { value: s.value, bound: bound(s.bound) }),
        depth: line.depth,
        nodes: line.nodes,
        spent: line.spent,
        moves: line.moves,
    }
}

fn choice(choice: abi::Choice) -> types::Choice {
    types::Choice {
        decision: match choice.decision {
            abi::Decision::Play(mv) => types::Decision::Play(mv),
            abi::Decision::Resign => types::Decision::Resign,
            abi::Decision::AcceptDraw => types::Decision::AcceptDraw,
        },
        offers_draw: choice.offers_draw,
        line: choice.line.map(to_line),
    }
}
