import { and, count, eq, isNull, type SQL } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { redemptionCodes } from "../../../../db/schema/wallet/codes.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type LogNote, writeManagementLog } from "../../logs/write-log.ts";
import { CODE_STATUS } from "./code-view.ts";

type Actor = Readonly<{ id: number }>;
type LogText = Readonly<{ content: string; note: LogNote }>;

/** Deletes one code: it can't be redeemed any more. Throws OperationError when there is none. */
export async function deleteCode(db: Db, actor: Actor, id: number): Promise<void> {
  const deleted = await remove(db, actor, eq(redemptionCodes.id, id), {
    content: `Deleted redemption code #${id}`,
    note: { code: "code_deleted", params: { id } },
  });
  if (deleted === 0) throw new OperationError("code_not_found");
}

/** Deletes every disabled code; returns how many that were. */
export const deleteDisabledCodes = (db: Db, actor: Actor): Promise<number> =>
  remove(db, actor, eq(redemptionCodes.status, CODE_STATUS.disabled), {
    content: "Deleted the disabled redemption codes",
    note: { code: "disabled_codes_deleted" },
  });

/** Deletes every code of exactly this name, whatever its status; returns how many that were. */
export function deleteCodesByName(db: Db, actor: Actor, name: string): Promise<number> {
  const exact = readName(name);
  return remove(db, actor, eq(redemptionCodes.name, exact), {
    content: `Deleted the redemption codes named ${exact}`,
    note: { code: "named_codes_deleted", params: { name: exact } },
  });
}

/** How many codes have exactly this name. */
export async function countCodesByName(db: Db, name: string): Promise<number> {
  const rows = await db
    .select({ total: count() })
    .from(redemptionCodes)
    .where(and(eq(redemptionCodes.name, readName(name)), isNull(redemptionCodes.deletedAt)));
  return requireRow(rows).total;
}

function readName(input: string): string {
  const name = input.trim();
  if (name === "") throw new OperationError("code_name_required");
  return name;
}

const MOST_LOGGED = 100;

async function remove(db: Db, actor: Actor, which: SQL, { content, note }: LogText): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(redemptionCodes)
      .set({ deletedAt: nowSeconds() })
      .where(and(which, isNull(redemptionCodes.deletedAt)))
      .returning({
        id: redemptionCodes.id,
        name: redemptionCodes.name,
        status: redemptionCodes.status,
        quota: redemptionCodes.quota,
      });
    if (rows.length > 0) {
      const reported = rows.slice(0, MOST_LOGGED);
      await writeManagementLog(tx, actor, content, {
        note,
        action: "delete",
        target: "code",
        ids: reported.map(({ id }) => id),
        before: Object.fromEntries(
          reported.map(({ id, name, status, quota }) => [`${name} (#${id})`, { status, quota }]),
        ),
        after: { deleted: rows.length },
      });
    }
    return rows.length;
  });
}
