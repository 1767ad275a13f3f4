// LevelDB's C++ interface in C. LevelDB's own C interface allocates memory for every value and copies it there. Here a session keeps the
// string that LevelDB reads into, and the batch that it writes from, as a C++ program would.
//
// Nothing throws: if memory runs out, the process ends.

#include <leveldb/c.h>
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace {

// A message that the caller frees, or null if there is no error.
char* message_of(const leveldb::Status& status) {
  return status.ok() ? nullptr : strdup(status.ToString().c_str());
}

// Flushes the names in a file's directory.
leveldb::Status flush_directory_of(const std::string& file) {
  const std::string directory = file.substr(0, file.rfind('/') + 1);
  const int descriptor = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = descriptor >= 0 && fsync(descriptor) == 0;
  const leveldb::Status status =
      flushed ? leveldb::Status::OK() : leveldb::Status::IOError(file, "flushing its name: " + std::string(strerror(errno)));
  if (descriptor >= 0) close(descriptor);
  return status;
}

// LevelDB flushes what it writes to a log, but not the name of a new log, which comes every few MiB. After a power cut, acknowledged data
// would be in a file without a name (https://github.com/google/leveldb/issues/196). It flushes the names of other files with its manifest.
class LogsHaveNames : public leveldb::EnvWrapper {
 public:
  LogsHaveNames() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override {
    leveldb::Status status = target()->NewWritableFile(name, file);
    const std::string log = ".log";
    if (!status.ok() || name.size() < log.size() || name.compare(name.size() - log.size(), log.size(), log) != 0) return status;
    status = flush_directory_of(name);
    if (!status.ok()) delete *file;
    return status;
  }
};

}  // namespace

extern "C" {

struct bakeoff_leveldb_options {
  size_t cache_bytes;
  size_t write_buffer_bytes;
  size_t block_bytes;
  int bloom_bits;
  bool snappy;
  // Whether flushed data must survive a power cut.
  bool flush;
};

struct bakeoff_leveldb_bytes {
  const char* data;
  size_t length;
};

struct bakeoff_leveldb_database {
  // In this order, because the database must be closed before the objects it uses.
  LogsHaveNames logs_have_names;
  std::unique_ptr<leveldb::Cache> cache;
  std::unique_ptr<const leveldb::FilterPolicy> filter;
  std::unique_ptr<leveldb::DB> database;
};

struct bakeoff_leveldb_session {
  leveldb::DB* database;
  leveldb::WriteOptions write;
  leveldb::ReadOptions read;
  leveldb::WriteBatch batch;
  std::string value;
};

void bakeoff_leveldb_version(int* major, int* minor) noexcept {
  *major = leveldb_major_version();
  *minor = leveldb_minor_version();
}

char* bakeoff_leveldb_open(const char* path, const bakeoff_leveldb_options* wanted,
                           bakeoff_leveldb_database** result) noexcept {
  auto opened = std::make_unique<bakeoff_leveldb_database>();
  opened->cache.reset(leveldb::NewLRUCache(wanted->cache_bytes));
  if (wanted->bloom_bits > 0) opened->filter.reset(leveldb::NewBloomFilterPolicy(wanted->bloom_bits));
  leveldb::Options options;
  options.create_if_missing = true;
  options.block_cache = opened->cache.get();
  options.filter_policy = opened->filter.get();
  options.write_buffer_size = wanted->write_buffer_bytes;
  options.block_size = wanted->block_bytes;
  if (wanted->flush) options.env = &opened->logs_have_names;
  options.compression = wanted->snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  leveldb::DB* database = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, path, &database);
  opened->database.reset(database);
  if (status.ok()) *result = opened.release();
  return message_of(status);
}

void bakeoff_leveldb_close(bakeoff_leveldb_database* database) noexcept { delete database; }

bakeoff_leveldb_session* bakeoff_leveldb_session_begin(bakeoff_leveldb_database* database, bool sync) noexcept {
  auto* session = new bakeoff_leveldb_session;
  session->database = database->database.get();
  session->write.sync = sync;
  return session;
}

void bakeoff_leveldb_session_end(bakeoff_leveldb_session* session) noexcept { delete session; }

void bakeoff_leveldb_batch_put(bakeoff_leveldb_session* session, bakeoff_leveldb_bytes key,
                               bakeoff_leveldb_bytes value) noexcept {
  session->batch.Put({key.data, key.length}, {value.data, value.length});
}

void bakeoff_leveldb_batch_delete(bakeoff_leveldb_session* session, bakeoff_leveldb_bytes key) noexcept {
  session->batch.Delete({key.data, key.length});
}

char* bakeoff_leveldb_batch_write(bakeoff_leveldb_session* session) noexcept {
  const leveldb::Status status = session->database->Write(session->write, &session->batch);
  session->batch.Clear();
  return message_of(status);
}

// The value belongs to the session, until its next get. A missing key leaves `value` with null data.
char* bakeoff_leveldb_get(bakeoff_leveldb_session* session, bakeoff_leveldb_bytes key,
                          bakeoff_leveldb_bytes* value) noexcept {
  const leveldb::Status status = session->database->Get(session->read, {key.data, key.length}, &session->value);
  if (status.IsNotFound()) return nullptr;
  if (status.ok()) *value = {session->value.data(), session->value.size()};
  return message_of(status);
}

leveldb::Iterator* bakeoff_leveldb_iterator_open(bakeoff_leveldb_session* session) noexcept {
  return session->database->NewIterator(session->read);
}

void bakeoff_leveldb_iterator_close(leveldb::Iterator* iterator) noexcept { delete iterator; }

// The iterator's entry; false if there is none. The entry stays until the iterator moves. Each virtual call is made once.
static inline bool entry_of(const leveldb::Iterator* iterator, bakeoff_leveldb_bytes* key, bakeoff_leveldb_bytes* value) noexcept {
  if (!iterator->Valid()) return false;
  const leveldb::Slice k = iterator->key(), v = iterator->value();
  *key = {k.data(), k.size()};
  *value = {v.data(), v.size()};
  return true;
}

// Every move also returns the new entry, so that a step of a scan is one call.
bool bakeoff_leveldb_iterator_first(leveldb::Iterator* iterator, bakeoff_leveldb_bytes* key, bakeoff_leveldb_bytes* value) noexcept {
  iterator->SeekToFirst();
  return entry_of(iterator, key, value);
}

bool bakeoff_leveldb_iterator_last(leveldb::Iterator* iterator, bakeoff_leveldb_bytes* key, bakeoff_leveldb_bytes* value) noexcept {
  iterator->SeekToLast();
  return entry_of(iterator, key, value);
}

bool bakeoff_leveldb_iterator_seek(leveldb::Iterator* iterator, bakeoff_leveldb_bytes from, bakeoff_leveldb_bytes* key,
                                   bakeoff_leveldb_bytes* value) noexcept {
  iterator->Seek({from.data, from.length});
  return entry_of(iterator, key, value);
}

bool bakeoff_leveldb_iterator_next(leveldb::Iterator* iterator, bakeoff_leveldb_bytes* key, bakeoff_leveldb_bytes* value) noexcept {
  iterator->Next();
  return entry_of(iterator, key, value);
}

bool bakeoff_leveldb_iterator_previous(leveldb::Iterator* iterator, bakeoff_leveldb_bytes* key, bakeoff_leveldb_bytes* value) noexcept {
  iterator->Prev();
  return entry_of(iterator, key, value);
}

char* bakeoff_leveldb_iterator_error(const leveldb::Iterator* iterator) noexcept {
  return message_of(iterator->status());
}

}  // extern "C"
