/*
 * A minimal program that fills and reads an LMDB, for comparison with bakeoff's replay of the same work. Durability
 * level `process`: MDB_NOSYNC, one transaction per batch, a read transaction renewed for every get.
 */
#include <lmdb.h>

#include "loop.h"

static MDB_env *environment;
static MDB_dbi database;

static void check(const char *what, int code) {
  if (code) fail(what, mdb_strerror(code));
}

static void open_environment(const char *directory) {
  MDB_txn *transaction;
  check("create", mdb_env_create(&environment));
  check("map size", mdb_env_set_mapsize(environment, (size_t)16 << 30));
  check("open", mdb_env_open(environment, directory, MDB_NOSYNC | MDB_NOTLS, 0644));
  check("begin", mdb_txn_begin(environment, NULL, 0, &transaction));
  check("database", mdb_dbi_open(transaction, NULL, 0, &database));
  check("commit", mdb_txn_commit(transaction));
}

static void fill(const char *phase, unsigned flags) {
  MDB_txn *transaction = NULL;
  begin();
  for (size_t i = 0; i < records; i++) {
    MDB_val k = {KEY_BYTES, (void *)key(i)}, v = {value_bytes, (void *)value(i)};
    if (!transaction) check("begin", mdb_txn_begin(environment, NULL, 0, &transaction));
    check("put", mdb_put(transaction, database, &k, &v, flags));
    if ((i + 1) % batch == 0 || i + 1 == records) {
      check("commit", mdb_txn_commit(transaction));
      transaction = NULL;
    }
  }
  end(phase, records);
}

static void read_random(void) {
  MDB_txn *transaction;
  check("begin", mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
  mdb_txn_reset(transaction);
  begin();
  for (size_t i = 0; i < records; i++) {
    MDB_val k = {KEY_BYTES, (void *)key(i)}, v;
    check("renew", mdb_txn_renew(transaction));
    check("get", mdb_get(transaction, database, &k, &v));
    keep(i, v.mv_data, v.mv_size);
    mdb_txn_reset(transaction);
  }
  end("readrandom", records);
  mdb_txn_abort(transaction);
}

static void read_all(const char *phase) {
  MDB_txn *transaction;
  MDB_cursor *cursor;
  MDB_val k, v;
  size_t entries = 0, bytes = 0;
  check("begin", mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
  begin();
  check("cursor", mdb_cursor_open(transaction, database, &cursor));
  for (size_t scan = 0; scan < scans; scan++) {
    for (int code = mdb_cursor_get(cursor, &k, &v, MDB_FIRST); !code; code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT)) {
      bytes += k.mv_size + v.mv_size;
      entries++;
    }
  }
  mdb_cursor_close(cursor);
  end(phase, entries);
  mdb_txn_abort(transaction);
  fprintf(stderr, "%zu entries, %zu bytes\n", entries, bytes);
}

int main(int argc, char **argv) {
  prepare(argc, argv);
  open_environment(directory);
  make_keys(in_random_order ? EACH_ONCE : ASCENDING);
  fill(in_random_order ? "fillrandom" : "fillseq", in_random_order ? MDB_NOOVERWRITE : MDB_APPEND);
  if (in_random_order) {
    make_keys(WITH_REPETITION);
    read_random();
  }
  read_all(in_random_order ? "readseq-after-random" : "readseq");
  mdb_env_close(environment);
  return 0;
}
