//! `sandboard doctor`: which layers of the jail this machine gives, found out by trying,
//! and what to do about those it does not. Changes nothing.

mod advice;

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::json;

use self::advice::Machine;
use super::Told;
use crate::jail::{Jail, JailError, Layer, LayerState, Trial};
use crate::terminal::Paint;

const EXAMPLES: &str = "\
Engines that are not trusted run in processes that may do next to nothing. How little, depends on
the system: this starts such processes, has them try what is forbidden (sockets, forking, other
programs, files, other processes, more memory than they may have) and what must work, and says
which layers are in force, which are absent and why, and what to do about it.

Contests need seccomp, limits, and that no file is open: by landlock or by a mount namespace.
Exit code 0: this machine has that; 1: it has not. Programs that speak other protocols need a
namespace of processes as well.

Examples:
  sandboard doctor
  sandboard doctor --json";

/// Find out how well this machine can jail engines
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Print one JSON object: {"system": …, "layers": […], "tried": …, "wrong": […], "contests": …,
    /// "programs": …}
    #[arg(long)]
    json: bool,
    /// Do without a layer, as if this machine did not give it
    #[arg(long, value_name = "LAYER", hide = true)]
    without: Vec<Layer>,
}

/// What was found.
struct Findings {
    machine: Machine,
    states: Vec<LayerState>,
    trials: Vec<Trial>,
    /// Why no contest can be held here.
    missing: Option<String>,
    /// Why no program can be jailed here.
    no_programs: Option<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let machine = Machine::look();
    let findings = match Jail::start_without(&program, &args.without) {
        Ok(jail) => Findings {
            machine,
            states: jail.layers().states().to_vec(),
            trials: jail.examine(&program)?,
            missing: jail.layers().meets_minimum().err(),
            no_programs: jail.try_program().err(),
        },
        Err(JailError::NoJail(reason)) => {
            let absent = |layer| LayerState { layer, state: Err(reason.clone()) };
            let states = Layer::ALL.into_iter().map(absent).collect();
            let missing = Some(JailError::NoJail(reason.clone()).to_string());
            let no_programs = missing.clone();
            Findings { machine, states, trials: Vec::new(), missing, no_programs }
        }
        Err(other) => return Err(other.into()),
    };
    match args.json {
        true => print_json(&findings)?,
        false => print(&findings)?,
    }
    match findings.serves() {
        true => Ok(()),
        false => Err(Told.into()),
    }
}

impl Findings {
    fn wrong(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(|trial| !trial.right)
    }

    fn serves(&self) -> bool {
        self.missing.is_none() && self.wrong().next().is_none()
    }

    fn is_in_force(&self, layer: Layer) -> bool {
        self.states.iter().any(|it| it.layer == layer && it.state.is_ok())
    }

    fn advice(&self, layer: Layer) -> Vec<String> {
        match layer {
            // It is there to make the others possible.
            Layer::UserNamespace if self.is_in_force(Layer::MountNamespace) => Vec::new(),
            _ => self.machine.advice(layer),
        }
    }
}

fn print(findings: &Findings) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let paint = Paint::for_stdout();
    writeln!(out, "layers of the jail on {}\n", findings.machine.system)?;
    for LayerState { layer, state } in &findings.states {
        let word = match state {
            Ok(Some(more)) => format!("{}-{more}", layer.word()),
            _ => layer.word().to_owned(),
        };
        match state {
            Ok(_) => writeln!(out, "  in force  {word:15}  {}", layer.about())?,
            Err(why) => {
                writeln!(out, "  {}    {word:15}  {}", paint.strong("absent"), layer.about())?;
                writeln!(out, "{:29}because: {why}", "")?;
                for advice in findings.advice(*layer) {
                    writeln!(out, "{:29}to have it: {advice}", "")?;
                }
            }
        }
    }
    if !findings.trials.is_empty() {
        let (tried, wrong) = (findings.trials.len(), findings.wrong().count());
        writeln!(out, "\ntried {tried} acts in it; as they must be: {}", tried - wrong)?;
    }
    for trial in findings.wrong() {
        let role = serde_json::to_value(trial.role)?;
        let role = role.as_str().unwrap_or_default();
        writeln!(out, "  {}: {role}: {}: {}", paint.strong("wrong"), trial.about, trial.words)?;
    }
    match (&findings.missing, findings.serves()) {
        (Some(missing), _) => writeln!(out, "\ncontests: no; {missing}")?,
        (None, false) => writeln!(out, "\ncontests: no; the jail does not do what it should")?,
        (None, true) => writeln!(out, "\ncontests: yes, this machine has what they need")?,
    }
    match &findings.no_programs {
        Some(why) => writeln!(out, "programs: no; {why}")?,
        None => writeln!(out, "programs: yes, one has run in it")?,
    }
    Ok(())
}

fn print_json(findings: &Findings) -> Result<()> {
    let layer = |LayerState { layer, state }: &LayerState| {
        json!({
            "layer": layer.word(),
            "in_force": state.is_ok(),
            "more": state.as_ref().ok().cloned().flatten(),
            "why": state.as_ref().err(),
            "advice": if state.is_ok() { Vec::new() } else { findings.advice(*layer) },
        })
    };
    let value = json!({
        "system": findings.machine.system,
        "layers": findings.states.iter().map(layer).collect::<Vec<_>>(),
        "tried": findings.trials.len(),
        "wrong": findings.wrong().collect::<Vec<_>>(),
        "contests": findings.serves(),
        "missing": findings.missing,
        "programs": findings.no_programs.is_none(),
        "no_programs": findings.no_programs,
    });
    writeln!(std::io::stdout(), "{value}")?;
    Ok(())
}
