// Entry points of kernels that compare two rows: for one pair, and for many. Such a kernel is a class with
//     Result                                   a struct of doubles, in the order of the fields of its twin
//     bool wants_order(n)                      whether it takes rows of this length with the truth sorted
//     small(order, candidate, result)          adds up the result, given the truth in order
//     large(truth, candidate, n, result)       adds up the result, given the truth unsorted
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "arrays.hpp"
#include "order.hpp"
#include "threads.hpp"

namespace kernels {

constexpr size_t MOST = INT32_MAX;  // scores of a row: places are counted in 32 bits

inline void require_length(size_t n) {
    require(n >= 2 && n <= MOST, "truth must have 2 to 2147483647 scores in a row");
}

template <class Result>
constexpr size_t fields_of() {
    static_assert(std::is_trivially_copyable<Result>::value && sizeof(Result) % sizeof(double) == 0,
                  "a result is copied as an array of doubles");
    return sizeof(Result) / sizeof(double);
}

template <class Result>
nb::object as_tuple(const Result& result) {
    constexpr size_t FIELDS = fields_of<Result>();
    double values[FIELDS];
    std::memcpy(values, &result, sizeof result);
    PyObject* tuple = PyTuple_New(FIELDS);
    for (size_t i = 0; tuple && i < FIELDS; i++) PyTuple_SetItem(tuple, Py_ssize_t(i), PyFloat_FromDouble(values[i]));
    return nb::steal(tuple);
}

// One pair: returns a tuple of the result's fields, or None if a score is not finite.
template <class Kernel>
nb::object one_pair(const Vector& truth, const Vector& candidate, const Kernel& kernel) {
    const size_t n = truth.size();
    require_length(n);
    require_shape("candidate", candidate, n);
    typename Kernel::Result result;
    bool finite;
    {
        nb::gil_scoped_release unlocked;
        finite = all_finite(truth.data(), n) && all_finite(candidate.data(), n);
        if (finite && kernel.wants_order(n)) {
            Order order;
            order.sort(truth.data(), int(n));
            kernel.small(order, candidate.data(), result);
        } else if (finite) {
            kernel.large(truth.data(), candidate.data(), n, result);
        }
    }
    return finite ? as_tuple(result) : nb::none();
}

// Fills out[b] for each pair b of truth[truth_row[b]] and candidate[candidate_row[b]]. Returns whether all scores were
// finite.
template <class Kernel>
bool many_pairs(const Matrix& truth, const Matrix& candidate, const IntVector& truth_row,
                const IntVector& candidate_row, const OutMatrix& out, int workers, const Kernel& kernel) {
    using Result = typename Kernel::Result;
    const size_t n = truth.shape(1), count = truth_row.size();
    require_length(n);
    require_shape("candidate", candidate, candidate.shape(0), n);
    require_shape("candidate_row", candidate_row, count);
    require_shape("out", out, count, fields_of<Result>());
    for (size_t b = 0; b < count; b++) {
        require(uint64_t(truth_row.data()[b]) < truth.shape(0), "truth_row names a row that truth does not have");
        require(uint64_t(candidate_row.data()[b]) < candidate.shape(0),
                "candidate_row names a row that candidate does not have");
    }
    nb::gil_scoped_release unlocked;
    std::atomic<bool> finite{true};
    const size_t threads = thread_count(workers, count);
    in_parallel(threads, [&](size_t thread) {  // threads take consecutive rows, which often share their truth
        Order order;
        int64_t last = -1;  // the row of truth in `order`, already checked
        for (size_t b = count * thread / threads; b < count * (thread + 1) / threads && finite; b++) {
            Result result;
            const double* t = truth.data() + truth_row.data()[b] * n;
            const double* c = candidate.data() + candidate_row.data()[b] * n;
            const bool other = truth_row.data()[b] != last;
            last = truth_row.data()[b];
            if (!all_finite(c, n) || (other && !all_finite(t, n))) {
                finite = false;
                return;
            }
            if (kernel.wants_order(n)) {
                if (other) order.sort(t, int(n));
                kernel.small(order, c, result);
            } else {
                kernel.large(t, c, n, result);
            }
            std::memcpy(out.data() + b * out.shape(1), &result, sizeof result);
        }
    });
    return finite;
}

}  // namespace kernels
