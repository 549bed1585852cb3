-- Workers on other machines, and that nothing of one counts any more.
ALTER TABLE attempts ADD COLUMN worker TEXT COLLATE "C";
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
CREATE TRIGGER withdrawn_stays BEFORE UPDATE ON withdrawn
    FOR EACH ROW EXECUTE FUNCTION sandboard_stays('what is withdrawn remains so');
CREATE TRIGGER withdrawn_remains BEFORE DELETE ON withdrawn
    FOR EACH ROW EXECUTE FUNCTION sandboard_remains('what is withdrawn remains so');

-- What was withdrawn may go, and nothing else.
CREATE FUNCTION sandboard_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM arenas WHERE arenas.arena = OLD.arena)
        AND NOT EXISTS (SELECT FROM withdrawn WHERE withdrawn.arena = OLD.arena AND withdrawn.attempt = OLD.attempt)
    THEN
        RAISE EXCEPTION '%', TG_ARGV[0];
    END IF;
    RETURN OLD;
END $$;
DROP TRIGGER accepted_remains ON accepted;
CREATE TRIGGER accepted_remains BEFORE DELETE ON accepted
    FOR EACH ROW EXECUTE FUNCTION sandboard_counts('which attempt counts is said once');

CREATE OR REPLACE FUNCTION sandboard_arena_goes() RETURNS trigger LANGUAGE plpgsql AS $$
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
