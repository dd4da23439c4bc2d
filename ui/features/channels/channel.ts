/** A channel as `GET /api/channel/` answers it; `models` and `group` are comma lists, JSON fields are text. */
export type Channel = Readonly<{
  id: number;
  name: string;
  type: number;
  /** 1 enabled, 2 manually disabled, 3 auto disabled. */
  status: number;
  /** Masked, and absent from lists. */
  key?: string;
  models: string;
  group: string;
  tag: string | null;
  priority: number | null;
  weight: number | null;
  auto_ban: number;
  base_url: string | null;
  other: string;
  openai_organization: string | null;
  test_model: string | null;
  model_prefix: string | null;
  model_mapping: string | null;
  status_code_mapping: string | null;
  setting: string | null;
  param_override: string | null;
  max_input_tokens: number | null;
  /** Milliseconds of the last test; 0 untested. */
  response_time: number;
  /** Epoch seconds. */
  test_time: number;
  created_time: number;
  balance: number;
  /** Epoch seconds; 0: never asked. */
  balance_updated_time: number;
  /** Quota units. */
  used_quota: number;
  other_info: string | ChannelOtherInfo | null;
}>;

export type ChannelOtherInfo = Readonly<{ status_reason?: string; status_time?: number }>;

export const ENABLED = 1;
export const DISABLED = 2;
export const AUTO_DISABLED = 3;

/** Why and when the channel was last disabled; empty when nothing readable was stored. */
export function otherInfoOf(channel: Channel): ChannelOtherInfo {
  const stored = channel.other_info;
  if (!stored) return {};
  if (typeof stored !== "string") return stored;
  try {
    const parsed: unknown = JSON.parse(stored);
    return typeof parsed === "object" && parsed !== null ? (parsed as ChannelOtherInfo) : {};
  } catch {
    return {};
  }
}

/** Splits a comma list, dropping blanks. */
export const splitList = (text: string | null | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
