import { treaty } from "@elysiajs/eden/treaty2";
import type { AnyElysia } from "elysia";
import type { adminRoleRoutes } from "../../src/console/accounts/access/admin-roles.ts";
import type { serviceAccountRoutes } from "../../src/console/accounts/access/service-accounts.ts";
import type { identityProviderRoutes } from "../../src/console/accounts/identity-providers/identity-providers.ts";
import type { organizationRoutes } from "../../src/console/accounts/organizations/organizations.ts";
import type { accountExportRoutes, downloadRoutes } from "../../src/console/accounts/profile/account-export.ts";
import type { bindingRoutes } from "../../src/console/accounts/profile/bindings.ts";
import type { storedChatRoutes } from "../../src/console/accounts/profile/stored-chats.ts";
import type { userSelfRoutes } from "../../src/console/accounts/profile/user-self.ts";
import type { registerRoutes, setupRoutes } from "../../src/console/accounts/registration/register.ts";
import type { verificationRoutes } from "../../src/console/accounts/registration/verification.ts";
import type { accessTokenRoutes } from "../../src/console/accounts/security/access-tokens.ts";
import type { securityRoutes } from "../../src/console/accounts/security/security.ts";
import type { oauthRoutes } from "../../src/console/accounts/sign-in/oauth.ts";
import type { passkeyRoutes } from "../../src/console/accounts/sign-in/passkeys.ts";
import type { sessionRoutes } from "../../src/console/accounts/sign-in/session.ts";
import type { groupRoutes } from "../../src/console/accounts/users/groups.ts";
import type { userRoutes } from "../../src/console/accounts/users/users.ts";
import type { alertRuleRoutes } from "../../src/console/alerts/alert-rules.ts";
import type { alertRoutes } from "../../src/console/alerts/alerts.ts";
import type { apiKeyRoutes } from "../../src/console/api-keys/api-keys.ts";
import type { applicationRoutes } from "../../src/console/api-keys/applications.ts";
import type { deviceRoutes } from "../../src/console/api-keys/device.ts";
import type { channelCheckRoutes } from "../../src/console/channels/authenticity.ts";
import type { channelRoutes } from "../../src/console/channels/channels.ts";
import type { channelExplainRoutes } from "../../src/console/channels/explain.ts";
import type { channelKeyRoutes } from "../../src/console/channels/keys.ts";
import type { providerKeyRoutes } from "../../src/console/channels/provider-keys.ts";
import type { channelTransferRoutes } from "../../src/console/channels/transfer.ts";
import type { channelUpstreamRoutes } from "../../src/console/channels/upstream.ts";
import type { logArchiveRoutes } from "../../src/console/logs/archive.ts";
import type { auditRoutes } from "../../src/console/logs/audit.ts";
import type { failureRoutes } from "../../src/console/logs/failures.ts";
import type { liveRoutes, logRoutes } from "../../src/console/logs/logs.ts";
import type { agentSessionRoutes } from "../../src/console/logs/sessions.ts";
import type { sinkRoutes } from "../../src/console/logs/sinks.ts";
import type { dataRoutes } from "../../src/console/logs/usage.ts";
import type { catalogRoutes } from "../../src/console/models/catalog.ts";
import type { experimentRoutes } from "../../src/console/models/experiments.ts";
import type { guardrailRoutes } from "../../src/console/models/guardrails.ts";
import type { mcpRoutes } from "../../src/console/models/mcp/mcp.ts";
import type { mcpSignInRoutes } from "../../src/console/models/mcp/sign-ins.ts";
import type { mcpTrialRoutes } from "../../src/console/models/mcp/trial.ts";
import type { modelRoutes, modelStatusRoutes } from "../../src/console/models/models.ts";
import type { playgroundRoutes } from "../../src/console/models/playground-models.ts";
import type { pricingRoutes } from "../../src/console/models/pricing/pricing.ts";
import type { ratioRoutes } from "../../src/console/models/pricing/ratios.ts";
import type { replayRoutes } from "../../src/console/models/replays.ts";
import type { responseCacheRoutes } from "../../src/console/models/response-cache.ts";
import type { modelRouteRoutes } from "../../src/console/models/routes.ts";
import type { announcementRoutes } from "../../src/console/notifications/announcements.ts";
import type { broadcastRoutes } from "../../src/console/notifications/broadcasts.ts";
import type { notificationRoutes } from "../../src/console/notifications/notifications.ts";
import type { optionRoutes, settingsTransferRoutes } from "../../src/console/settings/options.ts";
import type { configurationRoutes } from "../../src/console/system/configuration/configuration.ts";
import type { bookRoutes, doctorRoutes } from "../../src/console/system/diagnostics.ts";
import type { firstStepsRoutes } from "../../src/console/system/first-steps.ts";
import type { jobRoutes } from "../../src/console/system/jobs.ts";
import type { journalRoutes } from "../../src/console/system/journal.ts";
import type { statusRoutes } from "../../src/console/system/status.ts";
import type { discoveryRoutes, systemInfoRoutes } from "../../src/console/system/system-info.ts";
import type { taskRoutes } from "../../src/console/tasks.ts";
import type { agentRoutes } from "../../src/console/wallet/agents.ts";
import type { redemptionRoutes } from "../../src/console/wallet/codes.ts";
import type { autoTopUpRoutes, paymentRoutes } from "../../src/console/wallet/payments/payments.ts";
import type { planRoutes } from "../../src/console/wallet/plans.ts";
import type { statementRoutes } from "../../src/console/wallet/statements.ts";
import type { checkInRoutes, invitationRoutes, redeemRoutes } from "../../src/console/wallet/wallet.ts";
import type { Explanation } from "../../src/gateway/quality/explain.ts";
import { BASE_PATH } from "../lib/base-path.ts";
import { fetchSignedIn } from "./accounts/fetch-signed-in.ts";
import { requestHeaders } from "./request.ts";

/** As `fetch`, of which this library sends nothing but text addresses. */
const FETCHER: typeof fetch = Object.assign(
  (url: URL | Request | string, init?: RequestInit) =>
    fetchSignedIn(url instanceof Request ? url.url : String(url), init),
  { preconnect: fetch.preconnect },
);

/**
 * The calls of one group of the server's routes, with the types of its inputs and responses. A client for all routes at
 * once would make every type check instantiate all of them.
 */
const group = <Routes extends (...services: never[]) => AnyElysia>() =>
  treaty<ReturnType<Routes>>(BASE_PATH, {
    // Same-origin paths, used unchanged.
    keepDomain: true,
    // Don't parse text that looks like a date, such as a model name.
    parseDate: false,
    fetch: { credentials: "same-origin" },
    headers: (path) => requestHeaders(path),
    fetcher: FETCHER,
  });

export const accessTokenApi = group<typeof accessTokenRoutes>().api.user.access_tokens;
export const accountExportApi = group<typeof accountExportRoutes>().api.user;
export const agentApi = group<typeof agentRoutes>().api.agent;
export const alertApi = group<typeof alertRoutes>().api.alerts;
export const alertRuleApi = group<typeof alertRuleRoutes>().api.alerts.rules;
export const applicationApi = group<typeof applicationRoutes>().api.applications;
export const announcementApi = group<typeof announcementRoutes>().api.announcement;
export const auditApi = group<typeof auditRoutes>().api.audit;
export const autoTopUpApi = group<typeof autoTopUpRoutes>().api.user.auto_top_up;
export const bindingApi = group<typeof bindingRoutes>().api;
export const bookApi = group<typeof bookRoutes>().api.books;
export const broadcastApi = group<typeof broadcastRoutes>().api.broadcast;
export const catalogApi = group<typeof catalogRoutes>().api.catalog;
export const channelApi = group<typeof channelRoutes>().api.channel;
export const channelExplainApi = group<typeof channelExplainRoutes<Explanation>>().api.channel;
export const channelKeyApi = group<typeof channelKeyRoutes>().api.channel;
export const channelTransferApi = group<typeof channelTransferRoutes>().api.channel;
export const channelUpstreamApi = group<typeof channelUpstreamRoutes>().api.channel;
export const checkInApi = group<typeof checkInRoutes>().api.user;
export const configurationApi = group<typeof configurationRoutes>().api.configuration;
export const dataApi = group<typeof dataRoutes>().api.data;
export const deviceApi = group<typeof deviceRoutes>().api.device;
export const discoveryApi = group<typeof discoveryRoutes>().api.option;
export const doctorApi = group<typeof doctorRoutes>().api.doctor;
export const downloadApi = group<typeof downloadRoutes>().api.user;
export const decisionApi = group<typeof firstStepsRoutes>().api.system.decisions;
export const firstStepsApi = group<typeof firstStepsRoutes>().api.system.first_steps;
export const journalApi = group<typeof journalRoutes>().api.journal;
export const jobApi = group<typeof jobRoutes>().api.jobs;
export const groupApi = group<typeof groupRoutes>().api;
export const identityProviderApi = group<typeof identityProviderRoutes>().api.identity_provider;
export const invitationApi = group<typeof invitationRoutes>().api.user;
export const liveApi = group<typeof liveRoutes>().api.live;
export const logApi = group<typeof logRoutes>().api.log;
export const logArchiveApi = group<typeof logArchiveRoutes>().api["log-archives"];
export const modelApi = group<typeof modelRoutes>().api;
export const modelStatusApi = group<typeof modelStatusRoutes>().api.status;
export const notificationApi = group<typeof notificationRoutes>().api.user;
export const oauthApi = group<typeof oauthRoutes>().api.oauth;
export const optionApi = group<typeof optionRoutes>().api.option;
export const organizationApi = group<typeof organizationRoutes>().api.organization;
export const passkeyApi = group<typeof passkeyRoutes>().api.user;
export const paymentApi = group<typeof paymentRoutes>().api;
export const storedChatApi = group<typeof storedChatRoutes>().api.playground;
export const playgroundApi = group<typeof playgroundRoutes>().api.playground;
export const planApi = group<typeof planRoutes>().api;
export const providerKeyApi = group<typeof providerKeyRoutes>().api.provider_keys;
export const pricingApi = group<typeof pricingRoutes>().api;
export const ratioApi = group<typeof ratioRoutes>().api.ratio;
export const redeemApi = group<typeof redeemRoutes>().api.user;
export const redemptionApi = group<typeof redemptionRoutes>().api.redemption;
export const registerApi = group<typeof registerRoutes>().api.user;
export const channelCheckApi = group<typeof channelCheckRoutes>().api["channel-checks"];
export const replayApi = group<typeof replayRoutes>().api.replays;
export const responseCacheApi = group<typeof responseCacheRoutes>().api.response_cache;
export const experimentApi = group<typeof experimentRoutes>().api.experiments;
export const guardrailApi = group<typeof guardrailRoutes>().api.guardrail;
export const mcpApi = group<typeof mcpRoutes>().api["mcp-server"];
export const mcpSignInApi = group<typeof mcpSignInRoutes>().api.mcp_sign_ins;
export const mcpTrialApi = group<typeof mcpTrialRoutes>().api["mcp-server"];
export const routeApi = group<typeof modelRouteRoutes>().api.route;
export const securityApi = group<typeof securityRoutes>().api.user;
export const failureApi = group<typeof failureRoutes>().api.failures;
export const agentSessionApi = group<typeof agentSessionRoutes>().api.sessions;
export const adminRoleApi = group<typeof adminRoleRoutes>().api.admin_role;
export const serviceAccountApi = group<typeof serviceAccountRoutes>().api.service_account;
export const sessionApi = group<typeof sessionRoutes>().api.user;
export const settingsTransferApi = group<typeof settingsTransferRoutes>().api.option;
export const setupApi = group<typeof setupRoutes>().api.setup;
export const statementApi = group<typeof statementRoutes>().api;
export const sinkApi = group<typeof sinkRoutes>().api.sinks;
export const statusApi = group<typeof statusRoutes>().api;
export const systemApi = group<typeof systemInfoRoutes>().api.system;
export const taskApi = group<typeof taskRoutes>().api;
export const tokenApi = group<typeof apiKeyRoutes>().api.token;
export const userSelfApi = group<typeof userSelfRoutes>().api.user;
export const usersApi = group<typeof userRoutes>().api.user;
export const verificationApi = group<typeof verificationRoutes>().api;
