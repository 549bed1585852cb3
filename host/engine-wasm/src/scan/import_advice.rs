//! Advice for imports that are not in the ABI: which tool usually adds them, and what the author
//! can do. Only a table and its lookup; refuses nothing.

/// A row of [`ADVICE`].
struct Advice {
    /// Name of the imported interface or module; a prefix if it ends in `:`, `/` or `_`.
    import: &'static str,
    /// Which tool usually adds the import, and what to do.
    text: &'static str,
}

/// The first matching row applies.
const ADVICE: &[Advice] = &[
    Advice {
        import: "wasi:http/",
        text: "that is network access: disable it (ComponentizeJS: `--disable http`, `--disable \
               fetch-event`)",
    },
    Advice {
        import: "wasi:",
        text: "that is WASI 0.2, which the standard libraries of wasm32-wasip2, componentize-py and \
               ComponentizeJS import: build Rust for wasm32-unknown-unknown, pass `--stub-wasi` to \
               componentize-py, and `--disable` with each feature to ComponentizeJS; `sandboard build` \
               does all of this",
    },
    Advice {
        import: "wasi_snapshot_preview1",
        text: "that is WASI preview 1, which wasi-libc, Go and wasm32-wasip1 import: the host \
               replaces it by a stub in a core module, and so does `sandboard build` for Go \
               (docs/languages.md); build Rust for wasm32-unknown-unknown, C and C++ without a \
               system (docs/c.md)",
    },
    Advice {
        import: "wasi_unstable",
        text: "that is WASI before preview 1: use a newer compiler, then the advice for WASI preview 1 \
               (docs/languages.md)",
    },
    Advice {
        import: "gojs",
        text: "that is Go for a browser: build with GOOS=wasip1 and -buildmode=c-shared, as `sandboard \
               build` does",
    },
    Advice {
        import: "go",
        text: "that is an old Go for a browser: build with GOOS=wasip1 and -buildmode=c-shared, as \
               `sandboard build` does",
    },
    Advice {
        import: "wbg",
        text: "that is wasm-bindgen, which makes modules for browsers: remove the crates that use it \
               (often getrandom or chrono with their `js` features); use the seed for randomness and \
               `left()` for time",
    },
    Advice {
        import: "__wbindgen_",
        text: "that is wasm-bindgen, which makes modules for browsers: remove the crates that use it \
               (often getrandom or chrono with their `js` features); use the seed for randomness and \
               `left()` for time",
    },
    Advice {
        import: "env",
        text: "that is an undefined function: with Emscripten or `--allow-undefined` the linker turns it \
               into an import (C and C++: docs/c.md lists the available functions); in AssemblyScript it \
               is `abort` (`--use abort=…`)",
    },
    Advice {
        import: "sandboard:engine/",
        text: "that is another version of the ABI: build with the header, SDK or WIT of this \
               version",
    },
];

/// The advice for the first of these imports for which there is some.
pub(super) fn find<'a>(imports: impl IntoIterator<Item = &'a str>) -> Option<&'static str> {
    let advice = |import: &str| ADVICE.iter().find(|row| row.matches(import)).map(|row| row.text);
    imports.into_iter().find_map(advice)
}

impl Advice {
    fn matches(&self, import: &str) -> bool {
        match self.import.ends_with([':', '/', '_']) {
            true => import.starts_with(self.import),
            false => import == self.import,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_import_selects_the_advice() {
        let check = |imports: &[&str], expected: &str| {
            let advice = find(imports.iter().copied()).unwrap_or_default();
            assert!(advice.starts_with(expected), "{imports:?}: {advice:?}");
            assert_eq!(advice.is_empty(), expected.is_empty(), "{imports:?}: {advice:?}");
        };
        check(&["wasi:cli/environment@0.2.3"], "that is WASI 0.2");
        check(&["wasi:http/types@0.2.3"], "that is network access");
        check(&["wasi_snapshot_preview1"], "that is WASI preview 1");
        check(&["wasi_snapshot_preview2"], "");
        check(&["wasi_unstable"], "that is WASI before");
        check(&["gojs"], "that is Go for a browser");
        check(&["go"], "that is an old Go");
        check(&["gopher"], "");
        check(&["wbg"], "that is wasm-bindgen");
        check(&["__wbindgen_placeholder__"], "that is wasm-bindgen");
        check(&["__wbindgen"], "");
        check(&["env"], "that is an undefined function");
        check(&["environment"], "");
        check(&["sandboard:engine/host@2.0.0"], "that is another version of the ABI");
        check(&["my:own/thing"], "");
        check(&["my:own/thing", "env", "gojs"], "that is an undefined function");
        check(&[], "");
    }
}
