import { Elysia, t } from "elysia";
import type { Acting } from "../../domain/accounts/organizations/members/acting.ts";
import { createLeakReports } from "../../domain/alerts/leaks/leak-reports.ts";
import { createApiKey, createApiKeys, rotateToken } from "../../domain/api-keys/create-api-key.ts";
import { getToken, listTokens, TOKEN_SORTS, type TokenFilter } from "../../domain/api-keys/list-api-keys.ts";
import { type ApiKeyDeps, keyOwner } from "../../domain/api-keys/operation.ts";
import { deleteToken, setTokenStatus, updateToken } from "../../domain/api-keys/update-api-key.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { bytesUpTo } from "../../lib/http/limited-body.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { integerField, pagedRows, pagingQuery, readSorting, sortingQuery } from "../http/paging.ts";

const LONGEST_LIST = 20_000;
const MOST_MODELS = 2000;
export const tokenBody = {
  name: t.Optional(t.String()),
  remain_quota: t.Optional(t.Number()),
  unlimited_quota: t.Optional(t.Boolean()),
  expired_time: t.Optional(t.Number()),
  model_limits_enabled: t.Optional(t.Boolean()),
  model_limits: t.Optional(
    t.Union([t.String({ maxLength: LONGEST_LIST }), t.Array(t.String({ maxLength: 255 }), { maxItems: MOST_MODELS })]),
  ),
  allow_ips: t.Optional(t.Union([t.String({ maxLength: LONGEST_LIST }), t.Null()])),
  group: t.Optional(t.String()),
  strict: t.Optional(t.Boolean()),
  requests_per_minute: t.Optional(t.Number()),
  tokens_per_minute: t.Optional(t.Number()),
  budget_period: t.Optional(t.String({ maxLength: 10 })),
  budget_quota: t.Optional(t.Number()),
  project_id: t.Optional(integer({ minimum: 0, maximum: 2_147_483_647 })),
};
/** Clients of the older search API send no page size, so the default covers most accounts. */
const SEARCH_SIZE = 100;
const listQuery = t.Object({
  ...pagingQuery,
  ...sortingQuery(TOKEN_SORTS),
  keyword: t.Optional(t.String()),
  token: t.Optional(t.String()),
  status: integerField(),
  project_id: integerField(),
  group: t.Optional(t.String()),
});

/** API keys of the account that the request acts for; keys of other accounts are never reachable. */
export function apiKeyRoutes(services: ApiKeyDeps, guarded: ReturnType<typeof guard>) {
  const list = ({ query, ...acting }: Acting & { query: typeof listQuery.static }, defaultSize?: number) =>
    pagedRows(
      query,
      (page) =>
        listTokens(services, keyOwner(acting), filterOf(query), { ...page, ...readSorting(TOKEN_SORTS, query) }),
      defaultSize,
    );
  return new Elysia({ prefix: "/api/token", name: "console/tokens" })
    .use(guarded)
    .get("/", (context) => list(context), { account: "keys.read", query: listQuery })
    .get("/search", (context) => list(context, SEARCH_SIZE), { account: "keys.read", query: listQuery })
    .get("/:id", async (context) => ok(await getToken(services, keyOwner(context), context.params.id)), {
      account: "keys.read",
      params: t.Object({ id }),
    })
    .post(
      "/",
      async ({ body: { count, ...input }, ...acting }) => {
        const owner = keyOwner(acting);
        const created =
          count === undefined ? createApiKey(services, owner, input) : createApiKeys(services, owner, input, count);
        return ok(await created);
      },
      { account: "keys.write", body: t.Object({ ...tokenBody, count: t.Optional(t.Number()) }) },
    )
    .put(
      "/",
      async ({ body, query, ...acting }) => {
        const { id: tokenId, status, ...input } = body;
        const owner = keyOwner(acting);
        if (query.status_only) return ok(await setTokenStatus(services, owner, tokenId, status ?? 0));
        return ok(await updateToken(services, owner, tokenId, input));
      },
      {
        account: "keys.write",
        body: t.Object({ id, status: t.Optional(integer()), ...tokenBody }),
        query: t.Object({ status_only: t.Optional(t.String()) }),
      },
    )
    .post(
      "/:id/rotate",
      async ({ params, body, ...acting }) =>
        ok(await rotateToken(services, keyOwner(acting), params.id, body.grace_seconds, nowSeconds())),
      { account: "keys.write", params: t.Object({ id }), body: t.Object({ grace_seconds: integer({ minimum: 0 }) }) },
    )
    .delete(
      "/:id",
      async ({ params, ...acting }) => {
        await deleteToken(services, keyOwner(acting), params.id);
        return ok(null);
      },
      { account: "keys.write", params: t.Object({ id }) },
    );
}

function filterOf({ keyword, token, status, project_id: projectId, group }: typeof listQuery.static): TokenFilter {
  return {
    ...(keyword && { keyword }),
    ...(token && { key: token }),
    ...(status && { status }),
    ...(projectId && { projectId }),
    ...(group && { group }),
  };
}

const LARGEST_REPORT_BYTES = 262_144;

/** Reports of scanners that found API keys in public: unauthenticated, verified by their signature. */
export function keyLeakRoutes(services: Parameters<typeof createLeakReports>[0]) {
  const takeReport = createLeakReports(services);
  return new Elysia({ prefix: "/api", name: "console/key-leaks" }).post(
    "/key-leaks/report",
    async ({ request }) => {
      const bytes = await bytesUpTo(request, LARGEST_REPORT_BYTES);
      if (!bytes) return respond({ message: "The report is too large." }, 413);
      const outcome = await takeReport({
        body: Buffer.from(bytes).toString("utf8"),
        keyId: request.headers.get("github-public-key-identifier") ?? "",
        signature: request.headers.get("github-public-key-signature") ?? "",
      });
      switch (outcome) {
        case "off":
          return respond({ message: "This site takes no reports." }, 404);
        case "refused":
          return respond({ message: "The signature or the body is not valid." }, 400);
        case "unavailable":
          return respond({ message: "The keys to verify the signature can't be read. Try again later." }, 503);
        default:
          return respond(outcome, 200);
      }
    },
    { parse: "none" },
  );
}

const respond = (body: unknown, status: number): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store" } });
