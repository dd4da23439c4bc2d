import { and, asc, eq, gte, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { keyLeaks, keyNetworks, tokens } from "../../../../db/schema/api-keys.ts";
import type { AlertOwner } from "../destinations.ts";
import { MOST_NETWORKS } from "../leaks/key-networks.ts";
import type { Condition, FindConditions } from "./condition.ts";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
/** Enabled, or exhausted and enabled again when it is filled. */
const WORKING = [1, 4];

const keysOf = (owner: AlertOwner): SQL | undefined =>
  and(isNull(tokens.deletedAt), owner === "site" ? undefined : eq(tokens.userId, owner));

/** API keys that were found in public, or that are used from so many new networks at once. */
export const findLeakedKeys: FindConditions = async (deps, query) => [
  ...(await findReportedKeys(deps, query)),
  ...(await findSpreadKeys(deps, query)),
];

/** Reports of the last day, and older ones of keys that still work. */
const findReportedKeys: FindConditions = async ({ db }, { owner, now }) => {
  const rows = await db
    .select({ id: keyLeaks.id, key: tokens.name, status: tokens.status, url: keyLeaks.url })
    .from(keyLeaks)
    .innerJoin(tokens, eq(tokens.id, keyLeaks.tokenId))
    .where(
      and(
        keysOf(owner),
        or(
          gte(keyLeaks.reportedAt, now - DAY_SECONDS),
          and(eq(tokens.keyHash, keyLeaks.keyHash), inArray(tokens.status, WORKING)),
        ),
      ),
    )
    .orderBy(asc(keyLeaks.id));
  return rows.map(
    ({ id, key, status, url }): Condition => ({
      subject: `leak/${id}`,
      severity: "critical",
      notice: {
        type: "key_leaked",
        title: { en: "An API key was found in public", zh: "令牌已公开泄露" },
        content: WORKING.includes(status)
          ? {
              en: "API key “{{value}}” was found at {{value}}. It still works: rotate or delete it.",
              zh: "令牌「{{value}}」出现在 {{value}}，目前仍然有效，请立即轮换或删除。",
            }
          : {
              en: "API key “{{value}}” was found at {{value}}, and is disabled. Create a new one.",
              zh: "令牌「{{value}}」出现在 {{value}}，已被禁用，请创建新令牌。",
            },
        values: [key, url || "–"],
        path: "/token",
      },
    }),
  );
};

/** Keys in use for a day or longer that began to be used from so many networks in the last hour. */
const findSpreadKeys: FindConditions = async ({ db }, { owner, threshold, now }) => {
  const recent = db
    .selectDistinct({ id: keyNetworks.tokenId })
    .from(keyNetworks)
    .where(gte(keyNetworks.firstSeenAt, now - HOUR_SECONDS));
  const fresh = sql<number>`(count(*) filter (where ${keyNetworks.firstSeenAt} >= ${now - HOUR_SECONDS}))::int`;
  const rows = await db
    .select({ id: tokens.id, key: tokens.name, fresh })
    .from(keyNetworks)
    .innerJoin(tokens, eq(tokens.id, keyNetworks.tokenId))
    .where(and(keysOf(owner), eq(tokens.status, 1), inArray(keyNetworks.tokenId, recent)))
    .groupBy(tokens.id)
    .having(
      sql`${fresh} >= ${threshold} and count(*) < ${MOST_NETWORKS} and min(${keyNetworks.firstSeenAt}) <= ${now - DAY_SECONDS}`,
    )
    .orderBy(asc(tokens.id));
  return rows.map(
    ({ id, key, fresh: count }): Condition => ({
      subject: `networks/${id}`,
      severity: "error",
      notice: {
        type: "key_leaked",
        title: { en: "An API key may have leaked", zh: "令牌可能已泄露" },
        content: {
          en: "API key “{{value}}” was used from {{value}} new networks in the last hour. Rotate it if you don't know them.",
          zh: "令牌「{{value}}」在最近一小时内出现在 {{value}} 个新网段，如非本人使用请立即轮换。",
        },
        values: [key, count],
        path: "/token",
      },
    }),
  );
};
