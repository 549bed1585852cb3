//! The formats of an arena as they are typed: who plays, and how pairs are found.

use anyhow::Result;
use sandboard_tournament::schedule::Format;

use super::BeginArgs;
use super::begin::{self, Wanted};
use super::sprt::SprtArg;
use crate::cli::seat::SeatSpec;

/// Of a match whose test decides, at most so many pairs.
const PAIRS_OF_A_TEST: u32 = 100_000;
/// More than this is a mistake.
const COUNT_MAX: i64 = 1_000_000;

const ONE: &str =
    "An engine's id with options and a budget where wanted, `id:option=value:threads=2@5s/move`";

/// Play a match of two engines
///
/// Games are played in pairs: the same opening, the seats exchanged. Losing a match is no error: the exit code is 0.
/// For example: sandboard arena match alpha beta --pairs 100
#[derive(clap::Args, Debug)]
pub struct MatchArgs {
    /// The first player: an engine's id with options and a budget where wanted,
    /// `id:option=value:threads=2@5s/move`
    #[arg(value_name = "A")]
    a: SeatSpec,
    /// The second player
    #[arg(value_name = "B")]
    b: SeatSpec,
    /// How many pairs of games; of a test that may end sooner, at most [default with --sprt: 100000]
    #[arg(long, value_name = "N", required_unless_present = "sprt")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    pairs: Option<u32>,
    /// End when a sequential test has decided whether A is better than B by ELO0 at most or by ELO1 at least, in
    /// normalised Elo: `ELO0,ELO1[,alpha=0.05][,beta=0.05][,logistic]`
    #[arg(long, value_name = "TEST", allow_hyphen_values = true)]
    sprt: Option<SprtArg>,
    #[command(flatten)]
    begin: BeginArgs,
}

/// Let the first players play against all others
///
/// For example: sandboard arena gauntlet new old1 old2 --folds 50
#[derive(clap::Args, Debug)]
pub struct GauntletArgs {
    #[arg(value_name = "PLAYER", required = true, num_args = 2.., help = ONE)]
    players: Vec<SeatSpec>,
    /// How many of the players, the first ones, run the gauntlet
    #[arg(long, value_name = "N", default_value_t = 1)]
    heroes: u32,
    /// How many pairs with each opponent
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    folds: u32,
    #[command(flatten)]
    begin: BeginArgs,
}

/// Let everybody play against everybody
///
/// For example: sandboard arena round-robin alpha beta gamma --folds 2
#[derive(clap::Args, Debug)]
pub struct RoundRobinArgs {
    #[arg(value_name = "PLAYER", required = true, num_args = 2.., help = ONE)]
    players: Vec<SeatSpec>,
    /// How many pairs of each two; 2 are a double round robin [default: 1; as `double-round-robin`: 2]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    folds: Option<u32>,
    #[command(flatten)]
    begin: BeginArgs,
}

/// Let players of like scores meet, nobody the same opponent twice
///
/// For example: sandboard arena swiss alpha beta gamma delta --rounds 3
#[derive(clap::Args, Debug)]
pub struct SwissArgs {
    #[arg(value_name = "PLAYER", required = true, num_args = 2.., help = ONE)]
    players: Vec<SeatSpec>,
    /// How many rounds
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    rounds: u32,
    #[command(flatten)]
    begin: BeginArgs,
}

/// Play a knockout: who loses a meeting is out
///
/// For example: sandboard arena knockout alpha beta gamma delta --pairs 2
#[derive(clap::Args, Debug)]
pub struct KnockoutArgs {
    #[arg(value_name = "PLAYER", required = true, num_args = 2.., help = ONE)]
    players: Vec<SeatSpec>,
    /// Pairs of each meeting
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=COUNT_MAX))]
    pairs: u32,
    /// Pairs that may follow, one by one, while a meeting is even; then the better seed goes on
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=COUNT_MAX))]
    tie_breaks: u32,
    #[command(flatten)]
    begin: BeginArgs,
}

/// Play a ladder: neighbours by strength, again and again
///
/// For example: sandboard arena ladder alpha beta gamma --pairs 1000
#[derive(clap::Args, Debug)]
pub struct LadderArgs {
    #[arg(value_name = "PLAYER", required = true, num_args = 2.., help = ONE)]
    players: Vec<SeatSpec>,
    /// How many pairs
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pairs: u32,
    #[command(flatten)]
    begin: BeginArgs,
}

fn run(format: Format, players: &[SeatSpec], begin: &BeginArgs) -> Result<()> {
    begin::run(begin, &Wanted { format, players, sprt: None })
}

impl MatchArgs {
    pub fn run(&self) -> Result<()> {
        let format = Format::Match { pairs: self.pairs.unwrap_or(PAIRS_OF_A_TEST) };
        let players = [self.a.clone(), self.b.clone()];
        let sprt = self.sprt.map(|SprtArg(setup)| setup);
        begin::run(&self.begin, &Wanted { format, players: &players, sprt })
    }
}

impl GauntletArgs {
    pub fn run(&self) -> Result<()> {
        let format = Format::Gauntlet { heroes: self.heroes, folds: self.folds };
        run(format, &self.players, &self.begin)
    }
}

impl RoundRobinArgs {
    pub fn run(&self, double: bool) -> Result<()> {
        let folds = self.folds.unwrap_or(if double { 2 } else { 1 });
        run(Format::RoundRobin { folds }, &self.players, &self.begin)
    }
}

impl SwissArgs {
    pub fn run(&self) -> Result<()> {
        run(Format::Swiss { rounds: self.rounds }, &self.players, &self.begin)
    }
}

impl KnockoutArgs {
    pub fn run(&self) -> Result<()> {
        let format = Format::Knockout { pairs: self.pairs, tie_breaks: self.tie_breaks };
        run(format, &self.players, &self.begin)
    }
}

impl LadderArgs {
    pub fn run(&self) -> Result<()> {
        run(Format::Ladder { pairs: self.pairs }, &self.players, &self.begin)
    }
}
