import AltRoute from "@mui/icons-material/AltRouteOutlined";
import Box from "@mui/material/Box";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { useDataTable } from "../components/data-table/use-data-table.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { explainRoute } from "../features/route-explain/explain-call.ts";
import { RouteForm } from "../features/route-explain/RouteForm.tsx";
import { useRouteColumns } from "../features/route-explain/route-columns.tsx";
import { StuckNotice } from "../features/route-explain/StuckNotice.tsx";

/** Where a call would go, and why not elsewhere. */
export const RouterExplainPage = () => {
  const { t } = useTranslation();
  const answer = useMutation({ mutationFn: explainRoute });
  const columns = useRouteColumns(answer.data?.stuck ?? null);
  const model = useDataTable({
    columns,
    rows: answer.data?.channels,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
  });
  return (
    <>
      <PageHeader title={t("routing.title")} purpose={t("routing.purpose")} />
      <RouteForm isAsking={answer.isPending} onAsk={answer.mutate} />
      {answer.data && answer.variables?.conversation && (
        <Box sx={{ mb: 4 }}>
          <StuckNotice {...answer.data} />
        </Box>
      )}
      {answer.isIdle ? (
        <EmptyState icon={<AltRoute />} title={t("routing.idleTitle")} body={t("routing.idleBody")} />
      ) : (
        <DataTable
          model={model}
          error={answer.error}
          onRetry={() => answer.variables && answer.mutate(answer.variables)}
          empty={<EmptyState icon={<AltRoute />} title={t("routing.emptyTitle")} body={t("routing.emptyBody")} />}
        />
      )}
    </>
  );
};
