import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { issueDownload } from "../../domain/accounts/profile/download-ticket.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

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
