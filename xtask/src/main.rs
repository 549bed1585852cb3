//! The project's own commands, run as `cargo xtask …`. Depends on no crate of the
//! workspace but the forge, so that it builds and reports when any other does not.

#![forbid(unsafe_code)]

mod audit;
mod bench;
mod engines;
mod fuzz;
mod new_engine;
mod openings;
mod peers;
mod play;
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

/// Build, play, prove and measure Sandboard.
///
/// On a fresh clone two commands do it all: `cargo xtask play` and `cargo xtask test`.
/// They build what is missing. As root on Debian they install missing packages and say
/// so; elsewhere they print the command that does.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything and play in the browser; without a terminal two engines play one game
    ///
    /// What follows is passed on to `sandboard play`, which plays at the terminal:
    ///   cargo xtask play --terminal
    ///   cargo xtask play gomoku --variant freestyle --seat gomoku-alpha --seat human
    #[command(verbatim_doc_comment)]
    Play(play::Args),

    /// Build everything and serve: what follows is passed on to `sandboard serve`
    ///
    /// For example: cargo xtask serve --port 8000
    Serve(serve::Args),

    /// Build the client in the browser, check its types and run its unit tests
    Web(web::Args),

    /// Prove everything: format, client, clippy, engines, docs, tidy, all tests, also in a browser
    ///
    /// SLOW=1 in the environment makes the tests go deeper (perft, long matches).
    /// Stops at the first step that fails and says which command it was.
    #[command(verbatim_doc_comment)]
    Test(test::Args),

    /// Build the sample engines, native and wasm, into engines-dir/
    ///
    /// The native ones are then trusted, by the hash of what was built; it says which.
    /// SANDBOARD_WASM_RUSTFLAGS replaces the flags of the wasm build
    /// (-Ctarget-feature=+simd128), CARGO_PROFILE_RELEASE_* its profile.
    #[command(verbatim_doc_comment)]
    Engines(engines::Args),

    /// Make a folder to write an engine in, in any language: one function, the next move
    ///
    /// It builds to a WebAssembly component and, in most languages, to a native library:
    ///   cargo xtask new-engine mine --game gomoku
    ///   cargo xtask new-engine mine --lang cpp
    ///   cargo xtask new-engine mine --dir ~/code/mine
    ///   sandboard check mine
    #[command(verbatim_doc_comment)]
    NewEngine(new_engine::Args),

    /// Find the fair openings of openings/ anew, which takes an hour; no part of `test`
    Openings(openings::Args),

    /// Let an engine learn its weights anew from games against itself; no part of `test`
    ///
    /// The same seed gives the same bytes, on any machine:
    ///   cargo xtask train reversi
    #[command(verbatim_doc_comment)]
    Train(train::Args),

    /// Check for, and as root on Debian install, all that the project needs
    Setup(setup::Args),

    /// Check dependency directions, unsafe code, licences, links and other house rules
    Tidy,

    /// Measure: run one bench, or list them
    Bench(bench::Args),

    /// Try inputs that nobody wrote on everything that reads, for a while; no part of `test`
    ///
    /// What is found goes into tests/fixtures/fuzz, where a test tries it ever after.
    #[command(verbatim_doc_comment)]
    Fuzz(fuzz::Args),

    /// Ask cargo-deny what is known against the packages that we build on; no part of `test`
    ///
    /// Ends with 0: nothing; 1: something; 3: it could not look, and says what is missing.
    #[command(verbatim_doc_comment)]
    Audit,
}

fn main() -> ExitCode {
    let result = match &Cli::parse().command {
        Task::Play(args) => play::main(args),
        Task::Serve(args) => serve::main(args),
        Task::Web(args) => web::main(args),
        Task::Test(args) => test::main(args),
        Task::Engines(args) => engines::main(args),
        Task::NewEngine(args) => new_engine::main(args),
        Task::Openings(args) => openings::main(args),
        Task::Train(args) => train::main(args),
        Task::Setup(args) => setup::main(args),
        Task::Tidy => tidy::main(),
        Task::Bench(args) => bench::main(args),
        Task::Fuzz(args) => fuzz::main(args),
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
