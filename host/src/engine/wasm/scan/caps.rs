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

/// Every cap.
pub const CAPS: &[Cap] = &[
    Cap::new(
        Thing::Bytes,
        "bytes",
        "bytes",
        [48 << 20, 8 << 20],
        "a Python interpreter with its library has 18 MB",
    ),
    Cap::new(Thing::Functions, "functions", "functions", [60_000, 20_000], "x"),
    Cap::new(Thing::CodeBytes, "code-bytes", "bytes of code", [24 << 20, 8 << 20], "x"),
    Cap::new(
        Thing::BodyBytes,
        "body-bytes",
        "bytes in a function body",
        [512 << 10, 128 << 10],
        "x",
    ),
    Cap::new(Thing::Locals, "function-locals", "locals in a function", [10_000, 10_000], "x"),
    Cap::new(Thing::AllLocals, "locals", "locals", [1_000_000, 1_000_000], "x"),
    Cap::new(Thing::Nesting, "nesting", "blocks inside each other", [1_000, 1_000], "x"),
    Cap::new(Thing::Types, "types", "types", [10_000, 2_000], "x"),
    Cap::new(Thing::Parameters, "parameters", "parameters in a function type", [64, 64], "x"),
    Cap::new(Thing::Results, "results", "results in a function type", [4, 4], "x"),
    Cap::new(Thing::Imports, "imports", "imports", [10_000, 200], "x"),
    Cap::new(Thing::Exports, "exports", "exports", [10_000, 200], "x"),
    Cap::new(Thing::Globals, "globals", "globals", [10_000, 1_000], "x"),
    Cap::new(Thing::Tables, "tables", "tables", [TABLES as u64, TABLES as u64], "x"),
    Cap::new(
        Thing::TableElements,
        "table-elements",
        "elements in a table to begin with",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "x",
    ),
    Cap::new(Thing::Memories, "memories", "memories", [MEMORIES as u64, MEMORIES as u64], "x"),
    Cap::new(
        Thing::MemoryBytes,
        "memory-bytes",
        "bytes in a memory to begin with",
        [MEMORY_BYTES_MAX as u64, MEMORY_BYTES_MAX as u64],
        "x",
    ),
    Cap::new(Thing::DataSegments, "data-segments", "data segments", [10_000, 10_000], "x"),
    Cap::new(Thing::ElementSegments, "element-segments", "element segments", [1_000, 1_000], "x"),
    Cap::new(
        Thing::Elements,
        "elements",
        "entries in element segments",
        [TABLE_ELEMENTS as u64, TABLE_ELEMENTS as u64],
        "x",
    ),
    Cap::new(Thing::Modules, "modules", "modules", [8, 8], "x"),
    Cap::new(
        Thing::ModuleInstances,
        "module-instances",
        "instances of modules",
        [CORE_INSTANCES as u64, CORE_INSTANCES as u64],
        "x",
    ),
    Cap::new(Thing::Components, "components", "components", [16, 16], "x"),
    Cap::new(
        Thing::ComponentInstances,
        "component-instances",
        "instances of components",
        [16, 16],
        "x",
    ),
    Cap::new(Thing::ComponentDepth, "component-depth", "components inside each other", [4, 4], "x"),
    Cap::new(Thing::TypeDepth, "type-depth", "component types inside each other", [8, 8], "x"),
    Cap::new(Thing::Items, "items", "items of components", [5_000, 5_000], "x"),
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
