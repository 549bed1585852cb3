//! The host functions that a native engine calls, from any of its threads and with any pointers.
//! Passes queries on to the host state and the meter. Stores a fault until the end of the call,
//! because nothing may unwind through the engine.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sandboard_abi::{Bound, CellOp, Level, Line, Score, View, c, limits};

use sandboard_engine::meter::Meter;
use sandboard_engine::{Fault, FaultCode, HostState, line_too_long};

use super::library::read_text;

/// The target of an engine's `ctx` pointer.
pub(super) struct HostContext {
    pub(super) meter: Arc<Meter>,
    state: Mutex<HostState>,
    /// The first fault in a host function since [`take_fault`](Self::take_fault).
    fault: Mutex<Option<Fault>>,
    ignores_output: AtomicBool,
}

impl HostContext {
    pub(super) fn new(meter: Arc<Meter>, state: HostState) -> Self {
        let ignores_output = AtomicBool::new(false);
        Self { meter, state: Mutex::new(state), fault: Mutex::new(None), ignores_output }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, HostState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first fault in a host function since the last time that this was called.
    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Discards reports and logs from now on, because the engine was abandoned.
    pub(super) fn ignore_output(&self) {
        self.ignores_output.store(true, Ordering::SeqCst);
    }

    fn accepts_output(&self) -> bool {
        !self.ignores_output.load(Ordering::SeqCst)
    }

    /// Runs `work`. Stores a fault or panic instead of letting it unwind into the engine.
    fn catch_faults<T: Default>(&self, work: impl FnOnce() -> Result<T, Fault>) -> T {
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err(Fault::new(FaultCode::Protocol, "caused an error in a host function"))
        });
        result.unwrap_or_else(|fault| {
            let mut first = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(fault);
            // Nothing can unwind through the engine: it gets a stop request, and is abandoned if
            // it does not return.
            self.meter.stop_handle().stop();
            T::default()
        })
    }

    /// The function table with a pointer to this context, which must outlive it.
    pub(super) fn table(self: &Arc<Self>) -> c::HostV1 {
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
/// `ctx` is the pointer of a table made by [`HostContext::table`], whose context still exists.
unsafe fn context<'a>(ctx: *mut c_void) -> &'a HostContext {
    // SAFETY: as above; every part of a context may be used from any thread.
    unsafe { &*ctx.cast::<HostContext>() }
}

/// Reads a line of the engine. Err: its size, text or score is invalid.
///
/// # Safety
/// The line is not null; it and its text are valid for the call.
pub(super) unsafe fn read_line(line: *const c::Line) -> Result<Line, Fault> {
    // SAFETY: as above; the size is the first field.
    let size = unsafe { line.cast::<u32>().read() };
    if (size as usize) < size_of::<c::Line>() {
        let sentence = format!("sent a line of size {size}; {} are needed", size_of::<c::Line>());
        return Err(Fault::new(FaultCode::Protocol, sentence));
    }
    // SAFETY: as above.
    let line = unsafe { &*line };
    if line.moves.len as usize > limits::LINE_BYTES {
        return Err(line_too_long(line.moves.len as usize));
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
    // SAFETY: the header gives the engine this ctx and requires a valid line.
    unsafe {
        let context = context(ctx);
        if !line.is_null() && context.accepts_output() {
            context.catch_faults(|| read_line(line).and_then(|line| context.state().report(line)));
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
    if context.accepts_output() {
        context.catch_faults(|| context.state().log(level, &text));
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
        let line = context.catch_faults(|| Ok(Some(context.state().legal(&moves))));
        write_text(line.unwrap_or(Err(String::new())), out, cap)
    }
}

unsafe extern "C" fn look(
    ctx: *mut c_void,
    moves: c::Text,
    view: *mut c::View,
    out: *mut u8,
    cap: u32,
) -> i64 {
    // SAFETY: as above; `view` is null or may be written.
    unsafe {
        let (context, moves) = (context(ctx), read_text(moves, limits::LINE_BYTES));
        let result = context.catch_faults(|| Ok(Some(context.state().look(&moves))));
        let result = result.unwrap_or(Err(String::new()));
        let fits = !view.is_null() && view.cast::<u32>().read() as usize >= size_of::<c::View>();
        if let (Ok(found), true) = (&result, fits) {
            view.write(c_view(found));
        }
        let text = result.map(|found| match found.ending {
            Some(ending) => format!("{}\n{}", found.position, ending.reason),
            None => found.position,
        });
        write_text(text, out, cap)
    }
}

fn c_view(view: &View) -> c::View {
    let ended = view.ending.as_ref().map_or(&[][..], |ending| &ending.scores);
    let mut scores = [0; limits::SEATS];
    scores.iter_mut().zip(ended).for_each(|(to, score)| *to = *score);
    c::View {
        size: size_of::<c::View>() as u32,
        to_move: view.to_move.into(),
        over: view.ending.is_some().into(),
        n_scores: ended.len().min(limits::SEATS) as u32,
        scores,
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
        match context(ctx).state().asset(&name, offset, cap) {
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
    context.catch_faults(|| {
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
        context.state().cell(index, op, value)
    })
}

/// # Safety
/// `out` may be written for `cap` bytes, or is null with `cap` 0.
unsafe fn write_text(text: Result<String, String>, out: *mut u8, cap: u32) -> i64 {
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
