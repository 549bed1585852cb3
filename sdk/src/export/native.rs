//! The native side of `export_engine!`: the table of C functions for any engine. It catches panics
//! and returns them as errors with message and source location; nothing unwinds into the host.

use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once, OnceLock, PoisonError, RwLock};

use sandboard_abi as abi;
pub use sandboard_abi::c;
use sandboard_abi::{Barred, CellOp, Level, Line, View};

use crate::engine::{CrateInfo, Engine};
use crate::host::{Host, HostCalls};

/// The functions of an engine type.
#[derive(Clone, Copy)]
pub struct ExportedEngine {
    describe: fn(CrateInfo) -> abi::Description,
    table: c::EngineV1,
}

impl ExportedEngine {
    /// The functions of this engine type.
    pub const fn of<E: Engine>() -> Self {
        let table = c::EngineV1 {
            size: size_of::<c::EngineV1>() as u32,
            abi: abi::ABI,
            describe: None,
            start: Some(start::<E>),
            played: Some(played::<E>),
            taken_back: Some(taken_back::<E>),
            choose: Some(choose::<E>),
            think: Some(think::<E>),
            error: Some(error::<E>),
            drop: Some(drop_instance::<E>),
        };
        Self { describe: E::describe, table }
    }

    /// The table for the host, with the engine crate's `describe` function.
    pub const fn table(
        self,
        describe: unsafe extern "C" fn() -> *const c::Description,
    ) -> c::EngineV1 {
        c::EngineV1 { describe: Some(describe), ..self.table }
    }
}

/// One instance: the engine, the error of its last call, and the texts of its last answer, which
/// stay valid until the next call.
struct Instance<E> {
    engine: E,
    host: HostLink,
    error: String,
    choice: Option<abi::Choice>,
    line: c::Line,
}

/// The error of a call: the C result code and the reason.
struct CallError {
    result: i32,
    reason: String,
}

impl From<String> for CallError {
    fn from(reason: String) -> Self {
        Self { result: c::ERROR, reason }
    }
}

thread_local! {
    static START_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

unsafe extern "C" fn start<E: Engine>(
    setup: *const c::Setup,
    host: *const c::HostV1,
    out: *mut *mut c_void,
) -> i32 {
    let link = HostLink::to(host);
    let started = catch_panic(|| {
        // SAFETY: the header promises a valid setup for this call.
        let setup = unsafe { read_setup(&*setup)? };
        E::start(&setup, Host::new(link.clone()))
    });
    let (result, instance) = match started {
        Ok(engine) => {
            let (error, choice, line) = (String::new(), None, c::Line::EMPTY);
            let instance = Instance { engine, host: link, error, choice, line };
            (c::OK, Box::into_raw(Box::new(instance)).cast())
        }
        Err(call_error) => {
            link.cut();
            START_ERROR.set(call_error.reason);
            (call_error.result, std::ptr::null_mut())
        }
    };
    // SAFETY: the header promises that `out` may be written.
    unsafe { *out = instance };
    result
}

unsafe extern "C" fn played<E: Engine>(this: *mut c_void, mv: c::Text) -> i32 {
    // SAFETY: `this` came from `start::<E>`; the text is borrowed for the call.
    unsafe { call::<E>(this, |instance| instance.engine.played(read_text(mv)?)) }
}

unsafe extern "C" fn taken_back<E: Engine>(this: *mut c_void, plies: u32) -> i32 {
    // SAFETY: `this` came from `start::<E>`.
    unsafe { call::<E>(this, |instance| instance.engine.taken_back(plies)) }
}

unsafe extern "C" fn choose<E: Engine>(
    this: *mut c_void,
    limits: *const c::Limits,
    barred: *const c::Barred,
    n: u32,
    out: *mut c::Choice,
) -> i32 {
    let choose = |instance: &mut Instance<E>| {
        // SAFETY: the header promises valid limits, and `n` barred moves.
        let (limits, barred) = unsafe { (read_limits(&*limits), read_barred(barred, n)?) };
        let choice = instance.choice.insert(instance.engine.choose(&limits?, &barred)?);
        let mut written = write_choice(choice);
        if let Some(line) = &choice.line {
            instance.line = write_line(line);
            written.line = &raw const instance.line;
        }
        // SAFETY: the header promises that `out` may be written; what it points
        // to lives in the instance until the next call.
        unsafe { *out = written };
        Ok(())
    };
    // SAFETY: `this` came from `start::<E>`.
    unsafe { call::<E>(this, choose) }
}

unsafe extern "C" fn think<E: Engine>(this: *mut c_void) -> i32 {
    // SAFETY: `this` came from `start::<E>`.
    unsafe { call::<E>(this, |instance| instance.engine.think()) }
}

unsafe extern "C" fn error<E: Engine>(this: *mut c_void) -> c::Text {
    if this.is_null() {
        // The text stays valid in this thread until its next failed start.
        return START_ERROR.with_borrow(|text| c::Text::borrow(text));
    }
    // SAFETY: `this` came from `start::<E>`; one call at a time per instance.
    let instance = unsafe { &*this.cast::<Instance<E>>() };
    c::Text::borrow(&instance.error)
}

unsafe extern "C" fn drop_instance<E: Engine>(this: *mut c_void) {
    if this.is_null() {
        return;
    }
    // SAFETY: `this` came from `start::<E>` and the host calls nothing after this.
    let instance = unsafe { Box::from_raw(this.cast::<Instance<E>>()) };
    let Instance { engine, host, .. } = *instance;
    let _ = catch_panic(|| {
        drop(engine);
        Ok(())
    });
    // Threads that the engine left behind cannot call the host any more.
    host.cut();
}

/// Runs one call on an instance.
///
/// # Safety
/// `this` came from `start::<E>`, was not dropped, and no other call on it runs.
unsafe fn call<E: Engine>(
    this: *mut c_void,
    work: impl FnOnce(&mut Instance<E>) -> Result<(), String>,
) -> i32 {
    // SAFETY: as above.
    let instance = unsafe { &mut *this.cast::<Instance<E>>() };
    match catch_panic(|| work(instance)) {
        Ok(()) => c::OK,
        Err(call_error) => {
            instance.error = call_error.reason;
            call_error.result
        }
    }
}

/// Runs `work`, and turns a panic into an error with message and location.
fn catch_panic<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, CallError> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The library has its own copy of std, so the hook affects only the engine.
        std::panic::set_hook(Box::new(|info| PANIC.set(info.to_string().replace('\n', " "))));
    });
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(CallError::from),
        Err(_) => Err(CallError { result: c::CRASHED, reason: PANIC.take() }),
    }
}

/// A description in C layout, made once and never freed.
pub struct CDescription(OnceLock<Layout>);

struct Layout {
    description: c::Description,
    _parts: Parts,
}

#[derive(Default)]
struct Parts {
    source: abi::Description,
    variants: Vec<Vec<c::Text>>,
    picks: Vec<Vec<c::Text>>,
    games: Vec<c::Game>,
    options: Vec<c::OptionSpec>,
}

// SAFETY: the pointers point into the heap parts beside them, which do not change any more.
unsafe impl Send for Layout {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Layout {}

impl CDescription {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    pub fn get(&self, engine: ExportedEngine, crate_info: CrateInfo) -> *const c::Description {
        let describe = || {
            let source =
                catch_panic(|| Ok((engine.describe)(crate_info))).unwrap_or_else(|panic| {
                    let (id, name) = (crate_info.name.to_owned(), panic.reason);
                    abi::Description { id, name, ..Default::default() }
                });
            lay_out(source)
        };
        &raw const self.0.get_or_init(describe).description
    }
}

fn lay_out(source: abi::Description) -> Layout {
    let texts = |words: &[String]| words.iter().map(|w| c::Text::borrow(w)).collect::<Vec<_>>();
    let mut parts = Parts { source, ..Parts::default() };
    let source = &parts.source;
    parts.variants = source.games.iter().map(|game| texts(&game.variants)).collect();
    parts.picks = source
        .options
        .iter()
        .map(|option| match &option.kind {
            abi::Kind::Pick(words) => texts(words),
            _ => Vec::new(),
        })
        .collect();
    let game = |(game, variants): (&abi::GameSpec, &Vec<c::Text>)| c::Game {
        game: c::Text::borrow(&game.game),
        variants: variants.as_ptr(),
        n_variants: variants.len() as u32,
    };
    parts.games = source.games.iter().zip(&parts.variants).map(game).collect();
    parts.options = source.options.iter().zip(&parts.picks).map(write_option).collect();
    let can = source.abilities;
    let abilities =
        u32::from(can.ponders) | u32::from(can.helpers) << 1 | u32::from(can.proves) << 2;
    let description = c::Description {
        size: size_of::<c::Description>() as u32,
        abilities,
        id: c::Text::borrow(&source.id),
        name: c::Text::borrow(&source.name),
        author: c::Text::borrow(&source.author),
        version: c::Text::borrow(&source.version),
        games: parts.games.as_ptr(),
        n_games: parts.games.len() as u32,
        options: parts.options.as_ptr(),
        n_options: parts.options.len() as u32,
    };
    Layout { description, _parts: parts }
}

fn write_option((option, picks): (&abi::OptionSpec, &Vec<c::Text>)) -> c::OptionSpec {
    let mut out = c::OptionSpec {
        name: c::Text::borrow(&option.name),
        about: c::Text::borrow(&option.about),
        initial: c::Text::borrow(&option.initial),
        kind: 0,
        tunable: u32::from(option.tunable),
        whole_min: 0,
        whole_max: 0,
        real_min: 0.0,
        real_max: 0.0,
        picks: picks.as_ptr(),
        n_picks: picks.len() as u32,
        text_max: 0,
    };
    match option.kind {
        abi::Kind::Toggle => {}
        abi::Kind::Whole(min, max) => (out.kind, out.whole_min, out.whole_max) = (1, min, max),
        abi::Kind::Real(min, max) => (out.kind, out.real_min, out.real_max) = (2, min, max),
        abi::Kind::Pick(_) => out.kind = 3,
        abi::Kind::Text(bytes) => (out.kind, out.text_max) = (4, bytes),
    }
    out
}

/// # Safety
/// `text` is valid for the call.
unsafe fn read_text<'a>(text: c::Text) -> Result<&'a str, String> {
    if text.len == 0 {
        return Ok("");
    }
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr, text.len as usize) };
    std::str::from_utf8(bytes).map_err(|error| format!("the host sent invalid UTF-8: {error}"))
}

/// # Safety
/// `ptr` points to `n` values, valid for the call, or `n` is 0.
unsafe fn read_array<'a, T>(ptr: *const T, n: u32) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(ptr, n as usize) }
}

/// # Safety
/// The setup and all it points to are valid for the call.
unsafe fn read_setup(setup: &c::Setup) -> Result<abi::Setup, String> {
    // SAFETY: as above, for every text and array.
    unsafe {
        let mut options = Vec::new();
        for setting in read_array(setup.options, setup.n_options) {
            let (name, value) = (read_text(setting.name)?, read_text(setting.value)?);
            options.push((name.to_owned(), value.to_owned()));
        }
        Ok(abi::Setup {
            game: read_text(setup.game)?.to_owned(),
            variant: read_text(setup.variant)?.to_owned(),
            start: read_text(setup.start)?.to_owned(),
            moves: read_text(setup.moves)?.to_owned(),
            seats: read_array(setup.seats, setup.n_seats).to_vec(),
            seed: setup.seed,
            options,
            memory_bytes: setup.memory_bytes,
            threads: setup.threads,
            helper: setup.helper,
            helpers: setup.helpers,
            table_slots: setup.table_slots,
        })
    }
}

/// # Safety
/// The limits and all they point to are valid for the call.
unsafe fn read_limits(limits: &c::Limits) -> Result<abi::Limits, String> {
    let present = |value| (value != c::NONE).then_some(value);
    let short = |value| present(value).map(|value| u32::try_from(value).unwrap_or(u32::MAX));
    // SAFETY: as above.
    let others = unsafe { read_array(limits.others, limits.n_others) };
    Ok(abi::Limits {
        unit: match limits.unit {
            0 => abi::Unit::Unlimited,
            1 => abi::Unit::Wall,
            2 => abi::Unit::Cpu,
            3 => abi::Unit::Fuel,
            other => return Err(format!("the host sent the unknown unit {other}")),
        },
        call_max: present(limits.call_max),
        game_left: present(limits.game_left),
        increment: limits.increment,
        moves_to_go: short(limits.moves_to_go),
        grace: limits.grace,
        depth: short(limits.depth),
        nodes: present(limits.nodes),
        lines: u16::try_from(limits.lines).unwrap_or(u16::MAX),
        others_left: others.iter().map(|other| (other.seat as u8, other.left)).collect(),
        draw_offered: limits.draw_offered != 0,
    })
}

/// # Safety
/// `barred` points to `n` values whose texts are valid for the call.
unsafe fn read_barred(barred: *const c::Barred, n: u32) -> Result<Vec<Barred>, String> {
    // SAFETY: as above.
    unsafe {
        read_array(barred, n)
            .iter()
            .map(|b| {
                let (mv, reason) = (read_text(b.r#move)?, read_text(b.reason)?);
                Ok(Barred { r#move: mv.to_owned(), reason: reason.to_owned() })
            })
            .collect()
    }
}

fn write_line(line: &Line) -> c::Line {
    let (score, bound) = line.score.map_or((0, c::UNSCORED), |s| (s.value, s.bound as u32));
    c::Line {
        rank: u32::from(line.rank),
        score,
        bound,
        depth: line.depth,
        nodes: line.nodes,
        spent: line.spent,
        moves: c::Text::borrow(&line.moves),
        ..c::Line::EMPTY
    }
}

fn write_choice(choice: &abi::Choice) -> c::Choice {
    let (decision, mv) = match &choice.decision {
        abi::Decision::Play(mv) => (0, c::Text::borrow(mv)),
        abi::Decision::Resign => (1, c::Text::EMPTY),
        abi::Decision::AcceptDraw => (2, c::Text::EMPTY),
    };
    c::Choice {
        size: size_of::<c::Choice>() as u32,
        decision,
        r#move: mv,
        offers_draw: u32::from(choice.offers_draw),
        reserved: 0,
        line: std::ptr::null(),
    }
}

/// A link to the host's function table that can be cut: a thread or a static of the engine may keep
/// its handle longer than the instance lives.
#[derive(Clone)]
struct HostLink(Arc<RwLock<Option<HostTable>>>);

#[derive(Clone, Copy)]
struct HostTable(*const c::HostV1);

// SAFETY: the header lets any of the engine's threads call the host.
unsafe impl Send for HostTable {}
// SAFETY: as above.
unsafe impl Sync for HostTable {}

impl HostLink {
    fn to(table: *const c::HostV1) -> Self {
        Self(Arc::new(RwLock::new(Some(HostTable(table)))))
    }

    /// Waits for calls in progress, and blocks all later ones.
    fn cut(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Calls the host; returns `if_cut` if the link is cut.
    fn call<T>(&self, if_cut: T, call: impl FnOnce(&c::HostV1) -> T) -> T {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match &*table {
            // SAFETY: the host keeps its table until `drop` returns, and the link
            // is cut before that, which waits for this call.
            Some(HostTable(table)) => call(unsafe { &**table }),
            None => if_cut,
        }
    }
}

const LINK_CUT: &str = "the game is over";

impl HostCalls for HostLink {
    fn report(&self, line: &Line) {
        // SAFETY: the host's function, its own ctx; the line is borrowed for the call.
        self.call((), |host| unsafe { (host.report)(host.ctx, &write_line(line)) });
    }

    fn log(&self, level: Level, text: &str) {
        // SAFETY: as above.
        self.call((), |host| unsafe { (host.log)(host.ctx, level as u32, c::Text::borrow(text)) });
    }

    fn left(&self) -> u64 {
        // SAFETY: as above.
        self.call(0, |host| unsafe { (host.left)(host.ctx) })
    }

    fn legal(&self, moves: &str) -> Result<String, String> {
        let moves = c::Text::borrow(moves);
        self.call(Err(LINK_CUT.into()), |host| {
            // SAFETY: as above; at most the buffer's length is written.
            read_host_text(|out| unsafe {
                (host.legal)(host.ctx, moves, out.as_mut_ptr(), out.len() as u32)
            })
        })
    }

    fn look(&self, moves: &str) -> Result<View, String> {
        let size = size_of::<c::View>() as u32;
        let scores = [0; abi::limits::SEATS];
        let mut view = c::View { size, to_move: 0, over: 0, n_scores: 0, scores };
        let moves = c::Text::borrow(moves);
        let text = self.call(Err(LINK_CUT.into()), |host| {
            // SAFETY: as above.
            read_host_text(|out| unsafe {
                (host.look)(host.ctx, moves, &mut view, out.as_mut_ptr(), out.len() as u32)
            })
        })?;
        let (position, reason) = text.split_once('\n').unwrap_or((&text, ""));
        let ending = || abi::Ending {
            scores: view.scores.iter().copied().take(view.n_scores as usize).collect(),
            reason: reason.to_owned(),
        };
        Ok(View {
            position: position.to_owned(),
            to_move: view.to_move as u8,
            ending: (view.over != 0).then(ending),
        })
    }

    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        let mut out = vec![0; length as usize];
        let copied = self.call(-1, |host| {
            let name = c::Text::borrow(name);
            // SAFETY: as above.
            unsafe { (host.asset)(host.ctx, name, offset, out.as_mut_ptr(), length) }
        });
        if copied < 0 {
            return Err(format!("the pack has no asset `{name}`"));
        }
        out.truncate(copied as usize);
        Ok(out)
    }

    fn probe(&self, key: u64) -> u64 {
        // SAFETY: as above.
        self.call(0, |host| unsafe { (host.probe)(host.ctx, key) })
    }

    fn store(&self, key: u64, value: u64) {
        // SAFETY: as above.
        self.call((), |host| unsafe { (host.store)(host.ctx, key, value) });
    }

    fn cell(&self, index: u8, op: CellOp, value: i64) -> i64 {
        // SAFETY: as above.
        self.call(0, |host| unsafe { (host.cell)(host.ctx, index.into(), op as u32, value) })
    }
}

/// Reads a text of unknown length from the host. `fill` returns the length of the text in bytes, or
/// -1 minus the length of an error text.
fn read_host_text(mut fill: impl FnMut(&mut [u8]) -> i64) -> Result<String, String> {
    let mut buffer = vec![0; 2048];
    loop {
        let answer = fill(&mut buffer);
        let bytes = if answer < 0 { -1 - answer } else { answer } as usize;
        if bytes > buffer.len() {
            buffer.resize(bytes, 0);
            continue;
        }
        buffer.truncate(bytes);
        let text = String::from_utf8_lossy(&buffer).into_owned();
        return if answer < 0 { Err(text) } else { Ok(text) };
    }
}
