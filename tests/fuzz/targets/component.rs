//! libFuzzer over `any_bytes::component`. Half of its mutations change sections or
//! instructions, because most changes of single bytes give a file that is refused at once.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use sandboard_tests::any_bytes::{
    self,
    sections::{self, Change},
};
use wasm_mutate::WasmMutate;

fuzz_target!(|bytes: &[u8]| any_bytes::component(bytes));

fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    let mutated = match seed % 4 {
        0 => with_section_changed(&data[..size], seed),
        1 => with_code_changed(&data[..size], seed).unwrap_or_default(),
        _ => return fuzzer_mutate(data, size, most),
    };
    if mutated.is_empty() || mutated.len() > most {
        return fuzzer_mutate(data, size, most);
    }
    data[..mutated.len()].copy_from_slice(&mutated);
    mutated.len()
});

fn with_section_changed(component: &[u8], seed: u32) -> Vec<u8> {
    let [kind, section, at, byte] = (seed / 4).wrapping_mul(0x9e37_79b9).to_le_bytes();
    let at = usize::from(at) << (section & 7) | usize::from(byte);
    sections::changed(component, Change { kind, section: section.into(), at, byte })
}

/// The component with one of its modules changed by wasm-mutate, which keeps it valid. `None` if
/// it has no module, or if the chosen one is invalid or cannot be changed.
fn with_code_changed(component: &[u8], seed: u32) -> Option<Vec<u8>> {
    let (header, mut parts) = sections::split(component)?;
    let modules: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].id == 1).collect();
    let which = *modules.get(seed as usize / 4 % modules.len().max(1))?;
    // wasm-mutate panics if its input is not valid.
    wasmparser::validate(&parts[which].body).ok()?;
    let mut mutate = WasmMutate::default();
    mutate.seed(seed.into()).fuel(100).preserve_semantics(false);
    let module = mutate.run(&parts[which].body).ok()?.next()?.ok()?;
    parts[which].body = module;
    Some(sections::join(&header, &parts))
}
