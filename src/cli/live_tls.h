// LiveTls: the certificate of the server, which follows its files.
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "admin/log.h"
#include "config/file_follower.h"
#include "config/settings.h"
#include "net/tls_context.h"
#include "net/tls_source.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// Reads the files that the settings name, and again when they change or somebody asks. What cannot
// be used is said in the log and changes nothing.
//
// Thread safety: RequestReload and source from any thread; Start once. Ownership: settings, log and
// clock outlive it; its thread ends with it.
class LiveTls {
 public:
  // An error where the files cannot be used. REQUIRES: the settings name a certificate.
  static Result<std::unique_ptr<LiveTls>> Create(const TlsSettings& settings, Log& log,
                                                 Clock& clock);

  LiveTls(const LiveTls&) = delete;
  LiveTls& operator=(const LiveTls&) = delete;
  ~LiveTls();

  // Begins to follow the files.
  void Start();
  void RequestReload() { follower_->RequestReload(); }

  [[nodiscard]] const std::shared_ptr<TlsSource>& source() const { return source_; }

 private:
  LiveTls(const TlsSettings& settings, Log& log, Clock& clock)
      : settings_(settings), log_(log), clock_(clock) {}

  LoadOutcome Load(ReloadCause cause);
  LoadOutcome Use(const std::shared_ptr<const TlsContext>& context);
  LoadOutcome Keep(ReloadCause cause);
  LoadOutcome Fail(ReloadCause cause, std::string fault);
  [[nodiscard]] Result<TlsTexts> ReadTexts() const;
  void NoteWatch(const std::string& fault, std::string_view instead);

  const TlsSettings& settings_;
  Log& log_;
  Clock& clock_;
  std::shared_ptr<TlsSource> source_;  // null until something was loaded
  TlsTexts in_force_;
  TlsTexts tried_;     // and could not be used
  std::string fault_;  // of the last load; empty if it was good
  std::string watch_fault_;
  std::unique_ptr<FileFollower> follower_;
  std::thread thread_;
};

}  // namespace sluice::cli
