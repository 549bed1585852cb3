package sandboard;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Loads the classes of an engine from its executable, because the engine can read no files.
 *
 * <p>Format: per class the length of its name, the name in UTF-8, the length of the class file, the
 * class file. Lengths are big-endian numbers of four bytes. One more byte marks the end.
 */
public final class Loader extends ClassLoader {
    private final Map<String, ByteBuffer> classes = new HashMap<>();

    private Loader(byte[] packed) {
        super(ClassLoader.getSystemClassLoader());
        ByteBuffer rest = ByteBuffer.wrap(packed);
        while (rest.remaining() > 4) {
            String name = StandardCharsets.UTF_8.decode(readPart(rest)).toString();
            classes.put(name, readPart(rest));
        }
    }

    /** Reads a length and as many bytes, and moves the position past them. */
    private static ByteBuffer readPart(ByteBuffer rest) {
        int bytes = rest.getInt();
        ByteBuffer part = rest.slice().limit(bytes);
        rest.position(rest.position() + bytes);
        return part;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        ByteBuffer bytes = classes.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes.duplicate(), null);
    }

    /**
     * Returns the main class of the engine. From then on System.out is standard error, so only
     * FileDescriptor.out leads to the host.
     */
    static Class<?> engine(byte[] packed) throws ClassNotFoundException {
        System.setOut(System.err);
        Loader loader = new Loader(packed);
        Thread.currentThread().setContextClassLoader(loader);
        return loader.loadClass("Engine");
    }
}
