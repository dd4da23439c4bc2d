import { eq } from "drizzle-orm";
import { sessions } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { withParameters } from "../sign-in/identities/provider.ts";
import { findProviderRow } from "./find-provider.ts";
import { discover } from "./oidc-provider.ts";

type SignOutDeps = Readonly<{ db: Db; vault: Vault; fetch: SafeFetch }>;

/**
 * Where the browser goes to end its session at the provider that signed it in, and from there back to `site`
 * (OpenID Connect RP-Initiated Logout 1.0, section 2). Null: no provider did, it does not want that, or is not there.
 */
export async function providerSignOut(deps: SignOutDeps, sessionId: string, site: string): Promise<string | null> {
  const { db, vault, fetch } = deps;
  const [session] = await db
    .select({ provider: sessions.provider, hint: sessions.signOutHint })
    .from(sessions)
    .where(eq(sessions.id, sessionId));
  const row = session ? await findProviderRow(db, session.provider) : null;
  if (!session || row?.type !== "oidc" || !row.enabled || row.config.sign_out !== "true") return null;
  const { issuer = "", client_id = "" } = row.config;
  const found = await discover(fetch, row.name, issuer).catch(() => null);
  if (!found?.endSession) return null;
  return withParameters(found.endSession, {
    id_token_hint: readHint(vault, session.hint),
    client_id,
    post_logout_redirect_uri: site === "" ? "" : `${site}/login`,
  });
}

/** The id token; without one the provider asks the person. */
function readHint(vault: Vault, hint: string): string {
  try {
    return hint === "" ? "" : vault.decrypt(hint);
  } catch {
    // The encryption key was rotated meanwhile.
    return "";
  }
}
