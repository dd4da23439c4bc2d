import type { OptionKey } from "../../../src/settings/registry/index.ts";

/** How one option is edited; `unit` is a word under `settings.units`. */
type Control =
  | Readonly<{ kind: "switch" }>
  | Readonly<{
      kind: "number";
      min?: number;
      max?: number;
      /** How far an arrow key goes. */
      step?: number;
      /** Places after the point at most. */
      decimals?: number;
      isWhole?: boolean;
      unit?: Unit;
    }>
  | Readonly<{ kind: "quota"; step?: number }>
  | Readonly<{ kind: "text" }>
  /** One that others are made of: it is kept without slashes at its end. */
  | Readonly<{ kind: "address" }>
  /** One that is called as it is. */
  | Readonly<{ kind: "endpoint" }>
  | Readonly<{ kind: "secret" }>
  | Readonly<{ kind: "json"; shape: "object" | "list" }>
  | Readonly<{ kind: "domains" }>
  | Readonly<{ kind: "lines" }>
  | Readonly<{ kind: "content" }>
  | Readonly<{ kind: "choice"; choices: readonly string[] }>;

type Unit =
  | "seconds"
  | "minutes"
  | "hours"
  | "hours"
  | "percent"
  | "tokens"
  | "requests"
  | "perDollar"
  | "dollars"
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
export const whole = (key: OptionKey, min: number, unit?: Unit): SettingField => ({
  key,
  kind: "number",
  min,
  isWhole: true,
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

/** The option's name where words are kept: keys with a dot would be read as a path. */
export const wordOf = (key: OptionKey): string => key.replaceAll(".", "_");

export const TABS = ["operation", "ratelimit", "models", "system", "other"] as const;
export type SettingTab = (typeof TABS)[number];

export const isTab = (value: unknown): value is SettingTab => TABS.some((tab) => tab === value);

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
  | "calculator"
  | "catalog";

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

/** A section on its tab. */
export type TabSection = Omit<SettingSection, "tab">;
