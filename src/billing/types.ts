import type { Megapixels } from "../formats/conversation/reply.ts";
import type { Sentence } from "../lib/messages.ts";
import { type Reason, sayReason } from "../lib/reason.ts";
import type { Decimal } from "../lib/values/decimal.ts";
import type { PriceHours } from "./pricing/price-hours.ts";
import type { ContextTier, PriceVariant } from "./pricing/price-rules.ts";
import type { AppliedTiers, TierFactors } from "./pricing/service-tiers.ts";

/** The source of the billed usage: the upstream's own figures (drained: read after the client left), or our count. */
export type UsageEvidence = "reported" | "drained" | "estimated" | "none";

/** How the call ended. */
export type CallEnding = "complete" | "client_left" | "upstream_failed" | "idle_timeout" | "shutdown" | "refused";

/** What a call by the caller's own key costs: a share of the model's price, and a fixed amount per call. */
export type ServiceFee = Readonly<{
  /** Of the price, in percent. */
  percent: Decimal;
  usdPerCall: Decimal;
}>;

/** Everything that determines the price of a model for one caller, resolved before the call. */
export type Price = {
  /** The name whose price was found (requested name first, upstream name as fallback). */
  pricedAs: string;
  /** Includes the current discount of the group. */
  groupRatio: Decimal;
  discount?: Readonly<{ percent: Decimal }> | undefined;
  /** The ratio is that of the user's group in the group of the call. */
  isOfUserGroup?: true;
  /** The option ToolPrice; absent if the call cannot use tools. */
  toolPrices?: ReadonlyMap<string, Decimal>;
  /** What the model's service tiers multiply the price by. */
  serviceTiers?: TierFactors | undefined;
  /** The option ServiceTierMultipliers: for tiers that the model has no price for. */
  tierMultipliers?: ReadonlyMap<string, Decimal> | undefined;
  /** Hours at which the model costs more or less. */
  hourRules?: readonly PriceHours[] | undefined;
  /** The hours in force when the price was resolved: as the call began. */
  hours?: PriceHours | undefined;
  /** The tiers that served the call. */
  appliedTiers?: AppliedTiers;
  /** The call goes to the caller's own key; its share is included in `groupRatio`. */
  serviceFee?: ServiceFee;
} & (
  | {
      kind: "per_call";
      usdPerCall: Decimal;
      /** The price is per second; this many seconds (an integer) are requested, or the most that the model may decide on. */
      seconds?: number;
      /** The price is per image; the model decides how many, up to this number. */
      images?: number;
      /** Of each megapixel of an image after the first, and of each of an image in the request. */
      usdPerMegapixel?: Decimal | undefined;
      /** The most megapixels of the request, where the price depends on them. */
      megapixels?: Megapixels;
      /** The price per second, or per video, of variants that cost more or less. */
      variants?: readonly PriceVariant[] | undefined;
      /** The variant that this price belongs to, as written in the price table. */
      variant?: string;
    }
  | {
      kind: "per_token";
      modelRatio: Decimal;
      completionRatio: Decimal;
      cacheRatio: Decimal;
      cacheCreationRatio: Decimal;
      /** Cache writes with a lifetime of one hour. */
      longCacheCreationRatio: Decimal;
      /** Price steps by prompt length, ascending. */
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
   * Stable code: input, cache_read, cache_write, cache_write_1h, output, audio_input, audio_output, image_input, image_output, per_call, per_second,
   * output_megapixel (after the first of each image), input_megapixel, or a tool (web_search, file_search, code_interpreter); minimum means that the total
   * was raised to the minimum charge (not part of the subtotal; `rounding` has the difference).
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
  /** The group's current discount in percent; already included in `groupRatio`. */
  discountPercent?: string;
  /** The response came from the site's cache, for so many percent of the price; already included in `groupRatio`. */
  cacheHitPercent?: number;
  /** The call went to the caller's own key, for so many percent of the price; already included in `groupRatio`. */
  ownKeyPercent?: string;
  /** The fixed part of the fee for such a call, in exact quota units; absent: there is none. */
  ownKeyFee?: string;
  /** The variant of the order, whose price is in the factors: `mode=pro`. */
  variant?: string;
  /** The prompt exceeded this number of tokens, so the factors have the prices of that step. */
  contextOver?: number;
  /** The service tiers that served the call, whose prices are in the factors: `priority`, `fast, geo:us`. */
  serviceTier?: string;
  /** The model has no price of its own for the tier: the site's multiplier is in the factors. */
  isGeneralTier?: boolean;
  /** The hours at which the call began, whose price is in the factors: `09:00–12:00 Asia/Shanghai`. */
  hours?: string;
  /** The difference made by rounding, in exact quota units; absent if nothing was rounded. */
  rounding?: string;
  /** The charge in whole quota units: `subtotal` × `groupRatio` + `ownKeyFee` + `rounding`. */
  total: number;
  quotaPerUnit: string;
};

/** One attempt at an upstream channel. Times are milliseconds since the call arrived. */
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
  /** The provider's own code of its error. */
  code?: string;
  /** What the error says of the operator's account. */
  problem?: "no_credit" | "bad_key";
  /** The least that a cancelled attempt cost the operator, in quota units at list price; nobody is charged for it. */
  cost?: number;
  /** What a response that nobody got cost the operator, by the usage that its provider reported. */
  channel_cost?: number;
} & FailureNote;

/** Why a call or an attempt failed, without secrets; nothing on success. */
export type FailureNote = {
  /** In English, or in an upstream's own words. */
  error?: string;
  /** The same as a code with parameters, if the reason is the gateway's own. */
  error_reason?: Sentence;
};

/** The failure as a log row stores it. */
export const failureNote = (reason: Reason): FailureNote =>
  typeof reason === "string" ? { error: reason } : { error: sayReason(reason, "en"), error_reason: reason };

/** The run of an agent that a call belongs to, as its client named it. */
export type AgentSession = Readonly<{
  id: string;
  /** Where the client named it; "prompt": it did not, and its conversation is recognized by its beginning. */
  by: "header" | "body" | "metadata" | "conversation" | "trace" | "prompt";
  /** The step of the run: a span of the client's trace, or the step's name. */
  step?: string;
  /** The sub-agent that made the call; absent: the agent that the run began with. */
  agent?: string;
  /** The sub-agent that started that one; absent: the agent that the run began with. */
  parent?: string;
  /** What the client calls the sub-agent. */
  name?: string;
  /** Tools whose results the call sent. */
  tools?: readonly string[];
}>;

/** What a plan paid of a call: quota units, or the call itself. */
export type PlanDraw = Readonly<{
  subscription: number;
  plan: string;
  /** 0 for an included call. */
  units: number;
  /** When the window ends in which the quota expires, epoch seconds; absent of windows that begin with their first charge. */
  until?: number;
  /** Included calls of the window, and which of them this one is; null: it ended after the plan, and is included all the same. */
  calls?: number;
  call?: number | null;
}>;

/** What guardrails found in a call. */
export type GuardrailNote = Readonly<{
  verdicts: readonly Readonly<{
    name: string;
    kind: string;
    phase: string;
    action: string;
    /** Nothing happened: it is what would have. */
    shadow?: true;
    /** What was found, and how many different ones. */
    found: readonly Readonly<{ type: string; count: number }>[];
    /** Why the service gave no answer, so that its rule decided. */
    failed?: string;
    /** How long the service took. */
    ms?: number;
  }>[];
  /** The most characters of a stream that were held back at a time. */
  held_characters?: number;
  /** How long the call and its complete answer waited for them, in milliseconds. */
  delay_ms?: number;
}>;

/** JSON in `logs.other`: names as in one-api and new-api, and some of our own. */
export type LogOther = {
  model_ratio?: number;
  model_price?: number;
  completion_ratio?: number;
  group_ratio?: number;
  /** −1: no ratio for the user's own group. Others only in rows that came from another gateway. */
  user_group_ratio?: number;
  /** In which the call was charged. */
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
  /** The model that the client named, if another took over. */
  requested_model?: string;
  reasoning_effort?: string;
  /** The service tier that the response named, if it was not the standard one, or `default` where another was requested. */
  service_tier?: string;
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
  /** Tokens of images, if images have a price of their own. */
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
    /** What the call cost the operator at its channel, in quota units; absent: the channel does not say. */
    upstream_cost?: number;
    /** What the call would have cost the operator, had its response not come from the cache; absent: unknown. */
    cache_saved?: number;
    /** The request's body as the client sent it, and as the last attempt sent it upstream (absent: the same), if contents are logged. */
    exchange?: Readonly<{ client: string; upstream?: string; format?: string; cut?: true }>;
  };
  request_id: string;
  receipt?: Receipt;
  usage_evidence?: UsageEvidence;
  ending?: CallEnding;
  /** The upstream's own finish reason, if it is not a natural end and most formats have no word for it. */
  stop_reason?: string;
  /** Request fields the target could not express. */
  dropped?: string[];
  /** The gateway marked a prefix to cache: quota units that reads saved, less what writes cost more; negative: it cost more. */
  automatic_cache_saved?: number;
  /** The response came from the site's cache: how old it was, and how many quota units less it cost; `miss`: it was not there. */
  response_cache?: Readonly<{ age_seconds?: number; saved?: number; miss?: true }>;
  /**
   * The caller's own key that the call went to; `id` 0: it came with the call. `worth`: what the call would have cost by a channel of
   * the site, in quota units; absent: it failed.
   */
  own_key?: Readonly<{ id: number; name: string; provider: string; worth?: number }>;
  /** What guardrails found in the call and did. */
  guardrails?: GuardrailNote;
  /** Quota units held for the call; the unused part was returned. */
  reserved?: number;
  uncovered?: number;
  /** Quota units refunded later, because the task that the call ordered failed. */
  refunded?: number;
  /** Milliseconds in the queue of a busy route. */
  queued_ms?: number;
  agent_session?: AgentSession;
  /** The tags that the client gave the call. */
  tags?: readonly string[];
  /** Whom the client made the call for, where the site asks. */
  end_user?: string;
  /** Quota units of the charge paid by plan windows, in this order; the wallet paid the rest. Set when the call is charged. */
  plan_draws?: readonly PlanDraw[];
  /** The organization's budgets that the call counts toward, the narrowest first. */
  budgets?: readonly Readonly<{ id: number; scope: string; name: string; period: string }>[];
  /** Status sent to the client. */
  status?: number;
} & FailureNote;

/** The result of a finished call: one log row and one charge. Written to the journal, then once to the database. */
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
  /** Id of the budget of the plan that pays, as far as it goes, instead of the balance. */
  plan?: number;
  /** Id of the budget of the window that includes the call, which then costs nothing. */
  included?: number;
};
