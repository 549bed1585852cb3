//! A memory with an allocator that never frees, in place of a module's.

use std::fmt::Debug;

use crate::canonical::{
    Encoding, FlatValues, Guest, Lift, Lower, Memory as GuestMemory, Reader, ValueError,
    lower_params,
};

/// Where the allocator begins.
pub(super) const HEAP: u32 = 16;

/// A memory of 64 KiB, and the calls of its allocator.
pub(super) struct Memory {
    pub(super) bytes: Vec<u8>,
    pub(super) encoding: Encoding,
    /// The arguments of each call: old address, old size, alignment, size.
    pub(super) calls: Vec<[u32; 4]>,
    next: u32,
    /// Added to each address that the allocator returns.
    pub(super) skew: u32,
}

impl Memory {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self { bytes: vec![0; 1 << 16], encoding, calls: Vec::new(), next: HEAP, skew: 0 }
    }

    /// Lowers a value as the parameters of a function.
    pub(super) fn lower<P: Lower>(&mut self, params: &P) -> Result<FlatValues, ValueError> {
        lower_params(self, params)
    }

    /// Lifts values that are passed as parameters, from a slice and from a memory that is copied.
    pub(super) fn lift<P: Lift + PartialEq + Debug>(
        &mut self,
        flat: &[u64],
    ) -> Result<P, ValueError> {
        let encoding = self.encoding;
        let copied = Reader::new(self.memory(), encoding, flat, u64::MAX).params();
        let lifted = Reader::new(&mut self.bytes[..], encoding, flat, u64::MAX).params();
        assert_eq!(copied, lifted);
        lifted
    }
}

/// The bytes of a memory that lies elsewhere.
pub(super) struct Copied<'a>(&'a mut [u8]);

impl GuestMemory for Copied<'_> {
    fn size_bytes(&self) -> u64 {
        self.0.size_bytes()
    }

    fn copy_to(&self, address: u32, bytes: &mut [u8]) -> bool {
        self.0.copy_to(address, bytes)
    }

    fn copy_from(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.0.copy_from(address, bytes)
    }
}

impl Guest for Memory {
    type Error = ValueError;

    fn encoding(&self) -> Encoding {
        self.encoding
    }

    type Memory<'a> = Copied<'a>;

    fn memory(&mut self) -> Copied<'_> {
        Copied(&mut self.bytes)
    }

    fn realloc(
        &mut self,
        old_address: u32,
        old_bytes: u32,
        align: u32,
        bytes: u32,
    ) -> Result<u32, ValueError> {
        self.calls.push([old_address, old_bytes, align, bytes]);
        if old_bytes >= bytes && old_bytes > 0 {
            return Ok(old_address);
        }
        let address = self.next.next_multiple_of(align) + self.skew;
        self.next = address + bytes;
        if old_bytes > 0 {
            let old = old_address as usize..(old_address + old_bytes) as usize;
            self.bytes.copy_within(old, address as usize);
        }
        Ok(address)
    }
}
