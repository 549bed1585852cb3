//! The built-in rules of gomoku as a component, to compare both.
#![forbid(unsafe_code)]

sandboard_game_sdk::export_game!(sandboard_game_sdk::games::gomoku::Gomoku);
