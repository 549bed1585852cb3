//! The interface of Sandboard for engines in Zig: it makes the table of sandboard_engine_v1.h from a file with `about` and
//! `nextMove`. The host has the legal moves, the position after a line of moves, and the time left. A line of moves is
//! move texts separated by single spaces, or the empty text. What a Turn returns is valid until the choice is made. The
//! same source becomes a native library and a WebAssembly component.

const builtin = @import("builtin");
const std = @import("std");

/// The description of an engine. It plays every variant of its game, since the host has the rules.
pub const About = struct { id: []const u8, name: []const u8, author: []const u8, version: []const u8, game: []const u8 };

/// A position, with the result if the game is over.
pub const View = struct {
    position: []const u8,
    to_move: u32,
    over: bool,
    /// The result of each seat, in the game's unit; empty if the game is not over.
    scores: []const i32,
    reason: []const u8,

    /// Whether the game ended with a win of this seat: no score is higher, and one is lower.
    pub fn wonBy(view: View, seat: u32) bool {
        var won = false;
        for (view.scores) |score| {
            if (score > view.scores[seat]) return false;
            if (score < view.scores[seat]) won = true;
        }
        return won;
    }
};

/// A line of moves with its search result. The score is in the game's unit, for the side that chooses.
pub const Line = struct {
    moves: []const u8,
    score: ?i32 = null,
    bound: enum(u32) { estimate, at_least, at_most, exact } = .estimate,
    depth: u32 = 0,
    nodes: u64 = 0,
};

pub const Level = enum(u32) { fatal, warning, info, debug };

/// One request for a move.
pub const Turn = struct {
    /// Memory for this choice; all of it is freed when the choice is made. The host's answers are in it, too. An engine that
    /// asks tens of thousands of questions should replace it with its own arena and reset that from time to time.
    arena: std.mem.Allocator,
    /// The limits beside time: depth, nodes, lines, and whether a draw is offered.
    limits: *const Limits,
    host: *const Host,
    barred: []const Barred,
    random_state: u64,

    /// Units left for this choice, in the unit of its limits; 0: return now. The only clock.
    pub fn left(turn: *const Turn) u64 {
        return turn.host.left(turn.host.ctx);
    }

    /// The legal moves after a line; after the empty line, without the barred ones.
    pub fn legal(turn: *const Turn, line: []const u8) ![]const []const u8 {
        const all = try turn.ask(turn.host.legal, line, {});
        var moves: std.ArrayList([]const u8) = .empty;
        var words = std.mem.tokenizeScalar(u8, all, ' ');
        next: while (words.next()) |move| {
            if (line.len == 0) {
                for (turn.barred) |bar| if (std.mem.eql(u8, bar.move.slice(), move)) continue :next;
            }
            try moves.append(turn.arena, move);
        }
        return moves.items;
    }

    /// The position after a line. In the current position, `to_move` is the seat that chooses.
    pub fn look(turn: *const Turn, line: []const u8) !View {
        var view: RawView = .{};
        const text = try turn.ask(turn.host.look, line, &view);
        var parts = std.mem.splitScalar(u8, text, '\n');
        return .{
            .position = parts.first(),
            .reason = parts.rest(),
            .to_move = view.to_move,
            .over = view.over != 0,
            .scores = try turn.arena.dupe(i32, view.scores[0..view.n_scores]),
        };
    }

    /// A random number below `end` from the game's seed; the same game gives the same numbers (SplitMix64, Steele et al. 2014).
    pub fn random(turn: *Turn, end: u64) u64 {
        turn.random_state +%= 0x9e3779b97f4a7c15;
        var z = turn.random_state;
        z = (z ^ (z >> 30)) *% 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) *% 0x94d049bb133111eb;
        return if (end == 0) 0 else (z ^ (z >> 31)) % end;
    }

    pub fn log(turn: *const Turn, level: Level, words: []const u8) void {
        turn.host.log(turn.host.ctx, @intFromEnum(level), Text.of(words));
    }

    /// Reports the best line so far. If time runs out, the host may play the move of the last report.
    pub fn report(turn: *const Turn, line: Line) void {
        turn.host.report(turn.host.ctx, &.{
            .score = line.score orelse 0,
            .bound = if (line.score == null) unscored else @intFromEnum(line.bound),
            .depth = line.depth,
            .nodes = line.nodes,
            .moves = Text.of(line.moves),
        });
    }

    fn ask(turn: *const Turn, question: anytype, line: []const u8, view: anytype) ![]const u8 {
        var out: []u8 = try turn.arena.alloc(u8, 1024);
        while (true) {
            const room: u32 = @intCast(out.len);
            const bytes = if (@TypeOf(view) == void)
                question(turn.host.ctx, Text.of(line), out.ptr, room)
            else
                question(turn.host.ctx, Text.of(line), view, out.ptr, room);
            if (bytes < 0) return error.IllegalLine;
            if (bytes <= room) {
                // Free the rest of the buffer at once.
                return if (turn.arena.resize(out, @intCast(bytes))) out[0..@intCast(bytes)] else turn.arena.dupe(u8, out[0..@intCast(bytes)]);
            }
            turn.arena.free(out);
            out = try turn.arena.alloc(u8, @intCast(bytes));
        }
    }
};

/// Exports a file with `about` and `nextMove` as the engine.
pub fn exportEngine(comptime Engine: type) void {
    @export(&Table(Engine).get, .{ .name = "sandboard_engine_v1" });
}

/// Ends the engine unless this holds: `sandboard.assert(moves.len > 0, @src())`. The place in the source becomes part of the
/// reason of the fault. std.debug.assert is not checked in an optimized build; this is.
pub fn assert(holds: bool, comptime at: std.builtin.SourceLocation) void {
    if (!holds) panicAt("assertion failed", at);
}

/// Ends the engine with these words and the place in the source: `sandboard.panicAt("no book", @src())`.
pub fn panicAt(comptime words: []const u8, comptime at: std.builtin.SourceLocation) noreturn {
    @panic(words ++ std.fmt.comptimePrint(" ({s}:{d})", .{ at.file, at.line }));
}

/// The handler of panics for `pub const panic = sandboard.panic;` in the main file. In the sandbox the message becomes the
/// reason of the fault; the place is in it only if the message has it, because a module has no addresses to look up.
pub const panic = std.debug.FullPanic(if (builtin.target.cpu.arch.isWasm()) endWith else std.debug.defaultPanic);

/// The host of the call in progress.
var called_by: ?*const Host = null;

fn endWith(words: []const u8, _: ?usize) noreturn {
    if (called_by) |host| host.log(host.ctx, @intFromEnum(Level.fatal), Text.of(words));
    @trap();
}

// ---- The declarations of sandboard_engine_v1.h, which documents them ----

const unscored: u32 = 4;
const ok: i32 = 0;
const failed: i32 = -1;

const Text = extern struct {
    ptr: [*]const u8 = "",
    len: u32 = 0,

    fn of(words: []const u8) Text {
        return .{ .ptr = words.ptr, .len = @intCast(words.len) };
    }

    fn slice(text: Text) []const u8 {
        return if (text.len == 0) "" else text.ptr[0..text.len];
    }
};

const Game = extern struct { game: Text, variants: ?*const Text = null, n_variants: u32 = 0 };
const Description = extern struct {
    size: u32 = @sizeOf(Description),
    abilities: u32 = 0,
    id: Text,
    name: Text,
    author: Text,
    version: Text,
    games: *const Game,
    n_games: u32 = 1,
    options: ?*const anyopaque = null,
    n_options: u32 = 0,
};
const Setup = extern struct {
    size: u32,
    n_seats: u32,
    seats: ?[*]const u8,
    game: Text,
    variant: Text,
    start: Text,
    moves: Text,
    seed: u64,
    options: ?*const anyopaque,
    n_options: u32,
    threads: u16,
    helper: u16,
    helpers: u16,
    reserved: u16,
    memory_bytes: u64,
    table_slots: u64,
};
/// The limits of one choice; a missing limit is `none`.
pub const Limits = extern struct {
    size: u32,
    unit: u32,
    call_max: u64,
    game_left: u64,
    increment: u64,
    grace: u64,
    moves_to_go: u64,
    depth: u64,
    nodes: u64,
    others: ?*const anyopaque,
    n_others: u32,
    draw_offered: u32,
    lines: u32,
    reserved: u32,

    pub const none = std.math.maxInt(u64);
};
const Barred = extern struct { move: Text, reason: Text };
const RawLine = extern struct {
    size: u32 = @sizeOf(RawLine),
    rank: u32 = 1,
    score: i32,
    bound: u32,
    depth: u32,
    reserved: u32 = 0,
    nodes: u64,
    spent: u64 = 0,
    moves: Text,
};
const Choice = extern struct {
    size: u32,
    decision: u32,
    move: Text,
    offers_draw: u32,
    reserved: u32,
    line: ?*const RawLine,
};
const RawView = extern struct {
    size: u32 = @sizeOf(RawView),
    to_move: u32 = 0,
    over: u32 = 0,
    n_scores: u32 = 0,
    scores: [16]i32 = @splat(0),
};
const Host = extern struct {
    size: u32,
    ctx: ?*anyopaque,
    report: *const fn (?*anyopaque, *const RawLine) callconv(.c) void,
    log: *const fn (?*anyopaque, u32, Text) callconv(.c) void,
    left: *const fn (?*anyopaque) callconv(.c) u64,
    legal: *const fn (?*anyopaque, Text, ?[*]u8, u32) callconv(.c) i64,
    look: *const fn (?*anyopaque, Text, ?*RawView, ?[*]u8, u32) callconv(.c) i64,
};
const Functions = extern struct {
    size: u32 = @sizeOf(Functions),
    abi: u32 = 1,
    describe: *const fn () callconv(.c) *const Description,
    start: *const fn (*const Setup, *const Host, *?*anyopaque) callconv(.c) i32,
    played: *const fn (?*anyopaque, Text) callconv(.c) i32,
    taken_back: *const fn (?*anyopaque, u32) callconv(.c) i32,
    choose: *const fn (?*anyopaque, *const Limits, ?[*]const Barred, u32, *Choice) callconv(.c) i32,
    think: *const fn (?*anyopaque) callconv(.c) i32,
    error_text: *const fn (?*anyopaque) callconv(.c) Text,
    drop: *const fn (?*anyopaque) callconv(.c) void,
};

fn Table(comptime Engine: type) type {
    return struct {
        const Instance = struct {
            host: *const Host,
            seed: u64,
            plies: u64,
            memory: std.heap.ArenaAllocator,
            reason: []const u8 = "",

            fn fail(instance: *Instance, why: []const u8) i32 {
                instance.reason = why;
                return failed;
            }
        };

        const about: About = Engine.about;
        const game: Game = .{ .game = Text.of(about.game) };
        const description: Description = .{
            .id = Text.of(about.id),
            .name = Text.of(about.name),
            .author = Text.of(about.author),
            .version = Text.of(about.version),
            .games = &game,
        };
        const functions: Functions = .{
            .describe = describe,
            .start = start,
            .played = played,
            .taken_back = takenBack,
            .choose = choose,
            .think = think,
            .error_text = errorText,
            .drop = drop,
        };

        fn get() callconv(.c) *const Functions {
            return &functions;
        }

        fn describe() callconv(.c) *const Description {
            return &description;
        }

        fn start(setup: *const Setup, host: *const Host, self: *?*anyopaque) callconv(.c) i32 {
            self.* = null;
            const instance = memory.create(Instance) catch return failed;
            var words = std.mem.tokenizeScalar(u8, setup.moves.slice(), ' ');
            var plies: u64 = 0;
            while (words.next()) |_| plies += 1;
            instance.* = .{ .host = host, .seed = setup.seed, .plies = plies, .memory = .init(memory) };
            self.* = instance;
            if (!std.mem.eql(u8, setup.game.slice(), about.game)) return instance.fail("plays nothing but " ++ about.game);
            if (setup.n_options > 0) return instance.fail("has no options");
            // The host's rules check variant, position and moves, and have the error text.
            var room: [512]u8 = undefined;
            const bytes = host.look(host.ctx, .{}, null, &room, room.len);
            if (bytes >= 0) return ok;
            const reason = room[0..@intCast(@min(-1 - bytes, room.len))];
            return instance.fail(instance.memory.allocator().dupe(u8, reason) catch "the host refuses the game");
        }

        fn played(self: ?*anyopaque, _: Text) callconv(.c) i32 {
            of(self).plies += 1;
            return ok;
        }

        fn takenBack(self: ?*anyopaque, plies: u32) callconv(.c) i32 {
            of(self).plies -= plies;
            return ok;
        }

        fn choose(self: ?*anyopaque, limits: *const Limits, barred: ?[*]const Barred, n: u32, out: *Choice) callconv(.c) i32 {
            const instance = of(self);
            called_by = instance.host;
            // Free the memory of the last choice; the host has borrowed its move until now.
            _ = instance.memory.reset(.{ .retain_with_limit = 1 << 20 });
            var turn: Turn = .{
                .arena = instance.memory.allocator(),
                .limits = limits,
                .host = instance.host,
                .barred = if (barred) |list| list[0..n] else &.{},
                // Seed and ply give the same random numbers again after a move was taken back.
                .random_state = instance.seed +% instance.plies *% 0xd1342543de82ef95,
            };
            const move = Engine.nextMove(&turn) catch |why| return instance.fail(@errorName(why));
            const text = move orelse "";
            out.decision = if (text.len == 0) 1 else 0;
            out.move = Text.of(text);
            return ok;
        }

        fn think(_: ?*anyopaque) callconv(.c) i32 {
            return ok;
        }

        fn errorText(self: ?*anyopaque) callconv(.c) Text {
            return Text.of(if (self == null) "no memory for an instance" else of(self).reason);
        }

        fn drop(self: ?*anyopaque) callconv(.c) void {
            if (self == null) return;
            of(self).memory.deinit();
            memory.destroy(of(self));
        }

        fn of(self: ?*anyopaque) *Instance {
            return @ptrCast(@alignCast(self.?));
        }
    };
}

// ---- Memory: malloc and free of C; in the sandbox the shim has them ----

/// An allocator for memory that outlives a choice.
pub const memory: std.mem.Allocator = .{
    .ptr = undefined,
    .vtable = &.{ .alloc = alloc, .resize = std.mem.Allocator.noResize, .remap = std.mem.Allocator.noRemap, .free = release },
};

extern fn malloc(size: usize) ?*anyopaque;
extern fn free(old: ?*anyopaque) void;

fn alloc(_: *anyopaque, size: usize, alignment: std.mem.Alignment, _: usize) ?[*]u8 {
    if (alignment.toByteUnits() > 16) return null;
    return @ptrCast(malloc(size));
}

fn release(_: *anyopaque, old: []u8, _: std.mem.Alignment, _: usize) void {
    free(old.ptr);
}
