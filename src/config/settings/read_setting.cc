#include "config/settings/read_setting.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/ascii.h"
#include "base/duration.h"
#include "base/enum_name.h"
#include "base/letter_case.h"
#include "base/text.h"
#include "config/syntax/yaml_scalar.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

constexpr std::string_view kUnixSockets = "unix";

// Returns the value, or reports an error that begins with the setting's path.
template <typename T>
std::optional<T> TakeOrSay(Result<T> result, const Entry& entry, ConfigReader& reading) {
  if (result.ok()) return std::move(result).value();
  reading.Error(entry.value.At(), Concat(Quoted(entry.key), ": ", result.error().message));
  return std::nullopt;
}

// Reads a text that must not be empty.
std::optional<std::string> ReadText(const Entry& entry, ConfigReader& reading) {
  std::optional<std::string> text = ReadString(entry, reading);
  if (!text || !text->empty()) return text;
  reading.Error(entry.value.At(), Concat(Quoted(entry.key), " must not be empty"));
  return std::nullopt;
}

// Reads a duration or a size with `parse`. Numbers without a unit reach `parse`, too, because its
// error explains the units.
template <typename T>
std::optional<T> ReadMeasure(Result<T> (*parse)(std::string_view), std::string_view what,
                             const Entry& entry, ConfigReader& reading) {
  const bool* boolean = entry.value.AsBoolean();
  const std::optional<std::string> text = ScalarText(entry.value);
  if (!text || boolean != nullptr) {
    reading.Error(entry.value.At(), MustBe(what, entry));
    return std::nullopt;
  }
  return TakeOrSay(parse(*text), entry, reading);
}

bool CheckRange(const Setting& setting, std::int64_t found, const std::string& text,
                const Entry& entry, ConfigReader& reading) {
  if (found >= setting.range.min && found <= setting.range.max) return true;
  reading.Error(entry.value.At(), Concat(Quoted(entry.key), " must be from ", RangeTextOf(setting),
                                         ", found ", text));
  return false;
}

// How a type T is read and written. Each specialization has
//   Name()                         returns the placeholder for the value
//   Read(setting, entry, reading)  returns the value, or reports an error and returns nothing
//   Text(value)                    returns the value as it would be written
template <typename T>
struct Form;

template <>
struct Form<bool> {
  static std::string Name() { return "true|false"; }
  static std::optional<bool> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    return ReadBoolean(entry, reading);
  }
  static std::string Text(bool value) { return value ? "true" : "false"; }
};

template <>
struct Form<std::int64_t> {
  static std::string Name() { return "COUNT"; }
  static std::optional<std::int64_t> Read(const Setting& setting, const Entry& entry,
                                          ConfigReader& reading) {
    return ReadWholeIn({setting.range.min, setting.range.max}, entry, reading);
  }
  static std::string Text(std::int64_t value) { return std::to_string(value); }
};

template <>
struct Form<UserId> {
  static std::string Name() { return "UID"; }
  static std::optional<UserId> Read(const Setting& setting, const Entry& entry,
                                    ConfigReader& reading) {
    const auto number = Form<std::int64_t>::Read(setting, entry, reading);
    if (!number) return std::nullopt;
    return UserId{static_cast<std::uint32_t>(*number)};
  }
  static std::string Text(UserId value) { return std::to_string(value.number); }
};

template <>
struct Form<Nanos> {
  static std::string Name() { return "DURATION"; }
  static std::optional<Nanos> Read(const Setting& setting, const Entry& entry,
                                   ConfigReader& reading) {
    const auto length = ReadMeasure(ParseDuration, "a duration such as 5s", entry, reading);
    if (!length || !CheckRange(setting, length->count(), Text(*length), entry, reading)) {
      return std::nullopt;
    }
    return length;
  }
  static std::string Text(Nanos value) { return FormatDuration(value); }
};

template <>
struct Form<Bytes> {
  static std::string Name() { return "SIZE"; }
  static std::optional<Bytes> Read(const Setting& setting, const Entry& entry,
                                   ConfigReader& reading) {
    const auto size = ReadMeasure(ParseSize, "a size such as 16KiB", entry, reading);
    if (!size || !CheckRange(setting, size->count, Text(*size), entry, reading)) {
      return std::nullopt;
    }
    return size;
  }
  static std::string Text(Bytes value) { return FormatSize(value); }
};

template <>
struct Form<FilePath> {
  static std::string Name() { return "PATH"; }
  static std::optional<FilePath> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    std::optional<std::string> text = ReadText(entry, reading);
    if (!text) return std::nullopt;
    return FilePath{*std::move(text)};
  }
  static std::string Text(const FilePath& value) { return value.text; }
};

template <>
struct Form<KeyPrefix> {
  static std::string Name() { return "TEXT"; }
  // Rejects braces because they would determine the hash slot in a Redis Cluster.
  static std::optional<KeyPrefix> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    std::optional<std::string> text = ReadText(entry, reading);
    if (!text) return std::nullopt;
    constexpr std::size_t kMax = 64;
    const bool is_plain = std::ranges::all_of(
        *text, [](char c) { return c > ' ' && c <= '~' && c != '{' && c != '}'; });
    if (text->empty() || text->size() > kMax || !is_plain) {
      reading.Error(
          entry.value.At(),
          Concat(Quoted(entry.key), " must be 1 to ", kMax,
                 " printable characters without spaces and braces, found ", Quoted(*text)));
      return std::nullopt;
    }
    return KeyPrefix{*std::move(text)};
  }
  static std::string Text(const KeyPrefix& value) { return value.text; }
};

template <>
struct Form<CertificateName> {
  static std::string Name() { return "NAME"; }
  static std::optional<CertificateName> Read(const Setting&, const Entry& entry,
                                             ConfigReader& reading) {
    std::optional<std::string> text = ReadText(entry, reading);
    if (!text || !CheckName(*text, entry.value.At(), reading)) return std::nullopt;
    if (const std::optional<IpAddress> ip = ParseIpAddress(*text)) {
      return CertificateName{FormatIpAddress(*ip)};
    }
    const bool is_uri = text->find(':') != std::string::npos;
    const bool is_wild = !is_uri && text->starts_with("*.") && text->size() > 2;
    if (text->find('*', is_wild ? 1 : 0) != std::string::npos) {
      reading.Error(entry.value.At(),
                    Concat(Quoted(entry.key), " takes whole names, or '*.' in front of one, found ",
                           Quoted(*text)));
      return std::nullopt;
    }
    return CertificateName{is_uri ? *std::move(text) : LowerCase(*text)};
  }
  static std::string Text(const CertificateName& value) { return value.text; }
};

template <>
struct Form<Address> {
  static std::string Name() { return "ADDRESS"; }
  static std::optional<Address> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    const std::optional<std::string> text = ReadText(entry, reading);
    if (!text) return std::nullopt;
    return TakeOrSay(ParseAddress(*text), entry, reading);
  }
  static std::string Text(const Address& value) { return FormatAddress(value); }
};

template <>
struct Form<StoreUrl> {
  static std::string Name() { return "URL"; }
  static std::optional<StoreUrl> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    if (entry.value.AsString() == nullptr) {
      // Not shown: the value may be a password that YAML parsed as a number.
      reading.Error(entry.value.At(), Concat(Quoted(entry.key), " must be a string, found ",
                                             Describe(entry.value, Secrecy::kSecret)));
      return std::nullopt;
    }
    const std::optional<std::string> text = ReadText(entry, reading);
    if (!text) return std::nullopt;
    return TakeOrSay(ParseStoreUrl(*text), entry, reading);
  }
  static std::string Text(const StoreUrl& value) { return FormatStoreUrl(value); }
};

template <>
struct Form<Secret> {
  static std::string Name() { return "SECRET"; }
  static std::optional<Secret> Read(const Setting& setting, const Entry& entry,
                                    ConfigReader& reading) {
    const std::string* text = entry.value.AsString();
    if (text != nullptr) return TakeOrSay(MakeSecret(setting, *text), entry, reading);
    // Not shown: the value may be the secret, parsed by YAML as a number.
    reading.Error(entry.value.At(), Concat(Quoted(entry.key), " must be a string, in quotes"));
    return std::nullopt;
  }
  static std::string Text(const Secret& value) { return value.empty() ? "" : Concat(value); }
};

template <typename T>
requires std::is_enum_v<T>
struct Form<T> {
  static std::string Name() {
    std::string name;
    for (const auto& word : WordsFor(T())) name += Concat(name.empty() ? "" : "|", word.text);
    return name;
  }
  static std::optional<T> Read(const Setting&, const Entry& entry, ConfigReader& reading) {
    return ReadWord<T>(WordsFor(T()), entry, reading);
  }
  static std::string Text(T value) { return std::string(WordOf(value)); }
};

// Returns the items of a list; a single value counts as a list of one.
std::span<const Value> ItemsOf(const Value& value) {
  if (const Value::List* list = value.AsList()) return *list;
  return {&value, 1};
}

void AppendItem(std::string_view item, std::string& text) {
  text += Concat(text.empty() ? "" : ", ", item);
}

template <typename T>
struct Form<std::vector<T>> {
  static std::string Name() { return Form<T>::Name(); }
  static std::optional<std::vector<T>> Read(const Setting& setting, const Entry& entry,
                                            ConfigReader& reading) {
    std::vector<T> values;
    bool good = true;
    for (const Value& item : ItemsOf(entry.value)) {
      std::optional<T> value = Form<T>::Read(setting, {entry.key, item.At(), item}, reading);
      good = good && value.has_value();
      if (value) values.push_back(*std::move(value));
    }
    if (!good) return std::nullopt;
    return values;
  }
  static std::string Text(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) AppendItem(Form<T>::Text(value), text);
    return text;
  }
};

template <>
struct Form<TrustedProxies> {
  static std::string Name() { return "PREFIX"; }
  static std::optional<TrustedProxies> Read(const Setting&, const Entry& entry,
                                            ConfigReader& reading) {
    TrustedProxies proxies;
    bool good = true;
    for (const Value& item : ItemsOf(entry.value)) {
      const Entry each{entry.key, item.At(), item};
      const std::optional<std::string> text = ReadText(each, reading);
      if (text == kUnixSockets) {
        proxies.unix_sockets = true;
        continue;
      }
      const auto prefix = text ? TakeOrSay(ParseIpPrefix(*text), each, reading) : std::nullopt;
      good = good && prefix.has_value();
      if (prefix) proxies.prefixes.push_back(*prefix);
    }
    if (!good) return std::nullopt;
    return proxies;
  }
  static std::string Text(const TrustedProxies& value) {
    std::string text;
    for (const IpPrefix& prefix : value.prefixes) {
      AppendItem(Concat(FormatIpAddress(prefix.address), "/", prefix.length), text);
    }
    if (value.unix_sockets) AppendItem(kUnixSockets, text);
    return text;
  }
};

template <typename T>
constexpr bool kIsList = false;
template <typename T>
constexpr bool kIsList<std::vector<T>> = true;
template <>
constexpr bool kIsList<TrustedProxies> = true;

// Calls visitor.operator()<T>(slot), where T is the type of the member that holds the value.
template <typename Visitor>
auto WithType(const Setting& setting, Visitor visitor) {
  return std::visit(
      [&]<typename T>(SlotOf<T> slot) { return visitor.template operator()<T>(slot); },
      setting.slot);
}

template <typename T>
std::string MeasureText(std::int64_t number) {
  if constexpr (std::is_same_v<T, Nanos>) return FormatDuration(Nanos{number});
  if constexpr (std::is_same_v<T, Bytes>) return FormatSize({number});
  return std::to_string(number);
}

// Whether the text of a flag is parsed as a plain YAML scalar; otherwise it is always a string.
template <typename T>
constexpr bool kIsPlain = std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                          std::is_same_v<T, std::vector<UserId>>;

}  // namespace

bool ReadSetting(const Setting& setting, const Entry& entry, ConfigReader& reading, Settings& out) {
  return WithType(setting, [&]<typename T>(SlotOf<T> slot) {
    std::optional<T> value = Form<T>::Read(setting, entry, reading);
    if (!value) return false;
    slot(out) = *std::move(value);
    return true;
  });
}

Value ValueOfTexts(const Setting& setting, std::span<const std::string_view> texts) {
  return WithType(setting, [&]<typename T>(SlotOf<T>) {
    const auto value_of = [](std::string_view text) {
      return kIsPlain<T> ? ResolvePlain(std::string(text), {}) : Value::String(std::string(text));
    };
    if constexpr (!kIsList<T>) return value_of(texts.front());
    Value::List items;
    for (std::string_view text : texts) {
      if (text.empty()) continue;
      for (;;) {
        const std::size_t comma = text.find(',');
        items.push_back(value_of(TrimBlanks(text.substr(0, comma))));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
      }
    }
    return Value::MakeList(std::move(items));
  });
}

std::string TextOf(const Setting& setting, Settings& settings) {
  return WithType(setting,
                  [&]<typename T>(SlotOf<T> slot) { return Form<T>::Text(slot(settings)); });
}

std::string ValueNameOf(const Setting& setting) {
  return WithType(setting, []<typename T>(SlotOf<T>) { return Form<T>::Name(); });
}

std::string RangeTextOf(const Setting& setting) {
  const SettingRange& range = setting.range;
  if (range.max == 0) return {};
  return WithType(setting, [&]<typename T>(SlotOf<T>) {
    return Concat(MeasureText<T>(range.min), " to ", MeasureText<T>(range.max),
                  std::is_same_v<T, Secret> ? " bytes" : "");
  });
}

bool IsList(const Setting& setting) {
  return WithType(setting, []<typename T>(SlotOf<T>) { return kIsList<T>; });
}

bool IsBoolean(const Setting& setting) {
  return WithType(setting, []<typename T>(SlotOf<T>) { return std::is_same_v<T, bool>; });
}

bool IsSecret(const Setting& setting) {
  return WithType(setting, []<typename T>(SlotOf<T>) { return std::is_same_v<T, Secret>; });
}

Result<Secret> MakeSecret(const Setting& setting, std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  if (size < setting.range.min || size > setting.range.max) {
    return Error{Concat("the secret must have ", RangeTextOf(setting), ", found ", size)};
  }
  const bool has_control = std::ranges::any_of(text, IsControl);
  if (has_control) return Error{"the secret must have no control characters, such as a line break"};
  return Secret(std::string(text));
}

}  // namespace sluice
