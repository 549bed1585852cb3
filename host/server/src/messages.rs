//! The sentences of the server, each with a code, and the list of all messages that a client may
//! get.

use sandboard_games::messages::MessageInfo;

/// All messages with codes, by the crates that say them.
pub(crate) const TABLES: [&[MessageInfo]; 4] = [
    sandboard_games::messages::MESSAGES,
    sandboard_engine::messages::MESSAGES,
    sandboard_bout::messages::MESSAGES,
    MESSAGES,
];

sandboard_games::messages! {
    words {
        BOUT_OVER = "the bout is over";
        NO_PAGES = "this server was built without the pages that run engines in the browser";
        NOT_A_PLAYERS_TICKET = "this ticket is not for a player";
        ROOM_HOST_ONLY = "only the room host may do this";
        OPPONENT_WOULD_WAIT = "a game against another person cannot be paused";
        ABORT_AFTER_MOVES = "you and another person have moved: resign, or agree on a draw";
        WAIT_FOR_ANSWERS = "wait for the answers to your earlier messages";
        NO_UNDO_REQUEST = "there is no undo request";
        MAY_NOT_UNDO = "moves may not be undone in this bout";
        NOT_THAT_MANY_MOVES = "there are not that many moves to undo";
        CANNOT_CLAIM = "the win can only be claimed in an untimed bout, when the opponent is gone";
        NOT_A_PERSON = "this player is not a person";
        NO_LONGER_A_PERSON = "this player is no longer a person";
        NOT_GONE = "this player is not gone";
        ENGINE_IS_LOADING = "an engine is being loaded for this room already";
        TOO_MANY_MESSAGES = "too many messages; send them more slowly";
        SPECTATORS_CANNOT = "spectators cannot do this";
        NOT_A_TICKET = "this is not a ticket of the room";
        LOG_IN_OR_TICKET = "log in, or send a ticket of the room";
        CLOSED_BY_PLAYER = "a player has closed the room before the game";
        WAITING_PLAYER_LEFT = "the player who waited has left";
        PLAYERS_DID_NOT_JOIN = "the players did not join";
        ENGINE_WOULD_RESIGN = "the engine would resign";
        ENGINE_WOULD_ACCEPT = "the engine would accept the draw";
        HIDDEN_NOT_LEGAL = "it is not legal";
        OMITTED_LOG = "wrote more log texts; all are in the record";
        BOUT_NOT_OVER = "the bout is not over";
        REMATCH_NEEDS_TICKET = "a rematch needs a player's ticket";
        NO_SUCH_ROOM = "there is no such room";
        ROOM_GONE = "the bout of this room is over; its replay is in the list of bouts";
        NO_SUCH_BOUT = "there is no such bout";
        NO_STORED_BOUT = "no bout with this id is stored; it may not have begun";
        NO_SUCH_ARENA = "there is no such arena";
        NO_SUCH_CONTEST = "there is no such contest";
        NO_UPLOADED_FILE = "there is no such file";
        NO_SUCH_PATH = "there is no such path in version 1 of the API";
        LOG_IN_FOR_RECORDS = "log in to see records";
        NOT_THE_TOKEN = "this is not the server's token";
        TOO_MANY_LOGINS = "too many login attempts";
        TOO_MANY_WRONG_TOKENS = "too many wrong tokens";
        TOKEN_REQUIRED = "this server requires a token: log in";
        TOO_MANY_REQUESTS = "too many requests; send them more slowly";
        TOO_MANY_CONNECTIONS = "too many connections at once";
        SERVER_BUSY = "the server is busy with requests of others; try again soon";
        TOO_MANY_ANALYSES = "too many analyses at once; try again soon";
        TOO_MANY_SOLVED = "too many positions are being solved; try again soon";
        TOO_MANY_TABLES = "too many tables are being computed; try again soon";
        TOO_MANY_DOWNLOADS = "too many downloads at once; try again soon";
        TOO_MANY_ENTRIES = "too many entries are being uploaded; try again soon";
        NO_GAME_IN_FILE = "it contains no game";
        EMPTY_BODY = "it is empty: send the bytes of a file";
        NO_SUCH_FORMAT = "the game has no such format";
        FORMAT_NOT_WRITTEN = "this format can be read but not written";
        UPLOAD_NAME_LENGTH = "a name has 1 to 120 bytes";
        UPLOAD_NAME_LETTERS = "a name consists of letters, digits, `.`, `_` and `-`";
        UPLOAD_NAME_START = "a name begins with a letter, a digit or `_`, and has no two dots in a row";
        UPLOAD_NAME_END = "a name ends with .wasm, .zip, .so, .dll or .dylib";
        ONLY_UPLOADED_DELETED = "only what was uploaded can be deleted here";
        POSITION_MINUTE = "the budget of a position is at most one minute";
        POSITION_NEEDS_LIMIT = "set a limit for each position, such as 2s/move, depth:12 or nodes:1e6";
        ARENA_NOT_RUNNING = "the arena is not running";
        NO_ARENA_GAME = "the arena has no finished game with this name";
        NOT_A_GAME_NAME = "it is not the name of a game";
        NO_SUCH_ENTRY = "you have no entry with this number";
        NO_SUCH_CONTEST_GAME = "you have no finished game with this name";
        NO_SUCH_CONTEST_ARENA = "the contest has no arena with this name";
        UNTRUSTED_LIBRARY = "it is a native library, and the operator has not trusted it yet";
        UNTRUSTED_PROGRAM = "it is a program, and the operator has not trusted it yet";
    }
    sentences {
        move_for_ply(ply, have) = "the move is for ply {ply}, but {have} moves were played";
        move_bytes(max) = "a move has at most {max} bytes";
        ended_by(player) = "ended by {player}";
        fault_of(player, fault) = "{player}: fault: it {fault}";
        refusal_of(player, mv, reason) = "{player}: {mv} refused: {reason}";
        time_exceeded(player) = "{player} exceeded the time limit";
        has_joined(player) = "{player} has joined";
        lost_the_connection(player) = "{player} has lost the connection";
        not_returned(player) = "{player} has not returned";
        move_refused(mv, reason) = "`{mv}` is refused: {reason}";
        no_such_game(game) = "there is no game `{game}`";
        room_limit(max) = "the limit of {max} open rooms is reached";
        quick_game_for_two(game, variant, players) = "a quick game is for two players, and {game} {variant} is for {players}; open a room instead";
        not_a_position(game, error) = "not a position of {game}: {error}";
        move_before_start(number, game, refusal) = "move {number} before the start of {game}: {refusal}";
        no_variant(game, variant, known) = "{game} has no variant `{variant}`; it has {known}";
        persons_budget(budget) = "a person's budget is wall time; `{budget}` counts something else";
        foreign_file(name) = "the file `{name}` was not uploaded here, and is not replaced";
        no_solver(game) = "there is no exact solver for {game}";
        late_body(seconds) = "the body was not received within {seconds} s";
        won(side) = "{side} wins";
    }
}
