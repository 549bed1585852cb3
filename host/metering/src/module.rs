//! Instruments a whole module: first all functions, then the sections around them. Knows nothing of
//! prices and control flow.

use std::collections::HashMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder, utils};
use wasm_encoder::{
    BlockType, CodeSection, ImportSection, Module, SectionId, TypeSection, ValType,
};
use wasmparser::{
    CustomSectionReader, FuncType, FuncValidatorAllocations, FunctionBody, Imports, Parser,
    Payload, TypeRef, ValidPayload, Validator,
};

use crate::added_globals::AddedGlobals;
use crate::emit::{GlobalIndices, OWN_LOCALS_MAX, emit};
use crate::error::InstrumentError;
use crate::plan::{Plan, plan};
use crate::{COUNTER_MODULE, FEATURES, FUEL, STACK};

/// Limits of implementations, from the appendix of the JavaScript API of WebAssembly.
const BODY_BYTES_MAX: usize = 7_654_321;
const LOCALS_MAX: usize = 50_000;

/// Custom sections whose names begin so refer to offsets in functions, which change.
const CODE_METADATA: &str = "metadata.code.";

/// Rewrites a module so that it counts its fuel and the depth of its stack.
///
/// The result is valid if the module is. Equal modules give equal results.
///
/// # Errors
///
/// The module is malformed or invalid, uses a proposal outside of [`FEATURES`], has a name that is
/// reserved for the counters, or becomes too large for implementations of WebAssembly.
pub fn instrument(module: &[u8]) -> Result<Vec<u8>, InstrumentError> {
    let mut functions = Functions::new(module);
    functions.read()?;
    let globals = functions.global_indices();
    let Functions { code, new_types, .. } = functions;
    let counters = [(FUEL, ValType::I64), (STACK, ValType::I32)];
    let added = AddedGlobals::new(COUNTER_MODULE, counters);
    let mut sections = Sections { globals, code, new_types, added };
    let mut instrumented = Module::new();
    sections
        .parse_core_module(&mut instrumented, Parser::new(0), module)
        .map_err(|error| InstrumentError::Reencode(error.to_string()))?;
    Ok(instrumented.finish())
}

/// The functions of a module, which are read before any section is written: the section of types
/// comes first and depends on them.
struct Functions<'a> {
    module: &'a [u8],
    types: Vec<FuncType>,
    imported_globals: u32,
    code: CodeSection,
    /// Results of functions, as types without parameters that the module lacks.
    new_types: Vec<FuncType>,
    /// Where in `new_types`, counted after the module's own types.
    indices: HashMap<Vec<wasmparser::ValType>, u32>,
}

impl<'a> Functions<'a> {
    fn new(module: &'a [u8]) -> Self {
        Self {
            module,
            types: Vec::new(),
            imported_globals: 0,
            code: CodeSection::new(),
            new_types: Vec::new(),
            indices: HashMap::new(),
        }
    }

    /// Validates the module and instruments its functions.
    fn read(&mut self) -> Result<(), InstrumentError> {
        let mut validator = Validator::new_with_features(FEATURES);
        let mut allocations = FuncValidatorAllocations::default();
        for payload in Parser::new(0).parse_all(self.module) {
            let payload = payload?;
            if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
                let planned = plan(function, &body, allocations)?;
                allocations = planned.1;
                self.add(&planned.0, &body)?;
            }
            match payload {
                Payload::TypeSection(types) => {
                    for group in types {
                        // The validator admits no other types than those of functions.
                        let functions = group?.into_types().map(|ty| ty.unwrap_func().clone());
                        self.types.extend(functions);
                    }
                }
                Payload::ImportSection(imports) => {
                    for group in imports {
                        self.read_imports(group?)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_imports(&mut self, imports: Imports<'_>) -> Result<(), InstrumentError> {
        // The validator admits no other form of imports.
        let Imports::Single(offset, import) = imports else { return Ok(()) };
        if import.module == COUNTER_MODULE {
            return Err(InstrumentError::Reserved { name: import.module.to_owned(), offset });
        }
        self.imported_globals += u32::from(matches!(import.ty, TypeRef::Global(_)));
        Ok(())
    }

    fn global_indices(&self) -> GlobalIndices {
        GlobalIndices { fuel: self.imported_globals, stack: self.imported_globals + 1 }
    }

    /// Adds an instrumented function.
    fn add(&mut self, plan: &Plan, body: &FunctionBody<'_>) -> Result<(), InstrumentError> {
        let mut locals = Vec::new();
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            locals.push((count, encoded(ty)?));
        }
        let result = match plan.branches_out {
            true => self.result_type(plan.type_index)?,
            false => BlockType::Empty,
        };
        let globals = self.global_indices();
        let bytes = emit(plan, self.module, &locals, result, globals);
        let offset = body.range().start;
        check_limit("bytes in a function", bytes.len(), BODY_BYTES_MAX, offset)?;
        check_limit(
            "locals in a function",
            plan.locals as usize + OWN_LOCALS_MAX,
            LOCALS_MAX,
            offset,
        )?;
        self.code.raw(&bytes);
        Ok(())
    }

    /// The type of a block without parameters that has the results of a function.
    fn result_type(&mut self, function: u32) -> Result<BlockType, InstrumentError> {
        let results = self.types[function as usize].results();
        Ok(match results {
            [] => BlockType::Empty,
            [result] => BlockType::Result(encoded(*result)?),
            _ => {
                let next = (self.types.len() + self.new_types.len()) as u32;
                let index = *self.indices.entry(results.to_vec()).or_insert(next);
                if index == next {
                    self.new_types.push(FuncType::new([], results.iter().copied()));
                }
                BlockType::FunctionType(index)
            }
        })
    }
}

fn check_limit(
    what: &'static str,
    found: usize,
    limit: usize,
    offset: usize,
) -> Result<(), InstrumentError> {
    match found <= limit {
        true => Ok(()),
        false => Err(InstrumentError::TooLarge { what, found, limit, offset }),
    }
}

fn encoded(ty: wasmparser::ValType) -> Result<ValType, InstrumentError> {
    RoundtripReencoder.val_type(ty).map_err(|error| InstrumentError::Reencode(error.to_string()))
}

/// Writes the sections of a module, with the functions that were instrumented.
struct Sections {
    globals: GlobalIndices,
    code: CodeSection,
    new_types: Vec<FuncType>,
    /// The imports of the counters.
    added: AddedGlobals,
}

impl Reencode for Sections {
    type Error = Infallible;

    fn global_index(&mut self, global: u32) -> Result<u32, Error> {
        Ok(self.globals.map(global))
    }

    /// Adds the section of imports to a module that lacks it.
    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), Error> {
        self.added.add_section_before(module, before);
        Ok(())
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_type_section(self, types, section)?;
        for ty in std::mem::take(&mut self.new_types) {
            let ty = self.func_type(ty)?;
            types.ty().func_type(&ty);
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_import_section(self, imports, section)?;
        self.added.add_to(imports);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        _section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        *code = std::mem::take(&mut self.code);
        Ok(())
    }

    /// Copies custom sections; only the names are written again. Names that cannot be read, and
    /// sections about offsets in functions, are left out.
    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        if let wasmparser::KnownCustom::Name(names) = section.as_known() {
            if let Ok(names) = self.custom_name_section(names) {
                module.section(&names);
            }
        } else if !section.name().starts_with(CODE_METADATA) {
            module.section(&self.custom_section(section)?);
        }
        Ok(())
    }
}
