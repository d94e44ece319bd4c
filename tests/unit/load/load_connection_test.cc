#include "load/load_connection.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <chrono>
#include <memory>
#include <string>

#include "listener.h"
#include "load/http_load.h"
#include "support/own_port.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using Opening = LoadConnection::Opening;

class LoadConnectionTest : public ::testing::Test {
 protected:
  LoadConnectionTest() {
    listening.Listen();
    address.text = "there";
  }

  Result<Opening> Begin() {
    return connection.BeginOpening(address, 1s, epoll.descriptor(),
                                   MakeHttpLoad(listener, request));
  }

  // Continues opening for as long as epoll reports events.
  Result<Opening> Finish(Result<Opening> opening) {
    while (opening && opening.value() == Opening::kUnderWay) {
      epoll_event event{};
      EXPECT_EQ(epoll_wait(epoll.descriptor(), &event, 1, 10'000), 1);
      const void* const told = event.data.ptr;  // copied, because epoll_event is packed
      EXPECT_EQ(told, &connection);
      opening = connection.ContinueOpening(epoll.descriptor());
    }
    return opening;
  }

  testing::OwnPort silent;
  testing::OwnPort listening;
  ServerAddress address;
  Socket epoll{epoll_create1(EPOLL_CLOEXEC)};
  WritingListener listener;
  std::shared_ptr<const RequestTemplate> request = std::make_shared<RequestTemplate>(
      10, [](std::string_view key) { return "GET /" + std::string(key) + " HTTP/1.1\r\n\r\n"; });
  LoadConnection connection;
};

TEST_F(LoadConnectionTest, OpensTheFirstReachableAddressWithoutBlocking) {
  address.places = {silent.place(), silent.place(), listening.place()};
  const Result<Opening> opening = Finish(Begin());
  ASSERT_TRUE(opening);
  EXPECT_TRUE(connection.is_open());
  EXPECT_FALSE(connection.is_opening());
  EXPECT_TRUE(connection.HasRoom(1));
}

TEST_F(LoadConnectionTest, StaysClosedIfNoAddressIsReachableAndCanRetry) {
  address.places = {silent.place(), silent.place()};
  const Result<Opening> opening = Finish(Begin());
  ASSERT_FALSE(opening);
  EXPECT_EQ(opening.error().message, "cannot connect to there: Connection refused");
  EXPECT_FALSE(connection.is_open());
  EXPECT_FALSE(connection.is_opening());
  address.places = {listening.place()};
  EXPECT_TRUE(Finish(Begin()));
  EXPECT_TRUE(connection.is_open());
}

TEST_F(LoadConnectionTest, TriesTheNextAddressAfterATimeout) {
  address.places = {listening.place(), listening.place()};
  ASSERT_EQ(Begin().value(), Opening::kUnderWay);
  EXPECT_TRUE(connection.is_opening());
  ASSERT_EQ(connection.TimeOutOpening(epoll.descriptor()).value(), Opening::kUnderWay);
  const Result<Opening> opening = connection.TimeOutOpening(epoll.descriptor());
  ASSERT_FALSE(opening);
  EXPECT_EQ(opening.error().message, "cannot connect to there: no answer in 1s");
}

}  // namespace
}  // namespace sluice
