#include "server/live_tls.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/syntax/file_text.h"
#include "config/watch/directory_watch.h"
#include "server/serve_parts.h"

namespace sluice::cli {
namespace {

// Describes a certificate in the log: "for a.example.org, b.example.org, good until 2027-03-01".
std::string Describe(const TlsContext& context) {
  std::string names;
  for (const TlsName& name : context.names()) {
    names += Concat(names.empty() ? "for " : ", ", name.text);
  }
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(context.not_after()));
  const auto two = [](unsigned number) { return Concat(number < 10 ? "0" : "", number); };
  return Concat(names, names.empty() ? "" : ", ", "good until ", static_cast<int>(day.year()), "-",
                two(static_cast<unsigned>(day.month())), "-",
                two(static_cast<unsigned>(day.day())));
}

}  // namespace

Result<std::unique_ptr<LiveTls>> LiveTls::Create(const TlsSettings& settings,
                                                 std::span<const CertificateName> admin_names,
                                                 Log& log, Clock& clock) {
  std::unique_ptr<LiveTls> made(new LiveTls(settings, admin_names, log, clock));
  LiveTls& live = *made;
  std::vector<std::string> paths = {settings.certificate.text, settings.key.text};
  for (const FilePath* path : {&settings.client_ca, &settings.client_crl}) {
    if (!path->text.empty()) paths.push_back(path->text);
  }
  // Create the watch before reading the files, so that no change is missed.
  Result<std::unique_ptr<FileWatcher>> follower = FileWatcher::Create(
      {.what = "files of TLS",
       .load = [&live](ReloadCause cause) { return live.Load(cause); },
       .note_watch = [&live](const std::string& fault,
                             std::string_view instead) { live.NoteWatch(fault, instead); }},
      {}, DirectoryWatch::Create(std::move(paths)), clock);
  if (!follower.ok()) return follower.error();
  live.follower_ = std::move(follower).value();
  if (live.Load(ReloadCause::kStart) == LoadOutcome::kFailed) return Error{live.fault_};
  return made;
}

LiveTls::~LiveTls() {
  if (!thread_.joinable()) return;
  follower_->Stop();
  thread_.join();
}

void LiveTls::Start() {
  thread_ = std::thread([this] {
    if (const Result<Done> done = follower_->Run(); !done.ok()) {
      log_.Write(LogLevel::kError, "tls_not_followed", done.error().message);
    }
  });
}

Result<TlsTexts> LiveTls::ReadTexts() const {
  TlsTexts texts;
  const std::pair<const FilePath&, std::string&> files[] = {
      {settings_.certificate, texts.certificate},
      {settings_.key, texts.key},
      {settings_.client_ca, texts.client_ca},
      {settings_.client_crl, texts.client_crl}};
  for (const auto& [path, text] : files) {
    if (path.text.empty()) continue;
    Result<std::string> read = ReadFileText(path.text);
    if (!read.ok()) return Error{Concat(path.text, ": ", read.error().message)};
    text = std::move(read).value();
    if (text.empty()) return Error{Concat(path.text, ": is empty")};
  }
  return texts;
}

LoadOutcome LiveTls::Load(ReloadCause cause) {
  Result<TlsTexts> texts = ReadTexts();
  if (!texts.ok()) return Fail(cause, texts.error().message);
  if (source_ != nullptr && texts.value() == in_force_) return Keep(cause);
  if (cause == ReloadCause::kLook) {
    // The files have not changed since the last failed load, so they would fail again.
    return texts.value() == tried_ ? LoadOutcome::kFailed : LoadOutcome::kDiffers;
  }
  tried_ = texts.value();
  Result<Contexts> made = Make(texts.value());
  if (!made.ok()) return Fail(cause, made.error().message);
  in_force_ = std::move(texts).value();
  return Use(made.value());
}

Result<LiveTls::Contexts> LiveTls::Make(const TlsTexts& texts) const {
  Result<std::shared_ptr<const TlsContext>> service =
      TlsContext::Make(texts, TlsOptionsOf(settings_, settings_.client_names));
  if (!service.ok()) return service.error();
  if (admin_names_.empty()) return Contexts{service.value(), service.value()};
  Result<std::shared_ptr<const TlsContext>> admin =
      TlsContext::Make(texts, TlsOptionsOf(settings_, admin_names_));
  if (!admin.ok()) return admin.error();
  return Contexts{service.value(), admin.value()};
}

LoadOutcome LiveTls::Use(const Contexts& contexts) {
  const std::shared_ptr<const TlsContext>& context = contexts.service;
  if (source_ == nullptr) {
    source_ = std::make_shared<TlsSource>(context);
    admin_source_ = std::make_shared<TlsSource>(contexts.admin);
  } else {
    source_->Use(context);
    admin_source_->Use(contexts.admin);
  }
  fault_.clear();
  tried_ = {};
  // Compared in seconds, because a certificate may be valid for longer than nanoseconds can
  // express.
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  const bool is_over = now > context->not_after();
  // Logged last: when the line appears, new connections already use the certificate.
  log_.Write(is_over ? LogLevel::kWarning : LogLevel::kInfo, "tls_loaded",
             Concat("a certificate ", Describe(*context), is_over ? ", which is past" : ""));
  return LoadOutcome::kLoaded;
}

LoadOutcome LiveTls::Keep(ReloadCause cause) {
  const bool is_news = !fault_.empty() || cause == ReloadCause::kRequest;
  fault_.clear();
  tried_ = {};
  if (is_news) {
    log_.Write(LogLevel::kInfo, "tls_unchanged", "the files say what is in force");
  }
  return LoadOutcome::kUnchanged;
}

LoadOutcome LiveTls::Fail(ReloadCause cause, std::string fault) {
  const bool is_news = fault != fault_ || cause == ReloadCause::kRequest;
  fault_ = std::move(fault);
  if (is_news && cause != ReloadCause::kStart) {
    log_.Write(LogLevel::kError, "tls_not_loaded",
               Concat(fault_, "; the certificate of before stays in force"));
  }
  return LoadOutcome::kFailed;
}

void LiveTls::NoteWatch(const std::string& fault, std::string_view instead) {
  if (std::exchange(watch_fault_, fault) == fault || fault.empty()) return;
  log_.Write(LogLevel::kWarning, "tls_not_watched", Concat(fault, "; ", instead));
}

}  // namespace sluice::cli
