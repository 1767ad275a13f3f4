package bakeoff.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file in which the kernel describes processes or devices. */
final class KernelFile {
    private KernelFile() {}

    /** The whole text. Empty if it is unreadable. */
    static String text(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException unreadable) {
            return "";
        }
    }
}
