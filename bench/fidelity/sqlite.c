/*
 * A minimal program that fills and reads an SQLite database, for comparison with bakeoff's replay of the same work.
 * Durability level `process`: a write-ahead log, synchronous=NORMAL, prepared statements, one transaction per batch.
 */
#include <sqlite3.h>

#include "loop.h"

static sqlite3 *database;

static void check(const char *what, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail(what, sqlite3_errmsg(database));
}

static void execute(const char *sql) { check(sql, sqlite3_exec(database, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare_statement(const char *sql) {
  sqlite3_stmt *statement;
  check(sql, sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

static void run(sqlite3_stmt *statement) {
  check("step", sqlite3_step(statement));
  check("reset", sqlite3_reset(statement));
}

static void open_database(const char *directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/records.sqlite", directory);
  check("open", sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL));
  execute("PRAGMA page_size = 4096; PRAGMA journal_mode = wal; PRAGMA synchronous = 1; PRAGMA cache_size = -8192;"
          "PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = 1000");
  execute("CREATE TABLE record (key BLOB NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID");
}

static void fill(const char *phase) {
  sqlite3_stmt *begin_batch = prepare_statement("BEGIN IMMEDIATE"), *commit = prepare_statement("COMMIT");
  sqlite3_stmt *insert = prepare_statement("INSERT INTO record (key, value) VALUES (?1, ?2)");
  begin();
  for (size_t i = 0; i < records; i++) {
    if (i % batch == 0) run(begin_batch);
    check("bind", sqlite3_bind_blob64(insert, 1, key(i), KEY_BYTES, SQLITE_STATIC));
    check("bind", sqlite3_bind_blob64(insert, 2, value(i), value_bytes, SQLITE_STATIC));
    run(insert);
    if ((i + 1) % batch == 0 || i + 1 == records) run(commit);
  }
  end(phase, records);
  sqlite3_finalize(begin_batch);
  sqlite3_finalize(commit);
  sqlite3_finalize(insert);
}

static void read_random(void) {
  sqlite3_stmt *get = prepare_statement("SELECT value FROM record WHERE key = ?1");
  begin();
  for (size_t i = 0; i < records; i++) {
    check("bind", sqlite3_bind_blob64(get, 1, key(i), KEY_BYTES, SQLITE_STATIC));
    if (sqlite3_step(get) != SQLITE_ROW) fail("get", sqlite3_errmsg(database));
    const void *found = sqlite3_column_blob(get, 0);
    keep(i, found, (size_t)sqlite3_column_bytes(get, 0));
    check("reset", sqlite3_reset(get));
  }
  end("readrandom", records);
  sqlite3_finalize(get);
}

static void read_all(const char *phase) {
  sqlite3_stmt *scan = prepare_statement("SELECT key, value FROM record ORDER BY key ASC");
  size_t entries = 0, bytes = 0;
  begin();
  for (size_t pass = 0; pass < scans; pass++) {
    for (int code = sqlite3_step(scan); code == SQLITE_ROW; code = sqlite3_step(scan)) {
      const void *key_found = sqlite3_column_blob(scan, 0), *value_found = NULL;
      bytes += (size_t)sqlite3_column_bytes(scan, 0);
      value_found = sqlite3_column_blob(scan, 1);
      bytes += (size_t)sqlite3_column_bytes(scan, 1);
      if (!key_found || !value_found) fail("scan", "an entry without key or value");
      entries++;
    }
    check("reset", sqlite3_reset(scan));
  }
  end(phase, entries);
  sqlite3_finalize(scan);
  fprintf(stderr, "%zu entries, %zu bytes\n", entries, bytes);
}

int main(int argc, char **argv) {
  prepare(argc, argv);
  open_database(directory);
  make_keys(in_random_order ? EACH_ONCE : ASCENDING);
  fill(in_random_order ? "fillrandom" : "fillseq");
  if (in_random_order) {
    make_keys(WITH_REPETITION);
    read_random();
  }
  read_all(in_random_order ? "readseq-after-random" : "readseq");
  check("close", sqlite3_close(database));
  return 0;
}
