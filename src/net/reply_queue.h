// ReplyQueue: the exchanges of a connection, in the order in which they are answered.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

// For protocols whose replies leave in the order of the requests. Exchanges join at the end of the
// line, are served in batches, finish in any order, and leave from the front.
//
// `Message` is what the session adds to the exchange `Base` that services see. It has `finished`,
// to be set when its service is done with it, `LetGo()`, which gives back what it holds beyond
// the memory that any exchange needs, `memory_bytes()`, the memory that it holds,
// `pending_bytes()`, what is kept of its request and its reply while it is in line, and
// `counted_bytes`, for the queue to note what it has counted of the memory; 0 at first.
//
// Thread safety: none. Ownership: exchanges are its own.
//
// Invariants
//   (1) Exchanges leave in the order in which they joined.
//   (2) One stays where it is in memory from when it joins until it leaves.
//   (3) Of those that have left at most kSpareMost are kept to be used again, and none after Rest.
//       Their memory is counted.
template <typename Message, typename Base>
class ReplyQueue {
 public:
  static constexpr std::size_t kSpareMost = 64;
  // A larger batch is no quicker, and all of its replies are there at once.
  static constexpr std::size_t kBatchMost = 128;

  // The last in line, and in the next batch. Where none is to be used again one is made of `owner`.
  template <typename Owner>
  Message& Join(Owner& owner) {
    Message& message = JoinUnserved(owner);
    batch_.push_back(&message);
    return message;
  }

  // The last in line, with a reply that needs no service.
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

  // Whether the next batch should be served before another joins.
  [[nodiscard]] bool has_batch() const { return batch_.size() >= kBatchMost; }
  // Those that have joined since the last Serve.
  [[nodiscard]] std::span<Base* const> batch() const { return batch_; }

  // Has them served.
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

  // The first in line if it is finished, or null.
  [[nodiscard]] Message* ready() {
    return !line_.empty() && line_.front()->finished ? line_.front().get() : nullptr;
  }
  // Lets the first go. REQUIRES: ready().
  void Leave() {
    std::unique_ptr<Message> message = std::move(line_.front());
    line_.pop_front();
    if (spare_.size() == kSpareMost) {
      counted_bytes_ -= message->counted_bytes;
      return;
    }
    message->LetGo();
    // Only here, and not when it joins: it is looked at with every request.
    const std::size_t bytes = message->memory_bytes();
    counted_bytes_ += bytes - std::exchange(message->counted_bytes, bytes);
    spare_.push_back(std::move(message));
  }

  // Returns the memory of exchanges that are to be used again, and what those in line hold.
  [[nodiscard]] std::size_t kept_bytes() const {
    std::size_t bytes = counted_bytes_;
    for (const std::unique_ptr<Message>& message : line_) {
      bytes += message->memory_bytes() - message->counted_bytes + message->pending_bytes();
    }
    return bytes;
  }

  // Frees the exchanges that are to be used again.
  void FreeSpare() {
    for (const std::unique_ptr<Message>& message : spare_) {
      counted_bytes_ -= message->counted_bytes;
    }
    decltype(spare_)().swap(spare_);
  }

  // Gives back the memory that only a busy connection needs, and forgets who is in line.
  // REQUIRES: all of them are finished.
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
  std::size_t counted_bytes_ = 0;  // of all exchanges, as each was when it last left
  bool is_serving_ = false;
};

}  // namespace sluice
