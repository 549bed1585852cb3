//! A match on a terminal while it is played: one line with games, score, Elo
//! and the time left. On anything but a terminal it says nothing.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ledger::Ledger;
use super::outcome::GameResult;
use super::report::Session;
use super::runner::Watcher;
use super::schedule::Job;
use super::table::{elo_text, points_text};

/// The line, and what this session has done.
pub struct Bar {
    bar: ProgressBar,
    began: Instant,
    session: Session,
}

impl Bar {
    /// Begins to show a match on standard error, if that is a terminal.
    pub fn new(ledger: &Ledger) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let games = u64::from(ledger.schedule().games());
        let bar = ProgressBar::with_draw_target(Some(games), target);
        let style = ProgressStyle::with_template(
            "{bar:20} {pos}/{len} games  {msg}  {elapsed} passed, {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        // What was played before says nothing about the speed of this session.
        bar.set_position(u64::from(ledger.done()));
        bar.reset_eta();
        bar.set_message(message(ledger));
        Self { bar, began: Instant::now(), session: Session::default() }
    }

    /// Takes the line away, and says what was done.
    pub fn finish(self) -> Session {
        self.bar.finish_and_clear();
        Session { elapsed: self.began.elapsed(), ..self.session }
    }
}

impl Watcher for Bar {
    fn done(&mut self, ledger: &Ledger, job: &Job, result: &GameResult) {
        self.session.games += 1;
        self.session.plies += result.plies;
        self.bar.set_position(u64::from(ledger.done()));
        self.bar.set_message(message(ledger));
        if let Some(fault) = &result.fault {
            log::info!("{}: {}", job.name(), fault.sentence);
        }
    }

    fn again(&mut self, job: &Job, reason: &str) {
        self.bar.suspend(|| log::warn!("game {} is played again: {reason}", job.name()));
    }
}

fn message(ledger: &Ledger) -> String {
    let score = &ledger.standing().score;
    let games = score.games();
    if games.games() == 0 {
        return "no pair yet".into();
    }
    let elo = score.sample().elo().map_or(String::new(), |elo| format!("  Elo {}", elo_text(&elo)));
    format!("{} of {}{elo}", points_text(games.half_points()), games.games())
}
