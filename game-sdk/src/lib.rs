//! The SDK for authors of games: a type that implements [`Rules`] or [`GeneralRules`] becomes a
//! component that a host of Sandboard loads from a folder.
//!
//! [`export_game!`] and [`export_general_game!`] export the type. The interface is
//! `abi/wit/game-since-v1/game.wit` in the repository. Everything that rules need is in [`games`]:
//! the trait, positions, variants, errors. Rules have no clock, file or randomness.
#![deny(unsafe_code)]
#![deny(missing_docs)]

// The generated bindings name this crate by its name.
#[cfg(target_arch = "wasm32")]
extern crate self as sandboard_game_sdk;

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod export;
#[cfg(any(target_arch = "wasm32", test))]
mod judge;

pub use sandboard_games as games;
pub use sandboard_games::Rules;
pub use sandboard_games::general::{GeneralRules, TwoSided};

/// Exports the rules of a two-sided game of perfect information: a type that implements [`Rules`].
///
/// Compiled for `wasm32-unknown-unknown`, the crate becomes a component of the package
/// `sandboard:game`. Compiled for any other target, nothing is exported. A crate exports one game.
/// A panic in the rules ends the bout without a result, with the panic's message.
///
/// ```standalone_crate
/// use sandboard_game_sdk::export_game;
/// use sandboard_game_sdk::games::reversi::Reversi;
///
/// export_game!(Reversi);
/// ```
#[macro_export]
macro_rules! export_game {
    ($rules:ty $(,)?) => {
        const _: () = $crate::require_rules::<$rules>();

        $crate::export_general_game!($crate::TwoSided<$rules>);
    };
    ($($other:tt)*) => {
        compile_error!(
            "export_game! takes one type: `export_game!(Mine)` where `Mine` implements `Rules`"
        );
    };
}

/// Exports the rules of a game of any kind: a type that implements [`GeneralRules`]. Otherwise as
/// [`export_game!`].
///
/// ```standalone_crate
/// use sandboard_game_sdk::games::reversi::Reversi;
/// use sandboard_game_sdk::{TwoSided, export_general_game};
///
/// export_general_game!(TwoSided<Reversi>);
/// ```
#[macro_export]
macro_rules! export_general_game {
    ($rules:ty $(,)?) => {
        /// With a second export in the crate, the compiler reports this name as a duplicate.
        #[allow(dead_code, non_camel_case_types)]
        struct a_crate_exports_only_one_game;

        const _: () = $crate::require_general_rules::<$rules>();

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use bindings::exports::sandboard::game::judge as abi;
            use $crate::export::{JudgeSlot, bindings};

            static JUDGE: JudgeSlot<$rules> = JudgeSlot::new();
            struct Component;

            impl abi::Guest for Component {
                fn start(
                    variant: String,
                    position: String,
                ) -> Result<abi::Started, Vec<abi::PositionFault>> {
                    JUDGE.start(&variant, &position)
                }
                fn clone(game: u32) -> u32 {
                    JUDGE.clone_game(game)
                }
                fn close(game: u32) {
                    JUDGE.close(game);
                }
                fn play(game: u32, mv: String) -> Result<abi::Played, String> {
                    JUDGE.play(game, &mv)
                }
                fn canonical(game: u32, seat: u8, mv: String) -> Result<String, String> {
                    JUDGE.canonical(game, seat, &mv)
                }
                fn legal(game: u32, seat: u8) -> String {
                    JUDGE.legal(game, seat)
                }
                fn chance(game: u32) -> Vec<abi::Outcome> {
                    JUDGE.chance(game)
                }
                fn notation(game: u32, mv: String) -> Option<String> {
                    JUDGE.notation(game, &mv)
                }
                fn playouts(
                    game: u32,
                    seed: u64,
                    games: u32,
                    plies_max: u32,
                ) -> abi::PlayoutResults {
                    JUDGE.playouts(game, seed, games, plies_max)
                }
                fn position(game: u32) -> String {
                    JUDGE.position(game)
                }
                fn view(game: u32, observer: abi::Observer) -> String {
                    JUDGE.view(game, observer)
                }
                fn seen(
                    game: u32,
                    observer: abi::Observer,
                    actor: abi::Actor,
                    mv: String,
                ) -> Option<String> {
                    JUDGE.seen(game, observer, actor, &mv)
                }
                fn sides(game: u32) -> Vec<String> {
                    JUDGE.sides(game)
                }
                fn prompt(game: u32) -> Option<String> {
                    JUDGE.prompt(game)
                }
                fn board(game: u32, observer: abi::Observer) -> Option<String> {
                    JUDGE.board(game, observer)
                }
                fn diagram(game: u32, observer: abi::Observer) -> Option<String> {
                    JUDGE.diagram(game, observer)
                }
            }

    bindings::export!(Component with_types_in bindings);
        };
    };
    ($($other:tt)*) => {
        compile_error!(
            "export_general_game! takes one type: `export_general_game!(Mine)` where `Mine` \
             implements `GeneralRules`"
        );
    };
}

/// Fails to compile unless the type implements [`Rules`], on every target.
#[doc(hidden)]
pub const fn require_rules<R: Rules>() {}

/// Fails to compile unless the type implements [`GeneralRules`], on every target.
#[doc(hidden)]
pub const fn require_general_rules<G: GeneralRules>() {}
