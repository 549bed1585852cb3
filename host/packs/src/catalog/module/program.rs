//! Inspects the headers of a program. Never runs it.

use object::{Object, ObjectKind};

use super::TargetSystem;
use super::library::parse;

/// Checks that this system can run a program. Err: why not.
pub(super) fn inspect_module(bytes: &[u8], system: &TargetSystem) -> Result<(), String> {
    if bytes.starts_with(b"#!") {
        return Err("is a script; name its interpreter as the program".into());
    }
    let file = parse(bytes, system, "program")?;
    match file.kind() {
        // Most programs are position-independent, like libraries; a library has no entry point.
        ObjectKind::Executable | ObjectKind::Dynamic if file.entry() != 0 => Ok(()),
        ObjectKind::Dynamic => Err("is a library, not a program".into()),
        _ => Err("is not a program, but an object file".into()),
    }
}
