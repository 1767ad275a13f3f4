package bakeoff.stores;

import static bakeoff.stores.LwjglLmdbSession.check;
import static org.lwjgl.util.lmdb.LMDB.MDB_CP_COMPACT;
import static org.lwjgl.util.lmdb.LMDB.mdb_dbi_open;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_close;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_copy2;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_create;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_open;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_set_mapsize;
import static org.lwjgl.util.lmdb.LMDB.mdb_env_set_maxreaders;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_begin;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_commit;
import static org.lwjgl.util.lmdb.LMDB.mdb_version;

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
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.MemoryStack;
import org.lwjgl.util.lmdb.LMDB;

/** LMDB through LWJGL's bindings, which mirror the C interface. */
public final class LwjglLmdb implements StoreType {
    @Override
    public StoreDescription describe() {
        return LmdbOptions.describe("lwjgl-lmdb", "LWJGL LMDB", "through LWJGL's bindings")
                .version(LwjglLmdb::version)
                .license("BSD-3-Clause AND OLDAP-2.8");
    }

    private static String version() throws StoreException {
        int[] major = new int[1];
        int[] minor = new int[1];
        int[] patch = new int[1];
        mdb_version(major, minor, patch);
        String lmdb = "%d.%d.%d".formatted(major[0], minor[0], patch[0]);
        return Versions.ofBoth(Versions.ofSpecification(LMDB.class), "LMDB", lmdb);
    }

    @Override
    public Store<ByteBuffer> open(OpenRequest request) throws StoreException {
        LmdbOptions options = LmdbOptions.of(request);
        try (MemoryStack stack = MemoryStack.stackPush()) {
            PointerBuffer pointer = stack.mallocPointer(1);
            check(mdb_env_create(pointer));
            long env = pointer.get(0);
            check(mdb_env_set_mapsize(env, options.mapBytes()));
            check(mdb_env_set_maxreaders(env, options.readers()));
            check(mdb_env_open(env, request.directory().toString(), options.bits(), 0644));
            IntBuffer dbi = stack.mallocInt(1);
            check(mdb_txn_begin(env, 0, 0, pointer));
            check(mdb_dbi_open(pointer.get(0), (ByteBuffer) null, 0, dbi));
            check(mdb_txn_commit(pointer.get(0)));
            return new Opened(env, dbi.get(0), options);
        }
    }

    private record Opened(long env, int dbi, LmdbOptions options) implements Store<ByteBuffer> {
        @Override
        public Form<ByteBuffer> form() {
            return new BufferForm();
        }

        @Override
        public Session<ByteBuffer> session(SessionPlan plan) throws StoreException {
            return new LwjglLmdbSession(env, dbi, plan);
        }

        @Override
        public Map<String, Long> chosen() {
            return options.chosen();
        }

        @Override
        public void compactedCopy(Path directory) throws StoreException {
            check(mdb_env_copy2(env, directory.toString(), MDB_CP_COMPACT));
        }

        @Override
        public void close() {
            mdb_env_close(env);
        }
    }
}
