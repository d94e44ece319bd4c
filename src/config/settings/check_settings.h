// CheckSettings: checks that span several settings. Single settings are checked when they are read.
#pragma once

#include "config/settings/settings_draft.h"

namespace sluice {

// Adds a problem to the draft for every conflict between settings. Each message names the settings
// involved and where their values came from. A conflict that involves a setting with an invalid
// value is not reported, because that value is reported already.
//   - Errors: an admin address reachable from other machines without a token or required client
//     certificates; a certificate without its key, or a key without its certificate; options for
//     client certificates without a client CA; addresses that clash; bounds and drain times that
//     contradict each other; PROXY headers without a trusted proxy that may send them; a password
//     given twice; a user without a password.
//   - Warnings: an admin token sent without TLS, a drain deadline that cuts off slow replies,
//     trusting all addresses as proxies, user ids for Unix sockets without a Unix listener.
void CheckSettings(SettingsDraft& draft);

}  // namespace sluice
