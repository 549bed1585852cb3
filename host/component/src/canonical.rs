//! The canonical ABI of the component model: how values lie in the memory of a module, and how they
//! are passed to its functions. Only what the interfaces use, and only memories with addresses of
//! 32 bits. The rules are those of
//! <https://github.com/WebAssembly/component-model/blob/main/design/mvp/CanonicalABI.md>.
//!
//! *Lowering* gives a value to the module, *lifting* takes one from it. What a module passes is
//! untrusted: each address, length, case and text is checked.

mod compound;
mod scalar;
mod text;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::types::Type;

pub(crate) use compound::payload_offset;
pub(crate) use compound::{enumeration, flags, record, variant};

/// The most parameters of a core function. More are passed in memory, as one record.
pub const FLAT_PARAMS: usize = 16;
/// The most results of a core function. More are passed in memory, as one record.
pub const FLAT_RESULTS: usize = 1;

/// Why a value cannot be lifted or lowered. Records contain these sentences, so that a change of
/// them needs a new version of the prices of fuel. Except for the last two they are those of
/// Wasmtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Something does not lie in the memory.
    #[error("{}", outside(*.0))]
    OutOfBounds(MemoryItem),
    /// The address of something is not a multiple of its alignment.
    #[error("{}", misaligned(*.0))]
    Misaligned(MemoryItem),
    /// A text is not UTF-8.
    #[error("{0}")]
    InvalidUtf8(std::str::Utf8Error),
    /// A text is not UTF-16: this surrogate is not one of a pair.
    #[error("unpaired surrogate found: {0:x}")]
    InvalidUtf16(u16),
    /// An option has another case than the two.
    #[error("invalid option discriminant")]
    InvalidOption,
    /// A result has another case than the two.
    #[error("invalid expected discriminant")]
    InvalidResult,
    /// A variant or enum has no case with this index.
    #[error("unexpected discriminant: {0}")]
    InvalidCase(u32),
    /// The texts and lists that a call passes are longer than this number of bytes together.
    #[error("more than {0} bytes in one call")]
    TooLarge(u64),
    /// A text or list of the host has this number of bytes: too many for the memory.
    #[error("a value of {0} bytes is too long for the memory")]
    TooLong(u64),
}

/// What lies in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryItem {
    /// A text that the module passes.
    Text,
    /// A list that the module passes.
    List,
    /// The parameters or the result that the module passes.
    Values,
    /// The place that the module provides for a result of the host.
    Target,
    /// What the module has allocated.
    Allocation,
}

fn outside(item: MemoryItem) -> &'static str {
    match item {
        MemoryItem::Text => "string pointer/length out of bounds of memory",
        MemoryItem::List => "list pointer/length out of bounds of memory",
        MemoryItem::Values => "pointer out of bounds of memory",
        MemoryItem::Target => "pointer out of bounds",
        MemoryItem::Allocation => "realloc return: beyond end of memory",
    }
}

fn misaligned(item: MemoryItem) -> &'static str {
    match item {
        MemoryItem::Text => "string pointer not aligned to 2",
        MemoryItem::List => "list pointer is not aligned",
        MemoryItem::Values => "return pointer not aligned",
        MemoryItem::Target => "pointer not aligned",
        MemoryItem::Allocation => "realloc return: result not aligned",
    }
}

/// The encoding of texts in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8, in bytes.
    Utf8,
    /// UTF-16 in little-endian units.
    Utf16,
    /// Latin-1, or UTF-16 for texts with other characters.
    CompactUtf16,
}

/// How values of a type lie in memory, and how they are passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its size, in bytes.
    pub bytes: u32,
    /// Its alignment, in bytes.
    pub align: u32,
    /// The number of core values that pass it.
    pub flat: usize,
}

impl Layout {
    /// The layout of no value.
    pub const EMPTY: Self = Self { bytes: 0, align: 1, flat: 0 };

    /// The layout of a scalar.
    pub(crate) const fn scalar(bytes: u32) -> Self {
        Self { bytes, align: bytes, flat: 1 }
    }

    /// The layout of an address and a length.
    pub(crate) const SLICE: Self = Self { bytes: 8, align: 4, flat: 2 };

    /// Appends a field. Call [`padded`](Self::padded) after the last one.
    pub(crate) const fn then(self, field: Self) -> Self {
        Self {
            bytes: self.offset_of(field) + field.bytes,
            align: max(self.align, field.align),
            flat: self.flat + field.flat,
        }
    }

    /// The offset of a field that is appended.
    pub(crate) const fn offset_of(self, field: Self) -> u32 {
        self.bytes.next_multiple_of(field.align)
    }

    /// The layout of a complete record.
    pub(crate) const fn padded(self) -> Self {
        Self { bytes: self.bytes.next_multiple_of(self.align), ..self }
    }

    /// The layout of a value that is one of two.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self {
            bytes: max(self.bytes, other.bytes),
            align: max(self.align, other.align),
            flat: if self.flat > other.flat { self.flat } else { other.flat },
        }
    }

    /// The layout of a variant with at most 256 cases, whose payloads have this layout together.
    pub(crate) const fn of_cases(payloads: Self) -> Self {
        Self::scalar(1).then(payloads).padded()
    }
}

const fn max(one: u32, other: u32) -> u32 {
    if one > other { one } else { other }
}

/// The memory of a module: part of the memory of this process, or of another one, from which it is
/// copied.
pub trait Memory {
    /// Its size, in bytes.
    fn size_bytes(&self) -> u64;

    /// Copies bytes from an address. False: they do not lie in the memory.
    #[must_use]
    fn copy_to(&self, address: u32, bytes: &mut [u8]) -> bool;

    /// Copies bytes to an address. False: they do not lie in the memory.
    #[must_use]
    fn copy_from(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// A part of the memory. None: it does not lie in the memory.
    fn part(&self, address: u32, bytes: u32) -> Option<Cow<'_, [u8]>> {
        if u64::from(address) + u64::from(bytes) > self.size_bytes() {
            return None;
        }
        let mut copied = vec![0; bytes as usize];
        self.copy_to(address, &mut copied).then_some(copied.into())
    }
}

impl Memory for &mut [u8] {
    #[inline]
    fn size_bytes(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn copy_to(&self, address: u32, bytes: &mut [u8]) -> bool {
        let found = self.get(address as usize..).and_then(|it| it.get(..bytes.len()));
        found.map(|found| bytes.copy_from_slice(found)).is_some()
    }

    #[inline]
    fn copy_from(&mut self, address: u32, bytes: &[u8]) -> bool {
        let found = self.get_mut(address as usize..).and_then(|it| it.get_mut(..bytes.len()));
        found.map(|found| found.copy_from_slice(bytes)).is_some()
    }

    #[inline]
    fn part(&self, address: u32, bytes: u32) -> Option<Cow<'_, [u8]>> {
        let found = self.get(address as usize..).and_then(|it| it.get(..bytes as usize));
        found.map(Cow::Borrowed)
    }
}

/// The memory of a module, and the function that allocates in it.
pub trait Guest {
    /// Why a call of the module failed, or a value was refused.
    type Error: From<ValueError>;

    /// The encoding of texts.
    fn encoding(&self) -> Encoding;

    /// The memory with texts and lists.
    type Memory<'a>: Memory
    where
        Self: 'a;

    /// The memory with texts and lists.
    fn memory(&mut self) -> Self::Memory<'_>;

    /// Calls the module's function that allocates `bytes` with this alignment, or changes the size
    /// of an allocation. Returns the address, which is not checked.
    fn realloc(
        &mut self,
        old_address: u32,
        old_bytes: u32,
        align: u32,
        bytes: u32,
    ) -> Result<u32, Self::Error>;
}

/// Allocates in a module and checks the address.
pub(crate) fn reallocate<G: Guest>(
    guest: &mut G,
    (old_address, old_bytes): (u32, u32),
    align: u32,
    bytes: u32,
) -> Result<u32, G::Error> {
    let address = guest.realloc(old_address, old_bytes, align, bytes)?;
    check(MemoryItem::Allocation, &guest.memory(), address, bytes.into(), align)?;
    Ok(address)
}

/// Checks that something lies in a memory, at an aligned address.
fn check(
    item: MemoryItem,
    memory: &impl Memory,
    address: u32,
    bytes: u64,
    align: u32,
) -> Result<(), ValueError> {
    if !address.is_multiple_of(align) {
        return Err(ValueError::Misaligned(item));
    }
    match u64::from(address) + bytes <= memory.size_bytes() {
        true => Ok(()),
        false => Err(ValueError::OutOfBounds(item)),
    }
}

/// Writes bytes to a module's memory.
pub(crate) fn write<G: Guest>(guest: &mut G, address: u32, bytes: &[u8]) -> Result<(), ValueError> {
    match guest.memory().copy_from(address, bytes) {
        true => Ok(()),
        false => Err(ValueError::OutOfBounds(MemoryItem::Allocation)),
    }
}

/// Core values that pass one or several values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlatValues {
    values: [u64; FLAT_PARAMS],
    count: usize,
}

impl FlatValues {
    /// Appends the bits of a core value. There are at most [`FLAT_PARAMS`].
    pub(crate) fn push(&mut self, value: u64) {
        self.values[self.count] = value;
        self.count += 1;
    }

    /// Appends zeros until there are this many values.
    pub(crate) fn pad(&mut self, count: usize) {
        self.count = count;
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The bits of the values. Those of 32 bits have zeros above.
    pub fn as_slice(&self) -> &[u64] {
        &self.values[..self.count]
    }
}

/// Takes values out of a module.
#[derive(Debug)]
pub struct Reader<'a, M> {
    memory: M,
    encoding: Encoding,
    /// The limit of texts and lists in bytes, and what is left of it.
    limit_bytes: u64,
    left_bytes: u64,
    /// The core values that are not read yet.
    flat: &'a [u64],
}

impl<'a, M: Memory> Reader<'a, M> {
    /// Reads core values and what they refer to. All texts and lists together may take
    /// `limit_bytes`: texts in the memory, lists in the host.
    pub fn new(memory: M, encoding: Encoding, flat: &'a [u64], limit_bytes: u64) -> Self {
        Self { memory, encoding, limit_bytes, left_bytes: limit_bytes, flat }
    }

    /// Lifts the parameters of a function of the host.
    pub fn params<P: Lift>(mut self) -> Result<P, ValueError> {
        match P::LAYOUT.flat <= FLAT_PARAMS {
            true => P::unflatten(&mut self),
            false => self.load_at_address(),
        }
    }

    /// Lifts the result of a function of the module.
    pub fn result<R: Lift>(mut self) -> Result<R, ValueError> {
        match R::LAYOUT.flat <= FLAT_RESULTS {
            true => R::unflatten(&mut self),
            false => self.load_at_address(),
        }
    }

    /// Loads the value whose address is the next core value.
    fn load_at_address<T: Lift>(&mut self) -> Result<T, ValueError> {
        let address = self.next_flat() as u32;
        let Layout { bytes, align, .. } = T::LAYOUT;
        check(MemoryItem::Values, &self.memory, address, bytes.into(), align)?;
        T::load(self, address)
    }

    /// The next core value. The signature of the function guarantees that there is one.
    fn next_flat(&mut self) -> u64 {
        match self.flat.split_first() {
            Some((first, rest)) => {
                self.flat = rest;
                *first
            }
            None => 0,
        }
    }

    /// The number of core values that are not read yet.
    pub(crate) fn flat_left(&self) -> usize {
        self.flat.len()
    }

    /// Leaves out core values until this many are left.
    pub(crate) fn skip_flat(&mut self, left: usize) {
        let skipped = self.flat.len().saturating_sub(left);
        self.flat = &self.flat[skipped..];
    }

    /// A part of the memory.
    fn bytes(&self, address: u32, bytes: u32) -> Result<Cow<'_, [u8]>, ValueError> {
        let found = self.memory.part(address, bytes);
        found.ok_or(ValueError::OutOfBounds(MemoryItem::Values))
    }

    fn array<const N: usize>(&self, address: u32) -> Result<[u8; N], ValueError> {
        let mut array = [0; N];
        match self.memory.copy_to(address, &mut array) {
            true => Ok(array),
            false => Err(ValueError::OutOfBounds(MemoryItem::Values)),
        }
    }

    /// Counts bytes of a text or list.
    fn count_bytes(&mut self, bytes: u64) -> Result<(), ValueError> {
        let error = ValueError::TooLarge(self.limit_bytes);
        self.left_bytes = self.left_bytes.checked_sub(bytes).ok_or(error)?;
        Ok(())
    }
}

/// A value that crosses the interface.
pub trait Value {
    /// Its type in the interface.
    const TYPE: &'static Type;
    /// How it lies in memory.
    const LAYOUT: Layout;
}

/// A value that the host gives to a module.
pub trait Lower: Value {
    /// Writes the value to an address at which there is room for it.
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error>;

    /// Appends the core values that pass it.
    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error>;

    /// Writes the elements of a list.
    fn store_all<G: Guest>(items: &[Self], guest: &mut G, address: u32) -> Result<(), G::Error>
    where
        Self: Sized,
    {
        let mut at = address;
        for item in items {
            item.store(guest, at)?;
            at = at.wrapping_add(Self::LAYOUT.bytes);
        }
        Ok(())
    }
}

/// A value that the host takes from a module.
pub trait Lift: Value + Sized {
    /// Reads the value at an address.
    fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError>;

    /// Reads it from core values.
    fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError>;

    /// Reads the elements of a list.
    fn load_all<M: Memory>(
        reader: &mut Reader<'_, M>,
        address: u32,
        count: u32,
    ) -> Result<Vec<Self>, ValueError> {
        let mut items = Vec::with_capacity(count as usize);
        let mut at = address;
        for _ in 0..count {
            items.push(Self::load(reader, at)?);
            at = at.wrapping_add(Self::LAYOUT.bytes);
        }
        Ok(items)
    }
}

/// Lowers the parameters of a function of the module: as core values, or as the address of a record
/// that it allocates.
pub fn lower_params<G: Guest, P: Lower>(guest: &mut G, params: &P) -> Result<FlatValues, G::Error> {
    let mut flat = FlatValues::default();
    if P::LAYOUT.flat <= FLAT_PARAMS {
        params.flatten(guest, &mut flat)?;
        return Ok(flat);
    }
    let address = reallocate(guest, (0, 0), P::LAYOUT.align, P::LAYOUT.bytes)?;
    params.store(guest, address)?;
    flat.push(address.into());
    Ok(flat)
}

/// Lowers the result of a function of the host to the address that the module passed for it. Only
/// for results that need more than [`FLAT_RESULTS`] core values.
pub fn lower_result_to<G: Guest, R: Lower>(
    guest: &mut G,
    address: u32,
    result: &R,
) -> Result<(), G::Error> {
    let Layout { bytes, align, .. } = R::LAYOUT;
    check(MemoryItem::Target, &guest.memory(), address, bytes.into(), align)?;
    result.store(guest, address)
}
