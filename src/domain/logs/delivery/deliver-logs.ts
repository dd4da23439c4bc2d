import { requireRow } from "../../../../db/require-row.ts";
import { withDeadline } from "../../../../db/server/deadlines.ts";
import type { LogDatabase } from "../../../../db/server/log-database.ts";
import type { Database, Statements } from "../../../../db/types.ts";
import { SETTLING } from "../../../billing/journal/apply/apply-batch.ts";
import { failureOf } from "../../../billing/journal/failure.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { messageOf } from "../../../lib/runtime/error-message.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { applyDeliveries, type Delivery, isJoined } from "./apply-delivery.ts";

/** What waits for the log's own database. */
type Waiting = Readonly<{
  /** Log rows that wait, and for how long the first of them has, in seconds. */
  waitingRows: number;
  oldestSeconds: number;
  /** Deliveries that it refuses because of what they contain. */
  refused: number;
}>;

/** `isAway`: it could not be written to the last time, or does not answer. */
export type DeliveryStatus = Waiting & Readonly<{ isAway: boolean }>;

export type LogDelivery = Readonly<{
  status(): DeliveryStatus;
  /** Resolves when the round under way has ended. */
  close(): Promise<void>;
}>;

/** One process delivers at a time: whoever holds this lock in the log's database. */
const DELIVERING = 7_302_002;
const MOST_BATCHES = 500;
const MOST_BYTES = 8 * 1024 * 1024;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;
const LOOK_MS = 1000;
/** A round takes no longer, unless the database is silent; it is given up after a minute. */
const SILENT_AFTER_MS = 10_000;
const ROUND_MS = 60_000;
/** Delivered ids are forgotten once the main database has forgotten them; of a process that died in between, after this. */
const MEMORY_S = 30 * 86_400;

/**
 * Brings what the main database has left for the log's own there, for as long as the process lives, each exactly once: rows and the
 * delivery's id are written in one transaction, and only then the delivery is deleted in the main database. While the log's
 * database is away, deliveries wait.
 */
export function startLogDelivery(
  parts: Readonly<{ main: Pick<Database, "sql">; logs: LogDatabase; log: Logger }>,
): LogDelivery {
  const { main, logs, log } = parts;
  const deliverer = createDeliverer(main, logs);
  let waiting: Waiting = { waitingRows: 0, oldestSeconds: 0, refused: 0 };
  let [isClosed, failures] = [false, 0];
  let startedAt = Number.POSITIVE_INFINITY;
  let wake = () => {};
  const look = async () => {
    // The main database may be the one that is away.
    waiting = await deliverer.readWaiting().catch(() => waiting);
  };
  const round = async (): Promise<boolean> => {
    startedAt = performance.now();
    try {
      const { delivered } = await deliverer.deliver();
      if (failures > 0) log.info("the log's database answers again: log rows are delivered");
      failures = 0;
      return delivered > 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.error({ error }, "log rows can't be written to their database and wait in the other one");
      return false;
    } finally {
      startedAt = Number.POSITIVE_INFINITY;
    }
  };
  const run = async () => {
    while (!isClosed) {
      if ((await round()) || isClosed) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** failures));
      timer.unref();
      await promise;
    }
  };
  const running = run();
  const looking = setInterval(look, LOOK_MS);
  looking.unref();
  return {
    status: () => ({ ...waiting, isAway: failures > 0 || performance.now() - startedAt > SILENT_AFTER_MS }),
    async close() {
      isClosed = true;
      clearInterval(looking);
      wake();
      await running;
    },
  };
}

/** `isBusy`: another process delivers. */
type Round = Readonly<{ delivered: number; isBusy: boolean }>;

/** Delivers round by round. */
export function createDeliverer(main: Pick<Database, "sql">, logs: LogDatabase) {
  /** Deleted in the main database, so nobody can deliver them again. */
  let deleted: readonly string[] = [];
  const deliver = async (): Promise<Round> => {
    await logs.prepare();
    const forgotten = deleted;
    const outcome = await withDeadline(ROUND_MS, () =>
      logs.sql.begin(async (tx) => {
        const [lock] = await tx<{ held: boolean }[]>`select pg_try_advisory_xact_lock(${DELIVERING}) as held`;
        if (!lock?.held) return null;
        // Ids are given out in the order of commits, as exports expect.
        await tx`select pg_advisory_xact_lock(${SETTLING})`;
        await tx`
          delete from log_delivered where id = any(${forgotten as string[]}::uuid[])
            or delivered_at < ${nowSeconds() - MEMORY_S}`;
        return applyAll(tx, await readNext(main.sql));
      }),
    );
    if (!outcome) return { delivered: 0, isBusy: true };
    deleted = [];
    const { applied, refused } = outcome;
    if (applied.length > 0) await main.sql`delete from log_deliveries where id = any(${applied}::uuid[])`;
    deleted = applied;
    for (const { delivery, reason } of refused) await putAside(main.sql, delivery, reason);
    return { delivered: applied.length + refused.length, isBusy: false };
  };
  const readWaiting = async (): Promise<Waiting> => {
    const { rows, oldest, refused } = requireRow(
      await main.sql<{ rows: number; oldest: number | null; refused: number }[]>`
        select coalesce(sum(rows), 0)::bigint as rows, min(created_at) as oldest,
          coalesce(sum(1) filter (where error <> ''), 0)::int as refused from log_deliveries`,
    );
    const oldestSeconds = oldest === null ? 0 : Math.max(0, nowSeconds() - Number(oldest));
    return { waitingRows: Number(rows), oldestSeconds, refused };
  };
  return { deliver, readWaiting };
}

const readNext = (sql: Statements): Promise<Delivery[]> => sql<Delivery[]>`
  select id, place, kind, rows, body from (
    select *, sum(octet_length(body)) over (order by place, id) as bytes
    from (select * from log_deliveries where error = '' order by place, id limit ${MOST_BATCHES}) first
  ) sized where bytes - octet_length(body) < ${MOST_BYTES} order by place, id`;

type Refused = Readonly<{ delivery: Delivery; reason: string }>;

type Transaction = Extract<Statements, { savepoint: unknown }>;

/** Deliveries of one kind; nothing is done for those that the database has already. */
async function applyOnce(tx: Statements, kind: string, deliveries: readonly Delivery[]): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  const rows = await tx<{ id: string }[]>`
    insert into log_delivered (id, delivered_at) select id, ${nowSeconds()}::bigint from unnest(${ids}::uuid[]) id
    on conflict do nothing returning id`;
  const fresh = new Set(rows.map(({ id }) => id));
  const bodies = deliveries.flatMap(({ id, body }) => (fresh.has(id) ? [body] : []));
  if (bodies.length > 0) await applyDeliveries(tx, kind, bodies);
}

/** In the same order, with those together that are written together. */
function groupsOf(deliveries: readonly Delivery[]): (readonly [Delivery, ...Delivery[]])[] {
  const groups: [Delivery, ...Delivery[]][] = [];
  for (const delivery of deliveries) {
    const last = groups.at(-1);
    if (last && isJoined(delivery.kind) && last[0].kind === delivery.kind) last.push(delivery);
    else groups.push([delivery]);
  }
  return groups;
}

/** Rejects when the database is away; a delivery that it refuses does not hold up the others. */
async function applyAll(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<{ applied: string[]; refused: Refused[] }> {
  const applied: string[] = [];
  const refused: Refused[] = [];
  const apply = async (group: readonly [Delivery, ...Delivery[]]) => {
    const [delivery] = group;
    try {
      await tx.savepoint((part) => applyOnce(part, delivery.kind, group));
      applied.push(...group.map(({ id }) => id));
    } catch (error) {
      if (failureOf(error) === "away") throw error;
      if (group.length === 1) refused.push({ delivery, reason: messageOf(error) });
      else for (const one of group) await apply([one]);
    }
  };
  for (const group of groupsOf(deliveries)) await apply(group);
  return { applied, refused };
}

/** A refused delivery of many rows becomes one for each row; a single one waits for a repair, and is counted. */
async function putAside(sql: Statements, { id, rows }: Delivery, reason: string): Promise<void> {
  if (rows <= 1) {
    await sql`update log_deliveries set error = ${reason} where id = ${id}`;
    return;
  }
  // Its place in the order stays: what follows may change these rows.
  await sql`
    with divided as (delete from log_deliveries where id = ${id} returning *)
    insert into log_deliveries (place, kind, rows, body, created_at)
    select place, kind, 1, json_build_array(part)::text, created_at from divided, json_array_elements(body::json) part`;
}
