package bakeoff.conformance;

import static org.junit.jupiter.api.Assertions.fail;

import bakeoff.store.Capability;
import bakeoff.store.Durability;
import bakeoff.store.Setting;
import bakeoff.store.StoreDescription;
import bakeoff.store.StoreType;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every store on the class path: with its defaults, then with every other word of its settings. The output lists what
 * was checked, and what a store does not offer, with the reason.
 */
public final class ConformanceTest {
    /** A check. It returns null, or why a store does not offer the checked feature. */
    interface Check {
        String run(Fixture fixture) throws Exception;
    }

    private static final Map<String, Check> CHECKS = checks();

    private static Map<String, Check> checks() {
        Map<String, Check> checks = new LinkedHashMap<>();
        checks.put("create, read, update, delete", Checks::createReadUpdateDelete);
        checks.put("odd keys, none leaves its directory", Checks::oddKeys);
        checks.put("longest keys", Checks::longestKeys);
        checks.put("empty and large values", Checks::values);
        checks.put("missing and present keys", Checks::missingAndPresent);
        checks.put("upsert", Checks::upsert);
        checks.put("batch", Checks::batch);
        checks.put("unfinished batch", Checks::unfinishedBatch);
        checks.put("ascending load", Checks::ascending);
        checks.put("keys of walks", Checks::walkKeys);
        checks.put("whole scan, any order", Checks::scanAnyOrder);
        checks.put("whole scans, ordered", Checks::scanOrdered);
        checks.put("scans from any key", ModelChecks::scansFromAnyKey);
        checks.put("random operations against a model", ModelChecks::randomOperations);
        checks.put("reopen finds everything", Checks::reopen);
        checks.put("compacted copy", Checks::compactedCopy);
        checks.put("two threads", ThreadChecks::twoThreads);
        checks.put("two threads, batches", ThreadChecks::twoThreadsInBatches);
        return checks;
    }

    /** One test per store and set of settings. */
    @TestFactory
    Stream<DynamicTest> everyStore() throws Exception {
        List<DynamicTest> tests = new ArrayList<>();
        for (StoreType type : ServiceLoader.load(StoreType.class)) {
            StoreDescription description = type.describe();
            if (description.can(Capability.KEEPS_DATA)) {
                for (JsonObject given : otherSettings(description)) {
                    String name = given.size() == 0 ? description.name() : description.name() + " " + given;
                    tests.add(DynamicTest.dynamicTest(name, () -> check(type, description, given)));
                }
            }
        }
        return tests.stream();
    }

    /** Every store gives a source for each durability level and default. */
    @Test
    void sourcesAreGiven() throws Exception {
        for (StoreType type : ServiceLoader.load(StoreType.class)) {
            String json = type.describe().toJson().toString();
            if (!type.describe().isTestOnly()
                    && json.split("\"source\":\"http").length != json.split("\"source\":").length) {
                fail("%s has a source that is no address"
                        .formatted(type.describe().name()));
            }
        }
    }

    private static List<JsonObject> otherSettings(StoreDescription description) {
        List<JsonObject> choices = new ArrayList<>(List.of(new JsonObject()));
        if (description.isTestOnly()) {
            // The words of bakeoff's own test stores are faults.
            return choices;
        }
        for (Setting setting : description.settings()) {
            List<JsonPrimitive> words = setting.type().equals("boolean")
                    ? List.of(new JsonPrimitive(true), new JsonPrimitive(false))
                    : setting.words().stream().map(JsonPrimitive::new).toList();
            for (JsonPrimitive word : words) {
                if (!word.equals(setting.fallback())) {
                    JsonObject given = new JsonObject();
                    given.add(setting.name(), word);
                    choices.add(given);
                }
            }
        }
        return choices;
    }

    /** Runs every check at every level, prints a line per check, and fails if any failed. */
    private static void check(StoreType type, StoreDescription description, JsonObject given) {
        StringBuilder table = new StringBuilder("\n%s %s %s, Java %s"
                .formatted(
                        description.name(),
                        given.size() == 0 ? "" : given,
                        description.version(),
                        Runtime.version().feature()));
        for (Durability durability : Durability.values()) {
            String why = description.whyNotOffered(durability);
            if (why != null) {
                table.append("\n  %s is not offered: %s".formatted(durability.word(), why));
            }
        }
        List<Throwable> failures = new ArrayList<>();
        CHECKS.forEach((name, check) -> {
            Map<String, List<Durability>> outcomes = new LinkedHashMap<>();
            for (Durability durability : Durability.values()) {
                String outcome = outcome(type, description, given, durability, check, failures);
                outcomes.computeIfAbsent(outcome, any -> new ArrayList<>()).add(durability);
            }
            table.append("\n  %-38s%s".formatted(name, describe(outcomes)));
        });
        System.out.println(table);
        if (!failures.isEmpty()) {
            AssertionError error = new AssertionError("%d checks failed".formatted(failures.size()), failures.get(0));
            failures.forEach(error::addSuppressed);
            throw error;
        }
    }

    private static String outcome(
            StoreType type,
            StoreDescription description,
            JsonObject given,
            Durability durability,
            Check check,
            List<Throwable> failures) {
        if (!description.offers(durability)) {
            String why = description.whyNotOffered(durability);
            if (why == null) {
                AssertionError silent = new AssertionError(
                        "%s neither offers level %s nor says why".formatted(description.name(), durability.word()));
                failures.add(silent);
                return "FAILED, " + silent;
            }
            return "n/a, the level is not offered, as said above";
        }
        if (given.size() > 0 && durability != Durability.PROCESS) {
            return "not checked again";
        }
        try (Fixture fixture = new Fixture(type, description, given, durability)) {
            String notOffered = check.run(fixture);
            return notOffered == null ? "ok" : "n/a, " + notOffered;
        } catch (Exception | AssertionError failure) {
            failures.add(failure);
            return "FAILED, " + failure;
        }
    }

    private static String describe(Map<String, List<Durability>> outcomes) {
        return outcomes.entrySet().stream()
                .map(outcome ->
                        outcome.getValue().stream().map(Durability::word).collect(Collectors.joining(", ")) + ": "
                                + outcome.getKey())
                .collect(Collectors.joining("; "));
    }
}
