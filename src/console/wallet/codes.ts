import { Elysia, t } from "elysia";
import type { CodeDeps } from "../../domain/wallet/codes/code-input.ts";
import { createCodes } from "../../domain/wallet/codes/create-codes.ts";
import {
  countCodesByName,
  deleteCode,
  deleteCodesByName,
  deleteDisabledCodes,
} from "../../domain/wallet/codes/delete-codes.ts";
import {
  CODE_SORTS,
  type CodeFilter,
  exportCodes,
  getCode,
  listCodes,
  listCodeUses,
} from "../../domain/wallet/codes/list-codes.ts";
import { disableCodes, setCodeStatus, updateCode } from "../../domain/wallet/codes/update-code.ts";
import { csvFile } from "../http/csv-file.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { integerField, paged, pagedSorted, pagingQuery, sortingQuery } from "../http/paging.ts";

const MOST_IDS = 1000;
const LONGEST_TEXT = 200;
const text = t.String({ maxLength: LONGEST_TEXT });
const window = { valid_from: t.Optional(t.Number()), valid_until: t.Optional(t.Number()) };
const filterQuery = {
  keyword: t.Optional(text),
  status: integerField(),
  type: t.Optional(t.Union([t.Literal("code"), t.Literal("gift"), t.Literal("")])),
};
const listQuery = t.Object({ ...pagingQuery, ...sortingQuery(CODE_SORTS), ...filterQuery });

/** Redemption codes and gift codes, for administrators. */
export function redemptionRoutes(deps: CodeDeps, guarded: ReturnType<typeof guard>) {
  const { db } = deps;
  const list = ({ query }: { query: typeof listQuery.static }) =>
    pagedSorted(CODE_SORTS, query, (page) => listCodes(db, filterOf(query), page));
  return new Elysia({ prefix: "/api/redemption", name: "console/redemptions" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", list, { query: listQuery })
    .get("/search", list, { query: listQuery })
    .get(
      "/export",
      ({ query }) => csvFile("codes", exportCodes(db, filterOf(query), deps.settings.get("QuotaPerUnit"))),
      {
        query: t.Object(filterQuery),
      },
    )
    .get("/count-by-name", async ({ query }) => ok(await countCodesByName(db, query.name)), {
      query: t.Object({ name: text }),
    })
    .get("/:id", async ({ params }) => ok(await getCode(db, params.id)), { params: t.Object({ id }) })
    .get("/:id/uses", ({ params, query }) => paged(query, (page) => listCodeUses(db, params.id, page)), {
      params: t.Object({ id }),
      query: t.Object(pagingQuery),
    })
    .post("/", async ({ actor, body }) => ok(await createCodes(deps, actor, body)), {
      body: t.Object({
        name: t.Optional(text),
        quota: t.Number({ default: 0 }),
        plan_id: t.Optional(t.Nullable(id)),
        count: t.Optional(t.Number()),
        is_gift: t.Optional(t.Boolean()),
        max_uses: t.Optional(t.Number()),
        key: t.Optional(text),
        ...window,
      }),
    })
    .put(
      "/",
      async ({ actor, body, query }) => {
        const { id: codeId, status, ...input } = body;
        if (query.status_only) return ok(await setCodeStatus(db, actor, codeId, status ?? 0));
        return ok(await updateCode(deps, actor, codeId, input));
      },
      {
        body: t.Object({
          id,
          status: t.Optional(integer()),
          name: t.Optional(text),
          quota: t.Optional(t.Number()),
          ...window,
        }),
        query: t.Object({ status_only: t.Optional(t.String()) }),
      },
    )
    .put("/batch-disable", async ({ actor, body }) => ok(await disableCodes(db, actor, body.ids)), {
      body: t.Object({ ids: t.Array(id, { maxItems: MOST_IDS }) }),
    })
    .delete("/delete-disabled", async ({ actor }) => ok(await deleteDisabledCodes(db, actor)))
    .delete("/delete-by-name", async ({ actor, query }) => ok(await deleteCodesByName(db, actor, query.name)), {
      query: t.Object({ name: text }),
    })
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteCode(db, actor, params.id);
        return ok(null);
      },
      { params: t.Object({ id }) },
    );
}

const filterOf = ({ keyword, status, type }: Omit<typeof listQuery.static, "p">): CodeFilter => ({
  ...(keyword && { keyword }),
  ...(status && { status }),
  ...(type && { isGift: type === "gift" }),
});
