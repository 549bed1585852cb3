//! The layers of the jail: which of them hold, and why the others do not. Says what
//! contests need; sets up none of them.

use serde::{Deserialize, Serialize, Serializer};

use super::Role;

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Which calls of the system it may make. Nobody is jailed without.
    Seccomp,
    /// Limits of memory, files, processes, CPU time.
    Rlimits,
    /// Which files it may open, by the kernel's landlock.
    Landlock,
    /// A user of its own, or at least nobody of the machine's.
    OwnUid,
    /// A namespace of users, in which it may do no more than outside.
    UserNamespace,
    /// It sees no other process, and all of its die with the first.
    PidNamespace,
    /// No network.
    NetNamespace,
    /// No shared memory or message queue of others.
    IpcNamespace,
    /// No folder but those of the system's libraries, read-only.
    MountNamespace,
    /// Its own host name.
    UtsNamespace,
}

impl Layer {
    /// All of them, the base first.
    pub const ALL: [Self; 10] = [
        Self::Seccomp,
        Self::Rlimits,
        Self::Landlock,
        Self::OwnUid,
        Self::UserNamespace,
        Self::PidNamespace,
        Self::NetNamespace,
        Self::IpcNamespace,
        Self::MountNamespace,
        Self::UtsNamespace,
    ];

    /// The namespaces among them.
    pub const NAMESPACES: [Self; 6] = [
        Self::UserNamespace,
        Self::PidNamespace,
        Self::NetNamespace,
        Self::IpcNamespace,
        Self::MountNamespace,
        Self::UtsNamespace,
    ];

    /// Its word, in records and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seccomp => "seccomp",
            Self::Rlimits => "rlimits",
            Self::Landlock => "landlock",
            Self::OwnUid => "own-uid",
            Self::UserNamespace => "user-namespace",
            Self::PidNamespace => "pid-namespace",
            Self::NetNamespace => "net-namespace",
            Self::IpcNamespace => "ipc-namespace",
            Self::MountNamespace => "mount-namespace",
            Self::UtsNamespace => "uts-namespace",
        }
    }

    /// What it is to people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Seccomp => "only the calls of the system that computing needs",
            Self::Rlimits => "limits of memory, files, threads, CPU time",
            Self::Landlock => "no files but the system's libraries",
            Self::OwnUid => "a user of its own",
            Self::UserNamespace => "users of its own, where root is not needed for the rest",
            Self::PidNamespace => "no other process in sight; all die with the first",
            Self::NetNamespace => "no network",
            Self::IpcNamespace => "no shared memory of others",
            Self::MountNamespace => "no folder but the system's libraries",
            Self::UtsNamespace => "its own host name",
        }
    }
}

/// Something that a jailed process tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trial {
    /// Who tried it.
    pub role: Role,
    /// The name of the act.
    pub act: String,
    /// What it is to people.
    pub about: String,
    /// Whether it was refused if it must be, and worked if it must.
    pub right: bool,
    /// What came of it.
    pub words: String,
}

/// What became of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerState {
    /// Which.
    pub layer: Layer,
    /// In force: more of it, where there is more to say (`7`: landlock's version).
    /// Absent: why.
    pub state: Result<Option<String>, String>,
}

/// What holds an inmate. As a value to be stored it is the words of what is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers(Vec<LayerState>);

impl Layers {
    /// As found out by trying.
    pub fn new(states: Vec<LayerState>) -> Self {
        Self(states)
    }

    /// Each layer and what became of it.
    pub fn states(&self) -> &[LayerState] {
        &self.0
    }

    /// Whether it is in force.
    pub fn has(&self, layer: Layer) -> bool {
        self.0.iter().any(|it| it.layer == layer && it.state.is_ok())
    }

    /// What is in force: `seccomp`, `rlimits`, `landlock-7`, …
    pub fn words(&self) -> Vec<String> {
        let word = |it: &LayerState| match &it.state {
            Ok(None) => Some(it.layer.word().to_owned()),
            Ok(Some(more)) => Some(format!("{}-{more}", it.layer.word())),
            Err(_) => None,
        };
        self.0.iter().filter_map(word).collect()
    }

    /// Whether this is enough for contests: calls and memory are bounded and no file is
    /// open to an inmate. Err: what is missing, and what to do.
    pub fn meets_minimum(&self) -> Result<(), String> {
        self.need("contests", &[Layer::Seccomp, Layer::Rlimits])
    }

    /// Whether this is enough for programs, which nobody has written for a jail: as for contests,
    /// and the end of one is the end of all that it might have left. Err: as above.
    pub fn keep_programs(&self) -> Result<(), String> {
        self.need("programs", &[Layer::Seccomp, Layer::Rlimits, Layer::PidNamespace])
    }

    /// These, and that no file is open.
    fn need(&self, who: &str, layers: &[Layer]) -> Result<(), String> {
        let absent = layers.iter().filter(|layer| !self.has(**layer));
        let mut missing: Vec<&str> = absent.map(|layer| layer.word()).collect();
        if !self.has(Layer::Landlock) && !self.has(Layer::MountNamespace) {
            missing.push("landlock or mount-namespace");
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{who} need {}, which this machine does not give; `sandboard doctor` says what to do",
            missing.join(" and ")
        ))
    }
}

impl Serialize for Layers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}
