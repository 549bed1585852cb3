package sandboard;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the classes of an engine in the program that it is, where no file is to be read. They lie one behind the other:
 * for each the length of its name, the name, the length of the class, the class; lengths in four bytes, the highest
 * first. The end is one byte.
 */
public final class Loader extends ClassLoader {
    private final Map<String, ByteBuffer> classes = new HashMap<>();

    private Loader(byte[] all) {
        super(ClassLoader.getSystemClassLoader());
        ByteBuffer rest = ByteBuffer.wrap(all);
        while (rest.remaining() > 4) {
            String name = StandardCharsets.UTF_8.decode(part(rest)).toString();
            classes.put(name, part(rest));
        }
    }

    private static ByteBuffer part(ByteBuffer rest) {
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

    /** The class that an engine begins with. From now on nothing but FileDescriptor.out leads to the host. */
    static Class<?> engine(byte[] all) throws ClassNotFoundException {
        System.setOut(System.err);
        Loader loader = new Loader(all);
        Thread.currentThread().setContextClassLoader(loader);
        return loader.loadClass("Engine");
    }
}
