import { and, eq, gt, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import {
  billingProfiles,
  type Party,
  type StatementContent,
  statements,
} from "../../../../db/schema/wallet/statements.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import {
  FOREVER,
  netOf,
  readIncludedLines,
  readMovements,
  readPaidOrders,
  readTagLines,
  readUsageLines,
} from "./movements/read-movements.ts";

/** The figures and lines of a month, not issued yet; amounts are quota units. */
export type StatementDraft = Readonly<{
  userId: number;
  username: string;
  month: string;
  opening: number;
  closing: number;
  credited: number;
  charged: number;
  content: StatementContent;
}>;

/**
 * The balance of a row of `users` with quota of plans for some models, which was granted and is used like it. The table is named:
 * without joins columns are written without it, and would be those of the subscription.
 */
export const accountUnits = sql<number>`(users.quota + (select coalesce(sum(s.remaining), 0) from subscriptions s
  where s.user_id = users.id and s.own_quota))::float8`;

/**
 * Computes the statement of a month for an account. It closes with the balance at the month's end (now, within the month)
 * and opens with what the statement before closed with, corrections since included. What no source explains is the line
 * `other`. `tx` must read one snapshot (repeatable read). `logDb`: where the rows of calls are, if not there too. Throws OperationError.
 */
export async function computeStatement(
  tx: DbOrTx,
  settings: SettingsReader,
  userId: number,
  month: Month,
  logDb: DbOrTx = tx,
): Promise<StatementDraft> {
  const [user] = await tx
    .select({ username: users.username, quota: accountUnits })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new OperationError("user_not_found");
  const { charged, ...credits } = await readMovements(tx, userId, month);
  const explained = netOf({ charged, ...credits });
  const closing = user.quota - netOf(await readMovements(tx, userId, { from: month.until, until: FOREVER }));
  const opening = (await closedWith(tx, userId, month)) ?? closing - explained;
  const other = closing - opening - explained;
  return {
    userId,
    username: user.username,
    month: month.name,
    opening,
    closing,
    credited: explained + charged + other,
    charged,
    content: {
      ...(await readParties(tx, settings, userId, user.username)),
      unitsPerDollar: settings.get("QuotaPerUnit"),
      credits: { ...credits, other },
      orders: await readPaidOrders(tx, userId, month),
      models: await readUsageLines(tx, userId, "model", month),
      keys: await readUsageLines(tx, userId, "key", month),
      tags: await readTagLines(logDb, userId, month),
      included: await readIncludedLines(tx, userId, month),
    },
  };
}

/** What the account's last statement before `month` closed with, and corrections since gave back; null: there is none. */
async function closedWith(tx: DbOrTx, userId: number, month: Month): Promise<number | null> {
  const isOf = eq(statements.userId, userId);
  const [last] = await tx
    .select({ id: statements.id, closing: statements.closing })
    .from(statements)
    .where(and(isOf, eq(statements.kind, "statement"), sql`${statements.month} < ${month.name}`))
    .orderBy(sql`${statements.month} desc`)
    .limit(1);
  if (!last) return null;
  const corrections = await tx
    .select({ sum: sql<string>`coalesce(sum(${statements.closing}), 0)` })
    .from(statements)
    .where(and(isOf, eq(statements.kind, "correction"), gt(statements.id, last.id)));
  return last.closing + Number(requireRow(corrections).sum);
}

/** Who issues a document, and to whom; an account without a billing profile is named by its user name. */
export async function readParties(
  tx: DbOrTx,
  settings: SettingsReader,
  userId: number,
  username: string,
): Promise<Readonly<{ issuer: Party; recipient: Party }>> {
  const [profile] = await tx
    .select({
      name: billingProfiles.name,
      address: billingProfiles.address,
      taxId: billingProfiles.taxId,
      country: billingProfiles.country,
    })
    .from(billingProfiles)
    .where(eq(billingProfiles.userId, userId));
  return {
    issuer: {
      name: settings.get("StatementIssuerName") || settings.get("SystemName"),
      address: settings.get("StatementIssuerAddress"),
      taxId: settings.get("StatementIssuerTaxId"),
    },
    recipient: profile ? { ...profile, name: profile.name || username } : { name: username, address: "", taxId: "" },
  };
}

/** A calendar month in UTC: `name` as in `2026-11`, from `from` (included) to `until` (excluded), epoch seconds. */
export type Month = Readonly<{ name: string; from: number; until: number }>;

const SHAPE = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** The month that `seconds` (epoch) lies in. */
export function monthAt(seconds: number): Month {
  const date = new Date(seconds * 1000);
  return monthOf(date.getUTCFullYear(), date.getUTCMonth());
}

/** The calendar month before (UTC). */
export const monthBefore = (month: Month): Month => monthAt(month.from - 1);

/** Parses `2026-11`. Throws OperationError. */
export function parseMonth(name: string): Month {
  const [, year, number] = SHAPE.exec(name) ?? [];
  if (year === undefined || number === undefined) throw new OperationError("statement_month_invalid");
  return monthOf(Number(year), Number(number) - 1);
}

function monthOf(year: number, index: number): Month {
  const from = Date.UTC(year, index) / 1000;
  return {
    name: new Date(from * 1000).toISOString().slice(0, 7),
    from,
    until: Date.UTC(year, index + 1) / 1000,
  };
}
