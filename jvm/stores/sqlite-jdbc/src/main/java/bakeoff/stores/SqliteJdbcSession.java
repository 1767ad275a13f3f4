package bakeoff.stores;

import bakeoff.store.Direction;
import bakeoff.store.Output;
import bakeoff.store.Session;
import bakeoff.store.Visitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Consumer;

/** One thread's connection and its statements. */
final class SqliteJdbcSession implements Session<byte[]> {
    private final Connection connection;
    private final Consumer<Connection> giveBack;
    private final boolean batched;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final PreparedStatement upsert;
    private final PreparedStatement delete;
    private final PreparedStatement get;
    private final PreparedStatement any;
    private final PreparedStatement forward;
    private final PreparedStatement reverse;
    private final PreparedStatement forwardFrom;
    private final PreparedStatement reverseFrom;
    private boolean inBatch;

    SqliteJdbcSession(Connection connection, Consumer<Connection> giveBack, boolean batched) throws SQLException {
        this.connection = connection;
        this.giveBack = giveBack;
        this.batched = batched;
        connection.setAutoCommit(!batched);
        insert = connection.prepareStatement("INSERT INTO record (key, value) VALUES (?, ?)");
        update = connection.prepareStatement("UPDATE record SET value = ?2 WHERE key = ?1");
        upsert = connection.prepareStatement(
                "INSERT INTO record (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value");
        delete = connection.prepareStatement("DELETE FROM record WHERE key = ?");
        get = connection.prepareStatement("SELECT value FROM record WHERE key = ?");
        any = connection.prepareStatement("SELECT key, value FROM record");
        forward = connection.prepareStatement("SELECT key, value FROM record ORDER BY key");
        reverse = connection.prepareStatement("SELECT key, value FROM record ORDER BY key DESC");
        forwardFrom = connection.prepareStatement("SELECT key, value FROM record WHERE key >= ? ORDER BY key");
        reverseFrom = connection.prepareStatement("SELECT key, value FROM record WHERE key <= ? ORDER BY key DESC");
    }

    private void write(PreparedStatement statement, byte[] key, byte[] value) throws SQLException {
        statement.setBytes(1, key);
        if (value != null) {
            statement.setBytes(2, value);
        }
        statement.executeUpdate();
        inBatch = batched;
    }

    @Override
    public void insert(byte[] key, byte[] value) throws SQLException {
        write(insert, key, value);
    }

    @Override
    public void update(byte[] key, byte[] value) throws SQLException {
        write(update, key, value);
    }

    @Override
    public void upsert(byte[] key, byte[] value) throws SQLException {
        write(upsert, key, value);
    }

    @Override
    public void delete(byte[] key) throws SQLException {
        write(delete, key, null);
    }

    @Override
    public boolean get(byte[] key, Output output) throws SQLException {
        get.setBytes(1, key);
        boolean found;
        try (ResultSet rows = get.executeQuery()) {
            found = rows.next();
            if (found) {
                output.keep(orEmpty(rows.getBytes(1)));
            }
        }
        endRead();
        return found;
    }

    /** The binding returns no array for an empty value. */
    private static byte[] orEmpty(byte[] value) {
        return value == null ? new byte[0] : value;
    }

    @Override
    public void scan(byte[] from, Direction direction, Visitor<byte[]> visitor) throws SQLException {
        PreparedStatement statement =
                switch (direction) {
                    case ANY -> any;
                    case FORWARD -> from == null ? forward : forwardFrom;
                    case REVERSE -> from == null ? reverse : reverseFrom;
                };
        if (from != null) {
            statement.setBytes(1, from);
        }
        try (ResultSet rows = statement.executeQuery()) {
            boolean goOn = true;
            while (goOn && rows.next()) {
                goOn = visitor.visit(orEmpty(rows.getBytes(1)), orEmpty(rows.getBytes(2)));
            }
        }
        endRead();
    }

    /** Without auto-commit, a read opens a transaction, which would block the next write between batches. */
    private void endRead() throws SQLException {
        if (batched && !inBatch) {
            connection.commit();
        }
    }

    @Override
    public void commit() throws SQLException {
        if (inBatch) {
            connection.commit();
            inBatch = false;
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : new PreparedStatement[] {
            insert, update, upsert, delete, get, any, forward, reverse, forwardFrom, reverseFrom
        }) {
            statement.close();
        }
        if (batched) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        giveBack.accept(connection);
    }
}
