import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The border of Sandboard for engines in Java: what the host says, line by line, and to the author a Turn.
 *
 * <p>What is legal, what a line of moves comes to and how much time is left is asked of the host. A line of moves is
 * move texts with one space between two, the empty text for none. The engine is a program in a jail: no network, no
 * other process, no file but those that its pack names. Standard input and output are the host's: what is printed on
 * System.out goes to standard error, whose end is shown with a fault; FileDescriptor.out leads to the host.
 */
public final class Sandboard {
    /** What an engine says of itself. It plays every variant of its game: the host knows the rules. */
    public record About(String id, String name, String author, String version, String game) {}

    /** What an author writes. */
    public interface Player {
        /** The next move; null and the empty text resign. What it throws is the reason of a fault, with its place. */
        String nextMove(Turn turn) throws Exception;
    }

    /** A position, and how the game ended where it is over; winner: a seat of the side that won, -1 for none. */
    public record View(String position, int toMove, boolean over, int winner, String reason) {
        /** Whether the game ended in favour of this seat's side: a side has every other seat. */
        public boolean wonBy(int seat) {
            return winner >= 0 && winner % 2 == seat % 2;
        }
    }

    /** What the budget admits beside time, 0 for no limit; how many lines are wanted; whether a draw is offered. */
    public record Limits(int depth, long nodes, int lines, boolean drawOffered) {}

    /** How a score is to be read: proved is EXACT. */
    public enum Bound {
        ESTIMATE("estimate"), AT_LEAST("at-least"), AT_MOST("at-most"), EXACT("exact");

        private final String word;

        Bound(String word) {
            this.word = word;
        }
    }

    /** A line of moves that is not legal, and why. */
    public static final class IllegalLine extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        IllegalLine(String reason) {
            super(reason);
        }
    }

    /** All that one choice may use. */
    public static final class Turn {
        /** What the budget admits beside time. */
        public final Limits limits;
        /** Chance out of the game's seed; the same game, the same numbers. */
        public final Random random;
        /** The options of the pack's manifest, by name. */
        public final Map<String, String> options;
        private final Sandboard host;
        private final Set<String> barred;

        private Turn(Sandboard host) {
            this.host = host;
            limits = new Limits(
                (int) Math.min(host.number("depth"), Integer.MAX_VALUE), host.number("nodes"),
                (int) host.number("lines"),
                host.facts.containsKey("draw-offered"));
            // With the ply in it, a move that was taken back comes again.
            int plies = words(host.facts.getOrDefault("moves", "")).length;
            random = new Random(mixed(host.seed + plies * GOLDEN_RATIO));
            options = Map.copyOf(host.options);
            barred = Set.copyOf(host.barred);
        }

        /** Units left of this choice, in the budget's unit, the only clock; 0: return now. */
        public long left() {
            return host.left();
        }

        /** The legal moves after a line; right here ("") without those that are barred. */
        public String[] legal(String line) {
            String[] moves = words(host.asked("legal", line));
            if (barred.isEmpty() || !line.isBlank()) {
                return moves;
            }
            int kept = 0;
            for (String move : moves) {
                if (!barred.contains(move)) {
                    moves[kept++] = move;
                }
            }
            return Arrays.copyOf(moves, kept);
        }

        /** The position after a line; toMove of the current one ("") is who chooses. */
        public View look(String line) {
            String[] view = split(host.asked("look", line));
            String[] ending = split(host.heard());
            int toMove = Integer.parseInt(view[0]);
            switch (ending[0]) {
                case "open":
                    return new View(view[1], toMove, false, -1, "");
                case "drawn":
                    return new View(view[1], toMove, true, -1, ending[1]);
                default:
                    String[] won = split(ending[1]);
                    return new View(view[1], toMove, true, Integer.parseInt(won[0]), won[1]);
            }
        }

        /** A line found so far; the last one is what the host may play when time runs out. */
        public void report(String moves) {
            host.say("report moves " + oneLine(moves));
        }

        /** The same with its score, in the game's unit from the chooser's side, its depth in plies, and its nodes. */
        public void report(String moves, int score, Bound bound, int depth, long nodes) {
            host.say("report score " + score + " " + bound.word + " depth " + depth + " nodes " + nodes
                + " moves " + oneLine(moves));
        }

        /** Tells people something. */
        public void log(String text) {
            host.say("log info " + oneLine(text));
        }
    }

    /** All of a file that the pack's manifest names. Up to Java 17, java.nio asks for sockets first, and is refused. */
    public static byte[] file(String name) throws IOException {
        try (FileInputStream in = new FileInputStream("/own/" + name)) {
            return in.readAllBytes();
        }
    }

    /** Plays one game to its end, as the host says. */
    public static void play(About about, Player player) {
        InputStream in = System.in;
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setIn(InputStream.nullInputStream());
        System.setOut(System.err);
        new Sandboard(about, in, out).obey(player);
    }

    /** The host is gone, and nobody there to be told anything: no fault, and no exception of the author's. */
    private static final class HostGone extends Error {
        private static final long serialVersionUID = 1;
    }

    /** What SplitMix64 adds for each number of a sequence. */
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private final About about;
    private final InputStream in;
    private final FileOutputStream out;
    /** What came of the host's lines and was not read; from begin to end of it. */
    private byte[] heard = new byte[8192];
    private int begin;
    private int end;
    private final Map<String, String> options = new HashMap<>();
    /** What was said of this choice. */
    private final Map<String, String> facts = new HashMap<>();
    private final Set<String> barred = new HashSet<>();
    /** What keeps it from playing; empty: nothing. */
    private String hindrance = "";
    private long seed;
    private boolean stopped;

    private Sandboard(About about, InputStream in, FileOutputStream out) {
        this.about = about;
        this.in = in;
        this.out = out;
    }

    /** Until the host is gone. */
    private void obey(Player player) {
        try {
            while (true) {
                hear(split(read()), player);
            }
        } catch (HostGone over) {
            // Nobody hears anything else.
        }
    }

    private void hear(String[] said, Player player) {
        switch (said[0]) {
            case "sandboard" -> hinderUnless(said[1].equals("1"), "speaks sandboard 1, not " + said[1]);
            case "describe" -> describe();
            case "game" -> hinderUnless(split(said[1])[0].equals(about.game), "plays nothing but " + about.game);
            case "seed" -> seed = Long.parseUnsignedLong(said[1]);
            case "option" -> options.put(split(said[1])[0], split(said[1])[1]);
            case "begin" -> say(hindrance.isEmpty() ? "ready" : "error " + hindrance);
            case "barred" -> barred.add(split(said[1])[0]);
            case "choose" -> choose(player);
            case "ping" -> say("pong");
            // What is said again before each choice.
            default -> facts.put(said[0], said[1]);
        }
    }

    private void hinderUnless(boolean itCan, String why) {
        if (!itCan) {
            hindrance = why;
        }
    }

    private void describe() {
        say("id " + oneLine(about.id) + "\nname " + oneLine(about.name) + "\nauthor " + oneLine(about.author)
            + "\nversion " + oneLine(about.version) + "\ngame " + oneLine(about.game) + "\ndescribed");
    }

    private void choose(Player player) {
        stopped = false;
        String answer;
        try {
            String move = player.nextMove(new Turn(this));
            answer = move == null || move.isBlank() ? "resign" : "play " + oneLine(move);
        } catch (HostGone over) {
            throw over;
        } catch (Throwable thrown) {
            answer = "error " + oneLine(thrown + place(thrown));
        }
        facts.clear();
        barred.clear();
        say(answer);
    }

    /** The line of the author's code that threw it. */
    private static String place(Throwable thrown) {
        for (StackTraceElement at : thrown.getStackTrace()) {
            String of = at.getClassName();
            // What is of the system has a module.
            boolean isAuthors = at.getModuleName() == null && !of.equals("Sandboard") && !of.startsWith("Sandboard$");
            if (isAuthors && at.getFileName() != null) {
                return " at " + at.getFileName() + ":" + at.getLineNumber();
            }
        }
        return "";
    }

    private long left() {
        if (!stopped) {
            say("left");
            String left = split(heard())[1];
            stopped = left.equals("0");
            return left.equals("unlimited") ? Long.MAX_VALUE : atMost(left);
        }
        return 0;
    }

    /** What is answered to a question about a line of moves. */
    private String asked(String question, String line) {
        say(line.isBlank() ? question : question + " " + oneLine(line));
        String[] answer = split(heard());
        if (answer[0].equals("illegal")) {
            throw new IllegalLine(answer[1]);
        }
        return answer[1];
    }

    /** The next line that is no word to stop, which may come at any moment. */
    private String heard() {
        String line = read();
        while (line.equals("stop")) {
            stopped = true;
            line = read();
        }
        return line;
    }

    /** The next line; what the end cuts off is none. */
    private String read() {
        int searched = begin;
        while (true) {
            for (int at = searched; at < end; at++) {
                if (heard[at] == '\n') {
                    String line = new String(heard, begin, at - begin, StandardCharsets.UTF_8);
                    begin = at + 1;
                    return line;
                }
            }
            System.arraycopy(heard, begin, heard, 0, end - begin);
            end -= begin;
            begin = 0;
            searched = end;
            if (end == heard.length) {
                heard = Arrays.copyOf(heard, 2 * end);
            }
            readMore();
        }
    }

    private void readMore() {
        try {
            int bytes = in.read(heard, end, heard.length - end);
            if (bytes < 0) {
                throw new HostGone();
            }
            end += bytes;
        } catch (IOException gone) {
            throw new HostGone();
        }
    }

    private void say(String lines) {
        try {
            out.write((lines + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException gone) {
            throw new HostGone();
        }
    }

    /** What SplitMix64 makes of its state (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014). */
    private static long mixed(long bits) {
        bits = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ bits >>> 27) * 0x94d049bb133111ebL;
        return bits ^ bits >>> 31;
    }

    private long number(String fact) {
        return atMost(facts.getOrDefault(fact, "0"));
    }

    /** A number of 64 bits without a sign, as far as a long goes. */
    private static long atMost(String number) {
        long value = Long.parseUnsignedLong(number);
        return value < 0 ? Long.MAX_VALUE : value;
    }

    /** The first word, and what stands behind it. */
    private static String[] split(String text) {
        int blank = text.indexOf(' ');
        return blank < 0 ? new String[] {text, ""} : new String[] {text.substring(0, blank), text.substring(blank + 1)};
    }

    private static String[] words(String line) {
        return line.isEmpty() ? new String[0] : line.split(" ");
    }

    private static String oneLine(String text) {
        return text == null ? "" : text.strip().replaceAll("\\s+", " ");
    }
}
