/*
 * A library for LD_PRELOAD that misbehaves on demand. Files in the folder FAULTS say how, and are read again every 50 ms:
 *
 * clock-ms       milliseconds that the wall clock is ahead (negative: behind); the monotonic clock stays right
 * fsync-percent  share of syncs of the databases that fail with EIO, 0 to 100
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct setting {
  const char *name;
  long long value;
  long long read_at_ms;
};

static long long monotonic_ms(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long read_setting(struct setting *setting) {
  long long now = monotonic_ms();
  const char *folder = getenv("FAULTS");
  if (folder == NULL || (setting->read_at_ms != 0 && now - setting->read_at_ms < 50)) return setting->value;
  setting->read_at_ms = now;
  char path[512], text[32] = {0};
  snprintf(path, sizeof path, "%s/%s", folder, setting->name);
  int file = open(path, O_RDONLY);
  long long value = 0;
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) > 0) value = atoll(text);
    close(file);
  }
  return setting->value = value;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  static __thread struct setting offset = {"clock-ms", 0, 0};
  long long nanoseconds = time->tv_nsec + (read_setting(&offset) % 1000) * 1000000;
  time->tv_sec += offset.value / 1000 + nanoseconds / 1000000000;
  time->tv_nsec = nanoseconds % 1000000000;
  if (time->tv_nsec < 0) {
    time->tv_nsec += 1000000000;
    time->tv_sec -= 1;
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t time(time_t *seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds != NULL) *seconds = now.tv_sec;
  return now.tv_sec;
}

static int fails(int file) {
  char link[64], path[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strstr(path, ".db") == NULL) return 0;
  static __thread struct setting percent = {"fsync-percent", 0, 0};
  static __thread unsigned int seed = 1;
  return (long long)(rand_r(&seed) % 100) < read_setting(&percent);
}

int fsync(int file) {
  if (!fails(file)) return syscall(SYS_fsync, file);
  errno = EIO;
  return -1;
}

int fdatasync(int file) {
  if (!fails(file)) return syscall(SYS_fdatasync, file);
  errno = EIO;
  return -1;
}
