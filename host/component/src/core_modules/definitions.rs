//! What the definitions of a component stand for.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use wasmparser::component_types::ComponentFuncTypeId;

use super::{ComponentError, Lifted, Options, Source};

/// A component that can be instantiated.
pub(super) struct Component {
    /// Its place in the file.
    pub(super) bytes: Range<usize>,
    /// What the components around it had defined before it.
    pub(super) outer: Option<Rc<OuterDefinitions>>,
}

/// The definitions to which an inner component may refer.
pub(super) struct OuterDefinitions {
    pub(super) modules: Vec<Range<usize>>,
    pub(super) components: Vec<Rc<Component>>,
    pub(super) outer: Option<Rc<OuterDefinitions>>,
}

/// A core module that is instantiated.
pub(super) struct Module<'a> {
    pub(super) bytes: Range<usize>,
    /// The names of its imports.
    pub(super) imports: Rc<[(&'a str, &'a str)]>,
    pub(super) exports: Rc<ModuleExports<'a>>,
}

/// The exports of a module: for each name the index of the export. Several names of one item have
/// the index of the first.
pub(super) type ModuleExports<'a> = HashMap<&'a str, usize>;

/// A definition of a component. The validator knows what a type is.
#[derive(Clone)]
pub(super) enum Definition<'a> {
    /// Its place in the file.
    Module(Range<usize>),
    Function(ComponentFunction<'a>),
    Instance(Rc<Exports<'a>>),
    Component(Rc<Component>),
    Type,
}

/// The exports of an instance of a component.
pub(super) enum Exports<'a> {
    /// An instance of the host, by its name.
    Host(&'a str),
    Definitions(HashMap<&'a str, Definition<'a>>),
}

/// A function of a component.
#[derive(Clone)]
pub(super) enum ComponentFunction<'a> {
    /// A function of an instance of the host.
    Host { instance: &'a str, name: &'a str },
    /// A core function of the component.
    Lifted(Rc<LiftedFunction>),
}

pub(super) struct LiftedFunction {
    pub(super) lifted: Lifted,
    pub(super) options: Options,
    pub(super) offset: usize,
    /// The place of the component that lifts it, and its type there.
    pub(super) component: usize,
    pub(super) type_id: ComponentFuncTypeId,
}

/// An instance of a core module, or a group of core items.
pub(super) enum CoreExports<'a> {
    Instance { instance: usize, exports: Rc<ModuleExports<'a>> },
    Group(HashMap<&'a str, Source>),
}

impl CoreExports<'_> {
    /// The source of an export; none: there is no such export.
    pub(super) fn get(&self, name: &str) -> Option<Source> {
        match self {
            Self::Instance { instance, exports } => {
                let export = *exports.get(name)?;
                Some(Source::Export { instance: *instance, export })
            }
            Self::Group(sources) => sources.get(name).copied(),
        }
    }
}

/// The error for what the host does not support.
pub(super) fn unsupported<T>(what: &'static str, offset: usize) -> Result<T, ComponentError> {
    Err(ComponentError::Unsupported { what, offset })
}

/// A definition by its index. The validator has checked the index.
pub(super) fn get<T: Clone>(items: &[T], index: u32, offset: usize) -> Result<T, ComponentError> {
    let missing = || ComponentError::Invalid { offset, reason: format!("unknown index {index}") };
    items.get(index as usize).cloned().ok_or_else(missing)
}
