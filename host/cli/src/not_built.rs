//! What a build without some of this crate's features has in place of the commands and options that
//! need them: messages that say which build has them.

/// Why something is missing, and how to get it.
macro_rules! missing {
    ($what:literal) => {
        concat!(
            "this sandboard was built without ",
            $what,
            "; `cargo build --package sandboard-cli` in the repository builds it with everything"
        )
    };
}

#[cfg(not(feature = "tls"))]
pub(crate) const TLS: &str = missing!("its client of TLS, so that it reaches no https: address");
#[cfg(not(feature = "tune"))]
pub(crate) const TUNE: &str = missing!("the optimisation methods of `tune`");
#[cfg(not(feature = "nats"))]
pub(crate) const NATS: &str = missing!("its client of NATS");

/// Not in this build
#[cfg(not(all(feature = "nats", feature = "tune")))]
#[derive(clap::Args, Debug)]
pub(crate) struct CommandArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _all: Vec<std::ffi::OsString>,
}

/// The option `--nats`, which is refused.
#[cfg(not(feature = "nats"))]
#[derive(clap::Args, Debug)]
pub(crate) struct NatsArgs {
    #[arg(long = "nats", value_name = "URL", hide = true, value_parser = refuse)]
    _nats: Option<String>,
}

#[cfg(not(feature = "nats"))]
fn refuse(_: &str) -> Result<String, String> {
    Err(NATS.to_owned())
}
