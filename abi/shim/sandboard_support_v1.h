/* What the shims of engines and of games have in common: memory for parameters and answers,
 * texts, and the C library functions of a module without a C library.
 *
 * The file is a part of each shim, which includes it once, after sb_text, the macro EXPORT and
 * trap_with: void trap_with(const char *text, uint32_t n) logs a text and does not return.
 * C99 for clang. */
#ifndef SANDBOARD_SUPPORT_V1_H
#define SANDBOARD_SUPPORT_V1_H

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *old);
void *memcpy(void *to, const void *from, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);

__attribute__((noreturn)) static void trap_with(const char *text, uint32_t n);

static uint32_t append(char *to, uint32_t at, uint32_t cap, const char *text) {
  for (; *text && at < cap; text++) to[at++] = *text;
  return at;
}

/* Fails with "<before><number><after>". */
__attribute__((noreturn)) static void fail_with_number(const char *before, uint32_t number,
                                                       const char *after) {
  char text[256], digits[11];
  uint32_t n = append(text, 0, sizeof text, before), at = sizeof digits - 1;
  digits[at] = 0;
  do digits[--at] = (char)('0' + number % 10); while (number /= 10);
  n = append(text, n, sizeof text, digits + at);
  trap_with(text, append(text, n, sizeof text, after));
}

__attribute__((noreturn)) static void fail(const char *sentence) {
  trap_with(sentence, (uint32_t)strlen(sentence));
}

/* ---- Memory for parameters and answers ---- */

/* Allocates memory for data that the host passes to the module. */
EXPORT("cabi_realloc")
void *cabi_realloc(void *old, size_t old_size, size_t align, size_t new_size) {
  void *block;
  if (new_size == 0) return (void *)align;   /* not NULL, never accessed, never freed */
  block = realloc(old_size ? old : NULL, new_size);
  if (!block) __builtin_trap();              /* the host records that it refused memory */
  return block;
}

/* Frees memory that the host allocated with cabi_realloc. */
static void release(void *block, uint32_t bytes) {
  if (bytes) free(block);
}

static void release_text(sb_text text) {
  release((void *)text.ptr, text.len);
}

/* Memory blocks of an answer, newest first. They are freed after the host has read it. */
typedef struct answer_block { struct answer_block *next; uint64_t align; } answer_block;
static answer_block *answer_blocks;

static void *allocate_answer(uint32_t bytes) {
  answer_block *block = (answer_block *)malloc(sizeof(answer_block) + bytes);
  if (!block) fail("has no memory for its answer");
  block->next = answer_blocks;
  answer_blocks = block;
  return block + 1;
}

static void free_answer_blocks(answer_block *down_to) {
  while (answer_blocks != down_to) {
    answer_block *next = answer_blocks->next;
    free(answer_blocks);
    answer_blocks = next;
  }
}

/* ---- Texts of the author ---- */

/* The length of the first character of p[0..n], valid or not. */
static uint32_t character(const uint8_t *p, uint32_t n, int *good) {
  uint8_t first = p[0], low = 0x80, high = 0xbf;
  uint32_t i, more;
  *good = 1;
  if (first < 0x80) return 1;
  more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  *good = first >= 0xc2 && first <= 0xf4;
  if (!*good) return 1;
  if (first == 0xe0) low = 0xa0;   /* overlong */
  if (first == 0xed) high = 0x9f;  /* surrogates */
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;  /* beyond U+10FFFF */
  for (i = 1; i <= more; i++) {
    *good = i < n && p[i] >= low && p[i] <= high;
    if (!*good) return i;
    low = 0x80;
    high = 0xbf;
  }
  return more + 1;
}

/* Normalizes a text: NULL becomes empty; a text that is too long is cut just after `most`
 * bytes, so that the host notices; bytes that are not UTF-8 are replaced, as the host does
 * for native engines. */
static sb_text normalized(sb_text text, uint32_t most) {
  const uint8_t *from = (const uint8_t *)text.ptr;
  uint32_t i, n, bad = 0;
  int good;
  uint8_t *to;
  if (!from || !text.len) {
    text.ptr = "";
    text.len = 0;
    return text;
  }
  if (text.len > most + 4) text.len = most + 4;
  for (i = 0; i < text.len; i += n) {
    n = character(from + i, text.len - i, &good);
    bad += !good;
  }
  if (!bad) return text;
  to = (uint8_t *)allocate_answer(text.len + 2 * bad);  /* three bytes replace at least one */
  text.ptr = (const char *)to;
  for (i = 0; i < text.len; i += n) {
    n = character(from + i, text.len - i, &good);
    memcpy(to, good ? from + i : (const uint8_t *)"\xef\xbf\xbd", good ? n : 3);
    to += good ? n : 3;
  }
  text.len = (uint32_t)(to - (const uint8_t *)text.ptr);
  return text;
}

#ifndef SANDBOARD_HAS_LIBC
/* ---- The C library functions that authors need, all weak ----
 *
 * malloc uses about 200 block sizes, eight per power of two. It reuses a freed block of the
 * same size, and allocates new memory at the end only if there is none. Blocks are never
 * split or joined, so each call is short. */

#define WEAK __attribute__((weak))
/* Keeps the compiler from turning memcpy's loop into a call of memcpy. */
#define PLAIN(name) __attribute__((weak, no_builtin(name)))

PLAIN("memcpy") void *memcpy(void *to, const void *from, size_t size) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  for (; size && ((uintptr_t)t & 7); size--) *t++ = *f++;
  for (; size >= 8; size -= 8, t += 8, f += 8) {
    uint64_t word;
    __builtin_memcpy(&word, f, 8);
    __builtin_memcpy(t, &word, 8);
  }
  while (size--) *t++ = *f++;
  return to;
}

PLAIN("memmove") void *memmove(void *to, const void *from, size_t size) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  if (t <= f || t >= f + size) return memcpy(to, from, size);
  while (size--) t[size] = f[size];
  return to;
}

PLAIN("memset") void *memset(void *to, int byte, size_t size) {
  char *t = (char *)to;
  uint64_t word = (uint8_t)byte * UINT64_C(0x0101010101010101);
  for (; size && ((uintptr_t)t & 7); size--) *t++ = (char)byte;
  for (; size >= 8; size -= 8, t += 8) __builtin_memcpy(t, &word, 8);
  while (size--) *t++ = (char)byte;
  return to;
}

PLAIN("memcmp") int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
  for (; size; size--, x++, y++) {
    if (*x != *y) return *x - *y;
  }
  return 0;
}

PLAIN("strlen") size_t strlen(const char *text) {
  const char *end = text;
  while (*end) end++;
  return (size_t)(end - text);
}

PLAIN("strncmp") int strncmp(const char *a, const char *b, size_t size) {
  for (; size; size--, a++, b++) {
    if (*a != *b) return (uint8_t)*a - (uint8_t)*b;
    if (!*a) return 0;
  }
  return 0;
}

PLAIN("strcmp") int strcmp(const char *a, const char *b) {
  return strncmp(a, b, SIZE_MAX);
}

/* The header of each block; 16 bytes, so that blocks are aligned for every type. */
typedef struct block {
  uint32_t size_class, capacity;
  struct block *next;              /* only in a free block */
  uint32_t unused;
} block;
typedef char block_is_16_bytes[sizeof(block) == 16 ? 1 : -1];

enum { PAGE_BYTES = 65536, SMALL_BYTES = 128, SIZE_CLASSES = 8 + (31 - 7) * 8 };
static const size_t SIZE_LIMIT = (size_t)1 << 31;

extern char __heap_base;           /* from the linker: the end of data and stack */
static block *freed[SIZE_CLASSES];

/* The class of a size from 1 to SIZE_LIMIT, and the capacity of blocks of this class. */
static uint32_t size_class(uint32_t size, uint32_t *capacity) {
  uint32_t power, step;
  if (size <= SMALL_BYTES) {
    *capacity = (size + 15) & ~15u;
    return *capacity / 16 - 1;
  }
  power = 31u - (uint32_t)__builtin_clz(size - 1);     /* 2^power < size <= 2^(power + 1) */
  step = (size - 1 - (1u << power)) >> (power - 3);    /* index of the eighth */
  *capacity = (1u << power) + ((step + 1) << (power - 3));
  return 8 + (power - 7) * 8 + step;
}

/* Allocates new memory after all that was ever allocated; NULL if there is no more. */
static void *allocate_new(uint32_t bytes) {
  static uintptr_t top;
  uint64_t end = (uint64_t)__builtin_wasm_memory_size(0) * PAGE_BYTES, wanted;
  if (!top) top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
  wanted = (uint64_t)top + bytes;
  if (wanted > UINT32_MAX) return NULL;
  if (wanted > end) {
    size_t pages = (size_t)((wanted - end + PAGE_BYTES - 1) / PAGE_BYTES);
    if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return NULL;
  }
  top = (uintptr_t)wanted;
  return (void *)(uintptr_t)(wanted - bytes);
}

PLAIN("malloc") void *malloc(size_t size) {
  uint32_t capacity, c;
  block *b;
  if (size > SIZE_LIMIT) return NULL;
  c = size_class(size ? size : 1, &capacity);
  b = freed[c];
  if (b) {
    freed[c] = b->next;
    return b + 1;
  }
  b = (block *)allocate_new(capacity + (uint32_t)sizeof *b);
  if (!b) return NULL;
  b->size_class = c;
  b->capacity = capacity;
  return b + 1;
}

PLAIN("free") void free(void *old) {
  block *b = (block *)old - 1;
  if (!old) return;
  b->next = freed[b->size_class];
  freed[b->size_class] = b;
}

PLAIN("calloc") void *calloc(size_t count, size_t size) {
  void *out;
  if (size && count > SIZE_LIMIT / size) return NULL;
  out = malloc(count * size);
  if (out) memset(out, 0, count * size);
  return out;
}

PLAIN("realloc") void *realloc(void *old, size_t size) {
  uint32_t capacity = old ? ((block *)old - 1)->capacity : 0;
  void *out;
  if (old && size <= capacity) return old;
  out = malloc(size);
  if (out && old) memcpy(out, old, capacity);
  if (out) free(old);
  return out;
}

WEAK __attribute__((noreturn)) void abort(void) {
  fail("aborted");
}

/* Called by assert.h. */
WEAK __attribute__((noreturn)) void sandboard_assert_failed(const char *what, const char *file,
                                                            uint32_t line) {
  char text[256];
  uint32_t n = append(text, 0, sizeof text - 1, "assertion failed: ");
  n = append(text, n, sizeof text - 1, what);
  n = append(text, n, sizeof text - 1, ", ");
  n = append(text, n, sizeof text - 1, file);
  n = append(text, n, sizeof text - 1, ":");
  text[n] = 0;
  fail_with_number(text, line, "");
}
#endif
#endif
