// Starts the requested number of threads for the kernels, within limits. If the system provides fewer threads, those do
// all the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "errors.hpp"

namespace kernels {

// The number of threads for a number of parts of work: at most four per core.
inline size_t thread_count(int workers, size_t parts) {
    const size_t most = 4 * std::max<size_t>(1, std::thread::hardware_concurrency());
    return std::max<size_t>(1, std::min({size_t(std::max(workers, 1)), most, parts}));
}

// Calls run(0) here, and run(1) .. run(threads - 1) each in its own thread, or here if no more threads are available.
// Rethrows the first exception after all threads have ended.
template <class Run>
void in_parallel(size_t threads, const Run& run) {
    FirstError error;
    std::vector<std::thread> others;
    others.reserve(threads);
    size_t started = 1;
    try {
        for (; started < threads; started++)
            others.emplace_back([&error, &run, started] { error.guard([&] { run(started); }); });
    } catch (const std::exception&) {  // no more threads, or no memory for one; running threads must be joined
    }
    error.guard([&] { run(0); });
    for (; started < threads; started++) error.guard([&] { run(started); });
    for (std::thread& other : others) other.join();
    error.rethrow();
}

// Gives rows 0 .. count - 1 to threads, a few at a time, so that no thread waits for a slower one. A row's result does
// not depend on its thread.
class Queue {
  public:
    static constexpr size_t AT_A_TIME = 16;

    explicit Queue(size_t count) : count(count) {}
    size_t parts() const { return (count + AT_A_TIME - 1) / AT_A_TIME; }

  private:
    friend class Turn;
    const size_t count;
    std::atomic<size_t> taken{0};
};

// The rows of one thread: for (Turn turn(queue); turn.next();) use(turn.row());
class Turn {
  public:
    explicit Turn(Queue& queue) : queue(queue) {}
    bool next() {
        if (++at < end) return true;
        at = queue.taken.fetch_add(Queue::AT_A_TIME);
        end = std::min(at + Queue::AT_A_TIME, queue.count);
        return at < end;
    }
    size_t row() const { return at; }

  private:
    Queue& queue;
    size_t at = 0, end = 0;
};

// Calls work(queue) in up to `workers` threads, which take rows from the queue until no row is left.
template <class Work>
void share_rows(size_t count, int workers, const Work& work) {
    Queue queue(count);
    in_parallel(thread_count(workers, queue.parts()), [&](size_t) { work(queue); });
}

}  // namespace kernels
