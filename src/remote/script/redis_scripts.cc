#include "remote/script/redis_scripts.h"

#include "remote/script/decide_script.h"
#include "remote/script/new_terms_script.h"
#include "remote/script/nodes_script.h"
#include "remote/script/permit_script.h"

namespace sluice {

const RedisScript& DecideScript() {
  static const RedisScript script = MakeRedisScript(DecideScriptText());
  return script;
}

const RedisScript& NewTermsScript() {
  static const RedisScript script = MakeRedisScript(NewTermsScriptText());
  return script;
}

const RedisScript& PermitScript() {
  static const RedisScript script = MakeRedisScript(PermitScriptText());
  return script;
}

const RedisScript& NodesScript() {
  static const RedisScript script = MakeRedisScript(NodesScriptText());
  return script;
}

}  // namespace sluice
