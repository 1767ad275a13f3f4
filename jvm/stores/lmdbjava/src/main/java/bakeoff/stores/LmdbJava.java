package bakeoff.stores;

import bakeoff.store.BufferForm;
import bakeoff.store.Form;
import bakeoff.store.OpenRequest;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.Store;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import bakeoff.store.StoreType;
import bakeoff.store.Versions;
import bakeoff.stores.lmdb.LmdbOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import org.lmdbjava.BufferProxy;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.CopyFlags;
import org.lmdbjava.Dbi;
import org.lmdbjava.DirectBufferProxy;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Meta;

/**
 * LmdbJava with one of its kinds of buffers.
 *
 * @param <B> the buffer
 */
abstract class LmdbJava<B> implements StoreType {
    private final String name;
    private final String title;
    private final String binding;
    private final BufferProxy<B> proxy;
    private final Supplier<Form<B>> forms;

    private LmdbJava(String name, String title, String binding, BufferProxy<B> proxy, Supplier<Form<B>> forms) {
        this.name = name;
        this.title = title;
        this.binding = binding;
        this.proxy = proxy;
        this.forms = forms;
    }

    /** With {@code ByteBuffer}s whose address is set through {@code Unsafe}, its default. */
    public static final class Unsafe extends LmdbJava<ByteBuffer> {
        /** For the table of stores. */
        public Unsafe() {
            super(
                    "lmdbjava",
                    "LmdbJava",
                    "through LmdbJava with ByteBuffers and Unsafe",
                    ByteBufferProxy.PROXY_OPTIMAL,
                    BufferForm::new);
        }
    }

    /** With {@code ByteBuffer}s made without {@code Unsafe}. */
    public static final class Safe extends LmdbJava<ByteBuffer> {
        /** For the table of stores. */
        public Safe() {
            super(
                    "lmdbjava-safe",
                    "LmdbJava (safe)",
                    "through LmdbJava with ByteBuffers and without Unsafe",
                    ByteBufferProxy.PROXY_SAFE,
                    BufferForm::new);
        }
    }

    /** With Agrona's buffers. */
    public static final class Agrona extends LmdbJava<DirectBuffer> {
        /** For the table of stores. */
        public Agrona() {
            super(
                    "lmdbjava-agrona",
                    "LmdbJava (Agrona)",
                    "through LmdbJava with Agrona's buffers",
                    DirectBufferProxy.PROXY_DB,
                    AgronaForm::new);
        }
    }

    @Override
    public StoreDescription describe() {
        return LmdbOptions.describe(name, title, binding)
                .version(LmdbJava::version)
                .license("Apache-2.0 AND OLDAP-2.8");
    }

    private static String version() throws StoreException {
        Meta.Version version = Meta.version();
        String lmdb = "%d.%d.%d".formatted(version.major, version.minor, version.patch);
        return Versions.ofBoth(Versions.ofManifest(Env.class), "LMDB", lmdb);
    }

    @Override
    public Store<B> open(OpenRequest request) throws StoreException {
        LmdbOptions options = LmdbOptions.of(request);
        EnvFlags[] flags = Arrays.stream(EnvFlags.values())
                .filter(flag -> (flag.getMask() & options.bits()) != 0)
                .toArray(EnvFlags[]::new);
        Env<B> env = Env.create(proxy)
                .setMapSize(options.mapBytes())
                .setMaxReaders(options.readers())
                .open(request.directory().toFile(), flags);
        Dbi<B> dbi = env.openDbi((byte[]) null);
        return new Store<>() {
            @Override
            public Form<B> form() {
                return forms.get();
            }

            @Override
            public Session<B> session(SessionPlan plan) {
                return new LmdbJavaSession<>(env, dbi, forms.get(), plan);
            }

            @Override
            public Map<String, Long> chosen() {
                return options.chosen();
            }

            @Override
            public void compactedCopy(Path directory) {
                env.copy(directory.toFile(), CopyFlags.MDB_CP_COMPACT);
            }

            @Override
            public void close() {
                env.close();
            }
        };
    }
}
