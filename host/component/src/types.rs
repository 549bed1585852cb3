//! The types of an interface, and their comparison with the types that a component declares.

use wasmparser::PrimitiveValType;
use wasmparser::component_types::{ComponentDefinedType, ComponentFuncTypeId, ComponentValType};
use wasmparser::types::TypesRef;

/// The type of a value that crosses the interface of host and component.
#[derive(Debug, PartialEq, Eq)]
pub enum Type {
    /// No value: the payload of a case that has none.
    Unit,
    /// The type `bool` of WIT.
    Bool,
    /// The type `u8` of WIT.
    U8,
    /// The type `u16` of WIT.
    U16,
    /// The type `u32` of WIT.
    U32,
    /// The type `u64` of WIT.
    U64,
    /// The type `s32` of WIT.
    S32,
    /// The type `s64` of WIT.
    S64,
    /// The type `f64` of WIT.
    F64,
    /// A `string`, in the encoding of the function.
    String,
    /// A `list` of elements of this type.
    List(&'static Type),
    /// An `option` of a value of this type.
    Option(&'static Type),
    /// A `result`, with the types of its two cases.
    Result(&'static Type, &'static Type),
    /// A `tuple` of members of these types.
    Tuple(&'static [&'static Type]),
    /// A `record`, with the names of its fields in Rust.
    Record(&'static [(&'static str, &'static Type)]),
    /// A `variant`, with the names of its cases.
    Variant(&'static [(&'static str, &'static Type)]),
    /// An `enum`, with the names of its cases.
    Enum(&'static [&'static str]),
    /// A set of `flags`, with their names in Rust.
    Flags(&'static [&'static str]),
}

/// A function of an interface.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in WIT.
    pub name: &'static str,
    /// Names and types of its parameters.
    pub params: &'static [(&'static str, &'static Type)],
    /// The type of its result; [`Type::Unit`]: it has none.
    pub result: &'static Type,
}

/// Whether a name in Rust (`r#move`, `to_move`) stands for a name in WIT (`move`, `to-move`).
fn is_same_name(rust: &str, wit: &str) -> bool {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    rust.len() == wit.len()
        && rust
            .bytes()
            .zip(wit.bytes())
            .all(|(one, other)| one == other || (one == b'_' && other == b'-'))
}

impl Function {
    /// Compares the function with a declared type. Err: how they differ, after "it": "returns a
    /// string, not a list".
    pub(crate) fn compare(
        &self,
        declared: ComponentFuncTypeId,
        types: TypesRef<'_>,
    ) -> Result<(), String> {
        let declared = &types[declared];
        if declared.async_ {
            return Err("is asynchronous".into());
        }
        let (found, expected) = (declared.params.len(), self.params.len());
        if found != expected {
            return Err(format!("has {expected} parameters in the interface, but {found} here"));
        }
        for ((name, expected), (_, found)) in self.params.iter().zip(&declared.params) {
            compare(expected, *found, types)
                .map_err(|difference| format!("has in its parameter `{name}` {difference}"))?;
        }
        compare_optional(self.result, declared.result, types)
            .map_err(|difference| format!("has in its result {difference}"))
    }
}

/// Compares an expected type with a declared one. Err: "a string, not a list".
fn compare(expected: &Type, found: ComponentValType, types: TypesRef<'_>) -> Result<(), String> {
    use ComponentDefinedType as Defined;
    let mismatch = || Err(format!("{}, not {}", noun_of(found, types), noun(expected)));
    let ComponentValType::Type(id) = found else {
        return match Some(expected) == primitive(found, types) {
            true => Ok(()),
            false => mismatch(),
        };
    };
    match (expected, &types[id]) {
        (_, Defined::Primitive(_)) if Some(expected) == primitive(found, types) => Ok(()),
        (Type::List(expected), Defined::List { element, .. }) => compare(expected, *element, types),
        (Type::Option(expected), Defined::Option { ty, .. }) => compare(expected, *ty, types),
        (Type::Result(expected_ok, expected_err), Defined::Result { ok, err, .. }) => {
            compare_optional(expected_ok, *ok, types)?;
            compare_optional(expected_err, *err, types)
        }
        (Type::Tuple(expected), Defined::Tuple(tuple)) if expected.len() == tuple.types.len() => {
            let mut pairs = expected.iter().zip(&tuple.types);
            pairs.try_for_each(|(expected, found)| compare(expected, *found, types))
        }
        (Type::Record(expected), Defined::Record(record)) => {
            let names = expected.iter().map(|(name, _)| *name);
            compare_names("field", names, record.fields.keys().map(|name| name.as_str()))?;
            let mut pairs = expected.iter().zip(record.fields.values());
            pairs.try_for_each(|((_, expected), found)| compare(expected, *found, types))
        }
        (Type::Variant(expected), Defined::Variant(variant)) => {
            let names = expected.iter().map(|(name, _)| *name);
            compare_names("case", names, variant.cases.keys().map(|name| name.as_str()))?;
            let mut pairs = expected.iter().zip(variant.cases.values());
            pairs.try_for_each(|((_, expected), found)| compare_optional(expected, found.ty, types))
        }
        (Type::Enum(expected), Defined::Enum(found)) => {
            compare_names("case", expected.iter().copied(), found.iter().map(|name| name.as_str()))
        }
        (Type::Flags(expected), Defined::Flags(found)) => {
            compare_names("flag", expected.iter().copied(), found.iter().map(|name| name.as_str()))
        }
        _ => mismatch(),
    }
}

fn compare_optional(
    expected: &Type,
    found: Option<ComponentValType>,
    types: TypesRef<'_>,
) -> Result<(), String> {
    match (expected, found) {
        (Type::Unit, None) => Ok(()),
        (Type::Unit, Some(found)) => Err(format!("{}, not nothing", noun_of(found, types))),
        (expected, Some(found)) => compare(expected, found, types),
        (expected, None) => Err(format!("nothing, not {}", noun(expected))),
    }
}

/// Compares the names of fields, cases or flags.
fn compare_names<'a>(
    what: &str,
    expected: impl ExactSizeIterator<Item = &'static str>,
    found: impl ExactSizeIterator<Item = &'a str>,
) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} {what}s, not {}", found.len(), expected.len()));
    }
    let other = expected.zip(found).find(|(expected, found)| !is_same_name(expected, found));
    match other {
        None => Ok(()),
        Some((expected, found)) => {
            let expected = expected.trim_start_matches("r#").replace('_', "-");
            Err(format!("the {what} `{found}`, not `{expected}`"))
        }
    }
}

/// The type for a declared primitive type; none: no value of the interfaces has it.
fn primitive(found: ComponentValType, types: TypesRef<'_>) -> Option<&'static Type> {
    let primitive = match found {
        ComponentValType::Primitive(primitive) => primitive,
        ComponentValType::Type(id) => match &types[id] {
            ComponentDefinedType::Primitive(primitive) => *primitive,
            _ => return None,
        },
    };
    Some(match primitive {
        PrimitiveValType::Bool => &Type::Bool,
        PrimitiveValType::U8 => &Type::U8,
        PrimitiveValType::U16 => &Type::U16,
        PrimitiveValType::U32 => &Type::U32,
        PrimitiveValType::U64 => &Type::U64,
        PrimitiveValType::S32 => &Type::S32,
        PrimitiveValType::S64 => &Type::S64,
        PrimitiveValType::F64 => &Type::F64,
        PrimitiveValType::String => &Type::String,
        _ => return None,
    })
}

/// An expected type in a message, with its article.
fn noun(of: &Type) -> &'static str {
    match of {
        Type::Unit => "nothing",
        Type::Bool => "a bool",
        Type::U8 => "a u8",
        Type::U16 => "a u16",
        Type::U32 => "a u32",
        Type::U64 => "a u64",
        Type::S32 => "an s32",
        Type::S64 => "an s64",
        Type::F64 => "an f64",
        Type::String => "a string",
        Type::List(_) => "a list",
        Type::Option(_) => "an option",
        Type::Result(..) => "a result",
        Type::Tuple(_) => "a tuple",
        Type::Record(_) => "a record",
        Type::Variant(_) => "a variant",
        Type::Enum(_) => "an enum",
        Type::Flags(_) => "flags",
    }
}

/// A declared type in a message, with its article.
fn noun_of(found: ComponentValType, types: TypesRef<'_>) -> &'static str {
    if let Some(primitive) = primitive(found, types) {
        return noun(primitive);
    }
    match found {
        ComponentValType::Primitive(_) => "another type",
        ComponentValType::Type(id) => match &types[id] {
            ComponentDefinedType::List { .. } => "a list",
            ComponentDefinedType::Option { .. } => "an option",
            ComponentDefinedType::Result { .. } => "a result",
            ComponentDefinedType::Tuple(_) => "another tuple",
            ComponentDefinedType::Record(_) => "a record",
            ComponentDefinedType::Variant(_) => "a variant",
            ComponentDefinedType::Enum(_) => "an enum",
            ComponentDefinedType::Flags(_) => "flags",
            _ => "another type",
        },
    }
}
