import { and, sql } from "drizzle-orm";
import { carryBalances } from "../../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { redemptionCodes, redemptionUses } from "../../../../db/schema/wallet/codes.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { type IdMap, inStatements, type Migration, textArray } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, createFreeIds, flagOf, integerIn, momentOf, textOf } from "../values.ts";

const KIND = "redemption codes";
const USED = 3;
const DISABLED = 2;
const UNLIMITED = -1;
const SLICE = 500;

/** Brings redemption codes over, and who used which. `userIds` are those of creators and users. */
export async function importCodes(migration: Migration, userIds: IdMap): Promise<void> {
  const { source, database, report, isDry } = migration;
  const section = report.section(KIND);
  if ((await source.columns("redemptions")).size === 0) return;
  const ids = await createFreeIds(migration, "redemptions", "redemption_codes");
  const map = new Map<number, number>();
  for await (const all of source.slices("redemptions")) {
    section.read += all.length;
    const rows = all.filter((row) => {
      const reason = objection(row);
      return reason === null || report.skip(KIND, reason);
    });
    const known = await findByKey(migration, rows.map(keyOf));
    const fresh = rows.filter((row) => !known.has(keyOf(row)));
    const assigned = await ids.assign(fresh.map((row) => integerIn(row, "id")));
    for (const row of rows) {
      const here = known.get(keyOf(row)) ?? assigned.get(integerIn(row, "id"));
      if (here !== undefined) map.set(integerIn(row, "id"), here);
      section.before += integerIn(row, "quota");
    }
    section.present += rows.length - fresh.length;
    section.added += fresh.length;
    if (isDry) continue;
    const values = fresh.map((row) => ({ ...readCode(row, userIds), id: assigned.get(integerIn(row, "id")) }));
    await database.db.transaction(async (tx) => {
      await inStatements(values, (part) => tx.insert(redemptionCodes).values(part));
      const uses = fresh.flatMap((row) => useOf(row, map, userIds));
      await inStatements(uses, async (part) => {
        const { userId, quota } = redemptionUses;
        const added = await tx.insert(redemptionUses).values(part).onConflictDoNothing().returning({ userId, quota });
        await countOut(tx, added);
      });
    });
    section.after += await sumHere(
      migration,
      rows.map((row) => map.get(integerIn(row, "id")) ?? 0),
    );
  }
  await ids.finish();
  await importUses(migration, map, userIds);
  if (!isDry) await carryUses(migration, [...map.values()]);
}

const keyOf = (row: SourceRow): string => textOf(row, "key");

function objection(row: SourceRow): string | null {
  if (momentOf(row, "deleted_at") !== null) return "deleted at the source";
  if (keyOf(row) === "") return "without a key";
  return integerIn(row, "quota") <= 0 ? "worth nothing" : null;
}

async function findByKey({ database }: Migration, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.db
    .select({ id: redemptionCodes.id, key: redemptionCodes.key })
    .from(redemptionCodes)
    .where(sql`${redemptionCodes.key} = any(${textArray(keys)}::text[])`);
  return new Map(rows.map(({ id, key }) => [key, id]));
}

function readCode(row: SourceRow, userIds: IdMap) {
  const status = integerIn(row, "status", 1);
  const maxUses = integerIn(row, "max_uses", UNLIMITED);
  const used = balanceOf(row, "used_count");
  return {
    userId: userIds.get(integerIn(row, "user_id")) ?? null,
    key: keyOf(row),
    name: textOf(row, "name"),
    status: status >= 1 && status <= USED ? status : DISABLED,
    quota: integerIn(row, "quota"),
    isGift: flagOf(row, "is_gift"),
    maxUses: maxUses < 1 ? UNLIMITED : maxUses,
    usedCount: maxUses < 1 ? used : Math.min(used, maxUses),
    validFrom: balanceOf(row, "valid_from"),
    // new-api calls it expired_time.
    validUntil: balanceOf(row, "valid_until") || balanceOf(row, "expired_time"),
    createdTime: integerIn(row, "created_time") || nowSeconds(),
    redeemedTime: integerIn(row, "redeemed_time"),
    usedUserId: userIds.get(integerIn(row, "used_user_id")) ?? null,
  };
}

/** The one use of an ordinary code that the code itself records. */
function useOf(row: SourceRow, map: IdMap, userIds: IdMap) {
  const [codeId, userId] = [map.get(integerIn(row, "id")), userIds.get(integerIn(row, "used_user_id"))];
  if (codeId === undefined || userId === undefined || integerIn(row, "status") !== USED || flagOf(row, "is_gift"))
    return [];
  return [{ codeId, userId, quota: integerIn(row, "quota"), usedTime: integerIn(row, "redeemed_time") }];
}

/** What codes gave at the source is in what users brought along, or was never given here: it is no credit of its own. */
const countOut = (tx: Tx, uses: readonly Readonly<{ userId: number; quota: number }>[]): Promise<void> =>
  carryBalances(
    tx,
    uses.map(({ userId, quota }) => ({ userId, quota: -quota })),
  );

/** Who used gift codes: nobody can use one again by having moved. */
async function importUses({ source, database, isDry }: Migration, codeIds: IdMap, userIds: IdMap): Promise<void> {
  if (isDry || (await source.columns("redemption_logs")).size === 0) return;
  for await (const rows of source.slices("redemption_logs")) {
    const uses = rows.flatMap((row) => {
      const codeId = codeIds.get(integerIn(row, "redemption_id"));
      const userId = userIds.get(integerIn(row, "user_id"));
      return codeId === undefined || userId === undefined ? [] : [{ codeId, userId, at: integerIn(row, "used_time") }];
    });
    await inStatements(uses, (part) =>
      database.db.transaction(async (tx) => {
        const added = await tx.execute<{ user_id: number; quota: number }>(sql`
          insert into redemption_uses (code_id, user_id, quota, used_time)
          select u."codeId", u."userId", c.quota, u.at
          from json_to_recordset(${JSON.stringify(part)}::text::json) as u("codeId" int, "userId" int, at bigint)
          join redemption_codes c on c.id = u."codeId"
          on conflict do nothing
          returning user_id, quota`);
        await countOut(
          tx,
          added.map(({ user_id: userId, quota }) => ({ userId, quota: Number(quota) })),
        );
      }),
    );
  }
}

/** What codes say of their uses may be of people who did not come along: the books know that from here on. */
async function carryUses({ database }: Migration, codeIds: readonly number[]): Promise<void> {
  for (let start = 0; start < codeIds.length; start += SLICE) {
    const { id, status, isGift, usedCount, carriedUses } = redemptionCodes;
    const known = sql`(select count(*)::int from redemption_uses u where u.code_id = ${id})`;
    const reported = sql`case when ${isGift} then ${usedCount} when ${status} = ${USED} then 1 else 0 end`;
    await database.db
      .update(redemptionCodes)
      .set({ carriedUses: sql`${reported} - ${known}` })
      .where(and(isOneOf(id, codeIds.slice(start, start + SLICE)), sql`${carriedUses} <> ${reported} - ${known}`));
  }
}

async function sumHere({ database }: Migration, ids: readonly number[]): Promise<number> {
  const row = requireRow(
    await database.sql<{ sum: number }[]>`
    select coalesce(sum(quota), 0)::bigint as sum from redemption_codes
    where id in (select unnest(${`{${ids.join(",")}}`}::text::int[]))`,
  );
  return row.sum;
}
