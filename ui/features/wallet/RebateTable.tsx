import Redeem from "@mui/icons-material/RedeemOutlined";
import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RebateView } from "../../../src/wallet/list-rebates.ts";
import type { Column } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { Money } from "../../components/Money.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { usePaging } from "./use-paging.ts";
import type { Listed, Page } from "./wallet-calls.ts";

type Props = {
  /** The list to show: cashback and dividends, or dividends alone. */
  list: (page: Page) => { queryKey: QueryKey; read: (signal: AbortSignal) => Promise<Listed<RebateView>> };
};

/** What others' recharges brought, newest first. */
export const RebateTable = ({ list }: Props) => {
  const { t } = useTranslation();
  const [page, setPage] = useState(0);
  const paging = usePaging(page, setPage, t("wallet.rebates.unit"));
  const { queryKey, read } = list({ page, pageSize: paging.pageSize });
  const found = useQuery({ queryKey, queryFn: ({ signal }) => read(signal), placeholderData: keepPreviousData });
  const columns: Column<RebateView>[] = [
    {
      key: "from",
      head: t("wallet.rebates.from"),
      isTitle: true,
      cell: (rebate) => rebate.from || t("wallet.rebates.gone"),
    },
    {
      key: "kind",
      head: t("wallet.rebates.kind"),
      width: 130,
      cell: (rebate) => (rebate.kind === "dividend" ? t("wallet.rebates.dividend") : t("wallet.rebates.cashback")),
    },
    {
      key: "time",
      head: t("wallet.rebates.time"),
      width: 140,
      cell: (rebate) => <TimeAgo seconds={rebate.created_time} />,
    },
    {
      key: "recharge",
      head: t("wallet.rebates.recharge"),
      width: 130,
      align: "right",
      cell: (rebate) => <Money quota={rebate.recharge_quota} />,
    },
    {
      key: "rate",
      head: t("wallet.rebates.rate"),
      width: 90,
      align: "right",
      cell: (rebate) => `${Number(rebate.rate)}%`,
    },
    {
      key: "quota",
      head: t("wallet.rebates.quota"),
      width: 130,
      align: "right",
      cell: (rebate) => <Money quota={rebate.quota} strong />,
    },
  ];
  return (
    <DataTable
      columns={columns}
      rows={found.data?.items}
      rowId={(rebate) => rebate.id}
      rowName={(rebate) => rebate.from}
      isRefreshing={found.isPlaceholderData}
      error={found.error}
      onRetry={() => void found.refetch()}
      empty={
        <EmptyState icon={<Redeem />} title={t("wallet.rebates.emptyTitle")} body={t("wallet.rebates.emptyBody")} />
      }
      paging={{ ...paging, total: found.data?.total ?? 0 }}
    />
  );
};
