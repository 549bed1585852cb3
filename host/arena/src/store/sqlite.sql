-- The tables of PostgreSQL (postgres.sql), so that both databases share their queries. A file holds
-- one arena; its rows have the same value in `arena`.
CREATE TABLE arenas (
    arena TEXT PRIMARY KEY NOT NULL,
    setup TEXT NOT NULL,
    openings BLOB
);
CREATE TABLE players (
    arena TEXT NOT NULL,
    number INTEGER NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (arena, number)
) WITHOUT ROWID;
CREATE TABLE events (
    arena TEXT NOT NULL,
    number INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (arena, number)
) WITHOUT ROWID;
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    arena TEXT NOT NULL,
    pair INTEGER NOT NULL,
    game INTEGER NOT NULL,
    job BLOB NOT NULL,
    round INTEGER NOT NULL,
    opening INTEGER,
    players TEXT NOT NULL,
    half_points TEXT,
    plies INTEGER,
    fault TEXT,
    result TEXT,
    sentence TEXT NOT NULL,
    stored_ms INTEGER NOT NULL,
    worker TEXT
);
CREATE TABLE records (
    attempt INTEGER PRIMARY KEY,
    arena TEXT NOT NULL,
    record BLOB NOT NULL
);
CREATE TABLE accepted (
    arena TEXT NOT NULL,
    pair INTEGER NOT NULL,
    game INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (arena, pair, game)
) WITHOUT ROWID;
CREATE TABLE requests (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    arena TEXT NOT NULL,
    request TEXT NOT NULL,
    done INTEGER,
    answer TEXT
);
CREATE INDEX requests_open ON requests (number) WHERE done IS NULL;
CREATE TABLE status (
    arena TEXT PRIMARY KEY NOT NULL,
    changes INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE excluded (
    arena TEXT NOT NULL,
    worker TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (arena, worker)
) WITHOUT ROWID;
CREATE TABLE withdrawn (
    attempt INTEGER PRIMARY KEY,
    arena TEXT NOT NULL
);

CREATE TRIGGER attempts_update BEFORE UPDATE ON attempts
    BEGIN SELECT RAISE(ABORT, 'an attempt is never changed'); END;
CREATE TRIGGER attempts_delete BEFORE DELETE ON attempts
    BEGIN SELECT RAISE(ABORT, 'an attempt is never deleted'); END;
CREATE TRIGGER records_update BEFORE UPDATE ON records
    BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER records_delete BEFORE DELETE ON records
    BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
CREATE TRIGGER accepted_update BEFORE UPDATE ON accepted
    BEGIN SELECT RAISE(ABORT, 'an accepted attempt is never replaced'); END;
CREATE TRIGGER accepted_delete BEFORE DELETE ON accepted
    WHEN OLD.attempt NOT IN (SELECT attempt FROM withdrawn)
    BEGIN SELECT RAISE(ABORT, 'an accepted attempt is never replaced'); END;
CREATE TRIGGER withdrawn_delete BEFORE DELETE ON withdrawn
    BEGIN SELECT RAISE(ABORT, 'a withdrawal is final'); END;
