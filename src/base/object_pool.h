// ObjectPool: objects that are taken, returned and reused.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sluice {

// Owns objects of type T. T has a member `place`, in which the pool keeps the object's index.
// Objects that are returned are kept for reuse, at most kMaxIdle of them.
//
// Thread safety: none.
template <typename T>
class ObjectPool {
 public:
  static constexpr std::size_t kMaxIdle = 256;

  // Returns an idle object, or a new one from `make`, which returns a std::unique_ptr<T>.
  template <typename Make>
  T& Take(Make make) {
    if (idle_.empty()) {
      used_.push_back(make());
    } else {
      used_.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
    used_.back()->place = used_.size() - 1;
    return *used_.back();
  }

  enum class Then { kKeep, kFree };
  // Returns the object to the pool, which may free it. REQUIRES: the object was taken.
  void GiveBack(T& object, Then then = Then::kKeep) {
    const std::size_t place = object.place;
    std::swap(used_[place], used_.back());
    used_[place]->place = place;
    const bool keeps = then == Then::kKeep && idle_.size() < kMaxIdle;
    if (keeps) idle_.push_back(std::move(used_.back()));
    used_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<T>> used_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace sluice
