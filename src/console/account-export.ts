import { Elysia, t } from "elysia";
import type { Db } from "../../db/types.ts";
import { confirmOwner } from "../accounts/confirm-owner.ts";
import { exportAccount } from "../accounts/export-account.ts";
import type { Vault } from "../lib/crypto.ts";
import type { RateLimiter } from "../lib/rate-limiter.ts";
import { writeManagementLog } from "../logs/write-log.ts";
import type { SettingsReader } from "../settings/settings.ts";
import type { guard } from "./guard.ts";
import type { rateLimit } from "./rate-limit.ts";

type Services = Readonly<{ db: Db; vault: Vault; settings: SettingsReader; signInLimiter: RateLimiter }>;

/** Leaving with all one's data: lines of JSON; with one's API keys in clear only for the owner at the keyboard. */
export function accountExportRoutes(
  { db, vault, settings, signInLimiter }: Services,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  return new Elysia({ prefix: "/api/user", name: "console/account-export" })
    .use(guarded)
    .use(limits)
    .post(
      "/self/export",
      async ({ actor, session, body }) => {
        const { with_keys: withKeys = false, password } = body;
        if (withKeys) await confirmOwner({ db, limiter: signInLimiter }, { userId: actor.id, session, password });
        await writeManagementLog(db, actor, `Exported the account's data ${withKeys ? "with" : "without"} API keys`);
        return new Response(exportAccount({ db, vault, settings }, actor.id, withKeys), {
          headers: {
            "content-type": "application/x-ndjson; charset=utf-8",
            "content-disposition": 'attachment; filename="account.ndjson"',
            "cache-control": "no-store",
          },
        });
      },
      {
        role: "user",
        critical: true,
        body: t.Object({ with_keys: t.Optional(t.Boolean()), password: t.Optional(t.String({ maxLength: 200 })) }),
      },
    );
}
