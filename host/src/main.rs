//! The binary `sandboard`. Everything is in the library; this only starts it.

fn main() -> std::process::ExitCode {
    sandboard_host::cli::main()
}
