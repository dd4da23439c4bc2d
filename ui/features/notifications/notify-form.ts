import type { UserSetting } from "../../api/accounts/self-calls.ts";
import { readData, readEnvelope } from "../../api/client.ts";
import { notificationApi } from "../../api/groups.ts";

export const METHODS = ["email", "webhook", "wecom", "dingtalk", "wxpusher", "bark", "gotify", "ntfy"] as const;
type Method = (typeof METHODS)[number];

export const EVENTS = ["low_balance", "price_change", "announcement", "promotion", "contact"] as const;
export type NoticeEvent = (typeof EVENTS)[number];

/** Keys under `notifications.fields` in the locales. */
export type FieldName =
  | "notification_email"
  | "webhook_url"
  | "webhook_secret"
  | "wecom_key"
  | "dingtalk_token"
  | "dingtalk_secret"
  | "dingtalk_mobiles"
  | "bark_key"
  | "bark_url"
  | "gotify_url"
  | "gotify_token"
  | "ntfy_url"
  | "ntfy_token";

type MethodField = Readonly<{ name: FieldName; isSecret?: true; isOptional?: true }>;

/** The fields of each notification method. */
export const FIELDS: Readonly<Record<Method, readonly MethodField[]>> = {
  email: [{ name: "notification_email", isOptional: true }],
  webhook: [{ name: "webhook_url" }, { name: "webhook_secret", isSecret: true, isOptional: true }],
  wecom: [{ name: "wecom_key", isSecret: true }],
  dingtalk: [
    { name: "dingtalk_token", isSecret: true },
    { name: "dingtalk_secret", isSecret: true, isOptional: true },
    { name: "dingtalk_mobiles", isOptional: true },
  ],
  wxpusher: [],
  bark: [
    { name: "bark_key", isSecret: true },
    { name: "bark_url", isOptional: true },
  ],
  gotify: [{ name: "gotify_url" }, { name: "gotify_token", isSecret: true }],
  ntfy: [{ name: "ntfy_url" }, { name: "ntfy_token", isSecret: true, isOptional: true }],
};

const DEFAULT_EVENTS: readonly NoticeEvent[] = ["low_balance", "price_change", "announcement"];
/** Quota units, the site's threshold as installed. */
const OFFERED_THRESHOLD = 500_000;

export type NotifyForm = Readonly<{
  way: Method;
  events: readonly NoticeEvent[];
  /** Quota units, as text while being edited. */
  threshold: string;
  /** The form's values; secrets start empty, even if one is stored. */
  values: Readonly<Partial<Record<FieldName, string>>>;
  /** Stored secrets to remove. */
  removed: readonly FieldName[];
}>;

/** Initial form values from the stored settings. `siteThreshold`: what counts for whoever saved none, quota units. */
export function formOf(setting: UserSetting, siteThreshold: number = OFFERED_THRESHOLD): NotifyForm {
  const events = Array.isArray(setting.notify_events) ? setting.notify_events : DEFAULT_EVENTS;
  const names = Object.values(FIELDS)
    .flat()
    .filter((field) => !field.isSecret)
    .map((field) => field.name);
  const textOf = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  return {
    way: METHODS.find((way) => way === setting.notify_type) ?? "email",
    events: EVENTS.filter((event) => events.includes(event)),
    threshold: String(setting.quota_warning_threshold ?? siteThreshold),
    values: Object.fromEntries(names.map((name) => [name, textOf(setting[name])])),
    removed: [],
  };
}

/** Whether low-balance notifications are on without a threshold of the user's own. */
export const isThresholdUnsaved = (form: NotifyForm, setting: UserSetting): boolean =>
  form.events.includes("low_balance") && typeof setting.quota_warning_threshold !== "number";

/** Whether a secret is stored and kept. */
export const isStored = (setting: UserSetting, form: NotifyForm, name: FieldName): boolean =>
  setting[`${name}_set`] === true && !form.removed.includes(name);

/** Required fields of the chosen method that are empty. */
export const missingFields = (form: NotifyForm, setting: UserSetting): FieldName[] =>
  FIELDS[form.way]
    .filter(({ name, isOptional }) => !isOptional && !form.values[name]?.trim() && !isStored(setting, form, name))
    .map(({ name }) => name);

/** The request body: the chosen method's fields, a secret only if typed or removed, the threshold if shown. */
export function requestOf(form: NotifyForm, language: string): UserSetting {
  const fields = FIELDS[form.way].flatMap(({ name, isSecret }): (readonly [string, unknown])[] => {
    const value = form.values[name]?.trim() ?? "";
    if (name === "dingtalk_mobiles") return [[name, value.split(/[,，;\s]+/).filter(Boolean)]];
    if (!isSecret) return [[name, value]];
    if (value !== "") return [[name, value]];
    return form.removed.includes(name) ? [[name, null]] : [];
  });
  return {
    notify_type: form.way,
    notify_events: form.events,
    ...(form.events.includes("low_balance") && { quota_warning_threshold: Number(form.threshold) }),
    language,
    ...Object.fromEntries(fields),
  };
}

/** Sends a test notification with the stored method; rejects ApiError with the reason if it can't be delivered. */
export const sendTest = () => readEnvelope(notificationApi.setting.test.post({}));

type PushCode = Readonly<{
  code: string;
  /** URL of the QR code's image. */
  url: string;
  /** Seconds. */
  expires_in: number;
}>;

export const createPushCode = (): Promise<PushCode> => readData(notificationApi.push.code.post({}));

/** Whether the code has been scanned and linked. */
export const bindPush = async (code: string): Promise<boolean> =>
  (await readData(notificationApi.push.bind.post({ code }))).bound;

export const unbindPush = () => readEnvelope(notificationApi.push.delete());
