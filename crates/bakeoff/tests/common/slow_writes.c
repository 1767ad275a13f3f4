/* A library to preload: each positioned write takes SPIN_NS nanoseconds longer, which a processor spends waiting. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void spin(void) {
    static long long spin_ns = -1;
    if (spin_ns < 0) {
        const char *text = getenv("SPIN_NS");
        spin_ns = text ? atoll(text) : 0;
    }
    long long end = now_ns() + spin_ns;
    while (now_ns() < end) {
    }
}

typedef ssize_t (*write_at)(int, const void *, size_t, off_t);

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    static write_at real;
    if (!real) real = (write_at)dlsym(RTLD_NEXT, "pwrite");
    spin();
    return real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) {
    static write_at real;
    if (!real) real = (write_at)dlsym(RTLD_NEXT, "pwrite64");
    spin();
    return real(file, bytes, count, offset);
}
