import keyUsage from "./zh/account/keyUsage.json" with { type: "json" };
import login from "./zh/account/login.json" with { type: "json" };
import oauth from "./zh/account/oauth.json" with { type: "json" };
import organizations from "./zh/account/organizations.json" with { type: "json" };
import personal from "./zh/account/personal.json" with { type: "json" };
import register from "./zh/account/register.json" with { type: "json" };
import reset from "./zh/account/reset.json" with { type: "json" };
import rewards from "./zh/account/rewards.json" with { type: "json" };
import security from "./zh/account/security.json" with { type: "json" };
import setup from "./zh/account/setup.json" with { type: "json" };
import tokens from "./zh/account/tokens.json" with { type: "json" };
import wallet from "./zh/account/wallet.json" with { type: "json" };
import agents from "./zh/admin/agents.json" with { type: "json" };
import alerts from "./zh/admin/alerts.json" with { type: "json" };
import audit from "./zh/admin/audit.json" with { type: "json" };
import books from "./zh/admin/books.json" with { type: "json" };
import codes from "./zh/admin/codes.json" with { type: "json" };
import doctor from "./zh/admin/doctor.json" with { type: "json" };
import jobs from "./zh/admin/jobs.json" with { type: "json" };
import notifications from "./zh/admin/notifications.json" with { type: "json" };
import settings from "./zh/admin/settings.json" with { type: "json" };
import users from "./zh/admin/users.json" with { type: "json" };
import catalog from "./zh/gateway/catalog.json" with { type: "json" };
import channels from "./zh/gateway/channels.json" with { type: "json" };
import chat from "./zh/gateway/chat.json" with { type: "json" };
import dashboard from "./zh/gateway/dashboard.json" with { type: "json" };
import live from "./zh/gateway/live.json" with { type: "json" };
import logNotes from "./zh/gateway/log-notes.json" with { type: "json" };
import logs from "./zh/gateway/logs.json" with { type: "json" };
import playground from "./zh/gateway/playground.json" with { type: "json" };
import pricing from "./zh/gateway/pricing.json" with { type: "json" };
import routes from "./zh/gateway/routes.json" with { type: "json" };
import routing from "./zh/gateway/routing.json" with { type: "json" };
import tasks from "./zh/gateway/tasks.json" with { type: "json" };
import api from "./zh/shell/api.json" with { type: "json" };
import components from "./zh/shell/components.json" with { type: "json" };
import shell from "./zh/shell/shell.json" with { type: "json" };
import start from "./zh/shell/start.json" with { type: "json" };
import about from "./zh/site/about.json" with { type: "json" };
import announcements from "./zh/site/announcements.json" with { type: "json" };
import home from "./zh/site/home.json" with { type: "json" };
import reference from "./zh/site/reference.json" with { type: "json" };
import status from "./zh/site/status.json" with { type: "json" };

export default {
  about,
  agents,
  alerts,
  announcements,
  api,
  audit,
  books,
  catalog,
  channels,
  chat,
  codes,
  components,
  dashboard,
  doctor,
  jobs,
  home,
  keyUsage,
  live,
  logNotes,
  login,
  logs,
  notifications,
  oauth,
  organizations,
  personal,
  playground,
  pricing,
  reference,
  register,
  reset,
  rewards,
  routes,
  routing,
  security,
  settings,
  setup,
  shell,
  start,
  status,
  tasks,
  tokens,
  users,
  wallet,
};
