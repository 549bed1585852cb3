//! `sandboard doctor`: tests which layers of the jail this machine supports, and gives advice about
//! the missing ones. Changes nothing.

mod advice;

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::json;

use self::advice::Machine;
use super::AlreadyReported;
use crate::terminal::TextStyle;
use sandboard_jail::{Jail, JailError, Layer, LayerState, ProbeReport};

const EXAMPLES: &str = "\
Engines that are not trusted run in processes with almost no rights. How far they are restricted
depends on the system. This command starts such processes, and tests forbidden actions (sockets,
forking, other programs, files, other processes, too much memory) and required ones. It prints which
layers are active, which are missing and why, and how to get them.

Contests need seccomp, resource limits, and no access to files, by landlock or a mount namespace.
External engines also need a process namespace.

Exit codes: 0: this machine can run contests; 1: it cannot.

Examples:
  sandboard doctor
  sandboard doctor --json";

/// Test how well this machine can jail engines
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print one JSON object: {"system": …, "layers": […], "trials": …, "failed_trials": […],
    /// "contests": …, "programs": …}
    #[arg(long)]
    json: bool,
    /// Disable a layer, to test a machine without it
    #[arg(long, value_name = "LAYER", value_parser = super::zygote::layer, hide = true)]
    without: Vec<Layer>,
}

/// The results of the tests.
struct Findings {
    machine: Machine,
    states: Vec<LayerState>,
    trials: Vec<ProbeReport>,
    /// Why this machine cannot hold contests.
    missing: Option<String>,
    /// Why external engines cannot be jailed here.
    no_programs: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let machine = Machine::look();
    let findings = match Jail::start_without(&program, &args.without) {
        Ok(jail) => Findings {
            machine,
            states: jail.layers().states().to_vec(),
            trials: jail.self_test(&program)?,
            missing: jail.layers().meets_minimum().err(),
            no_programs: jail.test_program().err(),
        },
        Err(JailError::Unsupported(reason)) => {
            let absent = |layer| LayerState { layer, state: Err(reason.clone()) };
            let states = Layer::ALL.into_iter().map(absent).collect();
            let missing = Some(JailError::Unsupported(reason.clone()).to_string());
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
        false => Err(AlreadyReported.into()),
    }
}

impl Findings {
    fn wrong(&self) -> impl Iterator<Item = &ProbeReport> {
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
            // The user namespace is only needed to create the other namespaces.
            Layer::UserNamespace if self.is_in_force(Layer::MountNamespace) => Vec::new(),
            _ => self.machine.advice(layer),
        }
    }
}

fn print(findings: &Findings) -> Result<()> {
    let mut out = crate::output::stdout();
    let style = TextStyle::for_stdout();
    writeln!(out, "layers of the jail on {}\n", findings.machine.system)?;
    for LayerState { layer, state } in &findings.states {
        let word = match state {
            Ok(Some(more)) => format!("{}-{more}", layer.word()),
            _ => layer.word().to_owned(),
        };
        match state {
            Ok(_) => writeln!(out, "  in force  {word:16}  {}", layer.about())?,
            Err(why) => {
                writeln!(out, "  {}    {word:16}  {}", style.strong("absent"), layer.about())?;
                writeln!(out, "{:30}reason: {why}", "")?;
                for advice in findings.advice(*layer) {
                    writeln!(out, "{:30}advice: {advice}", "")?;
                }
            }
        }
    }
    if !findings.trials.is_empty() {
        let (tested, failed) = (findings.trials.len(), findings.wrong().count());
        writeln!(out, "\ntested {tested} actions; correct: {}", tested - failed)?;
    }
    for trial in findings.wrong() {
        let role = serde_json::to_value(trial.role)?;
        let role = role.as_str().unwrap_or_default();
        writeln!(out, "  {}: {role}: {}: {}", style.strong("failed"), trial.about, trial.words)?;
    }
    match (&findings.missing, findings.serves()) {
        (Some(missing), _) => writeln!(out, "\ncontests: no; {missing}")?,
        (None, false) => writeln!(out, "\ncontests: no; the jail does not work correctly")?,
        (None, true) => writeln!(out, "\ncontests: yes")?,
    }
    match &findings.no_programs {
        Some(why) => writeln!(out, "external engines: no; {why}")?,
        None => writeln!(out, "external engines: yes, a test program has run")?,
    }
    Ok(())
}

fn print_json(findings: &Findings) -> Result<()> {
    let layer = |LayerState { layer, state }: &LayerState| {
        json!({
            "layer": layer.word(),
            "in_force": state.is_ok(),
            "details": state.as_ref().ok().cloned().flatten(),
            "reason": state.as_ref().err(),
            "advice": if state.is_ok() { Vec::new() } else { findings.advice(*layer) },
        })
    };
    let value = json!({
        "system": findings.machine.system,
        "layers": findings.states.iter().map(layer).collect::<Vec<_>>(),
        "trials": findings.trials.len(),
        "failed_trials": findings.wrong().collect::<Vec<_>>(),
        "contests": findings.serves(),
        "missing": findings.missing,
        "programs": findings.no_programs.is_none(),
        "programs_reason": findings.no_programs,
    });
    writeln!(crate::output::stdout(), "{value}")?;
    Ok(())
}
