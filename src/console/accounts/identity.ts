import { Elysia } from "elysia";
import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { UserDirectory } from "../../domain/accounts/directory.ts";
import type { MailLimits } from "../../domain/accounts/registration/mail-limits.ts";
import type { Setup } from "../../domain/accounts/registration/setup.ts";
import { createGuessLimits } from "../../domain/accounts/sign-in/guess-limits.ts";
import type { Sessions } from "../../domain/accounts/sign-in/sessions.ts";
import { createSignInLimiter } from "../../domain/accounts/sign-in/sign-in.ts";
import type { Alerter } from "../../domain/alerts/alerter.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { Broadcasts } from "../../domain/notifications/broadcasts/broadcast.ts";
import type { Mailer } from "../../domain/notifications/mail.ts";
import type { Notifier } from "../../domain/notifications/notifier.ts";
import type { ClientAddress } from "../../lib/http/client-ip.ts";
import type { SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Config, NotifyAddresses, SignInAddresses } from "../../server/config.ts";
import type { Settings } from "../../settings/settings.ts";
import { alertRuleRoutes } from "../alerts/alert-rules.ts";
import { alertRoutes } from "../alerts/alerts.ts";
import type { guard } from "../http/guard.ts";
import type { rateLimit } from "../http/rate-limit.ts";
import { ratioRoutes } from "../models/pricing/ratios.ts";
import { announcementRoutes } from "../notifications/announcements.ts";
import { broadcastRoutes } from "../notifications/broadcasts.ts";
import { notificationRoutes } from "../notifications/notifications.ts";
import { optionRoutes, settingsTransferRoutes } from "../settings/options.ts";
import { statusRoutes } from "../system/status.ts";
import { discoveryRoutes, systemInfoRoutes } from "../system/system-info.ts";
import { adminRoleRoutes } from "./access/admin-roles.ts";
import { serviceAccountRoutes } from "./access/service-accounts.ts";
import { identityProviderRoutes } from "./identity-providers/identity-providers.ts";
import { samlRoutes } from "./identity-providers/saml.ts";
import { scimRoutes } from "./identity-providers/scim.ts";
import { accountExportRoutes, downloadRoutes } from "./profile/account-export.ts";
import { bindingRoutes } from "./profile/bindings.ts";
import { userSelfRoutes } from "./profile/user-self.ts";
import { registerRoutes, setupRoutes } from "./registration/register.ts";
import { verificationRoutes } from "./registration/verification.ts";
import { accessTokenRoutes } from "./security/access-tokens.ts";
import { securityRoutes } from "./security/security.ts";
import { oauthRoutes } from "./sign-in/oauth.ts";
import { passkeyRoutes } from "./sign-in/passkeys.ts";
import { sessionRoutes } from "./sign-in/session.ts";
import { groupRoutes } from "./users/groups.ts";
import { userRoutes } from "./users/users.ts";

export type IdentityServices = Readonly<{
  db: Db;
  databaseKind: "embedded" | "server";
  changes: Changes;
  vault: Vault;
  settings: Settings;
  users: UserDirectory;
  sessions: Sessions;
  setup: Setup;
  channels: Pick<ChannelDirectory, "modelsOf" | "candidates">;
  clientAddress: ClientAddress;
  sharedLimits: SharedLimits | null;
  mailLimits: MailLimits;
  rateLimits: Pick<Config["rateLimits"], "critical">;
  fetch: SafeFetch;
  mailer: Mailer;
  notifier: Notifier;
  broadcasts: Broadcasts;
  alerter: Alerter;
  notifyAddresses: NotifyAddresses;
  log: Logger;
  signInAddresses: SignInAddresses;
  updateCheckUrl: string | null;
  isOffline: boolean;
  projectUrl: string | null;
  generateDefaultToken: boolean;
  version: string;
  commit: string;
  /** Epoch seconds. */
  startedAt: number;
}>;

/** Management routes for the site, its options, sign-in and users. */
export function identityRoutes(
  services: IdentityServices,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) {
  const signInLimiter = createSignInLimiter(services.sharedLimits);
  const guessLimits = createGuessLimits(services.sharedLimits, services.rateLimits.critical);
  return new Elysia({ name: "console/identity" })
    .use(statusRoutes(services, guarded))
    .use(downloadRoutes(services, guarded))
    .use(setupRoutes(services, limits))
    .use(sessionRoutes({ ...services, guessLimits }, limits))
    .use(registerRoutes(services, limits))
    .use(verificationRoutes(services, limits))
    .use(oauthRoutes(services, limits))
    .use(samlRoutes(services, limits))
    .use(scimRoutes(services))
    .use(bindingRoutes(services, guarded, limits))
    .use(broadcastRoutes(services, guarded))
    .use(announcementRoutes(services, guarded))
    .use(alertRoutes(services, guarded))
    .use(alertRuleRoutes(services, guarded))
    .use(notificationRoutes(services, guarded, limits))
    .use(passkeyRoutes({ ...services, signInLimiter }, guarded, limits))
    .use(accessTokenRoutes({ ...services, signInLimiter }, guarded, limits))
    .use(securityRoutes({ ...services, signInLimiter }, guarded, limits))
    .use(accountExportRoutes({ ...services, signInLimiter }, guarded, limits))
    .use(userSelfRoutes({ ...services, signInLimiter }, guarded))
    .use(userRoutes(services, guarded))
    .use(serviceAccountRoutes(services, guarded))
    .use(adminRoleRoutes(services, guarded))
    .use(identityProviderRoutes(services, guarded))
    .use(groupRoutes(services, guarded))
    .use(optionRoutes(services, guarded))
    .use(settingsTransferRoutes(services, guarded))
    .use(discoveryRoutes(services, guarded))
    .use(ratioRoutes(services, guarded))
    .use(systemInfoRoutes(services, guarded));
}
