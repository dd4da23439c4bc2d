import { and, count, desc, eq, isNull } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { paymentCases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Listed, Page } from "../operation.ts";
import { moneyOf } from "./currency-units.ts";

export type CaseKind =
  | "refund"
  | "refund_unclear"
  | "dispute"
  | "wrong_amount"
  | "late"
  | "duplicate"
  | "same_period"
  | "to_balance"
  | "paid_again";

/** A report that an administrator has to decide on, as it is shown; `money` is decimal text. */
export type PaymentCase = {
  id: number;
  kind: string;
  reference: string;
  trade_no: string;
  user_id: number | null;
  username: string | null;
  money: string;
  currency: string;
  created_at: number;
};

/** Puts a report into the queue, once for each kind and reference. */
export async function openCase(
  db: DbOrTx,
  report: Readonly<{
    kind: CaseKind;
    reference: string;
    order: Readonly<{ userId: number; tradeNo: string }> | null;
    /** In the currency's smallest coin. */
    paidUnits: number;
    currency: string;
    /** Of a payment that is not known yet: its number at the service, and whether it is paid back. */
    waiting?: Readonly<{ paymentNo: string; isPaidBack: boolean }>;
    now: number;
  }>,
): Promise<void> {
  const { kind, reference, order, paidUnits, currency, waiting, now } = report;
  await db
    .insert(paymentCases)
    .values({
      ...{ kind, reference, userId: order?.userId ?? null, tradeNo: order?.tradeNo ?? "" },
      ...{ money: String(Number(moneyOf(paidUnits, currency))), currency, createdAt: now },
      ...waiting,
    })
    .onConflictDoNothing();
  // It was reported before as one that may be paid back.
  if (waiting?.isPaidBack) {
    const isReport = and(eq(paymentCases.kind, kind), eq(paymentCases.reference, reference));
    await db
      .update(paymentCases)
      .set({ isPaidBack: true })
      .where(and(isReport, isNull(paymentCases.userId)));
  }
}

/** Reports that nobody has decided on, newest first. */
export async function listCases(db: Db, { page, pageSize }: Page): Promise<Listed<PaymentCase>> {
  const isOpen = isNull(paymentCases.closedAt);
  const { total } = requireRow(await db.select({ total: count() }).from(paymentCases).where(isOpen));
  const items = await db
    .select({
      ...{ id: paymentCases.id, kind: paymentCases.kind, reference: paymentCases.reference },
      ...{ trade_no: paymentCases.tradeNo, user_id: paymentCases.userId, username: users.username },
      ...{ money: paymentCases.money, currency: paymentCases.currency, created_at: paymentCases.createdAt },
    })
    .from(paymentCases)
    .leftJoin(users, eq(users.id, paymentCases.userId))
    .where(isOpen)
    .orderBy(desc(paymentCases.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items, total };
}

const LONGEST_NOTE = 500;

/** Notes what an administrator decided; balances and plans they change where those are. Throws OperationError. */
export async function closeCase(db: Db, actor: UserEntry, id: number, text: string): Promise<void> {
  const note = text.trim();
  if (note === "" || note.length > LONGEST_NOTE) throw new OperationError("case_note_invalid", { max: LONGEST_NOTE });
  await db.transaction(async (tx) => {
    const [row] = await tx
      .update(paymentCases)
      .set({ closedAt: nowSeconds(), closedBy: actor.id, note })
      .where(and(eq(paymentCases.id, id), isNull(paymentCases.closedAt)))
      .returning();
    if (!row) throw new OperationError("case_not_found");
    await writeManagementLog(tx, actor, `Closed the payment report ${row.reference}: ${note}`, {
      ...{ note: { code: "case_closed", params: { reference: row.reference } }, action: "update", target: "order" },
      ...{ ...(row.userId !== null && { user_id: row.userId }), after: { note } },
    });
  });
}
