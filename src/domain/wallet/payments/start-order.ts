import { randomInt } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { PayMethod } from "./quote.ts";
import type { TaxedQuote } from "./tax/tax.ts";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const RANDOM_LETTERS = 6;

/** Writes down what a user is about to pay, and returns the order's number. */
export async function startOrder(
  db: DbOrTx,
  userId: number,
  quote: TaxedQuote,
  method: PayMethod,
  now = nowSeconds(),
): Promise<string> {
  const random = Array.from({ length: RANDOM_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  const tradeNo = `USR${userId}NO${random}${now}`;
  await db.insert(topUpOrders).values({
    userId,
    tradeNo,
    method,
    quota: quote.quotaUnits,
    money: quote.money,
    currency: quote.currency,
    createdTime: now,
    ...(quote.tax && {
      ...{ tax: quote.tax.amount, taxRate: quote.tax.rate, taxCountry: quote.tax.country },
      reverseChargeTaxId: quote.tax.isReverseCharge ? quote.tax.taxId : "",
    }),
  });
  return tradeNo;
}

/** Notes that an order will not be paid; one that was paid stays so. */
export async function closeOrder(db: Db, tradeNo: string, status: "expired" | "failed"): Promise<void> {
  await db
    .update(topUpOrders)
    .set({ status })
    .where(and(eq(topUpOrders.tradeNo, tradeNo), eq(topUpOrders.status, "pending")));
}
