import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import type { UserEntry } from "../../../domain/accounts/directory.ts";
import { issueDownload } from "../../../domain/accounts/profile/download-ticket.ts";
import { confirmOwner } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import type { Session } from "../../../domain/accounts/sign-in/sessions.ts";
import { writeManagementLog } from "../../../domain/logs/write-log.ts";
import { exportAccount } from "../../../domain/system/export-account.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import type { rateLimit } from "../../http/rate-limit.ts";

type Services = Readonly<{ db: Db; vault: Vault; settings: SettingsReader; signInLimiter: Limiter }>;

const wishes = t.Object({ with_keys: t.Optional(t.Boolean()), password: t.Optional(t.String({ maxLength: 200 })) });

/** Exports everything the gateway stores about a user as JSON Lines; keys in clear need the owner's confirmation. */
export function accountExportRoutes(
  { db, vault, settings, signInLimiter }: Services,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  /** Whether the export includes API keys in clear; throws OperationError when it may not. */
  const permit = async (actor: UserEntry, session: Session | null, { with_keys, password }: typeof wishes.static) => {
    const withKeys = with_keys ?? false;
    if (withKeys) await confirmOwner({ db, limiter: signInLimiter }, { userId: actor.id, session, password });
    await writeManagementLog(db, actor, `Exported the account's data ${withKeys ? "with" : "without"} API keys`, {
      note: { code: withKeys ? "account_exported_with_keys" : "account_exported" },
      action: "read",
    });
    return withKeys;
  };
  const file = (userId: number, withKeys: boolean) =>
    new Response(exportAccount({ db, vault, settings }, userId, withKeys), {
      headers: {
        "content-type": "application/x-ndjson; charset=utf-8",
        "content-disposition": `attachment; filename="account-${new Date().toISOString().slice(0, 10)}.ndjson"`,
        "cache-control": "no-store",
      },
    });
  return new Elysia({ prefix: "/api/user", name: "console/account-export" })
    .use(guarded)
    .use(limits)
    .post(
      "/self/export",
      async ({ actor, session, body }) => {
        const withKeys = await permit(actor, session, body);
        return file(actor.id, withKeys);
      },
      { role: "user", critical: true, body: wishes },
    )
    .post(
      "/self/export/download",
      async ({ actor, session, body }) => {
        const withKeys = await permit(actor, session, body);
        const address = `/api/user/self/export?with_keys=${withKeys}`;
        return ok({ address: await issueDownload({ db, vault }, { userId: actor.id, organizationId: null }, address) });
      },
      { role: "user", critical: true, body: wishes },
    )
    .get("/self/export", ({ actor, query }) => file(actor.id, query.with_keys === "true"), {
      role: "user",
      // Requires a ticket, which is valid for one address only.
      query: t.Object({ with_keys: t.String(), download_ticket: t.String() }),
    });
}

/** Files that a browser downloads by itself; each still checks the caller's role. */
const FILES =
  /^\/api\/((log|log\/self|log-archives|log-archives\/self|user|redemption|topup|audit|audit\/self)\/export|statements\/file|user\/statements\/file|user\/movements)(\?[!-"$-~]*)?$/;

/** Files of the account that a request acts for; all others are for administrators. */
const ACCOUNT_FILES = [
  "/api/log/self/export",
  "/api/log-archives/self/export",
  "/api/audit/self/export",
  "/api/user/statements/file",
  "/api/user/movements",
];

/** Downloads: the page requests an address that works once, and the browser opens it. */
export function downloadRoutes(services: Readonly<{ db: Db; vault: Vault }>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/user", name: "console/downloads" }).use(guarded).post(
    "/self/download",
    async ({ actor, person, role, body: { address } }) => {
      if (!FILES.test(address)) throw new OperationError("download_unknown");
      // Files of administrators are about the site, whichever account they act for meanwhile.
      const isAboutAccount = ACCOUNT_FILES.some((file) => address.startsWith(file));
      const downloader = { userId: person.id, organizationId: isAboutAccount && role ? actor.id : null };
      return ok({ address: await issueDownload(services, downloader, address) });
    },
    { account: "organization.read", body: t.Object({ address: t.String({ maxLength: 2000 }) }) },
  );
}
