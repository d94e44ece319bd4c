// TlsVersion and ClientCertificates: the choices that a server has about TLS.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/enum_name.h"

namespace sluice {

// The oldest version that is accepted.
enum class TlsVersion : std::uint8_t { k12, k13 };

// Whether a client must show a certificate, or may. One that is shown must be good either way.
enum class ClientCertificates : std::uint8_t { kRequired, kOptional };

inline constexpr std::array kTlsVersionWords = {
    EnumName<TlsVersion>{"TLSv1.2", TlsVersion::k12},
    EnumName<TlsVersion>{"TLSv1.3", TlsVersion::k13},
};
inline constexpr std::array kClientCertificateWords = {
    EnumName<ClientCertificates>{"required", ClientCertificates::kRequired},
    EnumName<ClientCertificates>{"optional", ClientCertificates::kOptional},
};

constexpr std::span<const EnumName<TlsVersion>> WordsFor(TlsVersion) { return kTlsVersionWords; }
constexpr std::span<const EnumName<ClientCertificates>> WordsFor(ClientCertificates) {
  return kClientCertificateWords;
}

}  // namespace sluice
