import type { Usage } from "../formats/conversation/reply.ts";
import type { Sentence } from "../lib/messages.ts";
import { type Reason, sayReason } from "../lib/reason.ts";
import type { Decimal } from "../lib/values/decimal.ts";
import type { ContextTier, PriceVariant } from "./pricing/price-rules.ts";

export const NO_USAGE: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};

/** On what evidence a call was billed: the upstream's own figures (drained: read after the client left), or our count. */
export type UsageEvidence = "reported" | "drained" | "estimated" | "none";

/** How the call ended. */
export type CallEnding = "complete" | "client_left" | "upstream_failed" | "idle_timeout" | "shutdown" | "refused";

/** Everything that fixes the price of a model for one caller, resolved before the call. */
export type Price = {
  /** The name whose price was found (requested name first, upstream name as fallback). */
  pricedAs: string;
  /** A discount is in it. */
  groupRatio: Decimal;
  discount?: Readonly<{ percent: Decimal }> | undefined;
  /** The option ToolPrice; absent where no tools can be used. */
  toolPrices?: ReadonlyMap<string, Decimal>;
} & (
  | {
      kind: "per_call";
      usdPerCall: Decimal;
      /** The price is that of a second, and so many (a whole number) are asked for. */
      seconds?: number;
      /** The price is that of an image, and at most so many are drawn: the model decides how many. */
      images?: number;
      /** What a second costs of orders that ask for something dearer or cheaper. */
      variants?: readonly PriceVariant[] | undefined;
      /** The variant whose price this is, as it was written. */
      variant?: string;
    }
  | {
      kind: "per_token";
      modelRatio: Decimal;
      completionRatio: Decimal;
      cacheRatio: Decimal;
      cacheCreationRatio: Decimal;
      /** Cache writes of an hour. */
      longCacheCreationRatio: Decimal;
      /** Steps by length of the prompt, ascending. */
      contextTiers?: readonly ContextTier[] | undefined;
      audioRatio: Decimal;
      audioCompletionRatio: Decimal;
      /** Images in the prompt relative to text; absent: they cost what text costs. */
      imageRatio?: Decimal | undefined;
      /** Output images relative to those in the prompt; absent: they cost what other output costs. */
      imageCompletionRatio?: Decimal | undefined;
    }
);

/** One line of a receipt: `quantity` × `factor` = `amount`; numbers are exact decimal text. */
export type ReceiptLine = {
  /**
   * Stable code: input, cache_read, cache_write, cache_write_1h, output, audio_input, audio_output, image_input, image_output, per_call, per_second, or a tool (web_search,
   * file_search, code_interpreter); minimum says that the total
   * was raised to the least charge (it is no part of the subtotal; `rounding` has what that added).
   */
  item: string;
  quantity: string;
  /** Ratio text applied to the quantity (price per 1M tokens = 2 × ratio USD), or USD per call or use. */
  factor: string;
  /** Quota units before the group ratio, exact. */
  amount: string;
};

/** The sums behind a charge, stored with the log row and shown as a receipt. */
export type Receipt = {
  lines: ReceiptLine[];
  /** Sum of the lines, exact quota units. */
  subtotal: string;
  groupRatio: string;
  /** Percent that the group pays less for a while; it is in `groupRatio`. */
  discountPercent?: string;
  /** The variant that the order falls under, whose price is in the factors: `mode=pro`. */
  variant?: string;
  /** The prompt was longer than so many tokens, so prices are those of that step; they are in the factors. */
  contextOver?: number;
  /** What rounding added, or took with a minus: exact quota units, absent where nothing was rounded. */
  rounding?: string;
  /** What was charged, quota units without decimals: `subtotal` × `groupRatio` + `rounding`. */
  total: number;
  quotaPerUnit: string;
};

/** One try at an upstream channel. Times are milliseconds since the call arrived. */
export type Attempt = {
  channelId: number;
  channelName: string;
  /** HTTP status of the upstream; 0 when no answer came. */
  status: number;
  startMs: number;
  /** First byte of the body; null when none came. */
  firstByteMs: number | null;
  endMs: number;
  /** A hedge: another channel responded first. */
  isCancelled?: boolean;
  /** What a cancelled attempt cost the operator at least, in quota units at list price: nobody is charged for it. */
  cost?: number;
} & FailureNote;

/** Why a call or an attempt failed, without secrets; nothing on success. */
export type FailureNote = {
  /** In English, or in an upstream's own words. */
  error?: string;
  /** The same as a code with parameters, where the gateway itself says why. */
  error_reason?: Sentence;
};

/** What a log row says of a failure. */
export const failureNote = (reason: Reason): FailureNote =>
  typeof reason === "string" ? { error: reason } : { error: sayReason(reason, "en"), error_reason: reason };

/** The run of an agent that a call belongs to, as its client named it. */
export type AgentSession = Readonly<{
  id: string;
  /** Where it was named. */
  by: "header" | "body" | "metadata" | "conversation" | "trace";
  /** The part of the run: a span of the client's trace, or what it named so. */
  step?: string;
  /** Tools whose results the call sent. */
  tools?: readonly string[];
}>;

/** JSON in `logs.other`: names as in one-api and new-api, and some of our own. */
export type LogOther = {
  model_ratio?: number;
  model_price?: number;
  completion_ratio?: number;
  group_ratio?: number;
  /** Only in rows that came from another gateway. */
  user_group_ratio?: number;
  group?: string;
  /** The call came in Anthropic's format. */
  claude?: boolean;
  cache_tokens?: number;
  cache_ratio?: number;
  cache_creation_tokens?: number;
  cache_creation_tokens_1h?: number;
  cache_creation_ratio?: number;
  /** Milliseconds to the first byte; -1000 when none was recorded. */
  frt?: number;
  is_model_mapped?: boolean;
  upstream_model_name?: string;
  /** The model that the client named, where another took over. */
  requested_model?: string;
  reasoning_effort?: string;
  reasoning_tokens?: number;
  audio?: boolean;
  /** A response within a realtime session. */
  ws?: boolean;
  audio_input?: number;
  audio_output?: number;
  text_input?: number;
  text_output?: number;
  audio_ratio?: number;
  audio_completion_ratio?: number;
  /** Tokens of images, where they have prices of their own. */
  image_input?: number;
  image_output?: number;
  image_ratio?: number;
  image_completion_ratio?: number;
  system_prompt?: string;
  context?: string;
  input_content?: string;
  output_content?: string;
  admin_info?: {
    use_channel: string[];
    attempts: Attempt[];
    key_index?: number;
    /** The request's body as the client sent it, and as the last attempt sent it upstream (absent: the same), if contents are logged. */
    exchange?: Readonly<{ client: string; upstream?: string; format?: string; cut?: true }>;
  };
  request_id: string;
  receipt?: Receipt;
  usage_evidence?: UsageEvidence;
  ending?: CallEnding;
  /** Why the upstream ended its answer, in its own word, where that is no natural end and most formats have none for it. */
  stop_reason?: string;
  /** Request fields the target could not express. */
  dropped?: string[];
  /** Quota units that were held for the call; what it did not cost went back. */
  reserved?: number;
  uncovered?: number;
  /** Quota units that went back later: the task that the call ordered failed. */
  refunded?: number;
  /** Milliseconds that it waited because its route was busy. */
  queued_ms?: number;
  agent_session?: AgentSession;
  /** What the client called the call by. */
  tags?: readonly string[];
  /** What windows of plans paid of the charge, in this order, in quota units; the wallet paid the rest. Set when it is charged. */
  plan_draws?: readonly Readonly<{ subscription: number; plan: string; units: number }>[];
  /** The budgets of an organization that it counts in, the narrowest first. */
  budgets?: readonly Readonly<{ id: number; scope: string; name: string; period: string }>[];
  /** Status answered to the client. */
  status?: number;
} & FailureNote;

/** What a finished call leaves behind: one log row, one charge. Written to the journal, then once to the database. */
export type UsageRecord = {
  requestId: string;
  /** Epoch seconds at which the call arrived. */
  createdAt: number;
  userId: number;
  username: string;
  /** 0 for the playground. */
  tokenId: number;
  tokenName: string;
  /** The API key has a limit of its own, so the charge is also taken from it. */
  tokenLimited: boolean;
  modelName: string;
  /** 0 when no channel was reached. */
  channelId: number;
  group: string;
  isStream: boolean;
  failed: boolean;
  elapsedMs: number;
  promptTokens: number;
  completionTokens: number;
  /** Quota units to charge; what the balance cannot cover is moved to `uncovered` by the ledger. */
  quota: number;
  ip: string;
  content: string;
  other: LogOther;
  /** Charged without a row in the log. */
  unlogged?: true;
  /** Ids of the budgets that the charge counts in. */
  budgets?: readonly number[];
};
