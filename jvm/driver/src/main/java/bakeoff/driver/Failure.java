package bakeoff.driver;

import bakeoff.store.Causes;
import bakeoff.store.StoreException;
import bakeoff.tape.Operation;
import bakeoff.tape.Record;
import bakeoff.tape.TapeException;
import com.google.gson.JsonObject;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.ServiceConfigurationError;

/** Why a run ended early: the content of the event {@code failed}. */
public final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    /** The kinds of failure in {@code docs/PROTOCOL.md}. */
    public enum Kind {
        /** Malformed, of an unknown version, or with a part that the driver does not support. */
        BAD_REQUEST,
        /** A tape or the pool is damaged, truncated or foreign. */
        BAD_TAPE,
        /** The store returned an error. */
        STORE_ERROR,
        /** The store returned a wrong answer. */
        WRONG_ANSWER,
        /** A part of the driver's own runtime is missing. */
        RUNTIME,
        /** No space was left. */
        DISK_FULL,
        /** Memory ran out. */
        OUT_OF_MEMORY,
        /** The store or the driver threw an unexpected error. */
        PANIC;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Kind kind;
    private String phase;

    Failure(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    private Failure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    static Failure badRequest(String message) {
        return new Failure(Kind.BAD_REQUEST, message);
    }

    static Failure badTape(TapeException damaged) {
        return new Failure(Kind.BAD_TAPE, damaged.getMessage());
    }

    /** An error of the store during an operation of a tape. */
    static Failure ofStep(Record record, ByteBuffer records, Throwable error) {
        Operation operation = record.operation();
        String key =
                operation.hasKey() ? " of key " + Checker.printable(records, record.keyOffset, record.keyBytes()) : "";
        return of(operation.word() + key, error);
    }

    /** Any exception during work with the store. */
    static Failure of(String doing, Throwable error) {
        if (error instanceof Failure failure) {
            return failure;
        }
        return new Failure(kindOf(error), doing + ": " + Causes.describe(error), error);
    }

    private static Kind kindOf(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            // Other errors of the store are classified by their messages.
            if (cause instanceof StoreException known && known.kind() != StoreException.Kind.STORE) {
                return switch (known.kind()) {
                    case BAD_REQUEST -> Kind.BAD_REQUEST;
                    case DISK_FULL -> Kind.DISK_FULL;
                    case OUT_OF_MEMORY -> Kind.OUT_OF_MEMORY;
                    case STORE -> Kind.STORE_ERROR;
                };
            }
            if (cause instanceof ServiceConfigurationError) {
                return Kind.RUNTIME;
            }
            if (cause instanceof OutOfMemoryError) {
                return Kind.OUT_OF_MEMORY;
            }
            if (saysDiskFull(String.valueOf(cause.getMessage()))) {
                return Kind.DISK_FULL;
            }
        }
        boolean missingLibrary = error instanceof LinkageError;
        return error instanceof Exception || missingLibrary ? Kind.STORE_ERROR : Kind.PANIC;
    }

    /** The operating system's message, which libraries pass on. */
    private static boolean saysDiskFull(String message) {
        return message.contains("No space left on device")
                || message.contains("Disk quota exceeded")
                || message.contains("SQLITE_FULL");
    }

    Kind kind() {
        return kind;
    }

    /** The same failure, with its phase. */
    Failure inPhase(String name) {
        phase = phase == null ? name : phase;
        return this;
    }

    /** The last event of a failed run. */
    JsonObject toJson() {
        JsonObject event = Emitter.event("failed");
        event.addProperty("kind", kind.word());
        if (phase != null) {
            event.addProperty("phase", phase);
        }
        event.addProperty("message", getMessage());
        return event;
    }
}
