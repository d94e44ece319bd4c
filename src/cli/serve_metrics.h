// What the parts of a server count, as metrics.
#pragma once

#include "admin/metrics_text.h"
#include "frontend/audit_log.h"
#include "frontend/front_meter.h"
#include "frontend/notices.h"
#include "store/memory_store.h"

namespace sluice::cli {

// sluice_checks_total and sluice_request_duration_seconds, of each front end.
void AppendFrontMetrics(const FrontSums& sums, MetricsText& out);

// sluice_notices_total and sluice_lifts_total.
void AppendNoticeMetrics(const Notices& notices, const AuditLog& audit, MetricsText& out);

void AppendStoreMetrics(const MemoryStoreStats& stats, MetricsText& out);

}  // namespace sluice::cli
