package bakeoff.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A store's description of itself ({@code docs/PROTOCOL.md}), built by chained calls. */
public final class StoreDescription {
    /** The setting of the Java heap, which every store has. */
    public static final String HEAP = "heap";

    private static final Setting HEAP_SETTING = Setting.bytes(
                    HEAP,
                    64L << 20,
                    1L << 40,
                    null,
                    "The largest Java heap; by default what the JVM chooses, a quarter of the memory.",
                    "https://docs.oracle.com/en/java/javase/17/gctuning/ergonomics.html")
            .ofMemory();

    private record Support(String how, AfterFailure after, String source) {}

    private record NotOffered(String why, String source) {}

    private final String name;
    private final String title;
    private final JsonObject texts = new JsonObject();
    private final Map<Durability, Support> durability = new EnumMap<>(Durability.class);
    private final Set<Durability> tornBatches = EnumSet.noneOf(Durability.class);
    private final Set<Durability> flushing = EnumSet.noneOf(Durability.class);
    private final Map<Durability, NotOffered> notOffered = new EnumMap<>(Durability.class);
    private final Set<Capability> capabilities = EnumSet.of(Capability.KEEPS_DATA, Capability.EXISTS);
    private final JsonArray tableFiles = new JsonArray();
    private final List<Setting> settings = new ArrayList<>(List.of(HEAP_SETTING));
    private long keyBytesMin;
    private long keyBytesMax = Integer.MAX_VALUE;
    private long valueBytesMax = Integer.MAX_VALUE;
    private JsonObject memory;
    private boolean testOnly;
    private String missing;

    /** A store with a name in suites and a title for people. */
    public StoreDescription(String name, String title) {
        this.name = name;
        this.title = title;
    }

    /** A summary in one sentence. */
    public StoreDescription summary(String text) {
        return text("summary", text);
    }

    /** The version that the library itself reports. */
    public StoreDescription version(String text) {
        return text("version", text);
    }

    /** A library that must be loaded to learn its version. */
    @FunctionalInterface
    public interface NativeLibrary {
        /** Its version, after loading it. */
        String version() throws Exception;
    }

    /**
     * The version that a native library reports. If it does not load, the store is still described, with the reason why
     * it cannot be opened.
     */
    public StoreDescription version(NativeLibrary library) {
        try {
            return version(library.version());
        } catch (Exception | LinkageError error) {
            missing = Causes.describe(error);
            return version("unknown");
        }
    }

    /** The SPDX licence expression. */
    public StoreDescription license(String text) {
        return text("license", text);
    }

    /** The language in which the store itself is written. */
    public StoreDescription language(String text) {
        return text("language", text);
    }

    /** {@code b-tree}, {@code lsm}, {@code hash}, {@code log} or {@code memory}. */
    public StoreDescription structure(String text) {
        return text("structure", text);
    }

    /** The files it keeps, as people see them. */
    public StoreDescription files(String text) {
        return text("files", text);
    }

    /**
     * The store collects writes in memory, and later keeps them in files with these name endings. The log is not among
     * them.
     */
    public StoreDescription tableFiles(String... ends) {
        List.of(ends).forEach(tableFiles::add);
        return this;
    }

    private StoreDescription text(String field, String text) {
        texts.addProperty(field, text);
        return this;
    }

    /**
     * An offered durability level: how the store reaches it, in its own terms, what remains after failures, and the
     * documentation of that. Level consistent is offered with the weakest setting that reaches it, which may be that of
     * level power.
     */
    public StoreDescription durability(Durability offered, String how, AfterFailure after, String source) {
        if (!offered.isKept(after)) {
            throw new IllegalArgumentException("level %s promises more than %s".formatted(offered.word(), after));
        }
        durability.put(offered, new Support(how, after, source));
        return this;
    }

    /** A level at which every acknowledged write waits for a flush, although a power cut may leave an earlier state. */
    public StoreDescription flushesEachWrite(Durability level) {
        flushing.add(level);
        return this;
    }

    /**
     * A level at which a batch may be applied in part when the process is killed, although batches are atomic at other
     * levels.
     */
    public StoreDescription batchesNotAtomic(Durability torn) {
        tornBatches.add(torn);
        return this;
    }

    /** A level that the store does not offer: the reason, and the documentation or evidence for it. */
    public StoreDescription notOffered(Durability lacking, String why, String source) {
        notOffered.put(lacking, new NotOffered(why, source));
        return this;
    }

    /** Its capabilities besides keeping data. */
    public StoreDescription can(Capability... offered) {
        Collections.addAll(capabilities, offered);
        if (capabilities.contains(Capability.SCAN_FROM)) {
            // A prefix scan begins at the prefix. The driver finds its end.
            capabilities.add(Capability.SCAN_PREFIX);
        }
        return this;
    }

    /** It keeps no data: its answers are not checked. */
    public StoreDescription keepsNothing() {
        capabilities.remove(Capability.KEEPS_DATA);
        return this;
    }

    /** Limits of key lengths. The default is from 0 to the longest Java array. */
    public StoreDescription keys(long min, long max) {
        keyBytesMin = min;
        keyBytesMax = max;
        return this;
    }

    /** The longest value. The default is the longest Java array. */
    public StoreDescription values(long max) {
        valueBytesMax = max;
        return this;
    }

    /** A supported setting. */
    public StoreDescription setting(Setting setting) {
        settings.add(setting);
        return this;
    }

    /**
     * How the store divides given memory, and the documentation of that. Without any {@link #share} it has no memory of
     * its own and relies on the page cache.
     */
    public StoreDescription memory(String how, String source) {
        memory = new JsonObject();
        memory.addProperty("how", how);
        memory.addProperty("source", source);
        memory.add("shares", new JsonArray());
        return this;
    }

    /** After {@link #memory}: a percentage of it for a setting in bytes, of which there may be several pieces. */
    public StoreDescription share(String setting, int percent, int pieces) {
        return share(setting, percent, pieces, false);
    }

    /** The same for a setting of which each thread has one. */
    public StoreDescription shareOfThreads(String setting, int percent) {
        return share(setting, percent, 1, true);
    }

    private StoreDescription share(String setting, int percent, int pieces, boolean perThread) {
        JsonObject share = new JsonObject();
        share.addProperty("setting", setting);
        share.addProperty("percent", percent);
        share.addProperty("pieces", pieces);
        share.addProperty("per_thread", perThread);
        memory.getAsJsonArray("shares").add(share);
        return this;
    }

    /** It is only for testing bakeoff itself. */
    public StoreDescription testOnly() {
        testOnly = true;
        return this;
    }

    /** Its name in suites. */
    public String name() {
        return name;
    }

    /** Its version. */
    public String version() {
        return texts.get("version").getAsString();
    }

    /** Whether it offers the level. */
    public boolean offers(Durability wanted) {
        return durability.containsKey(wanted);
    }

    /** Why it does not offer the level. Null if it does, or without a reason. */
    public String whyNotOffered(Durability wanted) {
        NotOffered reason = offers(wanted) ? null : notOffered.get(wanted);
        return reason == null ? null : "%s (%s)".formatted(reason.why(), reason.source());
    }

    /** Whether it has the capability. */
    public boolean can(Capability capability) {
        return capabilities.contains(capability);
    }

    /** Whether every acknowledged write survives the death of the process at this offered level. */
    public boolean survivesProcessDeath(Durability offered) {
        return durability.get(offered).after().processDeath() == Leaves.KEPT;
    }

    /** Whether a batch is applied completely or not at all at this level, even when the process is killed. */
    public boolean batchIsAtomic(Durability offered) {
        return can(Capability.ATOMIC_BATCH) && !tornBatches.contains(offered);
    }

    /** The shortest key. */
    public long keyBytesMin() {
        return keyBytesMin;
    }

    /** The longest key. */
    public long keyBytesMax() {
        return keyBytesMax;
    }

    /** Why it cannot be opened here, and how to fix that; null if it can. */
    public String missing() {
        return missing;
    }

    /** Whether it is only for testing bakeoff itself. */
    public boolean isTestOnly() {
        return testOnly;
    }

    /** The supported settings. */
    public List<Setting> settings() {
        return Collections.unmodifiableList(settings);
    }

    /** In the format of {@code describe}. */
    public JsonObject toJson() {
        JsonObject json = new JsonObject();
        json.addProperty("name", name);
        json.addProperty("title", title);
        texts.entrySet().forEach(text -> json.add(text.getKey(), text.getValue()));
        JsonObject classes = new JsonObject();
        durability.forEach((offered, support) -> {
            JsonObject how = new JsonObject();
            how.addProperty("how", support.how());
            how.addProperty("source", support.source());
            JsonObject after = new JsonObject();
            after.addProperty("process_death", support.after().processDeath().word());
            after.addProperty("power_cut", support.after().powerCut().word());
            how.add("after", after);
            if (flushing.contains(offered)) {
                how.addProperty("flushes", true);
            }
            if (tornBatches.contains(offered)) {
                how.addProperty("atomic_batch", false);
            }
            classes.add(offered.word(), how);
        });
        json.add("durability", classes);
        JsonObject reasons = new JsonObject();
        notOffered.forEach((lacking, reason) -> {
            JsonObject why = new JsonObject();
            why.addProperty("why", reason.why());
            why.addProperty("source", reason.source());
            reasons.add(lacking.word(), why);
        });
        if (reasons.size() > 0) {
            json.add("not_offered", reasons);
        }
        JsonObject abilities = new JsonObject();
        for (Capability capability : Capability.values()) {
            abilities.addProperty(capability.word(), capabilities.contains(capability));
        }
        json.add("capabilities", abilities);
        json.addProperty("key_bytes_min", keyBytesMin);
        json.addProperty("key_bytes_max", keyBytesMax);
        json.addProperty("value_bytes_max", valueBytesMax);
        JsonArray array = new JsonArray();
        settings.forEach(setting -> array.add(setting.toJson()));
        json.add("settings", array);
        if (!tableFiles.isEmpty()) {
            json.add("table_files", tableFiles);
        }
        if (memory != null) {
            json.add("memory", memory);
        }
        json.addProperty("test_only", testOnly);
        return json;
    }
}
