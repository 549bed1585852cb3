//! Makes components count their fuel themselves, for measurements. Instruments each core module of
//! a component, and adds a core module that defines the counters for all of them. The host cannot
//! see counters that are inside a component, so the initial fuel is larger than any search needs.

use std::convert::Infallible;

use sandboard_metering::{COUNTER_MODULE, Counters, FUEL, STACK, instrument};
use wasm_encoder::reencode::{Error, Reencode, ReencodeComponent, component_utils};
use wasm_encoder::{
    Component, ComponentSectionId, ConstExpr, ExportKind, ExportSection, GlobalSection, GlobalType,
    InstanceSection, Module, ModuleArg, ModuleSection, RawSection, ValType,
};
use wasmparser::Parser;

const FUEL_MAX: i64 = i64::MAX / 2;
const STACK_MAX: i32 = i32::MAX / 2;

/// Where the counters are in a measured component.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Placement {
    /// In a core module of their own, shared by all others.
    Shared,
    /// In each core module.
    Own,
}

/// The component with instrumented core modules.
pub(crate) fn component(bytes: &[u8], placement: Placement) -> Vec<u8> {
    let mut component = Component::new();
    if placement == Placement::Shared {
        let mut instances = InstanceSection::new();
        instances.instantiate(0, Vec::<(&str, ModuleArg)>::new());
        component.section(&ModuleSection(&counter_module()));
        component.section(&instances);
    }
    Instrumenter { placement }
        .parse_component(&mut component, Parser::new(0), bytes)
        .expect("the component can be written again");
    component.finish()
}

/// A module that defines and exports both counters.
fn counter_module() -> Module {
    let mut globals = GlobalSection::new();
    let mut exports = ExportSection::new();
    let ty = |val_type| GlobalType { val_type, mutable: true, shared: false };
    globals.global(ty(ValType::I64), &ConstExpr::i64_const(FUEL_MAX));
    globals.global(ty(ValType::I32), &ConstExpr::i32_const(STACK_MAX));
    exports.export(FUEL, ExportKind::Global, 0);
    exports.export(STACK, ExportKind::Global, 1);
    let mut module = Module::new();
    module.section(&globals).section(&exports);
    module
}

struct Instrumenter {
    placement: Placement,
}

impl Instrumenter {
    /// The number of core modules and core instances before those of the original.
    fn added(&self) -> u32 {
        u32::from(self.placement == Placement::Shared)
    }
}

impl Reencode for Instrumenter {
    type Error = Infallible;
}

impl ReencodeComponent for Instrumenter {
    fn module_index(&mut self, module: u32) -> u32 {
        module + self.added()
    }

    fn instance_index(&mut self, instance: u32) -> u32 {
        instance + self.added()
    }

    fn parse_component_submodule(
        &mut self,
        component: &mut Component,
        _parser: Parser,
        module: &[u8],
    ) -> Result<(), Error> {
        let counters = match self.placement {
            Placement::Shared => Counters::Imported,
            Placement::Own => Counters::Exported { fuel: FUEL_MAX, stack: STACK_MAX },
        };
        let data = instrument(module, counters).expect("the module can be instrumented");
        component.section(&RawSection { id: ComponentSectionId::CoreModule.into(), data: &data });
        Ok(())
    }

    fn parse_instance(
        &mut self,
        instances: &mut InstanceSection,
        instance: wasmparser::Instance<'_>,
    ) -> Result<(), Error> {
        match (instance, self.placement) {
            (wasmparser::Instance::Instantiate { module_index, args }, Placement::Shared) => {
                let own = args.iter().map(|arg| (arg.name, ModuleArg::Instance(arg.index + 1)));
                let counters = (COUNTER_MODULE, ModuleArg::Instance(0));
                instances.instantiate(module_index + 1, own.chain([counters]).collect::<Vec<_>>());
                Ok(())
            }
            (instance, _) => component_utils::parse_instance(self, instances, instance),
        }
    }
}
