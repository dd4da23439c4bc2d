import { Elysia, t } from "elysia";
import { dropLogsBefore } from "../../db/partitions.ts";
import type { Database } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { OperationError } from "../lib/operation-error.ts";
import { exportLogs } from "../logs/export-logs.ts";
import { type LogCursor, readLogs, totalLogs, type Viewer } from "../logs/list-logs.ts";
import type { LogFilter } from "../logs/log-filter.ts";
import { readHistogram } from "../logs/read-histogram.ts";
import { readStat } from "../logs/usage-sums.ts";
import { writeManagementLog } from "../logs/write-log.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";
import { pagingQuery, readPaging } from "./paging.ts";

const DAY_S = 86_400;

const text = t.Optional(t.String());
const number = t.Optional(t.Numeric());
const filterQuery = {
  type: number,
  token_name: text,
  token_id: number,
  model_name: text,
  group: text,
  request_id: text,
  failed: text,
  start_timestamp: number,
  end_timestamp: number,
  username: text,
  channel: number,
  user_id: number,
};
const query = t.Object(filterQuery);
const listQuery = t.Object({ ...filterQuery, ...pagingQuery, before: text });

/** The usage log: everybody's for administrators, one's own under /self. */
export function logRoutes(services: Readonly<{ database: Database }>, guarded: ReturnType<typeof guard>) {
  const { database } = services;
  const { db } = database;
  const list = async (filter: LogFilter, given: typeof listQuery.static, viewer: Viewer) => {
    const { page, pageSize } = readPaging(given, 1);
    const before = given.before ? readCursor(given.before) : undefined;
    const [items, total] = await Promise.all([
      readLogs(db, filter, { page, pageSize, ...(before && { before }) }, viewer),
      totalLogs(db, filter),
    ]);
    return ok({ items, total, page: page + 1, page_size: pageSize });
  };
  const csv = (filter: LogFilter, viewer: Viewer) =>
    new Response(exportLogs(db, filter, viewer), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="usage-log-${new Date().toISOString().slice(0, 10)}.csv"`,
        "cache-control": "no-store",
      },
    });
  const histogram = async (filter: LogFilter) => {
    const end = filter.end ?? nowSeconds();
    return ok(await readHistogram(db, { ...filter, start: filter.start ?? end - DAY_S, end }));
  };
  return new Elysia({ prefix: "/api/log", name: "console/logs" })
    .use(guarded)
    .get("/", ({ query: given }) => list(adminFilter(given), given, "admin"), { role: "admin", query: listQuery })
    .get("/self", ({ actor, query: given }) => list(ownFilter(given, actor.id), given, "owner"), {
      role: "user",
      query: listQuery,
    })
    .get("/stat", async ({ query: given }) => ok(await readStat(db, adminFilter(given))), { role: "admin", query })
    .get("/self/stat", async ({ actor, query: given }) => ok(await readStat(db, ownFilter(given, actor.id))), {
      role: "user",
      query,
    })
    .get("/histogram", ({ query: given }) => histogram(adminFilter(given)), { role: "admin", query })
    .get("/self/histogram", ({ actor, query: given }) => histogram(ownFilter(given, actor.id)), { role: "user", query })
    .get("/export", ({ query: given }) => csv(adminFilter(given), "admin"), { role: "admin", query })
    .get("/self/export", ({ actor, query: given }) => csv(ownFilter(given, actor.id), "owner"), { role: "user", query })
    .delete(
      "/",
      async ({ actor, query: { target_timestamp: target } }) => {
        if (!target || target <= 0) throw new OperationError("log_target_time_required");
        const deleted = await dropLogsBefore(database, Math.trunc(target));
        await writeManagementLog(
          db,
          actor,
          `Deleted ${deleted} log rows older than ${new Date(target * 1000).toISOString()}`,
        );
        return ok(deleted);
      },
      { role: "admin", query: t.Object({ target_timestamp: number }) },
    );
}

function commonFilter(given: typeof query.static): LogFilter {
  const { type, token_name, token_id, model_name, group, request_id, failed, start_timestamp, end_timestamp } = given;
  return {
    ...(type && { type: Math.trunc(type) }),
    ...(token_name && { tokenName: token_name }),
    ...(token_id !== undefined && { tokenId: Math.trunc(token_id) }),
    ...(model_name && { modelName: model_name }),
    ...(group && { group }),
    ...(request_id && { requestId: request_id.trim() }),
    ...((failed === "true" || failed === "false") && { failed: failed === "true" }),
    ...(start_timestamp && { start: Math.trunc(start_timestamp) }),
    ...(end_timestamp && { end: Math.trunc(end_timestamp) }),
  };
}

function adminFilter(given: typeof query.static): LogFilter {
  return {
    ...commonFilter(given),
    ...(given.username && { username: given.username }),
    ...(given.channel && { channelId: Math.trunc(given.channel) }),
    ...(given.user_id && { userId: Math.trunc(given.user_id) }),
  };
}

/** The caller's id comes last: no parameter can name another user. */
const ownFilter = (given: typeof query.static, userId: number): LogFilter => ({ ...commonFilter(given), userId });

function readCursor(given: string): LogCursor {
  const match = /^(\d{1,12})-(\d{1,16})$/.exec(given);
  if (!match) throw new OperationError("log_cursor_invalid");
  return { createdAt: Number(match[1]), id: Number(match[2]) };
}
