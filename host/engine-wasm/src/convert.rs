//! Converts between the ABI types that wasmtime generates and those of `sandboard-abi`, field by
//! field. Decides nothing.

use sandboard_abi as abi;

use super::bindings::sandboard::engine::types;

pub(super) fn line(line: types::Line) -> abi::Line {
    let bound = |bound| match bound {
        types::Bound::Estimate => abi::Bound::Estimate,
        types::Bound::AtLeast => abi::Bound::AtLeast,
        types::Bound::AtMost => abi::Bound::AtMost,
        types::Bound::Exact => abi::Bound::Exact,
    };
    abi::Line {
        rank: line.rank,
        score: line.score.map(|s| abi::Score { value: s.value, bound: bound(s.bound) }),
        depth: line.depth,
        nodes: line.nodes,
        spent: line.spent,
        moves: line.moves,
    }
}

pub(super) fn level(level: types::Level) -> abi::Level {
    match level {
        types::Level::Fatal => abi::Level::Fatal,
        types::Level::Warning => abi::Level::Warning,
        types::Level::Info => abi::Level::Info,
        types::Level::Debug => abi::Level::Debug,
    }
}

pub(super) fn cell_op(op: types::CellOp) -> abi::CellOp {
    match op {
        types::CellOp::Get => abi::CellOp::Get,
        types::CellOp::Put => abi::CellOp::Put,
        types::CellOp::Add => abi::CellOp::Add,
        types::CellOp::Max => abi::CellOp::Max,
    }
}

pub(super) fn view(view: abi::View) -> types::View {
    let ending = |e: abi::Ending| types::Ending { scores: e.scores, reason: e.reason };
    types::View { position: view.position, to_move: view.to_move, ending: view.ending.map(ending) }
}

pub(super) fn setup(setup: &abi::Setup) -> types::Setup {
    types::Setup {
        game: setup.game.clone(),
        variant: setup.variant.clone(),
        start: setup.start.clone(),
        moves: setup.moves.clone(),
        seats: setup.seats.clone(),
        seed: setup.seed,
        options: setup.options.clone(),
        memory_bytes: setup.memory_bytes,
        threads: setup.threads,
        helper: setup.helper,
        helpers: setup.helpers,
        table_slots: setup.table_slots,
    }
}

pub(super) fn limits(limits: &abi::Limits) -> types::Limits {
    types::Limits {
        unit: match limits.unit {
            abi::Unit::Unlimited => types::Unit::Unlimited,
            abi::Unit::Wall => types::Unit::Wall,
            abi::Unit::Cpu => types::Unit::Cpu,
            abi::Unit::Fuel => types::Unit::Fuel,
        },
        call_max: limits.call_max,
        game_left: limits.game_left,
        increment: limits.increment,
        moves_to_go: limits.moves_to_go,
        grace: limits.grace,
        depth: limits.depth,
        nodes: limits.nodes,
        lines: limits.lines.max(1),
        others_left: limits.others_left.clone(),
        draw_offered: limits.draw_offered,
    }
}

pub(super) fn barred(barred: &abi::Barred) -> types::Barred {
    types::Barred { move_: barred.r#move.clone(), reason: barred.reason.clone() }
}

pub(super) fn choice(choice: types::Choice) -> abi::Choice {
    abi::Choice {
        decision: match choice.decision {
            types::Decision::Play(mv) => abi::Decision::Play(mv),
            types::Decision::Resign => abi::Decision::Resign,
            types::Decision::AcceptDraw => abi::Decision::AcceptDraw,
        },
        offers_draw: choice.offers_draw,
        line: choice.line.map(line),
    }
}

pub(super) fn description(description: types::Description) -> abi::Description {
    let kind = |kind| match kind {
        types::Kind::Toggle => abi::Kind::Toggle,
        types::Kind::Whole((min, max)) => abi::Kind::Whole(min, max),
        types::Kind::Real((min, max)) => abi::Kind::Real(min, max),
        types::Kind::Pick(words) => abi::Kind::Pick(words),
        types::Kind::Text(bytes) => abi::Kind::Text(bytes),
    };
    let option = |option: types::OptionSpec| abi::OptionSpec {
        name: option.name,
        about: option.about,
        kind: kind(option.kind),
        initial: option.initial,
        tunable: option.tunable,
    };
    let game = |game: types::GameSpec| abi::GameSpec { game: game.game, variants: game.variants };
    abi::Description {
        id: description.id,
        name: description.name,
        author: description.author,
        version: description.version,
        games: description.games.into_iter().map(game).collect(),
        options: description.options.into_iter().map(option).collect(),
        abilities: abi::Abilities {
            ponders: description.abilities.contains(types::Abilities::PONDERS),
            helpers: description.abilities.contains(types::Abilities::HELPERS),
            proves: description.abilities.contains(types::Abilities::PROVES),
        },
    }
}
