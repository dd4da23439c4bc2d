import { inArray, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../db/types.ts";
import { InsufficientQuota } from "./errors.ts";

/** Quota units, a whole number above 0, from one user's balance to another's; `to` null: to the site. */
export type Transfer = Readonly<{ from: number; to: number | null; amount: number }>;

/**
 * Moves quota from one balance to another, in the transaction `tx`: first out of what `processId` holds of it, for which the
 * process keeps a hold of `amount` in memory until the transaction has ended. What others hold stays covered. Both rows are
 * locked, in the order of their ids as in every statement of the ledger. Throws InsufficientQuota.
 */
export async function moveQuota(tx: Tx, processId: string, { from, to, amount }: Transfer): Promise<void> {
  const ids = to === null ? [from] : [from, to];
  const rows = await tx
    .select({ id: users.id, quota: users.quota, held: users.held })
    .from(users)
    .where(inArray(users.id, ids))
    .orderBy(users.id)
    .for("update");
  const payer = rows.find(({ id }) => id === from);
  if (!payer || rows.length !== ids.length) throw new InsufficientQuota("user", 0);
  const [own] = await tx.execute<{ spent: number }>(sql`
    with before as materialized (
      select amount from holds where process_id = ${processId} and subject = 'user' and subject_id = ${from} for update
    )
    update holds h set amount = h.amount - least(b.amount, ${amount}::bigint) from before b
    where h.process_id = ${processId} and h.subject = 'user' and h.subject_id = ${from}
    returning least(b.amount, ${amount}::bigint)::float8 as spent`);
  const spent = own?.spent ?? 0;
  const available = payer.quota - payer.held + spent;
  if (available < amount) throw new InsufficientQuota("user", Math.max(0, available));
  await tx
    .update(users)
    .set({
      quota: sql`${users.quota} + case when ${users.id} = ${from} then ${-amount}::bigint else ${amount}::bigint end`,
      held: sql`${users.held} - case when ${users.id} = ${from} then ${spent}::bigint else 0 end`,
    })
    .where(inArray(users.id, ids));
}
