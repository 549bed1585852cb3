//! How large a component may be in each respect, in one table: the scan counts
//! by it, `docs/limits.md` shows it. No logic.

use std::fmt;

use super::super::runtime::{CORE_INSTANCES, MEMORIES, MEMORY_BYTES_MAX, TABLE_ELEMENTS, TABLES};

/// What is counted in a component, all modules and components in it together
/// unless its name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the table says what each is")]
pub enum Thing {
    Bytes,
    Functions,
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

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Cap {
    /// What is counted.
    pub thing: Thing,
    /// Its name for people, in the plural.
    pub name: &'static str,
    /// How many are admitted.
    pub most: u64,
    /// Why so many.
    pub why: &'static str,
}

const fn cap(thing: Thing, name: &'static str, most: u64, why: &'static str) -> Cap {
    Cap { thing, name, most, why }
}

/// Every cap.
pub const CAPS: &[Cap] = &[
    cap(
        Thing::Bytes,
        "bytes",
        8 << 20,
        "the sample engines have 20 to 200 KiB; books and networks are assets",
    ),
    cap(Thing::Functions, "functions", 20_000, "100,000 empty ones take 28 s to compile"),
    cap(
        Thing::BodyBytes,
        "bytes in a function body",
        128 << 10,
        "compiling grows faster than the body: 90,000 instructions in one take 10 s",
    ),
    cap(
        Thing::Locals,
        "locals in a function",
        10_000,
        "each is a variable of the compiler, and 50,000 are declared in 4 bytes",
    ),
    cap(Thing::AllLocals, "locals", 1_000_000, "the same, over all functions"),
    cap(
        Thing::Nesting,
        "blocks inside each other",
        1_000,
        "each is a frame of the validator and the compiler",
    ),
    cap(Thing::Types, "types", 2_000, "each function type gets code of its own at the border"),
    cap(
        Thing::Parameters,
        "parameters in a function type",
        64,
        "5,000 types of 900 keep a compiler busy for long",
    ),
    cap(
        Thing::Results,
        "results in a function type",
        4,
        "a call of 2 bytes pushes all of them: 8 MiB of calls with 64 and 16 validate in 0.7 s",
    ),
    cap(Thing::Imports, "imports", 200, "the border has nine, and each module some glue"),
    cap(Thing::Exports, "exports", 200, "the border has six calls, and each module some glue"),
    cap(Thing::Globals, "globals", 1_000, "a compiler makes a handful"),
    cap(Thing::Tables, "tables", TABLES as u64, "as many as an instance may have"),
    cap(
        Thing::TableElements,
        "elements in a table to begin with",
        TABLE_ELEMENTS as u64,
        "as many as an instance may have",
    ),
    cap(Thing::Memories, "memories", MEMORIES as u64, "as many as an instance may have"),
    cap(
        Thing::MemoryBytes,
        "bytes in a memory to begin with",
        MEMORY_BYTES_MAX as u64,
        "as many as any instance may have, whatever its own cap",
    ),
    cap(
        Thing::DataSegments,
        "data segments",
        10_000,
        "each is copied at every start; their bytes count as the file's",
    ),
    cap(Thing::ElementSegments, "element segments", 1_000, "a compiler makes one or two"),
    cap(
        Thing::Elements,
        "entries in element segments",
        TABLE_ELEMENTS as u64,
        "more than a table holds are of no use",
    ),
    cap(Thing::Modules, "modules", 8, "a component of `wit-component` has three"),
    cap(
        Thing::ModuleInstances,
        "instances of modules",
        CORE_INSTANCES as u64,
        "as many as an instance of an engine may have",
    ),
    cap(Thing::Components, "components", 16, "a component of `wit-component` has one or two"),
    cap(
        Thing::ComponentInstances,
        "instances of components",
        16,
        "those multiply: ten of ten of ten are a thousand",
    ),
    cap(Thing::ComponentDepth, "components inside each other", 4, "a reader goes down as deep"),
    cap(
        Thing::TypeDepth,
        "component types inside each other",
        8,
        "readers of these call themselves: 3 bytes cost a frame of the host's stack",
    ),
    cap(
        Thing::Items,
        "items of components",
        5_000,
        "declarations, aliases and the like: a component of `wit-component` has 200",
    ),
];

impl Thing {
    fn row(self) -> Option<&'static Cap> {
        CAPS.iter().find(|cap| cap.thing == self)
    }

    /// How many are admitted.
    pub fn most(self) -> u64 {
        self.row().map_or(0, |cap| cap.most)
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().map_or("things", |cap| cap.name))
    }
}
