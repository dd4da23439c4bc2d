import { Elysia, t } from "elysia";
import { listArchives } from "../../domain/logs/archive/list-archives.ts";
import { testPlace } from "../../domain/logs/archive/place.ts";
import { type ReadDeps, readArchivePage, readArchiveSlices } from "../../domain/logs/archive/read-archive.ts";
import { exportRows } from "../../domain/logs/list/export-logs.ts";
import { languageOf } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { csvFile } from "../http/csv-file.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { pagingQuery, readPaging } from "../http/paging.ts";
import { adminFilter, filterQuery, readCursor } from "./log-filters.ts";

const query = { ...filterQuery, month: t.String({ maxLength: 7, description: "Such as 2026-01 (UTC)." }) };

/** Log rows that fell out of retention, by month, for administrators. */
export const logArchiveRoutes = (services: ReadDeps, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/log-archives", name: "console/log-archives" })
    .use(guarded)
    .get("/", async () => ok(await listArchives(services.db)), { role: "admin" })
    .post(
      "/test",
      async ({ request }) => {
        await testPlace(services, languageOf(request));
        return done(request, "archive_place_works");
      },
      { role: "root" },
    )
    .get(
      "/rows",
      async ({ query: input }) => {
        const { pageSize } = readPaging(input, 1);
        const before = input.before ? { before: readCursor(input.before) } : {};
        const found = { month: readMonth(input.month), filter: adminFilter(input), ...before };
        const { items, next } = await readArchivePage(services, found, pageSize);
        return ok({ items, next: next && `${next.createdAt}-${next.id}` });
      },
      { role: "admin", query: t.Object({ ...query, ...pagingQuery, before: t.Optional(t.String()) }) },
    )
    .get(
      "/export",
      ({ query: input }) => {
        const found = { month: readMonth(input.month), filter: adminFilter(input) };
        return csvFile(`usage-log-${input.month}`, exportRows(readArchiveSlices(services, found), "admin"));
      },
      { role: "admin", query: t.Object(query) },
    );

/** Epoch seconds at which the month begins. Throws OperationError. */
function readMonth(text: string): number {
  const start = /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? Date.parse(`${text}-01T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start)) throw new OperationError("archive_month_invalid");
  return start / 1000;
}
