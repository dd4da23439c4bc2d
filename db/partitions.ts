import type { Database } from "./types.ts";

/** Months of which partitions are made ahead of time. */
const MONTHS_AHEAD = 2;
const SLICE = 5000;

/** Makes the monthly partitions of the log for now and the next months, and the one that takes what fits nowhere. */
export async function ensurePartitions({ sql }: Database, now = new Date()): Promise<void> {
  const wanted = Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthOf(now, ahead));
  const present = new Set((await listPartitions(sql)).map(({ name }) => name));
  if (!present.has("logs_rest")) await sql.unsafe("create table if not exists logs_rest partition of logs default");
  for (const { name, from, until } of wanted) {
    if (present.has(name)) continue;
    await sql.begin(async (tx) => {
      // Rows of a month that had no partition yet wait in logs_rest and would forbid its creation.
      await tx.unsafe("lock table logs in share row exclusive mode");
      await tx.unsafe(`create table if not exists ${name} (like logs including defaults including constraints)`);
      await tx.unsafe(
        `with moved as (delete from logs_rest where created_at >= ${from} and created_at < ${until} returning *)
         insert into ${name} select * from moved`,
      );
      const [attached] = await tx`select 1 from pg_inherits where inhrelid = ${name}::regclass`;
      if (!attached) {
        await tx.unsafe(`alter table logs attach partition ${name} for values from (${from}) to (${until})`);
      }
    });
  }
}

/**
 * Deletes log rows older than `before` (epoch seconds): whole months by dropping their partition, the rest in slices that
 * hold nobody up. Returns how many rows went.
 */
export async function dropLogsBefore({ sql }: Database, before: number): Promise<number> {
  let deleted = 0;
  for (const { name, until } of await listPartitions(sql)) {
    if (until === null || until > before) continue;
    const [sum] = await sql.unsafe(`select count(*)::int as rows from ${name}`);
    await sql.unsafe(`drop table ${name}`);
    deleted += Number(sum?.rows ?? 0);
  }
  for (;;) {
    const { count } = await sql`
      delete from logs where (created_at, id) in (
        select created_at, id from logs where created_at < ${before} order by created_at, id limit ${SLICE})`;
    deleted += count;
    if (count < SLICE) return deleted;
  }
}

async function listPartitions(sql: Database["sql"]): Promise<{ name: string; until: number | null }[]> {
  const rows = await sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'logs'::regclass order by 1`;
  return rows.map(({ name, bounds }) => {
    const until = /TO \('?(\d+)'?\)/.exec(String(bounds))?.[1];
    return { name: String(name), until: until === undefined ? null : Number(until) };
  });
}

function monthOf(now: Date, ahead: number): { name: string; from: number; until: number } {
  const start = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1);
  const first = new Date(start(ahead));
  const name = `logs_${first.getUTCFullYear()}_${String(first.getUTCMonth() + 1).padStart(2, "0")}`;
  return { name, from: start(ahead) / 1000, until: start(ahead + 1) / 1000 };
}
