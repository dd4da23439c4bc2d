import about from "./en/about.json" with { type: "json" };
import agents from "./en/agents.json" with { type: "json" };
import announcements from "./en/announcements.json" with { type: "json" };
import api from "./en/api.json" with { type: "json" };
import audit from "./en/audit.json" with { type: "json" };
import books from "./en/books.json" with { type: "json" };
import catalog from "./en/catalog.json" with { type: "json" };
import channels from "./en/channels.json" with { type: "json" };
import chat from "./en/chat.json" with { type: "json" };
import codes from "./en/codes.json" with { type: "json" };
import components from "./en/components.json" with { type: "json" };
import dashboard from "./en/dashboard.json" with { type: "json" };
import doctor from "./en/doctor.json" with { type: "json" };
import home from "./en/home.json" with { type: "json" };
import keyUsage from "./en/keyUsage.json" with { type: "json" };
import live from "./en/live.json" with { type: "json" };
import logNotes from "./en/log-notes.json" with { type: "json" };
import login from "./en/login.json" with { type: "json" };
import logs from "./en/logs.json" with { type: "json" };
import notifications from "./en/notifications.json" with { type: "json" };
import oauth from "./en/oauth.json" with { type: "json" };
import personal from "./en/personal.json" with { type: "json" };
import playground from "./en/playground.json" with { type: "json" };
import pricing from "./en/pricing.json" with { type: "json" };
import reference from "./en/reference.json" with { type: "json" };
import register from "./en/register.json" with { type: "json" };
import reset from "./en/reset.json" with { type: "json" };
import rewards from "./en/rewards.json" with { type: "json" };
import routing from "./en/routing.json" with { type: "json" };
import security from "./en/security.json" with { type: "json" };
import settings from "./en/settings.json" with { type: "json" };
import setup from "./en/setup.json" with { type: "json" };
import shell from "./en/shell.json" with { type: "json" };
import start from "./en/start.json" with { type: "json" };
import status from "./en/status.json" with { type: "json" };
import tasks from "./en/tasks.json" with { type: "json" };
import tokens from "./en/tokens.json" with { type: "json" };
import users from "./en/users.json" with { type: "json" };
import wallet from "./en/wallet.json" with { type: "json" };

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
