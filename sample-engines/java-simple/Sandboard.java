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
 * The interface of Sandboard for engines in Java: it speaks the host's line protocol, and gives the author a Turn.
 *
 * <p>The host has the legal moves, the position after a line of moves, and the time left. A line of moves is move texts
 * separated by single spaces, or the empty text. The engine is a program in a jail: no network, no other process, no
 * files except those that its pack names. Standard input and output belong to the host. System.out is redirected to
 * standard error, whose end is shown with a fault; FileDescriptor.out leads to the host.
 */
public final class Sandboard {
    /** The description of an engine. It plays every variant of its game, since the host has the rules. */
    public record About(String id, String name, String author, String version, String game) {}

    /** The function that an author writes. */
    public interface Player {
        /** Returns the next move; null or an empty text resigns. An exception is a fault with its text and place. */
        String nextMove(Turn turn) throws Exception;
    }

    /** A position, and the result of each seat in the game's unit; scores is empty if the game is not over. */
    public record View(String position, int toMove, boolean over, int[] scores, String reason) {
        /** Whether the game ended with a win of this seat: no score is higher, and one is lower. */
        public boolean wonBy(int seat) {
            boolean won = false;
            for (int score : scores) {
                if (score > scores[seat]) {
                    return false;
                }
                won |= score < scores[seat];
            }
            return won;
        }
    }

    /** The limits beside time, 0 for no limit; the number of lines to report; whether a draw is offered. */
    public record Limits(int depth, long nodes, int lines, boolean drawOffered) {}

    /** How a score bounds the true value; a proved score is EXACT. */
    public enum Bound {
        ESTIMATE("estimate"), AT_LEAST("at-least"), AT_MOST("at-most"), EXACT("exact");

        private final String word;

        Bound(String word) {
            this.word = word;
        }
    }

    /** An illegal line of moves, with the reason. */
    public static final class IllegalLine extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        IllegalLine(String reason) {
            super(reason);
        }
    }

    /** One request for a move. */
    public static final class Turn {
        /** The limits beside time. */
        public final Limits limits;
        /** Random numbers from the game's seed; the same game gives the same numbers. */
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
                host.parameters.containsKey("draw-offered"));
            // Seed and ply give the same random numbers again after a move was taken back.
            int plies = words(host.parameters.getOrDefault("moves", "")).length;
            random = new Random(mix(host.seed + plies * GOLDEN_RATIO));
            options = Map.copyOf(host.options);
            barred = Set.copyOf(host.barred);
        }

        /** Units left for this choice, in the unit of its limits; 0: return now. The only clock. */
        public long left() {
            return host.left();
        }

        /** The legal moves after a line; after the empty line, without the barred ones. */
        public String[] legal(String line) {
            String[] moves = words(host.ask("legal", line));
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

        /** The position after a line. In the current position (""), toMove is the seat that chooses. */
        public View look(String line) {
            String[] view = split(host.ask("look", line));
            String[] ending = split(host.readAnswer());
            int toMove = Integer.parseInt(view[0]);
            if (ending[0].equals("open")) {
                return new View(view[1], toMove, false, new int[0], "");
            }
            String[] result = split(ending[1]);
            int[] scores = Arrays.stream(result[0].split(",")).mapToInt(Integer::parseInt).toArray();
            return new View(view[1], toMove, true, scores, result[1]);
        }

        /** Reports the best line so far. If time runs out, the host may play the move of the last report. */
        public void report(String moves) {
            host.send("report moves " + oneLine(moves));
        }

        /** The same with score (in the game's unit, for the side that chooses), depth in plies, and nodes. */
        public void report(String moves, int score, Bound bound, int depth, long nodes) {
            host.send("report score " + score + " " + bound.word + " depth " + depth + " nodes " + nodes
                + " moves " + oneLine(moves));
        }

        /** Writes to the engine's log. */
        public void log(String text) {
            host.send("log info " + oneLine(text));
        }
    }

    /** The contents of a file that the pack's manifest names. Up to Java 17, java.nio opens sockets, which are refused. */
    public static byte[] file(String name) throws IOException {
        try (FileInputStream in = new FileInputStream("/own/" + name)) {
            return in.readAllBytes();
        }
    }

    /** Plays one game, as the host commands. */
    public static void play(About about, Player player) {
        InputStream in = System.in;
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setIn(InputStream.nullInputStream());
        System.setOut(System.err);
        new Sandboard(about, in, out).run(player);
    }

    /** The host has closed the connection. This is neither a fault nor an exception of the author's code. */
    private static final class HostGone extends Error {
        private static final long serialVersionUID = 1;
    }

    /** The increment of SplitMix64. */
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private final About about;
    private final InputStream in;
    private final FileOutputStream out;
    /** Bytes from the host; those from begin to end are not read yet. */
    private byte[] buffer = new byte[8192];
    private int begin;
    private int end;
    private final Map<String, String> options = new HashMap<>();
    /** The parameters of this choice. */
    private final Map<String, String> parameters = new HashMap<>();
    private final Set<String> barred = new HashSet<>();
    /** The reason why the engine cannot play; empty if it can. */
    private String startError = "";
    private long seed;
    private boolean stopped;

    private Sandboard(About about, InputStream in, FileOutputStream out) {
        this.about = about;
        this.in = in;
        this.out = out;
    }

    /** Handles the host's commands until it closes the connection. */
    private void run(Player player) {
        try {
            while (true) {
                handle(split(readLine()), player);
            }
        } catch (HostGone over) {
            // The game is over.
        }
    }

    private void handle(String[] command, Player player) {
        switch (command[0]) {
            case "sandboard" -> require(command[1].equals("1"), "speaks sandboard 1, not " + command[1]);
            case "describe" -> describe();
            case "game" -> require(split(command[1])[0].equals(about.game), "plays nothing but " + about.game);
            case "seed" -> seed = Long.parseUnsignedLong(command[1]);
            case "option" -> options.put(split(command[1])[0], split(command[1])[1]);
            case "begin" -> send(startError.isEmpty() ? "ready" : "error " + startError);
            case "barred" -> barred.add(split(command[1])[0]);
            case "choose" -> choose(player);
            case "ping" -> send("pong");
            // Parameters, which the host sends before each choice.
            default -> parameters.put(command[0], command[1]);
        }
    }

    private void require(boolean condition, String why) {
        if (!condition) {
            startError = why;
        }
    }

    private void describe() {
        send("id " + oneLine(about.id) + "\nname " + oneLine(about.name) + "\nauthor " + oneLine(about.author)
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
        parameters.clear();
        barred.clear();
        send(answer);
    }

    /** The line of the author's code that threw the exception. */
    private static String place(Throwable thrown) {
        for (StackTraceElement at : thrown.getStackTrace()) {
            String of = at.getClassName();
            // Classes of the Java runtime belong to a named module.
            boolean isAuthors = at.getModuleName() == null && !of.equals("Sandboard") && !of.startsWith("Sandboard$");
            if (isAuthors && at.getFileName() != null) {
                return " at " + at.getFileName() + ":" + at.getLineNumber();
            }
        }
        return "";
    }

    private long left() {
        if (!stopped) {
            send("left");
            String left = split(readAnswer())[1];
            stopped = left.equals("0");
            return left.equals("unlimited") ? Long.MAX_VALUE : parseSaturated(left);
        }
        return 0;
    }

    /** Asks the host about a line of moves; returns its answer. */
    private String ask(String question, String line) {
        send(line.isBlank() ? question : question + " " + oneLine(line));
        String[] answer = split(readAnswer());
        if (answer[0].equals("illegal")) {
            throw new IllegalLine(answer[1]);
        }
        return answer[1];
    }

    /** The next line that is not `stop`, which may come at any moment. */
    private String readAnswer() {
        String line = readLine();
        while (line.equals("stop")) {
            stopped = true;
            line = readLine();
        }
        return line;
    }

    /** The next complete line. */
    private String readLine() {
        int searched = begin;
        while (true) {
            for (int at = searched; at < end; at++) {
                if (buffer[at] == '\n') {
                    String line = new String(buffer, begin, at - begin, StandardCharsets.UTF_8);
                    begin = at + 1;
                    return line;
                }
            }
            System.arraycopy(buffer, begin, buffer, 0, end - begin);
            end -= begin;
            begin = 0;
            searched = end;
            if (end == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * end);
            }
            readMore();
        }
    }

    private void readMore() {
        try {
            int bytes = in.read(buffer, end, buffer.length - end);
            if (bytes < 0) {
                throw new HostGone();
            }
            end += bytes;
        } catch (IOException gone) {
            throw new HostGone();
        }
    }

    private void send(String lines) {
        try {
            out.write((lines + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException gone) {
            throw new HostGone();
        }
    }

    /** The output function of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014). */
    private static long mix(long bits) {
        bits = (bits ^ bits >>> 30) * 0xbf58476d1ce4e5b9L;
        bits = (bits ^ bits >>> 27) * 0x94d049bb133111ebL;
        return bits ^ bits >>> 31;
    }

    private long number(String parameter) {
        return parseSaturated(parameters.getOrDefault(parameter, "0"));
    }

    /** An unsigned number of 64 bits; too large ones become Long.MAX_VALUE. */
    private static long parseSaturated(String number) {
        long value = Long.parseUnsignedLong(number);
        return value < 0 ? Long.MAX_VALUE : value;
    }

    /** The first word, and the rest. */
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
