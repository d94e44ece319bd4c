// LiveTls: the certificate of the server, which follows its files.
#pragma once

#include <memory>
#include <span>
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
  // `admin_names`: the clients that are let in at the admin address, where they differ.
  static Result<std::unique_ptr<LiveTls>> Create(const TlsSettings& settings,
                                                 std::span<const CertificateName> admin_names,
                                                 Log& log, Clock& clock);

  LiveTls(const LiveTls&) = delete;
  LiveTls& operator=(const LiveTls&) = delete;
  ~LiveTls();

  // Begins to follow the files.
  void Start();
  void RequestReload() { follower_->RequestReload(); }

  [[nodiscard]] const std::shared_ptr<TlsSource>& source() const { return source_; }
  // That of the admin address. The two share a context where the same clients are let in; tickets
  // of one are good for nothing at the other where not.
  [[nodiscard]] const std::shared_ptr<TlsSource>& admin_source() const { return admin_source_; }

 private:
  // What is made of one reading of the files.
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
  std::shared_ptr<TlsSource> source_;  // null until something was loaded
  std::shared_ptr<TlsSource> admin_source_;
  TlsTexts in_force_;
  TlsTexts tried_;     // and could not be used
  std::string fault_;  // of the last load; empty if it was good
  std::string watch_fault_;
  std::unique_ptr<FileFollower> follower_;
  std::thread thread_;
};

}  // namespace sluice::cli
