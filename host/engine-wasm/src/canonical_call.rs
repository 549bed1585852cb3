//! Calls between the host and the core modules of an instance, with values in both directions.
//! Knows no function of the ABI.

use sandboard_abi::limits;
use sandboard_component::canonical::{
    Encoding, Guest, Lift, Lower, Reader, lower_params, lower_result_to,
};

use super::backend::{Backend, Context, StoreData};
use super::call_error::{CallError, Trap};

/// What the values of an instance need to cross the interface. Part of the data of its store.
pub(crate) struct CanonicalState<B: Backend> {
    /// The memory; none: its module is not instantiated yet, or there is none.
    pub(crate) memory: Option<B::Memory>,
    /// The function that allocates in it; none as for the memory.
    pub(crate) realloc: Option<B::Function>,
    /// Whether the modules may call the host. They may not while they allocate or clean up.
    may_call_host: bool,
}

impl<B: Backend> Default for CanonicalState<B> {
    fn default() -> Self {
        Self { memory: None, realloc: None, may_call_host: true }
    }
}

/// A store as the canonical ABI sees it, with the encoding of the texts of a function.
struct StoreGuest<'a, C>(&'a mut C, Encoding);

impl<C: Context> Guest for StoreGuest<'_, C> {
    type Error = CallError;

    fn encoding(&self) -> Encoding {
        self.1
    }

    type Memory<'a>
        = MemoryBytes<'a, C>
    where
        Self: 'a;

    fn memory(&mut self) -> MemoryBytes<'_, C> {
        memory(self.0)
    }

    fn realloc(
        &mut self,
        old_address: u32,
        old_bytes: u32,
        align: u32,
        bytes: u32,
    ) -> Result<u32, CallError> {
        let Some(realloc) = self.0.data_mut().canonical_state().realloc.clone() else {
            let reason = "the function that allocates memory is not available yet";
            return Err(CallError::Other(reason.to_owned()));
        };
        let params = [old_address, old_bytes, align, bytes].map(u64::from);
        let address = without_host(self.0, |store| store.call(&realloc, &params))?;
        Ok(address.unwrap_or(0) as u32)
    }
}

/// The bytes of a memory of this store.
type MemoryBytes<'a, C> = <<C as Context>::Backend as Backend>::MemoryBytes<'a>;

/// The memory with texts and lists.
fn memory<C: Context>(store: &mut C) -> MemoryBytes<'_, C> {
    let memory = store.data_mut().canonical_state().memory;
    store.memory(memory)
}

/// Makes a call during which the modules may not call the host.
fn without_host<C: Context, T>(
    store: &mut C,
    call: impl FnOnce(&mut C) -> Result<T, CallError>,
) -> Result<T, CallError> {
    let before = std::mem::replace(&mut store.data_mut().canonical_state().may_call_host, false);
    // After an error the instance is not called again.
    let result = call(store)?;
    store.data_mut().canonical_state().may_call_host = before;
    Ok(result)
}

/// A call of a function of the host by an instance.
pub(crate) struct HostCall<C> {
    pub(crate) store: C,
    /// The encoding of texts.
    pub(crate) encoding: Encoding,
}

impl<C: Context> HostCall<C> {
    /// Lifts the parameters.
    pub(crate) fn params<P: Lift>(&mut self, flat: &[u64]) -> Result<P, CallError> {
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
    ) -> Result<(), CallError> {
        lower_result_to(&mut StoreGuest(&mut self.store, self.encoding), address, result)
    }
}

/// Reads what an instance passes.
fn reader<'a, C: Context>(
    store: &'a mut C,
    encoding: Encoding,
    flat: &'a [u64],
) -> Reader<'a, MemoryBytes<'a, C>> {
    Reader::new(memory(store), encoding, flat, limits::TRANSFER_CALL_BYTES as u64)
}

/// An exported function of an instance. `F` is a core function of a backend.
pub(crate) struct GuestFunction<F> {
    pub(crate) core: F,
    /// The encoding of texts.
    pub(crate) encoding: Encoding,
    /// The function to call with the core result when the result was read.
    pub(crate) post_return: Option<F>,
}

impl<F> GuestFunction<F> {
    /// Calls the function. Err: it trapped, or what it passes is invalid; then nothing more may be
    /// called on the instance.
    pub(crate) fn call<C, P: Lower, R: Lift>(
        &self,
        store: &mut C,
        params: &P,
    ) -> Result<R, CallError>
    where
        C: Context<Backend: Backend<Function = F>>,
    {
        let flat = lower_params(&mut StoreGuest(store, self.encoding), params)?;
        let core_result = store.call(&self.core, flat.as_slice())?;
        let result = reader(store, self.encoding, core_result.as_slice()).result()?;
        if let Some(post_return) = &self.post_return {
            without_host(store, |store| store.call(post_return, core_result.as_slice()))?;
        }
        Ok(result)
    }
}
