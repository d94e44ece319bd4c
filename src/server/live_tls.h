// LiveTls: the TLS certificate of the server, reloaded when its files change.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <thread>

#include "admin/log.h"
#include "config/settings/settings.h"
#include "config/watch/file_watcher.h"
#include "net/tls/tls_context.h"
#include "net/tls/tls_source.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice::cli {

// Reads the files that the settings name, and reads them again when they change or a reload is
// requested. Files that cannot be used are reported in the log and change nothing.
//
// Thread safety: RequestReload and the sources from any thread; Start at most once. Ownership: the
// settings, the log and the clock must outlive it. The destructor joins its thread.
class LiveTls {
 public:
  // Returns an error if the files cannot be used. `admin_names` are the client names accepted at
  // the admin address; empty: the same as at the service port. REQUIRES: the settings name a
  // certificate.
  static Result<std::unique_ptr<LiveTls>> Create(const TlsSettings& settings,
                                                 std::span<const CertificateName> admin_names,
                                                 Log& log, Clock& clock);

  LiveTls(const LiveTls&) = delete;
  LiveTls& operator=(const LiveTls&) = delete;
  ~LiveTls();

  // Starts the thread that watches the files.
  void Start();
  void RequestReload() { follower_->RequestReload(); }

  [[nodiscard]] const std::shared_ptr<TlsSource>& source() const { return source_; }
  // Returns the source for the admin address. It shares the TLS context of source() if both accept
  // the same clients; otherwise session tickets of one are not valid at the other.
  [[nodiscard]] const std::shared_ptr<TlsSource>& admin_source() const { return admin_source_; }

 private:
  // The TLS contexts made from one read of the files.
  struct Contexts {
    std::shared_ptr<const TlsContext> service;
    std::shared_ptr<const TlsContext> admin;
  };

  LiveTls(const TlsSettings& settings, std::span<const CertificateName> admin_names, Log& log,
          Clock& clock)
      : settings_(settings), admin_names_(admin_names), log_(log), clock_(clock) {}

  LoadOutcome Load(ReloadCause cause);
  [[nodiscard]] Result<Contexts> Make(const TlsTexts& texts) const;
  LoadOutcome Use(const Contexts& contexts);
  LoadOutcome Keep(ReloadCause cause);
  LoadOutcome Fail(ReloadCause cause, std::string fault);
  [[nodiscard]] Result<TlsTexts> ReadTexts() const;
  void NoteWatch(const std::string& fault, std::string_view instead);

  const TlsSettings& settings_;
  const std::span<const CertificateName> admin_names_;
  Log& log_;
  Clock& clock_;
  std::shared_ptr<TlsSource> source_;  // null until the first successful load
  std::shared_ptr<TlsSource> admin_source_;
  TlsTexts in_force_;
  TlsTexts tried_;     // the last files that could not be used
  std::string fault_;  // error of the last load; empty if it succeeded
  std::string watch_fault_;
  std::unique_ptr<FileWatcher> follower_;
  std::thread thread_;
};

}  // namespace sluice::cli
