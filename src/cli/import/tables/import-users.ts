import { sql } from "drizzle-orm";
import { carryBalances } from "../../../../db/maintenance/carried-balances.ts";
import { requireRow } from "../../../../db/require-row.ts";
import { accessTokens } from "../../../../db/schema/accounts/security/access-tokens.ts";
import { identities, users } from "../../../../db/schema/accounts/users.ts";
import type { Tx } from "../../../../db/types.ts";
import { ACCOUNT_LIMITS } from "../../../domain/accounts/account-rules.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { randomText, type Vault } from "../../../lib/security/crypto.ts";
import { type IdMap, inStatements, type Migration, textArray } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, createFreeIds, integerIn, momentOf, objectOf, textOf } from "../values.ts";

const KIND = "users";
const ROLES = [1, 10, 100];
/** Column at the source → name of the sign-in provider here. */
const PROVIDERS = {
  github_id: "github",
  oidc_id: "oidc",
  wechat_id: "wechat",
  telegram_id: "telegram",
  linux_do_id: "linuxdo",
  discord_id: "discord",
} as const;

/** Brings users over with password hashes, balances, settings and bindings; one of the same name here stays as it is. */
export async function importUsers(migration: Migration): Promise<IdMap> {
  const { source, database, report, isDry } = migration;
  const ids = await createFreeIds(migration, "users", "users");
  const map = new Map<number, number>();
  const inviters = new Map<number, number>();
  for await (const rows of source.slices("users")) {
    const section = report.section(KIND);
    section.read += rows.length;
    const named = rows.filter((row) => textOf(row, "username") !== "" || report.skip(KIND, "no name"));
    const known = await findByName(migration, named.map(nameOf));
    const fresh = named.filter((row) => !known.has(nameOf(row)));
    const assigned = await ids.assign(fresh.map((row) => integerIn(row, "id")));
    for (const row of named) {
      const id = integerIn(row, "id");
      const here = known.get(nameOf(row)) ?? assigned.get(id);
      if (here === undefined) continue;
      map.set(id, here);
      section.before += balanceOf(row, "quota");
      if (integerIn(row, "quota") < 0) report.remark(KIND, `overdrawn by ${-integerIn(row, "quota")}, now 0`);
      const inviter = integerIn(row, "inviter_id");
      if (!known.has(nameOf(row)) && inviter > 0) inviters.set(here, inviter);
    }
    section.present += named.length - fresh.length;
    section.added += fresh.length;
    if (isDry) continue;
    const values = await unclaimed(
      migration,
      fresh.map((row) => readUser(migration, row, map.get(integerIn(row, "id")) ?? 0)),
    );
    await database.db.transaction(async (tx) => {
      await inStatements(values, (part) => tx.insert(users).values(part));
      await carryBalances(tx, values.map(broughtBy));
      await addIdentities(tx, fresh, map);
      await addAccessTokens(tx, migration, fresh, map);
    });
    section.after += await sumHere(
      migration,
      named.map((row) => map.get(integerIn(row, "id")) ?? 0),
    );
  }
  await ids.finish();
  if (!isDry) await linkInviters(migration, inviters, map);
  return map;
}

const nameOf = (row: SourceRow): string => textOf(row, "username").normalize("NFC");

async function findByName({ database }: Migration, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.db
    .select({ id: users.id, username: users.username })
    .from(users)
    .where(sql`${users.username} = any(${textArray(names)}::text[])`);
  return new Map(rows.map(({ id, username }) => [username, id]));
}

type NewUser = typeof users.$inferInsert;

function readUser({ vault }: Migration, row: SourceRow, id: number): NewUser {
  const status = integerIn(row, "status", 1);
  const role = integerIn(row, "role", 1);
  const checkedIn = momentOf(row, "last_check_in_time");
  return {
    id,
    kind: textOf(row, "kind") === "organization" ? "organization" : "person",
    username: nameOf(row),
    passwordHash: textOf(row, "password") || null,
    displayName: textOf(row, "display_name"),
    role: ROLES.includes(role) ? role : 1,
    status: status === 1 ? 1 : 2,
    group: textOf(row, "group") || "default",
    quota: balanceOf(row, "quota"),
    usedQuota: balanceOf(row, "used_quota"),
    requestCount: balanceOf(row, "request_count"),
    email: textOf(row, "email") || null,
    affCode: textOf(row, "aff_code") || randomText(6),
    affCount: balanceOf(row, "aff_count"),
    affQuota: balanceOf(row, "aff_quota"),
    affHistoryQuota: balanceOf(row, "aff_history"),
    maxConcurrency: rateOf(row, "max_concurrency"),
    requestsPerMinute: rateOf(row, "requests_per_minute"),
    setting: readSetting(vault, row),
    lastCheckInAt: checkedIn,
    lastCheckInDay: checkedIn === null ? null : new Date(checkedIn * 1000).toISOString().slice(0, 10),
    createdAt: momentOf(row, "created_at") ?? momentOf(row, "created_time") ?? nowSeconds(),
    deletedAt: status === 3 ? nowSeconds() : momentOf(row, "deleted_at"),
  };
}

const rateOf = (row: SourceRow, column: string): number => Math.min(balanceOf(row, column), ACCOUNT_LIMITS.rate);

/** What the books find no credit of: all that the user has left and has used, but for transferred rewards. */
const broughtBy = ({ id = 0, quota = 0, usedQuota = 0, affQuota = 0, affHistoryQuota = 0 }: NewUser) => ({
  userId: id,
  quota: quota + usedQuota - (affHistoryQuota - affQuota),
});

/** What the user chose for notices; the secret of a webhook is kept encrypted here. */
function readSetting(vault: Vault, row: SourceRow): NewUser["setting"] {
  const setting = objectOf(row, "setting");
  const secret = setting.webhook_secret;
  return typeof secret === "string" && secret !== "" ? { ...setting, webhook_secret: vault.encrypt(secret) } : setting;
}

/** Invitation codes that somebody here has already are replaced. */
async function unclaimed({ database, report }: Migration, values: readonly NewUser[]): Promise<NewUser[]> {
  const codes = textArray(values.map(({ affCode }) => affCode));
  const rows = await database.db
    .select({ code: users.affCode })
    .from(users)
    .where(sql`${users.affCode} = any(${codes}::text[])`);
  const taken = new Set(rows.map(({ code }) => code));
  return values.map((user) => {
    const isCodeTaken = taken.has(user.affCode);
    if (isCodeTaken) report.remark(KIND, "new invitation code, the old one is somebody else's here");
    taken.add(user.affCode);
    return isCodeTaken ? { ...user, affCode: randomText(6) } : user;
  });
}

async function addIdentities(tx: Tx, rows: readonly SourceRow[], map: IdMap): Promise<void> {
  const bound = rows.flatMap((row) =>
    Object.entries(PROVIDERS).flatMap(([column, provider]) => {
      const [subject, userId] = [textOf(row, column), map.get(integerIn(row, "id"))];
      return subject === "" || userId === undefined ? [] : [{ provider, subject, userId, createdAt: nowSeconds() }];
    }),
  );
  await inStatements(bound, (part) => tx.insert(identities).values(part).onConflictDoNothing());
}

/** Tokens that somebody here has already are left out. */
async function addAccessTokens(tx: Tx, migration: Migration, rows: readonly SourceRow[], map: IdMap): Promise<void> {
  // In one-api everybody has a token that nobody may ever have seen: none of them stays valid.
  if (migration.family === "one-api") return;
  const imported = rows.flatMap((row) => {
    const [token, userId] = [textOf(row, "access_token"), map.get(integerIn(row, "id"))];
    if (token === "" || userId === undefined) return [];
    return [{ userId, tokenHash: migration.vault.keyedHash(token), sessionVersion: 1, createdAt: nowSeconds() }];
  });
  await inStatements(imported, (part) => tx.insert(accessTokens).values(part).onConflictDoNothing());
}

async function sumHere({ database }: Migration, ids: readonly number[]): Promise<number> {
  const row = requireRow(
    await database.sql<{ sum: number }[]>`
    select coalesce(sum(quota), 0)::bigint as sum from users where id in (select unnest(${`{${ids.join(",")}}`}::text::int[]))`,
  );
  return row.sum;
}

/** Afterwards: who invited somebody may come later than they. */
async function linkInviters({ database }: Migration, inviters: IdMap, map: IdMap): Promise<void> {
  const links = [...inviters].flatMap(([id, inviter]) => {
    const here = map.get(inviter);
    return here === undefined || here === id ? [] : [{ id, inviter: here }];
  });
  await inStatements(
    links,
    (part) =>
      database.sql`
      update users set inviter_id = v.inviter
      from (select * from json_to_recordset(${JSON.stringify(part)}::text::json) as x(id int, inviter int)) v
      where users.id = v.id`,
  );
}
