// Arrays from Python, and their checks: contiguous, in main memory, and of matching shapes.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "errors.hpp"

namespace kernels {

template <class Value, size_t DIMENSIONS>
using Array = nb::ndarray<Value, nb::ndim<DIMENSIONS>, nb::c_contig, nb::device::cpu>;

using Vector = Array<const double, 1>;
using Matrix = Array<const double, 2>;
using IntVector = Array<const int64_t, 1>;
using IntMatrix = Array<const int64_t, 2>;
using OutVector = Array<double, 1>;  // filled by a kernel
using OutMatrix = Array<double, 2>;

// Raises ValueError unless the array has this shape.
template <class Any, class... Sizes>
void require_shape(const char* name, const Any& array, Sizes... sizes) {
    constexpr size_t DIMENSIONS = sizeof...(Sizes);
    const size_t expected[DIMENSIONS] = {size_t(sizes)...};
    bool same = true;
    for (size_t d = 0; d < DIMENSIONS; d++) same &= array.shape(d) == expected[d];
    if (same) return;
    const auto text = [](const auto& size_of) {
        std::string shape;
        for (size_t d = 0; d < DIMENSIONS; d++) shape += (d ? ", " : "") + std::to_string(size_of(d));
        return "(" + shape + ")";
    };
    const std::string found = text([&](size_t d) { return array.shape(d); });
    const std::string wanted = text([&](size_t d) { return expected[d]; });
    throw nb::value_error((name + (" has the shape " + found) + " and must have " + wanted).c_str());
}

inline bool all_finite(const double* v, size_t n) {
    // An exponent of all ones is NaN or infinite; the tests are combined bit by bit, without a branch.
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        std::memcpy(&bits, v + i, sizeof bits);
        bad |= uint64_t((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u);
    }
    return !bad;
}

}  // namespace kernels
