//! Texts in the three encodings of the canonical ABI. Sizes of allocations are those of Wasmtime,
//! so that a module spends the same fuel on them.

use super::{
    Encoding, FlatValues, Guest, Layout, Lift, Lower, Memory, MemoryItem, Reader, Type, Value,
    ValueError, check, reallocate, write,
};

/// The longest text in a memory, in bytes.
const TEXT_BYTES_MAX: u64 = (1 << 31) - 1;
/// In the length of a text in [`Encoding::CompactUtf16`]: the text is UTF-16.
const UTF16_TAG: u32 = 1 << 31;

/// Writes a text to newly allocated memory. Returns its address and length.
fn allocate<G: Guest>(guest: &mut G, text: &str) -> Result<(u32, u32), G::Error> {
    match guest.encoding() {
        Encoding::Utf8 => {
            let bytes = checked_bytes(text.len() as u64)?;
            let address = reallocate(guest, (0, 0), 1, bytes)?;
            write(guest, address, text.as_bytes())?;
            Ok((address, bytes))
        }
        Encoding::Utf16 => {
            let most = checked_bytes(text.len() as u64 * 2)?;
            let address = reallocate(guest, (0, 0), 2, most)?;
            let units = utf16(text);
            write(guest, address, &units)?;
            let bytes = units.len() as u32;
            Ok((shrink(guest, address, most, bytes)?, bytes / 2))
        }
        Encoding::CompactUtf16 => {
            let utf8_bytes = checked_bytes(text.len() as u64)?;
            let address = reallocate(guest, (0, 0), 2, utf8_bytes)?;
            match latin_1(text) {
                Ok(latin_1) => {
                    write(guest, address, &latin_1)?;
                    let bytes = latin_1.len() as u32;
                    Ok((shrink(guest, address, utf8_bytes, bytes)?, bytes))
                }
                Err(begin) => {
                    write(guest, address, &begin)?;
                    let most = checked_bytes(text.len() as u64 * 2)?;
                    let address = reallocate(guest, (address, utf8_bytes), 2, most)?;
                    // The allocator has copied the begin, which is now widened.
                    let mut copied = vec![0; begin.len()];
                    if !guest.memory().copy_to(address, &mut copied) {
                        return Err(ValueError::OutOfBounds(MemoryItem::Allocation).into());
                    }
                    let mut units: Vec<u8> = copied.iter().flat_map(|byte| [*byte, 0]).collect();
                    let rest = text.char_indices().nth(begin.len());
                    units.extend(utf16(&text[rest.map_or(text.len(), |(at, _)| at)..]));
                    write(guest, address, &units)?;
                    let bytes = units.len() as u32;
                    Ok((shrink(guest, address, most, bytes)?, (bytes / 2) | UTF16_TAG))
                }
            }
        }
    }
}

fn checked_bytes(bytes: u64) -> Result<u32, ValueError> {
    match bytes {
        0..=TEXT_BYTES_MAX => Ok(bytes as u32),
        _ => Err(ValueError::TooLong(bytes)),
    }
}

/// Gives back what an allocation has too much.
fn shrink<G: Guest>(guest: &mut G, address: u32, from: u32, to: u32) -> Result<u32, G::Error> {
    match to < from {
        true => reallocate(guest, (address, from), 2, to),
        false => Ok(address),
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The text in Latin-1. Err: the part before the first character that is not in Latin-1.
fn latin_1(text: &str) -> Result<Vec<u8>, Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(u32::from(character)) {
            Ok(byte) => bytes.push(byte),
            Err(_) => return Err(bytes),
        }
    }
    Ok(bytes)
}

/// Reads a text of this length in units of the encoding.
fn read<M: Memory>(
    reader: &mut Reader<'_, M>,
    address: u32,
    length: u32,
) -> Result<String, ValueError> {
    let (bytes, align, is_utf16) = match reader.encoding {
        Encoding::Utf8 => (length.into(), 1, false),
        Encoding::Utf16 => (u64::from(length) * 2, 2, true),
        Encoding::CompactUtf16 if length & UTF16_TAG == 0 => (length.into(), 2, false),
        Encoding::CompactUtf16 => (u64::from(length ^ UTF16_TAG) * 2, 2, true),
    };
    check(MemoryItem::Text, &reader.memory, address, bytes, align)?;
    reader.count_bytes(bytes)?;
    // The memory is not longer than an address can be.
    let bytes = reader.bytes(address, bytes as u32)?;
    if is_utf16 {
        let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        return text.map_err(|error| ValueError::InvalidUtf16(error.unpaired_surrogate()));
    }
    match reader.encoding {
        Encoding::Utf8 => {
            let text = std::str::from_utf8(&bytes).map_err(ValueError::InvalidUtf8)?;
            Ok(text.to_owned())
        }
        // Latin-1: the first 256 characters of Unicode.
        _ => Ok(bytes.iter().copied().map(char::from).collect()),
    }
}

impl Value for str {
    const TYPE: &'static Type = &Type::String;
    const LAYOUT: Layout = Layout::SLICE;
}

impl Lower for str {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        allocate(guest, self)?.store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        allocate(guest, self)?.flatten(guest, flat)
    }
}

impl Value for String {
    const TYPE: &'static Type = str::TYPE;
    const LAYOUT: Layout = str::LAYOUT;
}

impl Lower for String {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        self.as_str().store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        self.as_str().flatten(guest, flat)
    }
}

impl Lift for String {
    fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
        let (text, length) = Lift::load(reader, address)?;
        read(reader, text, length)
    }

    fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
        let (text, length) = Lift::unflatten(reader)?;
        read(reader, text, length)
    }
}
