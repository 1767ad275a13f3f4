package bakeoff.driver;

import bakeoff.store.Causes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Runs async-profiler during a part of a run. The launcher passes the path of its jar if a request asks for a profile.
 * The jar is loaded only then, so no other process contains it.
 */
final class Profiler implements AutoCloseable {
    /** The system property with the path of ap-loader's jar. */
    static final String JAR = "bakeoff.profiler";

    /** The kind of profile. */
    enum Kind {
        /** As many samples per second as the command line takes of other drivers. */
        CPU("start,event=cpu,interval=2004008ns", "collapsed,ann"),
        /** A sample for about every 32 KiB, weighted by bytes. */
        ALLOC("start,event=alloc,alloc=32k", "collapsed,ann,total");

        private final String start;
        private final String dump;

        Kind(String start, String dump) {
            this.start = start;
            this.dump = dump;
        }
    }

    /** A profile that a request asks for: its kind, and the file for it. */
    record Wanted(Kind kind, Path file) {
        /** The file for the reason why there is no profile. */
        Path trouble() {
            return file.resolveSibling(file.getFileName() + ".trouble");
        }
    }

    private final Wanted wanted;
    private final Object profiler;

    private Profiler(Wanted wanted, Object profiler) {
        this.wanted = wanted;
        this.profiler = profiler;
    }

    /**
     * Starts a profile, if wanted. If that fails, the reason is written to a file for the caller, and the cell
     * continues.
     */
    static Profiler start(Optional<Wanted> wanted) {
        if (wanted.isEmpty()) {
            return new Profiler(null, null);
        }
        // A missing property is reported like a missing jar.
        Path jar = Path.of(System.getProperty(JAR, JAR));
        Optional<String> wrong = ClassPath.wrong(jar);
        if (wrong.isPresent()) {
            return none(wanted.get(), wrong.get());
        }
        try {
            Profiler started = new Profiler(wanted.get(), load(jar));
            started.execute(wanted.get().kind().start);
            return started;
        } catch (ClassNotFoundException damaged) {
            return none(wanted.get(), Causes.damaged(jar));
        } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError trouble) {
            return none(wanted.get(), cause(trouble));
        }
    }

    private static Profiler none(Wanted wanted, Object why) {
        try {
            Files.writeString(wanted.trouble(), String.valueOf(why));
        } catch (IOException trouble) {
            System.err.println("no profile: " + why + "; " + trouble);
        }
        return new Profiler(null, null);
    }

    /** Stops, and writes the profile. */
    @Override
    public void close() {
        if (profiler == null) {
            return;
        }
        try {
            execute("stop");
            Files.writeString(wanted.file(), (String) execute(wanted.kind().dump));
        } catch (ReflectiveOperationException | IOException | RuntimeException trouble) {
            none(wanted, cause(trouble));
        }
    }

    /** The library unpacks itself into the directory for temporary files, which the driver's caller removes. */
    private static Object load(Path jar) throws ReflectiveOperationException, IOException {
        URI place = jar.toUri();
        // Never closed: the library is needed until the process ends.
        Class<?> loader =
                Class.forName("one.profiler.AsyncProfilerLoader", true, new URLClassLoader(new URL[] {place.toURL()}));
        loader.getMethod("setExtractionDirectory", Path.class)
                .invoke(null, Path.of(System.getProperty("java.io.tmpdir")));
        return loader.getMethod("load").invoke(null);
    }

    private Object execute(String command) throws ReflectiveOperationException {
        Method execute = profiler.getClass().getMethod("execute", String.class);
        return execute.invoke(profiler, command);
    }

    private static Throwable cause(Throwable trouble) {
        return trouble instanceof InvocationTargetException ? trouble.getCause() : trouble;
    }
}
