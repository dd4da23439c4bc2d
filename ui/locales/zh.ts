import about from "./zh/about.json" with { type: "json" };
import agents from "./zh/agents.json" with { type: "json" };
import announcements from "./zh/announcements.json" with { type: "json" };
import api from "./zh/api.json" with { type: "json" };
import audit from "./zh/audit.json" with { type: "json" };
import books from "./zh/books.json" with { type: "json" };
import catalog from "./zh/catalog.json" with { type: "json" };
import channels from "./zh/channels.json" with { type: "json" };
import chat from "./zh/chat.json" with { type: "json" };
import codes from "./zh/codes.json" with { type: "json" };
import components from "./zh/components.json" with { type: "json" };
import dashboard from "./zh/dashboard.json" with { type: "json" };
import doctor from "./zh/doctor.json" with { type: "json" };
import home from "./zh/home.json" with { type: "json" };
import keyUsage from "./zh/keyUsage.json" with { type: "json" };
import live from "./zh/live.json" with { type: "json" };
import logNotes from "./zh/log-notes.json" with { type: "json" };
import login from "./zh/login.json" with { type: "json" };
import logs from "./zh/logs.json" with { type: "json" };
import notifications from "./zh/notifications.json" with { type: "json" };
import oauth from "./zh/oauth.json" with { type: "json" };
import personal from "./zh/personal.json" with { type: "json" };
import playground from "./zh/playground.json" with { type: "json" };
import pricing from "./zh/pricing.json" with { type: "json" };
import reference from "./zh/reference.json" with { type: "json" };
import register from "./zh/register.json" with { type: "json" };
import reset from "./zh/reset.json" with { type: "json" };
import rewards from "./zh/rewards.json" with { type: "json" };
import routing from "./zh/routing.json" with { type: "json" };
import security from "./zh/security.json" with { type: "json" };
import settings from "./zh/settings.json" with { type: "json" };
import setup from "./zh/setup.json" with { type: "json" };
import shell from "./zh/shell.json" with { type: "json" };
import start from "./zh/start.json" with { type: "json" };
import status from "./zh/status.json" with { type: "json" };
import tasks from "./zh/tasks.json" with { type: "json" };
import tokens from "./zh/tokens.json" with { type: "json" };
import users from "./zh/users.json" with { type: "json" };
import wallet from "./zh/wallet.json" with { type: "json" };

export default {
  about,
  agents,
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
  home,
  keyUsage,
  live,
  logNotes,
  login,
  logs,
  notifications,
  oauth,
  personal,
  playground,
  pricing,
  reference,
  register,
  reset,
  rewards,
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
