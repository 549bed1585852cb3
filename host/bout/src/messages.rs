//! The sentences of a bout, each with a code: its results, and why the referee refuses what players
//! and hosts ask.

sandboard_games::messages! {
    words {
        DRAW_AGREED = "draw: agreed";
        BOUT_NOT_BEGUN = "the bout has not begun";
        BOUT_BEGUN = "the bout has already begun";
        BOUT_FINISHED = "the bout is finished; a new one can start from any of its plies";
        BOUT_PAUSED = "the bout is paused";
        BOUT_NOT_PAUSED = "the bout is not paused";
        NO_UNDO = "moves cannot be undone in this bout";
        NOTHING_TO_UNDO = "there is nothing to undo";
        NO_RESIGNATION = "only a game of two sides can be resigned";
        NO_DRAWS = "draws cannot be offered in this bout";
        DRAW_ALREADY_OFFERED = "the draw is already offered";
        NO_DRAW_OFFERED = "no draw is offered";
    }
    sentences {
        won_by_rule(player, side, rule) = "{player} ({side}) wins: {rule}";
        draw_by_rule(rule) = "draw: {rule}";
        shared_win(players, rule) = "{players} share the win: {rule}";
        with_scores(result, scores) = "{result} (scores of the seats: {scores})";
        illegal_move(mv, reason) = "the move `{mv}` is illegal: {reason}";
        lost(player, side, reason) = "{player} ({side}) loses: {reason}";
        lost_on_time(player, side, how) = "{player} ({side}) loses on time: it {how}";
        took_too_long(spent, allowed) = "took {spent} and was allowed {allowed}";
        took_too_much_cpu(spent, allowed) = "took {spent} and was allowed {allowed} of CPU time";
        lost_by_fault(player, side, fault) = "{player} ({side}) loses: it {fault}";
        lost_connection(player, side) = "{player} ({side}) loses: the connection is lost";
        resigned(player, side) = "{player} ({side}) resigns";
        ply_limit(plies) = "draw: the bout has {plies} plies";
        aborted(reason) = "aborted: {reason}";
        engine_failed(player, side, fault) = "{player} ({side}) {fault}";
        rules_failed(game, fault) = "the rules of {game} failed: {fault}";
        not_measured(unit, player) = "the host did not measure the {unit} of {player}";
        win_adjudicated(player, side, how) = "{player} ({side}) wins by adjudication: {how}";
        draw_adjudicated(how) = "draw by adjudication: {how}";
        seen_ahead(score, plies) = "both sides saw it ahead by {score} or more for {plies} plies";
        saw_itself_behind(score, moves) = "the other side saw itself behind by {score} or more in {moves} moves in a row";
        seen_no_lead(score, plies) = "both sides saw no lead above {score} for {plies} plies";
        perfect_play(first, one, second, other) = "perfect play from here gives {first} {one} and {second} {other}";
        move_text_too_long(bytes, max) = "it has {bytes} bytes, more than {max}";
        no_player(player) = "there is no player {player}";
        no_request(player) = "player {player} has no such request";
        too_few_moves(have, plies) = "{have} moves can be undone, not {plies}";
        input_for_ply(ply, have) = "the input is for ply {ply}, but the bout is at ply {have}";
        the_engine(fault) = "the engine {fault}";
    }
}
