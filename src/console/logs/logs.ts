import { Elysia, t } from "elysia";
import { dropLogsBefore } from "../../../db/maintenance/partitions.ts";
import { logDatabaseOf, logOf } from "../../../db/server/log-database.ts";
import type { Reads } from "../../../db/server/replica.ts";
import type { Database, Db } from "../../../db/types.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ApiKeyDirectory } from "../../domain/api-keys/directory/index.ts";
import { type ClearedLine, clearLogs } from "../../domain/logs/list/clear-logs.ts";
import { exportLogs } from "../../domain/logs/list/export-logs.ts";
import { readLogs, searchLogs, totalLogs, type Viewer } from "../../domain/logs/list/list-logs.ts";
import { readRescued } from "../../domain/logs/list/read-rescued.ts";
import type { CallFeed } from "../../domain/logs/live/call-feed.ts";
import { type LiveCalls, streamCalls } from "../../domain/logs/live/stream-calls.ts";
import { type LogFilter, resolveFilter } from "../../domain/logs/log-filter.ts";
import { readHistogram } from "../../domain/logs/usage/read-histogram.ts";
import { readStat } from "../../domain/logs/usage/usage-sums.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Streamed } from "../../lib/http/sse.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { apiKeyLogRoutes } from "../api-keys/api-key-log.ts";
import { csvFile } from "../http/csv-file.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";
import { pagingQuery, readPaging, timestamp } from "../http/paging.ts";
import { adminFilter, filterQuery, ownFilter, type Reader, readCursor } from "./log-filters.ts";

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
const MOST_RESCUED = 20;

const text = t.Optional(t.String());
const query = t.Object(filterQuery);
const listQuery = t.Object({ ...filterQuery, ...pagingQuery, before: text, as_of: text });
const searchQuery = t.Object({ keyword: text });

/** The usage log: all users' for administrators, the caller's own under /self. */
export function logRoutes(
  services: Readonly<{ database: Database; reads: Reads; tokens: ApiKeyDirectory; settings: SettingsReader }>,
  guarded: ReturnType<typeof guard>,
) {
  const { database, reads, tokens } = services;
  const { db } = database;
  const logDb = logOf(db);
  const list = async (db: Db, filter: LogFilter, input: typeof listQuery.static, viewer: Viewer) => {
    const { page, pageSize } = readPaging(input, 1);
    const places = {
      ...(input.before && { before: readCursor(input.before) }),
      ...(input.as_of && { asOf: readCursor(input.as_of) }),
    };
    const total = await totalLogs(db, filter);
    // A search without a match would scan the whole log.
    const items = total === 0 ? [] : await readLogs(db, filter, { page, pageSize, ...places }, viewer);
    return ok({ items, total, page: page + 1, page_size: pageSize });
  };
  const find = async (keyword: string, viewer: Viewer, filter: LogFilter = {}) =>
    ok(await reads.read(async (db) => searchLogs(db, keyword.trim(), await resolveFilter(db, filter), viewer)));
  const csv = (filter: LogFilter, viewer: Viewer) =>
    csvFile("usage-log", exportLogs(logDb, filter, viewer, services.settings.get("QuotaPerUnit")));
  const histogram = async (db: Db, filter: LogFilter) => {
    const end = filter.end ?? nowSeconds();
    return ok(await readHistogram(db, { ...filter, start: filter.start ?? end - DAY_S, end }));
  };
  const everybody = (db: Db, input: typeof query.static) => resolveFilter(db, adminFilter(input));
  const own = (db: Db, input: typeof query.static, acting: Reader) => resolveFilter(db, ownFilter(input, acting));
  const deleteBefore = async (actor: UserEntry, until: number) => {
    const target = checkedTarget(until);
    const cleared = await dropLogsBefore(database, target);
    const logDatabase = logDatabaseOf(database);
    const deleted = logDatabase === database ? cleared : await dropLogsBefore(logDatabase, target);
    await writeClearing(db, actor, deleted, target);
    return deleted;
  };
  return new Elysia({ prefix: "/api/log", name: "console/logs" })
    .use(apiKeyLogRoutes({ reads, tokens }))
    .use(guarded)
    .get(
      "/",
      ({ query: filters }) => reads.read(async (db) => list(db, await everybody(db, filters), filters, "admin")),
      {
        role: "admin",
        query: listQuery,
      },
    )
    .get(
      "/self",
      ({ query: filters, ...acting }) =>
        reads.read(async (db) => list(db, await own(db, filters, acting), filters, "owner")),
      {
        account: "requests.read",
        query: listQuery,
      },
    )
    .get("/search", ({ query: { keyword = "" } }) => find(keyword, "admin"), {
      role: "admin",
      query: searchQuery,
    })
    .get("/self/search", ({ query: { keyword = "" }, ...acting }) => find(keyword, "owner", ownFilter({}, acting)), {
      account: "requests.read",
      query: searchQuery,
    })
    .get(
      "/rescued",
      async ({ query: { channel } }) =>
        ok(await reads.read((db) => readRescued(db, channel, nowSeconds() - WEEK_S, MOST_RESCUED))),
      { role: "admin", query: t.Object({ channel: rowId }) },
    )
    .get(
      "/stat",
      async ({ query: filters }) => ok(await reads.read(async (db) => readStat(db, await everybody(db, filters)))),
      { role: "admin", query },
    )
    .get(
      "/self/stat",
      async ({ query: filters, ...acting }) =>
        ok(await reads.read(async (db) => readStat(db, await own(db, filters, acting)))),
      {
        account: "usage.read",
        query,
      },
    )
    .get("/histogram", ({ query: filters }) => reads.read(async (db) => histogram(db, await everybody(db, filters))), {
      role: "admin",
      query,
    })
    .get(
      "/self/histogram",
      ({ query: filters, ...acting }) => reads.read(async (db) => histogram(db, await own(db, filters, acting))),
      { account: "usage.read", query },
    )
    .get("/export", async ({ query: filters }) => csv(await everybody(logDb, filters), "admin"), {
      role: "admin",
      query,
    })
    .get("/self/export", async ({ query: filters, ...acting }) => csv(await own(logDb, filters, acting), "owner"), {
      account: ["requests.read", "exports.download"],
      query,
    })
    .delete("/", async ({ actor, query: { target_timestamp: target } }) => ok(await deleteBefore(actor, target || 0)), {
      role: "admin",
      query: t.Object({ target_timestamp: timestamp() }),
    })
    .post(
      "/clear",
      ({ actor, body }): Streamed<ClearedLine> => {
        const target = checkedTarget(body.target_timestamp);
        const steps = clearLogs(database, target, (deleted) => writeClearing(db, actor, deleted, target));
        return new Response(steps, {
          headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" },
        });
      },
      { role: "admin", body: t.Object({ target_timestamp: t.Number() }) },
    );
}

/** The second up to which to delete, at most now, because browser clocks run slightly ahead. Throws OperationError. */
function checkedTarget(target: number): number {
  const now = nowSeconds();
  if (target <= 0) throw new OperationError("log_target_time_required");
  // A time in milliseconds, sent by mistake, would delete everything.
  if (target > now + CLOCK_TOLERANCE_S) throw new OperationError("log_target_time_future");
  return Math.min(Math.trunc(target), now);
}

const CLOCK_TOLERANCE_S = 60;

const writeClearing = (db: Db, actor: UserEntry, deleted: number, target: number): Promise<void> =>
  writeManagementLog(db, actor, `Deleted ${deleted} log rows older than ${new Date(target * 1000).toISOString()}`, {
    note: { code: "logs_deleted", params: { count: deleted, time: target } },
    action: "delete",
    after: { deleted },
  });

/** Requests as they happen, as server-sent events. */
export const liveRoutes = (
  services: Readonly<{ database: Database; feed: CallFeed; log: Logger }>,
  guarded: ReturnType<typeof guard>,
) =>
  new Elysia({ prefix: "/api/live", name: "console/live" }).use(guarded).get(
    "/calls",
    (): Streamed<LiveCalls> =>
      new Response(streamCalls(services), {
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-store",
          "x-accel-buffering": "no",
        },
      }),
    { role: "admin" },
  );
