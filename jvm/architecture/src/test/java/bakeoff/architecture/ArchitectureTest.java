package bakeoff.architecture;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Neither files nor packages form a circle, and packages keep their direction. */
final class ArchitectureTest {
    private static final Path BUILD = Path.of(System.getProperty("bakeoff.built"));

    /** Each package, and the other packages of bakeoff that it may use. Of {@code tape}, stores use its hash. */
    private static final Map<String, List<String>> USES = Map.of(
            "net.openhft.hashing", List.of(),
            "bakeoff.measure", List.of(),
            "bakeoff.directory..", List.of(),
            "bakeoff.tape", List.of("net.openhft.hashing", "bakeoff.measure", "bakeoff.directory.."),
            "bakeoff.store", List.of("bakeoff.tape"),
            "bakeoff.driver", List.of("bakeoff.measure", "bakeoff.directory..", "bakeoff.tape", "bakeoff.store"),
            "bakeoff.conformance", List.of("bakeoff.tape", "bakeoff.store"),
            "bakeoff.stores.lmdb", List.of("bakeoff.store"),
            "bakeoff.stores", List.of("bakeoff.tape", "bakeoff.store", "bakeoff.stores.lmdb"));

    private static JavaClasses classes;

    /** Reads the classes of every module that has any. */
    @BeforeAll
    static void read() throws IOException {
        List<Path> compiled;
        try (Stream<Path> files = Files.walk(Path.of("..").toRealPath())) {
            compiled = files.filter(path -> path.endsWith("src/main/java"))
                    .map(sources -> sources.getName(sources.getNameCount() - 4))
                    .map(module -> BUILD.resolve(module).resolve("classes"))
                    .toList();
        }
        for (Path module : compiled) {
            assertTrue(Files.isDirectory(module), module + " is missing: build all modules");
        }
        classes = new ClassFileImporter().importPaths(compiled);
    }

    /** Each file with its nested classes. */
    private static final class EachFile implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getName().split("\\$")[0]);
        }

        @Override
        public String getDescription() {
            return "files";
        }
    }

    @Test
    void filesFormNoCircle() {
        slices().assignedFrom(new EachFile()).should().beFreeOfCycles().check(classes);
    }

    @Test
    void packagesFormNoCircle() {
        slices().matching("(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void packagesKeepTheirDirection() {
        LayeredArchitecture layers = layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .ensureAllClassesAreContainedInArchitecture();
        for (String name : USES.keySet()) {
            layers = layers.layer(name).definedBy(name);
        }
        for (Map.Entry<String, List<String>> each : USES.entrySet()) {
            var layer = layers.whereLayer(each.getKey());
            String[] used = each.getValue().toArray(String[]::new);
            layers = used.length == 0 ? layer.mayNotAccessAnyLayer() : layer.mayOnlyAccessLayers(used);
        }
        layers.check(classes);
    }
}
