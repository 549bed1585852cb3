//! The schema of `EngineConfigs.xml` as one table: the parser takes what it
//! knows from here, and `docs/EngineConfigs.xsd` is made from it. Holds no code
//! that reads a manifest.

use sandboard_abi::limits;

use super::values::{ARGUMENT_BYTES, ValueSpec};
use crate::process::{Protocol, dialect};

/// An element of the schema.
#[derive(Debug)]
pub struct ElementSpec {
    /// Its name.
    pub name: &'static str,
    /// The element it stands in; none for the root.
    pub parent: Option<&'static str>,
    /// How often it must stand there at least.
    pub min: usize,
    /// How often it may stand there at most.
    pub max: usize,
    /// What it is for, in whole sentences.
    pub about: &'static str,
    /// Its attributes, in the order in which they are explained.
    pub attributes: &'static [AttributeSpec],
}

/// An attribute of the schema.
#[derive(Debug)]
pub struct AttributeSpec {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// Whether no two elements of this name in one parent may have the same value.
    pub unique: bool,
    /// What its value may be.
    pub value: ValueSpec,
    /// What holds when it is not there, for people; empty where it is required.
    pub default: &'static str,
    /// What it is for, in whole sentences.
    pub about: &'static str,
}

impl ElementSpec {
    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSpec> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The elements that may stand in this one.
    pub fn children(&self) -> impl Iterator<Item = &'static ElementSpec> {
        SCHEMA.iter().filter(|child| child.parent == Some(self.name))
    }
}

const fn must(name: &'static str, value: ValueSpec, about: &'static str) -> AttributeSpec {
    AttributeSpec { name, required: true, unique: false, value, default: "", about }
}

const fn may(
    name: &'static str,
    value: ValueSpec,
    default: &'static str,
    about: &'static str,
) -> AttributeSpec {
    AttributeSpec { name, required: false, unique: false, value, default, about }
}

const fn unique(attribute: AttributeSpec) -> AttributeSpec {
    AttributeSpec { unique: true, ..attribute }
}

/// Every element, the root first.
pub const SCHEMA: &[ElementSpec] = &[
    ElementSpec {
        name: "EngineConfigs",
        parent: None,
        min: 1,
        max: 1,
        about: "Attributes by which editors look a schema up are ignored here: `xmlns:…`, \
                `xsi:noNamespaceSchemaLocation`, `xsi:schemaLocation`.",
        attributes: &[must(
            "abi",
            ValueSpec::Whole { min: 0, max: u32::MAX as u64 },
            "The number of the border that the pack's engines are built for: the N of \
             `sandboard:engine@N.x.y` and of `sandboard_engine_vN`. Another number than the \
             host's is refused.",
        )],
    },
    ElementSpec {
        name: "Engine",
        parent: Some("EngineConfigs"),
        min: 1,
        max: 64,
        about: "One engine. Several may share a module and differ in their `Set` lines.",
        attributes: &[
            unique(must(
                "id",
                ValueSpec::Id,
                "What it is called on command lines; unique in the manifest. `human` is taken.",
            )),
            must(
                "version",
                ValueSpec::Version,
                "Its version. The highest usable one of an id is played; `id-version` names one \
                 exactly.",
            ),
            may("name", ValueSpec::Label, "the id", "Its name for people."),
            may("author", ValueSpec::Label, "nobody", "Who wrote it."),
            must(
                "kind",
                ValueSpec::OneOf(&["wasm", "native", "process"]),
                "`wasm`: a WebAssembly component, sandboxed. `native`: a library of this system, \
                 which runs when you trust it. `process`: a program that speaks a protocol of other \
                 hosts, or `sandboard`, and runs jailed when you trust it.",
            ),
            may(
                "module",
                ValueSpec::Path,
                "",
                "The file with its code, relative to the pack; needed, unless `program` is there. At \
                 most 64 MiB, of `wasm` 48 MiB and in a contest 8 MiB; never a `.cwasm`.",
            ),
            may(
                "program",
                ValueSpec::AbsolutePath,
                "",
                "Of `process`, instead of `module`: a program of this machine, such as one that the \
                 system's packages bring.",
            ),
            may(
                "protocol",
                ValueSpec::OneOf(Protocol::WORDS),
                "",
                "What a program speaks; `process` needs it.",
            ),
            may(
                "moves",
                ValueSpec::OneOf(dialect::WORDS),
                "same",
                "How a program writes moves: as the game does, or with ranks that begin with 1 where \
                 the game's begin with 0. Of `uci` and `ucci` only: elsewhere a move has one spelling.",
            ),
            may(
                "sha256",
                ValueSpec::Sha256,
                "not checked",
                "The module's hash; any other module is refused.",
            ),
        ],
    },
    ElementSpec {
        name: "Game",
        parent: Some("Engine"),
        min: 1,
        max: 64,
        about: "A game that the engine plays.",
        attributes: &[
            unique(must(
                "id",
                ValueSpec::Id,
                "A game of this host, as `sandboard rules` knows it.",
            )),
            may(
                "variants",
                ValueSpec::Words,
                "all of the game's",
                "The variants of it: `freestyle` stands for every size, `freestyle-15` for that \
                 one.",
            ),
        ],
    },
    ElementSpec {
        name: "Limits",
        parent: Some("Engine"),
        min: 0,
        max: 1,
        about: "What the engine asks for. The host gives what its own caps allow.",
        attributes: &[
            may(
                "memory_bytes",
                ValueSpec::Whole { min: 64 << 10, max: 2 << 30 },
                "64 MiB",
                "Memory of one instance.",
            ),
            may(
                "start_ms",
                ValueSpec::Whole { min: 1, max: 600_000 },
                "5000",
                "Time that beginning a game may take.",
            ),
            may(
                "log_bytes",
                ValueSpec::Whole { min: 0, max: limits::LOG_GAME_BYTES as u64 },
                "1 MiB",
                "What one instance may log in one game.",
            ),
        ],
    },
    ElementSpec {
        name: "Option",
        parent: Some("Engine"),
        min: 0,
        max: limits::OPTIONS,
        about: "A setting of the engine. Name all of them or none: without any, the engine's own \
                description is asked, which for a `native` one means running it. A `process` has \
                those that are named, and is told the value of each when a game begins.",
        attributes: &[
            unique(must("name", ValueSpec::Word, "The word that sets it; unique in the engine.")),
            may(
                "spoken",
                ValueSpec::Label,
                "the name",
                "What a program calls it, where that is no word: `Skill Level`. Of `process` only, and \
                 not of `sandboard`.",
            ),
            may("about", ValueSpec::Label, "nothing", "One line for people."),
            must(
                "kind",
                ValueSpec::OneOf(&["toggle", "whole", "real", "pick", "text"]),
                "What values it takes: `true` or `false`; a whole number; a number; one of some \
                 words; a text.",
            ),
            may("min", ValueSpec::Number, "", "The smallest value; `whole` and `real` need it."),
            may("max", ValueSpec::Number, "", "The largest value; `whole` and `real` need it."),
            may("values", ValueSpec::Words, "", "The words; `pick` needs it."),
            may(
                "max_bytes",
                ValueSpec::Whole { min: 0, max: limits::OPTION_VALUE_BYTES as u64 },
                "4096",
                "The longest text, for `text` only.",
            ),
            must(
                "default",
                ValueSpec::Text { max_bytes: limits::OPTION_VALUE_BYTES },
                "Its value when nobody sets it; one that it takes.",
            ),
            may(
                "tunable",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether `sandboard tune` may vary it; a `whole` or `real` number only.",
            ),
        ],
    },
    ElementSpec {
        name: "Set",
        parent: Some("Engine"),
        min: 0,
        max: limits::OPTIONS,
        about: "The value that an option of the module has in this engine, so that one module \
                can be several engines. Whoever sets up a game may still set another.",
        attributes: &[
            unique(must("name", ValueSpec::Word, "The option; once in an engine.")),
            must(
                "value",
                ValueSpec::Text { max_bytes: limits::OPTION_VALUE_BYTES },
                "Its value; one that the option takes.",
            ),
        ],
    },
    ElementSpec {
        name: "Argument",
        parent: Some("Engine"),
        min: 0,
        max: 16,
        about: "An argument that a `process` is started with, in the order in which they stand.",
        attributes: &[must(
            "value",
            ValueSpec::Text { max_bytes: ARGUMENT_BYTES },
            "Its text, without control characters.",
        )],
    },
    ElementSpec {
        name: "Asset",
        parent: Some("Engine"),
        min: 0,
        max: 64,
        about: "A read-only file (an opening book, a network) that the engine reads through the \
                border's `asset`, and a `process` as `/own/NAME`. All files of a pack may hold 1 GiB \
                together.",
        attributes: &[
            unique(must(
                "name",
                ValueSpec::Word,
                "The name that the engine asks for; unique in it.",
            )),
            must("path", ValueSpec::Path, "The file, relative to the pack. At most 256 MiB."),
            must("sha256", ValueSpec::Sha256, "Its hash; any other file is refused."),
            may(
                "at",
                ValueSpec::AbsolutePath,
                "/own/NAME",
                "Where a program finds it that looks where packages of its system put such files: \
                 below `/usr/share/`, at most 512 bytes and 16 names, each of at most 255 bytes. Of \
                 `process` only.",
            ),
        ],
    },
];

/// The element with this name, wherever it stands.
pub fn element(name: &str) -> Option<&'static ElementSpec> {
    SCHEMA.iter().find(|element| element.name == name)
}
