// Errors of kernels. Arguments are checked before the GIL is released; a ValueError names the wrong argument. After
// that, the only possible error is a lack of memory, which can occur in any thread.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>

namespace kernels {

namespace nb = nanobind;

// Raises a ValueError in Python unless `holds` is true.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw nb::value_error(otherwise);
}

// Keeps the first exception of several threads until all threads have ended. An exception that is not caught in its
// thread would end the process.
class FirstError {
  public:
    template <class Run>
    void guard(const Run& run) noexcept {
        try {
            run();
        } catch (...) {
            if (!failed.exchange(true)) first = std::current_exception();
        }
    }
    void rethrow() const {
        if (first) std::rethrow_exception(first);
    }

  private:
    std::atomic<bool> failed{false};
    std::exception_ptr first;  // read when all threads have been joined
};

}  // namespace kernels
