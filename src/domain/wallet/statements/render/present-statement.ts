import type { CreditKind, StatementOrder, UsageLine } from "../../../../../db/schema/wallet/statements.ts";
import { CREDIT_KINDS } from "../../../../../db/schema/wallet/statements.ts";
import { type Language, type MessageCode, say } from "../../../../lib/messages.ts";
import { add, type Decimal, decimal, divide, integer, subtract, toText, ZERO } from "../../../../lib/values/decimal.ts";
import type { StatementDocument } from "../documents.ts";

const PLACES = 6;
const MS = 1000;

/** A table of a document as text; amounts stand in columns at the right. */
export type StatementTable = Readonly<{
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** The first columns that are text. */
  textColumns: number;
}>;

const CREDITS: Readonly<Record<CreditKind, MessageCode>> = {
  topUps: "statement_top_ups",
  codes: "statement_codes",
  rewards: "statement_rewards",
  plans: "statement_plans",
  adjustments: "statement_adjustments",
  other: "statement_other",
};

/** The document's name in `language`. */
export function titleOf({ kind, closing }: Pick<StatementDocument, "kind" | "closing">, language: Language): string {
  if (kind === "statement") return say("statement_title", language);
  if (kind === "credit_note") return say("statement_credit_note", language);
  return say(closing > 0 ? "statement_credit_note" : "statement_supplement", language);
}

/** Number, month and date, each with its name. */
export function factsOf(document: StatementDocument, language: Language): [name: string, value: string][] {
  const { number, month, issuedAt } = document;
  return [
    ...(number === null ? [] : [[say("statement_number", language), number] as [string, string]]),
    [say("statement_month", language), month],
    ...(issuedAt === null ? [] : [[say("statement_issued", language), dateText(issuedAt)] as [string, string]]),
  ];
}

/** The tables of a document; `say`d in `language`. The rows of the first add up from the opening to the closing balance. */
export function tablesOf(document: StatementDocument, language: Language): StatementTable[] {
  const { content } = document;
  const word = (code: MessageCode) => say(code, language);
  const amount = (quota: number) => [String(quota), dollarText(quota, content.unitsPerDollar)];
  const amountHead = [word("statement_units"), word("statement_dollars")];
  const isCorrection = document.kind === "correction";
  const credits = CREDIT_KINDS.filter((kind) => content.credits[kind] !== 0);
  const summary: StatementTable = {
    title: word("statement_summary"),
    head: ["", ...amountHead],
    textColumns: 1,
    // A credit note is about a payment, and no balance.
    rows:
      document.kind === "credit_note"
        ? []
        : isCorrection
          ? [[word(document.closing > 0 ? "statement_credit" : "statement_charges"), ...amount(document.closing)]]
          : [
              [word("statement_opening"), ...amount(document.opening)],
              ...credits.map((kind) => [word(CREDITS[kind]), ...amount(content.credits[kind])]),
              [word("statement_charges"), ...amount(0 - document.charged)],
              [word("statement_closing"), ...amount(document.closing)],
            ],
  };
  const usage = (title: MessageCode, column: MessageCode, lines: readonly UsageLine[]): StatementTable => ({
    title: word(title),
    textColumns: 1,
    head: [
      word(column),
      word("statement_calls"),
      word("statement_input_tokens"),
      word("statement_output_tokens"),
      ...amountHead,
    ],
    rows: lines.map((line, index) => [
      line.name || word(isRest(lines, index) ? "statement_others" : "statement_unnamed"),
      ...[line.calls, line.promptTokens, line.completionTokens].map(String),
      ...amount(line.quota),
    ]),
  });
  const orders: StatementTable = {
    title: word("statement_orders"),
    head: [word("statement_order"), word("statement_date"), word("statement_paid"), ...amountHead],
    textColumns: 2,
    rows: content.orders.map(({ time, money, currency, quota, ...order }) => [
      nameOf(order, word),
      dateText(time),
      `${money} ${currency}`,
      ...amount(quota),
    ]),
  };
  return [
    summary,
    orders,
    taxesOf(content.orders, word),
    usage("statement_by_model", "statement_model", content.models),
    usage("statement_by_key", "statement_key", content.keys),
    usage("statement_by_tag", "statement_tag", content.tags ?? []),
    usage("statement_included", "statement_plan", content.included ?? []),
  ].filter(({ rows }) => rows.length > 0);
}

/** The order's number; a refund is the credit note of its order. */
const nameOf = (
  { tradeNo, isRefund }: Pick<StatementOrder, "tradeNo" | "isRefund">,
  word: (code: MessageCode) => string,
) => (isRefund ? `${word("statement_credit_note")} ${tradeNo}` : tradeNo);

/** Net, tax and what was paid of each order, and their sums by currency: each row adds up to the coin. */
function taxesOf(orders: readonly StatementOrder[], word: (code: MessageCode) => string): StatementTable {
  const taxed = orders.flatMap(({ tax, ...order }) => (tax ? [{ ...order, tax }] : []));
  const sums = new Map<string, { net: Decimal; tax: Decimal; paid: Decimal }>();
  const rows = taxed.map(({ money, currency, tax, ...order }) => {
    const [paid, amount] = [decimal(money), decimal(tax.amount)];
    const net = subtract(paid, amount);
    const before = sums.get(currency) ?? { net: ZERO, tax: ZERO, paid: ZERO };
    sums.set(currency, { net: add(before.net, net), tax: add(before.tax, amount), paid: add(before.paid, paid) });
    const basis = tax.reverseChargeTaxId
      ? `${word("statement_reverse_charge")} ${tax.reverseChargeTaxId}`
      : `${tax.country} ${tax.rate}%`;
    return [nameOf(order, word), basis, currency, ...[net, amount, paid].map((value) => toText(value, 2))];
  });
  const totals = [...sums].map(([currency, { net, tax, paid }]) => [
    ...[word("statement_tax_total"), "", currency],
    ...[net, tax, paid].map((value) => toText(value, 2)),
  ]);
  return {
    title: word("statement_taxes"),
    head: [
      ...[word("statement_order"), word("statement_tax_rate"), word("statement_currency")],
      ...[word("statement_net"), word("statement_tax"), word("statement_paid")],
    ],
    textColumns: 3,
    rows: [...rows, ...totals],
  };
}

/** Lists end with the sum of what they left out, which has no name. */
const LISTED = 200;
const isRest = (lines: readonly UsageLine[], index: number) => index === LISTED && index === lines.length - 1;

const dateText = (seconds: number) => new Date(seconds * MS).toISOString().slice(0, 10);

const dollarText = (quota: number, unitsPerDollar: number): string =>
  toText(divide(integer(quota), integer(unitsPerDollar), PLACES), PLACES);
