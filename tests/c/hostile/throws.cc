// The act `throw` for hostile engines that a C++ compiler links: an exception that
// nobody in the engine catches and that the border, which is C's, must not see.
#include <stdexcept>

extern "C" void throw_an_exception(void);

extern "C" void throw_an_exception(void) { throw std::runtime_error("thrown across the border"); }
