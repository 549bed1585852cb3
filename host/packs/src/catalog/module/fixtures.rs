//! Builds modules in memory for tests: components from text, and libraries of three systems with
//! complete headers and symbol tables but without code.

/// A component built for ABI `abi`, with its imports; `more` is inserted into its text.
pub(crate) fn component(abi: u32, more: &str) -> Vec<u8> {
    // Exports and imports of an inner part are not part of the engine's interface.
    let text = format!(
        r#"(component
            {more}
            (import "sandboard:engine/types@{abi}.0.0" (instance))
            (import "sandboard:engine/host@{abi}.0.0" (instance))
            (component (instance $i) (export "sandboard:engine/engine@9.0.0" (instance $i)))
            (core module (import "wasi_snapshot_preview1" "fd_write" (func)))
            (instance $engine)
            (export "sandboard:engine/engine@{abi}.0.0" (instance $engine)))"#
    );
    wat::parse_str(text).unwrap()
}

/// A component that exports a `judge` of number `abi`, without functions; `more` is inserted into
/// its text.
pub(crate) fn judge(abi: u32, more: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            {more}
            (instance $judge)
            (export "sandboard:game/judge@{abi}.0.0" (instance $judge)))"#
    );
    wat::parse_str(text).unwrap()
}

/// Numbers of an ELF header.
pub(crate) const X86_64: u16 = 62;
pub(crate) const AARCH64: u16 = 183;
pub(crate) const SHARED: u16 = 3;
pub(crate) const PROGRAM: u16 = 2;

/// The ELF machine of the system that the tests run on.
pub(crate) fn this_machine() -> u16 {
    match std::env::consts::ARCH {
        "aarch64" => AARCH64,
        _ => X86_64,
    }
}

/// A 64-bit little-endian ELF library with these dynamic symbols.
pub(crate) fn elf(machine: u16, file_type: u16, symbols: &[&str]) -> Vec<u8> {
    const HEADER: usize = 64;
    let mut names = vec![0];
    let mut table = vec![0; 24];
    for symbol in symbols {
        table.extend((names.len() as u32).to_le_bytes());
        // A global function, visible, in section 1, at 0x10, 1 byte long.
        table.extend([0x12, 0, 1, 0]);
        table.extend(0x10u64.to_le_bytes());
        table.extend(1u64.to_le_bytes());
        names.extend(symbol.bytes());
        names.push(0);
    }
    let symbols_at = HEADER;
    let names_at = symbols_at + table.len();
    let sections_at = (names_at + names.len()).next_multiple_of(8);
    let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(file_type.to_le_bytes());
    file.extend(machine.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    file.extend([0; 16]);
    file.extend((sections_at as u64).to_le_bytes());
    file.extend([0; 4]);
    for half in [HEADER as u16, 56, 0, 64, 3, 2] {
        file.extend(half.to_le_bytes());
    }
    file.extend(&table);
    file.extend(&names);
    file.resize(sections_at, 0);
    file.extend([0; 64]);
    // SHT_DYNSYM, its names in section 2; SHT_STRTAB.
    file.extend(elf_section(11, symbols_at, table.len(), 2, 24));
    file.extend(elf_section(3, names_at, names.len(), 0, 0));
    file
}

fn elf_section(kind: u32, at: usize, size: usize, link: u32, entry: u64) -> Vec<u8> {
    let mut section = vec![0; 4];
    section.extend(kind.to_le_bytes());
    section.extend([0; 16]);
    section.extend((at as u64).to_le_bytes());
    section.extend((size as u64).to_le_bytes());
    section.extend(link.to_le_bytes());
    section.extend(1u32.to_le_bytes());
    section.extend(1u64.to_le_bytes());
    section.extend(entry.to_le_bytes());
    section
}

/// A 64-bit Windows DLL for x86-64 with these exports.
pub(crate) fn dll(symbols: &[&str]) -> Vec<u8> {
    // One section, at the same place in the file and in memory.
    const SECTION: u32 = 0x200;
    let count = symbols.len() as u32;
    let (functions, names) = (SECTION + 40, SECTION + 40 + 4 * count);
    let ordinals = names + 4 * count;
    let mut text_at = ordinals + 2 * count;
    let (mut pointers, mut texts) = (Vec::new(), Vec::new());
    for symbol in symbols {
        pointers.extend(text_at.to_le_bytes());
        texts.extend(symbol.bytes());
        texts.push(0);
        text_at += symbol.len() as u32 + 1;
    }
    let mut section = vec![0; 16];
    for word in [1, count, count, functions, names, ordinals] {
        section.extend(word.to_le_bytes());
    }
    section.extend((0..count).flat_map(|_| 0x10u32.to_le_bytes()));
    section.extend(pointers);
    section.extend((0..count as u16).flat_map(u16::to_le_bytes));
    section.extend(texts);
    section.resize(0x800, 0);

    let mut file = vec![b'M', b'Z'];
    file.resize(60, 0);
    file.extend(64u32.to_le_bytes());
    file.extend(b"PE\0\0");
    // x86-64, one section, 240 bytes of optional header; a DLL.
    for half in [0x8664u16, 1, 0, 0, 0, 0, 0, 0, 240, 0x2022] {
        file.extend(half.to_le_bytes());
    }
    let optional_at = file.len();
    file.extend(0x20bu16.to_le_bytes());
    file.resize(optional_at + 108, 0);
    file.extend(16u32.to_le_bytes());
    file.extend(SECTION.to_le_bytes());
    file.extend(0x800u32.to_le_bytes());
    file.resize(optional_at + 240, 0);
    file.extend(b".edata\0\0");
    for word in [0x800, SECTION, 0x800, SECTION, 0, 0, 0, 0x4000_0040] {
        file.extend(u32::to_le_bytes(word));
    }
    file.resize(SECTION as usize, 0);
    file.extend(section);
    file
}

/// A macOS library for x86-64 with these exports, names as in C.
pub(crate) fn dylib(symbols: &[&str]) -> Vec<u8> {
    const COMMANDS: u32 = 32;
    let count = symbols.len() as u32;
    let table_at = COMMANDS + 24 + 80;
    let (mut table, mut names) = (Vec::new(), vec![0]);
    for symbol in symbols {
        table.extend((names.len() as u32).to_le_bytes());
        // Defined in section 1, external.
        table.extend([0x0f, 1, 0, 0]);
        table.extend(0x10u64.to_le_bytes());
        names.push(b'_');
        names.extend(symbol.bytes());
        names.push(0);
    }
    let names_at = table_at + table.len() as u32;
    let mut words = vec![0xfeed_facf, 0x0100_0007, 3, 6, 2, 24 + 80, 0, 0];
    words.extend([2, 24, table_at, count, names_at, names.len() as u32]);
    // LC_DYSYMTAB: no local symbols, all of them external.
    words.extend([11, 80, 0, 0, 0, count]);
    words.resize((table_at / 4) as usize, 0);
    let mut file: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    file.extend(table);
    file.extend(names);
    file
}

/// A macOS universal library of one part.
pub(crate) fn universal(part: &[u8]) -> Vec<u8> {
    let words = [0xcafe_babe, 1, 0x0100_0007, 3, 64, part.len() as u32, 3];
    let mut file: Vec<u8> = words.into_iter().flat_map(u32::to_be_bytes).collect();
    file.resize(64, 0);
    file.extend(part);
    file
}
