//! Assembles the stub that replaces WASI preview 1.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=support/wasi_stub.wat");
    let module = wat::parse_file("support/wasi_stub.wat")?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(out.join("wasi_stub.wasm"), module)?;
    Ok(())
}
