import type { ReadError } from "../../../formats/openai-chat/errors.ts";
import { OutboundError } from "../../../lib/outbound/outbound-error.ts";
import type { Reason } from "../../../lib/reason.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ChannelEntry } from "../entry.ts";

/** An upstream's refusal: its own status (before any mapping) and its message. */
export type UpstreamRefusal = Readonly<{ status: number; error: Pick<ReadError, "message" | "type" | "code"> }>;

const GEMINI = 24;
const LASTING_CODES: ReadonlySet<unknown> = new Set(["invalid_api_key", "account_deactivated", "billing_not_active"]);
const LASTING_TYPES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);

/** Whether a channel may be switched off without anybody's asking. */
export const mayGoOff = ({ autoBan }: Pick<ChannelEntry, "autoBan">, settings: SettingsReader): boolean =>
  autoBan && settings.get("AutomaticDisableChannelEnabled");

/** Whether a refusal switches off: the upstream will go on so, and the channel may go off. */
export function switchesOff(
  channel: Pick<ChannelEntry, "type" | "autoBan">,
  { status, error }: UpstreamRefusal,
  settings: SettingsReader,
): boolean {
  if (!mayGoOff(channel, settings)) return false;
  const { type } = channel;
  if (status === 401 || (status === 403 && type === GEMINI)) return true;
  if (LASTING_CODES.has(error.code) || LASTING_TYPES.has(error.type)) return true;
  const message = error.message.toLowerCase();
  return settings.get("AutomaticDisableKeywords").some((keyword) => message.includes(keyword.toLowerCase()));
}

/** The key that goes off alone; null: it is the channel's last, so the channel goes off. */
export const keyAlone = ({ keys, disabledKeys }: Pick<ChannelEntry, "keys" | "disabledKeys">, key: string) =>
  keys.some((other) => other !== key && !disabledKeys.has(other)) ? key : null;

/** Why asking an upstream came to nothing; null: the error is none of the upstream's. */
export function upstreamFailure(error: unknown): Reason | null {
  if (error instanceof OutboundError) return error.reason;
  return error instanceof SyntaxError ? { code: "why_no_json" } : null;
}
