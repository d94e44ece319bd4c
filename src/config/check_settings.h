// CheckSettings: what can be wrong with settings though each of them is good.
#pragma once

#include "config/settings_draft.h"

namespace sluice {

// Adds problems to the draft, each with the settings it is about and where they came from. What is
// about a setting that is bad in itself is left out.
//   Errors: an admin address that other machines reach without a token or required client
//   certificates; a certificate without its key, or the other way round; what concerns client
//   certificates without an authority; addresses that clash; bounds and drain times that
//   contradict one another; PROXY headers that no one may send; a password given twice, or a user
//   without one.
//   Warnings: a token that crosses the network in the clear, a drain that cuts replies off, trust
//   in all addresses, users of a Unix socket where there is none.
void CheckSettings(SettingsDraft& draft);

}  // namespace sluice
