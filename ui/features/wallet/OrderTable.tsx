import Receipt from "@mui/icons-material/ReceiptOutlined";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { orderColumns } from "./order-columns.tsx";
import { usePaging } from "./use-paging.ts";
import { ownOrders } from "./wallet-calls.ts";

/** One's own orders, newest first. */
export const OrderTable = () => {
  const { t, i18n } = useTranslation();
  const [page, setPage] = useState(0);
  const paging = usePaging(page, setPage, t("wallet.orders.unit"));
  const list = useQuery({
    ...ownOrders({ page, pageSize: paging.pageSize }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: true,
  });
  return (
    <DataTable
      columns={orderColumns(t, i18n.language)}
      rows={list.data?.items}
      rowId={(order) => order.id}
      rowName={(order) => order.trade_no}
      isRefreshing={list.isPlaceholderData}
      error={list.error}
      onRetry={() => void list.refetch()}
      empty={
        <EmptyState icon={<Receipt />} title={t("wallet.orders.emptyTitle")} body={t("wallet.orders.emptyBody")} />
      }
      paging={{ ...paging, total: list.data?.total ?? 0 }}
    />
  );
};
