package bakeoff.stores;

import bakeoff.store.Direction;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.StoreException;
import bakeoff.store.Visitor;
import org.fusesource.lmdbjni.Constants;
import org.fusesource.lmdbjni.Cursor;
import org.fusesource.lmdbjni.Database;
import org.fusesource.lmdbjni.DirectBuffer;
import org.fusesource.lmdbjni.Env;
import org.fusesource.lmdbjni.GetOp;
import org.fusesource.lmdbjni.LMDBException;
import org.fusesource.lmdbjni.SeekOp;
import org.fusesource.lmdbjni.Transaction;

/**
 * One thread's transactions: a read transaction that is reset and renewed, and the open write transaction of a batch.
 */
final class LmdbJniSession implements Session<DirectBuffer> {
    private final Env env;
    private final Database database;
    private final boolean batched;
    private final int insertFlags;
    private final Transaction reader;
    private final DirectBuffer keyFound = new DirectBuffer();
    private final DirectBuffer valueFound = new DirectBuffer();
    private final LmdbJniForm form = new LmdbJniForm();
    private Transaction batch;

    LmdbJniSession(Env env, Database database, SessionPlan plan) {
        this.env = env;
        this.database = database;
        batched = plan.batched();
        // With MDB_APPEND, a key that is not above all others is an error.
        insertFlags = plan.ascending() ? Constants.APPEND : Constants.NOOVERWRITE;
        reader = env.createReadTransaction();
        reader.reset();
    }

    private Transaction writer() {
        if (!batched) {
            return env.createWriteTransaction();
        }
        if (batch == null) {
            batch = env.createWriteTransaction();
        }
        return batch;
    }

    private void put(DirectBuffer key, DirectBuffer value, int flags) throws StoreException {
        Transaction writer = writer();
        try {
            if (database.put(writer, key, value, flags) != 0) {
                throw StoreException.store("MDB_KEYEXIST: the key is there already");
            }
        } catch (LMDBException | StoreException refused) {
            drop(writer);
            throw refused;
        }
        afterWrite(writer);
    }

    /** Outside batches, each write is a transaction. */
    private void afterWrite(Transaction writer) {
        if (!batched) {
            writer.commit();
        }
    }

    private void drop(Transaction writer) {
        if (!batched) {
            writer.abort();
        }
    }

    @Override
    public void insert(DirectBuffer key, DirectBuffer value) throws StoreException {
        put(key, value, insertFlags);
    }

    @Override
    public void update(DirectBuffer key, DirectBuffer value) throws StoreException {
        put(key, value, 0);
    }

    @Override
    public void upsert(DirectBuffer key, DirectBuffer value) throws StoreException {
        put(key, value, 0);
    }

    @Override
    public void delete(DirectBuffer key) {
        Transaction writer = writer();
        try {
            database.delete(writer, key);
        } catch (LMDBException refused) {
            drop(writer);
            throw refused;
        }
        afterWrite(writer);
    }

    private Transaction beginRead() {
        if (batch != null) {
            return batch;
        }
        reader.renew();
        return reader;
    }

    private void endRead() {
        if (batch == null) {
            reader.reset();
        }
    }

    @Override
    public boolean get(DirectBuffer key, Output output) {
        Transaction txn = beginRead();
        boolean found = database.get(txn, key, valueFound) == 0;
        if (found) {
            form.copy(valueFound, output);
        }
        endRead();
        return found;
    }

    @Override
    public void scan(DirectBuffer from, Direction direction, Visitor<DirectBuffer> visitor) {
        boolean reverse = direction == Direction.REVERSE;
        Transaction txn = beginRead();
        try (Cursor cursor = database.openCursor(txn)) {
            boolean there = begin(cursor, from, reverse);
            while (there && visitor.visit(keyFound, valueFound)) {
                there = step(cursor, reverse ? Constants.PREV : Constants.NEXT);
            }
        }
        endRead();
    }

    private boolean step(Cursor cursor, GetOp operation) {
        return cursor.position(keyFound, valueFound, operation) == 0;
    }

    private boolean begin(Cursor cursor, DirectBuffer from, boolean reverse) {
        if (from == null) {
            return step(cursor, reverse ? Constants.LAST : Constants.FIRST);
        }
        keyFound.wrap(from.addressOffset(), from.capacity());
        boolean there = cursor.seekPosition(keyFound, valueFound, SeekOp.RANGE) == 0;
        if (!reverse) {
            return there;
        }
        if (!there) {
            return step(cursor, Constants.LAST);
        }
        return isSame(from) || step(cursor, Constants.PREV);
    }

    private boolean isSame(DirectBuffer from) {
        boolean same = keyFound.capacity() == from.capacity();
        for (int at = 0; same && at < from.capacity(); at++) {
            same = keyFound.getByte(at) == from.getByte(at);
        }
        return same;
    }

    @Override
    public void commit() {
        if (batch != null) {
            Transaction ended = batch;
            batch = null;
            ended.commit();
        }
    }

    @Override
    public void close() {
        if (batch != null) {
            batch.abort();
        }
        reader.abort();
    }
}
