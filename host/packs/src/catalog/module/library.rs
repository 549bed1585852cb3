//! Inspects the headers and the symbol table of a native library. Never loads it: loading runs its
//! code.

use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{Architecture, BinaryFormat, File, FileFlags, FileKind, Object, ObjectKind};
use sandboard_abi::{ABI, NATIVE_SYMBOL_STEM};

use super::describe_file_type;

/// The system that a library must be built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TargetSystem {
    /// As in [`std::env::consts::OS`].
    pub(super) os: &'static str,
    /// As in [`std::env::consts::ARCH`].
    pub(super) arch: &'static str,
}

impl TargetSystem {
    /// The system of this host.
    pub(super) const fn this() -> Self {
        Self { os: std::env::consts::OS, arch: std::env::consts::ARCH }
    }
}

/// The ABI numbers of a library, at least one. Err: why it is not an engine library.
pub(super) fn inspect_module(bytes: &[u8], system: &TargetSystem) -> Result<Vec<u32>, String> {
    let broken = |error: object::Error| format!("is a damaged library: {error}");
    let file = parse(bytes, system, "library")?;
    if file.kind() != ObjectKind::Dynamic {
        return Err("is not a shared library, but a program or an object file".into());
    }
    let exports = file.exports().map_err(broken)?;
    let numbers = exports.iter().filter_map(|export| abi_of(export.name(), file.format()));
    let numbers: Vec<u32> = numbers.collect();
    if numbers.is_empty() {
        return Err(format!(
            "exports no `{NATIVE_SYMBOL_STEM}{ABI}`; see the header \
             `sandboard_engine_v{ABI}.h`"
        ));
    }
    Ok(numbers)
}

/// Parses a file for this system; `noun` is its expected type.
pub(super) fn parse<'a>(
    bytes: &'a [u8],
    system: &TargetSystem,
    noun: &str,
) -> Result<File<'a>, String> {
    let bytes = slice_for(bytes, system)?;
    let broken = |error: object::Error| format!("is a damaged {noun}: {error}");
    let file = match FileKind::parse(bytes) {
        Ok(
            FileKind::Elf32
            | FileKind::Elf64
            | FileKind::Pe32
            | FileKind::Pe64
            | FileKind::MachO32
            | FileKind::MachO64,
        ) => File::parse(bytes).map_err(broken)?,
        _ => return Err(format!("is not a native {noun}, but {}", describe_file_type(bytes))),
    };
    if !fits(&file, system) {
        return Err(format!(
            "is a {} {} {noun}; this host runs {} {}",
            origin(&file),
            architecture(file.architecture()),
            system.os,
            system.arch
        ));
    }
    Ok(file)
}

/// `sandboard_engine_v1` → 1. Mach-O adds a `_` before the name.
fn abi_of(symbol: &[u8], format: BinaryFormat) -> Option<u32> {
    let symbol = std::str::from_utf8(symbol).ok()?;
    let symbol = match format {
        BinaryFormat::MachO => symbol.strip_prefix('_')?,
        _ => symbol,
    };
    let digits = symbol.strip_prefix(NATIVE_SYMBOL_STEM)?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

fn fits(file: &File, system: &TargetSystem) -> bool {
    let format = match system.os {
        "windows" => BinaryFormat::Pe,
        "macos" | "ios" => BinaryFormat::MachO,
        _ => BinaryFormat::Elf,
    };
    // An ELF file that names a system (most name none) must name this one.
    let named = match origin(file) {
        "FreeBSD" => system.os == "freebsd",
        "Solaris" => matches!(system.os, "solaris" | "illumos"),
        _ => true,
    };
    file.format() == format && named && architecture(file.architecture()) == system.arch
}

/// The display name of the system that a library was built for.
fn origin(file: &File) -> &'static str {
    match (file.format(), file.flags()) {
        (BinaryFormat::Pe, _) => "Windows",
        (BinaryFormat::MachO, _) => "macOS",
        (_, FileFlags::Elf { os_abi: object::elf::ELFOSABI_FREEBSD, .. }) => "FreeBSD",
        (_, FileFlags::Elf { os_abi: object::elf::ELFOSABI_SOLARIS, .. }) => "Solaris",
        _ => "Linux",
    }
}

/// The name of an architecture as in [`std::env::consts::ARCH`].
fn architecture(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::X86_64 => "x86_64",
        Architecture::I386 => "x86",
        Architecture::Aarch64 => "aarch64",
        Architecture::Arm => "arm",
        Architecture::Riscv64 => "riscv64",
        Architecture::Riscv32 => "riscv32",
        Architecture::LoongArch64 => "loongarch64",
        Architecture::PowerPc64 => "powerpc64",
        Architecture::PowerPc => "powerpc",
        Architecture::S390x => "s390x",
        Architecture::Mips => "mips",
        Architecture::Mips64 => "mips64",
        Architecture::Sparc64 => "sparc64",
        _ => "unknown",
    }
}

/// The part of a macOS universal library for this system; any other file as it is.
fn slice_for<'a>(bytes: &'a [u8], system: &TargetSystem) -> Result<&'a [u8], String> {
    match FileKind::parse(bytes) {
        Ok(FileKind::MachOFat32) => {
            slice_of(MachOFatFile32::parse(bytes).map(|fat| fat.arches()), bytes, system)
        }
        Ok(FileKind::MachOFat64) => {
            slice_of(MachOFatFile64::parse(bytes).map(|fat| fat.arches()), bytes, system)
        }
        _ => Ok(bytes),
    }
}

fn slice_of<'a, F: FatArch>(
    arches: object::Result<&[F]>,
    bytes: &'a [u8],
    system: &TargetSystem,
) -> Result<&'a [u8], String> {
    let broken = |error: object::Error| format!("is a damaged library: {error}");
    let arches = arches.map_err(broken)?;
    let ours = arches.iter().find(|arch| architecture(arch.architecture()) == system.arch);
    match ours {
        Some(arch) if system.os == "macos" => arch.data(bytes).map_err(broken),
        _ => {
            let names: Vec<&str> =
                arches.iter().take(8).map(|arch| architecture(arch.architecture())).collect();
            Err(format!(
                "is a macOS universal library ({}); this host runs {} {}",
                names.join(", "),
                system.os,
                system.arch
            ))
        }
    }
}
