import { randomInt } from "node:crypto";
import { topUpOrders } from "../../../../db/schema/billing/wallet.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { PayMethod, Quote } from "../payments/quote.ts";

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
const RANDOM_LETTERS = 6;

/** Writes down what a user is about to pay, and returns the order's number. */
export async function startOrder(db: Db, userId: number, quote: Quote, method: PayMethod): Promise<string> {
  const now = nowSeconds();
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
  });
  return tradeNo;
}
