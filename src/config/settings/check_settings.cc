#include "config/settings/check_settings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "config/settings/read_setting.h"

namespace sluice {
namespace {

using Paths = std::initializer_list<std::string_view>;

class Checker {
 public:
  explicit Checker(SettingsDraft& draft) : draft_(draft), settings_(draft.settings) {}

  void Check() {
    CheckListeners();
    CheckAdmin();
    CheckTls();
    CheckProxies();
    CheckStore();
    CheckBounds();
    CheckDrain();
  }

 private:
  // Describes a setting in a message: "'drain.delay' (30s, from --drain-delay)".
  [[nodiscard]] std::string Name(std::string_view path) {
    const Setting& setting = AllSettings()[IndexOf(path)];
    const SettingsDraft::Given& given = draft_.Of(path);
    const std::string from = given.way == SettingWay::kDefault
                                 ? std::string("by default")
                                 : Concat("from ", DescribePlace(draft_.files, given.origin));
    const std::string text = IsSecret(setting) ? std::string() : TextOf(setting, settings_);
    return Concat(Quoted(path), " (", text, text.empty() ? "" : ", ", from, ")");
  }

  [[nodiscard]] bool AllGood(Paths paths) const {
    return std::ranges::none_of(paths, [&](std::string_view path) { return draft_.Of(path).bad; });
  }

  // Returns where the first of these settings that is not a default was given.
  [[nodiscard]] Origin OriginOf(Paths paths) const {
    const auto* const found =
        std::ranges::find_if(paths, [&](std::string_view path) { return draft_.IsGiven(path); });
    return found == paths.end() ? Origin{} : draft_.Of(*found).origin;
  }

  void Error(Paths about, std::string message) {
    if (AllGood(about)) draft_.problems.Error(OriginOf(about), std::move(message));
  }
  void Warn(Paths about, std::string message) {
    if (AllGood(about)) draft_.problems.Warn(OriginOf(about), std::move(message));
  }

  // Reports a setting that has no effect without another.
  void CheckNeeds(std::string_view path, std::string_view needed) {
    if (!draft_.IsGiven(path) || draft_.IsGiven(needed)) return;
    Error({path, needed}, Concat(Name(path), " needs ", Quoted(needed), ", which is not set"));
  }

  // A setting and its value as a number. Both bounds of a comparison use the same unit.
  struct Bound {
    std::string_view path;
    std::int64_t number = 0;
  };

  void CheckAtMost(Bound less, Bound more) {
    if (less.number <= more.number) return;
    Error({less.path, more.path}, Concat(Name(less.path), " must be at most ", Name(more.path)));
  }

  void CheckListeners() {
    if (settings_.listen.empty()) {
      Error({"listen"}, Concat(Name("listen"), " must have at least one address"));
    }
    for (std::size_t i = 0; i < settings_.listen.size(); ++i) {
      const Address& address = settings_.listen[i];
      const auto before = std::span(settings_.listen).first(i);
      const auto same =
          std::ranges::find_if(before, [&](const Address& other) { return Clash(address, other); });
      if (same != before.end()) {
        Error({"listen"}, Concat(Name("listen"), " cannot have both ", FormatAddress(*same),
                                 " and ", FormatAddress(address)));
      }
      if (Clash(address, settings_.admin.listen)) {
        Error({"admin.listen", "listen"}, Concat(Name("admin.listen"), " cannot be used with ",
                                                 FormatAddress(address), " of ", Name("listen")));
      }
    }
  }

  void CheckAdmin() {
    if (IsLocal(settings_.admin.listen)) return;
    const bool token = draft_.IsGiven("admin.token") || draft_.IsGiven("admin.token_file");
    const bool required =
        draft_.IsGiven("tls.client_ca") && settings_.tls.clients == ClientCertificates::kRequired;
    if (!token && !required) {
      Error({"admin.listen", "admin.token", "admin.token_file", "tls.client_ca", "tls.clients"},
            Concat(Name("admin.listen"), " can be reached from other machines and needs ",
                   "'admin.token', 'admin.token_file', or 'tls.client_ca' with 'tls.clients' ",
                   "required"));
    } else if (!required && !draft_.IsGiven("tls.certificate")) {
      Warn({"admin.listen", "tls.certificate"},
           Concat("the token for ", Name("admin.listen"),
                  " crosses the network in the clear; 'tls.certificate' would hide it"));
    }
  }

  void CheckTls() {
    CheckNeeds("tls.certificate", "tls.key");
    CheckNeeds("tls.key", "tls.certificate");
    CheckNeeds("tls.client_ca", "tls.certificate");
    CheckNeeds("tls.min_version", "tls.certificate");
    CheckNeeds("tls.clients", "tls.client_ca");
    CheckNeeds("tls.client_crl", "tls.client_ca");
    CheckNeeds("tls.client_names", "tls.client_ca");
    CheckNeeds("admin.client_names", "tls.client_ca");
    CheckNeeds("callers.names", "tls.client_ca");
    const bool sockets = std::ranges::any_of(settings_.listen, [](const Address& address) {
      return std::holds_alternative<UnixAddress>(address);
    });
    if (!settings_.callers.uids.empty() && !sockets) {
      Warn({"callers.uids", "listen"},
           Concat(Name("callers.uids"), " has no effect; ", Name("listen"), " has no Unix socket"));
    }
  }

  void CheckProxies() {
    const std::vector<IpPrefix>& prefixes = settings_.trusted_proxies.prefixes;
    if (settings_.proxy_protocol && prefixes.empty()) {
      Error({"proxy_protocol", "trusted_proxies"},
            Concat(Name("proxy_protocol"), " needs an address in ", Name("trusted_proxies")));
    }
    const auto all = std::ranges::find(prefixes, 0, &IpPrefix::length);
    if (all != prefixes.end()) {
      Warn({"trusted_proxies"}, Concat(Name("trusted_proxies"), " trusts everyone, so any client ",
                                       "can claim to be any other"));
    }
  }

  void CheckStore() {
    const StoreUrl& url = settings_.store.url;
    const std::string_view password =
        draft_.IsGiven("store.password") ? "store.password" : "store.password_file";
    if (url.password && draft_.IsGiven(password)) {
      Error({"store.url", password},
            Concat(Name("store.url"), " has a password, and so has ", Name(password)));
    }
    if (!url.user.empty() && !url.password && !draft_.IsGiven(password)) {
      // Shows no values: in redis://X@HOST, X may be meant as the password.
      Error({"store.url", "store.password", "store.password_file"},
            "'store.url' has a user but no password; expected USER:PASSWORD@, :PASSWORD@, or a "
            "'store.password'");
    }
  }

  void CheckBounds() {
    const BoundSettings& bounds = settings_.bounds;
    CheckAtMost({"bounds.streams", bounds.streams},
                {"bounds.connection_requests", bounds.connection_requests});
    CheckAtMost({"bounds.connection_bytes", bounds.connection_bytes.count},
                {"bounds.bytes", bounds.bytes.count});
    const std::int64_t request = bounds.request_bytes.count + bounds.header_bytes.count;
    if (request <= bounds.connection_bytes.count) return;
    Error({"bounds.request_bytes", "bounds.header_bytes", "bounds.connection_bytes"},
          Concat(Name("bounds.request_bytes"), " and ", Name("bounds.header_bytes"),
                 " together must be at most ", Name("bounds.connection_bytes")));
  }

  void CheckDrain() {
    const DrainSettings& drain = settings_.drain;
    if (drain.delay >= drain.deadline) {
      Error({"drain.delay", "drain.deadline"},
            Concat(Name("drain.delay"), " must be below ", Name("drain.deadline")));
    } else if (drain.deadline - drain.delay < settings_.deadlines.write) {
      Warn({"drain.deadline", "drain.delay", "deadlines.write"},
           Concat(Name("drain.deadline"), " less ", Name("drain.delay"), " is below ",
                  Name("deadlines.write"), "; slow replies will be cut off"));
    }
  }

  SettingsDraft& draft_;
  Settings& settings_;
};

}  // namespace

void CheckSettings(SettingsDraft& draft) { Checker(draft).Check(); }

}  // namespace sluice
