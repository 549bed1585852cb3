//! Nodes per second of the same search in the sandbox and outside.

use std::path::PathBuf;
use std::process::Command;

use sandboard_engine::Caps;
use sandboard_engine_native::{CallMode, NativeModule};
use sandboard_engine_wasm::Metering;
use sandboard_tests::{native, native_name, root, wasm};

use crate::searches::{Contender, ENGINE, race, report};
use crate::table::{Bar, Table};

const WASM: &str = "wasm, deadline only";

pub(crate) fn measure(table: &mut Table) {
    let mut contenders = contenders();
    race(&mut contenders);
    report(table, &contenders, |name| (name == WASM).then_some(Bar::AtLeast(0.45)));
}

fn contenders() -> Vec<Contender> {
    let wasm = |metering| wasm(ENGINE, metering, Caps::default()).expect("it loads");
    let native = native(ENGINE, CallMode::Inline).expect("it loads");
    let mut contenders = vec![
        Contender::new("native, baseline", native),
        Contender::new(WASM, wasm(Metering::Deadline)),
        Contender::new("wasm, deadline and fuel", wasm(Metering::Fuel)),
    ];
    match v3() {
        Ok(module) => contenders.push(Contender::new("native, x86-64-v3", module)),
        Err(reason) => println!("no x86-64-v3 build to compare with: {reason}"),
    }
    contenders
}

/// The engine built for processors with AVX2, in a folder of its own.
fn v3() -> Result<NativeModule, String> {
    #[cfg(target_arch = "x86_64")]
    if !std::arch::is_x86_feature_detected!("avx2") || !std::arch::is_x86_feature_detected!("bmi2")
    {
        return Err("this processor is older".into());
    }
    let folder = root().join("target/engines-v3");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", ENGINE, "--target-dir"])
        .arg(&folder)
        .env("RUSTFLAGS", "-Ctarget-cpu=x86-64-v3")
        .current_dir(root())
        .output()
        .map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let name = native_name(&ENGINE.replace('-', "_"));
    let path: PathBuf =
        folder.join("release").join(format!("{}{name}", std::env::consts::DLL_PREFIX));
    NativeModule::load(&path, CallMode::Inline, Caps::default(), Default::default())
        .map_err(|fault| fault.to_string())
}
