import { readData, readEnvelope } from "../../../api/client.ts";
import { notificationApi } from "../../../api/groups.ts";
import type { UserSetting } from "../personal/self-calls.ts";

export const WAYS = ["email", "webhook", "wecom", "dingtalk", "wxpusher", "bark", "gotify", "ntfy"] as const;
type Way = (typeof WAYS)[number];

export const EVENTS = ["low_balance", "price_change", "announcement", "promotion", "contact"] as const;
export type NoticeEvent = (typeof EVENTS)[number];

/** Under `notifications.fields` in the words. */
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

type WayField = Readonly<{ name: FieldName; isSecret?: true; isOptional?: true }>;

/** What each way asks for. */
export const FIELDS: Readonly<Record<Way, readonly WayField[]>> = {
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
/** Quota units, offered to whoever has saved none; until then the site's counts. */
const OFFERED_THRESHOLD = 500_000;

export type NotifyForm = Readonly<{
  way: Way;
  events: readonly NoticeEvent[];
  /** Quota units, as text while it is typed. */
  threshold: string;
  /** What is typed; secrets begin empty, whether or not one is stored. */
  values: Readonly<Partial<Record<FieldName, string>>>;
  /** Stored secrets that go away. */
  removed: readonly FieldName[];
}>;

/** The form of what is stored. */
export function formOf(setting: UserSetting): NotifyForm {
  const events = Array.isArray(setting.notify_events) ? setting.notify_events : DEFAULT_EVENTS;
  const names = Object.values(FIELDS)
    .flat()
    .filter((field) => !field.isSecret)
    .map((field) => field.name);
  const textOf = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
  return {
    way: WAYS.find((way) => way === setting.notify_type) ?? "email",
    events: EVENTS.filter((event) => events.includes(event)),
    threshold: String(setting.quota_warning_threshold ?? OFFERED_THRESHOLD),
    values: Object.fromEntries(names.map((name) => [name, textOf(setting[name])])),
    removed: [],
  };
}

/** Whether low balances are told, but no threshold of one's own is stored. */
export const isThresholdUnsaved = (form: NotifyForm, setting: UserSetting): boolean =>
  form.events.includes("low_balance") && typeof setting.quota_warning_threshold !== "number";

/** Whether a secret is stored and stays. */
export const isStored = (setting: UserSetting, form: NotifyForm, name: FieldName): boolean =>
  setting[`${name}_set`] === true && !form.removed.includes(name);

/** The fields of the chosen way that are empty and must not be. */
export const missingFields = (form: NotifyForm, setting: UserSetting): FieldName[] =>
  FIELDS[form.way]
    .filter(({ name, isOptional }) => !isOptional && !form.values[name]?.trim() && !isStored(setting, form, name))
    .map(({ name }) => name);

/** What is sent: the chosen way's fields, a secret only when one was typed or removed, the threshold where it is shown. */
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

/** Sends a message the stored way; rejects ApiError with why it did not arrive. */
export const sendTest = () => readEnvelope(notificationApi.setting.test.post({}));

type PushCode = Readonly<{
  code: string;
  /** A picture. */
  url: string;
  /** Seconds. */
  expires_in: number;
}>;

export const createPushCode = (): Promise<PushCode> => readData(notificationApi.push.code.post({}));

/** Whether the code was scanned by now, and is bound. */
export const bindPush = async (code: string): Promise<boolean> =>
  (await readData(notificationApi.push.bind.post({ code }))).bound;

export const unbindPush = () => readEnvelope(notificationApi.push.delete());
