//! Mistakes in an engine that the compiler finds: what an author then reads.
#![forbid(unsafe_code)]

#[test]
fn mistakes_are_answered_with_what_to_write() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
