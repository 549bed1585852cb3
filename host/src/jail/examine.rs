//! A jail tried from outside: probes of every role do all that the jail forbids, and what
//! stands near it. Finds out; advises nothing.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use super::probe::{Tried, acts};
use super::{Death, Inmate, Jail, JailError, Layer, Order, Program, Role, Trial};

/// Longer than any machine needs to do nothing.
const PATIENCE: Duration = Duration::from_secs(20);
/// A program that every system has and that does nothing.
const NOTHING: [&str; 2] = ["/bin/true", "/usr/bin/true"];

impl Jail {
    /// Makes an inmate that becomes a program of the system, once, and ends. Err: why it does not.
    pub fn try_program(&self) -> Result<(), String> {
        self.layers().keep_programs()?;
        let bytes = NOTHING.iter().find_map(|path| std::fs::read(path).ok());
        let bytes = bytes.ok_or("there is no `true` to try it with")?;
        let program = super::files::sealed_program(&bytes).map_err(|error| error.to_string())?;
        let (name, arguments, shown) = ("true".to_owned(), Vec::new(), Vec::new());
        let inmate = self.spawn(Order {
            role: Role::Program,
            memory_bytes: 64 << 20,
            cpu_s: None,
            file_bytes: 0,
            files: vec![program],
            program: Some(Program { name, arguments, shown }),
        });
        let inmate = inmate.map_err(|error| error.to_string())?;
        inmate.has_ended_within(PATIENCE);
        let end = inmate.end();
        match end.how {
            Death::Exited(0) => Ok(()),
            how => Err(format!("`true` {how} {}", end.output).trim_end().to_owned()),
        }
    }

    /// Tries every act by every role, and to open this file, which is none of an inmate's.
    pub fn examine(&self, file: &Path) -> Result<Vec<Trial>, JailError> {
        let mut trials = Vec::new();
        for role in [Role::Native, Role::Wasm, Role::Compile] {
            self.examine_role(role, file, &mut trials)?;
        }
        Ok(trials)
    }

    fn examine_role(
        &self,
        role: Role,
        file: &Path,
        trials: &mut Vec<Trial>,
    ) -> Result<(), JailError> {
        let memory_bytes = 64 << 20;
        let (cpu_s, files, program) = (None, Vec::new(), None);
        let order = Order { role, memory_bytes, cpu_s, file_bytes: 0, files, program };
        let inmate = self.spawn_probe(order)?;
        let mut found = |act: &str, about: &str, right: bool, words: String| {
            trials.push(Trial { role, act: act.to_owned(), about: about.to_owned(), right, words });
        };
        for act in acts().filter(|act| act.is_judged()) {
            let tried = ask(&inmate, act.name)?;
            let right = act.is_right(role, self.layers(), tried.refused);
            found(act.name, act.about, right, said(&tried));
        }
        let tried = ask(&inmate, &format!("open {}", file.display()))?;
        // Where no layer keeps a native one from files, the layers say so already.
        let files = [Layer::Landlock, Layer::MountNamespace].map(|it| self.layers().has(it));
        let right = tried.refused.is_some() || (role == Role::Native && files == [false, false]);
        found("open", "open a file of the user", right, said(&tried));
        let tried = ask(&inmate, "fork-bomb 100")?;
        found("fork-bomb", "make many processes", tried.words == "0", said(&tried));
        let how = inmate.end().how;
        let right = matches!(how, Death::Signal { ours: true, .. });
        found("die", "die when it is killed", right, how.to_string());
        Ok(())
    }
}

fn said(tried: &Tried) -> String {
    match tried.refused {
        Some(_) => tried.words.clone(),
        None => format!("done: {}", tried.words),
    }
}

fn ask(inmate: &Inmate, act: &str) -> Result<Tried, JailError> {
    let mut line = String::new();
    let answer = writeln!(&inmate.channel, "{act}")
        .and_then(|()| BufReader::new(&inmate.channel).read_line(&mut line));
    let lost = |reason: String| JailError::Refused(format!("`{act}` ended the probe: {reason}"));
    answer.map_err(|error| lost(error.to_string()))?;
    serde_json::from_str(&line).map_err(|error| lost(error.to_string()))
}
