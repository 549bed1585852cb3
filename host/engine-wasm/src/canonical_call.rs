//! Calls between the host and the core modules of an instance, with values in both directions.
//! Knows no function of the ABI.

use sandboard_abi::limits;
use sandboard_component::canonical::{
    Encoding, FLAT_PARAMS, Guest, Lift, Lower, Reader, lower_params, lower_result_to,
};
use wasmtime::{
    AsContextMut, Memory, Store, StoreContextMut, Trap, TypedFunc, WasmParams, WasmResults,
};

/// The parameters of an allocator: old address, old size, alignment and size.
pub(crate) type ReallocParams = (u32, u32, u32, u32);

/// What the values of an instance need to cross the interface. Part of the data of its store.
pub(crate) struct CanonicalState {
    /// The memory; none: its module is not instantiated yet, or there is none.
    pub(crate) memory: Option<Memory>,
    /// The function that allocates in it; none as for the memory.
    pub(crate) realloc: Option<TypedFunc<ReallocParams, u32>>,
    /// Whether the modules may call the host. They may not while they allocate or clean up.
    may_call_host: bool,
}

impl Default for CanonicalState {
    fn default() -> Self {
        Self { memory: None, realloc: None, may_call_host: true }
    }
}

/// The data of a store with this state.
pub(crate) trait HasCanonicalState: 'static {
    fn canonical_state(&mut self) -> &mut CanonicalState;
}

/// An instance cannot be given a text or list.
#[derive(Debug, thiserror::Error)]
#[error("the function that allocates memory is not available yet")]
struct NoAllocator;

/// A store as the canonical ABI sees it, with the encoding of the texts of a function.
struct StoreGuest<'a, S: 'static>(StoreContextMut<'a, S>, Encoding);

impl<S: HasCanonicalState> Guest for StoreGuest<'_, S> {
    type Error = wasmtime::Error;

    fn encoding(&self) -> Encoding {
        self.1
    }

    fn memory(&mut self) -> &mut [u8] {
        match self.0.data_mut().canonical_state().memory {
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
        let realloc = self.0.data_mut().canonical_state().realloc.clone().ok_or(NoAllocator)?;
        without_host(&mut self.0, |store| {
            realloc.call(store, (old_address, old_bytes, align, bytes))
        })
    }
}

/// Makes a call during which the modules may not call the host.
fn without_host<S: HasCanonicalState, T>(
    store: &mut StoreContextMut<'_, S>,
    call: impl FnOnce(&mut StoreContextMut<'_, S>) -> wasmtime::Result<T>,
) -> wasmtime::Result<T> {
    let before = std::mem::replace(&mut store.data_mut().canonical_state().may_call_host, false);
    // After an error the instance is not called again.
    let result = call(store)?;
    store.data_mut().canonical_state().may_call_host = before;
    Ok(result)
}

/// A call of a function of the host by an instance.
pub(crate) struct HostCall<'a, S: 'static> {
    pub(crate) store: StoreContextMut<'a, S>,
    /// The encoding of texts.
    pub(crate) encoding: Encoding,
}

impl<S: HasCanonicalState> HostCall<'_, S> {
    /// Lifts the parameters.
    pub(crate) fn params<P: Lift>(&mut self, flat: &[u64]) -> wasmtime::Result<P> {
        if !self.store.data_mut().canonical_state().may_call_host {
            return Err(Trap::CannotLeaveComponent.into());
        }
        Ok(reader(&mut self.store, self.encoding, flat).params()?)
    }

    /// Lowers the result to the address that the instance passed for it.
    pub(crate) fn lower_result<R: Lower>(
        &mut self,
        address: u32,
        result: &R,
    ) -> wasmtime::Result<()> {
        let mut guest = StoreGuest(self.store.as_context_mut(), self.encoding);
        lower_result_to(&mut guest, address, result)
    }
}

/// Reads what an instance passes.
fn reader<'a, S: HasCanonicalState>(
    store: &'a mut StoreContextMut<'_, S>,
    encoding: Encoding,
    flat: &'a [u64],
) -> Reader<'a> {
    let memory = match store.data_mut().canonical_state().memory {
        Some(memory) => memory.data(store),
        None => &[],
    };
    Reader::new(memory, encoding, flat, limits::TRANSFER_CALL_BYTES as u64)
}

/// The parameters of a core function, made of their bits.
pub(crate) trait CoreParams: WasmParams {
    /// The number of parameters.
    const COUNT: usize;

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
            const COUNT: usize = { let indices: &[usize] = &[$($index),*]; indices.len() };

            #[allow(unused_variables, clippy::unused_unit)]
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
    /// The encoding of texts.
    pub(crate) encoding: Encoding,
    /// The function to call with the core result when the result was read.
    pub(crate) post_return: Option<TypedFunc<O, ()>>,
}

impl<C: CoreParams, O: CoreResult + WasmParams> GuestFunction<C, O> {
    /// Calls the function. Err: it trapped, or what it passes is invalid; then nothing more may be
    /// called on the instance.
    pub(crate) fn call<S: HasCanonicalState, P: Lower, R: Lift>(
        &self,
        store: &mut Store<S>,
        params: &P,
    ) -> wasmtime::Result<R> {
        // A record in memory has one parameter: its address.
        const { assert!(C::COUNT == if P::LAYOUT.flat > FLAT_PARAMS { 1 } else { P::LAYOUT.flat }) }
        let mut store = store.as_context_mut();
        let flat = lower_params(&mut StoreGuest(store.as_context_mut(), self.encoding), params)?;
        let core_result = self.core.call(&mut store, C::from_bits(flat.as_slice()))?;
        let bits = core_result.bits();
        let result = reader(&mut store, self.encoding, bits.as_slice()).result()?;
        if let Some(post_return) = &self.post_return {
            without_host(&mut store, |store| post_return.call(store, core_result))?;
        }
        Ok(result)
    }
}
