// Metrics of the parts of a server.
#pragma once

#include <string>

#include "admin/admin_front.h"
#include "admin/metrics_text.h"
#include "frontend/audit_log.h"
#include "frontend/front_meter.h"
#include "frontend/front_warnings.h"
#include "store/memory_store.h"

namespace sluice::cli {

// Appends sluice_checks_total and sluice_request_duration_seconds for each front end.
void AppendFrontMetrics(const FrontSums& sums, MetricsText& out);

// Append sluice_warnings_total and sluice_lifts_total.
void AppendWarningMetrics(const FrontWarnings& warnings, MetricsText& out);
void AppendLiftMetrics(const AuditLog& audit, MetricsText& out);
// Appends a line per cause of recent warnings, for /readyz?verbose.
void AppendWarningLines(const FrontWarnings& warnings, Names names, std::string& out);

void AppendStoreMetrics(const MemoryStoreStats& stats, MetricsText& out);

}  // namespace sluice::cli
