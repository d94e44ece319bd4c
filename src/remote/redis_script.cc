#include "remote/redis_script.h"

#include <openssl/evp.h>

#include <array>
#include <cassert>

#include "remote/decide_script.h"
#include "remote/new_terms_script.h"
#include "remote/nodes_script.h"
#include "remote/permit_script.h"

namespace sluice {
namespace {

std::string Sha1Of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  [[maybe_unused]] const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  assert(done == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (unsigned i = 0; i < size; ++i) {
    name.push_back(kDigits[digest[i] >> 4U]);
    name.push_back(kDigits[digest[i] & 15U]);
  }
  return name;
}

}  // namespace

const RedisScript& DecideScript() {
  static const RedisScript script{DecideScriptText(), Sha1Of(DecideScriptText())};
  return script;
}

const RedisScript& NewTermsScript() {
  static const RedisScript script{NewTermsScriptText(), Sha1Of(NewTermsScriptText())};
  return script;
}

const RedisScript& PermitScript() {
  static const RedisScript script{PermitScriptText(), Sha1Of(PermitScriptText())};
  return script;
}

const RedisScript& NodesScript() {
  static const RedisScript script{NodesScriptText(), Sha1Of(NodesScriptText())};
  return script;
}

}  // namespace sluice
