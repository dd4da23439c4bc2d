import Receipt from "@mui/icons-material/ReceiptOutlined";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { OwnOrder } from "../../../src/domain/wallet/orders/order-view.ts";
import { readData } from "../../api/client.ts";
import { paymentApi } from "../../api/groups.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { orderColumns } from "./order-columns.tsx";
import { PagedTable } from "./PagedTable.tsx";

/** While somebody may be paying: the payment service tells within seconds. */
const POLL_MS = 5000;
const PAYING_SECONDS = 900;

/** One's own orders; the balance follows when one of them is paid. */
export const OrderTable = () => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const waiting = useRef<ReadonlySet<number>>(new Set());
  const pollMs = useCallback(
    (orders: readonly OwnOrder[]) => {
      const isPaid = orders.some(({ id, status }) => status === "success" && waiting.current.has(id));
      waiting.current = new Set(orders.filter(isBeingPaid).map(({ id }) => id));
      if (isPaid) void client.invalidateQueries({ queryKey: ["self"] });
      return waiting.current.size > 0 ? POLL_MS : false;
    },
    [client],
  );
  return (
    <PagedTable<OwnOrder>
      name="orders"
      read={(query, signal) => readData(paymentApi.user.topup.orders.get({ query, fetch: { signal } }))}
      usualSort="created_time"
      columns={orderColumns(t, i18n.language)}
      rowId={(order) => order.id}
      rowName={(order) => order.trade_no}
      unit={t("wallet.orders.unit")}
      empty={
        <EmptyState icon={<Receipt />} title={t("wallet.orders.emptyTitle")} body={t("wallet.orders.emptyBody")} />
      }
      pollMs={pollMs}
    />
  );
};

const isBeingPaid = (order: OwnOrder): boolean =>
  order.status === "pending" && Date.now() / 1000 - order.created_time < PAYING_SECONDS;
