import Big from "big.js";
import type { Receipt, ReceiptLine } from "../../../src/billing/types.ts";

/** The amounts of a receipt as they are shown: exact decimal text in US dollars, all with equally many decimals. */
export type ReceiptSums = Readonly<{
  lines: readonly Readonly<{ item: string; quantity: string; price: LinePrice; amount: string }>[];
  /** Sum of the lines. */
  subtotal: string;
  /** What the group ratio adds, or takes with a minus; null where it changes nothing. */
  groupAdjustment: string | null;
  /** The fixed fee for a call by the caller's own key; null where there is none. */
  fee: string | null;
  /** What rounding to whole quota units adds, or takes with a minus; null where nothing was rounded. */
  rounding: string | null;
  /** The rounding raised the charge to the least one. */
  isMinimum: boolean;
  /** Subtotal, group adjustment, fee and rounding together. */
  charged: string;
}>;

/** Dollars, exact, and what they buy. */
export type LinePrice = Readonly<{ usd: string; per: "million" | "call" | "second" | "megapixel" }>;

const FEWEST_DECIMALS = 6;
/** Where a site's quota units to the dollar divide into endless decimals; the rounding takes up what these leave. */
const DECIMALS_OF_ENDLESS = 12;
/** More than any exact amount has. */
const MOST_DECIMALS = 60;
const TOKENS_PER_PRICE = 1_000_000;
/** Items counted in tokens; calls at a fixed price and server-side tools are priced per use. */
const PRICED_BY_TOKENS = /^(input|output|cache_read|cache_write(_1h)?|(audio|image)_(input|output))$/;

const PRICED_BY: Readonly<Record<string, LinePrice["per"]>> = {
  per_second: "second",
  output_megapixel: "megapixel",
  input_megapixel: "megapixel",
};

/** The amounts of a receipt, so that what is shown adds up to the last digit. */
export function receiptSums(receipt: Receipt): ReceiptSums {
  const usd = dollarsOf(receipt.quotaPerUnit);
  const lines = receipt.lines
    .filter(({ item }) => item !== "minimum")
    .map((line) => ({ line, amount: usd(line.amount) }));
  const subtotal = lines.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  const afterRatio = usd(new Big(receipt.subtotal).times(receipt.groupRatio));
  const adjustment = afterRatio.minus(subtotal);
  const fee = usd(receipt.ownKeyFee ?? 0);
  const charged = usd(receipt.total);
  const rounding = charged.minus(afterRatio).minus(fee);
  const amounts = [...lines.map(({ amount }) => amount), subtotal, adjustment, fee, rounding, charged];
  const decimals = Math.max(FEWEST_DECIMALS, ...amounts.map(decimalsOf));
  const text = (amount: Big) => amount.toFixed(decimals);
  return {
    lines: lines.map(({ line, amount }) => ({
      item: line.item,
      quantity: line.quantity,
      price: linePrice(line, usd),
      amount: text(amount),
    })),
    subtotal: text(subtotal),
    groupAdjustment: adjustment.eq(0) ? null : text(adjustment),
    fee: fee.eq(0) ? null : text(fee),
    rounding: rounding.eq(0) ? null : text(rounding),
    isMinimum: lines.length < receipt.lines.length,
    charged: text(charged),
  };
}

/** Converts quota units to dollars, exactly where the decimals end. */
function dollarsOf(quotaPerUnit: string): (units: string | number | Big) => Big {
  const perUnit = new Big(quotaPerUnit);
  // A constructor of its own: the number of decimals is a setting of it.
  const Dollars = Big();
  Dollars.DP = MOST_DECIMALS;
  const isExact = new Dollars(1).div(perUnit).times(perUnit).eq(1);
  if (!isExact) Dollars.DP = DECIMALS_OF_ENDLESS;
  return (units) => new Big(new Dollars(units).div(perUnit));
}

function linePrice({ item, factor }: ReceiptLine, usd: (units: Big) => Big): LinePrice {
  if (PRICED_BY_TOKENS.test(item))
    return { usd: usd(new Big(factor).times(TOKENS_PER_PRICE)).toFixed(), per: "million" };
  return { usd: new Big(factor).toFixed(), per: PRICED_BY[item] ?? "call" };
}

const decimalsOf = (amount: Big): number => amount.toFixed().split(".")[1]?.length ?? 0;
