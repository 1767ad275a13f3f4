package bakeoff.stores;

import static org.lwjgl.util.lmdb.LMDB.MDB_APPEND;
import static org.lwjgl.util.lmdb.LMDB.MDB_FIRST;
import static org.lwjgl.util.lmdb.LMDB.MDB_LAST;
import static org.lwjgl.util.lmdb.LMDB.MDB_NEXT;
import static org.lwjgl.util.lmdb.LMDB.MDB_NOOVERWRITE;
import static org.lwjgl.util.lmdb.LMDB.MDB_NOTFOUND;
import static org.lwjgl.util.lmdb.LMDB.MDB_PREV;
import static org.lwjgl.util.lmdb.LMDB.MDB_RDONLY;
import static org.lwjgl.util.lmdb.LMDB.MDB_SET_RANGE;
import static org.lwjgl.util.lmdb.LMDB.MDB_SUCCESS;
import static org.lwjgl.util.lmdb.LMDB.mdb_cursor_close;
import static org.lwjgl.util.lmdb.LMDB.mdb_cursor_get;
import static org.lwjgl.util.lmdb.LMDB.mdb_cursor_open;
import static org.lwjgl.util.lmdb.LMDB.mdb_del;
import static org.lwjgl.util.lmdb.LMDB.mdb_get;
import static org.lwjgl.util.lmdb.LMDB.mdb_put;
import static org.lwjgl.util.lmdb.LMDB.mdb_strerror;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_abort;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_begin;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_commit;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_renew;
import static org.lwjgl.util.lmdb.LMDB.mdb_txn_reset;

import bakeoff.store.Direction;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.StoreException;
import bakeoff.store.Visitor;
import java.nio.ByteBuffer;
import org.lwjgl.PointerBuffer;
import org.lwjgl.system.MemoryUtil;
import org.lwjgl.util.lmdb.MDBVal;

/**
 * One thread's transactions: a read transaction that is reset and renewed, and the open write transaction of a batch.
 */
final class LwjglLmdbSession implements Session<ByteBuffer> {
    private static final long NONE = 0;

    private final long env;
    private final int dbi;
    private final boolean batched;
    private final int insertFlags;
    private final PointerBuffer pointer = MemoryUtil.memAllocPointer(1);
    private final MDBVal keyVal = MDBVal.calloc();
    private final MDBVal valueVal = MDBVal.calloc();
    private final long reader;
    private long batch = NONE;

    LwjglLmdbSession(long env, int dbi, SessionPlan plan) throws StoreException {
        this.env = env;
        this.dbi = dbi;
        batched = plan.batched();
        // With MDB_APPEND, a key that is not above all others is an error.
        insertFlags = plan.ascending() ? MDB_APPEND : MDB_NOOVERWRITE;
        reader = begin(MDB_RDONLY);
        mdb_txn_reset(reader);
    }

    /** Throws LMDB's own message for a status other than success. */
    static void check(int status) throws StoreException {
        if (status != MDB_SUCCESS) {
            throw StoreException.store(mdb_strerror(status));
        }
    }

    private long begin(int flags) throws StoreException {
        check(mdb_txn_begin(env, NONE, flags, pointer));
        return pointer.get(0);
    }

    private long writer() throws StoreException {
        if (!batched) {
            return begin(0);
        }
        if (batch == NONE) {
            batch = begin(0);
        }
        return batch;
    }

    /** Outside batches, each write is a transaction, which ends with it, successful or not. */
    private void afterWrite(long writer, int status) throws StoreException {
        if (batched) {
            check(status);
        } else if (status == 0) {
            check(mdb_txn_commit(writer));
        } else {
            mdb_txn_abort(writer);
            check(status);
        }
    }

    private void put(ByteBuffer key, ByteBuffer value, int flags) throws StoreException {
        long writer = writer();
        keyVal.mv_data(key);
        // The address of an empty buffer would be null.
        valueVal.mv_size(value.remaining()).mv_data(value);
        afterWrite(writer, mdb_put(writer, dbi, keyVal, valueVal, flags));
    }

    @Override
    public void insert(ByteBuffer key, ByteBuffer value) throws StoreException {
        put(key, value, insertFlags);
    }

    @Override
    public void update(ByteBuffer key, ByteBuffer value) throws StoreException {
        put(key, value, 0);
    }

    @Override
    public void upsert(ByteBuffer key, ByteBuffer value) throws StoreException {
        put(key, value, 0);
    }

    @Override
    public void delete(ByteBuffer key) throws StoreException {
        long writer = writer();
        keyVal.mv_data(key);
        int status = mdb_del(writer, dbi, keyVal, null);
        afterWrite(writer, status == MDB_NOTFOUND ? 0 : status);
    }

    private long beginRead() throws StoreException {
        if (batch != NONE) {
            return batch;
        }
        check(mdb_txn_renew(reader));
        return reader;
    }

    private void endRead() {
        if (batch == NONE) {
            mdb_txn_reset(reader);
        }
    }

    @Override
    public boolean get(ByteBuffer key, Output output) throws StoreException {
        long txn = beginRead();
        keyVal.mv_data(key);
        int status = mdb_get(txn, dbi, keyVal, valueVal);
        if (status == 0) {
            output.append(bytes(valueVal));
        } else if (status != MDB_NOTFOUND) {
            check(status);
        }
        endRead();
        return status == 0;
    }

    /** The bytes that LMDB points to. The pointer is null if there are none. */
    private static ByteBuffer bytes(MDBVal val) {
        ByteBuffer bytes = val.mv_data();
        return bytes == null ? MemoryUtil.memByteBuffer(val.address(), 0) : bytes;
    }

    @Override
    public void scan(ByteBuffer from, Direction direction, Visitor<ByteBuffer> visitor) throws StoreException {
        boolean reverse = direction == Direction.REVERSE;
        long txn = beginRead();
        check(mdb_cursor_open(txn, dbi, pointer));
        long cursor = pointer.get(0);
        try {
            int status = begin(cursor, from, reverse);
            while (status == 0 && visitor.visit(bytes(keyVal), bytes(valueVal))) {
                status = mdb_cursor_get(cursor, keyVal, valueVal, reverse ? MDB_PREV : MDB_NEXT);
            }
            check(status == MDB_NOTFOUND ? 0 : status);
        } finally {
            mdb_cursor_close(cursor);
            endRead();
        }
    }

    private int begin(long cursor, ByteBuffer from, boolean reverse) {
        if (from == null) {
            return mdb_cursor_get(cursor, keyVal, valueVal, reverse ? MDB_LAST : MDB_FIRST);
        }
        keyVal.mv_data(from);
        int status = mdb_cursor_get(cursor, keyVal, valueVal, MDB_SET_RANGE);
        if (!reverse) {
            return status;
        }
        if (status == MDB_NOTFOUND) {
            return mdb_cursor_get(cursor, keyVal, valueVal, MDB_LAST);
        }
        boolean same = status == 0 && bytes(keyVal).equals(from);
        return same ? status : mdb_cursor_get(cursor, keyVal, valueVal, MDB_PREV);
    }

    @Override
    public void commit() throws StoreException {
        if (batch != NONE) {
            long ended = batch;
            batch = NONE;
            check(mdb_txn_commit(ended));
        }
    }

    @Override
    public void close() {
        if (batch != NONE) {
            mdb_txn_abort(batch);
        }
        mdb_txn_abort(reader);
        keyVal.free();
        valueVal.free();
        MemoryUtil.memFree(pointer);
    }
}
