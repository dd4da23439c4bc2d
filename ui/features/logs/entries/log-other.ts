import type {
  AgentSession,
  Attempt,
  CallEnding,
  GuardrailNote,
  LogOther,
  PlanDraw,
  Receipt,
  ReceiptLine,
  UsageEvidence,
} from "../../../../src/billing/types.ts";
import type { Sentence } from "../../../../src/lib/messages.ts";
import {
  type Checks,
  isBoolean,
  isListOf,
  isNullable,
  isNumber,
  isOneOf,
  isOptional,
  isRecord,
  isShape,
  isText,
  readMembers,
  readRecord,
} from "../../../lib/json.ts";

/** Its text is looked up by the code; an unknown code shows the English text of the row. */
const isSentence = (value: unknown): value is Sentence =>
  isRecord(value) && isText(value.code) && (value.params === undefined || isRecord(value.params));

const isAttempt = isShape<Attempt>({
  channelId: isNumber,
  channelName: isText,
  status: isNumber,
  startMs: isNumber,
  firstByteMs: isNullable(isNumber),
  endMs: isNumber,
  isCancelled: isOptional(isBoolean),
  code: isOptional(isText),
  problem: isOptional(isOneOf(["no_credit", "bad_key"])),
  cost: isOptional(isNumber),
  channel_cost: isOptional(isNumber),
  error: isOptional(isText),
  error_reason: isOptional(isSentence),
});

const isLine = isShape<ReceiptLine>({ item: isText, quantity: isText, factor: isText, amount: isText });

const isReceipt = isShape<Receipt>({
  lines: isListOf(isLine),
  subtotal: isText,
  groupRatio: isText,
  discountPercent: isOptional(isText),
  cacheHitPercent: isOptional(isNumber),
  ownKeyPercent: isOptional(isText),
  ownKeyFee: isOptional(isText),
  variant: isOptional(isText),
  contextOver: isOptional(isNumber),
  serviceTier: isOptional(isText),
  isGeneralTier: isOptional(isBoolean),
  hours: isOptional(isText),
  rounding: isOptional(isText),
  total: isNumber,
  quotaPerUnit: isText,
});

const isAgentSession = isShape<AgentSession>({
  id: isText,
  by: isOneOf(["header", "body", "metadata", "conversation", "trace", "prompt"]),
  step: isOptional(isText),
  agent: isOptional(isText),
  parent: isOptional(isText),
  name: isOptional(isText),
  tools: isOptional(isListOf(isText)),
});

const isExchange = isShape<NonNullable<LogOther["admin_info"]>["exchange"] & object>({
  client: isText,
  upstream: isOptional(isText),
  format: isOptional(isText),
  cut: isOptional((value): value is true => value === true),
});
const isDraw = isShape<PlanDraw>({
  subscription: isNumber,
  plan: isText,
  units: isNumber,
  until: isOptional(isNumber),
  calls: isOptional(isNumber),
  call: isOptional(isNullable(isNumber)),
});
const isBudget = isShape<{ id: number; scope: string; name: string; period: string }>({
  id: isNumber,
  scope: isText,
  name: isText,
  period: isText,
});

const isVerdict = isShape<GuardrailNote["verdicts"][number]>({
  name: isText,
  kind: isText,
  phase: isText,
  action: isText,
  shadow: isOptional((value): value is true => value === true),
  found: isListOf(isShape<{ type: string; count: number }>({ type: isText, count: isNumber })),
  failed: isOptional(isText),
  ms: isOptional(isNumber),
});
const isGuardrailNote = isShape<GuardrailNote>({
  verdicts: isListOf(isVerdict),
  held_characters: isOptional(isNumber),
  delay_ms: isOptional(isNumber),
});

const ENDINGS = ["complete", "client_left", "upstream_failed", "idle_timeout", "shutdown", "refused"] as const;
const EVIDENCE = ["reported", "drained", "estimated", "none"] as const;

type OwnKeyNote = NonNullable<LogOther["own_key"]>;

/** Rows that came from another gateway may have values of other types. */
const CHECKS: Checks<Omit<LogOther, "admin_info">> = {
  own_key: isShape<OwnKeyNote>({ id: isNumber, name: isText, provider: isText, worth: isOptional(isNumber) }),
  guardrails: isGuardrailNote,
  model_ratio: isNumber,
  model_price: isNumber,
  completion_ratio: isNumber,
  group_ratio: isNumber,
  user_group_ratio: isNumber,
  group: isText,
  claude: isBoolean,
  cache_tokens: isNumber,
  cache_ratio: isNumber,
  cache_creation_tokens: isNumber,
  cache_creation_tokens_1h: isNumber,
  cache_creation_ratio: isNumber,
  frt: isNumber,
  is_model_mapped: isBoolean,
  upstream_model_name: isText,
  requested_model: isText,
  reasoning_effort: isText,
  service_tier: isText,
  reasoning_tokens: isNumber,
  audio: isBoolean,
  ws: isBoolean,
  audio_input: isNumber,
  audio_output: isNumber,
  text_input: isNumber,
  text_output: isNumber,
  audio_ratio: isNumber,
  audio_completion_ratio: isNumber,
  image_input: isNumber,
  image_output: isNumber,
  image_ratio: isNumber,
  image_completion_ratio: isNumber,
  system_prompt: isText,
  context: isText,
  input_content: isText,
  output_content: isText,
  request_id: isText,
  receipt: isReceipt,
  usage_evidence: isOneOf<UsageEvidence>(EVIDENCE),
  ending: isOneOf<CallEnding>(ENDINGS),
  stop_reason: isText,
  dropped: isListOf(isText),
  automatic_cache_saved: isNumber,
  reserved: isNumber,
  uncovered: isNumber,
  refunded: isNumber,
  queued_ms: isNumber,
  response_cache: isShape<NonNullable<LogOther["response_cache"]>>({
    age_seconds: isOptional(isNumber),
    saved: isOptional(isNumber),
    miss: isOptional((value): value is true => value === true),
  }),
  agent_session: isAgentSession,
  tags: isListOf(isText),
  end_user: isText,
  plan_draws: isListOf(isDraw),
  budgets: isListOf(isBudget),
  status: isNumber,
  error: isText,
  error_reason: isSentence,
};

type AdminInfo = NonNullable<LogOther["admin_info"]>;

const ADMIN_CHECKS: Checks<AdminInfo> = {
  use_channel: isListOf(isText),
  attempts: isListOf(isAttempt),
  key_index: isNumber,
  upstream_cost: isNumber,
  cache_saved: isNumber,
  exchange: isExchange,
};

/** Parses a row's `other`, which the server writes as a `LogOther`. Members with other types of values are left out. */
export function readOther(text: string): Partial<LogOther> {
  const stored = readRecord(text);
  const other = readMembers(stored, CHECKS);
  if (!isRecord(stored?.admin_info)) return other;
  const info = readMembers(stored.admin_info, ADMIN_CHECKS);
  return { ...other, admin_info: { use_channel: [], attempts: [], ...info } };
}
