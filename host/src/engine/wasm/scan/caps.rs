//! How large a component may be in each respect, in one table with a column for
//! each profile: the scan counts by it, `--cap` sets by it, `docs/limits.md` shows
//! it. No logic.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::super::runtime::{CORE_INSTANCES, MEMORIES, MEMORY_BYTES_MAX, TABLE_ELEMENTS, TABLES};

/// What is counted in a component, all modules and components in it together
/// unless its name says otherwise. In the order of [`CAPS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table says what each is")]
pub enum Thing {
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

/// The largest module that is looked at, in bytes, whatever the caps.
pub const MODULE_BYTES: u64 = 64 << 20;

/// For what an engine is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Whatever somebody plays with: interpreters of other languages, too.
    #[default]
    Everyday,
    /// What strangers hand in to a contest.
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
    pub thing: Thing,
    /// Its name on the command line.
    pub word: &'static str,
    /// Its name for people, in the plural.
    pub name: &'static str,
    /// How many are admitted everyday.
    pub everyday: u64,
    /// How many are admitted in a contest.
    pub contest: u64,
    /// Why so many.
    pub why: &'static str,
    /// More than this nobody can admit, and why.
    pub ceiling: Option<(u64, &'static str)>,
}

impl Cap {
    const fn new(
        thing: Thing,
        word: &'static str,
        name: &'static str,
        [everyday, contest]: [u64; 2],
        why: &'static str,
    ) -> Self {
        Self { thing, word, name, everyday, contest, why, ceiling: None }
    }

    const fn below(self, most: u64, why: &'static str) -> Self {
        Self { ceiling: Some((most, why)), ..self }
    }

    /// How many a profile admits.
    pub const fn of(&self, profile: Profile) -> u64 {
        match profile {
            Profile::Everyday => self.everyday,
            Profile::Contest => self.contest,
        }
    }

    /// Whether it is counted in bytes.
    pub const fn is_of_bytes(&self) -> bool {
        matches!(
            self.thing,
            Thing::Bytes | Thing::CodeBytes | Thing::BodyBytes | Thing::MemoryBytes
        )
    }
}

const POOL: &str = "as many as the runtime's pool holds for one engine";
const STACK: &str = "deeper ones use up the host's own stack";

/// Every cap. Python and JavaScript in the reasons: a component made by componentize-py 0.25.1 (Python), one by
/// ComponentizeJS 0.23.0 (JavaScript, SpiderMonkey), both of `abi/wit/since-v1` with WASI left
/// out, and quickjs-wasi 3.6.2; compile times on one core of a virtual machine.
pub const CAPS: &[Cap] = &[
    Cap::new(
        Thing::Bytes,
        "bytes",
        "bytes",
        [48 << 20, 8 << 20],
        "Python with its library 18 MB, JavaScript 12 MB; the sample engines 20 to 200 KiB; books \
         and networks are assets",
    )
    .below(MODULE_BYTES, "since no larger file is looked at"),
    Cap::new(
        Thing::Functions,
        "functions",
        "functions",
        [60_000, 20_000],
        "Python 15,000, JavaScript 13,000; 60,000 of one instruction compile in 2.4 s",
    ),
    Cap::new(
        Thing::CodeBytes,
        "code-bytes",
        "bytes of code",
        [24 << 20, 8 << 20],
        "JavaScript 9.2 MB, Python 6.6 MB; these compile in 10 to 12 s",
    ),
    Cap::new(
        Thing::BodyBytes,
        "body-bytes",
        "bytes in a function body",
        [768 << 10, 128 << 10],
        "Python's largest has 427 KB, JavaScript's 172 KB, QuickJS's loop 37 KB; 512 KiB of plain \
         arithmetic compile in 0.4 s",
    ),
    Cap::new(
        Thing::Locals,
        "function-locals",
        "locals in a function",
        [10_000, 10_000],
        "Python 271; each is a variable of the compiler, and 50,000 are declared in 4 bytes",
    ),
    Cap::new(
        Thing::AllLocals,
        "locals",
        "locals",
        [1_000_000, 1_000_000],
        "JavaScript 52,000; the same, over all functions",
    ),
    Cap::new(
        Thing::Nesting,
        "nesting",
        "blocks inside each other",
        [2_000, 1_000],
        "Python 781; each is a frame of the validator and the compiler",
    )
    .below(10_000, STACK),
    Cap::new(
        Thing::LoopLocals,
        "loop-locals",
        "locals carried by nested loops of a function",
        [4_000, 2_000],
        "Python 820; compiling grows with its square: 10,000 take 0.4 s, 100,000 take 32 s",
    ),
    Cap::new(
        Thing::AllLoopLocals,
        "all-loop-locals",
        "locals carried by nested loops",
        [400_000, 100_000],
        "JavaScript 65,000; the same, over all functions",
    ),
    Cap::new(
        Thing::BranchLocals,
        "branch-locals",
        "locals carried by branches of a function",
        [1_000_000, 250_000],
        "JavaScript 480,000; compiling grows with its square: 900,000 take 4 to 9 s",
    ),
    Cap::new(
        Thing::AllBranchLocals,
        "all-branch-locals",
        "locals carried by branches",
        [20_000_000, 5_000_000],
        "JavaScript 8,000,000; the same, over all functions",
    ),
    Cap::new(
        Thing::Types,
        "types",
        "types",
        [6_000, 2_000],
        "Python 1,500; each function type gets code of its own at the border",
    ),
    Cap::new(
        Thing::Parameters,
        "parameters",
        "parameters in a function type",
        [64, 64],
        "Python 18; 5,000 types of 900 keep a compiler busy for long",
    ),
    Cap::new(
        Thing::Results,
        "results",
        "results in a function type",
        [4, 4],
        "a call of 2 bytes pushes all of them: 8 MiB of calls with 64 and 16 validate in 0.7 s",
    ),
    Cap::new(
        Thing::Imports,
        "imports",
        "imports",
        [10_000, 200],
        "Python's 38 modules 2,400 of each other; the border has nine, and each module some glue",
    ),
    Cap::new(
        Thing::Exports,
        "exports",
        "exports",
        [20_000, 200],
        "Python's 38 modules 4,500; the border has six calls, and each module some glue",
    ),
    Cap::new(
        Thing::Globals,
        "globals",
        "globals",
        [5_000, 1_000],
        "Python 870; a compiler makes a handful",
    ),
    Cap::new(
        Thing::Tables,
        "tables",
        "tables",
        [TABLES as u64, TABLES as u64],
        "Python and JavaScript 2; as many as an instance may have",
    )
    .below(TABLES as u64, POOL),
    Cap::new(
        Thing::TableElements,
        "table-elements",
        "elements in a table to begin with",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "JavaScript 7,700; as many as an instance may have",
    )
    .below(TABLE_ELEMENTS as u64, POOL),
    Cap::new(
        Thing::Memories,
        "memories",
        "memories",
        [MEMORIES as u64, MEMORIES as u64],
        "as many as an instance may have",
    )
    .below(MEMORIES as u64, POOL),
    Cap::new(
        Thing::MemoryBytes,
        "memory-bytes",
        "bytes in a memory to begin with",
        [MEMORY_BYTES_MAX as u64, MEMORY_BYTES_MAX as u64],
        "Python 13 MB; as many as any instance may have, whatever its own cap",
    )
    .below(MEMORY_BYTES_MAX as u64, POOL),
    Cap::new(
        Thing::DataSegments,
        "data-segments",
        "data segments",
        [40_000, 40_000],
        "Go 28,000, JavaScript by SpiderMonkey exactly 10,000, where its snapshot stops; each is copied at every \
         start, and their bytes count as the file's",
    ),
    Cap::new(
        Thing::ElementSegments,
        "element-segments",
        "element segments",
        [1_000, 1_000],
        "Python 8; a compiler makes one or two",
    ),
    Cap::new(
        Thing::Elements,
        "elements",
        "entries in element segments",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "JavaScript 7,700; more than a table holds are of no use",
    ),
    Cap::new(
        Thing::Modules,
        "modules",
        "modules",
        [100, 8],
        "Python 38, a module for each of its libraries; a component of `wit-component` has three",
    ),
    Cap::new(
        Thing::ModuleInstances,
        "module-instances",
        "instances of modules",
        [CORE_INSTANCES as u64, 8],
        "Python 38; as many as an instance of an engine may have",
    )
    .below(CORE_INSTANCES as u64, POOL),
    Cap::new(
        Thing::Components,
        "components",
        "components",
        [16, 16],
        "Python 2; a component of `wit-component` has one or two",
    ),
    Cap::new(
        Thing::ComponentInstances,
        "component-instances",
        "instances of components",
        [16, 16],
        "those multiply: ten of ten of ten are a thousand",
    ),
    Cap::new(
        Thing::ComponentDepth,
        "component-depth",
        "components inside each other",
        [4, 4],
        "a reader goes down as deep",
    )
    .below(16, STACK),
    Cap::new(
        Thing::TypeDepth,
        "type-depth",
        "component types inside each other",
        [8, 8],
        "readers of these call themselves: 3 bytes cost a frame of the host's stack",
    )
    .below(64, STACK),
    Cap::new(
        Thing::Items,
        "items",
        "items of components",
        [20_000, 5_000],
        "Python 3,300; declarations, aliases and the like: a component of `wit-component` has 200",
    ),
];

impl Thing {
    /// Its row.
    pub fn cap(self) -> &'static Cap {
        &CAPS[self as usize]
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.cap().name)
    }
}
