import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Statements } from "../../../db/types.ts";
import type { Billing } from "../../../src/billing/billing.ts";
import type { RecordSink } from "../../../src/billing/journal/pump.ts";
import type { ReserveRequest } from "../../../src/billing/ledger/ledger.ts";
import { moveQuota } from "../../../src/billing/ledger/transfer.ts";
import type { UsageRecord } from "../../../src/billing/types.ts";
import { createLogger } from "../../../src/lib/runtime/log.ts";

/** For tests of this room only: accounts to charge, records to charge them with, and the sums that must agree. */

type Sql = Database["sql"];

export const silentLog = createLogger({ logLevel: "silent", logFormat: "json" });

export const NOW = Math.floor(Date.now() / 1000);

export async function addUser(sql: Sql, quota: number): Promise<number> {
  const name = Bun.randomUUIDv7();
  const [row] = await sql<{ id: number }[]>`
    insert into users (username, aff_code, quota, created_at) values (${name}, ${name}, ${quota}, ${NOW}) returning id`;
  return row?.id as number;
}

export async function addToken(sql: Sql, userId: number, remainQuota: number | null): Promise<number> {
  const hash = Bun.randomUUIDv7();
  const [row] = await sql<{ id: number }[]>`
    insert into tokens (user_id, name, key_hash, key_cipher, remain_quota, unlimited_quota, created_time)
    values (${userId}, 'test', ${hash}, '', ${remainQuota ?? 0}, ${remainQuota === null}, ${NOW}) returning id`;
  return row?.id as number;
}

/** A budget of the organization `organizationId`, for anything in it. */
export async function addBudget(sql: Sql, organizationId: number, limit: number, isHard = true): Promise<number> {
  const scopeId = Math.floor(Math.random() * 2_000_000_000);
  const [row] = await sql<{ id: number }[]>`
    insert into budgets (organization_id, scope, scope_id, period, is_hard, limit_units, remaining, period_start, created_at)
    values (${organizationId}, 'project', ${scopeId}, 'total', ${isHard}, ${limit}, ${limit}, ${NOW}, ${NOW}) returning id`;
  return row?.id as number;
}

/** A running plan of `userId` that includes so many calls; answers their budget. */
export async function addIncludedCalls(sql: Sql, userId: number, calls: number): Promise<number> {
  const end = NOW + 30 * 86_400;
  const [row] = await sql<{ id: number }[]>`
    with plan as (
      insert into plans (name, price, period, window_quota, "window", window_calls, created_at)
      values ('Calls', 0, 'month', 0, '5h', ${calls}, ${NOW}) returning id
    ),
    subscription as (
      insert into subscriptions (user_id, plan_id, status, paid, started_at, period_start, period_end, window_start,
        window_end, rolling_seconds, is_window_open, remaining, window_calls, calls_left)
      select ${userId}, id, 'active', 0, ${NOW}, ${NOW}, ${end}, ${NOW}, ${end}, 18000, false, 0, ${calls}, ${calls}
      from plan returning id
    )
    insert into budgets (organization_id, scope, scope_id, period, is_hard, limit_units, remaining, period_start, created_at)
    select ${userId}, 'calls', id, 'total', true, ${calls}, ${calls}, ${NOW}, ${NOW} from subscription returning id`;
  return row?.id as number;
}

/** What is left of included calls, by their window and by the ledger, and how many receipts name one. */
export async function includedBooks(sql: Sql, budget: number) {
  const [row] = await sql<Record<"left" | "remaining" | "held" | "used" | "calls", number>[]>`
    select s.calls_left as left, b.remaining::int, b.held::int, s.window_calls as calls,
      (select count(distinct d ->> 'call')::int from logs l, json_array_elements(l.other::json -> 'plan_draws') d
        where l.user_id = s.user_id and l.type = 2 and (d ->> 'subscription')::int = s.id) as used
    from budgets b join subscriptions s on s.id = b.scope_id where b.id = ${budget}`;
  return { ...(row as NonNullable<typeof row>) };
}

export async function budgetBooks(sql: Sql, id: number) {
  const [row] = await sql<Record<"remaining" | "held" | "spent", number>[]>`
    select remaining, held, spent from budgets where id = ${id}`;
  return { ...(row as NonNullable<typeof row>) };
}

export async function addChannel(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into channels (type, name, key_cipher, created_time) values (1, 'test', '', ${NOW}) returning id`;
  return row?.id as number;
}

type Values = Partial<Omit<UsageRecord, "other">> &
  Pick<UsageRecord, "userId"> & { other?: Partial<UsageRecord["other"]> };

/** A record of one call that came to `quota`. */
export function usageRecord(values: Values): UsageRecord {
  const requestId = values.requestId ?? Bun.randomUUIDv7();
  return {
    createdAt: NOW,
    username: "tester",
    tokenId: 0,
    tokenName: "",
    tokenLimited: false,
    modelName: "gpt-4o",
    channelId: 0,
    group: "default",
    isStream: true,
    failed: false,
    elapsedMs: 1234,
    promptTokens: 10,
    completionTokens: 20,
    quota: 100,
    ip: "127.0.0.1",
    content: "",
    ...values,
    requestId,
    other: { request_id: requestId, model_ratio: 1.25, ...values.other },
  };
}

/** What `request` reserves, charged with `quota`. */
export const chargeFor = ({ userId, token, budgets }: Omit<ReserveRequest, "amount">, quota: number): UsageRecord =>
  usageRecord({
    ...{ userId, tokenId: token?.id ?? 0, tokenLimited: token?.limited ?? false, quota },
    ...(budgets && { budgets, other: { budgets: budgets.map(namedBudget) } }),
  });

const namedBudget = (id: number) => ({ id, scope: "project", name: "", period: "total" });

/** The books of one user: what is left, what is set aside, and what counters, log and roll-ups say was taken. */
export async function booksOf(sql: Statements, userId: number) {
  const [row] = await sql<
    Record<"quota" | "held" | "used" | "requests" | "logged" | "rows" | "uncovered" | "rolledUp", number>[]
  >`
    select u.quota, u.held, u.used_quota as used, u.request_count as requests,
      (select coalesce(sum(quota), 0)::bigint from logs where user_id = u.id) as logged,
      (select count(*)::int from logs where user_id = u.id) as rows,
      (select coalesce(sum(uncovered), 0)::bigint from logs where user_id = u.id) as uncovered,
      (select coalesce(sum(quota), 0)::bigint from usage_rollups where user_id = u.id) as "rolledUp"
    from users u where id = ${userId}`;
  return { ...(row as NonNullable<typeof row>) };
}

export async function tokenBooks(sql: Statements, tokenId: number) {
  const [row] = await sql<Record<"remain" | "held" | "used" | "logged", number>[]>`
    select t.remain_quota as remain, t.held, t.used_quota as used,
      (select coalesce(sum(quota), 0)::bigint from logs where token_id = t.id) as logged
    from tokens t where id = ${tokenId}`;
  return { ...(row as NonNullable<typeof row>) };
}

/** A sink of journal records that takes all and keeps nothing, but for what is given. */
export const fakeSink = (parts: Partial<RecordSink>): RecordSink => ({
  apply: async () => {},
  applyWithoutRow: async () => {},
  reject: async () => {},
  takesOthers: async () => true,
  findSetAside: async () => null,
  ...parts,
});

/** Moves quota where no call holds any. */
export const transferDirectly: Billing["transfer"] = (db, transfer, work) =>
  db.transaction(async (tx) => {
    await moveQuota(tx, "test", transfer);
    await work(tx);
  });

/** A directory that goes away with the test. */
export async function temporaryDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "sluice-billing-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** What a connection does with statements. */
export type Connection = "works" | "refuses" | "loses the answer";

const connectionLost = () => Object.assign(new Error("connection lost"), { code: "CONNECTION_CLOSED" });

/** The driver, over a connection that can be cut. What is only a part of another statement is never waited for. */
export function cuttable(sql: Sql, connection: () => Connection): Sql {
  return new Proxy(sql, {
    apply(target, self, args: [unknown, ...unknown[]]) {
      const query = Reflect.apply(target, self, args);
      const isStatement = Array.isArray(args[0]) && "raw" in args[0];
      const now = connection();
      if (!isStatement || now === "works") return query;
      const send = (query as Promise<unknown>).then.bind(query);
      const lose = () => Promise.reject(connectionLost());
      const lost: Promise<unknown>["then"] = (done, failed) =>
        (now === "loses the answer" ? send(lose) : lose()).then(done, failed);
      return new Proxy(query, { get: (inner, key) => (key === "then" ? lost : Reflect.get(inner, key)) });
    },
  });
}
