//! The schema of `EngineConfigs.xml` as one table. The parser works from it, and
//! `docs/EngineConfigs.xsd` is generated from it. Has no code that reads a manifest.

use sandboard_abi::limits;

use super::Purpose;
use super::values::{ARGUMENT_BYTES_MAX, ValueSpec};
use sandboard_protocols::{Protocol, dialect};

/// An element of the schema.
#[derive(Debug)]
pub struct ElementSpec {
    pub name: &'static str,
    /// The name of its parent element; none for the root.
    pub parent: Option<&'static str>,
    /// The smallest number of these elements in a parent.
    pub min: usize,
    /// The largest number of these elements in a parent.
    pub max: usize,
    /// Its meaning, in complete sentences.
    pub about: &'static str,
    /// Its attributes, in the order of the documentation.
    pub attributes: &'static [AttributeSpec],
}

/// An attribute of the schema.
#[derive(Debug)]
pub struct AttributeSpec {
    pub name: &'static str,
    /// Whether it is required.
    pub required: bool,
    /// Whether its value must differ between the elements of this name in one parent.
    pub unique: bool,
    /// The type of its value.
    pub value: ValueSpec,
    /// The default, for people; empty if it is required or depends on `kind`.
    pub default: &'static str,
    /// Its meaning, in complete sentences.
    pub about: &'static str,
}

impl ElementSpec {
    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSpec> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Its child elements.
    pub fn children(&self) -> impl Iterator<Item = &'static ElementSpec> {
        SCHEMA.iter().filter(|child| child.parent == Some(self.name))
    }
}

const fn required(name: &'static str, value: ValueSpec, about: &'static str) -> AttributeSpec {
    AttributeSpec { name, required: true, unique: false, value, default: "", about }
}

const fn optional(
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

/// A board size.
const SIZE: ValueSpec = ValueSpec::Whole { min: 1, max: u8::MAX as u64 };

/// Every element, the root first.
pub const SCHEMA: &[ElementSpec] = &[
    ElementSpec {
        name: "EngineConfigs",
        parent: None,
        min: 1,
        max: 1,
        about: "Attributes that editors use to find a schema are ignored: `xmlns:…`, \
                `xsi:noNamespaceSchemaLocation`, `xsi:schemaLocation`.",
        attributes: &[required(
            "abi",
            ValueSpec::Whole { min: 0, max: u32::MAX as u64 },
            "The number of the ABI for which the pack's engines and games are built: the N of \
             `sandboard:engine@N.x.y`, `sandboard:game@N.x.y` and `sandboard_engine_vN`. Any \
             number other than the host's is refused.",
        )],
    },
    ElementSpec {
        name: "Engine",
        parent: Some("EngineConfigs"),
        min: 0,
        max: 64,
        about: "One engine. Several engines may share a module and differ in their `Set` elements. \
                A manifest has at least one `Engine` or `GameRules`.",
        attributes: &[
            unique(required(
                "id",
                ValueSpec::Id,
                "The engine's name on command lines; unique in the manifest. `human` is reserved.",
            )),
            required(
                "version",
                ValueSpec::Version,
                "The engine's version. The highest usable version of an id is played; `id-version` \
                 selects one exactly.",
            ),
            optional("name", ValueSpec::Label, "the id", "The engine's name for people."),
            optional("author", ValueSpec::Label, "empty", "The author's name."),
            required(
                "kind",
                ValueSpec::OneOf(&["wasm", "native", "external"]),
                "`wasm`: a WebAssembly component, sandboxed. `native`: a library for this system, \
                 which runs after you trust it. `external`: an external engine, a program that \
                 speaks one of the protocols below and runs jailed after you trust it.",
            ),
            optional(
                "purpose",
                ValueSpec::OneOf(Purpose::WORDS),
                Purpose::Play.word(),
                "What the engine is for. `play`: an opponent. `test`: it tests hosts, or shows how \
                 engines are written. Pages list it apart and do not offer it as an opponent; \
                 commands play it like any other.",
            ),
            optional(
                "module",
                ValueSpec::Path,
                "",
                "The file with the engine's code, relative to the pack; required unless `program` \
                 is given. At most 64 MiB, for `external` 256 MiB, for `wasm` 48 MiB and in a \
                 contest 8 MiB; never a `.cwasm`.",
            ),
            optional(
                "program",
                ValueSpec::AbsolutePath,
                "",
                "For `external`, instead of `module`: a program of this machine, such as one from \
                 a system package.",
            ),
            optional(
                "protocol",
                ValueSpec::OneOf(Protocol::WORDS),
                "",
                "The protocol that the program speaks; required for `external`.",
            ),
            optional(
                "moves",
                ValueSpec::OneOf(dialect::WORDS),
                "same",
                "How the program writes moves: as the game does, or with ranks that start at 1 \
                 where the game's start at 0. For `uci` and `ucci` only: in other protocols a move \
                 has one spelling.",
            ),
            optional(
                "sha256",
                ValueSpec::Sha256,
                "not checked",
                "The hash of the module; any other module is refused.",
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
            unique(required("id", ValueSpec::Id, "The id of a game, as in `sandboard rules`.")),
            optional(
                "variants",
                ValueSpec::Words,
                "all of the game's",
                "The variants: `freestyle` means all sizes, `freestyle-15` only that one.",
            ),
        ],
    },
    ElementSpec {
        name: "Limits",
        parent: Some("Engine"),
        min: 0,
        max: 1,
        about: "Resources that the engine requests. The host grants them within its own caps.",
        attributes: &[
            optional(
                "memory_bytes",
                ValueSpec::Whole { min: 64 << 10, max: 2 << 30 },
                "64 MiB",
                "Memory of one instance.",
            ),
            optional(
                "usable_bytes",
                ValueSpec::Whole { min: 64 << 10, max: 2 << 30 },
                "three quarters of `memory_bytes`",
                "How much memory an external engine is advised to use, where its protocol can say \
                 so (`INFO max_memory` of `gomocup`). The rest is for the program itself: one that \
                 fills `memory_bytes` with its tables is stopped.",
            ),
            optional(
                "start_ms",
                ValueSpec::Whole { min: 1, max: 600_000 },
                "5000",
                "The longest time to start a game.",
            ),
            optional(
                "log_bytes",
                ValueSpec::Whole { min: 0, max: limits::LOG_GAME_BYTES as u64 },
                "1 MiB",
                "The most that one instance may log in one game.",
            ),
        ],
    },
    ElementSpec {
        name: "Option",
        parent: Some("Engine"),
        min: 0,
        max: limits::OPTIONS,
        about: "A setting of the engine. Declare all options or none: without any, the host asks \
                the engine itself, which for a `native` one means running it. An external engine \
                has only the declared options, and receives the value of each when a game begins.",
        attributes: &[
            unique(required(
                "name",
                ValueSpec::Word,
                "The option's name on command lines; unique in the engine.",
            )),
            optional(
                "protocol_name",
                ValueSpec::Label,
                "the name",
                "The option's name in the protocol, where that is not a word: `Skill Level`. For \
                 `external` only, and not for `sandboard`.",
            ),
            optional("about", ValueSpec::Label, "empty", "One line for people."),
            required(
                "kind",
                ValueSpec::OneOf(&["toggle", "whole", "real", "pick", "text"]),
                "The type of its values. `toggle`: `true` or `false`. `whole`: an integer. `real`: \
                 a number. `pick`: one of several words. `text`: a text.",
            ),
            optional(
                "min",
                ValueSpec::Number,
                "",
                "The smallest value; required for `whole` and `real`.",
            ),
            optional(
                "max",
                ValueSpec::Number,
                "",
                "The largest value; required for `whole` and `real`.",
            ),
            optional("values", ValueSpec::Words, "", "The words; required for `pick`."),
            optional(
                "max_bytes",
                ValueSpec::Whole { min: 0, max: limits::OPTION_VALUE_BYTES as u64 },
                "4096",
                "The longest text; for `text` only.",
            ),
            required(
                "default",
                ValueSpec::Text { max_bytes: limits::OPTION_VALUE_BYTES },
                "The initial value; must be one that the option accepts.",
            ),
            optional(
                "tunable",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether `sandboard tune` may vary it; for `whole` and `real` only.",
            ),
        ],
    },
    ElementSpec {
        name: "Set",
        parent: Some("Engine"),
        min: 0,
        max: limits::OPTIONS,
        about: "Presets an option of the module in this engine, so that one module can be several \
                engines. A game may still set another value.",
        attributes: &[
            unique(required("name", ValueSpec::Word, "The option; at most once in an engine.")),
            required(
                "value",
                ValueSpec::Text { max_bytes: limits::OPTION_VALUE_BYTES },
                "The value; must be one that the option accepts.",
            ),
        ],
    },
    ElementSpec {
        name: "Argument",
        parent: Some("Engine"),
        min: 0,
        max: 16,
        about: "A command-line argument of an external engine, in the order of the elements.",
        attributes: &[required(
            "value",
            ValueSpec::Text { max_bytes: ARGUMENT_BYTES_MAX },
            "The text, without control characters.",
        )],
    },
    ElementSpec {
        name: "Asset",
        parent: Some("Engine"),
        min: 0,
        max: 64,
        about: "A read-only file (an opening book, a network) that the engine reads through the \
                ABI's `asset`, and an external engine as `/own/NAME`. All files of a pack together \
                may have 1 GiB.",
        attributes: &[
            unique(required(
                "name",
                ValueSpec::Word,
                "The name by which the engine requests the file; unique in the engine.",
            )),
            required("path", ValueSpec::Path, "The file, relative to the pack. At most 256 MiB."),
            required(
                "sha256",
                ValueSpec::Sha256,
                "The hash of the file; any other file is refused.",
            ),
            optional(
                "visible_at",
                ValueSpec::AbsolutePath,
                "/own/NAME",
                "Where the program finds the file, for programs that read it where system packages \
                 put it: below `/usr/share/`, at most 512 bytes and 16 names, each of at most 255 \
                 bytes. For `external` only.",
            ),
        ],
    },
    ElementSpec {
        name: "GameRules",
        parent: Some("EngineConfigs"),
        min: 0,
        max: 16,
        about: "A game that is plugged in, for up to 16 players. Its rules are a WebAssembly \
                component of the package `sandboard:game`. The engines of every pack in the same \
                engines folder may play it.",
        attributes: &[
            unique(required(
                "id",
                ValueSpec::Id,
                "The id of the game; unique in the manifest, and none of the built-in games.",
            )),
            required(
                "version",
                ValueSpec::Version,
                "The version of the rules. The highest usable version of an id is played.",
            ),
            optional("name", ValueSpec::Label, "the id", "The game's name for people."),
            optional("author", ValueSpec::Label, "empty", "The author's name."),
            required(
                "module",
                ValueSpec::Path,
                "The file with the component, relative to the pack. At most 48 MiB.",
            ),
            optional(
                "sha256",
                ValueSpec::Sha256,
                "not checked",
                "The hash of the module; any other module is refused.",
            ),
            required(
                "sides",
                ValueSpec::Words,
                "The names of the sides at the start of a game, 1 to 16: the colours that they \
                 play. Seats of one side win or lose together.",
            ),
            optional(
                "seats",
                ValueSpec::Whole { min: 1, max: limits::SEATS as u64 },
                "one for each side",
                "The number of seats, a multiple of the number of sides. Seats belong to the sides \
                 in turn: of four seats and two sides, seats 0 and 2 are one side. A variant may \
                 have fewer.",
            ),
            optional(
                "chance",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether chance moves in the game: dice, or the deal of cards.",
            ),
            optional(
                "hidden_information",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether seats or spectators see only a part of positions and moves.",
            ),
            optional(
                "simultaneous",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether several seats decide at the same time.",
            ),
            optional(
                "move_texts",
                ValueSpec::Label,
                "empty",
                "Describes the texts of moves, for people.",
            ),
            optional(
                "formats",
                ValueSpec::Words,
                "none",
                "File formats that people read and write games in: `pgn`, `fen`, `epd`. Position \
                 texts are then FEN, and the rules read the moves of files, such as SAN. Only games \
                 of two sides have them.",
            ),
            optional(
                "adjudicates",
                ValueSpec::OneOf(&["true", "false"]),
                "false",
                "Whether a game can end, by repetition or a number of plies, while moves are still \
                 listed as legal.",
            ),
        ],
    },
    ElementSpec {
        name: "Variant",
        parent: Some("GameRules"),
        min: 1,
        max: 64,
        about: "A set of rules of the game. The first variant is the default. With sizes, the \
                board has one of several sizes, which follows the id: `standard-8`.",
        attributes: &[
            unique(required(
                "id",
                ValueSpec::Id,
                "The id of the variant, without a size; unique in the game.",
            )),
            optional("about", ValueSpec::Label, "empty", "One line for people."),
            optional("min_size", SIZE, "none", "The smallest board size."),
            optional("max_size", SIZE, "none", "The largest board size."),
            optional("size_step", SIZE, "1", "The difference between two sizes."),
            optional(
                "default_size",
                SIZE,
                "none",
                "The size if none is named; required with sizes.",
            ),
            optional(
                "seats",
                ValueSpec::Whole { min: 1, max: limits::SEATS as u64 },
                "those of the game",
                "The number of seats: the first ones of the game. Its sides are those that have a \
                 seat, and all of them have equally many.",
            ),
        ],
    },
    ElementSpec {
        name: "Translation",
        parent: Some("GameRules"),
        min: 0,
        max: 1024,
        about: "A text of the game in another language, for the pages of a server. The text is any \
                that people read: the game's name, the name of a side, the id or the description of \
                a variant, the description of move texts, or what the rules say, such as the reason \
                of a result.",
        attributes: &[
            required(
                "lang",
                ValueSpec::Word,
                "The tag of the language (BCP 47), such as `zh` or `pt-BR`.",
            ),
            required(
                "text",
                ValueSpec::Label,
                "The text as the manifest or the rules write it, with `{}` for each word that \
                 varies, such as a number or a place. A language has at most one translation of a text.",
            ),
            required(
                "translated",
                ValueSpec::Label,
                "The text in this language. Each `{}` becomes such a word, in the order of the \
                 original.",
            ),
        ],
    },
];

/// The element with this name.
pub(super) fn element(name: &str) -> Option<&'static ElementSpec> {
    SCHEMA.iter().find(|element| element.name == name)
}
