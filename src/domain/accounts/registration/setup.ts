import { and, eq, isNull } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { setups } from "../../../../db/schema/settings.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { saveOption } from "../../../settings/store.ts";
import { LOG_TYPE, writeLog } from "../../logs/write-log.ts";
import { ROLE } from "../access/roles.ts";
import { createUser } from "../identity/create-user.ts";

type SetupRequest = Readonly<{
  username: string;
  password: string;
  confirmPassword: string;
  selfUse: boolean;
  demo: boolean;
  /** Where the site is reached from outside; empty: stays as it is. */
  serverAddress: string;
}>;

export type Setup = {
  /** Whether the gateway is set up; once true it stays true. */
  isDone(): Promise<boolean>;
  hasRoot(): Promise<boolean>;
  /** Creates the super admin (unless there is one) and stores the usage mode and the address. Throws OperationError, status 400. */
  run(request: SetupRequest): Promise<void>;
};

/** The one row of `setups`: whoever inserts it has set the gateway up. */
const MARKER = "1";
const ROOT_QUOTA = 100_000_000;

/** First-run set-up. A database that already has a super admin (a restored or imported one) counts as set up. */
export async function createSetup(
  deps: Readonly<{ db: Db; changes: Changes; vault: Vault; version: string }>,
): Promise<Setup> {
  const { db, changes, vault, version } = deps;
  let isKnownDone = false;

  const mark = (tx: DbOrTx) =>
    tx
      .insert(setups)
      .values({ id: MARKER, version, initializedAt: nowSeconds() })
      .onConflictDoNothing()
      .returning({ id: setups.id });

  if (await hasRoot(db)) await mark(db);

  return {
    async isDone() {
      isKnownDone ||= (await db.select({ id: setups.id }).from(setups).limit(1)).length > 0;
      return isKnownDone;
    },
    hasRoot: () => hasRoot(db),
    async run(request) {
      const rootId = await asBadRequest(async () => {
        if (request.selfUse && request.demo) throw new OperationError("setup_modes_exclusive");
        return await db.transaction(async (tx) => {
          const [marked] = await mark(tx);
          if (!marked) throw new OperationError("setup_done_already");
          await saveOption(tx, vault, "SelfUseModeEnabled", String(request.selfUse));
          await saveOption(tx, vault, "DemoSiteEnabled", String(request.demo));
          if (request.serverAddress !== "") await saveOption(tx, vault, "ServerAddress", request.serverAddress);
          if (await hasRoot(tx)) return null;
          if (request.password !== request.confirmPassword) throw new OperationError("setup_passwords_differ");
          const account = { ...request, displayName: "Root User", role: ROLE.root, quota: ROOT_QUOTA };
          const userId = await createUser(tx, account);
          await writeLog(tx, {
            type: LOG_TYPE.system,
            userId,
            content: "Quota to start with",
            note: { code: "quota_to_start" },
            quota: ROOT_QUOTA,
          });
          return userId;
        });
      });
      isKnownDone = true;
      await changes.publish("options", ["SelfUseModeEnabled", "DemoSiteEnabled", "ServerAddress"]);
      if (rootId !== null) await changes.publish("users", [rootId]);
    },
  };
}

async function hasRoot(db: DbOrTx): Promise<boolean> {
  const roots = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, ROLE.root), isNull(users.deletedAt)))
    .limit(1);
  return roots.length > 0;
}

/** Set-up answers its refusals with 400, unlike the rest. */
async function asBadRequest<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof OperationError) throw new OperationError(error.code, error.params, { status: 400 });
    throw error;
  }
}
