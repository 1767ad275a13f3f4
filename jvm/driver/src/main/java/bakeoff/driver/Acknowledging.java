package bakeoff.driver;

import bakeoff.store.Direction;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.Visitor;

/**
 * The session of a lane that counts writes and commits as they are acknowledged. Without such a request, the replay loop
 * has no code for that.
 *
 * @param <B> the form of keys and values
 */
final class Acknowledging<B> implements Session<B> {
    private final Session<B> session;
    private final Acknowledged acknowledged;
    private final int lane;
    private final boolean batched;
    /** Writes and commits that returned, in all phases. */
    private long count;

    /** Continues where the previous phase ended. */
    Acknowledging(Session<B> session, Acknowledged acknowledged, int lane, boolean batched) {
        this.session = session;
        this.acknowledged = acknowledged;
        this.lane = lane;
        this.batched = batched;
        count = acknowledged.count(lane);
    }

    @Override
    public void insert(B key, B value) throws Exception {
        session.insert(key, value);
        written();
    }

    @Override
    public void update(B key, B value) throws Exception {
        session.update(key, value);
        written();
    }

    @Override
    public void upsert(B key, B value) throws Exception {
        session.upsert(key, value);
        written();
    }

    @Override
    public void delete(B key) throws Exception {
        session.delete(key);
        written();
    }

    @Override
    public void commit() throws Exception {
        session.commit();
        count++;
        acknowledged.setCount(lane, count);
    }

    /** A write has returned. In a batch, only the commit acknowledges it. */
    private void written() {
        count++;
        if (!batched) {
            acknowledged.setCount(lane, count);
        }
    }

    @Override
    public boolean get(B key, Output output) throws Exception {
        return session.get(key, output);
    }

    @Override
    public boolean exists(B key, Output output) throws Exception {
        return session.exists(key, output);
    }

    @Override
    public void scan(B from, Direction direction, Visitor<B> visitor) throws Exception {
        session.scan(from, direction, visitor);
    }

    @Override
    public void close() throws Exception {
        session.close();
    }
}
