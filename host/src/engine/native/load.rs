//! Loads a native engine and checks its table before anything in it is called.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sandboard_abi::c::{self, EngineV1};
use sandboard_abi::{
    ABI, Abilities, Description, GameSpec, Kind, NATIVE_SYMBOL_STEM, OptionSpec, limits,
};

use sha2::{Digest, Sha256};

use super::copy::PrivateCopy;
use crate::engine::desk::{checked_description, clean_text};
use crate::engine::{Fault, FaultCode};

/// The functions of a loaded library, every one of them present.
#[derive(Clone, Copy)]
pub struct Library {
    pub functions: Functions,
}

/// The engine's table with nothing missing.
#[derive(Clone, Copy)]
pub struct Functions {
    pub describe: unsafe extern "C" fn() -> *const c::Description,
    pub start:
        unsafe extern "C" fn(*const c::Setup, *const c::HostV1, *mut *mut core::ffi::c_void) -> i32,
    pub played: unsafe extern "C" fn(*mut core::ffi::c_void, c::Text) -> i32,
    pub taken_back: unsafe extern "C" fn(*mut core::ffi::c_void, u32) -> i32,
    pub choose: unsafe extern "C" fn(
        *mut core::ffi::c_void,
        *const c::Limits,
        *const c::Barred,
        u32,
        *mut c::Choice,
    ) -> i32,
    pub think: unsafe extern "C" fn(*mut core::ffi::c_void) -> i32,
    pub error: unsafe extern "C" fn(*mut core::ffi::c_void) -> c::Text,
    pub drop: unsafe extern "C" fn(*mut core::ffi::c_void),
}

fn refused(sentence: String) -> Fault {
    Fault::new(FaultCode::Load, sentence)
}

/// What the system says of it, which the error by itself keeps back.
fn in_full(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    clean_text(&format!("{error}{}", cause.unwrap_or_default()), limits::REASON_BYTES)
}
/// The libraries of this process that were loaded from bytes, by their SHA-256.
static LOADED: Mutex<BTreeMap<[u8; 32], Library>> = Mutex::new(BTreeMap::new());

impl Library {
    /// Loads the library that these bytes are, from a copy that nobody else can change.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, Fault> {
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let sha256 = Sha256::digest(bytes).into();
        if let Some(library) = loaded.get(&sha256) {
            return Ok(*library);
        }
        let copy = PrivateCopy::of(bytes)
            .map_err(|error| refused(format!("cannot be copied to be loaded: {error}")))?;
        let path = copy.path().to_string_lossy().into_owned();
        let library = Self::load(copy.path()).map_err(|fault| {
            // Where the copy is tells nobody anything.
            let sentence = fault.sentence.replace(&path, name);
            Fault { sentence, ..fault }
        });
        copy.loaded();
        loaded.insert(sha256, library.clone()?);
        library
    }

    pub fn load(path: &Path) -> Result<Self, Fault> {
        // A bare file name would be searched for in the system's folders.
        let path = std::path::absolute(path)
            .map_err(|error| refused(format!("cannot be found at {}: {error}", path.display())))?;
        // SAFETY: loading runs the library's constructors; that this is wanted
        // is what the caller vouches for. Its code and ours share a process.
        let library = unsafe { libloading::Library::new(&path) }
            .map_err(|error| refused(format!("cannot be loaded: {}", in_full(&error))))?;
        let symbol = format!("{NATIVE_SYMBOL_STEM}{ABI}\0");
        // SAFETY: the symbol's name says its type; a library that lies about it
        // is as able to do harm in its constructors.
        let entry =
            unsafe { library.get::<unsafe extern "C" fn() -> *const EngineV1>(symbol.as_bytes()) }
                .map_err(|error| {
                    let symbol = format!("{NATIVE_SYMBOL_STEM}{ABI}");
                    refused(format!("has no symbol {symbol}: {}", in_full(&error)))
                })?;
        // SAFETY: as above.
        let table = unsafe { entry() };
        // Never unloaded, refused or not: its constructors have run, and what they
        // left behind needs its code.
        std::mem::forget(library);
        // SAFETY: the header promises NULL or a static table.
        Ok(Self { functions: unsafe { checked_table(table)? } })
    }

    pub fn describe(&self) -> Result<Description, Fault> {
        let broken = |sentence: &str| Err(Fault::new(FaultCode::Protocol, sentence));
        // SAFETY: the header lets describe be called any time and promises NULL or
        // static data, which begins with its size.
        unsafe {
            let description = (self.functions.describe)();
            if description.is_null() {
                return broken("describes itself as NULL");
            }
            if (description.cast::<u32>().read() as usize) < size_of::<c::Description>() {
                return broken("describes itself in a struct that is too small");
            }
            checked_description(read_description(&*description)?)
        }
    }
}

/// # Safety
/// `table` is null, or as long as its own first field says.
unsafe fn checked_table(table: *const EngineV1) -> Result<Functions, Fault> {
    if table.is_null() {
        return Err(refused("returns NULL instead of its table".into()));
    }
    // SAFETY: as above; every version's table begins with these two.
    let [size, abi] = unsafe { table.cast::<[u32; 2]>().read() };
    if abi != ABI {
        let sentence = format!("is built for border ABI {abi}; this host speaks ABI {ABI}");
        return Err(refused(sentence));
    }
    let wanted = size_of::<EngineV1>();
    if (size as usize) < wanted {
        let sentence = format!("has a table of {size} bytes; {wanted} are needed");
        return Err(refused(sentence));
    }
    // SAFETY: as above.
    let table = unsafe { &*table };
    let missing = |name: &'static str| refused(format!("has no function `{name}` in its table"));
    Ok(Functions {
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

/// A text of the engine's, cut and cleaned. Bytes that are no UTF-8 are
/// replaced: what must be exact is checked by its reader anyway.
///
/// # Safety
/// `text` is valid for the call, as the header promises.
pub unsafe fn read_text(text: c::Text, limit_bytes: usize) -> String {
    if text.ptr.is_null() || text.len == 0 {
        return String::new();
    }
    // A little more than the limit, so that cutting shows.
    let length = (text.len as usize).min(limit_bytes + 4);
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(text.ptr, length) };
    clean_text(&String::from_utf8_lossy(bytes), limit_bytes)
}

/// # Safety
/// `ptr` points to `n` values valid for the call, or `n` is 0.
unsafe fn read_array<'a, T>(ptr: *const T, n: u32, most: usize) -> Result<&'a [T], Fault> {
    if n == 0 || ptr.is_null() {
        return Ok(&[]);
    }
    if n as usize > most {
        let sentence = format!("describes itself with a list of {n}; at most {most} are admitted");
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
