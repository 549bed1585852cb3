//! The functions of JavaScript that this program imports, and those that JavaScript calls. The file
//! `runtime.ts` of the client is the other side. All addresses are in the memory of this program.
//!
//! A *store* is a list of objects: instances of modules, and what they export and import. An object
//! is its number in the list.
#![expect(unsafe_code, reason = "calls of functions of JavaScript")]

use std::ffi::c_void;

/// The numbers of values in [`SCRATCH`]: the most parameters of a function of the host.
const SCRATCH_VALUES: usize = 16;

/// The outcome of a call into JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Returned,
    /// A function of the host ended the call.
    Ended,
    /// The call failed; [`take_error`] says why.
    Failed,
}

/// The type of the result of a function of the host, as JavaScript has to return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultType {
    None = 0,
    I64 = 1,
}

/// A function of the host as JavaScript knows it: what it passes to [`sandboard_host_call`].
#[derive(Clone, Copy)]
pub(super) struct HostFunctionAddresses {
    /// The function that [`sandboard_host_call`] calls.
    pub(super) thunk: Thunk,
    /// The data of the store.
    pub(super) data: *mut c_void,
    /// The function that the thunk calls.
    pub(super) function: *const c_void,
    pub(super) encoding: u32,
    pub(super) result: ResultType,
}

/// Calls a function of the host with the bits of its parameters. The first arguments are those of
/// [`HostFunctionAddresses`]. None: the call of the instance ends.
pub(super) type Thunk = fn(*mut c_void, *const c_void, u32, &[u64]) -> Option<u64>;

mod external {
    #[link(wasm_import_module = "sandboard:runtime")]
    unsafe extern "C" {
        pub(super) fn compile(bytes: *const u8, length: usize) -> u32;
        pub(super) fn release_module(module: u32);
        pub(super) fn new_store() -> u32;
        pub(super) fn release_store(store: u32);
        pub(super) fn new_global(store: u32, is_i64: u32, value: i64) -> u32;
        pub(super) fn global(store: u32, object: u32) -> i64;
        pub(super) fn set_global(store: u32, object: u32, value: i64);
        pub(super) fn host_function(
            store: u32,
            thunk: usize,
            data: usize,
            function: usize,
            encoding: u32,
            result: u32,
        ) -> u32;
        pub(super) fn instantiate(
            store: u32,
            module: u32,
            imports: *const u32,
            count: usize,
            instance: *mut u32,
        ) -> u32;
        pub(super) fn export(store: u32, instance: u32, name: *const u8, length: usize) -> u32;
        pub(super) fn call(
            store: u32,
            function: u32,
            params: *const u64,
            count: usize,
            wide: u32,
            result: *mut u64,
        ) -> u32;
        pub(super) fn memory_bytes(store: u32, memory: u32) -> f64;
        pub(super) fn copy_to(
            store: u32,
            memory: u32,
            address: u32,
            bytes: *mut u8,
            length: usize,
        ) -> u32;
        pub(super) fn copy_from(
            store: u32,
            memory: u32,
            address: u32,
            bytes: *const u8,
            length: usize,
        ) -> u32;
        pub(super) fn take_error(text: *mut u8, capacity: usize) -> usize;
    }
}

/// The longest text of an error that is kept, in bytes.
const ERROR_BYTES: usize = 1024;

/// The text of the last error. Cut if it is long.
pub(super) fn take_error() -> String {
    let mut text = vec![0; ERROR_BYTES];
    // SAFETY: JavaScript writes at most `ERROR_BYTES` bytes to this address.
    let length = unsafe { external::take_error(text.as_mut_ptr(), text.len()) };
    text.truncate(length);
    String::from_utf8_lossy(&text).into_owned()
}

/// Compiles a module. Err: why not.
pub(super) fn compile(bytes: &[u8]) -> Result<u32, String> {
    // SAFETY: JavaScript only reads these bytes.
    match unsafe { external::compile(bytes.as_ptr(), bytes.len()) } {
        0 => Err(take_error()),
        module => Ok(module),
    }
}

/// Forgets a module.
pub(super) fn release_module(module: u32) {
    // SAFETY: no memory is passed.
    unsafe { external::release_module(module) }
}

/// A new store.
pub(super) fn new_store() -> u32 {
    // SAFETY: no memory is passed.
    unsafe { external::new_store() }
}

/// Forgets a store and all of its objects.
pub(super) fn release_store(store: u32) {
    // SAFETY: no memory is passed.
    unsafe { external::release_store(store) }
}

/// A new mutable global: an `i64` or an `i32`.
pub(super) fn new_global(store: u32, is_i64: bool) -> u32 {
    // SAFETY: no memory is passed.
    unsafe { external::new_global(store, is_i64.into(), 0) }
}

/// The value of a global.
pub(super) fn global(store: u32, object: u32) -> i64 {
    // SAFETY: no memory is passed.
    unsafe { external::global(store, object) }
}

/// Sets the value of a global.
pub(super) fn set_global(store: u32, object: u32, value: i64) {
    // SAFETY: no memory is passed.
    unsafe { external::set_global(store, object, value) }
}

/// A function that instances of the store can import. The addresses must be valid until the store
/// is released.
pub(super) fn host_function(store: u32, addresses: HostFunctionAddresses) -> u32 {
    let HostFunctionAddresses { thunk, data, function, encoding, result } = addresses;
    // SAFETY: JavaScript passes the addresses to `sandboard_host_call` and nowhere else.
    unsafe {
        external::host_function(
            store,
            thunk as usize,
            data.expose_provenance(),
            function.expose_provenance(),
            encoding,
            result as u32,
        )
    }
}

fn status(code: u32) -> Status {
    match code {
        0 => Status::Returned,
        1 => Status::Ended,
        _ => Status::Failed,
    }
}

/// Instantiates a module with these objects for its imports.
pub(super) fn instantiate(store: u32, module: u32, imports: &[u32]) -> (Status, u32) {
    let mut instance = 0;
    // SAFETY: JavaScript reads the imports and writes one number.
    let code = unsafe {
        let instance = &raw mut instance;
        external::instantiate(store, module, imports.as_ptr(), imports.len(), instance)
    };
    (status(code), instance)
}

/// What an instance exports under a name; none: nothing.
pub(super) fn export(store: u32, instance: u32, name: &str) -> Option<u32> {
    // SAFETY: JavaScript only reads the name.
    let object = unsafe { external::export(store, instance, name.as_ptr(), name.len()) };
    (object != 0).then_some(object)
}

/// Calls a function of an instance. Each bit of `wide` says whether a parameter has 64 bits.
pub(super) fn call(store: u32, function: u32, params: &[u64], wide: u32) -> (Status, u64) {
    let mut result = 0;
    // SAFETY: JavaScript reads the parameters and writes one number.
    let code = unsafe {
        let (params, count) = (params.as_ptr(), params.len());
        external::call(store, function, params, count, wide, &raw mut result)
    };
    (status(code), result)
}

/// The size of a memory, in bytes.
pub(super) fn memory_bytes(store: u32, memory: u32) -> u64 {
    // SAFETY: no memory is passed.
    unsafe { external::memory_bytes(store, memory) as u64 }
}

/// Copies bytes out of a memory. False: they do not lie in it.
pub(super) fn copy_to(store: u32, memory: u32, address: u32, bytes: &mut [u8]) -> bool {
    // SAFETY: JavaScript writes at most this number of bytes.
    unsafe { external::copy_to(store, memory, address, bytes.as_mut_ptr(), bytes.len()) != 0 }
}

/// Copies bytes into a memory. False: they do not lie in it.
pub(super) fn copy_from(store: u32, memory: u32, address: u32, bytes: &[u8]) -> bool {
    // SAFETY: JavaScript only reads the bytes.
    unsafe { external::copy_from(store, memory, address, bytes.as_ptr(), bytes.len()) != 0 }
}

/// Where JavaScript writes the parameters of a function of the host, and reads its result.
static mut SCRATCH: [u64; SCRATCH_VALUES] = [0; SCRATCH_VALUES];

/// The address at which JavaScript writes the bits of up to 16 parameters before it calls
/// [`sandboard_host_call`], and reads the bits of the result.
#[unsafe(no_mangle)]
extern "C" fn sandboard_scratch() -> *mut u64 {
    &raw mut SCRATCH as *mut u64
}

/// Calls a function of the host. Returns 1 if the call of the instance ends, and else 0.
#[unsafe(no_mangle)]
extern "C" fn sandboard_host_call(
    thunk: usize,
    data: usize,
    function: usize,
    encoding: u32,
    count: usize,
) -> u32 {
    // The function may call the instance, and that calls functions of the host, so the values are
    // copied.
    let mut params = [0; SCRATCH_VALUES];
    let count = count.min(SCRATCH_VALUES);
    // SAFETY: this program has one thread.
    params.copy_from_slice(&unsafe { (&raw const SCRATCH).read() });
    // SAFETY: JavaScript got this address from `host_function`.
    let thunk: Thunk = unsafe { std::mem::transmute(thunk) };
    let data = std::ptr::with_exposed_provenance_mut(data);
    let function = std::ptr::with_exposed_provenance(function);
    match thunk(data, function, encoding, &params[..count]) {
        Some(result) => {
            // SAFETY: as above.
            unsafe { (&raw mut SCRATCH as *mut u64).write(result) };
            0
        }
        None => 1,
    }
}
