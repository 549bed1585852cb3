/* <assert.h> for wasm builds: a failed assertion becomes the sentence of the
 * engine's fault. Each inclusion evaluates NDEBUG again, as the standard requires. */
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((noreturn)) void sandboard_assert_failed(const char *what, const char *file,
                                                       unsigned line);
#ifdef __cplusplus
}
#endif

#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : sandboard_assert_failed(#condition, __FILE__, __LINE__))
#endif
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
