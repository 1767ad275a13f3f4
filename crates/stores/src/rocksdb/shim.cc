// RocksDB's C++ interface in C. RocksDB's own C interface allocates a handle for every value and needs five calls for every entry of a
// scan. Here a session keeps a slice for pinned values, a batch for writes and an iterator, as a C++ program would.
//
// Nothing throws: if memory runs out, the process ends.

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace {

// A message that the caller frees, or null if there is no error.
char* message_of(const rocksdb::Status& status) {
  return status.ok() ? nullptr : strdup(status.ToString().c_str());
}

}  // namespace

extern "C" {

struct bakeoff_rocksdb_options {
  size_t cache_bytes;
  size_t write_buffer_bytes;
  size_t block_bytes;
  int bloom_bits;
  int background_jobs;
  const char* compression;
  bool statistics;
};

struct bakeoff_rocksdb_bytes {
  const char* data;
  size_t length;
};

struct bakeoff_rocksdb_database {
  std::shared_ptr<rocksdb::Statistics> statistics;
  std::unique_ptr<rocksdb::DB> database;
};

struct bakeoff_rocksdb_session {
  rocksdb::DB* database;
  rocksdb::WriteOptions write;
  rocksdb::ReadOptions read;
  rocksdb::WriteBatch batch;
  rocksdb::PinnableSlice value;
  std::unique_ptr<rocksdb::Iterator> iterator;
};

using bakeoff_rocksdb_visit = void (*)(void* context, bakeoff_rocksdb_bytes name, uint64_t value);

// "11.8.1"; the caller frees it.
char* bakeoff_rocksdb_version() noexcept { return strdup(rocksdb::GetRocksVersionAsString().c_str()); }

char* bakeoff_rocksdb_open(const char* path, const bakeoff_rocksdb_options* wanted,
                           bakeoff_rocksdb_database** result) noexcept {
  auto opened = std::make_unique<bakeoff_rocksdb_database>();
  rocksdb::BlockBasedTableOptions table;
  table.block_size = wanted->block_bytes;
  if (wanted->cache_bytes == 0) {
    table.no_block_cache = true;
  } else {
    // RocksDB's default kind of cache.
    table.block_cache = rocksdb::HyperClockCacheOptions(wanted->cache_bytes, 0).MakeSharedCache();
  }
  if (wanted->bloom_bits > 0) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(wanted->bloom_bits));
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = wanted->write_buffer_bytes;
  options.max_background_jobs = wanted->background_jobs;
  const std::string compression = wanted->compression;
  options.compression = compression == "zstd"     ? rocksdb::kZSTD
                        : compression == "lz4"    ? rocksdb::kLZ4Compression
                        : compression == "snappy" ? rocksdb::kSnappyCompression
                                                  : rocksdb::kNoCompression;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (wanted->statistics) options.statistics = opened->statistics = rocksdb::CreateDBStatistics();
  const rocksdb::Status status = rocksdb::DB::Open(options, path, &opened->database);
  if (status.ok()) *result = opened.release();
  return message_of(status);
}

// Writes data that is only in memory, if there is no log, and closes.
char* bakeoff_rocksdb_close(bakeoff_rocksdb_database* database) noexcept {
  const rocksdb::Status status = database->database->Close();
  delete database;
  return message_of(status);
}

// RocksDB's own counters. With statistics also those of its operations, and the time of calls by its own clock.
void bakeoff_rocksdb_properties(bakeoff_rocksdb_database* database, void* context, bakeoff_rocksdb_visit visit) noexcept {
  const auto show = [&](const std::string& name, uint64_t value) { visit(context, {name.data(), name.size()}, value); };
  for (const std::string* name : {&rocksdb::DB::Properties::kEstimateNumKeys,
                                  &rocksdb::DB::Properties::kLiveSstFilesSize,
                                  &rocksdb::DB::Properties::kTotalSstFilesSize,
                                  &rocksdb::DB::Properties::kCurSizeAllMemTables,
                                  &rocksdb::DB::Properties::kBlockCacheUsage,
                                  &rocksdb::DB::Properties::kEstimateTableReadersMem,
                                  &rocksdb::DB::Properties::kEstimatePendingCompactionBytes,
                                  &rocksdb::DB::Properties::kNumRunningCompactions,
                                  &rocksdb::DB::Properties::kBackgroundErrors}) {
    uint64_t value = 0;
    if (database->database->GetIntProperty(*name, &value)) show(*name, value);
  }
  if (!database->statistics) return;
  for (const auto& [ticker, name] : rocksdb::TickersNameMap) {
    const uint64_t count = database->statistics->getTickerCount(ticker);
    if (count > 0) show(name, count);
  }
  for (const auto& [histogram, name] : rocksdb::HistogramsNameMap) {
    if (histogram != rocksdb::DB_GET && histogram != rocksdb::DB_WRITE && histogram != rocksdb::DB_SEEK) continue;
    rocksdb::HistogramData data;
    database->statistics->histogramData(histogram, &data);
    if (data.count == 0) continue;
    show(name + ".count", data.count);
    show(name + ".p50_ns", static_cast<uint64_t>(data.median * 1e3));
    show(name + ".p99_ns", static_cast<uint64_t>(data.percentile99 * 1e3));
  }
}

bakeoff_rocksdb_session* bakeoff_rocksdb_session_begin(bakeoff_rocksdb_database* database, bool log, bool sync) noexcept {
  auto* session = new bakeoff_rocksdb_session;
  session->database = database->database.get();
  session->write.disableWAL = !log;
  session->write.sync = sync;
  return session;
}

void bakeoff_rocksdb_session_end(bakeoff_rocksdb_session* session) noexcept { delete session; }

char* bakeoff_rocksdb_batch_put(bakeoff_rocksdb_session* session, bakeoff_rocksdb_bytes key,
                                bakeoff_rocksdb_bytes value) noexcept {
  return message_of(session->batch.Put({key.data, key.length}, {value.data, value.length}));
}

char* bakeoff_rocksdb_batch_delete(bakeoff_rocksdb_session* session, bakeoff_rocksdb_bytes key) noexcept {
  return message_of(session->batch.Delete({key.data, key.length}));
}

char* bakeoff_rocksdb_batch_write(bakeoff_rocksdb_session* session) noexcept {
  // An iterator that waits for the next scan would keep data that is overwritten here.
  session->iterator.reset();
  const rocksdb::Status status = session->database->Write(session->write, &session->batch);
  session->batch.Clear();
  return message_of(status);
}

// The value stays pinned until the session's next get. A missing key leaves `value` with null data.
char* bakeoff_rocksdb_get(bakeoff_rocksdb_session* session, bakeoff_rocksdb_bytes key,
                          bakeoff_rocksdb_bytes* value) noexcept {
  session->value.Reset();
  const rocksdb::Status status = session->database->Get(session->read, session->database->DefaultColumnFamily(),
                                                        {key.data, key.length}, &session->value);
  if (status.IsNotFound()) return nullptr;
  if (status.ok()) *value = {session->value.data(), session->value.size()};
  return message_of(status);
}

// The session's iterator, at the newest state of the database; null if there is a message.
char* bakeoff_rocksdb_iterator(bakeoff_rocksdb_session* session, rocksdb::Iterator** iterator) noexcept {
  rocksdb::Status status;
  if (session->iterator) {
    status = session->iterator->Refresh();
  } else {
    session->iterator.reset(session->database->NewIterator(session->read));
  }
  *iterator = session->iterator.get();
  return message_of(status);
}

// The iterator's entry; false if there is none. The entry stays until the iterator moves. Each virtual call is made once.
static inline bool entry_of(const rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes* key, bakeoff_rocksdb_bytes* value) noexcept {
  if (!iterator->Valid()) return false;
  const rocksdb::Slice k = iterator->key(), v = iterator->value();
  *key = {k.data(), k.size()};
  *value = {v.data(), v.size()};
  return true;
}

// Every move also returns the new entry, so that a step of a scan is one call.
bool bakeoff_rocksdb_iterator_first(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes* key, bakeoff_rocksdb_bytes* value) noexcept {
  iterator->SeekToFirst();
  return entry_of(iterator, key, value);
}

bool bakeoff_rocksdb_iterator_last(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes* key, bakeoff_rocksdb_bytes* value) noexcept {
  iterator->SeekToLast();
  return entry_of(iterator, key, value);
}

bool bakeoff_rocksdb_iterator_seek(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes from, bakeoff_rocksdb_bytes* key,
                                   bakeoff_rocksdb_bytes* value) noexcept {
  iterator->Seek({from.data, from.length});
  return entry_of(iterator, key, value);
}

bool bakeoff_rocksdb_iterator_seek_for_previous(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes from, bakeoff_rocksdb_bytes* key,
                                                bakeoff_rocksdb_bytes* value) noexcept {
  iterator->SeekForPrev({from.data, from.length});
  return entry_of(iterator, key, value);
}

bool bakeoff_rocksdb_iterator_next(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes* key, bakeoff_rocksdb_bytes* value) noexcept {
  iterator->Next();
  return entry_of(iterator, key, value);
}

bool bakeoff_rocksdb_iterator_previous(rocksdb::Iterator* iterator, bakeoff_rocksdb_bytes* key, bakeoff_rocksdb_bytes* value) noexcept {
  iterator->Prev();
  return entry_of(iterator, key, value);
}

char* bakeoff_rocksdb_iterator_error(const rocksdb::Iterator* iterator) noexcept {
  return message_of(iterator->status());
}

}  // extern "C"
