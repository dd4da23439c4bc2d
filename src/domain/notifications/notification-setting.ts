import { type SQL, sql } from "drizzle-orm";
import { writtenLanguage } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";

/** How somebody can be notified. */
export const NOTIFY_TYPES = ["email", "webhook", "wecom", "dingtalk", "wxpusher", "bark", "gotify", "ntfy"] as const;
export type NotifyType = (typeof NOTIFY_TYPES)[number];

/** What people can be notified of. */
export const NOTIFY_EVENTS = ["low_balance", "price_change", "announcement", "promotion", "contact"] as const;
export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

/** Unless somebody chooses otherwise: no advertising. */
const DEFAULT_EVENTS: readonly NotifyEvent[] = ["low_balance", "price_change", "announcement"];

/** Stored encrypted, never shown; `<name>_set` says whether there is one. */
/** Settings of a user that are stored encrypted. */
export const SECRET_SETTINGS = [
  "webhook_secret",
  "wecom_key",
  "dingtalk_token",
  "dingtalk_secret",
  "bark_key",
  "gotify_token",
  "ntfy_token",
] as const;
type SecretName = (typeof SECRET_SETTINGS)[number];

const ADDRESSES = ["webhook_url", "bark_url", "gotify_url", "ntfy_url"] as const;
type AddressName = (typeof ADDRESSES)[number];

/** What each way cannot do without. */
const NEEDED: Readonly<Record<NotifyType, readonly (SecretName | AddressName | "wxpusher_uid")[]>> = {
  email: [],
  webhook: ["webhook_url"],
  wecom: ["wecom_key"],
  dingtalk: ["dingtalk_token"],
  wxpusher: ["wxpusher_uid"],
  bark: ["bark_key"],
  gotify: ["gotify_url", "gotify_token"],
  ntfy: ["ntfy_url"],
};

/** A user's settings as they are stored: notification settings among others. */
export type StoredSetting = { [key: string]: unknown };

/** What is sent to change them; absent: it stays; a secret that is null: it is cleared; one that is "": it stays. */
export type NotificationRequest = Readonly<
  {
    notify_type?: string;
    notify_events?: readonly string[];
    /** Quota units. */
    quota_warning_threshold?: number;
    notification_email?: string;
    /** Phone numbers that the DingTalk robot mentions. */
    dingtalk_mobiles?: readonly string[];
    /** The language of notices. */
    language?: string;
  } & Partial<Record<AddressName, string>> &
    Partial<Record<SecretName, string | null>>
>;

const EMAIL = /^[^\s@;,]+@[^\s@;,]+\.[^\s@;,]+$/;
const MOST_MOBILES = 20;

/** The stored settings with the changes, secrets encrypted. Throws OperationError when a field is refused or missing. */
export function mergeNotificationSetting(
  stored: StoredSetting,
  request: NotificationRequest,
  vault: Vault,
): StoredSetting {
  const merged: StoredSetting = { ...stored };
  for (const [key, value] of Object.entries(request)) if (value !== undefined) merged[key] = value;
  for (const name of SECRET_SETTINGS) {
    const secret = request[name]?.trim();
    if (secret) merged[name] = vault.encrypt(secret);
    // Settings are shown with empty secrets: sent back like this they stay as they are.
    else if (secret === "" && stored[name] !== undefined) merged[name] = stored[name];
    else if (request[name] !== undefined) delete merged[name];
  }
  for (const name of ADDRESSES) {
    if (merged[name] !== undefined || name === "webhook_url") merged[name] = checkAddress(merged[name]);
  }
  merged.notification_email = checkEmail(merged.notification_email);
  if (merged.quota_warning_threshold !== undefined && !(Number(merged.quota_warning_threshold) > 0)) {
    throw new OperationError("notify_threshold_invalid");
  }
  if (request.notify_events)
    merged.notify_events = NOTIFY_EVENTS.filter((event) => request.notify_events?.includes(event));
  if (request.dingtalk_mobiles) merged.dingtalk_mobiles = checkMobiles(request.dingtalk_mobiles);
  if (request.language !== undefined) merged.language = writtenLanguage(request.language);
  merged.notify_type = checkType(merged);
  return merged;
}

function checkType(setting: StoredSetting): NotifyType {
  const type = NOTIFY_TYPES.find((known) => known === (setting.notify_type ?? "email"));
  if (!type) throw new OperationError("notify_type_invalid");
  const missing = NEEDED[type].find((name) => !setting[name]);
  if (missing === "webhook_url") throw new OperationError("webhook_url_required");
  if (missing === "wxpusher_uid") throw new OperationError("notify_push_not_bound");
  if (missing) throw new OperationError("notify_field_required");
  return type;
}

function checkAddress(input: unknown): string {
  const address = String(input ?? "").trim();
  if (address !== "" && URL.parse(address)?.protocol !== "https:") throw new OperationError("webhook_url_invalid");
  return address;
}

function checkEmail(input: unknown): string {
  const email = String(input ?? "").trim();
  if (email !== "" && !EMAIL.test(email)) throw new OperationError("notification_email_invalid");
  return email;
}

function checkMobiles(input: readonly string[]): string[] {
  const mobiles = input.map((mobile) => mobile.replace(/[\s-]/g, "")).filter(Boolean);
  if (mobiles.length > MOST_MOBILES || mobiles.some((mobile) => !/^\+?\d{5,20}$/.test(mobile))) {
    throw new OperationError("notify_mobiles_invalid", { max: MOST_MOBILES });
  }
  return mobiles;
}

/** Whether somebody with these settings wants to be notified. */
export const wants = (setting: StoredSetting, event: NotifyEvent): boolean =>
  (Array.isArray(setting.notify_events) ? setting.notify_events : DEFAULT_EVENTS).includes(event);

/** The same as a condition on a column of settings. */
export const wantsInSql = (setting: SQL, event: NotifyEvent): SQL => sql`
  case when jsonb_typeof(${setting} -> 'notify_events') = 'array'
    then ${setting} -> 'notify_events' @> to_jsonb(${event}::text)
    else ${DEFAULT_EVENTS.includes(event)}::boolean end`;

/** How somebody is notified; who chose nothing by email. */
export const notifyMethod = ({ notify_type: type }: StoredSetting): string =>
  typeof type === "string" ? type : "email";

/** The settings as their owner sees them. */
export function withoutSecrets(setting: StoredSetting): StoredSetting {
  const shown: StoredSetting = { ...setting };
  for (const name of SECRET_SETTINGS) {
    if (setting[name] === undefined && name !== "webhook_secret") continue;
    shown[name] = "";
    shown[`${name}_set`] = Boolean(setting[name]);
  }
  return shown;
}
