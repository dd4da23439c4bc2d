import Forward from "@mui/icons-material/ForwardToInboxOutlined";
import Replay from "@mui/icons-material/Replay";
import Box from "@mui/material/Box";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { pageSizeAtom } from "../../components/data-table/url-state.ts";
import { useDataTable } from "../../components/data-table/use-data-table.ts";
import { StatusChip, type ToneName } from "../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { notifyError } from "../../components/feedback/notify.tsx";
import { type AlertScope, DELIVERIES_KEY, type Delivery, deliveryPage, resendDelivery } from "./alert-calls.ts";
import { useReportDelivery } from "./DestinationList.tsx";

/** What was sent: each alert with its destination, attempts and outcome; any can be sent again. */
export const DeliveryTable = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [page, setPage] = useState(0);
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const list = useQuery({ ...deliveryPage(scope, page, pageSize), placeholderData: keepPreviousData });
  const resend = useMutation({
    mutationFn: ({ id }: Delivery) => resendDelivery(scope, id),
    onSuccess: useReportDelivery(),
    onError: notifyError,
    onSettled: () => client.invalidateQueries({ queryKey: DELIVERIES_KEY }),
  });
  const columns = useDeliveryColumns();
  const model = useDataTable({
    columns,
    rows: list.data?.items,
    rowId: ({ id }) => id,
    rowName: ({ title, destination_name: name }) => `${title}, ${name}`,
    detail: (delivery) => <DeliveryDetail delivery={delivery} />,
    actions: (delivery) => [
      { label: t("alerts.log.resend"), icon: <Replay />, onSelect: () => resend.mutate(delivery) },
    ],
  });
  return (
    <DataTable
      model={model}
      isRefreshing={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={<EmptyState icon={<Forward />} title={t("alerts.log.empty.title")} body={t("alerts.log.empty.body")} />}
      paging={{
        page,
        pageSize,
        total: list.data?.total ?? 0,
        unit: t("alerts.log.unit"),
        onPage: setPage,
        onPageSize: (size) => {
          setPageSize(size);
          setPage(0);
        },
      }}
    />
  );
};

const TONES: Readonly<Record<Delivery["status"], ToneName>> = { delivered: "ok", pending: "warn", failed: "bad" };

function useDeliveryColumns(): readonly Column<Delivery>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "title", head: t("alerts.log.columns.alert"), isTitle: true, cell: ({ title }) => title },
      {
        key: "destination",
        head: t("alerts.log.columns.destination"),
        width: 180,
        cell: ({ destination_name: name }) => name,
      },
      {
        key: "status",
        head: t("alerts.log.columns.status"),
        width: 124,
        isSolid: true,
        cell: ({ status, error }) => (
          <StatusChip
            tone={TONES[status]}
            {...(error !== "" && { reason: <Box sx={{ overflowWrap: "anywhere" }}>{error}</Box> })}
          >
            {t(`alerts.log.states.${status}`)}
          </StatusChip>
        ),
      },
      {
        key: "http",
        head: t("alerts.log.columns.http"),
        width: 80,
        align: "right",
        cell: ({ http_status: status }) => <span className="num">{status ?? "–"}</span>,
      },
      {
        key: "attempts",
        head: t("alerts.log.columns.attempts"),
        width: 96,
        align: "right",
        cell: ({ attempts }) => <span className="num">{attempts}</span>,
      },
      {
        key: "created",
        head: t("alerts.log.columns.created"),
        width: 112,
        cell: ({ created_at: seconds }) => <TimeAgo seconds={seconds} />,
      },
      {
        key: "next",
        head: t("alerts.log.columns.next"),
        width: 112,
        cell: ({ next_at: seconds }) => (seconds === null ? "–" : <TimeAgo seconds={seconds} />),
      },
    ],
    [t],
  );
}

/** The message and, where an attempt failed, why. */
const DeliveryDetail = ({ delivery: { content, error } }: { delivery: Delivery }) => (
  <Box sx={{ p: 3, fontSize: 13, overflowWrap: "anywhere" }}>
    <Box>{content}</Box>
    {error !== "" && <Box sx={{ mt: 1, color: "tone.bad.text" }}>{error}</Box>}
  </Box>
);
