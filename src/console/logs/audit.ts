import { Elysia, t } from "elysia";
import type { Reads } from "../../../db/server/replica.ts";
import type { Db } from "../../../db/types.ts";
import { type AuditFilter, exportAudit, listAudit } from "../../domain/logs/audit/list-audit.ts";
import { csvFile } from "../http/csv-file.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integerField, pagingQuery, readPaging, timestamp } from "../http/paging.ts";

const text = t.Optional(t.String({ maxLength: 200 }));

const filterQuery = {
  actor: text,
  target: text,
  /** Codes of notes (`LogNote`), separated by dots; entries with these codes match, too. */
  notes: t.Optional(t.String({ maxLength: 4000, pattern: "^[a-z_]+(\\.[a-z_]+)*$" })),
  action: text,
  start_timestamp: timestamp(),
  end_timestamp: timestamp(),
};
const listQuery = t.Object({ ...pagingQuery, order: text, ...filterQuery });

const ownFilter = { member: integerField(), project: integerField(), ...filterQuery };

/** The audit log: what administrators did, and under /self what people changed in the account. */
export const auditRoutes = ({ db, reads }: Readonly<{ db: Db; reads: Reads }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/audit", name: "console/audit" })
    .use(guarded)
    .get(
      "/self",
      async ({ actor, query }) => {
        const { page, pageSize } = readPaging(query, 1);
        const paging = { page, pageSize, oldestFirst: query.order === "asc" };
        const { items, total } = await reads.read((db) => listAudit(db, ownFilterOf(query, actor.id), paging));
        return ok({ items, total, page: page + 1, page_size: pageSize });
      },
      { account: "audit.read", query: t.Object({ ...pagingQuery, order: text, ...ownFilter }) },
    )
    .get("/self/export", ({ actor, query }) => csvFile("audit-log", exportAudit(db, ownFilterOf(query, actor.id))), {
      account: ["audit.read", "exports.download"],
      query: t.Object(ownFilter),
    })
    .guard({ role: "admin" })
    .get(
      "/",
      async ({ query }) => {
        const { page, pageSize } = readPaging(query, 1);
        const oldestFirst = query.order === "asc";
        const { items, total } = await reads.read((db) =>
          listAudit(db, filterOf(query), { page, pageSize, oldestFirst }),
        );
        return ok({ items, total, page: page + 1, page_size: pageSize });
      },
      { query: listQuery },
    )
    .get("/export", ({ query }) => csvFile("audit-log", exportAudit(db, filterOf(query))), {
      query: t.Object(filterQuery),
    });

const ownQuery = t.Object(ownFilter);

/** The filter over one account's entries. Its id comes last, so that no parameter can name another one. */
const ownFilterOf = ({ member, project, ...query }: typeof ownQuery.static, ownerId: number): AuditFilter => ({
  ...filterOf(query),
  ...(member && { memberId: member }),
  ...(project && { projectId: project }),
  ownerId,
});

function filterOf(query: Omit<typeof listQuery.static, "p">): AuditFilter {
  const { actor, target, notes, action, start_timestamp: start, end_timestamp: end } = query;
  return {
    ...(actor && { actor }),
    ...(target && { target }),
    ...(notes && { notes: notes.split(".") }),
    ...(action && { action }),
    ...(start && { start: Math.ceil(start) }),
    ...(end && { end: Math.trunc(end) }),
  };
}
