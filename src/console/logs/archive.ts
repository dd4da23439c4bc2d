import { Elysia, t } from "elysia";
import { logOf } from "../../../db/server/log-database.ts";
import type { UserEntry } from "../../domain/accounts/directory.ts";
import { listArchives } from "../../domain/logs/archive/list-archives.ts";
import { testPlace } from "../../domain/logs/archive/place.ts";
import { type ReadDeps, readArchivePage, readArchiveSlices } from "../../domain/logs/archive/read-archive.ts";
import { exportRows } from "../../domain/logs/list/export-logs.ts";
import type { Viewer } from "../../domain/logs/list/list-logs.ts";
import type { LogFilter } from "../../domain/logs/log-filter.ts";
import { createLimiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import { languageOf } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { createSerial } from "../../lib/runtime/serial.ts";
import { csvFile } from "../http/csv-file.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { pagingQuery, readPaging } from "../http/paging.ts";
import { refuseTooMany } from "../http/rate-limit.ts";
import { adminFilter, filterQuery, ownFilter, readCursor } from "./log-filters.ts";

const query = { ...filterQuery, month: t.String({ maxLength: 7, description: "Such as 2026-01 (UTC)." }) };

const rowsQuery = t.Object({ ...query, ...pagingQuery, before: t.Optional(t.String()) });

/** How often an account may begin to read an archive, which takes seconds of CPU. */
const OWN_READS = { count: 30, windowMs: 60_000 };

/** Log rows that fell out of retention, by month: all users' for administrators, the caller's own under /self. */
export function logArchiveRoutes(
  services: ReadDeps & Readonly<{ sharedLimits: SharedLimits | null }>,
  guarded: ReturnType<typeof guard>,
) {
  const archives = { ...services, db: logOf(services.db) };
  const ownReads = createLimiter(services.sharedLimits, "archive-reads", OWN_READS);
  // Those of users are read one after the other: an archive may be much larger than what is theirs.
  const inTurn = createSerial();
  const countOwnRead = async (actor: UserEntry) => {
    refuseTooMany(await ownReads.take(String(actor.id)));
  };
  const readPage = async (input: typeof rowsQuery.static, filter: LogFilter, viewer: Viewer) => {
    const { pageSize } = readPaging(input, 1);
    const before = input.before ? { before: readCursor(input.before) } : {};
    const found = { month: readMonth(input.month), filter, ...before };
    const { items, next } = await readArchivePage(archives, found, pageSize, viewer);
    return ok({ items, next: next && `${next.createdAt}-${next.id}` });
  };
  const csv = (month: string, filter: LogFilter, viewer: Viewer) =>
    csvFile(
      `usage-log-${month}`,
      exportRows(
        readArchiveSlices(archives, { month: readMonth(month), filter }, viewer),
        viewer,
        services.settings.get("QuotaPerUnit"),
      ),
    );
  return new Elysia({ prefix: "/api/log-archives", name: "console/log-archives" })
    .use(guarded)
    .get("/", async () => ok(await listArchives(archives.db)), { role: "admin" })
    .get("/self", async () => ok((await listArchives(archives.db)).map(({ month }) => ({ month }))), {
      account: "requests.read",
    })
    .post(
      "/test",
      async ({ request }) => {
        await testPlace(services, languageOf(request));
        return done(request, "archive_place_works");
      },
      { role: "root" },
    )
    .get("/rows", ({ query: input }) => readPage(input, adminFilter(input), "admin"), {
      role: "admin",
      query: rowsQuery,
    })
    .get(
      "/self/rows",
      async ({ query: input, ...acting }) => {
        await countOwnRead(acting.actor);
        return inTurn(() => readPage(input, ownFilter(input, acting), "owner"));
      },
      { account: "requests.read", query: rowsQuery },
    )
    .get("/export", ({ query: input }) => csv(input.month, adminFilter(input), "admin"), {
      role: "admin",
      query: t.Object(query),
    })
    .get(
      "/self/export",
      async ({ query: input, ...acting }) => {
        await countOwnRead(acting.actor);
        return csv(input.month, ownFilter(input, acting), "owner");
      },
      { account: ["requests.read", "exports.download"], query: t.Object(query) },
    );
}

/** Epoch seconds at which the month begins. Throws OperationError. */
function readMonth(text: string): number {
  const start = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Date.parse(`${text}-01T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start)) throw new OperationError("archive_month_invalid");
  return start / 1000;
}
