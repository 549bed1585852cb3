//! The host's function table as a native engine calls it: from any of its
//! threads, with whatever pointers it holds to be right. Hands over to the desk
//! and the meter; remembers a broken rule for the end of the call, since
//! nothing may unwind through the engine.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Bound, CellOp, Level, Line, Score, View, c, limits};

use super::load::read_text;
use crate::engine::desk::{Desk, long_line};
use crate::engine::meter::Meter;
use crate::engine::{Fault, FaultCode};

/// What an engine's `ctx` points to.
pub struct Context {
    pub meter: Arc<Meter>,
    desk: Mutex<Desk>,
    fault: Mutex<Option<Fault>>,
    given_up: AtomicBool,
}

impl Context {
    pub fn new(meter: Arc<Meter>, desk: Desk) -> Self {
        let given_up = AtomicBool::new(false);
        Self { meter, desk: Mutex::new(desk), fault: Mutex::new(None), given_up }
    }

    pub fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the engine did wrong in a host function since the last look.
    pub fn take_fault(&self) -> Option<Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Nobody waits for the engine any more: what it says from now on is lost.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::SeqCst);
    }

    fn is_heard(&self) -> bool {
        !self.given_up.load(Ordering::SeqCst)
    }

    /// Does what the engine asks for, and lets nothing unwind into it.
    fn guarded<T: Default>(&self, work: impl FnOnce() -> Result<T, Fault>) -> T {
        let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err(Fault::new(FaultCode::Protocol, "asked for what the host could not do"))
        });
        done.unwrap_or_else(|fault| {
            let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(fault);
            // Nothing can be thrown through the engine: it is told to stop, and
            // left behind if it does not.
            self.meter.control().stop();
            T::default()
        })
    }

    /// The table over this context; the context outlives it.
    pub fn table(self: &Arc<Self>) -> c::HostV1 {
        c::HostV1 {
            size: size_of::<c::HostV1>() as u32,
            ctx: Arc::as_ptr(self).cast_mut().cast(),
            report,
            log,
            left,
            legal,
            look,
            asset,
            probe,
            store,
            cell,
        }
    }
}

/// # Safety
/// `ctx` is the pointer of a table made by [`Context::table`], whose context lives.
unsafe fn context<'a>(ctx: *mut c_void) -> &'a Context {
    // SAFETY: as above; every part of a context may be used from any thread.
    unsafe { &*ctx.cast::<Context>() }
}

/// A line of the engine's. Err: it says something that no line can.
///
/// # Safety
/// The line is not null; it and its text are valid for the call.
pub unsafe fn read_line(line: *const c::Line) -> Result<Line, Fault> {
    // SAFETY: as above; the size comes first, and says whether the rest is there.
    let size = unsafe { line.cast::<u32>().read() };
    if (size as usize) < size_of::<c::Line>() {
        let sentence = format!("sent a line of size {size}; {} are needed", size_of::<c::Line>());
        return Err(Fault::new(FaultCode::Protocol, sentence));
    }
    // SAFETY: as above.
    let line = unsafe { &*line };
    if line.moves.len as usize > limits::LINE_BYTES {
        return Err(long_line(line.moves.len as usize));
    }
    let bound = match line.bound {
        0 => Some(Bound::Estimate),
        1 => Some(Bound::AtLeast),
        2 => Some(Bound::AtMost),
        3 => Some(Bound::Exact),
        c::UNSCORED => None,
        other => {
            let sentence = format!("sent a score of the unknown bound {other}");
            return Err(Fault::new(FaultCode::Protocol, sentence));
        }
    };
    Ok(Line {
        rank: u16::try_from(line.rank).unwrap_or(u16::MAX),
        score: bound.map(|bound| Score { value: line.score, bound }),
        depth: line.depth,
        nodes: line.nodes,
        spent: line.spent,
        // SAFETY: as above.
        moves: unsafe { read_text(line.moves, limits::LINE_BYTES) },
    })
}

unsafe extern "C" fn report(ctx: *mut c_void, line: *const c::Line) {
    // SAFETY: the header gives the engine this ctx and asks for a valid line.
    unsafe {
        let context = context(ctx);
        if !line.is_null() && context.is_heard() {
            context.guarded(|| read_line(line).and_then(|line| context.desk().report(line)));
        }
    }
}

unsafe extern "C" fn log(ctx: *mut c_void, level: u32, text: c::Text) {
    let level = match level {
        0 => Level::Fatal,
        1 => Level::Warning,
        2 => Level::Info,
        _ => Level::Debug,
    };
    // SAFETY: as above.
    let (context, text) = unsafe { (context(ctx), read_text(text, limits::LOG_TEXT_BYTES)) };
    if context.is_heard() {
        context.guarded(|| context.desk().log(level, &text));
    }
}

unsafe extern "C" fn left(ctx: *mut c_void) -> u64 {
    // SAFETY: as above.
    unsafe { context(ctx).meter.left_us() }
}

unsafe extern "C" fn legal(ctx: *mut c_void, moves: c::Text, out: *mut u8, cap: u32) -> i64 {
    // SAFETY: as above.
    unsafe {
        let (context, moves) = (context(ctx), read_text(moves, limits::LINE_BYTES));
        let line = context.guarded(|| Ok(Some(context.desk().legal(&moves))));
        give_text(line.unwrap_or(Err(String::new())), out, cap)
    }
}

unsafe extern "C" fn look(
    ctx: *mut c_void,
    moves: c::Text,
    view: *mut c::View,
    out: *mut u8,
    cap: u32,
) -> i64 {
    // SAFETY: as above; a view, where there is one, may be written.
    unsafe {
        let (context, moves) = (context(ctx), read_text(moves, limits::LINE_BYTES));
        let seen = context.guarded(|| Ok(Some(context.desk().look(&moves))));
        let seen = seen.unwrap_or(Err(String::new()));
        let fits = !view.is_null() && view.cast::<u32>().read() as usize >= size_of::<c::View>();
        if let (Ok(seen), true) = (&seen, fits) {
            view.write(write_view(seen));
        }
        let text = seen.map(|seen| match seen.ending {
            Some(ending) => format!("{}\n{}", seen.position, ending.reason),
            None => seen.position,
        });
        give_text(text, out, cap)
    }
}

fn write_view(seen: &View) -> c::View {
    let winner = seen.ending.as_ref().and_then(|ending| ending.winner);
    c::View {
        size: size_of::<c::View>() as u32,
        to_move: seen.to_move.into(),
        over: seen.ending.is_some().into(),
        winner: winner.map_or(c::NO_SEAT, u32::from),
    }
}

unsafe extern "C" fn asset(
    ctx: *mut c_void,
    name: c::Text,
    offset: u64,
    out: *mut u8,
    cap: u32,
) -> i64 {
    // SAFETY: as above; at most `cap` bytes are written.
    unsafe {
        let name = read_text(name, limits::ID_BYTES);
        match context(ctx).desk().asset(&name, offset, cap) {
            Ok(bytes) => {
                copy(&bytes, out, cap);
                bytes.len() as i64
            }
            Err(_) => -1,
        }
    }
}

unsafe extern "C" fn probe(_ctx: *mut c_void, _key: u64) -> u64 {
    0
}

unsafe extern "C" fn store(_ctx: *mut c_void, _key: u64, _value: u64) {}

unsafe extern "C" fn cell(ctx: *mut c_void, index: u32, op: u32, value: i64) -> i64 {
    // SAFETY: as above.
    let context = unsafe { context(ctx) };
    context.guarded(|| {
        let op = match op {
            0 => CellOp::Get,
            1 => CellOp::Put,
            2 => CellOp::Add,
            3 => CellOp::Max,
            other => {
                let sentence = format!("asked for the unknown cell operation {other}");
                return Err(Fault::new(FaultCode::Protocol, sentence));
            }
        };
        context.desk().cell(index, op, value)
    })
}

/// # Safety
/// `out` may be written for `cap` bytes, or is null with `cap` 0.
unsafe fn give_text(text: Result<String, String>, out: *mut u8, cap: u32) -> i64 {
    let (bytes, sign) = match &text {
        Ok(text) => (text.as_bytes(), 1),
        Err(reason) => (reason.as_bytes(), -1),
    };
    // SAFETY: as above.
    unsafe { copy(bytes, out, cap) };
    let length = bytes.len() as i64;
    if sign < 0 { -1 - length } else { length }
}

/// # Safety
/// `out` may be written for `cap` bytes, or is null.
unsafe fn copy(bytes: &[u8], out: *mut u8, cap: u32) {
    if !out.is_null() {
        let length = bytes.len().min(cap as usize);
        // SAFETY: as above; the engine's buffer is not ours.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), out, length) };
    }
}
