import type { SettingField } from "./setting-field.ts";

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
