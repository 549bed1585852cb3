//! An engine in Zig: one function, the next move. sandboard.zig is the interface to the host and describes Turn.

const sandboard = @import("sandboard.zig");

pub const about: sandboard.About = .{
    .id = "zig-simple",
    .name = "Zig Simple",
    .author = "The Sandboard developers",
    .version = "0.1.0",
    .game = "gomoku",
};

/// Returns a move that wins at once, as far as time permits, otherwise a random one. Null resigns.
pub fn nextMove(turn: *sandboard.Turn) !?[]const u8 {
    const moves = try turn.legal("");
    if (moves.len == 0) return null;
    const seat = (try turn.look("")).to_move;
    for (moves) |move| {
        if (turn.left() == 0) break;
        if ((try turn.look(move)).wonBy(seat)) {
            turn.report(.{ .moves = move, .score = 29999, .bound = .exact, .depth = 1 });
            return move;
        }
    }
    return moves[@intCast(turn.random(moves.len))];
}

/// What a panic in the sandbox says becomes the reason of the fault.
pub const panic = sandboard.panic;

comptime {
    sandboard.exportEngine(@This());
}
