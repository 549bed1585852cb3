//! The functions that cross the interface: those of the host that a component imports, and those
//! that it exports. Both are compared with the interface.

use std::collections::HashMap;
use std::rc::Rc;

use wasmparser::CanonicalFunction;

use super::definitions::{
    ComponentFunction, Definition, Exports, LiftedFunction, get, unsupported,
};
use super::evaluator::Evaluator;
use super::scope::{GivenOptions, Scope};
use super::{ComponentError, HOST, Interface, Lifted, Lowered, Options, Source};

/// Adds the options of a function at this offset to those of the others. Err: they differ.
fn merge(all: &mut Options, of_function: &Options, offset: usize) -> Result<(), ComponentError> {
    /// Sets the source if it is not set, and returns whether it is the same.
    fn merge_one(all: &mut Option<Source>, one: Option<Source>) -> bool {
        one.is_none_or(|one| *all.get_or_insert(one) == one)
    }
    if !merge_one(&mut all.memory, of_function.memory) {
        return unsupported("passes values in two memories", offset);
    }
    match merge_one(&mut all.realloc, of_function.realloc) {
        true => Ok(()),
        false => unsupported("allocates with two functions", offset),
    }
}

impl<'a> Evaluator<'a> {
    /// Defines a function that converts between values and core values.
    pub(super) fn canonical(
        &mut self,
        function: &CanonicalFunction,
        component: usize,
        scope: &mut Scope<'a>,
        offset: usize,
    ) -> Result<(), ComponentError> {
        match function {
            CanonicalFunction::Lift { core_func_index, options, .. } => {
                let core = get(&scope.core_functions, *core_func_index, offset)?;
                let (given, post_return) = scope.options(options, offset)?;
                let GivenOptions { encoding, options } = given;
                let index = scope.functions.len() as u32;
                let type_id = self.types[&component].as_ref().component_function_at(index);
                let lifted = Lifted { core, encoding, post_return };
                let lifted = LiftedFunction { lifted, options, offset, component, type_id };
                scope.functions.push(ComponentFunction::Lifted(Rc::new(lifted)));
            }
            CanonicalFunction::Lower { func_index, options } => {
                let ComponentFunction::Host { instance, name } =
                    get(&scope.functions, *func_index, offset)?
                else {
                    return unsupported("passes values from one component to another", offset);
                };
                let types = self.types[&component].as_ref();
                let function = self.host_function(instance, name)?;
                let declared = types.component_function_at(*func_index);
                self.interface.imported[function].compare(declared, types).map_err(
                    |difference| ComponentError::WrongType {
                        what: "import",
                        instance: instance.into(),
                        function: name.into(),
                        difference,
                    },
                )?;
                let (GivenOptions { encoding, options }, _) = scope.options(options, offset)?;
                merge(&mut self.options, &options, offset)?;
                self.lowered.push(Lowered { function, encoding });
                scope.core_functions.push(Source::Host(self.lowered.len() - 1));
            }
            CanonicalFunction::ResourceNew { .. }
            | CanonicalFunction::ResourceDrop { .. }
            | CanonicalFunction::ResourceRep { .. } => {
                return unsupported("uses resources", offset);
            }
            _ => return unsupported("uses threads or asynchronous calls", offset),
        }
        Ok(())
    }

    /// The index of a function of the host in the interface.
    fn host_function(&self, instance: &str, name: &str) -> Result<usize, ComponentError> {
        let mut functions = self.interface.imported.iter();
        let found = functions.position(|function| function.name == name);
        found.filter(|_| self.interface.has(HOST, instance)).ok_or_else(|| {
            ComponentError::UnknownImport { instance: instance.into(), function: name.into() }
        })
    }

    /// The functions of the exported interface. A type that an export is given in addition does not
    /// matter: the type of the function itself is compared.
    pub(super) fn exported(
        &mut self,
        exports: &HashMap<&'a str, Definition<'a>>,
    ) -> Result<Vec<Lifted>, ComponentError> {
        let Interface { package, number, export, exported, .. } = self.interface;
        let mut names: Vec<&str> =
            exports.keys().copied().filter(|name| self.interface.has(export, name)).collect();
        names.sort_unstable();
        let instance = match names[..] {
            [name] => name,
            [] => {
                let name = format!("{package}/{export}@{number}");
                return Err(ComponentError::MissingInterface { name });
            }
            [first, second, ..] => {
                let (first, second) = (first.into(), second.into());
                return Err(ComponentError::TwoInterfaces { first, second });
            }
        };
        let definitions = match &exports[instance] {
            Definition::Instance(exports) => match &**exports {
                Exports::Definitions(definitions) => definitions,
                Exports::Host(_) => return Err(ComponentError::ReExport { name: instance.into() }),
            },
            _ => return Err(ComponentError::MissingInterface { name: instance.into() }),
        };
        let mut all = Vec::new();
        for function in *exported {
            let name = function.name;
            let lifted = match definitions.get(name) {
                Some(Definition::Function(ComponentFunction::Lifted(lifted))) => lifted.clone(),
                Some(Definition::Function(ComponentFunction::Host { .. })) => {
                    return Err(ComponentError::ReExport { name: name.into() });
                }
                _ => {
                    let (instance, function) = (instance.into(), name.into());
                    return Err(ComponentError::MissingFunction { instance, function });
                }
            };
            let types = self.types[&lifted.component].as_ref();
            function.compare(lifted.type_id, types).map_err(|difference| {
                ComponentError::WrongType {
                    what: "export",
                    instance: instance.into(),
                    function: name.into(),
                    difference,
                }
            })?;
            merge(&mut self.options, &lifted.options, lifted.offset)?;
            all.push(lifted.lifted.clone());
        }
        Ok(all)
    }
}
