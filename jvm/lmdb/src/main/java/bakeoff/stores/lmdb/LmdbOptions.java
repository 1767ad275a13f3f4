package bakeoff.stores.lmdb;

import static bakeoff.store.AfterFailure.after;

import bakeoff.store.Capability;
import bakeoff.store.DataHints;
import bakeoff.store.Durability;
import bakeoff.store.Leaves;
import bakeoff.store.OpenRequest;
import bakeoff.store.Setting;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreException;
import java.util.List;
import java.util.Map;

/**
 * How to open an LMDB environment, for all bindings.
 *
 * @param noSync {@code MDB_NOSYNC}
 * @param noMetaSync {@code MDB_NOMETASYNC}
 * @param writeMap {@code MDB_WRITEMAP}
 * @param mapAsync {@code MDB_MAPASYNC}
 * @param mapBytes length of the memory map
 * @param readers maximum of readers
 */
public record LmdbOptions(
        boolean noSync, boolean noMetaSync, boolean writeMap, boolean mapAsync, long mapBytes, int readers) {
    /** {@code MDB_MAXKEYSIZE} in a default build of LMDB. */
    public static final long KEY_BYTES_MAX = 511;

    private static final long GIBIBYTE = 1L << 30;
    private static final long MAP_BYTES_MAX = 1L << 46;
    private static final int READERS_DEFAULT = 126;
    private static final String SOURCE = "http://www.lmdb.tech/doc/group__mdb.html";
    private static final String FLAGS = "http://www.lmdb.tech/doc/group__mdb__env.html";

    /** The description shared by all bindings. The caller adds version and licence. */
    public static StoreDescription describe(String name, String title, String binding) {
        return new StoreDescription(name, title)
                .summary("LMDB, a copy-on-write B+ tree in one memory-mapped file, " + binding + ".")
                .language("C")
                .structure("b-tree")
                .files("data.mdb and lock.mdb; with MDB_WRITEMAP, data.mdb is a sparse file as long as the map")
                .durability(
                        Durability.NONE,
                        "MDB_NOSYNC, MDB_WRITEMAP and MDB_MAPASYNC: pages are written in the map and never flushed; a full disk "
                                + "ends the process with SIGBUS",
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .durability(
                        Durability.PROCESS,
                        "MDB_NOSYNC: pages are written to the file at every commit and never flushed",
                        // "a system crash can corrupt the database".
                        after(Leaves.KEPT, Leaves.POSSIBLY_CORRUPT),
                        SOURCE)
                .durability(
                        Durability.CONSISTENT,
                        "MDB_NOMETASYNC: pages are flushed at every commit, the root of the tree with the next commit",
                        // "maintains database integrity, but a system crash may undo the last committed transaction".
                        after(Leaves.KEPT, Leaves.EARLIER_STATE),
                        SOURCE)
                .flushesEachWrite(Durability.CONSISTENT)
                .durability(
                        Durability.POWER,
                        "no flags: the file is flushed at every commit",
                        after(Leaves.KEPT, Leaves.KEPT),
                        SOURCE)
                .can(
                        Capability.SCAN_FROM,
                        Capability.SCAN_ORDERED,
                        Capability.SCAN_ANY_ORDER,
                        Capability.BATCH,
                        Capability.BATCH_READS,
                        Capability.ATOMIC_BATCH,
                        Capability.INSERT_REFUSES,
                        Capability.PARALLEL_READERS,
                        Capability.MULTI_PROCESS,
                        Capability.COMPACTED_COPY)
                .keys(1, KEY_BYTES_MAX)
                .setting(Setting.bytes(
                        "map-size",
                        1 << 20,
                        MAP_BYTES_MAX,
                        null,
                        "Length of the memory map, which the data can never exceed; by default several times the data of the "
                                + "suite.",
                        SOURCE + "#gaa2506ec8dab3d969b0e609cd82e619e5"))
                .setting(Setting.choice(
                                "sync",
                                List.of("by-class", "off", "data", "full"),
                                "What a commit flushes: nothing (MDB_NOSYNC), the data but not the meta page (MDB_NOMETASYNC), or both. Level "
                                        + "consistent needs the data, level power both.",
                                FLAGS)
                        .flushing("data", "full")
                        .promising(Map.of("off", Durability.PROCESS, "data", Durability.CONSISTENT)))
                .setting(Setting.flag(
                        "write-map",
                        false,
                        "Write in the memory map (MDB_WRITEMAP) instead of into the file. Level none does so in any case.",
                        FLAGS))
                .memory(
                        "none of its own: it reads pages in the kernel's page cache, and the kernel decides how much of it they use",
                        SOURCE);
    }

    /**
     * The options for a request.
     *
     * @throws StoreException if a setting reduces the durability level
     */
    public static LmdbOptions of(OpenRequest request) throws StoreException {
        Durability durability = request.durability();
        boolean none = durability == Durability.NONE;
        String sync = request.settings().word("sync");
        if (sync.equals("by-class")) {
            sync = word(durability);
        } else if (!most(sync).includes(durability)) {
            throw StoreException.badRequest("setting `sync` is %s, which does not reach durability %s: use %s"
                    .formatted(sync, durability.word(), word(durability)));
        }
        boolean off = sync.equals("off");
        return new LmdbOptions(
                off,
                sync.equals("data"),
                none || request.settings().flag("write-map"),
                none && off,
                request.settings().number("map-size", mapBytes(request.hints())),
                Math.max(READERS_DEFAULT, request.hints().threads() + 16));
    }

    /** The word of {@code sync} that a level needs. */
    private static String word(Durability durability) {
        return switch (durability) {
            case NONE, PROCESS -> "off";
            case CONSISTENT -> "data";
            case POWER -> "full";
        };
    }

    /** The level of a word of {@code sync}. */
    private static Durability most(String sync) {
        return switch (sync) {
            case "off" -> Durability.PROCESS;
            case "data" -> Durability.CONSISTENT;
            default -> Durability.POWER;
        };
    }

    /**
     * A map that the data cannot outgrow. It takes address space, not memory or disk, so it is generous. It has twice
     * the pages of one record per half-full page, plus everything that is ever written, as freed runs of pages may not
     * be reusable.
     */
    static long mapBytes(DataHints hints) {
        double records = Math.max(hints.recordsMax(), hints.recordsInserted());
        double bytes = GIBIBYTE + records * 2 * 4096 + 4.0 * hints.dataBytesMax() + 2.0 * hints.writtenBytes();
        return Math.min((long) Math.ceil(bytes / GIBIBYTE) * GIBIBYTE, MAP_BYTES_MAX);
    }

    /** The value of {@link bakeoff.store.Store#chosen}. */
    public Map<String, Long> chosen() {
        return Map.of("map-size", mapBytes);
    }

    /**
     * The flags as bits of the C interface. {@code MDB_NOTLS} is among them: without it, a reader belongs to its thread
     * forever.
     */
    public int bits() {
        return 0x20_0000
                | (noSync ? 0x1_0000 : 0)
                | (noMetaSync ? 0x4_0000 : 0)
                | (writeMap ? 0x8_0000 : 0)
                | (mapAsync ? 0x10_0000 : 0);
    }
}
