//! The commands for work on this repository, run as `cargo xtask …`. Of the workspace it uses only
//! the builder, so that it builds and reports even when another crate does not.

#![forbid(unsafe_code)]

mod aarch64;
mod audit;
mod bench;
mod crates;
mod disk;
mod dist;
mod engines;
mod fuzz;
mod new_engine;
mod openings;
mod peers;
mod play;
mod progress;
mod serve;
mod setup;
mod steps;
mod test;
mod tidy;
mod train;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build, run, test and measure Sandboard
///
/// On a fresh clone, `cargo xtask play` and `cargo xtask test` build everything that is missing. As
/// root on Debian, missing packages are installed. On other systems the command to install them is
/// printed.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    /// Print all output of cargo, npm and compilers, instead of one progress line for each step
    #[arg(short, long, global = true)]
    verbose: bool,

    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and play in the browser or at the terminal
    ///
    /// At a terminal, the browser opens. Without a terminal, two engines play one game.
    /// Arguments are passed on to `sandboard play`, which plays at the terminal:
    ///   cargo xtask play --terminal
    ///   cargo xtask play gomoku --variant freestyle --seat gomoku-alpha --seat human
    #[command(verbatim_doc_comment)]
    Play(play::Args),

    /// Build everything and run the web server
    ///
    /// Arguments are passed on to `sandboard serve`, for example: cargo xtask serve --port 8000
    Serve(serve::Args),

    /// Build the web client, check its types and run its unit tests
    Web(web::Args),

    /// Run every check: format, lints, docs, tidy, all tests, also in a browser
    ///
    /// SLOW=1 in the environment runs longer tests (deeper perft, long matches).
    /// The command stops at the first step that fails, and names it.
    #[command(verbatim_doc_comment)]
    Test(test::Args),

    /// Build the sample engines, native and wasm, into engines-dir/
    ///
    /// The native engines are then trusted by the hash of the built file, which is printed.
    /// SANDBOARD_WASM_RUSTFLAGS replaces the compiler flags of the wasm build
    /// (-Ctarget-feature=+simd128), CARGO_PROFILE_RELEASE_* its profile.
    #[command(verbatim_doc_comment)]
    Engines(engines::Args),

    /// Make the files of a release: tarball, Debian package, bill of materials, sums
    ///
    /// The same sources and tools give the same bytes in every folder. The program has all
    /// features, the engines are WebAssembly components. Needs Linux with glibc on x86-64.
    ///   cargo xtask dist
    ///   cargo xtask dist --out ~/release
    ///   cargo xtask dist --check --profile dist-check
    /// The time of all entries is that of the last commit, or SOURCE_DATE_EPOCH.
    #[command(verbatim_doc_comment)]
    Dist(dist::Args),

    /// Create the folder of a new engine in any supported language
    ///
    /// The template plays at once; the author writes one function, which chooses the next move.
    /// It is built to a WebAssembly component and, in most languages, to a native library:
    ///   cargo xtask new-engine mine --game gomoku
    ///   cargo xtask new-engine mine --lang cpp
    ///   cargo xtask new-engine mine --dir ~/code/mine
    ///   sandboard check mine
    #[command(verbatim_doc_comment)]
    NewEngine(new_engine::Args),

    /// Search for balanced openings again and write openings/ (takes an hour)
    Openings(openings::Args),

    /// Train an engine's weights on games against itself
    ///
    /// The same seed gives the same bytes on every machine:
    ///   cargo xtask train reversi
    #[command(verbatim_doc_comment)]
    Train(train::Args),

    /// Check for the required system packages, and install them as root on Debian
    Setup(setup::Args),

    /// Check crate directions, unsafe code, licences, links, prose and other rules
    Tidy(tidy::Args),

    /// Run a benchmark, or list all benchmarks
    Bench(bench::Args),

    /// Run the parsers on generated inputs for a limited time (libFuzzer)
    ///
    /// Add an input that fails to tests/fixtures/fuzz, where a test runs it from then on.
    #[command(verbatim_doc_comment)]
    Fuzz(fuzz::Args),

    /// Verify records on 64-bit ARM, in an emulator
    ///
    /// Builds `sandboard` for aarch64 Linux and runs it with QEMU. Without arguments it verifies
    /// the records of tests/museum, with Wasmtime and with Wasmi. Arguments are passed on to it:
    ///   cargo xtask aarch64
    ///   cargo xtask aarch64 verify my-arena --strict --runtime wasmi
    /// With rustup, the target is added; otherwise Debian's compiler builds the standard library.
    #[command(verbatim_doc_comment)]
    Aarch64(aarch64::Args),

    /// Check dependencies for known vulnerabilities, with cargo-deny
    ///
    /// Exit codes: 0: none; 1: at least one; 3: the check was not possible, with the reason.
    #[command(verbatim_doc_comment)]
    Audit,
}

fn main() -> ExitCode {
    if let Some(code) = dist::run_as_rustc_wrapper() {
        return code;
    }
    let cli = Cli::parse();
    progress::install(cli.verbose);
    let result = match &cli.command {
        Task::Play(args) => play::main(args),
        Task::Serve(args) => serve::main(args),
        Task::Web(args) => web::main(args),
        Task::Test(args) => test::main(args),
        Task::Engines(args) => engines::main(args),
        Task::Dist(args) => dist::main(args),
        Task::NewEngine(args) => new_engine::main(args),
        Task::Openings(args) => openings::main(args),
        Task::Train(args) => train::main(args),
        Task::Setup(args) => setup::main(args),
        Task::Tidy(args) => tidy::main(args),
        Task::Bench(args) => bench::main(args),
        Task::Fuzz(args) => fuzz::main(args),
        Task::Aarch64(args) => aarch64::main(args),
        Task::Audit => return audit::main(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_can_be_verbose() {
        let check = |words: &str, expected: Option<bool>| {
            let words = ["cargo xtask"].into_iter().chain(words.split_whitespace());
            assert_eq!(Cli::try_parse_from(words).ok().map(|cli| cli.verbose), expected);
        };
        check("engines", Some(false));
        check("engines -v", Some(true));
        check("-v engines", Some(true));
        check("test --quick --verbose", Some(true));
        check("play -v", Some(true));
        check("play -v gomoku", Some(true));
        // After the first argument of another program, all are its own.
        check("play gomoku -v", Some(false));
        check("serve --port 8000", Some(false));
        check("engines --verbos", None);
    }
}
