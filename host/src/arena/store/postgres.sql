CREATE TABLE arenas (
    arena TEXT COLLATE "C" PRIMARY KEY,
    setup TEXT NOT NULL,
    openings BYTEA
);
CREATE TABLE players (
    arena TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    about TEXT NOT NULL,
    PRIMARY KEY (arena, number)
);
CREATE TABLE events (
    arena TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (arena, number)
);
-- Numbers of attempts count from 1 in each arena.
CREATE TABLE attempts (
    arena TEXT COLLATE "C" NOT NULL,
    id BIGINT NOT NULL,
    pair BIGINT NOT NULL,
    game SMALLINT NOT NULL,
    job BYTEA NOT NULL,
    round BIGINT NOT NULL,
    opening BIGINT,
    player_one BIGINT NOT NULL,
    player_two BIGINT NOT NULL,
    half_points SMALLINT,
    plies BIGINT,
    fault TEXT,
    result TEXT,
    sentence TEXT NOT NULL,
    stored_ms BIGINT NOT NULL,
    PRIMARY KEY (arena, id)
);
CREATE TABLE records (
    arena TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    record BYTEA NOT NULL,
    PRIMARY KEY (arena, attempt)
);
-- They are packed already.
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
    what TEXT NOT NULL,
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

CREATE FUNCTION sandboard_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
CREATE TRIGGER attempts_stay BEFORE UPDATE ON attempts
    FOR EACH ROW EXECUTE FUNCTION sandboard_stays('an attempt is never changed');
CREATE TRIGGER records_stay BEFORE UPDATE ON records
    FOR EACH ROW EXECUTE FUNCTION sandboard_stays('a record is never changed');
CREATE TRIGGER accepted_stays BEFORE UPDATE ON accepted
    FOR EACH ROW EXECUTE FUNCTION sandboard_stays('which attempt counts is said once');

-- Nothing is removed of an arena that is there; where somebody removes the arena itself, all of it goes.
CREATE FUNCTION sandboard_remains() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM arenas WHERE arenas.arena = OLD.arena) THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER attempts_remain BEFORE DELETE ON attempts
    FOR EACH ROW EXECUTE FUNCTION sandboard_remains('an attempt is never removed');
CREATE TRIGGER records_remain BEFORE DELETE ON records
    FOR EACH ROW EXECUTE FUNCTION sandboard_remains('a record is never removed');
CREATE TRIGGER accepted_remains BEFORE DELETE ON accepted
    FOR EACH ROW EXECUTE FUNCTION sandboard_remains('which attempt counts is said once');
CREATE FUNCTION sandboard_arena_goes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM records WHERE arena = OLD.arena;
    DELETE FROM accepted WHERE arena = OLD.arena;
    DELETE FROM attempts WHERE arena = OLD.arena;
    DELETE FROM players WHERE arena = OLD.arena;
    DELETE FROM events WHERE arena = OLD.arena;
    DELETE FROM requests WHERE arena = OLD.arena;
    DELETE FROM status WHERE arena = OLD.arena;
    RETURN NULL;
END $$;
CREATE TRIGGER arena_goes AFTER DELETE ON arenas
    FOR EACH ROW EXECUTE FUNCTION sandboard_arena_goes();
