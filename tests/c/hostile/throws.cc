// The act `throw` for hostile engines linked by a C++ compiler: an uncaught exception,
// which must not cross the C ABI.
#include <stdexcept>

extern "C" void throw_an_exception(void);

extern "C" void throw_an_exception(void) { throw std::runtime_error("thrown across the border"); }
