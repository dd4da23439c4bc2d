import Heart from "@mui/icons-material/MonitorHeartOutlined";
import Box from "@mui/material/Box";
import MuiLink from "@mui/material/Link";
import Skeleton from "@mui/material/Skeleton";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { ModelStatus } from "../../../../src/domain/models/model-health.ts";
import { readData } from "../../../api/client.ts";
import { modelStatusApi } from "../../../api/groups.ts";
import { fuzzyMatch } from "../../../api/models/pricing.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { useSession } from "../../../state/session.ts";
import { DayBars, shareOrDash } from "./DayBars.tsx";
import { modelPath } from "./model-page.ts";

const TONE = { up: "ok", degraded: "warn", down: "bad" } as const;
const STATES = ["down", "degraded", "up"] as const;

/** The status of each model, now and over the last 90 days. */
export const ModelStatusPage = () => {
  const { t } = useTranslation();
  const { user } = useSession();
  const address = useAddress();
  const { data, error, refetch } = useQuery(modelStatus(user?.id));
  const text = address.text("search");
  const state = address.text("state");
  const found = useMemo(
    () =>
      data?.models.filter((model) => fuzzyMatch(text, model.model_name) && (state === "" || model.state === state)) ??
      [],
    [data, text, state],
  );
  const { shown, paging } = useLocalPaging(found, t("pricing.unit"), address);
  const days = data?.days ?? 0;
  const columns = useMemo(
    (): readonly Column<ModelStatus>[] => [
      {
        key: "model",
        head: t("status.model"),
        isTitle: true,
        cell: ({ model_name }) => (
          <MuiLink
            component={Link}
            to={modelPath(model_name)}
            title={model_name}
            color="inherit"
            underline="hover"
            sx={{ fontWeight: 560 }}
          >
            {model_name}
          </MuiLink>
        ),
      },
      {
        key: "state",
        head: t("status.state"),
        width: 128,
        isSolid: true,
        cell: (model) => <StatusChip tone={TONE[model.state]}>{t(`status.states.${model.state}`)}</StatusChip>,
      },
      {
        key: "days",
        head: t("status.days", { count: days }),
        width: 400,
        isSolid: true,
        cell: (model) => (
          <DayBars
            days={model.days}
            count={days}
            label={t("status.daysOf", { model: model.model_name, share: shareText(model) })}
          />
        ),
      },
      {
        key: "availability",
        head: t("status.availability"),
        width: 110,
        align: "right",
        cell: (model) => <span className="num">{shareText(model)}</span>,
      },
    ],
    [t, days],
  );
  const troubled = data?.models.filter((model) => model.state !== "up").length ?? 0;
  const model = useDataTable({
    columns,
    rows: data && shown,
    rowId: nameOf,
    rowName: nameOf,
  });
  return (
    <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
      <PageHeader title={t("status.title")} purpose={t("status.purpose")} />
      {!data && !error && <Skeleton variant="rounded" width={160} height={22} sx={{ mb: 4 }} />}
      {data && data.models.length > 0 && (
        <Box role="status" sx={{ mb: 4 }}>
          <StatusChip tone={troubled === 0 ? "ok" : "warn"}>
            {troubled === 0 ? t("status.allUp") : t("status.troubled", { count: troubled })}
          </StatusChip>
        </Box>
      )}
      <FilterBar
        search={{ value: text, placeholder: t("status.search") }}
        filters={[
          {
            key: "state",
            label: t("status.state"),
            value: state,
            options: STATES.map((name) => ({ value: name, label: t(`status.states.${name}`) })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
      />
      <DataTable
        model={model}
        error={error}
        onRetry={() => refetch()}
        empty={<EmptyState icon={<Heart />} title={t("status.emptyTitle")} body={t("status.emptyBody")} />}
        paging={paging}
      />
    </Box>
  );
};

const nameOf = ({ model_name }: ModelStatus): string => model_name;
const shareText = ({ availability }: ModelStatus): string => shareOrDash(availability);

const ASK_EVERY_MS = 60_000;

/** The models' status; `userId` separates the cache of visitors and users. */
const modelStatus = (userId: number | undefined) =>
  queryOptions({
    queryKey: ["model-status", userId ?? "visitor"],
    queryFn: ({ signal }) => readData(modelStatusApi.models.get({ fetch: { signal } }), { stayOn401: true }),
    refetchInterval: ASK_EVERY_MS,
  });
