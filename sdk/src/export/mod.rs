//! Turns an [`Engine`](crate::Engine) into what a host loads: a native library
//! with one symbol, or a wasm component. Holds no logic of its own beyond the
//! translation; the only code of the SDK that may be unsafe.
#![doc(hidden)]

#[cfg(not(target_arch = "wasm32"))]
pub mod native;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

/// Exports an engine: a type that implements [`Chooser`](crate::Chooser).
///
/// The same line serves both kinds. Compiled for `wasm32-unknown-unknown` the
/// crate becomes a component of the package `sandboard:engine`; compiled for
/// anything else, as a `cdylib`, a native library with the symbol
/// `sandboard_engine_v1`. A panic in the engine is a fault with its message.
///
/// `export_engine!(engine Type)` exports a type that implements
/// [`Engine`](crate::Engine), the whole border, itself. A crate exports one engine.
///
/// ```standalone_crate
/// use sandboard_sdk::games::gomoku::Gomoku;
/// use sandboard_sdk::{Chooser, Reply, Turn, export_engine};
///
/// #[derive(Default)]
/// struct First;
///
/// impl Chooser for First {
///     type Rules = Gomoku;
///
///     fn next_move(&mut self, turn: &mut Turn<'_, Gomoku>) -> Reply<Gomoku> {
///         turn.legal_moves().first().map_or(Reply::resign(), |&mv| Reply::play(mv))
///     }
/// }
///
/// export_engine!(First);
/// ```
#[macro_export]
macro_rules! export_engine {
    (engine $engine:ty $(,)?) => {
        $crate::__export_engine!($engine);
    };
    ($chooser:ty $(,)?) => {
        $crate::__export_engine!($crate::BaseEngine<$chooser>);
    };
    ($($other:tt)*) => {
        compile_error!(
            "export_engine! takes one type: `export_engine!(Mine)` where `Mine` implements \
             `Chooser`, or `export_engine!(engine Mine)` where it implements `Engine`"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __cargo {
    () => {
        $crate::Cargo {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            authors: env!("CARGO_PKG_AUTHORS"),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export_engine {
    ($engine:ty) => {
        /// A second one makes the compiler say so by this name, before the linker does by another.
        #[allow(dead_code, non_camel_case_types)]
        struct a_crate_exports_only_one_engine;

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use bindings::exports::sandboard::engine::engine as border;
            use $crate::export::wasm::{Slot, bindings};

            static ENGINE: Slot<$engine> = Slot::new();
            struct Component;

            impl border::Guest for Component {
                fn describe() -> border::Description {
                    ENGINE.describe($crate::__cargo!())
                }
                fn start(setup: border::Setup) -> Result<(), String> {
                    ENGINE.start(setup)
                }
                fn played(mv: String) -> Result<(), String> {
                    ENGINE.played(mv)
                }
                fn taken_back(plies: u32) -> Result<(), String> {
                    ENGINE.taken_back(plies)
                }
                fn choose(
                    limits: border::Limits,
                    barred: Vec<border::Barred>,
                ) -> Result<border::Choice, String> {
                    ENGINE.choose(limits, barred)
                }
                fn think() -> Result<(), String> {
                    ENGINE.think()
                }
            }

    bindings::export!(Component with_types_in bindings);
        };

        #[cfg(not(target_arch = "wasm32"))]
        const _: () = {
            use $crate::export::native::{self, c};

            // The only mention of the type, so that a wrong one is one error.
            const EXPORTED: native::Exported = native::Exported::of::<$engine>();
            static DESCRIPTION: native::Described = native::Described::new();
            static TABLE: c::EngineV1 = EXPORTED.table(describe);

            extern "C" fn describe() -> *const c::Description {
                DESCRIPTION.get(EXPORTED, $crate::__cargo!())
            }

            /// The one symbol of a native engine.
            // SAFETY: the name is the border's; two engines linked into one
            // binary clash at link time, they never share it silently.
            #[unsafe(no_mangle)]
            extern "C" fn sandboard_engine_v1() -> *const c::EngineV1 {
                &TABLE
            }
        };
    };
}
