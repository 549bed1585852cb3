//! Reads the head of a program. Never runs it.

use object::{Object, ObjectKind};

use super::System;
use super::library::parse;

/// Err: why it is no program that this system runs.
pub(super) fn look(bytes: &[u8], system: &System) -> Result<(), String> {
    if bytes.starts_with(b"#!") {
        return Err("is a script; what it is read by is the program".into());
    }
    let file = parse(bytes, system, "program")?;
    match file.kind() {
        // Most programs can be loaded anywhere, as libraries can; a library begins nowhere.
        ObjectKind::Executable | ObjectKind::Dynamic if file.entry() != 0 => Ok(()),
        ObjectKind::Dynamic => Err("is a library, not a program".into()),
        _ => Err("is not a program, but an object file".into()),
    }
}
