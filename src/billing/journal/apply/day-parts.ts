import type { Statements } from "../../../../db/types.ts";

const [CACHE, OWN_KEY] = ['"response_cache":{', '"own_key":{'];

/** Whether a record, as its text, says what the site's cache did. Inside a text of `other` the name's quotes would be escaped. */
export const hasCacheUse = (text: string): boolean => text.includes(CACHE);

/** The same of a caller's own key. */
export const hasOwnKey = (text: string): boolean => text.includes(OWN_KEY);

/** Calls that did not fail and have a member of `other`. */
const callsWith = (sql: Statements, member: string) =>
  sql`(select *, (created_at / 86400)::integer as day, other::jsonb as notes from applied
        where position(${member} in other) > 0 and not failed) calls`;

/** A part of a statement: adds what the cache did for calls to the sums of their days, of their accounts and of all (0). */
export const addCacheUse = (sql: Statements) => sql`
    cached as (
      insert into response_cache_days as r (user_id, day, model, hits, misses, saved, upstream_saved, tokens)
      select owner, day, model_name, count(*) filter (where is_hit), count(*) filter (where not is_hit), coalesce(sum(saved), 0),
        coalesce(sum(upstream_saved), 0), coalesce(sum(prompt_tokens + completion_tokens) filter (where is_hit), 0)
      from (
        select *, notes -> 'response_cache' ? 'age_seconds' as is_hit, (notes #>> '{response_cache,saved}')::bigint as saved,
          (notes #>> '{admin_info,cache_saved}')::bigint as upstream_saved
        from ${callsWith(sql, CACHE)}
      ) uses, lateral (values (0), (user_id)) owners(owner) where is_hit is not null
      group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, model) do update set hits = r.hits + excluded.hits, misses = r.misses + excluded.misses,
        saved = r.saved + excluded.saved, upstream_saved = r.upstream_saved + excluded.upstream_saved,
        tokens = r.tokens + excluded.tokens
    ),`;

/** The same of calls by callers' own keys, of all accounts. */
export const addOwnKeys = (sql: Statements) => sql`
    own_keyed as (
      insert into provider_key_days as r (day, provider, calls, fees, worth)
      select day, notes #>> '{own_key,provider}', count(*), sum(taken), coalesce(sum((notes #>> '{own_key,worth}')::bigint), 0)
      from ${callsWith(sql, OWN_KEY)} where notes #>> '{own_key,provider}' is not null
      group by 1, 2 order by 1, 2
      on conflict (day, provider) do update set calls = r.calls + excluded.calls, fees = r.fees + excluded.fees,
        worth = r.worth + excluded.worth
    ),`;
