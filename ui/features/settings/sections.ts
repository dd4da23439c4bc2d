import { PRICE_KEYS } from "./price-maps.ts";
import {
  address,
  endpoint,
  json,
  on,
  percent,
  quota,
  type SettingField,
  secret,
  share,
  text,
  whole,
} from "./setting-field.ts";

export const TABS = ["operation", "ratelimit", "models", "system", "other"] as const;
export type SettingTab = (typeof TABS)[number];

/** What a section has beside its fields; it is drawn by a component of its own. */
export type Extra =
  | "clearLogs"
  | "groups"
  | "chats"
  | "pricing"
  | "discovery"
  | "systemInfo"
  | "announcements"
  | "transfer"
  | "calculator";

export type SettingSection = Readonly<{
  /** Under `settings.sections` in the words. */
  id: string;
  tab: SettingTab;
  fields: readonly SettingField[];
  extra?: Extra;
  /** The component draws the fields too. */
  drawsFields?: true;
  /** Saving asks for the server's address first. */
  needsServerAddress?: true;
}>;

const OPERATION: readonly Omit<SettingSection, "tab">[] = [
  {
    id: "quota",
    fields: [
      ...quota("QuotaForNewUser", "QuotaForInviter", "QuotaForInvitee"),
      whole("PreConsumedQuota", 0, "tokens"),
      percent("RechargeCashbackRate"),
      ...quota("MinRechargeCashbackQuota"),
      ...on("RebateEnabled"),
      percent("RebatePercentage"),
      whole("StreamCacheQueueLength", 0),
    ],
  },
  {
    id: "groups",
    fields: [json("GroupRatio"), json("UserUsableGroups"), json("GroupDiscounts", "list")],
    extra: "groups",
    drawsFields: true,
  },
  {
    id: "pricing",
    fields: ([...PRICE_KEYS, "VideoPrice", "ToolPrice", "ContextTiers"] as const).map((key) => json(key)),
    extra: "pricing",
    drawsFields: true,
  },
  { id: "calculator", fields: [], extra: "calculator" },
  { id: "chats", fields: [json("Chats", "list")], extra: "chats", drawsFields: true },
  { id: "announcements", fields: on("PriceChangeNoticeEnabled"), extra: "announcements" },
  {
    id: "general",
    fields: [
      ...text("TopUpLink", "general_setting.docs_link"),
      whole("QuotaPerUnit", 1, "perDollar"),
      whole("RetryTimes", 0),
      ...on(
        "DisplayInCurrencyEnabled",
        "DisplayTokenStatEnabled",
        "DefaultCollapseSidebar",
        "StatusPageEnabled",
        "DemoSiteEnabled",
        "SelfUseModeEnabled",
      ),
    ],
  },
  {
    id: "monitoring",
    fields: [
      { key: "ChannelDisableThreshold", kind: "number", min: 0, unit: "seconds" },
      ...quota("QuotaRemindThreshold"),
      ...on("AutomaticDisableChannelEnabled", "AutomaticEnableChannelEnabled"),
      { key: "ChannelKeyProbeMinutes", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelTestFrequency", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelUpdateFrequency", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelBalanceWarning", kind: "number", min: 0 },
      { key: "ChannelModelListFrequency", kind: "number", min: 0, unit: "hours" },
      { key: "AutomaticDisableKeywords", kind: "lines" },
    ],
  },
  {
    id: "checkIn",
    fields: [
      ...on("CheckInEnabled"),
      { key: "CheckInQuota", kind: "quota", step: 100 },
      { key: "CheckInMaxQuota", kind: "quota", step: 100 },
      ...text("CheckInTimeZone"),
    ],
  },
  {
    id: "logging",
    fields: [
      ...on("LogConsumeEnabled", "LogChatContentEnabled", "LogContentRedactEnabled"),
      whole("LogContentMaxCharacters", 100),
      { key: "LogContentRedactPatterns", kind: "lines" },
    ],
    extra: "clearLogs",
  },
  {
    id: "dashboard",
    fields: [
      ...on("DataExportEnabled"),
      whole("DataExportInterval", 1, "minutes"),
      { key: "DataExportDefaultTime", kind: "choice", choices: ["hour", "day", "week"] },
    ],
  },
  {
    id: "drawing",
    fields: on(
      "DrawingEnabled",
      "TaskEnabled",
      "MjNotifyEnabled",
      "MjAccountFilterEnabled",
      "MjForwardUrlEnabled",
      "MjModeClearEnabled",
      "MjActionCheckSuccessEnabled",
    ),
  },
  {
    id: "sensitive",
    fields: [
      ...on(
        "CheckSensitiveEnabled",
        "CheckSensitiveOnPromptEnabled",
        "CheckSensitiveOnCompletionEnabled",
        "StopOnSensitiveEnabled",
      ),
      { key: "SensitiveWords", kind: "lines" },
    ],
  },
];

const RATE_LIMIT: readonly Omit<SettingSection, "tab">[] = [
  {
    id: "rateLimit",
    fields: [
      ...on("ModelRequestRateLimitEnabled"),
      whole("ModelRequestRateLimitDurationMinutes", 0, "minutes"),
      whole("ModelRequestRateLimitCount", -1, "requests"),
      whole("ModelRequestRateLimitSuccessCount", 1, "requests"),
    ],
  },
];

const MODELS: readonly Omit<SettingSection, "tab">[] = [
  {
    id: "global",
    fields: [
      ...on(
        "global.pass_through_request_enabled",
        "global.hide_upstream_error_enabled",
        "global.block_browser_extension_enabled",
        "general_setting.ping_interval_enabled",
      ),
      whole("general_setting.ping_interval_seconds", 1, "seconds"),
      whole("responses.keep_hours", 0, "hours"),
    ],
  },
  {
    id: "gemini",
    fields: [
      json("gemini.safety_settings"),
      json("gemini.version_settings"),
      json("gemini.supported_imagine_models", "list"),
      ...on("gemini.thinking_adapter_enabled"),
      share("gemini.thinking_adapter_budget_tokens_percentage"),
      json("gemini.models_supported_thinking_budget", "list"),
    ],
  },
  {
    id: "claude",
    fields: [
      json("claude.model_headers_settings"),
      json("claude.default_max_tokens"),
      ...on("claude.thinking_adapter_enabled"),
      share("claude.thinking_adapter_budget_tokens_percentage"),
    ],
  },
];

const SYSTEM: readonly Omit<SettingSection, "tab">[] = [
  { id: "server", fields: address("ServerAddress") },
  {
    id: "login",
    fields: on(
      "PasswordLoginEnabled",
      "PasswordRegisterEnabled",
      "RegisterEnabled",
      "EmailVerificationEnabled",
      "GitHubOAuthEnabled",
      "LinuxDOOAuthEnabled",
      "DiscordOAuthEnabled",
      "WeChatAuthEnabled",
      "TelegramOAuthEnabled",
      "TurnstileCheckEnabled",
    ),
  },
  {
    id: "emailDomains",
    fields: [
      ...on("EmailDomainRestrictionEnabled", "EmailAliasRestrictionEnabled"),
      { key: "EmailDomainWhitelist", kind: "domains" },
    ],
  },
  {
    id: "smtp",
    fields: [
      ...text("SMTPServer"),
      { key: "SMTPPort", kind: "number", min: 1, max: 65_535, isWhole: true },
      ...text("SMTPAccount", "SMTPFrom"),
      secret("SMTPToken"),
      ...on("SMTPSSLEnabled"),
    ],
  },
  {
    id: "payment",
    needsServerAddress: true,
    fields: [
      ...address("PayAddress"),
      ...text("EpayId"),
      secret("EpayKey"),
      ...address("CustomCallbackAddress"),
      { key: "Price", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
      whole("MinTopUp", 0, "dollars"),
      json("TopupGroupRatio"),
    ],
  },
  {
    id: "stripe",
    needsServerAddress: true,
    fields: [
      secret("StripeSecretKey"),
      secret("StripeWebhookSecret"),
      {
        key: "StripeCurrency",
        kind: "choice",
        choices: ["usd", "eur", "gbp", "cny", "hkd", "sgd", "aud", "cad", "jpy"],
      },
      { key: "StripePrice", kind: "number", min: 0, step: 0.1, unit: "perDollar" },
    ],
  },
  {
    id: "oidc",
    extra: "discovery",
    fields: [
      ...on("oidc.enabled"),
      ...text("oidc.client_id"),
      secret("oidc.client_secret"),
      ...endpoint("oidc.well_known", "oidc.authorization_endpoint", "oidc.token_endpoint", "oidc.user_info_endpoint"),
    ],
  },
  { id: "github", fields: [...text("GitHubClientId"), secret("GitHubClientSecret")] },
  { id: "linuxdo", fields: [...text("LinuxDOClientId"), secret("LinuxDOClientSecret")] },
  { id: "discord", fields: [...text("DiscordClientId"), secret("DiscordClientSecret")] },
  {
    id: "wechat",
    fields: [...address("WeChatServerAddress"), secret("WeChatServerToken"), ...text("WeChatAccountQRCodeImageURL")],
  },
  { id: "telegram", fields: [secret("TelegramBotToken"), ...text("TelegramBotName")] },
  { id: "turnstile", fields: [...text("TurnstileSiteKey"), secret("TurnstileSecretKey")] },
  { id: "wxpusher", fields: [...on("WxPusherEnabled"), secret("WxPusherAppToken")] },
  { id: "endpoints", fields: on("OpenAIEndpointEnabled", "ClaudeEndpointEnabled") },
  { id: "worker", fields: [...address("WorkerUrl"), secret("WorkerValidKey")] },
];

const OTHER: readonly Omit<SettingSection, "tab">[] = [
  { id: "systemInfo", fields: [], extra: "systemInfo" },
  { id: "notice", fields: [{ key: "Notice", kind: "content" }] },
  { id: "identity", fields: text("SystemName", "Logo") },
  { id: "home", fields: [{ key: "HomePageContent", kind: "content" }] },
  { id: "about", fields: [{ key: "About", kind: "content" }] },
  { id: "footer", fields: [{ key: "Footer", kind: "content" }] },
  { id: "transfer", fields: [], extra: "transfer" },
];

const BY_TAB = { operation: OPERATION, ratelimit: RATE_LIMIT, models: MODELS, system: SYSTEM, other: OTHER };

/** Every section of the settings, in the order of the page. */
export const SECTIONS: readonly SettingSection[] = TABS.flatMap((tab) =>
  BY_TAB[tab].map((section) => ({ ...section, tab })),
);

export const isTab = (value: unknown): value is SettingTab => TABS.some((tab) => tab === value);
