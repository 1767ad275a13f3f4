/*
 * Berkeley DB's methods as functions. Its handles are structures with a pointer for each method among hundreds of private
 * fields, which only its own header knows.
 *
 * Functions that return int return 0, one of Berkeley DB's codes, or an errno. A failed open leaves nothing open.
 */

#include <db.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define GIBIBYTE ((u_int64_t)1 << 30)

struct bakeoff_db_bytes {
    const void *data;
    u_int32_t length;
};

/* Memory of the caller. `length` becomes the length of the answer, even if there is no room for it. */
struct bakeoff_db_room {
    void *data;
    u_int32_t room;
    u_int32_t length;
};

static DBT given(struct bakeoff_db_bytes bytes) {
    DBT dbt;
    memset(&dbt, 0, sizeof dbt);
    dbt.data = (void *)bytes.data;
    dbt.size = bytes.length;
    return dbt;
}

static DBT wanted(const struct bakeoff_db_room *room) {
    DBT dbt;
    memset(&dbt, 0, sizeof dbt);
    dbt.data = room->data;
    dbt.ulen = room->room;
    dbt.flags = DB_DBT_USERMEM;
    return dbt;
}

/* Flushes the names in a file's directory. Returns 0, or -1 with errno set. */
static int flush_directory_of(const char *file) {
    char directory[PATH_MAX];
    const char *slash = strrchr(file, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - file) + 1;
    if (length >= sizeof directory) { errno = ENAMETOOLONG; return -1; }
    memcpy(directory, file, length);
    directory[length] = 0;
    const int descriptor = open(length == 0 ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    const int code = fsync(descriptor), error = errno;
    (void)close(descriptor);
    errno = error;
    return code;
}

/*
 * Opens as open() does, and flushes the name of a new file. Berkeley DB flushes what it writes to a log, but not the name of a new log, which
 * comes every 10 MiB. After a power cut, acknowledged data would be in a file without a name.
 */
static int open_with_name(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) == 0 ? 0 : va_arg(rest, mode_t);
    va_end(rest);
    const int is_new = (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
    const int descriptor = open(path, flags | O_CLOEXEC, mode);
    if (descriptor < 0 || !is_new || flush_directory_of(path) == 0) return descriptor;
    const int error = errno;
    (void)close(descriptor);
    errno = error;
    return -1;
}

/* In a deadlock, the transaction that has written less gets the error. */
static int configure(DB_ENV *environment, u_int64_t cache_bytes, int flush) {
    int code = environment->set_cachesize(environment, (u_int32_t)(cache_bytes / GIBIBYTE), (u_int32_t)(cache_bytes % GIBIBYTE), 1);
    if (code == 0) code = environment->set_lk_detect(environment, DB_LOCK_MINWRITE);
    if (code == 0 && !flush) code = environment->set_flags(environment, DB_TXN_WRITE_NOSYNC, 1);
    if (code == 0) code = environment->log_set_config(environment, DB_LOG_AUTO_REMOVE, 1);
    return code;
}

int bakeoff_db_environment_open(const char *directory, u_int64_t cache_bytes, int flush, DB_ENV **result) {
    const u_int32_t flags = DB_CREATE | DB_RECOVER | DB_PRIVATE | DB_THREAD | DB_INIT_TXN | DB_INIT_LOG | DB_INIT_LOCK | DB_INIT_MPOOL;
    DB_ENV *environment;
    /* This affects all environments of the process. In others it costs one flush per file, and there are few files. */
    int code = flush ? db_env_set_func_open(open_with_name) : 0;
    if (code == 0) code = db_env_create(&environment, 0);
    if (code != 0) return code;
    code = configure(environment, cache_bytes, flush);
    if (code == 0) code = environment->open(environment, directory, flags, 0644);
    if (code == 0) *result = environment;
    else (void)environment->close(environment, 0);
    return code;
}

/* Writes all changed pages, so that older logs are no longer needed and are removed. */
int bakeoff_db_checkpoint(DB_ENV *environment) { return environment->txn_checkpoint(environment, 0, 0, 0); }

int bakeoff_db_environment_close(DB_ENV *environment) { return environment->close(environment, 0); }

/* Without an environment `cache_bytes` sets the database's own cache. A page size of 0 is Berkeley DB's own choice. */
int bakeoff_db_open(DB_ENV *environment, const char *file, int hash, u_int32_t page_bytes, u_int64_t cache_bytes, DB **result) {
    const u_int32_t flags = environment == NULL ? DB_CREATE : DB_CREATE | DB_AUTO_COMMIT | DB_THREAD;
    DB *database;
    int code = db_create(&database, environment, 0);
    if (code != 0) return code;
    if (environment == NULL)
        code = database->set_cachesize(database, (u_int32_t)(cache_bytes / GIBIBYTE), (u_int32_t)(cache_bytes % GIBIBYTE), 1);
    if (code == 0 && page_bytes != 0) code = database->set_pagesize(database, page_bytes);
    if (code == 0) code = database->open(database, NULL, file, NULL, hash ? DB_HASH : DB_BTREE, flags, 0644);
    if (code == 0) *result = database;
    else (void)database->close(database, 0);
    return code;
}

int bakeoff_db_close(DB *database) { return database->close(database, 0); }

int bakeoff_db_begin(DB_ENV *environment, DB_TXN **result) { return environment->txn_begin(environment, NULL, result, 0); }

int bakeoff_db_commit(DB_TXN *transaction) { return transaction->commit(transaction, 0); }

int bakeoff_db_abort(DB_TXN *transaction) { return transaction->abort(transaction); }

int bakeoff_db_put(DB *database, DB_TXN *transaction, struct bakeoff_db_bytes key, struct bakeoff_db_bytes value, int overwrite) {
    DBT key_dbt = given(key), value_dbt = given(value);
    return database->put(database, transaction, &key_dbt, &value_dbt, overwrite ? 0 : DB_NOOVERWRITE);
}

int bakeoff_db_delete(DB *database, DB_TXN *transaction, struct bakeoff_db_bytes key) {
    DBT key_dbt = given(key);
    return database->del(database, transaction, &key_dbt, 0);
}

int bakeoff_db_get(DB *database, DB_TXN *transaction, struct bakeoff_db_bytes key, struct bakeoff_db_room *value) {
    DBT key_dbt = given(key), value_dbt = wanted(value);
    const int code = database->get(database, transaction, &key_dbt, &value_dbt, 0);
    value->length = value_dbt.size;
    return code;
}

int bakeoff_db_exists(DB *database, DB_TXN *transaction, struct bakeoff_db_bytes key) {
    DBT key_dbt = given(key);
    return database->exists(database, transaction, &key_dbt, 0);
}

int bakeoff_db_cursor_open(DB *database, DB_TXN *transaction, DBC **result) {
    return database->cursor(database, transaction, result, 0);
}

int bakeoff_db_cursor_close(DBC *cursor) { return cursor->close(cursor); }

/* With DB_SET_RANGE, `key` contains the key to look for, in `length` bytes. */
int bakeoff_db_cursor_get(DBC *cursor, struct bakeoff_db_room *key, struct bakeoff_db_room *value, u_int32_t operation) {
    DBT key_dbt = wanted(key), value_dbt = wanted(value);
    key_dbt.size = key->length;
    const int code = cursor->get(cursor, &key_dbt, &value_dbt, operation);
    key->length = key_dbt.size;
    value->length = value_dbt.size;
    return code;
}
