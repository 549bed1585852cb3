//! Two globals that a rewritten module imports after its own imports. Those that it defines move.

use wasm_encoder::{EntityType, GlobalType, ImportSection, Module, SectionId, ValType};

/// Two mutable globals, as imports of a module.
pub(crate) struct AddedGlobals {
    /// The module from which they are imported.
    pub module: &'static str,
    /// The name and the type of each.
    pub globals: [(&'static str, ValType); 2],
    /// Whether the imports are written.
    written: bool,
}

impl AddedGlobals {
    pub(crate) fn new(module: &'static str, globals: [(&'static str, ValType); 2]) -> Self {
        Self { module, globals, written: false }
    }

    /// Adds them to the imports of the module.
    pub(crate) fn add_to(&mut self, imports: &mut ImportSection) {
        for (name, val_type) in self.globals {
            let ty = GlobalType { val_type, mutable: true, shared: false };
            imports.import(self.module, name, EntityType::Global(ty));
        }
        self.written = true;
    }

    /// Adds a section of imports with them, if the module lacks one and the next section follows
    /// it.
    pub(crate) fn add_section_before(&mut self, module: &mut Module, next: Option<SectionId>) {
        if !self.written && !matches!(next, Some(SectionId::Type | SectionId::Import)) {
            let mut imports = ImportSection::new();
            self.add_to(&mut imports);
            module.section(&imports);
        }
    }
}

/// The new index of a global of a module that imports `imported` globals itself.
pub(crate) fn moved(index: u32, imported: u32) -> u32 {
    if index < imported { index } else { index.saturating_add(2) }
}
