#include "wire/proxy_header.h"

namespace sluice {
namespace {

constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::string_view kVersion1 = "PROXY ";

// Offsets after the signature: version and command, family and transport, and the length of the
// rest.
constexpr std::size_t kCommandAt = 12;
constexpr std::size_t kFamilyAt = 13;
constexpr std::size_t kLengthAt = 14;
constexpr std::size_t kAddressesAt = 16;

constexpr unsigned kLocal = 0x20;
constexpr unsigned kProxy = 0x21;

constexpr unsigned kUnspecified = 0x00;
constexpr unsigned kTcpOverV4 = 0x11;
constexpr unsigned kTcpOverV6 = 0x21;
constexpr unsigned kUnixStream = 0x31;

// Sizes in bytes. The client's and our address come first, then the two ports.
constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;
constexpr std::size_t kPortBytes = 2;
constexpr std::size_t kUnixPathBytes = 108;

unsigned ByteAt(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::size_t NumberAt(std::string_view bytes, std::size_t at) {
  return ByteAt(bytes, at) << 8U | ByteAt(bytes, at + 1);
}

bool IsFamily(unsigned family) {
  return family == kUnspecified || family == kTcpOverV4 || family == kTcpOverV6 ||
         family == kUnixStream;
}

std::size_t AddressBytes(unsigned family) {
  if (family == kTcpOverV4) return kV4Bytes;
  if (family == kTcpOverV6) return kV6Bytes;
  return 0;
}

// Returns the minimum number of bytes after the sixteen bytes that every header has.
std::size_t MinRest(unsigned family) {
  if (family == kUnixStream) return 2 * kUnixPathBytes;
  const std::size_t address = AddressBytes(family);
  return address == 0 ? 0 : 2 * (address + kPortBytes);
}

ProxyHeaderRead Fault(std::string_view words) {
  return {.state = ReadState::kFault, .consumed = 0, .header = {}, .fault = words};
}

}  // namespace

ProxyHeaderRead ReadProxyHeader(std::string_view unread) {
  const std::size_t size = unread.size();
  if (unread.starts_with(kVersion1)) {
    return Fault("a PROXY header of version 1, which is text; expected version 2");
  }
  const std::string_view begin = unread.substr(0, kSignature.size());
  if (!kSignature.starts_with(begin)) {
    return kVersion1.starts_with(begin) ? ProxyHeaderRead{} : Fault("no PROXY header");
  }
  if (size <= kCommandAt) return {};
  const unsigned command = ByteAt(unread, kCommandAt);
  if (command != kLocal && command != kProxy) {
    return Fault("a PROXY header with another version than 2 or an unknown command");
  }
  if (size <= kFamilyAt) return {};
  // LOCAL means that the proxy speaks for itself; the family is then ignored.
  const unsigned family = command == kLocal ? kUnspecified : ByteAt(unread, kFamilyAt);
  if (!IsFamily(family)) return Fault("a PROXY header about something else than a stream");
  if (size < kAddressesAt) return {};
  const std::size_t whole = kAddressesAt + NumberAt(unread, kLengthAt);
  if (whole > kMaxProxyHeaderBytes) return Fault("a PROXY header that is too long");
  if (whole < kAddressesAt + MinRest(family)) {
    return Fault("a PROXY header that is too short for its addresses");
  }
  if (size < whole) return {};

  ProxyHeaderRead read{.state = ReadState::kWhole, .consumed = whole, .header = {}, .fault = {}};
  if (command == kLocal) return read;
  const std::size_t bytes = AddressBytes(family);
  if (bytes == 0) {
    read.header.client = ProxyHeader::Client::kUnknown;
    return read;
  }
  read.header = {.client = ProxyHeader::Client::kIpAddress,
                 .address = unread.substr(kAddressesAt, bytes),
                 .port = static_cast<std::uint16_t>(NumberAt(unread, kAddressesAt + 2 * bytes))};
  return read;
}

}  // namespace sluice
