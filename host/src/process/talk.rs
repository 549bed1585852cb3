//! What is said to a program and what it says, exchange by exchange. Believes nothing of it, and
//! takes no time: that is the call's.

use sandboard_abi::{Barred, Choice, Decision, Level, Limits, Line, Setup, Unit, View, limits};

use super::instance::ProcessInstance;
use super::settings;
use super::uci::{self, Clocks, Info, Offered, Said};
use crate::engine::desk::{checked_choice, clean_text};
use crate::engine::timer::NEVER;
use crate::engine::{Fault, FaultCode};

/// Options that a program may offer, as far as they are looked at.
const OFFERED: usize = 1024;
/// The option that says how many threads a program may use, where it has one.
const THREADS: &str = "Threads";

/// Why it does not begin.
fn refusal(sentence: &str) -> Fault {
    Fault::new(FaultCode::Start, clean_text(sentence, limits::REASON_BYTES))
}

impl ProcessInstance {
    /// A remark for people, or what is none of the protocol's.
    fn remark(&mut self, text: &str) -> Result<(), Fault> {
        self.desk.log(Level::Debug, text)
    }

    /// Until it has done all that it was told before, when no search is on.
    pub(super) fn await_ready(&mut self) -> Result<(), Fault> {
        self.say("isready")?;
        loop {
            let line = self.hear()?;
            match uci::read(&line) {
                Said::ReadyOk => return Ok(()),
                Said::BestMove(_) => {
                    let line = clean_text(&line, limits::LABEL_BYTES);
                    let sentence = format!("answered what it was not asked: `{line}`");
                    return Err(Fault::new(FaultCode::Protocol, sentence));
                }
                Said::Text(text) | Said::Unknown(text) => self.remark(text)?,
                Said::Option(_) | Said::UciOk | Said::Info(_) | Said::Nothing => (),
            }
        }
    }

    /// Hears who it is and what can be set.
    fn shake_hands(&mut self) -> Result<(), Fault> {
        self.say("uci")?;
        loop {
            let line = self.hear()?;
            match uci::read(&line) {
                Said::UciOk => return Ok(()),
                Said::Option(Some(_)) if self.offered.len() == OFFERED => {
                    let sentence = format!("offers more than {OFFERED} options");
                    return Err(Fault::new(FaultCode::Flood, sentence));
                }
                Said::Option(Some(offered)) => self.offered.push(offered),
                Said::ReadyOk | Said::BestMove(_) => {
                    let line = clean_text(&line, limits::LABEL_BYTES);
                    let sentence = format!("answered `uci` with `{line}`");
                    return Err(Fault::new(FaultCode::Protocol, sentence));
                }
                Said::Text(text) | Said::Unknown(text) => self.remark(text)?,
                Said::Option(None) => self.remark(&line)?,
                Said::Info(_) | Said::Nothing => (),
            }
        }
    }

    /// What it offers by this name, whose case means nothing.
    fn offers(&self, name: &str) -> Option<&Offered> {
        self.offered.iter().find(|offered| offered.name.eq_ignore_ascii_case(name))
    }

    /// Tells it the value of every option of its manifest, and what the host knows better.
    fn set_options(&mut self, setup: &Setup) -> Result<(), Fault> {
        let (options, speech) = (self.options.clone(), self.speech.clone());
        for (option, value) in settings(&options, &setup.options) {
            let name = self.checked_option(speech.name_of(&option.name), value, "its manifest")?;
            self.say(&uci::set_option(&name, value))?;
        }
        let is_named = |name: &str| {
            options.iter().any(|it| speech.name_of(&it.name).eq_ignore_ascii_case(name))
        };
        let threads = setup.threads.to_string();
        if setup.threads > 1 {
            if is_named(THREADS) {
                return Err(refusal(&format!(
                    "cannot be given {threads} threads: its manifest has an option `{THREADS}`"
                )));
            }
            let name = self.checked_option(THREADS, &threads, "its number of threads")?;
            return self.say(&uci::set_option(&name, &threads));
        }
        let fits = self.offers(THREADS).is_some_and(|it| it.check(&threads).is_ok());
        if fits && !is_named(THREADS) {
            self.say(&uci::set_option(THREADS, &threads))?;
        }
        Ok(())
    }

    /// Its own name for an option that takes this value; `whose` sets it.
    fn checked_option(&self, name: &str, value: &str, whose: &str) -> Result<String, Fault> {
        let Some(offered) = self.offers(name) else {
            return Err(refusal(&format!("offers no option `{name}`, which {whose} sets")));
        };
        let name = offered.name.clone();
        match offered.check(value) {
            Ok(()) => Ok(name),
            Err(takes) => {
                Err(refusal(&format!("takes for its option `{name}` {takes}, not `{value}`")))
            }
        }
    }

    /// Whether the game is one that can be told: the program itself may not find out.
    fn check_setup(&mut self, setup: &Setup) -> Result<(), Fault> {
        let refused = |reason: String| {
            let reason = clean_text(&format!("cannot begin: {reason}"), limits::REASON_BYTES);
            Fault::new(FaultCode::Start, reason)
        };
        self.desk.look("").map_err(refused)?;
        let is_known = |name: &str| self.options.iter().any(|option| option.name == name);
        match setup.options.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(refused(format!("its manifest names no option `{name}`"))),
            None => Ok(()),
        }
    }

    pub(super) fn begin(&mut self, setup: &Setup) -> Result<(), Fault> {
        self.check_setup(setup)?;
        self.shake_hands()?;
        self.set_options(setup)?;
        self.await_ready()?;
        self.say("ucinewgame")?;
        self.await_ready()
    }

    /// The position as it must be told, and the moves to choose among; empty: all.
    pub(super) fn question(&mut self, barred: &[Barred]) -> Result<(View, Vec<String>), Fault> {
        let unknown = |reason| Fault::new(FaultCode::Host, format!("has no position: {reason}"));
        let view = self.desk.look("").map_err(unknown)?;
        if barred.is_empty() {
            return Ok((view, Vec::new()));
        }
        let legal = self.desk.legal("").map_err(unknown)?;
        let is_free = |mv: &&str| barred.iter().all(|barred| barred.r#move != **mv);
        let free = legal.split_ascii_whitespace().filter(is_free);
        let dialect = self.speech.dialect;
        Ok((view, free.map(|mv| dialect.to_program(mv)).collect()))
    }

    pub(super) fn search(
        &mut self,
        limits: &Limits,
        (view, only): (View, Vec<String>),
    ) -> Result<Choice, Fault> {
        let lines = limits.lines.max(1);
        let is_shown =
            self.offers("MultiPV").is_some_and(|it| it.check(&lines.to_string()).is_ok());
        if lines != self.shown && is_shown {
            self.say(&uci::set_option("MultiPV", &lines.to_string()))?;
            self.shown = lines;
        }
        self.say(&uci::position(&self.speech.dialect.position(&view.position)))?;
        // What it says before this is no answer to what it has not been asked.
        self.await_ready()?;
        let left_us = Some(self.leash.meter.left_us()).filter(|left| *left != NEVER);
        let clocks = Clocks { left_us, seat: view.to_move };
        self.say(&uci::go(limits, clocks, &only))?;
        *self.mouth.searching() = true;
        if self.leash.meter.control().is_stopped() {
            self.mouth.stop();
        }
        self.await_move(limits.unit)
    }

    fn await_move(&mut self, unit: Unit) -> Result<Choice, Fault> {
        let mut best: Option<Line> = None;
        loop {
            let line = self.hear()?;
            match uci::read(&line) {
                Said::Info(info) => {
                    let Some(line) = self.line(info, unit) else { continue };
                    self.desk.report(line.clone())?;
                    if line.rank == 1 {
                        best = Some(line);
                    }
                }
                Said::BestMove(Some(mv)) => {
                    let Some(mv) = self.speech.dialect.to_game(mv) else {
                        let mv = clean_text(mv, limits::LABEL_BYTES);
                        let sentence = format!("chose `{mv}`, which is no move as it writes them");
                        return Err(Fault::new(FaultCode::Protocol, sentence));
                    };
                    let line =
                        best.filter(|line| line.moves.split(' ').next() == Some(mv.as_str()));
                    let choice = Choice { decision: Decision::Play(mv), offers_draw: false, line };
                    return checked_choice(choice);
                }
                Said::BestMove(None) => {
                    let line = clean_text(&line, limits::LABEL_BYTES);
                    let sentence = format!("has no move, it says: `{line}`");
                    return Err(Fault::new(FaultCode::Error, sentence));
                }
                Said::Text(text) | Said::Unknown(text) => self.remark(text)?,
                Said::Option(_) | Said::UciOk | Said::ReadyOk | Said::Nothing => (),
            }
        }
    }

    /// A report as the border has it; none: it says nothing of value and moves.
    fn line(&self, info: Info, unit: Unit) -> Option<Line> {
        if info.score.is_none() && info.moves.is_empty() {
            return None;
        }
        let dialect = self.speech.dialect;
        let moves: Vec<String> = info.moves.iter().map_while(|mv| dialect.to_game(mv)).collect();
        let spent = match unit {
            Unit::Wall => self.leash.meter.so_far().wall_us,
            Unit::Cpu => self.leash.meter.so_far().cpu_us.unwrap_or(0),
            Unit::Unlimited | Unit::Fuel => 0,
        };
        Some(Line {
            rank: info.rank.unwrap_or(1),
            score: info.score,
            depth: info.depth.unwrap_or(0),
            nodes: info.nodes.unwrap_or(0),
            spent,
            moves: moves.join(" "),
        })
    }
}
