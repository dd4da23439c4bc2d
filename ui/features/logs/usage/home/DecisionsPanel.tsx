import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Decision } from "../../../../../src/domain/system/decisions.ts";
import { readData } from "../../../../api/client.ts";
import { decisionApi, systemApi } from "../../../../api/groups.ts";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { Panel } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import { useSession } from "../../../../state/session.ts";
import { hasRootRight, isSuperAdmin } from "../../../../state/stored-user.ts";
import { HomeRow } from "./HomeRow.tsx";

const decisions = queryOptions({
  queryKey: ["system", "decisions"],
  queryFn: ({ signal }) => readData(decisionApi.get({ fetch: { signal } })),
});

/** Once a visit: the answer is on another site, and nobody waits for it. */
const update = queryOptions({
  queryKey: ["system", "home-update"],
  queryFn: async ({ signal }) => {
    const { can_check_update } = await readData(systemApi.info.get({ fetch: { signal } }));
    return can_check_update ? readData(systemApi.update.get({ fetch: { signal } })) : null;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

type Place = Readonly<{ to: string; search?: Readonly<Record<string, string | number>> }>;

/** The page on which each is decided. */
const PLACES: Readonly<Record<Decision["kind"], Place>> = {
  channels_disabled: { to: "/channel", search: { status: "3" } },
  models_unpriced: { to: "/setting", search: { tab: "operation", field: "pricing" } },
  payment_cases: { to: "/plan", search: { tab: "cases" } },
  withdrawals: { to: "/agent" },
  jobs_failed: { to: "/jobs" },
};

/** What only super admins may open, unless a custom role opens it. */
const RIGHTS = { models_unpriced: "settings:read", jobs_failed: "system:read" } as const;

/** What goes on until an administrator decides, each with the page for it. */
export const DecisionsPanel = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const { data, error, refetch } = useQuery(decisions);
  const release = useQuery({ ...update, enabled: isSuperAdmin(user) }).data;
  const mayOpen = (kind: Decision["kind"]) =>
    !(kind === "models_unpriced" || kind === "jobs_failed") || isSuperAdmin(user) || hasRootRight(user, RIGHTS[kind]);
  const isNewer = release?.is_newer === true;
  return (
    <Panel title={t("usage.decisions.title")}>
      {error && !data && <ErrorState error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={80} />}
      {data?.length === 0 && !isNewer && (
        <Box sx={{ color: "text.secondary", fontSize: 13 }}>{t("usage.decisions.none")}</Box>
      )}
      {data?.map(({ kind, count, names }) => (
        <HomeRow
          key={kind}
          name={t(`usage.decisions.${kind}`)}
          detail={names.join(", ") + (count > names.length && names.length > 0 ? " …" : "")}
          {...(mayOpen(kind) && PLACES[kind])}
        >
          <Box className="num" sx={{ fontWeight: 600, color: "tone.warn.text" }}>
            {formatNumber(count)}
          </Box>
        </HomeRow>
      ))}
      {isNewer && (
        <HomeRow name={t("usage.decisions.update")} to="/setting" search={{ tab: "other" }}>
          <Box className="num" sx={{ fontWeight: 600 }}>
            {release.version}
          </Box>
        </HomeRow>
      )}
    </Panel>
  );
};
