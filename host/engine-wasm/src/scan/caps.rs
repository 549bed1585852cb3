//! The caps of components, as a table with a column for each profile. The scan checks them, `--cap`
//! replaces them, `docs/limits.md` shows them. Contains no logic.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::runtime::{CORE_INSTANCES, MEMORIES, MEMORY_BYTES_MAX, TABLE_ELEMENTS, TABLES};

/// What a cap limits in a component, over all modules and components in it together unless the name
/// says otherwise. In the order of [`CAPS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table has a label for each")]
pub enum CapKind {
    Bytes,
    Functions,
    CodeBytes,
    BodyBytes,
    Locals,
    AllLocals,
    Nesting,
    LoopLocals,
    AllLoopLocals,
    BranchLocals,
    AllBranchLocals,
    Types,
    Parameters,
    Results,
    Imports,
    Exports,
    Globals,
    Tables,
    TableElements,
    Memories,
    MemoryBytes,
    DataSegments,
    ElementSegments,
    Elements,
    Modules,
    ModuleInstances,
    Components,
    ComponentInstances,
    ComponentDepth,
    TypeDepth,
    Items,
}

/// Maximum size of a module in bytes, whatever the caps. Larger files are not read.
pub const MODULE_BYTES_MAX: u64 = 64 << 20;

/// The purpose for which an engine is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Ordinary games; admits interpreters of other languages.
    #[default]
    Everyday,
    /// Contests, whose entries come from strangers.
    Contest,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Profile::Everyday => "everyday",
            Profile::Contest => "contest",
        })
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Cap {
    /// What is counted.
    pub kind: CapKind,
    /// The cap's name on the command line.
    pub name: &'static str,
    /// The plural noun in messages.
    pub label: &'static str,
    /// The limit of [`Profile::Everyday`].
    pub everyday: u64,
    /// The limit of [`Profile::Contest`].
    pub contest: u64,
    /// The reason for the limits.
    pub reason: &'static str,
    /// The highest limit that `--cap` may set, and why.
    pub ceiling: Option<(u64, &'static str)>,
}

impl Cap {
    const fn new(
        kind: CapKind,
        name: &'static str,
        label: &'static str,
        [everyday, contest]: [u64; 2],
        reason: &'static str,
    ) -> Self {
        Self { kind, name, label, everyday, contest, reason, ceiling: None }
    }

    const fn with_ceiling(self, ceiling: u64, reason: &'static str) -> Self {
        Self { ceiling: Some((ceiling, reason)), ..self }
    }

    /// The limit of a profile.
    pub(super) const fn limit(&self, profile: Profile) -> u64 {
        match profile {
            Profile::Everyday => self.everyday,
            Profile::Contest => self.contest,
        }
    }

    /// Whether the limit is a number of bytes.
    pub(super) const fn is_in_bytes(&self) -> bool {
        matches!(
            self.kind,
            CapKind::Bytes | CapKind::CodeBytes | CapKind::BodyBytes | CapKind::MemoryBytes
        )
    }
}

const POOL: &str = "as many as the runtime's pool holds for one engine";
const STACK: &str = "deeper ones use up the host's own stack";

/// All caps. "Python" and "JavaScript" in the reasons are components of `abi/wit/since-v1` without
/// WASI, made by componentize-py 0.25.1 and by ComponentizeJS 0.23.0 (SpiderMonkey); "QuickJS" is
/// quickjs-wasi 3.6.2. Compile times are those on one core of a virtual machine.
pub const CAPS: &[Cap] = &[
    Cap::new(
        CapKind::Bytes,
        "bytes",
        "bytes",
        [48 << 20, 8 << 20],
        "Python with its library 18 MB, JavaScript 12 MB; the sample engines 20 to 200 KiB; books \
         and networks are assets",
    )
    .with_ceiling(MODULE_BYTES_MAX, "since larger files are not read"),
    Cap::new(
        CapKind::Functions,
        "functions",
        "functions",
        [60_000, 20_000],
        "Python 15,000, JavaScript 13,000; 60,000 functions of one instruction compile in 2.4 s",
    ),
    Cap::new(
        CapKind::CodeBytes,
        "code-bytes",
        "bytes of code",
        [24 << 20, 8 << 20],
        "JavaScript 9.2 MB, Python 6.6 MB; these compile in 10 to 12 s",
    ),
    Cap::new(
        CapKind::BodyBytes,
        "body-bytes",
        "bytes in a function body",
        [768 << 10, 128 << 10],
        "Python's largest has 427 KB, JavaScript's 172 KB, QuickJS's loop 37 KB; 512 KiB of plain \
         arithmetic compile in 0.4 s",
    ),
    Cap::new(
        CapKind::Locals,
        "function-locals",
        "locals in a function",
        [10_000, 10_000],
        "Python 271; each is a variable of the compiler, and 4 bytes declare 50,000 of them",
    ),
    Cap::new(
        CapKind::AllLocals,
        "locals",
        "locals",
        [1_000_000, 1_000_000],
        "JavaScript 52,000; the sum over all functions",
    ),
    Cap::new(
        CapKind::Nesting,
        "nesting",
        "blocks inside each other",
        [2_000, 1_000],
        "Python 781; each is a frame of the validator and the compiler",
    )
    .with_ceiling(10_000, STACK),
    Cap::new(
        CapKind::LoopLocals,
        "loop-locals",
        "locals carried by nested loops of a function",
        [4_000, 2_000],
        "Python 820; compile time grows with the square: 10,000 take 0.4 s, 100,000 take 32 s",
    ),
    Cap::new(
        CapKind::AllLoopLocals,
        "all-loop-locals",
        "locals carried by nested loops",
        [400_000, 100_000],
        "JavaScript 65,000; the sum over all functions",
    ),
    Cap::new(
        CapKind::BranchLocals,
        "branch-locals",
        "locals carried by branches of a function",
        [1_000_000, 250_000],
        "JavaScript 480,000; compile time grows with the square: 900,000 take 4 to 9 s",
    ),
    Cap::new(
        CapKind::AllBranchLocals,
        "all-branch-locals",
        "locals carried by branches",
        [20_000_000, 5_000_000],
        "JavaScript 8,000,000; the sum over all functions",
    ),
    Cap::new(
        CapKind::Types,
        "types",
        "types",
        [6_000, 2_000],
        "Python 1,500; each function type gets trampolines of its own",
    ),
    Cap::new(
        CapKind::Parameters,
        "parameters",
        "parameters in a function type",
        [64, 64],
        "Python 18; 5,000 types with 900 parameters take a compiler very long",
    ),
    Cap::new(
        CapKind::Results,
        "results",
        "results in a function type",
        [4, 4],
        "a call of 2 bytes pushes all of them: 8 MiB of calls with 64 parameters and 16 results \
         validate in 0.7 s",
    ),
    Cap::new(
        CapKind::Imports,
        "imports",
        "imports",
        [10_000, 200],
        "Python's 38 modules import 2,400 items from each other; the ABI has nine, and each module \
         some glue",
    ),
    Cap::new(
        CapKind::Exports,
        "exports",
        "exports",
        [20_000, 200],
        "Python's 38 modules export 4,500 items; the ABI has six calls, and each module some glue",
    ),
    Cap::new(
        CapKind::Globals,
        "globals",
        "globals",
        [5_000, 1_000],
        "Python 870; a compiler makes a few",
    ),
    Cap::new(
        CapKind::Tables,
        "tables",
        "tables",
        [TABLES as u64, TABLES as u64],
        "Python and JavaScript 2; as many as an instance may have",
    )
    .with_ceiling(TABLES as u64, POOL),
    Cap::new(
        CapKind::TableElements,
        "table-elements",
        "elements in a table to begin with",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "JavaScript 7,700; as many as an instance may have",
    )
    .with_ceiling(TABLE_ELEMENTS as u64, POOL),
    Cap::new(
        CapKind::Memories,
        "memories",
        "memories",
        [MEMORIES as u64, MEMORIES as u64],
        "as many as an instance may have",
    )
    .with_ceiling(MEMORIES as u64, POOL),
    Cap::new(
        CapKind::MemoryBytes,
        "memory-bytes",
        "bytes in a memory to begin with",
        [MEMORY_BYTES_MAX as u64, MEMORY_BYTES_MAX as u64],
        "Python 13 MB; as many as any instance may have, whatever its own cap",
    )
    .with_ceiling(MEMORY_BYTES_MAX as u64, POOL),
    Cap::new(
        CapKind::DataSegments,
        "data-segments",
        "data segments",
        [40_000, 40_000],
        "Go 28,000, JavaScript by SpiderMonkey exactly 10,000, the limit of its snapshots; each \
         is copied at every start, and their bytes count as bytes of the file",
    ),
    Cap::new(
        CapKind::ElementSegments,
        "element-segments",
        "element segments",
        [1_000, 1_000],
        "Python 8; a compiler makes one or two",
    ),
    Cap::new(
        CapKind::Elements,
        "elements",
        "entries in element segments",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "JavaScript 7,700; more entries than a table holds would be useless",
    ),
    Cap::new(
        CapKind::Modules,
        "modules",
        "modules",
        [100, 8],
        "Python 38, a module for each of its libraries; a component of `wit-component` has three",
    ),
    Cap::new(
        CapKind::ModuleInstances,
        "module-instances",
        "instances of modules",
        [CORE_INSTANCES as u64, 8],
        "Python 38; as many as an instance of an engine may have",
    )
    .with_ceiling(CORE_INSTANCES as u64, POOL),
    Cap::new(
        CapKind::Components,
        "components",
        "components",
        [16, 16],
        "Python 2; a component of `wit-component` has one or two",
    ),
    Cap::new(
        CapKind::ComponentInstances,
        "component-instances",
        "instances of components",
        [16, 16],
        "they multiply: ten of ten of ten are a thousand",
    ),
    Cap::new(
        CapKind::ComponentDepth,
        "component-depth",
        "components inside each other",
        [4, 4],
        "the scan recurses to this depth",
    )
    .with_ceiling(16, STACK),
    Cap::new(
        CapKind::TypeDepth,
        "type-depth",
        "component types inside each other",
        [8, 8],
        "readers of types recurse: 3 bytes cost a frame of the host's stack",
    )
    .with_ceiling(64, STACK),
    Cap::new(
        CapKind::Items,
        "items",
        "items of components",
        [20_000, 5_000],
        "Python 3,300; declarations, aliases and similar: a component of `wit-component` has 200",
    ),
];

impl CapKind {
    /// The cap of this kind.
    pub(super) fn cap(self) -> &'static Cap {
        &CAPS[self as usize]
    }
}

impl fmt::Display for CapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.cap().label)
    }
}
