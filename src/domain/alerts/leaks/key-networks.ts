import { lt, sql } from "drizzle-orm";
import { keyNetworks, tokens } from "../../../../db/schema/api-keys.ts";
import type { Db } from "../../../../db/types.ts";
import { networkOf } from "../../../lib/http/client-ip.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/** Notes from which networks API keys are used. */
export type KeyNetworks = Readonly<{
  /** Notes a call of a key; `now` in epoch seconds. */
  observe(tokenId: number, ip: string, now: number): void;
  /**
   * Writes down what was noted since, and a few times a day forgets networks from which a key was not used for 90 days.
   * Rejects when the database does not answer; the next call tries again.
   */
  save(now: number): Promise<void>;
}>;

const DAY_SECONDS = 86_400;
/** Addresses that were noted today; whoever falls out is only noted again. */
const MOST_REMEMBERED = 50_000;
/** What waits while the database is away. */
const MOST_PENDING = 10_000;
/** A key with more is meant for many: new networks say nothing about it. */
export const MOST_NETWORKS = 500;
const FORGET_SECONDS = DAY_SECONDS / 4;
const RETENTION_SECONDS = 90 * DAY_SECONDS;

type Noted = Readonly<{ tokenId: number; network: string; at: number }>;

/** Creates the notes of a process. */
export function createKeyNetworks(db: Db): KeyNetworks {
  const days = recentEntries<string, number>(MOST_REMEMBERED);
  const pending = new Map<string, Noted>();
  let forgottenAt = 0;
  return {
    observe(tokenId, ip, now) {
      const address = `${tokenId} ${ip}`;
      const day = Math.floor(now / DAY_SECONDS);
      if (days.get(address) === day) return;
      days.set(address, day);
      const network = networkOf(ip);
      const id = `${tokenId} ${network}`;
      if (network !== "" && pending.size < MOST_PENDING && !pending.has(id)) {
        pending.set(id, { tokenId, network, at: now });
      }
    },
    async save(now) {
      if (now - forgottenAt >= FORGET_SECONDS) {
        await db.delete(keyNetworks).where(lt(keyNetworks.lastSeenAt, now - RETENTION_SECONDS));
        forgottenAt = now;
      }
      if (pending.size === 0) return;
      const rows = [...pending];
      await writeNetworks(
        db,
        rows.map(([, noted]) => noted),
      );
      for (const [id] of rows) pending.delete(id);
    },
  };
}

async function writeNetworks(db: Db, rows: readonly Noted[]): Promise<void> {
  const ids = `{${rows.map(({ tokenId }) => tokenId).join(",")}}`;
  const networks = `{${rows.map(({ network }) => `"${network}"`).join(",")}}`;
  const times = `{${rows.map(({ at }) => at).join(",")}}`;
  await db.execute(sql`
    insert into ${keyNetworks} (token_id, network, first_seen_at, last_seen_at)
    select s.token_id, s.network, s.at, s.at
    from unnest(${ids}::integer[], ${networks}::text[], ${times}::bigint[]) as s (token_id, network, at)
    where exists (select 1 from ${tokens} t where t.id = s.token_id)
      and (exists (select 1 from ${keyNetworks} k where k.token_id = s.token_id and k.network = s.network)
        or (select count(*) from ${keyNetworks} k where k.token_id = s.token_id) < ${MOST_NETWORKS})
    on conflict (token_id, network) do update
      set last_seen_at = greatest(${keyNetworks.lastSeenAt}, excluded.last_seen_at)`);
}
