import { Elysia, t } from "elysia";
import { mainOf } from "../../../db/server/log-database.ts";
import type { Reads } from "../../../db/server/replica.ts";
import { checkKeyLog } from "../../domain/api-keys/check-key-log.ts";
import type { ApiKeyDirectory, ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { keyForms } from "../../domain/api-keys/directory/key-hash.ts";
import { readLogs, totalLogs } from "../../domain/logs/list/list-logs.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { ok } from "../http/envelope.ts";
import { pagingQuery, readPaging } from "../http/paging.ts";

const PAGE_SIZE = 100;
const ANY_ORIGIN = { "access-control-allow-origin": "*" };

/**
 * The log of one API key, for whoever has the key: key look-up pages on other sites call it without a login. The key
 * comes in the query or as `Authorization: Bearer`. Mounted under /api/log.
 */
export function apiKeyLogRoutes({ reads, tokens }: Readonly<{ reads: Reads; tokens: ApiKeyDirectory }>) {
  return new Elysia({ name: "console/token-log" })
    .get(
      "/token",
      async ({ query, request, set }) => {
        Object.assign(set.headers, ANY_ORIGIN);
        const token = await findKey(tokens, query.key || request.headers.get("authorization") || "");
        if (!token) throw new OperationError("token_key_invalid");
        await reads.read((db) => checkKeyLog(mainOf(db), { userId: token.userId, createdBy: token.createdBy }));
        const filter = { userId: token.userId, tokenId: token.id };
        const { page, pageSize } = readPaging(query, 1, PAGE_SIZE);
        return reads.read(async (db) => {
          const items = await readLogs(db, filter, { page, pageSize }, "owner");
          return { ...ok(items), total: await totalLogs(db, filter), page: page + 1, page_size: pageSize };
        });
      },
      { query: t.Object({ key: t.Optional(t.String()), ...pagingQuery }) },
    )
    .options("/token", ({ set }) => {
      Object.assign(set.headers, ANY_ORIGIN, {
        "access-control-allow-methods": "GET",
        "access-control-allow-headers": "authorization",
        "access-control-max-age": "86400",
      });
      set.status = 204;
    });
}

/** The key that a text with or without `Bearer` and `sk-` means, as the gateway reads it. */
async function findKey(tokens: ApiKeyDirectory, input: string): Promise<ApiKeyEntry | undefined> {
  const forms = keyForms(input.trim().replace(/^bearer\s+/i, ""));
  for (const { key } of forms) {
    const token = tokens.findByKey(key) ?? (tokens.isComplete() ? undefined : await tokens.reread(key));
    if (token) return token;
  }
  return undefined;
}
