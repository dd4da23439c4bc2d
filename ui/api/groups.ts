import { treaty } from "@elysiajs/eden/treaty2";
import type { AnyElysia } from "elysia";
import type { accountExportRoutes } from "../../src/console/account-export.ts";
import type { agentRoutes } from "../../src/console/agents.ts";
import type { announcementRoutes } from "../../src/console/announcements.ts";
import type { auditRoutes } from "../../src/console/audit.ts";
import type { bindingRoutes } from "../../src/console/bindings.ts";
import type { bookRoutes } from "../../src/console/books.ts";
import type { broadcastRoutes } from "../../src/console/broadcast.ts";
import type { catalogRoutes } from "../../src/console/catalog.ts";
import type { channelExplainRoutes } from "../../src/console/channel-explain.ts";
import type { channelKeyRoutes } from "../../src/console/channel-keys.ts";
import type { channelTransferRoutes } from "../../src/console/channel-transfer.ts";
import type { channelUpstreamRoutes } from "../../src/console/channel-upstream.ts";
import type { channelRoutes } from "../../src/console/channels.ts";
import type { checkInRoutes } from "../../src/console/check-in.ts";
import type { dataRoutes } from "../../src/console/data.ts";
import type { discoveryRoutes } from "../../src/console/discovery.ts";
import type { doctorRoutes } from "../../src/console/doctor.ts";
import type { downloadRoutes } from "../../src/console/downloads.ts";
import type { groupRoutes } from "../../src/console/groups.ts";
import type { invitationRoutes } from "../../src/console/invitation.ts";
import type { liveRoutes } from "../../src/console/live.ts";
import type { logRoutes } from "../../src/console/logs.ts";
import type { modelStatusRoutes } from "../../src/console/model-status.ts";
import type { modelRoutes } from "../../src/console/models.ts";
import type { notificationRoutes } from "../../src/console/notification.ts";
import type { oauthRoutes } from "../../src/console/oauth.ts";
import type { optionRoutes } from "../../src/console/options.ts";
import type { passkeyRoutes } from "../../src/console/passkeys.ts";
import type { paymentRoutes } from "../../src/console/payments.ts";
import type { pricingRoutes } from "../../src/console/pricing.ts";
import type { ratioRoutes } from "../../src/console/ratios.ts";
import type { redeemRoutes } from "../../src/console/redeem.ts";
import type { redemptionRoutes } from "../../src/console/redemptions.ts";
import type { registerRoutes } from "../../src/console/register.ts";
import type { securityRoutes } from "../../src/console/security.ts";
import type { sessionRoutes } from "../../src/console/session.ts";
import type { settingsTransferRoutes } from "../../src/console/settings-transfer.ts";
import type { setupRoutes } from "../../src/console/setup.ts";
import type { statusRoutes } from "../../src/console/status.ts";
import type { systemInfoRoutes } from "../../src/console/system-info.ts";
import type { taskRoutes } from "../../src/console/tasks.ts";
import type { tokenRoutes } from "../../src/console/tokens.ts";
import type { userSelfRoutes } from "../../src/console/user-self.ts";
import type { userRoutes } from "../../src/console/users.ts";
import type { verificationRoutes } from "../../src/console/verification.ts";
import type { Explanation } from "../../src/gateway/routing/explain.ts";
import { requestHeaders } from "./request-headers.ts";

/**
 * The calls of one group of the server's routes, with the types of its inputs and responses. A client for all routes at
 * once would make every type check instantiate all of them.
 */
const group = <Routes extends (...services: never[]) => AnyElysia>() =>
  treaty<ReturnType<Routes>>("", {
    // Paths of the page's own origin, as they are.
    keepDomain: true,
    // Text that looks like a date, such as a model's name, stays text.
    parseDate: false,
    fetch: { credentials: "same-origin" },
    headers: () => requestHeaders(),
  });

export const accountExportApi = group<typeof accountExportRoutes>().api.user;
export const agentApi = group<typeof agentRoutes>().api.agent;
export const announcementApi = group<typeof announcementRoutes>().api.announcement;
export const auditApi = group<typeof auditRoutes>().api.audit;
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
export const dataApi = group<typeof dataRoutes>().api.data;
export const discoveryApi = group<typeof discoveryRoutes>().api.option;
export const doctorApi = group<typeof doctorRoutes>().api.doctor;
export const downloadApi = group<typeof downloadRoutes>().api.user;
export const groupApi = group<typeof groupRoutes>().api;
export const invitationApi = group<typeof invitationRoutes>().api.user;
export const liveApi = group<typeof liveRoutes>().api.live;
export const logApi = group<typeof logRoutes>().api.log;
export const modelApi = group<typeof modelRoutes>().api;
export const modelStatusApi = group<typeof modelStatusRoutes>().api.status;
export const notificationApi = group<typeof notificationRoutes>().api.user;
export const oauthApi = group<typeof oauthRoutes>().api.oauth;
export const optionApi = group<typeof optionRoutes>().api.option;
export const passkeyApi = group<typeof passkeyRoutes>().api.user;
export const paymentApi = group<typeof paymentRoutes>().api;
export const pricingApi = group<typeof pricingRoutes>().api;
export const ratioApi = group<typeof ratioRoutes>().api.ratio;
export const redeemApi = group<typeof redeemRoutes>().api.user;
export const redemptionApi = group<typeof redemptionRoutes>().api.redemption;
export const registerApi = group<typeof registerRoutes>().api.user;
export const securityApi = group<typeof securityRoutes>().api.user;
export const sessionApi = group<typeof sessionRoutes>().api.user;
export const settingsTransferApi = group<typeof settingsTransferRoutes>().api.option;
export const setupApi = group<typeof setupRoutes>().api.setup;
export const statusApi = group<typeof statusRoutes>().api;
export const systemApi = group<typeof systemInfoRoutes>().api.system;
export const taskApi = group<typeof taskRoutes>().api;
export const tokenApi = group<typeof tokenRoutes>().api.token;
export const userSelfApi = group<typeof userSelfRoutes>().api.user;
export const usersApi = group<typeof userRoutes>().api.user;
export const verificationApi = group<typeof verificationRoutes>().api;
