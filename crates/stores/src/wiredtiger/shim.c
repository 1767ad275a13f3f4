/*
 * WiredTiger's methods as functions. Its handles are structures with a pointer for each method, in an order that only its own header
 * knows, and setting a key takes a variable number of arguments.
 *
 * Functions that return int return 0, one of WiredTiger's codes, or an errno.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <wiredtiger.h>

#define TABLE "table:records"

struct bakeoff_wt_bytes {
    const void *data;
    size_t length;
};

/* One thread's session: a cursor that overwrites existing keys, and one for inserts that refuses them. */
struct bakeoff_wt_session {
    WT_SESSION *session;
    WT_CURSOR *cursor;
    WT_CURSOR *inserting;
};

/* By default messages, such as those of a recovery, go to standard output, where the driver writes its events. */
static int on_message(WT_EVENT_HANDLER *handler, WT_SESSION *session, const char *message) {
    (void)handler;
    (void)session;
    return fprintf(stderr, "%s\n", message) < 0 ? EIO : 0;
}

static WT_EVENT_HANDLER handler = {.handle_message = on_message};

int bakeoff_wt_close(WT_CONNECTION *connection) { return connection->close(connection, NULL); }

int bakeoff_wt_open(const char *directory, const char *configuration, const char *table, WT_CONNECTION **result) {
    WT_CONNECTION *connection;
    WT_SESSION *session;
    int code = wiredtiger_open(directory, &handler, configuration, &connection);
    if (code != 0) return code;
    code = connection->open_session(connection, NULL, NULL, &session);
    if (code == 0) code = session->create(session, TABLE, table);
    if (code == 0) code = session->close(session, NULL);
    if (code == 0) *result = connection;
    else (void)bakeoff_wt_close(connection);
    return code;
}

int bakeoff_wt_session_end(struct bakeoff_wt_session *session) {
    /* Rolls an uncommitted transaction back, and closes the cursors. */
    const int code = session->session->close(session->session, NULL);
    free(session);
    return code;
}

int bakeoff_wt_session_begin(WT_CONNECTION *connection, struct bakeoff_wt_session **result) {
    struct bakeoff_wt_session *new = malloc(sizeof *new);
    if (new == NULL) return WT_PANIC;
    int code = connection->open_session(connection, NULL, NULL, &new->session);
    if (code != 0) {
        free(new);
        return code;
    }
    code = new->session->open_cursor(new->session, TABLE, NULL, NULL, &new->cursor);
    if (code == 0) code = new->session->open_cursor(new->session, TABLE, NULL, "overwrite=false", &new->inserting);
    if (code == 0) *result = new;
    else (void)bakeoff_wt_session_end(new);
    return code;
}

int bakeoff_wt_begin(struct bakeoff_wt_session *session) { return session->session->begin_transaction(session->session, NULL); }

/* A transaction that cannot be committed is rolled back. */
int bakeoff_wt_commit(struct bakeoff_wt_session *session) { return session->session->commit_transaction(session->session, NULL); }

static void set_key(WT_CURSOR *cursor, struct bakeoff_wt_bytes key) {
    WT_ITEM item = {.data = key.data, .size = key.length};
    cursor->set_key(cursor, &item);
}

int bakeoff_wt_put(struct bakeoff_wt_session *session, struct bakeoff_wt_bytes key, struct bakeoff_wt_bytes value, int overwrite) {
    WT_CURSOR *cursor = overwrite ? session->cursor : session->inserting;
    WT_ITEM item = {.data = value.data, .size = value.length};
    set_key(cursor, key);
    cursor->set_value(cursor, &item);
    const int code = cursor->insert(cursor);
    /* After an error the cursor may be on the conflicting entry. */
    if (code != 0) (void)cursor->reset(cursor);
    return code;
}

/* With the overwriting cursor, removing a missing key is not an error. */
int bakeoff_wt_delete(struct bakeoff_wt_session *session, struct bakeoff_wt_bytes key) {
    set_key(session->cursor, key);
    return session->cursor->remove(session->cursor);
}

static int current(WT_CURSOR *cursor, struct bakeoff_wt_bytes *key, struct bakeoff_wt_bytes *value) {
    WT_ITEM item;
    int code = 0;
    if (key != NULL) {
        code = cursor->get_key(cursor, &item);
        if (code == 0) *key = (struct bakeoff_wt_bytes){item.data, item.size};
    }
    if (code == 0) code = cursor->get_value(cursor, &item);
    if (code == 0) *value = (struct bakeoff_wt_bytes){item.data, item.size};
    return code;
}

/* The value stays in place until the session's cursor is reset. */
int bakeoff_wt_get(struct bakeoff_wt_session *session, struct bakeoff_wt_bytes key, struct bakeoff_wt_bytes *value) {
    set_key(session->cursor, key);
    const int code = session->cursor->search(session->cursor);
    return code != 0 ? code : current(session->cursor, NULL, value);
}

/* Releases the page of the session's cursor. */
int bakeoff_wt_reset(struct bakeoff_wt_session *session) { return session->cursor->reset(session->cursor); }

/* Moves to the next entry; without a position, to the first or last one. */
int bakeoff_wt_step(struct bakeoff_wt_session *session, int reverse, struct bakeoff_wt_bytes *key, struct bakeoff_wt_bytes *value) {
    WT_CURSOR *cursor = session->cursor;
    const int code = reverse ? cursor->prev(cursor) : cursor->next(cursor);
    return code != 0 ? code : current(cursor, key, value);
}

/* Moves to the first key not below the given one, or in reverse to the last one not above it, and replaces `key` by it. */
int bakeoff_wt_seek(struct bakeoff_wt_session *session, int reverse, struct bakeoff_wt_bytes *key, struct bakeoff_wt_bytes *value) {
    WT_CURSOR *cursor = session->cursor;
    int exact;
    set_key(cursor, *key);
    const int code = cursor->search_near(cursor, &exact);
    if (code != 0) return code;
    if (reverse ? exact > 0 : exact < 0) return bakeoff_wt_step(session, reverse, key, value);
    return current(cursor, key, value);
}
