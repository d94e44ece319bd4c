#include "redis/name_lookup.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace sluice {
namespace {

TEST(NameLookupTest, NeedsNoLookupForAddressesAndPaths) {
  EXPECT_TRUE(NameLookup::IsAddress(TcpEndpoint{"127.0.0.1", 1}));
  EXPECT_TRUE(NameLookup::IsAddress(TcpEndpoint{"::1", 1}));
  EXPECT_TRUE(NameLookup::IsAddress(UnixEndpoint{"/run/redis.sock"}));
  EXPECT_FALSE(NameLookup::IsAddress(TcpEndpoint{"localhost", 1}));
  EXPECT_FALSE(NameLookup::IsAddress(TcpEndpoint{"127.0.0.1.example", 1}));
}

TEST(NameLookupTest, ReportsTheResultOnTheThreadOfTheLoop) {
  EventLoop loop;
  NameLookup names;
  const auto interest = std::make_shared<int>();
  std::thread::id told_by;
  std::size_t places = 0;
  names.Find(TcpEndpoint{"localhost", 7}, loop, interest, [&](Result<ServerAddress> found) {
    told_by = std::this_thread::get_id();
    if (found.ok()) places = found.value().places.size();
    loop.End();
  });
  std::thread runner([&loop] { loop.Run(); });
  const std::thread::id expected = runner.get_id();
  runner.join();
  EXPECT_EQ(told_by, expected);
  EXPECT_GE(places, 1U);
}

TEST(NameLookupTest, JoinsAnIdleThread) {
  struct SetsAtExit {
    std::atomic<bool>* is_over = nullptr;
    ~SetsAtExit() {
      if (is_over != nullptr) is_over->store(true);
    }
  };
  std::atomic<bool> is_over = false;
  EventLoop loop;
  const auto interest = std::make_shared<int>();
  {
    NameLookup names([&is_over](const Endpoint&) -> Result<ServerAddress> {
      thread_local SetsAtExit at_exit;
      at_exit.is_over = &is_over;
      return ServerAddress{};
    });
    names.Find(TcpEndpoint{"quick.example", 7}, loop, interest,
               [&loop](const Result<ServerAddress>&) { loop.End(); });
    loop.Run();
  }
  EXPECT_TRUE(is_over);
}

TEST(NameLookupTest, MayBeDestroyedDuringALookupBeforeItsLoop) {
  std::promise<void> is_asked;
  std::promise<void> may_answer;
  auto has_answered = std::make_shared<std::promise<void>>();
  auto loop = std::make_unique<EventLoop>();
  auto names = std::make_unique<NameLookup>(
      [&is_asked, has_answered,
       answer = may_answer.get_future().share()](const Endpoint&) -> Result<ServerAddress> {
        is_asked.set_value();
        answer.wait();
        has_answered->set_value();
        return ServerAddress{};
      });
  const auto interest = std::make_shared<int>();
  names->Find(TcpEndpoint{"slow.example", 7}, *loop, interest, [](Result<ServerAddress>) {});
  is_asked.get_future().wait();
  names.reset();
  loop.reset();
  may_answer.set_value();
  has_answered->get_future().wait();
}

TEST(NameLookupTest, DropsResultsWhenInterestHasExpired) {
  EventLoop loop;
  NameLookup names;
  auto interest = std::make_shared<int>();
  const auto other = std::make_shared<int>();
  std::string told;
  names.Find(TcpEndpoint{"localhost", 7}, loop, interest,
             [&](const Result<ServerAddress>& /*found*/) { told += "first"; });
  names.Find(TcpEndpoint{"localhost", 7}, loop, other, [&](const Result<ServerAddress>& /*found*/) {
    told += "second";
    loop.End();
  });
  interest.reset();
  loop.Run();
  EXPECT_EQ(told, "second");
}

}  // namespace
}  // namespace sluice
