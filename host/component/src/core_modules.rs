//! A component as core modules: what to instantiate in which order, what each import of a module
//! is, and which core functions are the functions of the interface.

mod definitions;
mod evaluator;
mod file;
mod functions;
mod scope;

use serde::{Deserialize, Serialize};
use wasmparser::WasmFeatures;

use crate::canonical::Encoding;
use crate::types::Function;

/// The proposals that components may use: those of core modules that are metered, and components.
/// Proposals that share memory, differ between machines or need a garbage collector are off.
pub const FEATURES: WasmFeatures =
    sandboard_metering::FEATURES.union(WasmFeatures::COMPONENT_MODEL);

/// An interface of components: what a component must export, and what it may import.
#[derive(Debug)]
pub struct Interface {
    /// The name of the WIT package without its version.
    pub package: &'static str,
    /// The major version of the package.
    pub number: u32,
    /// The name of the exported interface in the package.
    pub export: &'static str,
    /// The functions that a component must export.
    pub exported: &'static [Function],
    /// The functions of the interface `host` that a component may import.
    pub imported: &'static [Function],
}

/// The name of the interface with the functions of the host.
const HOST: &str = "host";

impl Interface {
    /// Reads the name of an interface of the package: `sandboard:engine/host@1.0.0` → `host`, 1.
    /// None: the name is another. A pre-release is another.
    pub fn parse_name<'a>(&self, name: &'a str) -> Option<(&'a str, u32)> {
        let rest = name.strip_prefix(self.package)?.strip_prefix('/')?;
        let (name, version) = rest.split_once('@')?;
        let mut numbers = version.split('.').map(str::parse::<u32>);
        match [numbers.next()?, numbers.next()?, numbers.next()?] {
            [Ok(number), Ok(_), Ok(_)] if numbers.next().is_none() => Some((name, number)),
            _ => None,
        }
    }

    /// Whether the name of an import or export is that of this interface of the package.
    fn has(&self, interface: &str, name: &str) -> bool {
        self.parse_name(name) == Some((interface, self.number))
    }
}

/// A component as core modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreModules<'a> {
    /// The core modules, each once.
    pub modules: Vec<&'a [u8]>,
    /// How they are wired.
    pub wiring: Wiring,
}

/// How core modules are wired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wiring {
    /// The instances, in the order in which they are instantiated.
    pub instances: Vec<Instance>,
    /// The functions of the host that instances import.
    pub lowered: Vec<Lowered>,
    /// The functions of the exported interface, in its order.
    pub lifted: Vec<Lifted>,
    /// What the values of all these functions pass through.
    pub options: Options,
}

/// An instance of a core module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The index of its module.
    pub module: usize,
    /// What each import of the module is, in the module's order.
    pub imports: Vec<Source>,
}

/// Where an item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// An export of an instance.
    Export {
        /// The index of the instance.
        instance: usize,
        /// The index of the export in its module.
        export: usize,
    },
    /// A function of the host, by its index in [`Wiring::lowered`].
    Host(usize),
}

/// A function of the host that an instance imports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lowered {
    /// Its index in [`Interface::imported`].
    pub function: usize,
    /// The encoding of its texts. Modules of one component may differ.
    pub encoding: Encoding,
}

/// A core function that is a function of the exported interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifted {
    /// The core function.
    pub core: Source,
    /// The encoding of its texts.
    pub encoding: Encoding,
    /// The function to call with the core result when the result was read.
    pub post_return: Option<Source>,
}

/// How values are passed. A component has one memory and one function that allocates in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The memory with texts and lists, unless there are none.
    pub memory: Option<Source>,
    /// The function that allocates in the memory, unless the host gives no text or list.
    pub realloc: Option<Source>,
}

/// Why a component cannot be taken apart into core modules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// The file is not a valid component.
    #[error("is not a valid component: at byte {offset}: {reason}")]
    Invalid {
        /// Offset in the file, in bytes.
        offset: usize,
        /// What is wrong.
        reason: String,
    },
    /// The component uses what core modules alone do not have.
    #[error("{what} at byte {offset}, which the host does not support")]
    Unsupported {
        /// What it does, after "it": "defines a resource".
        what: &'static str,
        /// Offset in the file, in bytes.
        offset: usize,
    },
    /// An import is not in the interface.
    #[error("imports `{function}` of `{instance}`, which the interface does not have")]
    UnknownImport {
        /// The name of the imported instance.
        instance: String,
        /// The name of the function.
        function: String,
    },
    /// An import or export has another type than in the interface.
    #[error("its {what} `{function}` of `{instance}` {difference}")]
    WrongType {
        /// `import` or `export`.
        what: &'static str,
        /// The name of the instance.
        instance: String,
        /// The name of the function.
        function: String,
        /// How it differs.
        difference: String,
    },
    /// The interface is not exported.
    #[error("exports no `{name}`")]
    MissingInterface {
        /// The name of the interface, such as `sandboard:engine/engine@1`.
        name: String,
    },
    /// Two versions of the interface are exported.
    #[error("exports both `{first}` and `{second}`")]
    TwoInterfaces {
        /// The name of the one.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// An export is an import.
    #[error("exports `{name}`, which it imports")]
    ReExport {
        /// The name of the export.
        name: String,
    },
    /// A function of the interface is not exported.
    #[error("its export `{function}` of `{instance}` is missing")]
    MissingFunction {
        /// The name of the instance.
        instance: String,
        /// The name of the function.
        function: String,
    },
}

impl From<wasmparser::Error> for ComponentError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Invalid { offset: error.offset(), reason: error.message().replace('\n', " ") }
    }
}

impl<'a> CoreModules<'a> {
    /// Reads a component for an interface. Takes time in proportion to the length of the file and
    /// the number of instances, which the caller limits. Err: the file is not valid, does not fit
    /// the interface, or cannot be taken apart.
    pub fn read(bytes: &'a [u8], interface: &'static Interface) -> Result<Self, ComponentError> {
        evaluator::read(bytes, interface)
    }
}
