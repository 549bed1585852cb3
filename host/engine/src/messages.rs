//! The sentences of faults, each with a code. The engine is the subject of each.

sandboard_games::messages! {
    words {
        USED_ALL_COUNTABLE_FUEL = "used up all fuel that can be counted";
        USED_ITS_STACK = "used up its stack";
        CLOSED_ITS_CHANNEL = "closed its channel before it answered";
        HAS_NO_PROCESS = "has no process any more";
        ENDED_ITS_THREAD = "ended its own thread";
        CHOSE_NOTHING = "chose nothing";
        ACCEPTED_NO_DRAW = "accepted a draw that was not offered";
        LOST_PONDER_THREAD = "was lost with the thread on which it pondered";
        LOST_ITS_THREAD = "was lost with its thread";
    }
    sentences {
        no_answer(limit) = "did not answer within {limit}";
        no_answer_with_grace(limit, grace_ms) = "did not answer within {limit} and {grace_ms} ms of grace";
        no_answer_guard(ms) = "did not answer within {ms} ms, the guard of moves without a time limit";
        no_answer_busy(ms, cpu_ms) = "did not answer within {ms} ms, the guard of moves without a time limit, and a busy machine gave it {cpu_ms} ms of CPU time";
        did_not_stop(ms) = "did not stop within {ms} ms after a stop request";
        stopped_by_guard(ms) = "was stopped by the host's guard after {ms} ms";
        cpu_limit(ms) = "{ms} ms of CPU time";
        cpu_used_in(ms, cpu_ms) = "{ms} ms, in which it used {cpu_ms} ms of CPU time";
        milliseconds(ms) = "{ms} ms";
        used_fuel_in(units, call) = "used up its {units} units of fuel in {call}";
        used_fuel_and_grace(units, grace) = "used up its {units} units of fuel and {grace} of grace";
        used_fuel(units) = "used up its {units} units of fuel";
        used_memory(size) = "used up its {size} of memory";
        needs_memory(size) = "needs more than its {size} of memory to begin with";
        used_table(elements) = "used up the {elements} elements of a table";
        used_stack_slots(slots) = "used up its {slots} slots of stack";
        used_stack(kib) = "used up its {kib} KiB of stack";
        gave_up(text) = "gave up: {text}";
        trapped_in(trap, function) = "trapped: {trap} in the module's function {function}";
        trapped(trap) = "trapped: {trap}";
        violated_abi(text) = "violated the ABI: {text}";
        too_much_output(kib) = "handed over more than {kib} KiB in one call";
        line_too_long(max) = "printed a line of more than {max} bytes";
        printed_too_much(max, span) = "printed more than {max} bytes in one {span}";
        not_utf8(text) = "printed a line that is not UTF-8: {text}";
        ended_process(status) = "ended its process before it answered (exit status {status})";
        answered_with_error(text) = "answered with an error: {text}";
        invalid_move_text(move_text, why) = "chose `{move_text}`, {why}";
        unexpected_answer(command, line) = "answered `{command}` with `{line}`";
        cannot_be_loaded(text) = "cannot be loaded: {text}";
        cannot_be_started(text) = "cannot be started: {text}";
        no_jail(text) = "has no jail to run in: {text}";
        no_process(text) = "has no process to run in: {text}";
        no_thread(text) = "got no thread: {text}";
        killed_late(seconds) = "exceeded the limits of its process and was killed {seconds} s later";
        memory_refused(text) = "was stopped because the system refused memory: {text}";
        move_too_long(bytes, max) = "sent a move of {bytes} bytes; at most {max} are admitted";
    }
}
