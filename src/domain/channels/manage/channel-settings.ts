import { COST_AMOUNTS, readCostAmount, readCostPrices } from "../../../billing/pricing/ratios/channel-cost.ts";
import { OperationError } from "../../../lib/operation-error.ts";

type Check = Readonly<{
  passes: (value: unknown) => boolean;
  expected: string;
  /** Requests, and the channel's key with them, go somewhere else by it. */
  redirects?: true;
}>;

const SWITCH: Check = { passes: (value) => typeof value === "boolean", expected: "true | false" };
const TEXT: Check = { passes: (value) => typeof value === "string", expected: "text" };
const MARKS: Check = {
  passes: (value) => value === "auto" || value === "always" || value === "never",
  expected: "auto | always | never",
};
const SECONDS: Check = {
  passes: (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
  expected: "seconds",
};
const PROXY: Check = {
  passes: (value) =>
    value === "" || (typeof value === "string" && /^(?:https?|socks[45]h?):$/.test(URL.parse(value)?.protocol ?? "")),
  expected: "http:// | https:// | socks5:// | socks4://",
  redirects: true,
};

const COST_RATIO: Check = { passes: (value) => readCostAmount(value) !== null, expected: "0.7" };
const COST_PRICES: Check = {
  passes: (value) => readCostPrices(value) !== null,
  expected: `{"model": {${COST_AMOUNTS.map((name) => `"${name}"?: USD`).join(", ")}}}`,
};

/** The members of a channel's `setting`, and what each may be. Whatever reads one finds it here: see ChannelSetting. */
const CHANNEL_SETTINGS = {
  proxy: PROXY,
  region: TEXT,
  force_format: SWITCH,
  user_agent: TEXT,
  thinking_to_content: SWITCH,
  pass_through_body_enabled: SWITCH,
  system_prompt: TEXT,
  system_prompt_override: SWITCH,
  message_threads: SWITCH,
  mcp_tools: SWITCH,
  automatic_cache_marks: MARKS,
  stream_support: TEXT,
  broken_stream: TEXT,
  drain_cap_seconds: SECONDS,
  first_byte_timeout_seconds: SECONDS,
  multi_key_mode: TEXT,
  cost_ratio: COST_RATIO,
  cost_prices: COST_PRICES,
} satisfies Record<string, Check>;

/** A channel's `setting` as stored: members of older releases may be in it, so values are looked at where they are read. */
export type ChannelSetting = Readonly<Partial<Record<keyof typeof CHANNEL_SETTINGS, unknown>>>;

const CHECKS: ReadonlyMap<string, Check> = new Map(Object.entries(CHANNEL_SETTINGS));

/** Whether a member leaves requests where they go; one of an older release, which nobody knows, is not believed to. */
export const keepsDestination = (name: string): boolean => CHECKS.has(name) && CHECKS.get(name)?.redirects !== true;

/** Whether a setting of this name is read. */
export const isChannelSetting = (name: string): boolean => CHECKS.has(name);

/** Whether a setting may have this value; null stands for none. */
export const isChannelSettingValue = (name: string, value: unknown): boolean =>
  value === null || CHECKS.get(name)?.passes(value) === true;

/** Refuses members that nobody would read, with the list of those that are, and values that mean nothing. Throws OperationError. */
export function checkChannelSetting(setting: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(setting)) {
    const check = CHECKS.get(name);
    if (!check) {
      const known = [...CHECKS.keys()].join(", ");
      throw new OperationError("channel_setting_unknown", { name: name.slice(0, 60), known });
    }
    if (!isChannelSettingValue(name, value)) {
      throw new OperationError("channel_setting_value", { name, expected: check.expected });
    }
  }
}
