import type { ReadError } from "../../../formats/openai-chat/errors.ts";
import { OutboundError } from "../../../lib/outbound/outbound-error.ts";
import type { Reason } from "../../../lib/reason.ts";
import type { AccountProblem } from "../../../providers/contract/facts.ts";
import { TokenRefused } from "../../../providers/contract/token-refused.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ChannelEntry } from "../entry.ts";
import { ownWords, type ReadRequestText } from "./own-words.ts";

/** An upstream's refusal: its own status (before any mapping), its message, and what it was asked. */
export type UpstreamRefusal = Readonly<{
  status: number;
  error: Pick<ReadError, "message" | "type" | "code" | "param">;
  /** What it says about the operator's account. */
  accountProblem: AccountProblem | null;
  requestText: ReadRequestText;
}>;

const GEMINI = 24;
const LASTING_TYPES: ReadonlySet<string> = new Set(["authentication_error", "permission_error", "forbidden"]);
const CALLERS_FAULTS: ReadonlySet<number> = new Set([400, 413, 415, 422]);
/** "Invalid value: …", "Unknown parameter …", "messages.0.content: …", "Field required". */
const PARAMETER_WORDS =
  /^(invalid|unknown|unsupported|unrecognized|missing|unexpected)\b.{0,40}\b(value|parameter|argument|field|property|type|key)|^[\w$]+([.[][\w\]$]+)+:|\bfield required\b|extra inputs are not permitted/is;
const PARAMETER_CODE = /parameter|invalid_(value|type)|unsupported_value|missing_required/i;

/** Whether a channel may be switched off without anybody's asking. */
export const mayGoOff = ({ autoBan }: Pick<ChannelEntry, "autoBan">, settings: SettingsReader): boolean =>
  autoBan && settings.get("AutomaticDisableChannelEnabled");

/** Whether an error blames a parameter of the request, as no refusal of a key or an account does. */
function blamesParameter({ status, error }: Pick<UpstreamRefusal, "status" | "error">): boolean {
  if (!CALLERS_FAULTS.has(status)) return false;
  const { param, code, message } = error;
  // Errors of other shapes have their status as parameter.
  const isNamed = param !== "" && param !== String(status);
  return isNamed || PARAMETER_CODE.test(String(code ?? "")) || PARAMETER_WORDS.test(message);
}

/** Whether an error denies access to something stored that the request names, such as a file of another account. */
const blamesObject = ({ status, error }: UpstreamRefusal): boolean =>
  (status === 403 || status === 404) && STORED_OBJECT.test(error.message);

const STORED_OBJECT =
  /\b(cached ?contents?|files?|tuned ?models?|corpus|corpora|containers?|vector ?stores?|batch(es)?|conversations?|responses?)\b/i;

/** Whether a refusal switches off: the upstream will go on so, and the channel may go off. */
export function switchesOff(
  channel: Pick<ChannelEntry, "type" | "autoBan">,
  refusal: UpstreamRefusal,
  settings: SettingsReader,
): boolean {
  if (!mayGoOff(channel, settings)) return false;
  const { status, error, accountProblem, requestText } = refusal;
  if (accountProblem !== null || status === 401) return true;
  if (blamesParameter(refusal) || blamesObject(refusal)) return false;
  if (status === 403 && channel.type === GEMINI) return true;
  if (LASTING_TYPES.has(error.type)) return true;
  const isOwn = ownWords(error.message, requestText);
  return settings.get("AutomaticDisableKeywords").some(isOwn);
}

/** The key that goes off alone; null: it is the channel's last, so the channel goes off. */
export const keyAlone = ({ keys, disabledKeys }: Pick<ChannelEntry, "keys" | "disabledKeys">, key: string) =>
  keys.some((other) => other !== key && !disabledKeys.has(other)) ? key : null;

/** Why asking an upstream came to nothing; null: the error is none of the upstream's. */
export function upstreamFailure(error: unknown): Reason | null {
  if (error instanceof OutboundError) return error.reason;
  if (error instanceof TokenRefused) return error.message;
  return error instanceof SyntaxError ? { code: "why_no_json" } : null;
}
