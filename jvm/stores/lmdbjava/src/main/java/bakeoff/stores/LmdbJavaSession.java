package bakeoff.stores;

import bakeoff.store.Direction;
import bakeoff.store.Form;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.SessionPlan;
import bakeoff.store.StoreException;
import bakeoff.store.Visitor;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/**
 * One thread's transactions: a read transaction that is reset and renewed, and the open write transaction of a batch.
 *
 * @param <B> the buffer
 */
final class LmdbJavaSession<B> implements Session<B> {
    private static final PutFlags[] NO_FLAGS = {};

    private final Env<B> env;
    private final Dbi<B> dbi;
    private final Form<B> form;
    private final boolean batched;
    private final PutFlags[] insertFlags;
    private final Txn<B> reader;
    private Txn<B> batch;

    LmdbJavaSession(Env<B> env, Dbi<B> dbi, Form<B> form, SessionPlan plan) {
        this.env = env;
        this.dbi = dbi;
        this.form = form;
        batched = plan.batched();
        // With MDB_APPEND, a key that is not above all others is an error.
        insertFlags = new PutFlags[] {plan.ascending() ? PutFlags.MDB_APPEND : PutFlags.MDB_NOOVERWRITE};
        reader = env.txnRead();
        reader.reset();
    }

    @Override
    public void insert(B key, B value) throws StoreException {
        write(key, value, insertFlags);
    }

    @Override
    public void update(B key, B value) throws StoreException {
        write(key, value, NO_FLAGS);
    }

    @Override
    public void upsert(B key, B value) throws StoreException {
        write(key, value, NO_FLAGS);
    }

    private void write(B key, B value, PutFlags[] flags) throws StoreException {
        if (batched) {
            if (batch == null) {
                batch = env.txnWrite();
            }
            put(batch, key, value, flags);
            return;
        }
        try (Txn<B> writer = env.txnWrite()) {
            put(writer, key, value, flags);
            writer.commit();
        }
    }

    private void put(Txn<B> writer, B key, B value, PutFlags[] flags) throws StoreException {
        if (!dbi.put(writer, key, value, flags)) {
            throw StoreException.store("MDB_KEYEXIST: the key is there already");
        }
    }

    @Override
    public void delete(B key) {
        if (batched) {
            if (batch == null) {
                batch = env.txnWrite();
            }
            dbi.delete(batch, key);
            return;
        }
        try (Txn<B> writer = env.txnWrite()) {
            dbi.delete(writer, key);
            writer.commit();
        }
    }

    @Override
    public boolean get(B key, Output output) {
        if (batch != null) {
            return get(batch, key, output);
        }
        reader.renew();
        boolean found = get(reader, key, output);
        reader.reset();
        return found;
    }

    private boolean get(Txn<B> txn, B key, Output output) {
        B value = dbi.get(txn, key);
        if (value == null) {
            return false;
        }
        form.copy(value, output);
        return true;
    }

    @Override
    public void scan(B from, Direction direction, Visitor<B> visitor) {
        if (batch != null) {
            scan(batch, from, direction, visitor);
            return;
        }
        reader.renew();
        scan(reader, from, direction, visitor);
        reader.reset();
    }

    private void scan(Txn<B> txn, B from, Direction direction, Visitor<B> visitor) {
        boolean reverse = direction == Direction.REVERSE;
        try (Cursor<B> cursor = dbi.openCursor(txn)) {
            boolean there = begin(cursor, from, reverse);
            while (there && visitor.visit(cursor.key(), cursor.val())) {
                there = reverse ? cursor.prev() : cursor.next();
            }
        }
    }

    private boolean begin(Cursor<B> cursor, B from, boolean reverse) {
        if (from == null) {
            return reverse ? cursor.last() : cursor.first();
        }
        boolean there = cursor.get(from, GetOp.MDB_SET_RANGE);
        if (!reverse) {
            return there;
        }
        if (!there) {
            return cursor.last();
        }
        return cursor.key().equals(from) || cursor.prev();
    }

    @Override
    public void commit() {
        if (batch != null) {
            batch.commit();
            batch.close();
            batch = null;
        }
    }

    @Override
    public void close() {
        if (batch != null) {
            batch.close();
        }
        reader.close();
    }
}
