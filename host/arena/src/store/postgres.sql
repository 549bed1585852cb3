CREATE TABLE arenas (
    arena TEXT COLLATE "C" PRIMARY KEY,
    setup TEXT NOT NULL,
    openings BYTEA
);
CREATE TABLE players (
    arena TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (arena, number)
);
CREATE TABLE events (
    arena TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (arena, number)
);
-- Attempts are numbered from 1 in each arena.
CREATE TABLE attempts (
    arena TEXT COLLATE "C" NOT NULL,
    id BIGINT NOT NULL,
    pair BIGINT NOT NULL,
    game SMALLINT NOT NULL,
    job BYTEA NOT NULL,
    round BIGINT NOT NULL,
    opening BIGINT,
    players TEXT NOT NULL,
    half_points TEXT,
    plies BIGINT,
    fault TEXT,
    result TEXT,
    sentence TEXT NOT NULL,
    stored_ms BIGINT NOT NULL,
    -- The remote worker that played it; null: the process that plays the arena.
    worker TEXT COLLATE "C",
    PRIMARY KEY (arena, id)
);
CREATE TABLE records (
    arena TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (arena, attempt)
);
-- Records are compressed already.
ALTER TABLE records ALTER COLUMN record SET STORAGE EXTERNAL;
CREATE TABLE accepted (
    arena TEXT COLLATE "C" NOT NULL,
    pair BIGINT NOT NULL,
    game SMALLINT NOT NULL,
    attempt BIGINT NOT NULL,
    PRIMARY KEY (arena, pair, game)
);
CREATE TABLE requests (
    arena TEXT COLLATE "C" NOT NULL,
    number BIGINT GENERATED ALWAYS AS IDENTITY,
    request TEXT NOT NULL,
    done BOOLEAN,
    answer TEXT,
    PRIMARY KEY (arena, number)
);
CREATE INDEX requests_open ON requests (arena, number) WHERE done IS NULL;
CREATE TABLE status (
    arena TEXT COLLATE "C" PRIMARY KEY,
    changes BIGINT NOT NULL,
    text TEXT NOT NULL
);
-- Remote workers whose games no longer count.
CREATE TABLE excluded (
    arena TEXT COLLATE "C" NOT NULL,
    worker TEXT COLLATE "C" NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (arena, worker)
);
CREATE TABLE withdrawn (
    arena TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    PRIMARY KEY (arena, attempt)
);

CREATE FUNCTION sandboard_reject_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
CREATE TRIGGER attempts_update BEFORE UPDATE ON attempts
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_update('an attempt is never changed');
CREATE TRIGGER records_update BEFORE UPDATE ON records
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_update('a record is never changed');
CREATE TRIGGER accepted_update BEFORE UPDATE ON accepted
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_update('an accepted attempt is never replaced');
CREATE TRIGGER withdrawn_update BEFORE UPDATE ON withdrawn
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_update('a withdrawal is final');

-- Rows of an existing arena cannot be deleted; deleting the arena itself deletes all of them.
CREATE FUNCTION sandboard_reject_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM arenas WHERE arenas.arena = OLD.arena) THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER attempts_delete BEFORE DELETE ON attempts
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_delete('an attempt is never deleted');
CREATE TRIGGER records_delete BEFORE DELETE ON records
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_delete('a record is never deleted');
CREATE TRIGGER withdrawn_delete BEFORE DELETE ON withdrawn
    FOR EACH ROW EXECUTE FUNCTION sandboard_reject_delete('a withdrawal is final');

-- Only withdrawn attempts can be removed from the accepted ones.
CREATE FUNCTION sandboard_reject_unless_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM arenas WHERE arenas.arena = OLD.arena)
        AND NOT EXISTS (
            SELECT FROM withdrawn
            WHERE withdrawn.arena = OLD.arena AND withdrawn.attempt = OLD.attempt
        )
    THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER accepted_delete BEFORE DELETE ON accepted
    FOR EACH ROW
    EXECUTE FUNCTION sandboard_reject_unless_withdrawn('an accepted attempt is never replaced');

CREATE FUNCTION sandboard_delete_arena() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM records WHERE arena = OLD.arena;
    DELETE FROM accepted WHERE arena = OLD.arena;
    DELETE FROM withdrawn WHERE arena = OLD.arena;
    DELETE FROM excluded WHERE arena = OLD.arena;
    DELETE FROM attempts WHERE arena = OLD.arena;
    DELETE FROM players WHERE arena = OLD.arena;
    DELETE FROM events WHERE arena = OLD.arena;
    DELETE FROM requests WHERE arena = OLD.arena;
    DELETE FROM status WHERE arena = OLD.arena;
    RETURN NULL;
END $$;
CREATE TRIGGER arena_delete AFTER DELETE ON arenas
    FOR EACH ROW EXECUTE FUNCTION sandboard_delete_arena();
