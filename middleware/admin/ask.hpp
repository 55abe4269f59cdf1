// A question to another thread, by the mailbox: what belongs to a thread is read on that thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>

#include "middleware/net/io_thread.hpp"
#include "middleware/net/task.hpp"

namespace shardway::admin {

namespace detail {

// Where the answer is awaited. Touched on the asking thread alone; the pointer to it goes round the threads
// in a Slot, which holds nothing that belongs to one, so it may end anywhere.
template <class T>
struct Awaited {
    explicit Awaited(net::IoThread& here) : come{here} {}
    net::Event come;
    std::optional<T> value;
};
template <class T>
struct Slot {
    Awaited<T>* awaited = nullptr;  // null once nobody waits any more
};

template <class T>
net::Task<void> carry_out(net::IoThread& here, std::function<net::Task<T>()> work,
                          std::shared_ptr<Slot<T>> slot) {
    std::optional<T> value;
    try {
        value.emplace(co_await work());
    } catch (const std::exception& error) {
        spdlog::warn("a question between threads failed: {}", error.what());
    }
    here.post([slot = std::move(slot), value = std::move(value)]() mutable {
        if (!slot->awaited) return;
        slot->awaited->value = std::move(value);
        slot->awaited->come.set();
    });
}

}  // namespace detail

// Runs `work` on `there`; from `here`, the calling thread. Nothing when there is no answer by `deadline`, or
// when `work` threw. `work` may go on after that: what it refers to outlives both threads' work.
template <class T>
net::Task<std::optional<T>> ask(net::IoThread& here, net::IoThread& there, std::function<net::Task<T>()> work,
                                base::SteadyTime deadline) {
    detail::Awaited<T> awaited{here};
    auto slot = std::make_shared<detail::Slot<T>>();
    slot->awaited = &awaited;
    struct Leave {
        std::shared_ptr<detail::Slot<T>> slot;
        ~Leave() { slot->awaited = nullptr; }
    };
    const Leave leave{slot};
    there.post([&here, &there, work = std::move(work), slot]() mutable {
        there.spawn(detail::carry_out<T>(here, std::move(work), std::move(slot)));
    });
    co_await awaited.come.wait(deadline);
    co_return std::move(awaited.value);
}

}  // namespace shardway::admin
