import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Db } from "../../../db/types.ts";
import type { Setup } from "../../domain/accounts/registration/setup.ts";
import type { McpLookup } from "../../domain/models/mcp/directory.ts";
import { toText } from "../../lib/values/decimal.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type StatusServices = Readonly<{
  db: Db;
  settings: SettingsReader;
  setup: Setup;
  signInAddresses: Readonly<{ turnstile: string }>;
  projectUrl: string | null;
  /** Absent: there are none. */
  mcpServers?: Pick<McpLookup, "all">;
  version: string;
  /** Epoch seconds. */
  startedAt: number;
}>;

/** Public information about the site, and whether it works. */
export function statusRoutes(services: StatusServices, guarded: ReturnType<typeof guard>) {
  const { db, settings, setup, signInAddresses, projectUrl, mcpServers, version, startedAt } = services;
  return new Elysia({ prefix: "/api", name: "console/status" })
    .use(guarded)
    .get("/status", async () =>
      ok({
        version,
        project_url: projectUrl ?? "",
        start_time: startedAt,
        setup: await setup.isDone(),
        ...publicOptions(settings),
        mcp_sign_ins: mcpServers?.all().some(hasSignIn) ?? false,
        turnstile_script: `${signInAddresses.turnstile}/turnstile/v0/api.js`,
        enable_online_topup: (["PayAddress", "EpayId", "EpayKey"] as const).every((key) => settings.get(key) !== ""),
        // Always true here: usage is written in batches.
        enable_batch_update: true,
      }),
    )
    .get(
      "/status/test",
      async () => {
        await db.execute(sql`select 1`);
        return ok(null, "Server is running");
      },
      { role: "admin" },
    )
    .get("/notice", () => ok(settings.get("Notice")))
    .get("/about", () => ok(settings.get("About")))
    .get("/home_page_content", () => ok(settings.get("HomePageContent")));
}

const hasSignIn = ({ isEnabled, definition }: ReturnType<McpLookup["all"]>[number]): boolean =>
  isEnabled && definition.auth === "oauth";

/** The public options, under the names that clients of one-api and new-api know; none is secret. */
const publicOptions = (settings: SettingsReader) => ({
  system_name: settings.get("SystemName"),
  logo: settings.get("Logo"),
  home_title: settings.get("HomeTitle"),
  home_lead: settings.get("HomeLead"),
  footer_html: settings.get("Footer"),
  server_address: settings.get("ServerAddress"),
  docs_link: settings.get("general_setting.docs_link"),
  top_up_link: settings.get("TopUpLink"),
  chats: settings.get("Chats"),
  ...chatLinks(settings.get("Chats")),
  status_page_enabled: settings.get("StatusPageEnabled"),
  quota_per_unit: settings.get("QuotaPerUnit"),
  display_in_currency: settings.get("DisplayInCurrencyEnabled"),
  default_collapse_sidebar: settings.get("DefaultCollapseSidebar"),
  demo_site_enabled: settings.get("DemoSiteEnabled"),
  self_use_mode_enabled: settings.get("SelfUseModeEnabled"),
  password_login_enabled: settings.get("PasswordLoginEnabled"),
  password_register_enabled: settings.get("PasswordRegisterEnabled"),
  register_enabled: settings.get("RegisterEnabled"),
  invitation_required: settings.get("InvitationRequired"),
  organizations: settings.get("Organizations"),
  provider_keys: settings.get("ProviderKeys") !== "off",
  username_max_length: settings.get("UsernameMaxLength"),
  password_max_length: settings.get("PasswordMaxLength"),
  email_verification: settings.get("EmailVerificationEnabled"),
  oidc_enabled: settings.get("oidc.enabled"),
  oidc_client_id: settings.get("oidc.client_id"),
  oidc_authorization_endpoint: settings.get("oidc.authorization_endpoint"),
  github_oauth: settings.get("GitHubOAuthEnabled"),
  github_client_id: settings.get("GitHubClientId"),
  linuxdo_oauth: settings.get("LinuxDOOAuthEnabled"),
  linuxdo_client_id: settings.get("LinuxDOClientId"),
  discord_oauth: settings.get("DiscordOAuthEnabled"),
  discord_client_id: settings.get("DiscordClientId"),
  wechat_login: settings.get("WeChatAuthEnabled"),
  wechat_qrcode: settings.get("WeChatAccountQRCodeImageURL"),
  telegram_oauth: settings.get("TelegramOAuthEnabled"),
  telegram_bot_name: settings.get("TelegramBotName"),
  turnstile_check: settings.get("TurnstileCheckEnabled"),
  turnstile_site_key: settings.get("TurnstileSiteKey"),
  wxpusher_enabled: settings.get("WxPusherEnabled"),
  price: Number(toText(settings.get("Price"))),
  min_topup: settings.get("MinTopUp"),
  quota_remind_threshold: settings.get("QuotaRemindThreshold"),
  check_in_enabled: settings.get("CheckInEnabled"),
  log_chat_content_enabled: settings.get("LogChatContentEnabled"),
  end_users_enabled: settings.get("EndUsersEnabled"),
  enable_data_export: settings.get("DataExportEnabled"),
  data_export_default_time: settings.get("DataExportDefaultTime"),
  enable_drawing: settings.get("DrawingEnabled"),
  enable_task: settings.get("TaskEnabled"),
  mj_notify_enabled: settings.get("MjNotifyEnabled"),
});

/** The first two links, under the names that one-api and its clients know. */
function chatLinks(chats: readonly Readonly<Record<string, string>>[]) {
  const [first = "", second = ""] = chats.flatMap((entry) => Object.values(entry));
  return { chat_link: first, chat_link2: second };
}
