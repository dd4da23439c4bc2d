import Receipt from "@mui/icons-material/ReceiptLongOutlined";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import type { OwnOrder } from "../../../../src/domain/wallet/orders/list-orders.ts";
import type { PayMethod } from "../../../../src/domain/wallet/payments/quote.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { paymentApi } from "../../../api/groups.ts";
import { Money } from "../../../components/display/Money.tsx";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import type { ListColumn, Status } from "../../../components/page/list/column-kinds.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { moneyText } from "../../../lib/format/money.ts";
import { useOfferedMethods } from "../wallet-calls.ts";
import { methodName } from "./method-name.ts";

const METHODS = ["zfb", "wx", "alipay", "wechat", "paypal", "stripe", "manual"] as const;

/** The ways to pay that the site has. */
type Offered = Readonly<{ offered: readonly PayMethod[] }>;

/** The columns of orders, for users and administrators; their number is the first. */
export const ORDER_COLUMNS: readonly ListColumn<OwnOrder, Offered>[] = [
  {
    key: "created",
    kind: "time",
    head: "wallet.orders.time",
    of: "created_time",
    sortKey: "created_time",
    width: 130,
  },
  {
    key: "method",
    head: "wallet.orders.method",
    sortKey: "method",
    width: 150,
    cell: (order, { t, data }) => {
      const method = METHODS.find((known) => known === order.method);
      const name = method ? methodName(method, data.offered, t) : order.method;
      return order.is_automatic ? t("wallet.autoTopUp.order", { method: name }) : name;
    },
  },
  {
    key: "money",
    kind: "text",
    head: "wallet.orders.money",
    sortKey: "money",
    width: 120,
    align: "right",
    of: ({ money, currency }, { language }) => moneyText(money, currency, language),
  },
  {
    key: "quota",
    head: "wallet.orders.quota",
    sortKey: "quota",
    width: 120,
    align: "right",
    cell: ({ plan_name: name, quota }, { t }) =>
      name === null ? <Money quota={quota} /> : t("wallet.orders.plan", { name }),
  },
  { key: "status", kind: "status", head: "wallet.orders.status", sortKey: "status", width: 130, of: statusOf },
];

export const ORDER_NUMBER: ListColumn<OwnOrder, Offered> = {
  key: "trade_no",
  head: "wallet.orders.number",
  isTitle: true,
  cell: ({ trade_no: number }) => <span className="mono">{number}</span>,
};

export const ORDER_STATUSES = ["pending", "success", "expired", "failed"] as const;

const TONES: Readonly<Record<(typeof ORDER_STATUSES)[number], ToneName>> = {
  ...{ pending: "warn", success: "ok", expired: "idle", failed: "bad" },
};

function statusOf(order: OwnOrder): Status {
  const status = ORDER_STATUSES.find((known) => known === order.status) ?? "pending";
  if (order.refunded_time > 0) return { tone: "idle", text: "wallet.statuses.refunded" };
  if (order.refund_started_time > 0) return { tone: "warn", text: "wallet.statuses.refunding" };
  return { tone: TONES[status], quiet: status === "success", text: `wallet.statuses.${status}` };
}

/** Polls while an order may be in payment: the payment service calls back within seconds. */
const POLL_MS = 5000;
const PAYING_SECONDS = 900;

/** Reloads the balance when an order is paid; returns how soon the list is read again. */
function usePaymentPolling() {
  const client = useQueryClient();
  const waiting = useRef<ReadonlySet<number>>(new Set());
  return useCallback(
    (orders: readonly OwnOrder[]) => {
      const isPaid = orders.some(({ id, status }) => status === "success" && waiting.current.has(id));
      waiting.current = new Set(orders.filter(isBeingPaid).map(({ id }) => id));
      if (isPaid) void client.invalidateQueries({ queryKey: ["self"] });
      return waiting.current.size > 0 ? POLL_MS : false;
    },
    [client],
  );
}

const isBeingPaid = (order: OwnOrder): boolean =>
  order.status === "pending" && Date.now() / 1000 - order.created_time < PAYING_SECONDS;

export const OWN_ORDERS: ResourceList<OwnOrder, object, Offered & { poll: ReturnType<typeof usePaymentPolling> }> = {
  text: (name) => `wallet.orders.${name}`,
  icon: Receipt,
  rows: {
    key: [...WALLET_KEY, "orders"],
    read: (query, signal) => readData(paymentApi.user.topup.orders.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
    pollMs: (orders, { poll }) => poll(orders),
  },
  rowId: ({ id }) => id,
  rowName: ({ trade_no: number }) => number,
  unit: "wallet.orders.unit",
  columns: [ORDER_NUMBER, ...ORDER_COLUMNS],
  empty: { title: "wallet.orders.emptyTitle", body: "wallet.orders.emptyBody" },
  useData: () => ({ offered: useOfferedMethods(), poll: usePaymentPolling() }),
};

/** The user's own orders. */
export const OrderTable = () => <ListTable list={OWN_ORDERS} />;
