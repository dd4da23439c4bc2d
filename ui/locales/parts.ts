/**
 * Which texts a page loads: each language has a chunk for the texts of the sign-in page and the shell, and one for each part that
 * only some pages need. A name is a file under `ui/locales/en`; its texts have the file's own name as their first word, in camel
 * case (`api-keys/key-usage`: `keyUsage.title`). A file in two parts is loaded once.
 */
export const PARTS = {
  /** The sign-in page and the shell: loaded with each page. */
  public: [
    "accounts/identities",
    "accounts/registration",
    "accounts/reset",
    "accounts/setup",
    "accounts/sign-in",
    "api-keys/key-usage",
    "system/api",
    "system/components",
    "system/shell",
  ],
  /** The other public pages. */
  site: [
    "api-keys/api-keys",
    "models/catalog",
    "models/model",
    "models/pricing",
    "models/status",
    "playground/chat",
    "system/about",
    "system/home",
    "system/reference",
  ],
  /** Every signed-in user. */
  signedIn: [
    "accounts/account-switch",
    "api-keys/api-keys",
    "logs/logs",
    "logs/usage",
    "notifications/announcements",
    "playground/chat",
    "system/first-steps",
  ],
  /** Pages about the account, its sign-ins and its money. */
  account: [
    "accounts/profile",
    "accounts/security",
    "channels/provider-keys",
    "models/mcp-sign-ins",
    "notifications/notifications",
    "wallet/agents",
    "wallet/plans",
    "wallet/rewards",
    "wallet/wallet",
  ],
  /** Log rows, failed calls, organizations, and the playground that opens calls. */
  records: [
    "accounts/organizations",
    "alerts/alert-events",
    "logs/failures",
    "logs/log-notes",
    "logs/receipt",
    "playground/playground",
    "tasks/tasks",
  ],
  /** Administrators' pages. */
  admin: [
    "accounts/access",
    "accounts/identity-providers",
    "accounts/organizations",
    "accounts/users",
    "alerts/alerts",
    "channels/authenticity",
    "channels/channels",
    "channels/explain",
    "logs/audit",
    "logs/live",
    "logs/sessions",
    "logs/sinks",
    "models/catalog",
    "models/experiments",
    "models/guardrails",
    "models/mcp",
    "models/replays",
    "models/routes",
    "system/diagnostics",
    "system/jobs",
    "system/ledger-check",
    "wallet/codes",
  ],
  /** The settings, which are many. */
  settings: ["logs/receipt", "settings/settings"],
} as const;

/** A part that only some pages need. */
export type Part = Exclude<keyof typeof PARTS, "public">;
