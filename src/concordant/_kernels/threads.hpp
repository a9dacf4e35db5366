// Threads for the kernels: as many as asked for and sensible, and none that cannot be had.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

// How many threads to use for so many parts of work: at most four a core.
inline std::size_t thread_count(int workers, std::size_t parts) {
    const std::size_t most = 4 * std::max<std::size_t>(1, std::thread::hardware_concurrency());
    return std::max<std::size_t>(1, std::min({std::size_t(std::max(workers, 1)), most, parts}));
}

// Calls run(0) .. run(threads - 1), which must not throw: the first here, the others each in a thread of its own, or here
// as well where no more threads are to be had.
template <class Run>
void in_parallel(std::size_t threads, const Run& run) {
    std::vector<std::thread> others;
    others.reserve(threads);
    std::size_t started = 1;
    try {
        for (; started < threads; started++) others.emplace_back([&run, started] { run(started); });
    } catch (const std::exception&) {  // no more threads, or no memory for one; those that run must be joined
    }
    run(0);
    for (; started < threads; started++) run(started);
    for (std::thread& other : others) other.join();
}
