// Fuzzes the reader of PROXY protocol headers: the result does not depend on how the bytes are
// split, and accepted headers are verified by an independent check.
//
// The first byte chooses the size of the parts; the rest is what a proxy sends.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/must.h"
#include "wire/proxy_header.h"

namespace sluice::fuzz {
namespace {

using Client = ProxyHeader::Client;

struct Outcome {
  ReadState state = ReadState::kMore;
  std::size_t consumed = 0;
  std::string fault;
  Client client = Client::kProxy;
  std::string address;
  std::uint16_t port = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Checks the header against its first sixteen bytes, which give its length and type of address.
void MustBeHeader(std::string_view bytes, const ProxyHeader& header) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  Must(bytes.size() <= kMaxProxyHeaderBytes, "a header is within its bounds");
  Must(bytes.starts_with(std::string_view("\r\n\r\n\0\r\nQUIT\n", 12)), "a header is signed");
  Must(byte(12) / 16 == 2, "a header is of version 2");
  Must(bytes.size() == 16U + byte(14) * 256U + byte(15), "a header is as long as it says");
  Must((header.client == Client::kProxy) == (byte(12) % 16 == 0), "LOCAL is the proxy itself");
  if (header.client != Client::kIpAddress) {
    Must(header.address.empty() && header.port == 0, "no address is told of others");
    return;
  }
  const std::size_t size = byte(13) == 0x11 ? 4 : 16;
  Must(size == 4 || byte(13) == 0x21, "an address is that of a stream");
  Must(header.address == bytes.substr(16, size), "the first address is the client's");
  Must(header.address.data() == bytes.data() + 16, "an address views the header");
  const std::size_t port = 16 + 2 * size;
  Must(header.port == byte(port) * 256 + byte(port + 1), "the first port is the client's");
}

Outcome Feed(std::string_view bytes, std::size_t part) {
  for (std::size_t size = 0; size < bytes.size();) {
    size = std::min(size + part, bytes.size());
    const std::vector<char> unread(bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string_view view(unread.data(), unread.size());
    const ProxyHeaderRead read = ReadProxyHeader(view);
    if (read.state == ReadState::kMore) {
      Must(size < kMaxProxyHeaderBytes, "no more is waited for than the longest header");
      continue;
    }
    if (read.state == ReadState::kFault) {
      Must(!read.fault.empty() && read.consumed == 0, "a fault says what it is");
      Outcome outcome;
      outcome.state = read.state;
      outcome.fault = read.fault;
      return outcome;
    }
    Must(read.consumed <= size, "a header is there whole");
    MustBeHeader(view.substr(0, read.consumed), read.header);
    return {
        read.state,      read.consumed, {}, read.header.client, std::string(read.header.address),
        read.header.port};
  }
  return {};
}

}  // namespace
}  // namespace sluice::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  using sluice::fuzz::Feed;
  const std::string bytes(data + 1, data + size);
  sluice::fuzz::Must(Feed(bytes, data[0] % 32 + 1U) == Feed(bytes, bytes.size() + 1),
                     "what becomes of a header does not depend on the parts");
  return 0;
}
