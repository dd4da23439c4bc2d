import Receipt from "@mui/icons-material/ReceiptOutlined";
import { useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useCallback, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { OwnOrder } from "../../../../src/domain/wallet/orders/list-orders.ts";
import type { PayMethod } from "../../../../src/domain/wallet/payments/quote.ts";
import { readData } from "../../../api/client.ts";
import { paymentApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { moneyText } from "../../../lib/format/money.ts";
import { useOfferedMethods } from "../wallet-calls.ts";
import { methodName } from "./method-name.ts";

const METHODS = ["zfb", "wx", "alipay", "wechat", "paypal", "stripe", "manual"] as const;

/** The columns of orders, for users and administrators; `offered`: the ways to pay that the site has. */
export const orderColumns = <Row extends OwnOrder>(
  t: TFunction,
  language: string,
  offered: readonly PayMethod[],
): Column<Row>[] => [
  {
    key: "trade_no",
    head: t("wallet.orders.number"),
    isTitle: true,
    cell: (order) => <span className="mono">{order.trade_no}</span>,
  },
  {
    key: "created",
    head: t("wallet.orders.time"),
    sortKey: "created_time",
    width: 130,
    cell: (order) => <TimeAgo seconds={order.created_time} />,
  },
  {
    key: "method",
    head: t("wallet.orders.method"),
    sortKey: "method",
    width: 150,
    cell: (order) => {
      const method = METHODS.find((known) => known === order.method);
      const name = method ? methodName(method, offered, t) : order.method;
      return order.is_automatic ? t("wallet.autoTopUp.order", { method: name }) : name;
    },
  },
  {
    key: "money",
    head: t("wallet.orders.money"),
    sortKey: "money",
    width: 120,
    align: "right",
    cell: (order) => moneyText(order.money, order.currency, language),
  },
  {
    key: "quota",
    head: t("wallet.orders.quota"),
    sortKey: "quota",
    width: 120,
    align: "right",
    cell: (order) =>
      order.plan_name === null ? <Money quota={order.quota} /> : t("wallet.orders.plan", { name: order.plan_name }),
  },
  {
    key: "status",
    head: t("wallet.orders.status"),
    sortKey: "status",
    width: 130,
    isSolid: true,
    cell: (order) => <OrderStatus order={order} />,
  },
];

export const ORDER_STATUSES = ["pending", "success", "expired", "failed"] as const;
type Status = (typeof ORDER_STATUSES)[number];

const TONES: Readonly<Record<Status, ToneName>> = { pending: "warn", success: "ok", expired: "idle", failed: "bad" };

/** The status of an order. */
const OrderStatus = ({ order }: { order: OwnOrder }) => {
  const { t } = useTranslation();
  const status = ORDER_STATUSES.find((known) => known === order.status) ?? "pending";
  if (order.refunded_time > 0) return <StatusChip tone="idle">{t("wallet.statuses.refunded")}</StatusChip>;
  if (order.refund_started_time > 0) return <StatusChip tone="warn">{t("wallet.statuses.refunding")}</StatusChip>;
  return (
    <StatusChip tone={TONES[status]} quiet={status === "success"}>
      {t(`wallet.statuses.${status}`)}
    </StatusChip>
  );
};

/** Polls while an order may be in payment: the payment service calls back within seconds. */
const POLL_MS = 5000;
const PAYING_SECONDS = 900;

/** The user's own orders; reloads the balance when one is paid. */
export const OrderTable = () => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const offered = useOfferedMethods();
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
      defaultSort="created_time"
      columns={orderColumns(t, i18n.language, offered)}
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
