import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Box from "@mui/material/Box";
import { replaceEqualDeep, useQuery } from "@tanstack/react-query";
import { memo, useDeferredValue, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { SeriesDimension, SeriesStep } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { useActing, useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Col, PageHeader, Row } from "../../../components/layout.tsx";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { oneOf } from "../../../state/search-text.ts";
import { useSite } from "../../../state/site-status.ts";
import type { UsageView } from "../entries/data-queries.ts";
import { logStat } from "../entries/log-queries.ts";
import { compactCount } from "../overview/Overview.tsx";
import { RangePicker } from "../overview/RangePicker.tsx";
import { rangeOf, useNow } from "../time-range.ts";
import { CompareSelect, compareStartOf, DashboardFilters, filterOf } from "./DashboardFilters.tsx";
import { AccountPanel } from "./home/AccountPanel.tsx";
import { DecisionsPanel } from "./home/DecisionsPanel.tsx";
import { FailuresPanel } from "./home/FailuresPanel.tsx";
import { RunningOutPanel } from "./home/RunningOutPanel.tsx";
import { CachePanel, OwnKeysPanel } from "./home/SavingsPanels.tsx";
import { TopUsersPanel } from "./home/TopUsersPanel.tsx";
import { LatencyPanel } from "./LatencyPanel.tsx";
import { OverviewTiles } from "./OverviewTiles.tsx";
import { SeriesPanel, UsageDownload, UsagePanel } from "./UsagePanel.tsx";

const OWN_DIMENSIONS = ["model", "group", "token", "tag"] as const;
const ORGANIZATION_DIMENSIONS = [...OWN_DIMENSIONS, "project", "member"] as const;
const ALL_DIMENSIONS = [...OWN_DIMENSIONS, "user", "channel"] as const;
const STEPS = ["hour", "day", "week"] as const;
const RANGES = ["24h", "7d", "30d", "90d", "365d"] as const;
const LONG_STEPS = ["day", "week"] as const;
const LONGEST_BY_HOUR_S = 15 * 86_400;

/** Usage over time: the user's own; all users' for administrators. */
const DetailContent = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const { id: organization } = useActing();
  const scope = isForAdmin ? "all" : "self";
  const [now, renew] = useNow({ isFollowing: false });
  const range = rangeOf(
    { range: address.text("range") || "7d", from: address.number("from"), to: address.number("to") },
    now,
  );
  const own: readonly SeriesDimension[] = isForAdmin
    ? ALL_DIMENSIONS
    : organization
      ? ORGANIZATION_DIMENSIONS
      : OWN_DIMENSIONS;
  const site = useSite();
  const dimensions: readonly SeriesDimension[] = site?.end_users_enabled ? [...own, "end_user"] : own;
  const by = oneOf(address.text("by"), dimensions) ?? "model";
  // Hourly bars of long ranges would outnumber the page's pixels.
  const steps = range.end - range.start > LONGEST_BY_HOUR_S ? LONG_STEPS : STEPS;
  const step: SeriesStep = oneOf(address.text("step"), steps) ?? oneOf(site?.data_export_default_time, steps) ?? "day";
  const filter = filterOf(address);
  // An open range ends in the future, where nothing can be compared.
  const period = { start: range.start, end: Math.min(range.end, now) };
  const versus = address.text("vs");
  // What is below the first screen is rendered after it, in small steps.
  const hasTop = useDeferredValue(true, false);
  const view: UsageView = useUnchanged({ scope, range, period, filter, by, step });
  if (site && !site.enable_data_export)
    return (
      <EmptyState
        isPage
        icon={<InsightsOutlined />}
        title={t("usage.off")}
        body={t("usage.offBody")}
        action={<SettingLink tab="operation" field="DataExportEnabled" />}
      />
    );
  return (
    <>
      <PageHeader title={t("usage.title")} purpose={t("usage.purpose")} actions={<UsageDownload view={view} />} />
      <Row wrap gap={4} sx={{ mb: 4, rowGap: 2 }}>
        <RangePicker
          range={range}
          names={RANGES}
          onNamed={(name) => {
            renew();
            address.set({ range: name, from: undefined, to: undefined });
          }}
          onCustom={(from, to) => address.set({ from, to, range: undefined })}
        />
        <CompareSelect value={versus} start={period.start} onChange={(vs) => address.set({ vs })} />
        <Rates view={view} />
      </Row>
      <DashboardFilters scope={scope} filter={filter} period={period} rangeName={range.name} />
      <OverviewTiles view={view} compareStart={compareStartOf(versus, period.start)} />
      <Box
        sx={{
          ...{ display: "grid", gap: 4, alignItems: "start" },
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) 320px" },
        }}
      >
        <Col gap={4}>
          <UsagePanel view={view} dimensions={dimensions} steps={steps} isForAdmin={isForAdmin} />
          {hasTop ? <SeriesPanel view={view} /> : <Box sx={{ minHeight: "100vh" }} />}
          {hasTop && isForAdmin && <LatencyPanel period={view.period} filter={view.filter} />}
        </Col>
        <Col gap={4}>
          {isForAdmin ? <DecisionsPanel /> : <AccountPanel />}
          {hasTop && isForAdmin && <TopUsersPanel view={view} />}
          {hasTop && <FailuresPanel view={view} />}
          {hasTop && <CachePanel view={view} />}
          {hasTop && isForAdmin && <OwnKeysPanel view={view} />}
          {hasTop && isForAdmin && <RunningOutPanel />}
        </Col>
      </Box>
    </>
  );
};

/** The object of the render before while this one says the same, so that what depends on it is not rendered again. */
function useUnchanged<Value>(value: Value): Value {
  const last = useRef(value);
  last.current = replaceEqualDeep(last.current, value);
  return last.current;
}

/** Requests and tokens a minute; has its place from the start, so that nothing moves. */
const Rates = memo(({ view: { scope, period } }: { view: UsageView }) => {
  const { t } = useTranslation();
  const { data } = useQuery(logStat(scope, period));
  return (
    <Box className="num" sx={{ color: "text.secondary", fontSize: 12.5, ...(!data && { visibility: "hidden" }) }}>
      {t("usage.rates", { rpm: compactCount(data?.rpm ?? 0), tpm: compactCount(data?.tpm ?? 0) })}
    </Box>
  );
});

export const DetailPage = withRight("usage.read", DetailContent);
