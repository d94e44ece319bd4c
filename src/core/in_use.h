// InUse: objects that are taken, given back and used again.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sluice {

// Owns objects of type T, which has a member `place` for it to note where it is. So many as were in
// use at once stay, up to `kIdleMost`.
//
// Thread safety: none.
template <typename T>
class InUse {
 public:
  static constexpr std::size_t kIdleMost = 256;

  // One that nobody uses; `make` makes a std::unique_ptr<T> where there is none.
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
  // REQUIRES: it was taken. It may be freed.
  void GiveBack(T& object, Then then = Then::kKeep) {
    const std::size_t place = object.place;
    std::swap(used_[place], used_.back());
    used_[place]->place = place;
    const bool keeps = then == Then::kKeep && idle_.size() < kIdleMost;
    if (keeps) idle_.push_back(std::move(used_.back()));
    used_.pop_back();
  }

 private:
  std::vector<std::unique_ptr<T>> used_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace sluice
