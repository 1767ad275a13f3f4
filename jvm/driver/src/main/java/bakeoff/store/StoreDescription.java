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

/** What a store says of itself ({@code docs/PROTOCOL.md}). Built up by calls in a row. */
public final class StoreDescription {
    /** The Java heap, which is every store's business. */
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

    /** A store with this name in suites and this one for people. */
    public StoreDescription(String name, String title) {
        this.name = name;
        this.title = title;
    }

    /** What it is, in one sentence. */
    public StoreDescription summary(String text) {
        return text("summary", text);
    }

    /** The version that the library itself reports. */
    public StoreDescription version(String text) {
        return text("version", text);
    }

    /** A library that is loaded to be asked for its version. */
    @FunctionalInterface
    public interface NativeLibrary {
        /** The version that it reports, once it is loaded. */
        String version() throws Exception;
    }

    /** The version that a native library reports. Where it does not load, the store is described all the same, and says why it cannot be opened. */
    public StoreDescription version(NativeLibrary library) {
        try {
            return version(library.version());
        } catch (Exception | LinkageError error) {
            missing = Causes.describe(error);
            return version("unknown");
        }
    }

    /** SPDX licence expression. */
    public StoreDescription license(String text) {
        return text("license", text);
    }

    /** The language the store itself is written in. */
    public StoreDescription language(String text) {
        return text("language", text);
    }

    /** {@code b-tree}, {@code lsm}, {@code hash}, {@code log} or {@code memory}. */
    public StoreDescription structure(String text) {
        return text("structure", text);
    }

    /** The files it keeps, as a person would find them. */
    public StoreDescription files(String text) {
        return text("files", text);
    }

    /** It collects writes in memory, and keeps them in these files afterwards: ends of their names, the log left out. */
    public StoreDescription tableFiles(String... ends) {
        List.of(ends).forEach(tableFiles::add);
        return this;
    }

    private StoreDescription text(String field, String text) {
        texts.addProperty(field, text);
        return this;
    }

    /**
     * A durability level it offers: how it reaches it, in its own terms, what failures leave then, and where its documentation says so. Level
     * consistent is offered with the weakest setting that keeps it, which may be that of level power.
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

    /** A level at which a batch may be applied in part when the process is killed, where otherwise it is not. */
    public StoreDescription batchesNotAtomic(Durability torn) {
        tornBatches.add(torn);
        return this;
    }

    /** A level it does not offer: why, and where its documentation says so or what shows it. */
    public StoreDescription notOffered(Durability lacking, String why, String source) {
        notOffered.put(lacking, new NotOffered(why, source));
        return this;
    }

    /** What it can do, beside keeping data. */
    public StoreDescription can(Capability... offered) {
        Collections.addAll(capabilities, offered);
        if (capabilities.contains(Capability.SCAN_FROM)) {
            // A prefix is where a scan begins; the driver sees where it ends.
            capabilities.add(Capability.SCAN_PREFIX);
        }
        return this;
    }

    /** It keeps nothing: its answers are not checked. */
    public StoreDescription keepsNothing() {
        capabilities.remove(Capability.KEEPS_DATA);
        return this;
    }

    /** Limits of keys: by default from an empty one to the longest Java array. */
    public StoreDescription keys(long min, long max) {
        keyBytesMin = min;
        keyBytesMax = max;
        return this;
    }

    /** The longest value: by default the longest Java array. */
    public StoreDescription values(long max) {
        valueBytesMax = max;
        return this;
    }

    /** A setting it takes. */
    public StoreDescription setting(Setting setting) {
        settings.add(setting);
        return this;
    }

    /**
     * How it divides memory that it is given, and the documentation that this follows. Without a {@link #share} it has none of its own
     * but leaves its files to the page cache.
     */
    public StoreDescription memory(String how, String source) {
        memory = new JsonObject();
        memory.addProperty("how", how);
        memory.addProperty("source", source);
        memory.add("shares", new JsonArray());
        return this;
    }

    /** After {@link #memory}: so many percent of it for a setting of a number of bytes, of which there may be several pieces. */
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

    /** It exists to test bakeoff itself. */
    public StoreDescription testOnly() {
        testOnly = true;
        return this;
    }

    /** Its name in suites. */
    public String name() {
        return name;
    }

    /** The version that was given. */
    public String version() {
        return texts.get("version").getAsString();
    }

    /** Whether it offers the level. */
    public boolean offers(Durability wanted) {
        return durability.containsKey(wanted);
    }

    /** Why it does not offer the level; null if it does, or does not say. */
    public String whyNotOffered(Durability wanted) {
        NotOffered reason = offers(wanted) ? null : notOffered.get(wanted);
        return reason == null ? null : "%s (%s)".formatted(reason.why(), reason.source());
    }

    /** Whether it can do this. */
    public boolean can(Capability capability) {
        return capabilities.contains(capability);
    }

    /** Whether every acknowledged write survives the death of the process at this level, which it offers. */
    public boolean survivesProcessDeath(Durability offered) {
        return durability.get(offered).after().processDeath() == Leaves.KEPT;
    }

    /** Whether a batch is applied as a whole or not at all at this level, even when the process is killed. */
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

    /** Why it cannot be opened here, and how that is mended; null if it can. */
    public String missing() {
        return missing;
    }

    /** Whether it exists to test bakeoff itself. */
    public boolean isTestOnly() {
        return testOnly;
    }

    /** The settings it takes. */
    public List<Setting> settings() {
        return Collections.unmodifiableList(settings);
    }

    /** As {@code describe} prints it. */
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
