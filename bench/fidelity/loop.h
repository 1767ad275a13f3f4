/*
 * Shared by the minimal loops over LMDB and SQLite: keys, values, clock, and a buffer for values read. Keys are made
 * before the clock starts, in the order of their use, as on a tape.
 */
#ifndef BAKEOFF_FIDELITY_LOOP_H
#define BAKEOFF_FIDELITY_LOOP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEY_BYTES = 16, POOL_BYTES = 1 << 20 };

static const char *directory;
static int in_random_order;
/* scans: how often all entries are read */
static size_t records, value_bytes, batch, scans;
static unsigned char *keys, *pool, *output;
static uint32_t *value_offsets;
static uint64_t random_state = 88172645463325252u, begun_ns;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

/* xorshift64 */
static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void begin(void) { begun_ns = now_ns(); }

static void end(const char *phase, size_t operations) {
  printf("%s %zu %llu\n", phase, operations, (unsigned long long)(now_ns() - begun_ns));
  fflush(stdout);
}

static const void *key(size_t index) { return keys + index * KEY_BYTES; }

/* A value, as on a tape: values follow each other in the pool. */
static const void *value(size_t index) { return pool + value_offsets[index]; }

/* Copies the value read by this operation to a buffer that is reused. */
static void keep(size_t index, const void *bytes, size_t length) {
  size_t slots = (1 << 20) / value_bytes;
  if (length != value_bytes) fail("read", "a value of the wrong length");
  memcpy(output + index % (slots ? slots : 1) * value_bytes, bytes, length);
}

enum order { ASCENDING, EACH_ONCE, WITH_REPETITION };

static void make_keys(enum order order) {
  uint32_t *indices = malloc(records * sizeof *indices);
  char text[KEY_BYTES + 1];
  size_t place = 0;
  for (size_t i = 0; i < records; i++) indices[i] = order == WITH_REPETITION ? random_number() % records : i;
  for (size_t i = records; order == EACH_ONCE && i > 1; i--) {
    size_t other = random_number() % i;
    uint32_t swap = indices[i - 1];
    indices[i - 1] = indices[other];
    indices[other] = swap;
  }
  for (size_t i = 0; i < records; i++) {
    snprintf(text, sizeof text, "%016u", (unsigned)indices[i]);
    memcpy(keys + i * KEY_BYTES, text, KEY_BYTES);
    if (place + value_bytes > POOL_BYTES) place = random_number() % (POOL_BYTES - value_bytes + 1);
    value_offsets[i] = place;
    place += value_bytes;
  }
  free(indices);
}

/*
 * Reads the arguments DIRECTORY sequential|random RECORDS VALUE-BYTES BATCH SCANS, and makes buffers and values. The
 * rest runs in the first thread, as bakeoff replays its first lane: the C library gives other threads another kind of
 * heap.
 */
static void prepare(int argc, char **argv) {
  if (argc != 7) fail(argv[0], "give DIRECTORY sequential|random RECORDS VALUE-BYTES BATCH SCANS");
  directory = argv[1];
  in_random_order = strcmp(argv[2], "random") == 0;
  records = strtoull(argv[3], NULL, 10);
  value_bytes = strtoull(argv[4], NULL, 10);
  batch = strtoull(argv[5], NULL, 10);
  scans = strtoull(argv[6], NULL, 10);
  if (!records || !batch || !scans || !value_bytes || value_bytes > POOL_BYTES) fail(argv[0], "a number is out of range");
  keys = malloc(records * KEY_BYTES);
  value_offsets = malloc(records * sizeof *value_offsets);
  pool = malloc(POOL_BYTES);
  output = malloc((1 << 20) + value_bytes);
  for (size_t i = 0; i < POOL_BYTES; i++) pool[i] = random_number() & 0xff;
  memset(output, 1, (1 << 20) + value_bytes);
}

#endif
