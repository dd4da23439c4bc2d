import keyUsage from "./en/account/keyUsage.json" with { type: "json" };
import login from "./en/account/login.json" with { type: "json" };
import oauth from "./en/account/oauth.json" with { type: "json" };
import organizations from "./en/account/organizations.json" with { type: "json" };
import personal from "./en/account/personal.json" with { type: "json" };
import register from "./en/account/register.json" with { type: "json" };
import reset from "./en/account/reset.json" with { type: "json" };
import rewards from "./en/account/rewards.json" with { type: "json" };
import security from "./en/account/security.json" with { type: "json" };
import setup from "./en/account/setup.json" with { type: "json" };
import tokens from "./en/account/tokens.json" with { type: "json" };
import wallet from "./en/account/wallet.json" with { type: "json" };
import agents from "./en/admin/agents.json" with { type: "json" };
import alerts from "./en/admin/alerts.json" with { type: "json" };
import audit from "./en/admin/audit.json" with { type: "json" };
import books from "./en/admin/books.json" with { type: "json" };
import codes from "./en/admin/codes.json" with { type: "json" };
import doctor from "./en/admin/doctor.json" with { type: "json" };
import jobs from "./en/admin/jobs.json" with { type: "json" };
import notifications from "./en/admin/notifications.json" with { type: "json" };
import settings from "./en/admin/settings.json" with { type: "json" };
import users from "./en/admin/users.json" with { type: "json" };
import catalog from "./en/gateway/catalog.json" with { type: "json" };
import channels from "./en/gateway/channels.json" with { type: "json" };
import chat from "./en/gateway/chat.json" with { type: "json" };
import dashboard from "./en/gateway/dashboard.json" with { type: "json" };
import live from "./en/gateway/live.json" with { type: "json" };
import logNotes from "./en/gateway/log-notes.json" with { type: "json" };
import logs from "./en/gateway/logs.json" with { type: "json" };
import playground from "./en/gateway/playground.json" with { type: "json" };
import pricing from "./en/gateway/pricing.json" with { type: "json" };
import routes from "./en/gateway/routes.json" with { type: "json" };
import routing from "./en/gateway/routing.json" with { type: "json" };
import tasks from "./en/gateway/tasks.json" with { type: "json" };
import api from "./en/shell/api.json" with { type: "json" };
import components from "./en/shell/components.json" with { type: "json" };
import shell from "./en/shell/shell.json" with { type: "json" };
import start from "./en/shell/start.json" with { type: "json" };
import about from "./en/site/about.json" with { type: "json" };
import announcements from "./en/site/announcements.json" with { type: "json" };
import home from "./en/site/home.json" with { type: "json" };
import reference from "./en/site/reference.json" with { type: "json" };
import status from "./en/site/status.json" with { type: "json" };

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
