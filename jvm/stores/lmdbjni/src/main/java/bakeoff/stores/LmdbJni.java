package bakeoff.stores;

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
import java.nio.file.Path;
import java.util.Map;
import org.fusesource.lmdbjni.Database;
import org.fusesource.lmdbjni.DirectBuffer;
import org.fusesource.lmdbjni.Env;

/** LMDB through LMDBJNI, with its zero-copy buffers. */
public final class LmdbJni implements StoreType {
    @Override
    public StoreDescription describe() {
        return LmdbOptions.describe("lmdbjni", "LMDBJNI", "through LMDBJNI's buffers")
                .version(() -> Versions.ofBoth(Versions.ofManifest(Env.class), "LMDB", number(Env.version())))
                .license("Apache-2.0 AND OLDAP-2.8");
    }

    /** The number in {@code LMDB 0.9.19: (December 28, 2016)}. */
    private static String number(String version) {
        return version.replaceAll("^LMDB |:.*$", "");
    }

    @Override
    public Store<DirectBuffer> open(OpenRequest request) throws StoreException {
        LmdbOptions options = LmdbOptions.of(request);
        Env env = new Env();
        env.setMapSize(options.mapBytes());
        env.setMaxReaders(options.readers());
        env.open(request.directory().toString(), options.bits());
        return new Opened(env, env.openDatabase(), options);
    }

    private record Opened(Env env, Database database, LmdbOptions options) implements Store<DirectBuffer> {
        @Override
        public Form<DirectBuffer> form() {
            return new LmdbJniForm();
        }

        @Override
        public Session<DirectBuffer> session(SessionPlan plan) {
            return new LmdbJniSession(env, database, plan);
        }

        @Override
        public Map<String, Long> chosen() {
            return options.chosen();
        }

        @Override
        public void compactedCopy(Path directory) {
            env.copyCompact(directory.toString());
        }

        @Override
        public void close() {
            database.close();
            env.close();
        }
    }
}
