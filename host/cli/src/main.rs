//! The binary `sandboard`. Everything is in the library; this only starts it.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    sandboard_cli::main()
}
