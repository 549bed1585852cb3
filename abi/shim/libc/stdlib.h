/* The part of <stdlib.h> in abi/shim/sandboard_support_v1.h, for wasm builds only. */
#ifndef SANDBOARD_STDLIB_H
#define SANDBOARD_STDLIB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *old);
__attribute__((noreturn)) void abort(void);
#ifdef __cplusplus
}
#endif
#endif
