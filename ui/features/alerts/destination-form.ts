import type { DestinationTypeName } from "../../../src/domain/alerts/destinations/destination-types.ts";
import type { Destination } from "./alert-calls.ts";

/** Every field that some type of destination has. */
const EMPTY_CONFIG = {
  url: "",
  secret: "",
  bot_token: "",
  chat_id: "",
  thread_id: "",
  routing_key: "",
  api_key: "",
  region: "",
};
export type ConfigField = keyof typeof EMPTY_CONFIG;

type FieldTraits = Readonly<{ name: ConfigField; isSecret?: true; isOptional?: true }>;

/** The fields of each type, in the order of the form. */
export const FIELDS: Readonly<Record<DestinationTypeName, readonly FieldTraits[]>> = {
  slack: [{ name: "url", isSecret: true }],
  teams: [{ name: "url", isSecret: true }],
  lark: [
    { name: "url", isSecret: true },
    { name: "secret", isSecret: true, isOptional: true },
  ],
  discord: [{ name: "url", isSecret: true }],
  telegram: [{ name: "bot_token", isSecret: true }, { name: "chat_id" }, { name: "thread_id", isOptional: true }],
  pagerduty: [
    { name: "routing_key", isSecret: true },
    { name: "region", isOptional: true },
  ],
  opsgenie: [
    { name: "api_key", isSecret: true },
    { name: "region", isOptional: true },
  ],
  webhook: [{ name: "url" }, { name: "secret", isSecret: true }],
};

/** Where services take messages: by the host of such an address, and the path if others share the host. */
const HOOKS: readonly (readonly [DestinationTypeName, host: RegExp, path?: RegExp])[] = [
  ["slack", /^hooks\.slack(-gov)?\.com$/],
  ["discord", /^(canary\.|ptb\.)?discord(app)?\.com$/, /^\/api\/webhooks\//],
  ["lark", /^open\.(feishu\.cn|larksuite\.com)$/],
  ["teams", /\.(webhook\.office\.com|logic\.azure\.com|powerplatform\.com)$/],
];

/** The service that takes messages at an address; null: none that is known by it, or not https. */
export function typeOfUrl(address: string): DestinationTypeName | null {
  const url = URL.parse(address.trim());
  if (url?.protocol !== "https:") return null;
  return HOOKS.find(([, host, path]) => host.test(url.hostname) && (path?.test(url.pathname) ?? true))?.[0] ?? null;
}

/** The types, in the order of the form. */
export const TYPES: readonly DestinationTypeName[] = [
  ...(["slack", "teams", "lark", "discord", "telegram", "pagerduty", "opsgenie", "webhook"] as const),
];

/** Minutes that a digest can take; 0: no digest. */
export const DIGESTS: readonly number[] = [0, 15, 60, 240, 1440];

/** Services that open an incident for each alert get no digests. */
export const hasDigest = (type: DestinationTypeName): boolean => type !== "pagerduty" && type !== "opsgenie";

/** The drawer's fields; a secret that is stored is empty. */
export type DestinationForm = Record<ConfigField, string> & {
  type: DestinationTypeName;
  name: string;
  language: "en" | "zh";
  enabled: boolean;
  hasQuietHours: boolean;
  quietFrom: string;
  quietUntil: string;
  timeZone: string;
  /** Minutes; 0: each alert at once. */
  digest: number;
};

/** Initial form values of a destination; null: a new one, in the reader's language. */
export function formOf(destination: Destination | null, language: "en" | "zh"): DestinationForm {
  return {
    ...EMPTY_CONFIG,
    ...destination?.config,
    type: destination?.type ?? "slack",
    name: destination?.name ?? "",
    language: destination?.language ?? language,
    enabled: destination?.enabled ?? true,
    hasQuietHours: (destination?.quiet_from ?? "") !== "",
    quietFrom: destination?.quiet_from || "22:00",
    quietUntil: destination?.quiet_until || "07:00",
    digest: destination?.digest_minutes ?? 0,
    timeZone: destination?.quiet_from ? destination.time_zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** A destination that is not there yet, in the language of whoever adds it. */
export const newDestination = (language: string): DestinationForm =>
  formOf(null, language.startsWith("zh") ? "zh" : "en");

/** The body of POST and PUT: only the fields of the type. */
export const bodyOf = (form: DestinationForm) => ({
  name: form.name.trim(),
  language: form.language,
  enabled: form.enabled,
  quiet_from: form.hasQuietHours ? form.quietFrom : "",
  quiet_until: form.hasQuietHours ? form.quietUntil : "",
  time_zone: form.hasQuietHours ? form.timeZone.trim() : "UTC",
  digest_minutes: hasDigest(form.type) ? form.digest : 0,
  config: Object.fromEntries(FIELDS[form.type].map(({ name }) => [name, form[name].trim()])),
});

type Problem = "required" | "https";

/** What is wrong with the form, by field: under `alerts.form.errors` in the words. `stored` names the stored secrets. */
export function checkForm(
  form: DestinationForm,
  stored: readonly string[],
): Partial<Record<ConfigField | "name", Problem | undefined>> {
  const problems = FIELDS[form.type].map(({ name, isOptional }): readonly [ConfigField, Problem | undefined] => {
    const value = form[name].trim();
    if (value === "") return [name, isOptional || stored.includes(name) ? undefined : "required"];
    return [name, name === "url" && URL.parse(value)?.protocol !== "https:" ? "https" : undefined];
  });
  return { name: form.name.trim() === "" ? "required" : undefined, ...Object.fromEntries(problems) };
}
