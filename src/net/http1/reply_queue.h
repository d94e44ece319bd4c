// ReplyQueue: a connection's exchanges, in the order in which they must be answered.
//
// Used by Http1Session and RespSession, on the thread of their worker.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

// A queue for protocols that reply in the order of the requests. Exchanges join at the back, are
// served in batches, finish in any order, and leave from the front.
//
// `Base` is the exchange that services see; `Message` is the session's class derived from it, with
//   - `finished`, set when the service has finished the exchange;
//   - `ReleaseMemory()`, which frees memory beyond what a typical exchange needs;
//   - `memory_bytes()`, the bytes that it holds;
//   - `pending_bytes()`, bytes kept elsewhere for its request while it is queued;
//   - `counted_bytes`, 0 at first: the part of memory_bytes() that the queue has counted.
//
// Thread safety: none. Ownership: owns its exchanges.
//
// Invariants
//   (1) Exchanges leave in the order in which they joined.
//   (2) The address of an exchange does not change from when it joins until it leaves.
//   (3) At most kMaxSpare exchanges that have left are kept for reuse, and none after Rest. Their
//       memory is counted.
template <typename Message, typename Base>
class ReplyQueue {
 public:
  static constexpr std::size_t kMaxSpare = 64;
  // Larger batches are no faster, and all replies of a batch are in memory at once.
  static constexpr std::size_t kMaxBatch = 128;

  // Adds an exchange to the back of the queue and to the next batch. Reuses a spare one, or
  // constructs one from `owner`.
  template <typename Owner>
  Message& Join(Owner& owner) {
    Message& message = JoinUnserved(owner);
    batch_.push_back(&message);
    return message;
  }

  // Adds an exchange to the back of the queue only; the session writes its reply itself.
  template <typename Owner>
  Message& JoinUnserved(Owner& owner) {
    std::unique_ptr<Message> message;
    if (spare_.empty()) {
      message = std::make_unique<Message>(owner);
    } else {
      message = std::move(spare_.back());
      spare_.pop_back();
    }
    line_.push_back(std::move(message));
    return *line_.back();
  }

  // Returns whether the batch is full and should be served before another exchange joins.
  [[nodiscard]] bool has_batch() const { return batch_.size() >= kMaxBatch; }
  // Returns the exchanges that have joined since the last Serve.
  [[nodiscard]] std::span<Base* const> batch() const { return batch_; }

  // Passes the batch to the service and clears it.
  template <typename Service>
  void Serve(Service& service) {
    is_serving_ = true;
    service.Serve(batch());
    is_serving_ = false;
    batch_.clear();
  }
  [[nodiscard]] bool is_serving() const { return is_serving_; }

  [[nodiscard]] bool empty() const { return line_.empty(); }
  [[nodiscard]] std::size_t size() const { return line_.size(); }

  // Returns the front exchange if it is finished, or null.
  [[nodiscard]] Message* ready() {
    return !line_.empty() && line_.front()->finished ? line_.front().get() : nullptr;
  }
  // Removes the front exchange and keeps it for reuse if there is room. REQUIRES: ready().
  void Leave() {
    std::unique_ptr<Message> message = std::move(line_.front());
    line_.pop_front();
    if (spare_.size() == kMaxSpare) {
      counted_bytes_ -= message->counted_bytes;
      return;
    }
    message->ReleaseMemory();
    // Recounted here and not in Join as well, because this runs for every request.
    const std::size_t bytes = message->memory_bytes();
    counted_bytes_ += bytes - std::exchange(message->counted_bytes, bytes);
    spare_.push_back(std::move(message));
  }

  // Returns the bytes held by spare and queued exchanges, including pending_bytes().
  [[nodiscard]] std::size_t kept_bytes() const {
    std::size_t bytes = counted_bytes_;
    for (const std::unique_ptr<Message>& message : line_) {
      bytes += message->memory_bytes() - message->counted_bytes + message->pending_bytes();
    }
    return bytes;
  }

  // Frees the spare exchanges.
  void FreeSpare() {
    for (const std::unique_ptr<Message>& message : spare_) {
      counted_bytes_ -= message->counted_bytes;
    }
    decltype(spare_)().swap(spare_);
  }

  // Frees all memory that an idle connection does not need, including any exchanges still queued.
  // REQUIRES: all queued exchanges are finished.
  void Rest() {
    FreeSpare();
    counted_bytes_ = 0;
    decltype(batch_)().swap(batch_);
    decltype(line_)().swap(line_);
  }

 private:
  std::deque<std::unique_ptr<Message>> line_;
  std::vector<std::unique_ptr<Message>> spare_;
  std::vector<Base*> batch_;
  std::size_t counted_bytes_ = 0;  // memory of all exchanges, each as of when it last left
  bool is_serving_ = false;
};

}  // namespace sluice
