#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "config/settings/read_setting.h"
#include "config/settings/read_settings.h"

namespace sluice {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 6;

// Appends the text in indented lines of at most kWidth columns. Removes backquotes, which are meant
// for the generated documentation.
void AppendWrapped(std::string_view text, std::string& out) {
  std::size_t column = kWidth;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, end));
    std::erase(word, '`');
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column + 1 + word.size() > kWidth) {
      out += Concat(out.ends_with('\n') ? "" : "\n", std::string(kIndent, ' '), word);
      column = kIndent + word.size();
    } else {
      out += Concat(" ", word);
      column += 1 + word.size();
    }
  }
  out += '\n';
}

std::string Remarks(const Setting& setting, Settings& defaults) {
  std::string remarks(setting.meaning);
  if (IsList(setting)) remarks += "; may repeat";
  const std::string value = TextOf(setting, defaults);
  if (!value.empty()) remarks += Concat(" (", value, ")");
  return remarks;
}

}  // namespace

std::string SettingsHelp() {
  Settings defaults;
  std::string help = Concat("  ", kSettingsFlag, " PATH\n");
  AppendWrapped("a YAML or JSON file of settings", help);
  std::string_view group;
  for (const Setting& setting : AllSettings()) {
    if (GroupOf(setting) != group) {
      group = GroupOf(setting);
      help += Concat("\n", group, ":\n");
    }
    help += Concat("  ", FlagOf(setting), IsBoolean(setting) ? "" : " ",
                   IsBoolean(setting) ? std::string() : ValueNameOf(setting), "\n");
    AppendWrapped(Remarks(setting, defaults), help);
  }
  help += Concat("\nEach is also a variable, ", kVariablePrefix,
                 "LISTEN for --listen, and a key of the file; a flag wins over a\n"
                 "variable, and that over the file.\n");
  return help;
}

}  // namespace sluice
