//! The layers of the jail, and which of them are in force. Defines the minimum for contests and for
//! external engines. Sets up no layer.

use serde::{Deserialize, Serialize, Serializer};

use super::Role;

/// One layer of the jail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// A filter of system calls. Without it nothing is jailed.
    Seccomp,
    /// Limits of memory, files, processes and CPU time.
    Rlimits,
    /// Rules of the kernel's landlock about which files can be opened.
    Landlock,
    /// A user id that no account has, or at least that of `nobody`.
    OwnUid,
    /// A user namespace, in which the process has no more rights than outside.
    UserNamespace,
    /// No view of other processes; all processes in it die with the first one.
    PidNamespace,
    /// No access to a network.
    NetNamespace,
    /// No shared memory or message queue of other processes.
    IpcNamespace,
    /// No folders except those of the system's libraries, read-only.
    MountNamespace,
    /// A host name of its own.
    UtsNamespace,
    /// A cgroup that limits its memory, kernel memory included.
    MemoryCgroup,
}

impl Layer {
    /// All layers, starting with those that are always available.
    pub const ALL: [Self; 11] = [
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
        Self::MemoryCgroup,
    ];

    /// The layers that are namespaces.
    pub const NAMESPACES: [Self; 6] = [
        Self::UserNamespace,
        Self::PidNamespace,
        Self::NetNamespace,
        Self::IpcNamespace,
        Self::MountNamespace,
        Self::UtsNamespace,
    ];

    /// Its word in records and on the command line.
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
            Self::MemoryCgroup => "memory-cgroup",
        }
    }

    /// One line for users about what the layer does.
    pub fn about(self) -> &'static str {
        match self {
            Self::Seccomp => "only the system calls that computing needs",
            Self::Rlimits => "limits of memory, files, threads and CPU time",
            Self::Landlock => "no files except the system's libraries",
            Self::OwnUid => "a user of its own",
            Self::UserNamespace => {
                "a user namespace, which gives ordinary users the other namespaces"
            }
            Self::PidNamespace => "no view of other processes; all die with the first one",
            Self::NetNamespace => "no network",
            Self::IpcNamespace => "no shared memory of others",
            Self::MountNamespace => "no folders except the system's libraries",
            Self::UtsNamespace => "its own host name",
            Self::MemoryCgroup => "a second limit of memory, kernel memory included",
        }
    }
}

/// The result of one action that a jailed process tried, compared with the expected outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProbeReport {
    /// The role of the process that tried it.
    pub role: Role,
    /// The name of the action.
    pub act: String,
    /// One line for users about the action.
    pub about: String,
    /// Whether the outcome was as expected: refused or successful.
    pub right: bool,
    /// The result of the action, or the error.
    pub words: String,
}

/// Whether a layer is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerState {
    /// The layer that this is about.
    pub layer: Layer,
    /// Ok: the layer is in force, with a detail if there is one (`7`: landlock's version). Err: why
    /// the layer is missing.
    pub state: Result<Option<String>, String>,
}

/// The layers that confine a process. It serializes as the list of the words of those in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers(Vec<LayerState>);

impl Layers {
    /// From the states that the zygote found by trying each layer.
    pub fn new(states: Vec<LayerState>) -> Self {
        Self(states)
    }

    /// Adds the state of a layer that the host itself finds.
    #[cfg(target_os = "linux")]
    pub(crate) fn with(mut self, state: LayerState) -> Self {
        self.0.push(state);
        self
    }

    /// The state of each layer.
    pub fn states(&self) -> &[LayerState] {
        &self.0
    }

    /// Whether this layer is in force.
    pub fn has(&self, layer: Layer) -> bool {
        self.0.iter().any(|it| it.layer == layer && it.state.is_ok())
    }

    /// The words of the layers in force: `seccomp`, `rlimits`, `landlock-7`, …
    pub fn words(&self) -> Vec<String> {
        let word = |it: &LayerState| match &it.state {
            Ok(None) => Some(it.layer.word().to_owned()),
            Ok(Some(more)) => Some(format!("{}-{more}", it.layer.word())),
            Err(_) => None,
        };
        self.0.iter().filter_map(word).collect()
    }

    /// Checks that the layers are enough for contests: they bound system calls and memory, and no
    /// file can be opened. Err: what is missing, and what to do.
    pub fn meets_minimum(&self) -> Result<(), String> {
        self.require("contests", &[Layer::Seccomp, Layer::Rlimits])
    }

    /// Checks that the layers are enough for external engines. They need more than contests:
    /// programs that were not written for a jail may leave processes behind, which must die with
    /// the first one. Err: what is missing, and what to do.
    pub fn meets_program_minimum(&self) -> Result<(), String> {
        self.require("external engines", &[Layer::Seccomp, Layer::Rlimits, Layer::PidNamespace])
    }

    /// Checks that these layers are in force, and one that keeps files closed.
    fn require(&self, subject: &str, layers: &[Layer]) -> Result<(), String> {
        let absent = layers.iter().filter(|layer| !self.has(**layer));
        let mut missing: Vec<&str> = absent.map(|layer| layer.word()).collect();
        if !self.has(Layer::Landlock) && !self.has(Layer::MountNamespace) {
            missing.push("landlock or mount-namespace");
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(format!(
            "{subject} need {}, which this machine does not offer; run `sandboard doctor` for help",
            missing.join(" and ")
        ))
    }
}

impl Serialize for Layers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}
