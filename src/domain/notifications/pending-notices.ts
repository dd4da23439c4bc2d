import { eq, sql } from "drizzle-orm";
import { pendingNotices } from "../../../db/schema/accounts/sign-in.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import type { Notice } from "./message.ts";

/** A notice that is to be tried again; `tries` counts this one too. */
export type PendingNotice = Readonly<{ id: number; userId: number; notice: Notice; tries: number }>;

/** While its first tries go on in memory, nobody else takes a notice. */
export const FIRST_REST_SECONDS = 60;
/** How long it rests after the first later try, the second, and so on; then it is given up. */
export const REST_SECONDS = [300, 1800, 7200, 21_600] as const;
export const LATER_TRIES = REST_SECONDS.length;
const AT_ONCE = 50;

/** Keeps a notice that could not be handed over, so that a restart does not lose it. Resolves with its id. */
export async function keepNotice(db: DbOrTx, userId: number, notice: Notice, nowSeconds: number): Promise<number> {
  const [row] = await db
    .insert(pendingNotices)
    .values({ userId, notice: { ...notice }, nextAt: nowSeconds + FIRST_REST_SECONDS })
    .returning({ id: pendingNotices.id });
  if (!row) throw new Error("the notice was not kept");
  return row.id;
}

/** It was handed over, or will never be. */
export async function forgetNotice(db: Db, id: number): Promise<void> {
  await db.delete(pendingNotices).where(eq(pendingNotices.id, id));
}

/** Takes notices whose time has come; each goes to one process, and rests before it can be taken again. */
export async function takeDueNotices(db: Db, nowSeconds: number): Promise<PendingNotice[]> {
  const rests = sql.join(
    REST_SECONDS.map((seconds, tries) => sql`when ${tries} then ${seconds}::bigint`),
    sql` `,
  );
  const rows = await db
    .update(pendingNotices)
    .set({
      tries: sql`${pendingNotices.tries} + 1`,
      nextAt: sql`${nowSeconds}::bigint + case ${pendingNotices.tries} ${rests} else ${REST_SECONDS.at(-1)}::bigint end`,
    })
    .where(
      sql`${pendingNotices.id} in (
        select id from ${pendingNotices} where next_at <= ${nowSeconds} order by id limit ${AT_ONCE}
        for update skip locked)`,
    )
    .returning();
  return rows.map(({ id, userId, notice, tries }) => ({ id, userId, tries, notice: notice as unknown as Notice }));
}
