//! What an import that no engine gets tells of how a module was made: which tool usually asks for it, and what its
//! author can do about it. A table and its lookup; decides nothing.

/// A row of [`ADVICE`].
struct Advice {
    /// The interface or module that is imported begins so; a name that ends in a sign is a prefix, another a whole one.
    import: &'static str,
    /// Who usually asks for it, and what to do.
    words: &'static str,
}

/// In the order in which they are looked for.
const ADVICE: &[Advice] = &[
    Advice {
        import: "wasi:http/",
        words: "that is a network: leave it out (ComponentizeJS: `--disable http`, `--disable fetch-event`)",
    },
    Advice {
        import: "wasi:",
        words: "that is WASI 0.2, which standard libraries of wasm32-wasip2, componentize-py and ComponentizeJS ask for: \
                build Rust for wasm32-unknown-unknown, give componentize-py `--stub-wasi`, ComponentizeJS `--disable` \
                of each feature; `sandboard build` does all of it",
    },
    Advice {
        import: "wasi_snapshot_preview1",
        words: "that is WASI preview 1, which wasi-libc, Go and wasm32-wasip1 ask for: a core module gets a stub in its \
                place, from `sandboard build` for Go or when it is loaded (docs/languages.md); build Rust for wasm32-unknown-unknown, C and C++ without a system (docs/c.md)",
    },
    Advice {
        import: "wasi_unstable",
        words: "that is WASI before preview 1: a newer compiler, and then as for WASI preview 1 (docs/languages.md)",
    },
    Advice {
        import: "gojs",
        words: "that is Go for a browser: build with GOOS=wasip1 and -buildmode=c-shared, as `sandboard build` does",
    },
    Advice {
        import: "go",
        words: "that is an old Go for a browser: build with GOOS=wasip1 and -buildmode=c-shared, as `sandboard build` does",
    },
    Advice {
        import: "wbg",
        words: "that is wasm-bindgen, which makes modules for browsers: leave out the crates that ask for it (often \
                getrandom or chrono by their `js` features); randomness is the seed's, time is `left()`",
    },
    Advice {
        import: "__wbindgen_",
        words: "that is wasm-bindgen, which makes modules for browsers: leave out the crates that ask for it (often \
                getrandom or chrono by their `js` features); randomness is the seed's, time is `left()`",
    },
    Advice {
        import: "env",
        words: "that is a function which nobody defined: with Emscripten or `--allow-undefined` the linker takes that for an \
                import (C and C++: docs/c.md says what there is); in AssemblyScript it is `abort` (`--use abort=…`)",
    },
    Advice {
        import: "sandboard:engine/",
        words: "that is Sandboard's, but of another version of the border: build with the header, SDK or WIT of this one",
    },
];

/// What is to be said of the first of these imports that something is known of.
pub fn on<'a>(imports: impl IntoIterator<Item = &'a str>) -> Option<&'static str> {
    let known = |import: &str| ADVICE.iter().find(|row| row.is_on(import)).map(|row| row.words);
    imports.into_iter().find_map(known)
}

impl Advice {
    fn is_on(&self, import: &str) -> bool {
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
    fn an_import_tells_who_asked_for_it() {
        let check = |imports: &[&str], expected: &str| {
            let words = on(imports.iter().copied()).unwrap_or_default();
            assert!(words.starts_with(expected), "{imports:?}: {words:?}");
            assert_eq!(words.is_empty(), expected.is_empty(), "{imports:?}: {words:?}");
        };
        check(&["wasi:cli/environment@0.2.3"], "that is WASI 0.2");
        check(&["wasi:http/types@0.2.3"], "that is a network");
        check(&["wasi_snapshot_preview1"], "that is WASI preview 1");
        check(&["wasi_snapshot_preview2"], "");
        check(&["wasi_unstable"], "that is WASI before");
        check(&["gojs"], "that is Go for a browser");
        check(&["go"], "that is an old Go");
        check(&["gopher"], "");
        check(&["wbg"], "that is wasm-bindgen");
        check(&["__wbindgen_placeholder__"], "that is wasm-bindgen");
        check(&["__wbindgen"], "");
        check(&["env"], "that is a function which nobody defined");
        check(&["environment"], "");
        check(&["sandboard:engine/host@2.0.0"], "that is Sandboard's");
        check(&["my:own/thing"], "");
        // The first that something is known of.
        check(&["my:own/thing", "env", "gojs"], "that is a function");
        check(&[], "");
    }
}
