//! Calls between the host and the core modules of an instance, with values in both directions. Knows
//! no function of the ABI.

use sandboard_abi::limits;
use sandboard_component::canonical::{
    Encoding, Guest, Lift, Lower, Reader, lower_params, lower_result_to,
};
use wasmtime::{
    AsContextMut, Memory, Store, StoreContextMut, Trap, TypedFunc, WasmParams, WasmResults,
};

/// The parameters of an allocator: old address, old size, alignment and size.
pub(crate) type ReallocParams = (u32, u32, u32, u32);

/// What the values of an instance pass through. Part of the data of its store.
pub(crate) struct Passage {
    /// The memory; none: its module is not instantiated yet, or there is none.
    pub(crate) memory: Option<Memory>,
    /// The function that allocates in it; none as for the memory.
    pub(crate) realloc: Option<TypedFunc<ReallocParams, u32>>,
    pub(crate) encoding: Encoding,
    /// Whether the modules may call the host. They may not while they allocate or clean up.
    may_call_host: bool,
}

impl Passage {
    /// Before anything is instantiated.
    pub(crate) fn new(encoding: Encoding) -> Self {
        Self { memory: None, realloc: None, encoding, may_call_host: true }
    }
}

/// The data of a store with a passage.
pub(crate) trait HasPassage: 'static {
    fn passage(&mut self) -> &mut Passage;
}

/// The module of a lifted function allocates nothing.
#[derive(Debug, thiserror::Error)]
#[error("the function that allocates memory is not available yet")]
struct NoAllocator;

/// A store as the canonical ABI sees it.
struct StoreGuest<'a, S: 'static>(StoreContextMut<'a, S>);

impl<S: HasPassage> Guest for StoreGuest<'_, S> {
    type Error = wasmtime::Error;

    fn encoding(&mut self) -> Encoding {
        self.0.data_mut().passage().encoding
    }

    fn memory(&mut self) -> &mut [u8] {
        match self.0.data_mut().passage().memory {
            Some(memory) => memory.data_mut(&mut self.0),
            None => &mut [],
        }
    }

    fn realloc(
        &mut self,
        old_address: u32,
        old_bytes: u32,
        align: u32,
        bytes: u32,
    ) -> wasmtime::Result<u32> {
        let realloc = self.0.data_mut().passage().realloc.clone().ok_or(NoAllocator)?;
        without_host(&mut self.0, |store| {
            realloc.call(store, (old_address, old_bytes, align, bytes))
        })
    }
}

/// Makes a call during which the modules may not call the host.
fn without_host<S: HasPassage, T>(
    store: &mut StoreContextMut<'_, S>,
    call: impl FnOnce(&mut StoreContextMut<'_, S>) -> wasmtime::Result<T>,
) -> wasmtime::Result<T> {
    let before = std::mem::replace(&mut store.data_mut().passage().may_call_host, false);
    // After an error the instance is not called again.
    let result = call(store)?;
    store.data_mut().passage().may_call_host = before;
    Ok(result)
}

/// Lifts the parameters of a function of the host, which an instance has called.
pub(crate) fn params<S: HasPassage, P: Lift>(
    store: &mut StoreContextMut<'_, S>,
    flat: &[u64],
) -> wasmtime::Result<P> {
    let passage = store.data_mut().passage();
    if !passage.may_call_host {
        return Err(Trap::CannotLeaveComponent.into());
    }
    let (memory, encoding) = (passage.memory, passage.encoding);
    let bytes = memory.as_ref().map_or(&[][..], |memory| memory.data(&store));
    Ok(Reader::new(bytes, encoding, flat, limits::TRANSFER_CALL_BYTES as u64).params()?)
}

/// Lowers the result of a function of the host to the address that the instance passed for it.
pub(crate) fn lower_result<S: HasPassage, R: Lower>(
    store: &mut StoreContextMut<'_, S>,
    address: u32,
    result: &R,
) -> wasmtime::Result<()> {
    lower_result_to(&mut StoreGuest(store.as_context_mut()), address, result)
}

/// The parameters of a core function, made of their bits.
pub(crate) trait CoreParams: WasmParams {
    fn from_bits(bits: &[u64]) -> Self;
}

/// The result of a core function, as bits.
pub(crate) trait CoreResult: WasmResults + Copy {
    fn bits(self) -> Option<u64>;
}

impl CoreResult for () {
    fn bits(self) -> Option<u64> {
        None
    }
}

impl CoreResult for u32 {
    fn bits(self) -> Option<u64> {
        Some(self.into())
    }
}

/// Implements the parameters of these types. A function has as many bits as parameters.
macro_rules! core_params {
    ($($index:literal: $param:ty),*) => {
        impl CoreParams for ($($param,)*) {
            #[allow(unused_variables)]
            fn from_bits(bits: &[u64]) -> Self {
                ($(bits[$index] as $param,)*)
            }
        }
    };
}

core_params!();
core_params!(0: u32);
core_params!(0: u32, 1: u32);
core_params!(0: u32, 1: u32, 2: u32);
core_params!(0: u32, 1: u32, 2: u32, 3: u32);
core_params!(0: u32, 1: u64, 2: u32, 3: u32);
core_params!(0: u32, 1: u32, 2: u32, 3: u32, 4: u32, 5: u32, 6: u32);

/// An exported function of an instance, with these core parameters and this core result.
pub(crate) struct GuestFunction<C, O = u32> {
    pub(crate) core: TypedFunc<C, O>,
    /// The function to call with the core result when the result was read.
    pub(crate) post_return: Option<TypedFunc<O, ()>>,
}

impl<C: CoreParams, O: CoreResult + WasmParams> GuestFunction<C, O> {
    /// Calls the function. Err: it trapped, or what it passes is invalid; then nothing more may be
    /// called on the instance.
    pub(crate) fn call<S: HasPassage, P: Lower, R: Lift>(
        &self,
        store: &mut Store<S>,
        params: &P,
    ) -> wasmtime::Result<R> {
        let mut store = store.as_context_mut();
        let flat = lower_params(&mut StoreGuest(store.as_context_mut()), params)?;
        let core_result = self.core.call(&mut store, C::from_bits(flat.as_slice()))?;
        let passage = store.data_mut().passage();
        let (memory, encoding) = (passage.memory, passage.encoding);
        let bytes = memory.as_ref().map_or(&[][..], |memory| memory.data(&store));
        let bits = core_result.bits();
        let limit_bytes = limits::TRANSFER_CALL_BYTES as u64;
        let result = Reader::new(bytes, encoding, bits.as_slice(), limit_bytes).result()?;
        if let Some(post_return) = &self.post_return {
            without_host(&mut store, |store| post_return.call(store, core_result))?;
        }
        Ok(result)
    }
}
