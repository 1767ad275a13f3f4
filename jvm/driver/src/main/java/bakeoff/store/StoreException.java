package bakeoff.store;

/** Why a store failed, if more is known than the library's own exception. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** The kinds of failure that a driver distinguishes. */
    public enum Kind {
        /** The request does not fit the store. */
        BAD_REQUEST,
        /** No space was left on the device. */
        DISK_FULL,
        /** Memory ran out. */
        OUT_OF_MEMORY,
        /** Any other error. */
        STORE
    }

    private final Kind kind;

    /** An error of this kind, with a message. */
    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** A request that does not fit the store, with a message about the limit and the fix. */
    public static StoreException badRequest(String message) {
        return new StoreException(Kind.BAD_REQUEST, message);
    }

    /** An error of the store, with a message. */
    public static StoreException store(String message) {
        return new StoreException(Kind.STORE, message);
    }

    /** The kind of failure. */
    public Kind kind() {
        return kind;
    }
}
