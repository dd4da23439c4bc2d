import { PRICE_OPTIONS } from "./model-prices/price-maps.ts";
import {
  address,
  integerField,
  json,
  on,
  percent,
  quota,
  type SettingSection,
  secret,
  share,
  TABS,
  type TabSection,
  text,
} from "./setting-field.ts";
import { SYSTEM } from "./system-sections.ts";

const OPERATION: readonly TabSection[] = [
  {
    id: "quota",
    fields: [
      ...quota("QuotaForNewUser", "QuotaForInviter", "QuotaForInvitee"),
      integerField("PreConsumedQuota", 0, "tokens"),
      percent("RechargeCashbackRate"),
      ...quota("MinRechargeCashbackQuota"),
      ...on("RebateEnabled"),
      percent("RebatePercentage"),
      integerField("StreamCacheQueueLength", 0),
    ],
  },
  {
    id: "groups",
    fields: [
      ...[json("GroupRatio"), json("GroupModelRatio"), json("GroupGroupRatio"), json("UserUsableGroups")],
      ...[json("AutoGroups", "list"), json("GroupDiscounts", "list")],
    ],
    extra: "groups",
    drawsFields: true,
  },
  {
    id: "pricing",
    fields: [
      ...PRICE_OPTIONS.map((key) => json(key)),
      { key: "UnpricedServiceTier", kind: "choice", choices: ["multiply", "refuse"] },
      ...on("PriceByUpstreamModel"),
    ],
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
      integerField("QuotaPerUnit", 1, "perDollar"),
      integerField("RetryTimes", 0),
      json("ModelFallbacks"),
      ...on(
        "DisplayInCurrencyEnabled",
        "DisplayTokenStatEnabled",
        "DefaultCollapseSidebar",
        "StatusPageEnabled",
        "LockManagedByFiles",
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
      { key: "AutomaticDisableFailures", kind: "number", min: 1 },
      { key: "AutomaticDisableCalls", kind: "number", min: 1 },
      { key: "AutomaticDisableSeconds", kind: "number", min: 1, unit: "seconds" },
      ...on("AutomaticDisableOnFaults"),
      { key: "ChannelKeyProbeMinutes", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelTestFrequency", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelUpdateFrequency", kind: "number", min: 0, unit: "minutes" },
      { key: "ChannelBalanceWarning", kind: "number", min: 0 },
      { key: "ChannelModelListFrequency", kind: "number", min: 0, unit: "hours" },
      { key: "AutomaticDisableKeywords", kind: "lines" },
      json("ChannelAuthenticity"),
    ],
  },
  {
    id: "checkIn",
    fields: [
      ...on("CheckInEnabled"),
      { key: "CheckInQuota", kind: "quota", step: 100 },
      { key: "CheckInMaxQuota", kind: "quota", step: 100 },
      ...text("CheckInTimeZone"),
      ...on("CheckInNeedsEmail", "CheckInNeedsTopUp"),
      integerField("CheckInMinRequests", 0, "requests"),
      ...quota("CheckInMaxBalance"),
    ],
  },
  {
    id: "logging",
    fields: [
      ...on("LogConsumeEnabled", "EndUsersEnabled"),
      ...text("EndUserHeader"),
      ...on("LogChatContentEnabled", "LogContentRedactEnabled"),
      integerField("LogContentMaxCharacters", 100),
      { key: "LogContentRedactPatterns", kind: "lines" },
      integerField("PlaygroundStorageMegabytes", 0),
    ],
    extra: "clearLogs",
  },
  {
    id: "retention",
    fields: [
      json("LogRetention"),
      { key: "LogArchive", kind: "choice", choices: ["off", "folder", "s3"] },
      ...address("ArchiveS3Url"),
      ...text("ArchiveS3Region", "ArchiveS3Bucket", "ArchiveS3Prefix", "ArchiveS3AccessKeyId"),
      secret("ArchiveS3SecretAccessKey"),
    ],
  },
  {
    id: "dashboard",
    fields: [
      ...on("DataExportEnabled"),
      integerField("DataExportInterval", 1, "minutes"),
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
  {
    id: "responseCache",
    fields: [
      ...on("ResponseCacheEnabled"),
      integerField("ResponseCacheTtlSeconds", 1, "seconds"),
      { key: "ResponseCacheHitPercent", kind: "number", min: 0, max: 100, isInteger: true, unit: "percent" },
      { key: "ResponseCacheStore", kind: "choice", choices: ["memory", "redis"] },
      integerField("ResponseCacheMegabytes", 1, "megabytes"),
      json("ResponseCacheRules"),
    ],
    extra: "responseCache",
  },
  {
    id: "providerKeys",
    fields: [
      { key: "ProviderKeys", kind: "choice", choices: ["off", "stored", "call", "both"] },
      { key: "ProviderKeyFeePercent", kind: "number", min: 0, max: 1000, unit: "percent" },
      { key: "ProviderKeyFeePerCall", kind: "number", min: 0, max: 1000 },
      json("ProviderKeyProviders"),
      json("ProviderKeyGroups"),
    ],
  },
];

const RATE_LIMIT: readonly TabSection[] = [
  { id: "limitRules", fields: [json("LimitRules", "list")], extra: "limitRules", drawsFields: true },
  {
    id: "rateLimit",
    fields: [
      ...on("ModelRequestRateLimitEnabled"),
      integerField("ModelRequestRateLimitDurationMinutes", 0, "minutes"),
      integerField("ModelRequestRateLimitCount", -1, "requests"),
      integerField("ModelRequestRateLimitSuccessCount", 1, "requests"),
    ],
  },
];

const MODELS: readonly TabSection[] = [
  { id: "catalog", fields: [...text("ModelCatalogUrl"), ...on("ModelCatalogAutoUpdate")], extra: "catalog" },
  {
    id: "global",
    fields: [
      ...on(
        "global.pass_through_request_enabled",
        "global.hide_upstream_error_enabled",
        "global.block_browser_extension_enabled",
        "mcp.execution_enabled",
        "mcp.oauth_enabled",
        "general_setting.ping_interval_enabled",
      ),
      integerField("general_setting.ping_interval_seconds", 1, "seconds"),
      integerField("responses.keep_hours", 0, "hours"),
      integerField("mcp.tool_search_threshold", 0),
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
      { key: "claude.automatic_cache_marks", kind: "choice", choices: ["auto", "always", "never"] },
      ...on("claude.thinking_adapter_enabled"),
      share("claude.thinking_adapter_budget_tokens_percentage"),
    ],
  },
];

const OTHER: readonly TabSection[] = [
  { id: "systemInfo", fields: [], extra: "systemInfo" },
  { id: "notice", fields: [{ key: "Notice", kind: "content" }] },
  {
    id: "identity",
    fields: [
      ...text("SystemName"),
      { key: "Logo", kind: "logo" },
      ...text("HomeTitle", "HomeLead"),
      { key: "BrandColor", kind: "color" },
      { key: "CustomCss", kind: "code" },
    ],
    extra: "brandPreview",
  },
  {
    id: "home",
    fields: [{ key: "HomePageContent", kind: "content" }, ...text("SiteDescription"), ...on("SearchIndexingEnabled")],
  },
  { id: "about", fields: [{ key: "About", kind: "content" }] },
  { id: "footer", fields: [{ key: "Footer", kind: "content" }] },
  { id: "transfer", fields: [], extra: "transfer" },
];

const BY_TAB = { operation: OPERATION, ratelimit: RATE_LIMIT, models: MODELS, system: SYSTEM, other: OTHER };

/** Every section of the settings, in the order of the page. */
export const SECTIONS: readonly SettingSection[] = TABS.flatMap((tab) =>
  BY_TAB[tab].map((section) => ({ ...section, tab })),
);
