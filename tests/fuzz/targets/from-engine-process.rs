//! libFuzzer over `any_bytes::from_engine_process`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sandboard_tests::any_bytes;

fuzz_target!(|bytes: &[u8]| any_bytes::from_engine_process(bytes));
