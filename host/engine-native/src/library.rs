//! Loads a native library and checks its function table before any of its functions is called.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sandboard_abi::c::{self, EngineV1};
use sandboard_abi::{
    ABI, Abilities, Description, GameSpec, Kind, NATIVE_SYMBOL_STEM, OptionSpec, limits,
};
use sandboard_common::text::clean_text;
use sandboard_engine::{Fault, FaultCode};
use sha2::{Digest, Sha256};

use super::private_copy::PrivateCopy;

/// A loaded library.
#[derive(Clone, Copy)]
pub(super) struct Library {
    pub(super) functions: EngineFunctions,
}

/// The functions of an engine's table, all of which are present.
#[derive(Clone, Copy)]
pub(super) struct EngineFunctions {
    pub(super) describe: unsafe extern "C" fn() -> *const c::Description,
    pub(super) start:
        unsafe extern "C" fn(*const c::Setup, *const c::HostV1, *mut *mut core::ffi::c_void) -> i32,
    pub(super) played: unsafe extern "C" fn(*mut core::ffi::c_void, c::Text) -> i32,
    pub(super) taken_back: unsafe extern "C" fn(*mut core::ffi::c_void, u32) -> i32,
    pub(super) choose: unsafe extern "C" fn(
        *mut core::ffi::c_void,
        *const c::Limits,
        *const c::Barred,
        u32,
        *mut c::Choice,
    ) -> i32,
    pub(super) think: unsafe extern "C" fn(*mut core::ffi::c_void) -> i32,
    pub(super) error: unsafe extern "C" fn(*mut core::ffi::c_void) -> c::Text,
    pub(super) drop: unsafe extern "C" fn(*mut core::ffi::c_void),
}

fn load_fault(sentence: String) -> Fault {
    Fault::new(FaultCode::Load, sentence)
}

/// The error with its cause, which its own text leaves out.
fn with_cause(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    clean_text(&format!("{error}{}", cause.unwrap_or_default()), limits::REASON_BYTES)
}

/// The libraries that this process has loaded from bytes, by SHA-256.
static LOADED: Mutex<BTreeMap<[u8; 32], Library>> = Mutex::new(BTreeMap::new());

impl Library {
    /// Loads a library from a private copy of its bytes, once per process.
    pub(super) fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, Fault> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let sha256 = Sha256::digest(bytes).into();
        if let Some(library) = loaded.get(&sha256) {
            return Ok(*library);
        }
        let copy = PrivateCopy::new(bytes)
            .map_err(|error| load_fault(format!("cannot be copied to be loaded: {error}")))?;
        let path = copy.path().to_string_lossy().into_owned();
        let library = Self::load(copy.path()).map_err(|fault| {
            // The user knows the library by name, not by the path of the copy.
            let sentence = fault.sentence.replace(&path, name);
            Fault { sentence, ..fault }
        });
        copy.release();
        loaded.insert(sha256, library.clone()?);
        library
    }

    /// Loads a library, which runs its constructors, and reads its function table.
    pub(super) fn load(path: &Path) -> Result<Self, Fault> {
        // The system would search for a bare file name in its library folders.
        let path = std::path::absolute(path).map_err(|error| {
            load_fault(format!("cannot be found at {}: {error}", path.display()))
        })?;
        // SAFETY: loading runs the library's constructors, in this process. The caller guarantees
        // that this is intended.
        let library = unsafe { libloading::Library::new(&path) }
            .map_err(|error| load_fault(format!("cannot be loaded: {}", with_cause(&error))))?;
        let symbol = format!("{NATIVE_SYMBOL_STEM}{ABI}\0");
        // SAFETY: the ABI defines the symbol's type. A library with another type could do no more
        // harm than its constructors.
        let entry =
            unsafe { library.get::<unsafe extern "C" fn() -> *const EngineV1>(symbol.as_bytes()) }
                .map_err(|error| {
                    let symbol = format!("{NATIVE_SYMBOL_STEM}{ABI}");
                    load_fault(format!("has no symbol {symbol}: {}", with_cause(&error)))
                })?;
        // SAFETY: as above.
        let table = unsafe { entry() };
        // Never unloaded, even if it is refused: threads that its constructors started need its
        // code.
        std::mem::forget(library);
        // SAFETY: the header promises NULL or a static table.
        Ok(Self { functions: unsafe { read_table(table)? } })
    }

    /// Calls the library's `describe`. The result has not been validated.
    pub(super) fn describe(&self) -> Result<Description, Fault> {
        let violation = |sentence: &str| Err(Fault::new(FaultCode::Protocol, sentence));
        // SAFETY: the header permits `describe` at any time and requires NULL or static data, which
        // begins with its size.
        unsafe {
            let description = (self.functions.describe)();
            if description.is_null() {
                return violation("describes itself as NULL");
            }
            if (description.cast::<u32>().read() as usize) < size_of::<c::Description>() {
                return violation("describes itself in a struct that is too small");
            }
            read_description(&*description)
        }
    }
}

/// # Safety
/// `table` is null, or as long as its own first field says.
unsafe fn read_table(table: *const EngineV1) -> Result<EngineFunctions, Fault> {
    if table.is_null() {
        return Err(load_fault("returns NULL instead of its table".into()));
    }
    // SAFETY: as above; every version's table begins with these two.
    let [size, abi] = unsafe { table.cast::<[u32; 2]>().read() };
    if abi != ABI {
        let sentence = format!("is built for ABI {abi}; this host speaks ABI {ABI}");
        return Err(load_fault(sentence));
    }
    let required = size_of::<EngineV1>();
    if (size as usize) < required {
        let sentence = format!("has a table of {size} bytes; {required} are needed");
        return Err(load_fault(sentence));
    }
    // SAFETY: as above.
    let table = unsafe { &*table };
    let missing = |name: &'static str| load_fault(format!("has no function `{name}` in its table"));
    Ok(EngineFunctions {
        describe: table.describe.ok_or_else(|| missing("describe"))?,
        start: table.start.ok_or_else(|| missing("start"))?,
        played: table.played.ok_or_else(|| missing("played"))?,
        taken_back: table.taken_back.ok_or_else(|| missing("taken_back"))?,
        choose: table.choose.ok_or_else(|| missing("choose"))?,
        think: table.think.ok_or_else(|| missing("think"))?,
        error: table.error.ok_or_else(|| missing("error"))?,
        drop: table.drop.ok_or_else(|| missing("drop"))?,
    })
}

/// Reads a text of the engine, truncated and escaped. Invalid UTF-8 is replaced: texts that must be
/// exact are checked by the caller.
///
/// # Safety
/// `text` is valid for the call, as the header promises.
pub(super) unsafe fn read_text(text: c::Text, limit_bytes: usize) -> String {
    if text.ptr.is_null() || text.len == 0 {
        return String::new();
    }
    // Slightly more than the limit, so that `clean_text` marks the truncation.
    let length = (text.len as usize).min(limit_bytes + 4);
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr, length) };
    clean_text(&String::from_utf8_lossy(bytes), limit_bytes)
}

/// # Safety
/// `ptr` points to `n` values valid for the call, or `n` is 0.
unsafe fn read_array<'a, T>(ptr: *const T, n: u32, max: usize) -> Result<&'a [T], Fault> {
    if n == 0 || ptr.is_null() {
        return Ok(&[]);
    }
    if n as usize > max {
        let sentence = format!("describes itself with a list of {n}; at most {max} are admitted");
        return Err(Fault::new(FaultCode::Protocol, sentence));
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts(ptr, n as usize) })
}

/// # Safety
/// The description is the engine's static data, laid out as the header says.
unsafe fn read_description(d: &c::Description) -> Result<Description, Fault> {
    // SAFETY: as above, for every text and list in it.
    unsafe {
        let texts = |ptr, n| -> Result<Vec<String>, Fault> {
            let texts = read_array(ptr, n, limits::OPTIONS)?;
            Ok(texts.iter().map(|text| read_text(*text, limits::LABEL_BYTES)).collect())
        };
        let mut games = Vec::new();
        for game in read_array(d.games, d.n_games, limits::OPTIONS)? {
            let id = read_text(game.game, limits::ID_BYTES);
            games.push(GameSpec { game: id, variants: texts(game.variants, game.n_variants)? });
        }
        let mut options = Vec::new();
        for option in read_array(d.options, d.n_options, limits::OPTIONS)? {
            let kind = match option.kind {
                0 => Kind::Toggle,
                1 => Kind::Whole(option.whole_min, option.whole_max),
                2 => Kind::Real(option.real_min, option.real_max),
                3 => Kind::Pick(texts(option.picks, option.n_picks)?),
                4 => Kind::Text(option.text_max),
                other => {
                    let sentence = format!("describes an option of the unknown kind {other}");
                    return Err(Fault::new(FaultCode::Protocol, sentence));
                }
            };
            options.push(OptionSpec {
                name: read_text(option.name, limits::ID_BYTES),
                about: read_text(option.about, limits::LABEL_BYTES),
                kind,
                initial: read_text(option.initial, limits::OPTION_VALUE_BYTES),
                tunable: option.tunable != 0,
            });
        }
        Ok(Description {
            id: read_text(d.id, limits::ID_BYTES),
            name: read_text(d.name, limits::LABEL_BYTES),
            author: read_text(d.author, limits::LABEL_BYTES),
            version: read_text(d.version, limits::LABEL_BYTES),
            games,
            options,
            abilities: Abilities {
                ponders: d.abilities & 1 != 0,
                helpers: d.abilities & 2 != 0,
                proves: d.abilities & 4 != 0,
            },
        })
    }
}
