import { type AnyElysia, Elysia } from "elysia";
import { identityRoutes } from "../../console/accounts/identity.ts";
import { organizationRoutes } from "../../console/accounts/organizations/organizations.ts";
import { storedChatRoutes } from "../../console/accounts/profile/stored-chats.ts";
import { apiKeyRoutes, keyLeakRoutes, tokenBody } from "../../console/api-keys/api-keys.ts";
import { applicationRoutes } from "../../console/api-keys/applications.ts";
import { deviceRoutes } from "../../console/api-keys/device.ts";
import { oauthRoutes } from "../../console/api-keys/oauth.ts";
import { channelCheckRoutes } from "../../console/channels/authenticity.ts";
import { channelBody, channelRoutes } from "../../console/channels/channels.ts";
import { channelExplainRoutes, type Explain } from "../../console/channels/explain.ts";
import { channelKeyRoutes } from "../../console/channels/keys.ts";
import { providerKeyRoutes } from "../../console/channels/provider-keys.ts";
import { channelTransferRoutes } from "../../console/channels/transfer.ts";
import { channelUpstreamRoutes } from "../../console/channels/upstream.ts";
import { envelope } from "../../console/http/envelope.ts";
import { guard } from "../../console/http/guard.ts";
import { rateLimit } from "../../console/http/rate-limit.ts";
import { bodyLimit, plainPath, sameOrigin } from "../../console/http/request-checks.ts";
import { logArchiveRoutes } from "../../console/logs/archive.ts";
import { auditRoutes } from "../../console/logs/audit.ts";
import { failureRoutes } from "../../console/logs/failures.ts";
import { liveRoutes, logRoutes } from "../../console/logs/logs.ts";
import { agentSessionRoutes } from "../../console/logs/sessions.ts";
import { sinkRoutes } from "../../console/logs/sinks.ts";
import { dataRoutes } from "../../console/logs/usage.ts";
import { catalogRoutes } from "../../console/models/catalog.ts";
import { experimentRoutes } from "../../console/models/experiments.ts";
import { guardrailRoutes } from "../../console/models/guardrails.ts";
import { mcpRoutes } from "../../console/models/mcp/mcp.ts";
import { mcpSignInRoutes } from "../../console/models/mcp/sign-ins.ts";
import { mcpTrialRoutes, type TryTool } from "../../console/models/mcp/trial.ts";
import { modelRoutes, modelStatusRoutes } from "../../console/models/models.ts";
import { playgroundRoutes } from "../../console/models/playground-models.ts";
import { pricingRoutes } from "../../console/models/pricing/pricing.ts";
import type { PublicModels } from "../../console/models/public-models.ts";
import { replayRoutes } from "../../console/models/replays.ts";
import { responseCacheRoutes } from "../../console/models/response-cache.ts";
import { modelRouteRoutes } from "../../console/models/routes.ts";
import { configurationRoutes } from "../../console/system/configuration/configuration.ts";
import { managedLock } from "../../console/system/configuration/managed-lock.ts";
import { createConfigurationSchema } from "../../console/system/configuration/schema.ts";
import { bookRoutes, doctorRoutes } from "../../console/system/diagnostics.ts";
import { firstStepsRoutes } from "../../console/system/first-steps.ts";
import { jobRoutes } from "../../console/system/jobs.ts";
import { journalRoutes } from "../../console/system/journal.ts";
import { taskRoutes } from "../../console/tasks.ts";
import { redemptionRoutes } from "../../console/wallet/codes.ts";
import { planBody } from "../../console/wallet/plans.ts";
import { walletRoutes } from "../../console/wallet/wallet.ts";
import { identifyUser } from "../../domain/accounts/authenticate.ts";
import { sessionAccount } from "../../domain/accounts/organizations/members/acting.ts";
import { createMailLimits } from "../../domain/accounts/registration/mail-limits.ts";
import { createClientDocuments } from "../../domain/api-keys/authorization/clients/client-documents.ts";
import type { ReadLive } from "../../domain/channels/current-state.ts";
import type { ModelHealthReader } from "../../domain/models/model-health.ts";
import type { Replayer } from "../../domain/models/replays/replayer.ts";
import type { PredictOutcomes } from "../../domain/models/routes/simulation.ts";
import type { DiagnosticsContext } from "../../domain/system/diagnostics/diagnostics-context.ts";
import { countText } from "../../gateway/money/count-tokens.ts";
import type { Explanation } from "../../gateway/quality/explain.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Services } from "../services.ts";
import { commit, version } from "../version.ts";

/** How files of the site's configuration are checked. */
export const configurationSchema = createConfigurationSchema({
  channel: channelBody,
  key: tokenBody,
  plan: planBody.properties,
});

/**
 * Everything under /api. The console takes the types of each group of routes from its own function (ui/api/groups.ts): all
 * of them together are too many for the compiler.
 */
export function managementApi(
  services: Services,
  explain: Explain<Explanation>,
  readLive: ReadLive,
  context: DiagnosticsContext,
  models: Readonly<{
    modelHealth: ModelHealthReader;
    publicModels: PublicModels;
    predictOutcomes: PredictOutcomes;
    replayer: Replayer;
    tryTool: TryTool;
  }>,
): AnyElysia {
  const { database, changes, vault, channels, config } = services;
  const shared = {
    ...services,
    ...models,
    signInAddresses: config.signInAddresses,
    rateLimits: config.rateLimits,
    mailLimits: createMailLimits(services),
    updateCheckUrl: config.updateCheckUrl,
    isOffline: config.isOffline,
    projectUrl: config.projectUrl,
    generateDefaultToken: config.generateDefaultToken,
    stripeAddress: config.stripeAddress,
    db: database.db,
    databaseKind: database.kind,
    notifyAddresses: config.notifyAddresses,
    version,
    commit,
    startedAt: nowSeconds(),
  };
  const operations = { db: database.db, changes, vault, channels, readLive };
  const documents = createClientDocuments(config.isOffline ? null : services.tasks.hookFetch);
  const applications = { ...shared, documents };
  const guarded = guard({ ...services, db: database.db });
  const limits = rateLimit({
    ...services,
    rateLimits: config.rateLimits,
    identify: (request) => identifyUser({ ...services, db: database.db }, request),
  });
  return new Elysia({ name: "management" })
    .use(envelope(services))
    .use(plainPath())
    .use(limits)
    .use(bodyLimit(config.maxRequestBodyBytes))
    .use(sameOrigin(services))
    .use(managedLock(shared))
    .use(identityRoutes(shared, guarded, limits))
    .use(organizationRoutes(shared, guarded, limits))
    .use(pricingRoutes(shared, (request) => sessionAccount(shared, request, "organization.read")))
    .use(modelStatusRoutes(shared, (request) => sessionAccount(shared, request, "organization.read")))
    .use(channelExplainRoutes(explain, guarded))
    .use(channelUpstreamRoutes(shared, guarded))
    .use(channelCheckRoutes({ ...shared, countTokens: countText }, guarded))
    .use(modelRoutes(services, guarded))
    .use(catalogRoutes(shared, guarded))
    .use(modelRouteRoutes(shared, guarded))
    .use(guardrailRoutes(shared, guarded))
    .use(mcpRoutes(shared, guarded))
    .use(mcpTrialRoutes(shared, guarded))
    .use(mcpSignInRoutes({ ...shared, send: services.mcpFetches.send }, guarded, limits))
    .use(experimentRoutes(shared, guarded))
    .use(responseCacheRoutes(shared, guarded))
    .use(replayRoutes(shared, guarded))
    .use(playgroundRoutes(shared, guarded))
    .use(storedChatRoutes(shared, guarded))
    .use(channelRoutes(operations, guarded))
    .use(channelTransferRoutes({ ...operations, version }, guarded))
    .use(channelKeyRoutes({ ...operations, fetch: services.fetch }, guarded))
    .use(taskRoutes(shared, guarded))
    .use(apiKeyRoutes(shared, guarded))
    .use(providerKeyRoutes(shared, guarded))
    .use(keyLeakRoutes(shared))
    .use(deviceRoutes(shared, guarded))
    .use(oauthRoutes(applications))
    .use(applicationRoutes(applications, guarded))
    .use(redemptionRoutes(shared, guarded))
    .use(auditRoutes(shared, guarded))
    .use(bookRoutes(shared, guarded))
    .use(journalRoutes(services, guarded))
    .use(jobRoutes(shared, guarded))
    .use(firstStepsRoutes(shared, guarded))
    .use(doctorRoutes(context, guarded))
    .use(walletRoutes(shared, guarded))
    .use(dataRoutes(shared, guarded))
    .use(logRoutes(services, guarded))
    .use(logArchiveRoutes(shared, guarded))
    .use(failureRoutes(shared, guarded))
    .use(agentSessionRoutes(shared, guarded))
    .use(sinkRoutes(shared, guarded))
    .use(configurationRoutes({ ...shared, configurationSchema }, guarded))
    .use(liveRoutes(services, guarded));
}
