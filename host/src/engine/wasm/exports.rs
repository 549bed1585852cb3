//! Whether the calls that a component exports are the border's, before an
//! instance of it is made. The bindings look at their types only then, and do
//! not say which one is wrong.

use sandboard_abi::{ABI, WIT_PACKAGE};
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, ComponentNamedList, Lift, Lower, types};

use super::bindings::exports::sandboard::engine::engine::{
    Barred, Choice, Description, Limits, Setup,
};

/// The engine of a component, and what is needed to look at types.
struct Engine<'a> {
    name: &'a str,
    instance: &'a types::ComponentInstance,
    component: &'a types::Component,
    engine: &'a wasmtime::Engine,
}

/// Err: which call is not of the border's type.
pub fn check(component: &Component, engine: &wasmtime::Engine) -> Result<(), String> {
    let component = component.component_type();
    let border = format!("{WIT_PACKAGE}/engine@{ABI}.");
    for (name, item) in component.exports(engine).filter(|(name, _)| name.starts_with(&border)) {
        if let ComponentItem::ComponentInstance(instance) = &item.ty {
            Engine { name, instance, component: &component, engine }.check()?;
        }
    }
    Ok(())
}

impl Engine<'_> {
    fn check(&self) -> Result<(), String> {
        type Done = (Result<(), String>,);
        self.call::<(), (Description,)>("describe")?;
        self.call::<(&Setup,), Done>("start")?;
        self.call::<(&str,), Done>("played")?;
        self.call::<(u32,), Done>("taken-back")?;
        self.call::<(&Limits, &[Barred]), (Result<Choice, String>,)>("choose")?;
        self.call::<(), Done>("think")
    }

    fn call<P, R>(&self, call: &str) -> Result<(), String>
    where
        P: ComponentNamedList + Lower,
        R: ComponentNamedList + Lift,
    {
        let Self { name, instance, component, engine } = self;
        let of = format!("its export `{call}` of `{name}`");
        match instance.get_export(engine, call).map(|item| item.ty) {
            None => Err(format!("{of} is missing")),
            Some(ComponentItem::ComponentFunc(function)) => function
                .typecheck::<P, R>(&component.instance_type())
                .map_err(|error| format!("{of} has the wrong type: {error:#}")),
            Some(_) => Err(format!("{of} is no function")),
        }
    }
}
