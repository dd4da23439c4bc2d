import type { Amount, Effort, ReasoningSetting } from "../conversation/conversation.ts";

/** Efforts of reasoning, none first, in ascending order. */
const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** An effort; null for any other value. */
export const readEffort = (value: unknown): Effort | null =>
  REASONING_EFFORTS.find((effort) => effort === value) ?? null;

/** The setting that an effort stands for; null: none. */
export const settingOfEffort = (effort: Effort | null): ReasoningSetting | null =>
  effort === null ? null : effort === "none" ? { type: "off" } : { type: "effort", effort };

/** The setting that a budget in tokens stands for: 0 is off, a negative one lets the model decide. */
export const settingOfBudget = (tokens: number): ReasoningSetting =>
  tokens === 0 ? { type: "off" } : tokens < 0 ? { type: "adaptive" } : { type: "budget", tokens };

/** The effort nearest to a setting; `adaptive` is what a model that decides by itself gets. */
export function effortOfSetting(setting: ReasoningSetting): Effort;
export function effortOfSetting(setting: Amount): Exclude<Effort, "none">;
export function effortOfSetting(setting: ReasoningSetting): Effort {
  switch (setting.type) {
    case "off":
      return "none";
    case "effort":
      return setting.effort;
    case "budget":
      return setting.tokens <= LOW_TOKENS ? "low" : setting.tokens <= MEDIUM_TOKENS ? "medium" : "high";
    case "adaptive":
      return setting.effort ?? "medium";
  }
}

/** The effort that a setting names; null: a budget, or whatever the model decides. */
export const statedEffort = (setting: ReasoningSetting | null): Effort | null =>
  setting === null || setting.type === "budget" || (setting.type === "adaptive" && !setting.effort)
    ? null
    : effortOfSetting(setting);

const LOW_TOKENS = 2048;
const MEDIUM_TOKENS = 8192;
