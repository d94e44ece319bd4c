// Attempts to evade a rule for a path, or to reach an allow rule, that forward auth must prevent.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/http/forward_auth.h"
#include "unit/frontend/front_fixture.h"

namespace sluice {
namespace {

using testing::Call;
using testing::Deny;
using testing::FrontFixture;
using testing::Per;
using testing::Rule;
using testing::When;

RuleSpec Allow(const std::string& name) {
  RuleSpec rule;
  rule.name = name;
  rule.action = RuleAction::kAllow;
  return rule;
}

RuleSpec Unless(std::string attribute, std::string value, RuleSpec rule) {
  rule = When(std::move(attribute), std::move(value), std::move(rule));
  rule.match.back().matcher.negated = true;
  return rule;
}

RuleSpec Replacing(std::string name, RuleSpec rule) {
  rule.replaces.push_back({std::move(name), {}});
  return rule;
}

class PathRulesTest : public FrontFixture {
 protected:
  // Returns the status of a call about a request with this target.
  int About(const std::string& target, std::vector<Header> headers = {}) {
    headers.push_back({"X-Original-URI", target});
    return Ask({.method = "GET", .target = "/auth/api", .headers = std::move(headers)}).status;
  }
};

TEST_F(PathRulesTest, NoSpellingOfAPathEscapesLimitOrDenial) {
  const struct {
    std::string rule;
    std::vector<std::string> paths;
  } cases[] = {
      {"/v1/posts",
       {"/v1/posts#1", "/v1/posts/", "/v1/posts;a", "/v1/posts/;a", "/v1%2Fposts", "/v1/posts#?x",
        "/v1/posts%2F", "/v1/posts%231", "/v1/posts%3Fx", "/v1/posts/.", "/v1/x/../posts"}},
      {"/v1/posts/", {"/v1/posts", "/v1/posts/", "/v1/posts#", "/v1/posts%2f"}},
      {"/v1/messages:send", {"/v1/messages%3Asend", "/v1/messages%3asend", "/v1/messages:send"}},
      {"/private/*",
       {"/private%2Fx", "/private%2fx", "/private;a=b/x", "/private\\x", "/private%5Cx",
        "/private%5cx", "/a/../private/x", "//private/x", "/./private/x", "/;/private/x",
        "/private/x;v=1", "/private%3Ba/x", "/x/%2e%2e/private/x"}},
      {"/caf\xC3\xA9", {"/caf%C3%A9", "/caf%c3%a9", "/caf\xC3\xA9", "/caf\xC3\xA9/"}},
      {"/caf%C3%A9", {"/caf%C3%A9", "/caf%c3%a9", "/caf\xC3\xA9"}},
      // An escape that is written in the rule matches the strict form.
      {"/a%2Fb", {"/a%2Fb", "/a%2fb"}},
      {"/a%252Fb", {"/a%252Fb"}},
      {"/a%2Fb", {"/a%252Fb"}},
  };
  for (const auto& test : cases) {
    for (const std::string& path : test.paths) {
      Use({When("path", test.rule, Deny("closed"))});
      EXPECT_EQ(About(path), 403) << test.rule << " " << path;
      Use({When("path", test.rule, Rule("limited", "1000/m"))});
      EXPECT_EQ(About(path), 200) << test.rule << " " << path;
      EXPECT_TRUE(Told("RateLimit").starts_with(R"("limited/m")")) << test.rule << " " << path;
    }
  }
  Use({When("path", "/private/*", Deny("closed"))});
  for (const char* path :
       {"/", "/privat", "/private", "/a/private/x", "/private%252Fx", "/x#private"}) {
    EXPECT_EQ(About(path), 200) << path;
  }
}

TEST_F(PathRulesTest, AllowRequiresBothFormsOfAPath) {
  Use({When("path", "/static/*", Allow("static")), When("path", "*", Deny("rest"))});
  for (const char* path : {"/static/x", "/static/a/b", "/static/a%2Fb", "/static/x;v=1",
                           "/static//x", "/static/%78", "/static/x/", "/static/"}) {
    EXPECT_EQ(About(path), 200) << path;
  }
  for (const char* path : {"/static%2Fx", "/static\\x", "/static%5cx", "/static;/x", "/static%3B/x",
                           "/static", "/static%2F", "/static;/", "/static%3F/"}) {
    EXPECT_EQ(About(path), 403) << path;
  }
  Use({When("path", "/static/*.css", Allow("styles")), When("path", "*", Deny("rest"))});
  EXPECT_EQ(About("/static/x.css"), 200);
  for (const char* path : {"/static/secret;.css", "/static/secret%3B.css", "/static/secret%3F.css",
                           "/static/secret%23.css", "/static%2Fx.css"}) {
    EXPECT_EQ(About(path), 403) << path;
  }
}

TEST_F(PathRulesTest, RejectsPathWithAThirdReading) {
  Use({When("path", "/static/*", Allow("static")), When("path", "/private/*", Deny("private")),
       When("path", "/login", Deny("login"))});
  for (const char* path :
       {"/static/a%5Cb%2F..%2F..%2Fprivate%2Fsecret", "/static/a\\b%2F..%2F..%2Fprivate%2Fsecret",
        "/private%2F..;%2F..%2Fsecret", "/login;%2Fb", "/private;%2F..%2F..%2Fz/y",
        "/static/x;%2Fb%2Fc/..;/..;/private/y", "/a/..%2fprivate/x", "/a/..;/private/x",
        "/..%2f..%2fprivate/x", "/a\\..\\private\\x", "/v1/posts/..%2F..%2Fstatic%2Fx",
        "/static/..;/v1/posts"}) {
    EXPECT_EQ(About(path), 400) << path;
    EXPECT_TRUE(Says("in more than two ways")) << path;
  }
  About("/login;%2Fb");
  EXPECT_TRUE(Says("the path '/login;%2Fb' has both '%2F' and ';', so that"));
}

TEST_F(PathRulesTest, AllowOfAWholePathIgnoresTrailingSlash) {
  Use({When("path", "/health", Allow("health")), When("path", "/caf\xC3\xA9", Allow("coffee")),
       When("path", "*", Deny("rest"))});
  EXPECT_EQ(About("/health"), 200);
  EXPECT_EQ(About("/health/"), 200);
  EXPECT_EQ(About("/caf%C3%A9"), 200);
  EXPECT_EQ(About("/caf%c3%a9/"), 200);
  EXPECT_EQ(About("/health;a"), 403);
  EXPECT_EQ(About("/health%2F"), 403);
}

// A star matches the slash at the end of a path, whichever application sees that slash.
TEST_F(PathRulesTest, GlobIsNotEscapedByAnotherTrailingSlash) {
  Use({When("path", "/private/*", Deny("closed"))});
  for (const char* path : {"/private/", "/private%2F", "/private%2f", "/private;/", "/private\\",
                           "/private%5C", "/private//", "/private/.", "/private;a/"}) {
    EXPECT_EQ(About(path), 403) << path;
  }
  EXPECT_EQ(About("/private"), 200);
}

TEST_F(PathRulesTest, GlobAndRegexIgnoreATrailingSlashThatTheyDoNotTake) {
  Use({When("path", "*/delete", Deny("closed"))});
  for (const char* path : {"/a/delete", "/a/delete/", "/a/delete%2F", "/a/delete;/"}) {
    EXPECT_EQ(About(path), 403) << path;
  }
  EXPECT_EQ(About("/a/delete/b"), 200);
  RuleSpec rule = When("path", "/a/[^/]+", Deny("closed"));
  rule.match.back().matcher.kind = MatcherSpec::Kind::kRegex;
  Use({rule});
  for (const char* path : {"/a/b", "/a/b/", "/a/b%2F", "/a/b;/"}) {
    EXPECT_EQ(About(path), 403) << path;
  }
  EXPECT_EQ(About("/a/b/c"), 200);
}

TEST_F(PathRulesTest, NotExcludesOnlyWhatMatchesInBothForms) {
  Use({Unless("path", "/static/*.css", Deny("rest"))});
  EXPECT_EQ(About("/static/x.css"), 200);
  EXPECT_EQ(About("/static/a%2Fb.css"), 200);
  EXPECT_EQ(About("/static%2Fx.css"), 403);
  EXPECT_EQ(About("/static/x;.css"), 403);
  Use({Unless("path", "/private/*", Allow("open")), When("path", "*", Deny("rest"))});
  EXPECT_EQ(About("/x"), 200);
  EXPECT_EQ(About("/private/x"), 403);
  EXPECT_EQ(About("/private%2Fx"), 403);
  EXPECT_EQ(About("/private/%2Fx"), 403);
}

TEST_F(PathRulesTest, RuleThatMatchesOneFormReplacesNoOther) {
  Use({Rule("all", "1000/m"), Replacing("all", When("path", "/img/*", Rule("images", "2000/m")))});
  About("/img/a");
  EXPECT_EQ(Told("RateLimit-Policy"), R"("images/m";q=2000;w=60)");
  About("/img%2Fa");
  EXPECT_EQ(Told("RateLimit-Policy"), R"("all/m";q=1000;w=60, "images/m";q=2000;w=60)");
}

TEST_F(PathRulesTest, KeysUseTheLenientForm) {
  Use({Per("path", Rule("each", "1/m"))});
  EXPECT_EQ(About("/v1/posts"), 200);
  for (const char* path : {"/v1/posts/", "/v1/posts;a=1", "/v1/posts;a=2", "/v1%2Fposts",
                           "/v1\\posts", "/v1/posts#2", "/v1/posts%2f", "/v1/posts;/"}) {
    EXPECT_EQ(About(path), 429) << path;
  }
  EXPECT_EQ(About("/v1/posts2"), 200);
}

TEST_F(PathRulesTest, KeepsRawPathAsSent) {
  Use({When("path.raw", "/a/%70rivate/./b%2fx/", Deny("raw"))});
  EXPECT_EQ(About("/a/%70rivate/./b%2fx/"), 403);
  EXPECT_EQ(About("/private/x"), 200);
}

TEST_F(PathRulesTest, RejectsPathThatMayEndEarlier) {
  Use({When("path", "/private", Deny("closed"))});
  for (const char* path : {"/private%00", "/x%00y", "/public#/../private", "/public#%2e", "private",
                           "*", "http://host/private", "/%", "/%zz"}) {
    EXPECT_EQ(About(path), 400) << path;
  }
}

TEST_F(PathRulesTest, NormalizesHost) {
  Use({When("host", "secret.example", Deny("closed"))});
  for (const char* host :
       {"secret.example", "secret.example.", "Secret.Example:443", "SECRET.EXAMPLE.:8443",
        "secret.example..", "other.example, secret.example."}) {
    EXPECT_EQ(About("/", {{"X-Forwarded-Host", host}}), 403) << host;
  }
  EXPECT_EQ(About("/", {{"X-Forwarded-Host", "secret.example.org"}}), 200);
}

TEST_F(PathRulesTest, RejectsDifferentValuesOfAttributeThatARuleUses) {
  Use({Per("query.user", Rule("parameters", "1000/m")),
       Per("header.x-user", Rule("headers", "1000/m")),
       Per("cookie.sid", Rule("cookies", "1000/m"))});
  for (const char* target : {"/a?user=1&user=2", "/a?user=1&us%65r=2", "/a?user=1&user",
                             "/a?user=a+b&user=a%2Bb", "/a?user=1&user[]=2", "/a?user[]=1&user[]=2",
                             "/a?user[0]=1&user=2", "/a?user=1&user%5B%5D=2"}) {
    EXPECT_EQ(About(target), 400) << target;
    EXPECT_TRUE(Says("comes twice")) << target;
  }
  EXPECT_EQ(About("/a", {{"X-User", "1"}, {"x-user", "2"}}), 400);
  EXPECT_EQ(About("/a", {{"Cookie", "sid=1; sid=2"}}), 400);
  EXPECT_EQ(About("/a", {{"Cookie", "sid=1"}, {"cookie", "sid=2"}}), 400);

  EXPECT_EQ(About("/a?user=1&user=1"), 200);
  EXPECT_EQ(About("/a?user=a+b&user=a%20b"), 200);
  EXPECT_EQ(About("/a?page=1&page=2&User=3&user=1"), 200);
  EXPECT_EQ(About("/a", {{"X-Other", "1"}, {"X-Other", "2"}, {"X-User", "1"}}), 200);
  EXPECT_EQ(About("/a", {{"Cookie", "sid=1; SID=2; sid=\"1\""}}), 200);
}

// Some applications end a parameter at ';', too.
TEST_F(PathRulesTest, RejectsParameterEndedBySemicolonIfARuleUsesIt) {
  Use({Per("query.user", Rule("parameters", "1000/m"))});
  for (const char* target : {"/a?user=1;page=2", "/a?page=2;user=1", "/a?user=1;", "/a?;user=1",
                             "/a?user=1&page=2;us%65r=2", "/a?page=2;user[]=1", "/a?page=2;user"}) {
    EXPECT_EQ(About(target), 400) << target;
    EXPECT_TRUE(Says("';' in the query")) << target;
  }
  for (const char* target :
       {"/a?user=1&page=2;x=3", "/a?page=2;x=3", "/a?user=1%3Bpage=2", "/a;user=2?user=1",
        "/a?page=2;user=1&user=1", "/a?user=1&;;", "/a?User=1;page=2"}) {
    EXPECT_EQ(About(target), 200) << target;
  }
}

// Programs behind CGI and similar interfaces take X_User_Id for X-User-Id.
TEST_F(PathRulesTest, RejectsHeaderWithUnderscoresIfARuleUsesHyphens) {
  Use({Per("header.x-user-id", Rule("headers", "1000/m")),
       Per("header.own_name", Rule("others", "1000/m"))});
  const std::vector<std::vector<Header>> ambiguous = {
      {{"X_User_Id", "1"}},
      {{"x-user_id", ""}},
      {{"X-User-Id", "1"}, {"X_User_Id", "2"}},
      {{"X_USER-ID", "2"}, {"X-User-Id", "1"}},
      {{"X-User-Id", "1"}, {"X_User_Id", "1"}, {"x_user-id", "2"}}};
  for (const std::vector<Header>& headers : ambiguous) {
    EXPECT_EQ(About("/a", headers), 400) << headers.front().name;
    EXPECT_TRUE(Says("'_' in the name of a header"));
  }
  EXPECT_EQ(About("/a", {{"X-User-Id", "1"}, {"X_User_Id", "1"}}), 200);
  EXPECT_EQ(About("/a", {{"X_Other_Id", "1"}, {"X-User-Id", "1"}}), 200);
  EXPECT_EQ(About("/a", {{"Own_Name", "1"}}), 200);
  EXPECT_TRUE(Told("RateLimit").starts_with(R"("others/m")"));
}

// PHP cuts names at a NUL and at '[', removes blanks before them, and turns dots and blanks into
// '_'.
TEST_F(PathRulesTest, RejectsParameterThatPhpRenamesIfARuleUsesIt) {
  Use({Per("query.user", Rule("parameters", "1000/m")),
       Per("query.user_id", Rule("others", "1000/m"))});
  for (const char* target :
       {"/a?user=3&user%00=2", "/a?user=4&%20user=2", "/a?user=4&+user=2", "/a?user=4&%09user=2",
        "/a?%20%20user=2", "/a?user%00x=2", "/a?user=1&%20user[]=2", "/a?user=1&user%00[]=2",
        "/a?user.id=2", "/a?user%20id=2", "/a?user+id=2&user_id=3", "/a?+user.id[x]=2&user_id=1",
        "/a?x=1;%20user=2"}) {
    EXPECT_EQ(About(target), 400) << target;
    EXPECT_TRUE(Says("in the name of a parameter or cookie")) << target;
  }
  for (const char* target :
       {"/a?user=3&user%00=3", "/a?user=4&+user=4&+page=1&x.y=2", "/a?user=1&user_=2&user%2000=3",
        "/a?user_id=1&user.id=1", "/a?filter.name=1&filter[name]=2&user=1"}) {
    EXPECT_EQ(About(target), 200) << target;
  }
}

// An assertion checks that the texts do not move while others view them.
TEST_F(PathRulesTest, KeepsAllReadingsOfLongNames) {
  Use({Per("query.user", Rule("parameters", "1000/m"))});
  const std::string name(20000, 'a');
  EXPECT_EQ(About("/a?user=1&+" + name + "=1&;"), 200);
  EXPECT_EQ(About("/a?user=1", {{"Cookie", "%20" + name + ".=1"}}), 200);
}

TEST_F(PathRulesTest, RejectsCookieThatMayBeDecodedIfARuleUsesIt) {
  Use({Per("cookie.session", Rule("sessions", "1000/m")),
       Per("cookie.s_id", Rule("others", "1000/m"))});
  for (const char* cookies :
       {"s%65ssion=a", "session=b; s%65ssion=a", "%20session=a", "session%00=a",
        "session=b; session[]=a", "s.id=a", "s id=a", "s%2Eid=a; s_id=b"}) {
    EXPECT_EQ(About("/a", {{"Cookie", cookies}}), 400) << cookies;
    EXPECT_TRUE(Says("in the name of a parameter or cookie")) << cookies;
  }
  for (const char* cookies : {"session=a; s%65ssion=a", "session=a; %70age=1; s%=2; x.y=3",
                              "s_id=a; s.id=a", "session=a; _ga.b=2; %73ession=a"}) {
    EXPECT_EQ(About("/a", {{"Cookie", cookies}}), 200) << cookies;
  }
}

TEST_F(PathRulesTest, ChecksAliasedAttributesForAmbiguity) {
  RuleSetSpec spec;
  DomainSpec& domain = spec.domains.emplace_back();
  domain.name = "api";
  domain.aliases.push_back({.name = "user", .source = "header.x-user-id", .origin = {}});
  domain.rules.push_back(Per("user", Rule("users", "1000/m")));
  ASSERT_TRUE(gate_.Use(RuleSet::Make(std::move(spec))).ok());
  EXPECT_EQ(About("/a", {{"X_User_Id", "1"}}), 400);
  EXPECT_EQ(About("/a", {{"X-User-Id", "1"}}), 200);
}

}  // namespace
}  // namespace sluice
