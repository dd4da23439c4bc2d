import type { OptionKey } from "../../../src/settings/registry/index.ts";

/** How one option is edited; `unit` is a key under `settings.units` in the locales. */
type Control =
  | Readonly<{ kind: "switch" }>
  | Readonly<{
      kind: "number";
      min?: number;
      max?: number;
      /** Increment of the arrow keys. */
      step?: number;
      /** Maximum number of decimals. */
      decimals?: number;
      isInteger?: boolean;
      unit?: Unit;
    }>
  | Readonly<{ kind: "quota"; step?: number }>
  | Readonly<{ kind: "text" }>
  /** A base URL, stored without trailing slashes. */
  | Readonly<{ kind: "address" }>
  /** A full URL. */
  | Readonly<{ kind: "endpoint" }>
  | Readonly<{ kind: "secret" }>
  | Readonly<{ kind: "json"; shape: "object" | "list" }>
  | Readonly<{ kind: "domains" }>
  | Readonly<{ kind: "lines" }>
  /** Several lines, stored as typed. */
  | Readonly<{ kind: "code" }>
  | Readonly<{ kind: "content" }>
  /** An image: its address, or the image itself as a data address. */
  | Readonly<{ kind: "logo" }>
  /** A color such as #0f766e. */
  | Readonly<{ kind: "color" }>
  | Readonly<{ kind: "choice"; choices: readonly string[] }>;

type Unit =
  | "seconds"
  | "minutes"
  | "hours"
  | "percent"
  | "tokens"
  | "requests"
  | "perDollar"
  | "dollars"
  | "megabytes"
  | "characters"
  | "share";
export type SettingField = Readonly<{ key: OptionKey }> & Control;

export const on = (...keys: readonly OptionKey[]): SettingField[] => keys.map((key) => ({ key, kind: "switch" }));
export const text = (...keys: readonly OptionKey[]): SettingField[] => keys.map((key) => ({ key, kind: "text" }));
export const secret = (key: OptionKey): SettingField => ({ key, kind: "secret" });
export const address = (...keys: readonly OptionKey[]): SettingField[] => keys.map((key) => ({ key, kind: "address" }));
export const endpoint = (...keys: readonly OptionKey[]): SettingField[] =>
  keys.map((key) => ({ key, kind: "endpoint" }));
export const quota = (...keys: readonly OptionKey[]): SettingField[] => keys.map((key) => ({ key, kind: "quota" }));
export const json = (key: OptionKey, shape: "object" | "list" = "object"): SettingField => ({
  key,
  kind: "json",
  shape,
});
export const integerField = (key: OptionKey, min: number, unit?: Unit): SettingField => ({
  key,
  kind: "number",
  min,
  isInteger: true,
  ...(unit && { unit }),
});
export const percent = (key: OptionKey): SettingField => ({
  key,
  kind: "number",
  min: 0,
  max: 100,
  step: 0.1,
  decimals: 2,
  unit: "percent",
});
export const share = (key: OptionKey): SettingField => ({
  key,
  kind: "number",
  min: 0.1,
  max: 1,
  step: 0.1,
  unit: "share",
});

/** The option's key in the locales, without dots, which i18next would read as a path. */
export const wordOf = (key: OptionKey): string => key.replaceAll(".", "_");

export const TABS = ["operation", "ratelimit", "models", "system", "other"] as const;
export type SettingTab = (typeof TABS)[number];

export const isTab = (value: unknown): value is SettingTab => TABS.some((tab) => tab === value);

/** The content of a section besides its fields, rendered by its own component. */
export type Extra =
  | "clearLogs"
  | "groups"
  | "chats"
  | "pricing"
  | "discovery"
  | "systemInfo"
  | "announcements"
  | "transfer"
  | "calculator"
  | "catalog"
  | "brandPreview"
  | "responseCache"
  | "limitRules";

export type SettingSection = Readonly<{
  /** A key under `settings.sections` in the locales. */
  id: string;
  tab: SettingTab;
  fields: readonly SettingField[];
  extra?: Extra;
  /** The component also renders the fields. */
  drawsFields?: true;
  /** Saving requires the server's address. */
  needsServerAddress?: true;
}>;

/** A section of a tab. */
export type TabSection = Omit<SettingSection, "tab">;
