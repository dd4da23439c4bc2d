import Done from "@mui/icons-material/DoneAllOutlined";
import Receipt from "@mui/icons-material/ReceiptOutlined";
import Undo from "@mui/icons-material/UndoOutlined";
import type { AnyOrder } from "../../../../src/domain/wallet/orders/list-orders.ts";
import type { PayMethod } from "../../../../src/domain/wallet/payments/quote.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { paymentApi } from "../../../api/groups.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ListAction, ResourceList } from "../../../components/page/list/resource-list.ts";
import type { MoneyFormat } from "../../../lib/format/amount-text.ts";
import { moneyText } from "../../../lib/format/money.ts";
import { completeOrder, endRefund, refundOrder, useOfferedMethods } from "../wallet-calls.ts";
import { methodName } from "./method-name.ts";
import { ORDER_COLUMNS, ORDER_NUMBER, ORDER_STATUSES } from "./order-columns.tsx";

const EPAY = ["zfb", "wx"] as const;
const REFUNDABLE = ["alipay", "wechat", "paypal", "stripe", ...EPAY, "manual"] as const;
type RefundMethod = (typeof REFUNDABLE)[number];

/** The service that can pay an order back; none for others. */
const refundMethod = ({ method }: AnyOrder): RefundMethod | undefined => REFUNDABLE.find((known) => known === method);

/** An Epay service has not confirmed its refund, and is not asked twice. */
const isUnclear = ({ method, refund_started_time: begunAt, refunded_time: paidAt }: AnyOrder): boolean =>
  EPAY.some((known) => known === method) && begunAt > 0 && paidAt === 0;

const refundText = ({ plan_name: plan, method }: AnyOrder) =>
  method === "manual"
    ? "wallet.allOrders.refundManualBody"
    : plan === null
      ? "wallet.allOrders.refundBody"
      : "wallet.allOrders.refundPlanBody";

type Data = Readonly<{ offered: readonly PayMethod[]; format: MoneyFormat }>;

/** What the questions say of an order. */
function valuesOf(order: AnyOrder, { t, language, data }: ListContext<Data>) {
  const method = refundMethod(order);
  return {
    plan: order.plan_name ?? "",
    amount: amountText(order.quota, data.format),
    name: order.username,
    price: moneyText(order.money, order.currency, language),
    method: method && methodName(method, data.offered, t),
  };
}

/** An Epay service paid an order back, or did not. */
const refundOutcome = (isPaidBack: boolean, name: "paidBack" | "notPaidBack"): ListAction<AnyOrder, Data> => ({
  name,
  icon: Undo,
  needs: "billing:act",
  isShown: isUnclear,
  ask: { title: `wallet.allOrders.${name}`, body: `wallet.allOrders.${name}Body`, isDangerous: true },
  values: valuesOf,
  work: async ({ trade_no: number }) => (await endRefund(number, isPaidBack)).message,
});

const queryOf = ({ text }: FilterValues) => ({ keyword: text("search"), status: text("status") });

/** All users' orders; administrators can complete those whose payment callback never arrived. */
export const ORDERS: ResourceList<AnyOrder, ReturnType<typeof queryOf>, Data> = {
  text: (name) => `wallet.allOrders.${name}`,
  icon: Receipt,
  rows: {
    key: [...WALLET_KEY, "all-orders"],
    read: (query, signal) => readData(paymentApi.topup.get({ query, fetch: { signal } })),
    defaultSort: "created_time",
  },
  query: queryOf,
  rowId: ({ id }) => id,
  rowName: ({ trade_no: number }) => number,
  unit: "wallet.orders.unit",
  columns: [
    ORDER_NUMBER,
    { key: "user", kind: "text", head: "wallet.allOrders.user", of: "username", sortKey: "username", width: 130 },
    ...ORDER_COLUMNS,
  ],
  search: "wallet.allOrders.search",
  filters: [
    {
      key: "status",
      head: "wallet.orders.status",
      options: ORDER_STATUSES.map((status) => [status, `wallet.statuses.${status}`] as const),
    },
  ],
  download: { request: (query) => requestDownload(paymentApi.topup.export, query) },
  actions: [
    {
      name: "complete",
      icon: Done,
      needs: "billing:act",
      isDisabled: ({ status }) => status === "success",
      ask: { title: "wallet.allOrders.confirmTitle", body: "wallet.allOrders.confirmBody", isDangerous: true },
      values: valuesOf,
      work: ({ trade_no: number }) => completeOrder(number),
      done: "wallet.allOrders.done",
    },
    {
      name: "refund",
      icon: Undo,
      needs: "billing:act",
      isShown: (order) => refundMethod(order) !== undefined,
      isDisabled: ({ status, refund_started_time: begunAt }) => status !== "success" || begunAt > 0,
      ask: { title: "wallet.allOrders.refundTitle", body: refundText, isDangerous: true },
      values: valuesOf,
      work: async ({ trade_no: number }) => (await refundOrder(number)).message,
    },
    refundOutcome(true, "paidBack"),
    refundOutcome(false, "notPaidBack"),
  ],
  empty: { title: "wallet.orders.emptyTitle", body: "wallet.allOrders.emptyBody" },
  reload: [{ queryKey: WALLET_KEY }],
  useData: () => ({ offered: useOfferedMethods(), format: useMoneyFormat() }),
};

export const OrderListPage = () => <ListPage list={ORDERS} />;
