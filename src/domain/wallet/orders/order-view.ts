import { sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";

/** An order as its owner sees it. */
export const ownOrderFields = {
  id: topUpOrders.id,
  trade_no: topUpOrders.tradeNo,
  method: topUpOrders.method,
  quota: topUpOrders.quota,
  money: topUpOrders.money,
  currency: topUpOrders.currency,
  status: topUpOrders.status,
  created_time: topUpOrders.createdTime,
  completed_time: topUpOrders.completedTime,
  refund_started_time: topUpOrders.refundStartedTime,
  refunded_time: topUpOrders.refundedTime,
  plan_name: sql<string | null>`(select p.name from plan_purchases b join plans p on p.id = b.plan_id
    where b.order_id = top_up_orders.id)`,
  is_automatic: sql<boolean>`exists (select 1 from card_charges c where c.trade_no = top_up_orders.trade_no)`,
};

/** An order as administrators see it. */
export const orderFields = {
  ...ownOrderFields,
  user_id: topUpOrders.userId,
  username: users.username,
  gateway_no: topUpOrders.gatewayNo,
  completed_by: topUpOrders.completedBy,
};

export type OwnOrder = {
  id: number;
  trade_no: string;
  /** zfb, wx, alipay, wechat, paypal, stripe or manual. */
  method: string;
  quota: number;
  /** Decimal text. */
  money: string;
  currency: string;
  /** pending, success, expired or failed. */
  status: string;
  created_time: number;
  completed_time: number;
  /** When a refund began, and when it was paid; 0: not. */
  refund_started_time: number;
  refunded_time: number;
  /** The plan that it pays a period of; null: it adds quota to the balance. */
  plan_name: string | null;
  /** A saved card pays it, because the balance was low. */
  is_automatic: boolean;
};

export type AnyOrder = OwnOrder & {
  user_id: number;
  username: string;
  gateway_no: string;
  completed_by: number | null;
};
