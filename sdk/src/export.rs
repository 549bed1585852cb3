//! Exports an [`Engine`](crate::Engine) as a native library with one symbol, or as a wasm
//! component. Translates only, without logic of its own. This module may contain unsafe code.
#![doc(hidden)]

#[cfg(not(target_arch = "wasm32"))]
pub mod native;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

/// Exports an engine: a type that implements [`Chooser`](crate::Chooser).
///
/// The same line serves both kinds. Compiled for `wasm32-unknown-unknown`, the crate becomes a
/// component of the package `sandboard:engine`. Compiled for any other target as a `cdylib`, it
/// becomes a native library with the symbol `sandboard_engine_v1`. A panic in the engine is a fault
/// with its message.
///
/// `export_engine!(engine Type)` exports a type that implements
/// [`Engine`](crate::Engine), the whole ABI, itself. A crate exports one engine.
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
macro_rules! __crate_info {
    () => {
        $crate::CrateInfo {
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
        /// With a second export in the crate, the compiler reports this name as a duplicate.
        #[allow(dead_code, non_camel_case_types)]
        struct a_crate_exports_only_one_engine;

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use bindings::exports::sandboard::engine::engine as abi;
            use $crate::export::wasm::{EngineSlot, bindings};

            static ENGINE: EngineSlot<$engine> = EngineSlot::new();
            struct Component;

            impl abi::Guest for Component {
                fn describe() -> abi::Description {
                    ENGINE.describe($crate::__crate_info!())
                }
                fn start(setup: abi::Setup) -> Result<(), String> {
                    ENGINE.start(setup)
                }
                fn played(mv: String) -> Result<(), String> {
                    ENGINE.played(mv)
                }
                fn taken_back(plies: u32) -> Result<(), String> {
                    ENGINE.taken_back(plies)
                }
                fn choose(
                    limits: abi::Limits,
                    barred: Vec<abi::Barred>,
                ) -> Result<abi::Choice, String> {
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

            // The type is mentioned only here, so that a wrong one gives a single error.
            const EXPORTED: native::ExportedEngine = native::ExportedEngine::of::<$engine>();
            static DESCRIPTION: native::CDescription = native::CDescription::new();
            static TABLE: c::EngineV1 = EXPORTED.table(describe);

            extern "C" fn describe() -> *const c::Description {
                DESCRIPTION.get(EXPORTED, $crate::__crate_info!())
            }

            /// The only symbol of a native engine.
            // SAFETY: the ABI defines the name. Two engines in one binary are a link error.
            #[unsafe(no_mangle)]
            extern "C" fn sandboard_engine_v1() -> *const c::EngineV1 {
                &TABLE
            }
        };
    };
}
