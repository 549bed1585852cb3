//! Texts in the three encodings: their bytes, and the calls of the allocator, on which the fuel of
//! a component depends.

use super::memory::{HEAP, Memory};
use crate::canonical::{Encoding, Guest as _, MemoryItem, ValueError};

use Encoding::{CompactUtf16, Utf8, Utf16};

const UTF16_TAG: u64 = 1 << 31;

/// The bytes of a text in memory, the length that is passed, and the calls of the allocator.
fn check(encoding: Encoding, text: &str, bytes: &[u8], length: u64, calls: &[[u32; 4]]) {
    let mut memory = Memory::new(encoding);
    let flat = memory.lower(&(text,)).unwrap();
    assert_eq!(memory.calls, calls, "{text:?} in {encoding:?}");
    let [address, found_length] = flat.as_slice() else { panic!("{flat:?}") };
    assert_eq!(*found_length, length, "{text:?} in {encoding:?}");
    assert_eq!(&memory.bytes[*address as usize..][..bytes.len()], bytes, "{text:?}");
    let (lifted,): (String,) = memory.lift(flat.as_slice()).unwrap();
    assert_eq!(lifted, text);
}

#[test]
fn texts_have_the_bytes_and_allocations_of_their_encoding() {
    check(Utf8, "", b"", 0, &[[0, 0, 1, 0]]);
    check(Utf8, "h8", b"h8", 2, &[[0, 0, 1, 2]]);
    check(Utf8, "é", &[0xc3, 0xa9], 2, &[[0, 0, 1, 2]]);

    check(Utf16, "", b"", 0, &[[0, 0, 2, 0]]);
    check(Utf16, "h8", b"h\08\0", 2, &[[0, 0, 2, 4]]);
    // Four bytes were allocated for two bytes of UTF-8.
    check(Utf16, "é", &[0xe9, 0], 1, &[[0, 0, 2, 4], [HEAP, 4, 2, 2]]);
    check(Utf16, "😀", &[0x3d, 0xd8, 0, 0xde], 2, &[[0, 0, 2, 8], [HEAP, 8, 2, 4]]);

    check(CompactUtf16, "", b"", 0, &[[0, 0, 2, 0]]);
    check(CompactUtf16, "h8", b"h8", 2, &[[0, 0, 2, 2]]);
    check(CompactUtf16, "é", &[0xe9], 1, &[[0, 0, 2, 2], [HEAP, 2, 2, 1]]);
    let grown = HEAP + 4;
    check(
        CompactUtf16,
        "h炮",
        &[b'h', 0, 0xae, 0x70],
        2 | UTF16_TAG,
        &[[0, 0, 2, 4], [HEAP, 4, 2, 8], [grown, 8, 2, 4]],
    );
}

/// Reads these bytes as a text of this length.
fn check_read(encoding: Encoding, bytes: &[u8], length: u64, expected: Result<&str, ValueError>) {
    let mut memory = Memory::new(encoding);
    let start = memory.bytes.len() - bytes.len();
    memory.bytes[start..].copy_from_slice(bytes);
    let found = memory.lift::<(String,)>(&[start as u64, length]).map(|(text,)| text);
    assert_eq!(found, expected.map(str::to_owned), "{bytes:?} in {encoding:?}");
}

#[test]
fn texts_of_a_module_are_checked() {
    let invalid_utf8 = |bytes: &[u8]| {
        Err(ValueError::InvalidUtf8(String::from_utf8(bytes.to_vec()).unwrap_err().utf8_error()))
    };
    check_read(Utf8, b"h8", 2, Ok("h8"));
    check_read(Utf8, &[0xc3, 0xa9], 2, Ok("é"));
    check_read(Utf8, &[0xc3, 0xa9], 1, invalid_utf8(&[0xc3]));
    check_read(Utf8, &[0xff, 0], 2, invalid_utf8(&[0xff, 0]));
    check_read(Utf16, &[0x3d, 0xd8, 0, 0xde], 2, Ok("😀"));
    // Half of a pair.
    check_read(Utf16, &[0x3d, 0xd8, 0, 0xde], 1, Err(ValueError::InvalidUtf16(0xd83d)));
    check_read(CompactUtf16, &[0xe9, b'a'], 2, Ok("éa"));
    check_read(CompactUtf16, &[0xe9, b'a'], 1 | UTF16_TAG, Ok("\u{61e9}"));
    let half = Err(ValueError::InvalidUtf16(0xd83d));
    check_read(CompactUtf16, &[0x3d, 0xd8], 1 | UTF16_TAG, half);
    // The text is at the end of the memory.
    let outside = Err(ValueError::OutOfBounds(MemoryItem::Text));
    check_read(Utf8, b"h8", 3, outside);
    check_read(Utf16, b"h\08\0", 3, outside);
    check_read(Utf8, b"", 0xffff_ffff, outside);
    check_read(Utf16, b"", 0xffff_ffff, outside);
    let misaligned = Err(ValueError::Misaligned(MemoryItem::Text));
    check_read(Utf16, b"h\08", 1, misaligned);
    check_read(CompactUtf16, b"h", 1, misaligned);
}

#[test]
fn texts_and_lists_of_a_call_have_one_limit() {
    let check = |limit: u64, expected: Result<(), ValueError>| {
        let mut memory = Memory::new(Utf8);
        let flat = memory.lower(&("abcd", vec![1u32, 2])).unwrap();
        let reader = crate::canonical::Reader::new(memory.memory(), Utf8, flat.as_slice(), limit);
        assert_eq!(reader.params::<(String, Vec<u32>)>().map(drop), expected);
    };
    check(12, Ok(()));
    check(11, Err(ValueError::TooLarge(11)));
    check(3, Err(ValueError::TooLarge(3)));
}

#[test]
fn addresses_of_the_allocator_are_checked() {
    let check = |skew: u32, expected: ValueError| {
        let mut memory = Memory::new(Utf16);
        memory.skew = skew;
        assert_eq!(memory.lower(&("h8",)), Err(expected));
    };
    check(1, ValueError::Misaligned(MemoryItem::Allocation));
    check(1 << 16, ValueError::OutOfBounds(MemoryItem::Allocation));
}
