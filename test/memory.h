/* memory.h - memory that runs out at the n-th call, and a count of the blocks that are still there.
 *
 * A program that includes this has malloc and its relatives of its own, in front of those of glibc. They
 * fail at the call number fail_at of those that come from the program's text, which holds the static
 * library; calls from shared libraries pass. With the sanitizers, which do the same trick, SANITIZED is
 * defined and there is nothing to test.
 */
#ifndef CPS_TEST_MEMORY_H
#define CPS_TEST_MEMORY_H

#include "test.h"

#if !defined(__GLIBC__) && !defined(SANITIZED)
#define SANITIZED
#endif

#ifndef SANITIZED

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);
extern char __executable_start, etext;

/* Volatile, since compilers know that malloc does not touch variables. */
static volatile long fail_at; /* 0: never */
static volatile long calls;   /* of the program, since it was armed */
static volatile long live;    /* blocks that the program has and has not freed */

static int ours(const void *caller) {
  return (const char *)caller >= &__executable_start && (const char *)caller < &etext;
}

/* The blocks that the program has: libraries that end in a jump to free look like the program, so only blocks
 * that are known count. */
enum { SLOTS = 1 << 16 };
static void *volatile known[SLOTS];

static size_t slot_of(const void *block) { return (uintptr_t)block / 16 * 2654435761u % SLOTS; }

/* While recording is 1, new blocks are listed in order; NULL where one has gone again while it was 1 or 2. */
enum { RECORDED_MOST = 4096 };
static void *recorded[RECORDED_MOST];
static volatile int recording, n_recorded;

static void *know(void *block, const void *caller) {
  if (!block || !ours(caller)) return block;
  if (recording == 1 && n_recorded < RECORDED_MOST) recorded[n_recorded++] = block;
  size_t i = slot_of(block);
  while (known[i]) i = (i + 1) % SLOTS;
  known[i] = block;
  live++;
  return block;
}

/* Forgets a block, and closes the gap that it leaves behind. */
static int forget(const void *block) {
  size_t i = slot_of(block);
  while (known[i] && known[i] != block) i = (i + 1) % SLOTS;
  if (!known[i]) return 0;
  for (int k = 0; recording && k < n_recorded; k++)
    if (recorded[k] == block) recorded[k] = NULL;
  known[i] = NULL;
  live--;
  for (i = (i + 1) % SLOTS; known[i]; i = (i + 1) % SLOTS) {
    void *other = known[i];
    known[i] = NULL;
    size_t k = slot_of(other);
    while (known[k]) k = (k + 1) % SLOTS;
    known[k] = other;
  }
  return 1;
}

/* Whether this call fails. */
static int fails(const void *caller) { return ours(caller) && ++calls == fail_at; }

void *malloc(size_t size) {
  const void *caller = __builtin_return_address(0);
  return fails(caller) ? NULL : know(__libc_malloc(size), caller);
}

void *calloc(size_t n, size_t size) {
  const void *caller = __builtin_return_address(0);
  return fails(caller) ? NULL : know(__libc_calloc(n, size), caller);
}

void *realloc(void *block, size_t size) {
  const void *caller = __builtin_return_address(0);
  if (fails(caller)) return NULL;
  int was = block && forget(block);
  void *p = __libc_realloc(block, size);
  if (!p && was) know(block, caller);
  return was || !block ? know(p, caller) : p;
}

void free(void *block) {
  if (block) forget(block);
  __libc_free(block);
}

#endif

#endif
