//! Writes what the host and programs by text protocols send each other: one file for each game.
//! Knows no protocol. A game without programs has no file.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{LineWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use sandboard_abi::{Level, Line};
use sandboard_arena_plan::Job;
use sandboard_bout::driver::BoutSetup;
use sandboard_engine::{
    Confinement, Engine, EngineSource, Fault, FuelMeter, LineSender, Listener, Observation,
};

/// The folder of the dialogues of an arena's games.
#[derive(Clone, Debug)]
pub struct DialogueFolder {
    path: PathBuf,
}

/// The dialogue of one game: opened at its first line.
struct Dialogue {
    path: PathBuf,
    begin: Instant,
    file: Mutex<DialogueFile>,
}

enum DialogueFile {
    Unopened,
    /// Each line is written at once: the last ones matter most when a program hangs.
    Open(LineWriter<File>),
    /// It cannot be written; the game goes on.
    Failed,
}

impl DialogueFolder {
    /// The folder at this path, which is created.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        std::fs::create_dir_all(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Lets a bout write its dialogue. Each line has the time since now in seconds, the player's
    /// name, and `>` for a line to the program or `<` for a line of the program.
    pub(crate) fn attach(&self, setup: &mut BoutSetup, job: &Job) {
        let path = self.path.join(format!("{}.txt", job.name()));
        let file = Mutex::new(DialogueFile::Unopened);
        let dialogue = Arc::new(Dialogue { path, begin: Instant::now(), file });
        for player in &mut setup.players {
            if let Some(engine) = &mut player.engine {
                engine.source = Arc::new(RecordedSource {
                    source: engine.source.clone(),
                    name: player.name.clone(),
                    dialogue: dialogue.clone(),
                });
            }
        }
    }
}

impl Dialogue {
    fn write(&self, name: &str, sender: LineSender, line: &str) {
        let seconds = self.begin.elapsed().as_secs_f64();
        let sign = if sender == LineSender::Host { '>' } else { '<' };
        let mut text = format!("{seconds:.6} {name} {sign} ");
        // A line of a program may have control characters.
        for letter in line.chars() {
            match letter.is_control() {
                true => drop(write!(text, "{}", letter.escape_default())),
                false => text.push(letter),
            }
        }
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = match &mut *file {
            DialogueFile::Failed => return,
            DialogueFile::Open(open) => open.write_all(text.as_bytes()),
            DialogueFile::Unopened => File::create(&self.path).and_then(|created| {
                let mut open = LineWriter::new(created);
                open.write_all(text.as_bytes())?;
                *file = DialogueFile::Open(open);
                Ok(())
            }),
        };
        if let Err(error) = written {
            log::warn!("{}: the dialogue is incomplete: {error}", self.path.display());
            *file = DialogueFile::Failed;
        }
    }
}

/// A source whose engines write their dialogue.
struct RecordedSource {
    source: Arc<dyn EngineSource>,
    name: String,
    dialogue: Arc<Dialogue>,
}

impl EngineSource for RecordedSource {
    fn open(&self, listener: Arc<dyn Listener>, threads: u16) -> Result<Box<dyn Engine>, Fault> {
        let (name, dialogue) = (self.name.clone(), self.dialogue.clone());
        self.source.open(Arc::new(RecordingListener { listener, name, dialogue }), threads)
    }

    fn fuel_meter(&self) -> Option<FuelMeter> {
        self.source.fuel_meter()
    }

    fn confinement(&self) -> Option<Confinement> {
        self.source.confinement()
    }
}

struct RecordingListener {
    listener: Arc<dyn Listener>,
    name: String,
    dialogue: Arc<Dialogue>,
}

impl Listener for RecordingListener {
    fn report(&self, line: &Line) {
        self.listener.report(line);
    }

    fn log(&self, level: Level, text: &str) {
        self.listener.log(level, text);
    }

    fn protocol_line(&self, sender: LineSender, line: &str) {
        self.dialogue.write(&self.name, sender, line);
        self.listener.protocol_line(sender, line);
    }

    fn observation(&self) -> Option<Observation> {
        self.listener.observation()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialogue_is_a_file_of_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pair-000001-1.txt");
        let dialogue = |path: &Path| Dialogue {
            path: path.to_owned(),
            begin: Instant::now(),
            file: Mutex::new(DialogueFile::Unopened),
        };
        drop(dialogue(&path));
        assert!(!path.exists(), "a game without lines has no file");
        let open = dialogue(&path);
        open.write("fish", LineSender::Host, "go");
        open.write("fish", LineSender::Program, "best\u{1b}move\te2e4");
        drop(open);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        assert_eq!(lines, ["fish > go", "fish < best\\u{1b}move\\te2e4"]);
        assert!(text.lines().all(|line| line.split(' ').next().unwrap().parse::<f64>().is_ok()));
        // A folder that does not exist costs the game nothing.
        let failed = dialogue(&folder.path().join("none/x.txt"));
        failed.write("fish", LineSender::Host, "go");
        failed.write("fish", LineSender::Host, "stop");
        assert!(matches!(*failed.file.lock().unwrap(), DialogueFile::Failed));
    }
}
