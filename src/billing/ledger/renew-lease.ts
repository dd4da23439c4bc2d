import type { Sql } from "../../../db/types.ts";

/** How long a process counts as alive after it last said so. */
export const LEASE_SECONDS = 30;

/** Registers the process, or says that it is still alive. Answers whether it was unknown, so that its holds are gone. */
export async function renewLease(sql: Sql, processId: string): Promise<{ unknown: boolean }> {
  const [row] = await sql<{ unknown: boolean }[]>`
    insert into processes (id, started_at, lease_until)
    values (${processId}, extract(epoch from now())::bigint, extract(epoch from now())::bigint + ${LEASE_SECONDS})
    on conflict (id) do update set lease_until = excluded.lease_until
    returning (xmax = 0) as unknown`;
  return { unknown: row?.unknown === true };
}
