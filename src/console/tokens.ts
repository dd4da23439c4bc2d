import { Elysia, t } from "elysia";
import { createToken } from "../tokens/create-token.ts";
import { getToken, listTokens, type TokenFilter } from "../tokens/list-tokens.ts";
import type { TokenDeps } from "../tokens/operation.ts";
import { deleteToken, setTokenStatus, updateToken } from "../tokens/update-token.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";
import { pagingQuery, readPaging } from "./paging.ts";

const id = t.Integer({ minimum: 1, maximum: 2_147_483_647 });
const tokenBody = {
  name: t.Optional(t.String()),
  remain_quota: t.Optional(t.Number()),
  unlimited_quota: t.Optional(t.Boolean()),
  expired_time: t.Optional(t.Number()),
  model_limits_enabled: t.Optional(t.Boolean()),
  model_limits: t.Optional(t.Union([t.String(), t.Array(t.String())])),
  allow_ips: t.Optional(t.Union([t.String(), t.Null()])),
  group: t.Optional(t.String()),
};
const listQuery = t.Object({
  ...pagingQuery,
  keyword: t.Optional(t.String()),
  token: t.Optional(t.String()),
  status: t.Optional(t.Numeric()),
  group: t.Optional(t.String()),
});

/** API keys of the caller; nobody reaches another's. */
export function tokenRoutes(services: TokenDeps, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/token", name: "console/tokens" })
    .use(guarded)
    .guard({ role: "user" })
    .get(
      "/",
      async ({ actor, query }) => {
        const paging = readPaging(query, 0);
        const { items, total } = await listTokens(services, actor, filterOf(query), paging);
        return { ...ok(items), total, page: paging.page, page_size: paging.pageSize };
      },
      { query: listQuery },
    )
    .get(
      "/search",
      async ({ actor, query }) => {
        const paging = { ...readPaging(query, 0), ...(query.size || query.page_size ? {} : { pageSize: 100 }) };
        const { items, total } = await listTokens(services, actor, filterOf(query), paging);
        return { ...ok(items), total, page: paging.page, page_size: paging.pageSize };
      },
      { query: listQuery },
    )
    .get("/:id", async ({ actor, params }) => ok(await getToken(services, actor, params.id)), {
      params: t.Object({ id }),
    })
    .post("/", async ({ actor, body }) => ok(await createToken(services, actor, body)), { body: t.Object(tokenBody) })
    .put(
      "/",
      async ({ actor, body, query }) => {
        const { id: tokenId, status, ...input } = body;
        if (query.status_only) return ok(await setTokenStatus(services, actor, tokenId, status ?? 0));
        return ok(await updateToken(services, actor, tokenId, input));
      },
      {
        body: t.Object({ id, status: t.Optional(t.Integer()), ...tokenBody }),
        query: t.Object({ status_only: t.Optional(t.String()) }),
      },
    )
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteToken(services, actor, params.id);
        return ok(null);
      },
      { params: t.Object({ id }) },
    );
}

function filterOf({ keyword, token, status, group }: typeof listQuery.static): TokenFilter {
  return {
    ...(keyword && { keyword }),
    ...(token && { key: token }),
    ...(status && { status }),
    ...(group && { group }),
  };
}
