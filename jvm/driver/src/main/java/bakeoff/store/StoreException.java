package bakeoff.store;

/** Why a store could not do what it was asked, where more is known than the library's own exception says. */
public final class StoreException extends Exception {
    private static final long serialVersionUID = 1;

    /** The sorts of failure that a driver tells apart. */
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

    /** An error of this kind, in words. */
    public StoreException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** A request that does not fit the store: the limit and the remedy, in words. */
    public static StoreException badRequest(String message) {
        return new StoreException(Kind.BAD_REQUEST, message);
    }

    /** An error of the store, in words. */
    public static StoreException store(String message) {
        return new StoreException(Kind.STORE, message);
    }

    /** What sort of failure. */
    public Kind kind() {
        return kind;
    }
}
