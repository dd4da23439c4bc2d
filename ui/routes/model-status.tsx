import Heart from "@mui/icons-material/MonitorHeartOutlined";
import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../components/data-table/column.ts";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../components/data-table/url-state.ts";
import { useDataTable } from "../components/data-table/use-data-table.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { FilterBar } from "../components/FilterBar.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { StatusChip } from "../components/StatusChip.tsx";
import { useAddress } from "../components/useAddress.ts";
import { fuzzyMatch } from "../features/pricing/fuzzy-match.ts";
import { useSession } from "../features/session/session.tsx";
import { DayBars } from "../features/status/DayBars.tsx";
import { type ModelStatus, modelStatus, percent } from "../features/status/model-status.ts";

const TONE = { up: "ok", degraded: "warn", down: "bad" } as const;
const STATES = ["down", "degraded", "up"] as const;

/** How each model does now and did in the last 90 days. */
export const ModelStatusPage = () => {
  const { t, i18n } = useTranslation();
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
          <Box component="span" title={model_name} sx={{ fontWeight: 560 }}>
            {model_name}
          </Box>
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
            label={t("status.daysOf", { model: model.model_name, share: shareText(model, i18n.language) })}
          />
        ),
      },
      {
        key: "availability",
        head: t("status.availability"),
        width: 110,
        align: "right",
        cell: (model) => <span className="num">{shareText(model, i18n.language)}</span>,
      },
    ],
    [t, i18n.language, days],
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
const shareText = ({ availability }: ModelStatus, language: string): string =>
  availability === null ? "–" : percent(availability, language);
