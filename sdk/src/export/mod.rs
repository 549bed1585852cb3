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
/// [`Engine`](crate::Engine), the whole border, itself.
#[macro_export]
macro_rules! export_engine {
    (engine $engine:ty) => {
        $crate::__export_engine!($engine);
    };
    ($chooser:ty) => {
        $crate::__export_engine!($crate::BaseEngine<$chooser>);
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

            static DESCRIPTION: native::Described = native::Described::new();
            static TABLE: c::EngineV1 = native::table::<$engine>(describe);

            extern "C" fn describe() -> *const c::Description {
                DESCRIPTION.get::<$engine>($crate::__cargo!())
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
