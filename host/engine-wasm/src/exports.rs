//! Checks that a component's exports have the types of the ABI, before it is instantiated. The
//! bindings check types only then, and do not name the export that is wrong.

use sandboard_abi::{ABI, WIT_PACKAGE};
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, ComponentNamedList, Lift, Lower, types};

use super::bindings::exports::sandboard::engine::engine::{
    Barred, Choice, Description, Limits, Setup,
};

/// An exported engine interface, and what is needed to inspect its types.
struct EngineExport<'a> {
    name: &'a str,
    instance: &'a types::ComponentInstance,
    component: &'a types::Component,
    engine: &'a wasmtime::Engine,
}

/// Checks all functions of the exported engine. Err: names the wrong function.
pub(super) fn check(component: &Component, engine: &wasmtime::Engine) -> Result<(), String> {
    let component = component.component_type();
    let interface = format!("{WIT_PACKAGE}/engine@{ABI}.");
    let exports = component.exports(engine).filter(|(name, _)| name.starts_with(&interface));
    for (name, item) in exports {
        if let ComponentItem::ComponentInstance(instance) = &item.ty {
            EngineExport { name, instance, component: &component, engine }.check()?;
        }
    }
    Ok(())
}

impl EngineExport<'_> {
    fn check(&self) -> Result<(), String> {
        type Done = (Result<(), String>,);
        self.check_function::<(), (Description,)>("describe")?;
        self.check_function::<(&Setup,), Done>("start")?;
        self.check_function::<(&str,), Done>("played")?;
        self.check_function::<(u32,), Done>("taken-back")?;
        self.check_function::<(&Limits, &[Barred]), (Result<Choice, String>,)>("choose")?;
        self.check_function::<(), Done>("think")
    }

    fn check_function<P, R>(&self, function: &str) -> Result<(), String>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        let Self { name, instance, component, engine } = self;
        let export = format!("its export `{function}` of `{name}`");
        match instance.get_export(engine, function).map(|item| item.ty) {
            None => Err(format!("{export} is missing")),
            Some(ComponentItem::ComponentFunc(function)) => function
                .typecheck::<P, R>(&component.instance_type())
                .map_err(|error| format!("{export} has the wrong type: {error:#}")),
            Some(_) => Err(format!("{export} is not a function")),
        }
    }
}
