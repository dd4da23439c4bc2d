import type { LogOther, UsageRecord } from "../types.ts";
import { type BoundOf, CHARGE, COUNT, compileBound, FLAG, line, list, NUMBER, prose, VALUE, WORD } from "./bounds.ts";

/** Ids: a request's, a session's. */
const ID = line(200);
/**
 * Names in the log's indexes. An entry of an index has 2,704 bytes at most, and that of the roll-ups has a user's name, an API
 * key's, a model and a group: a unit of UTF-16 takes up to three bytes.
 */
const NAME = line(128);
export const MODEL_NAME = line(256);
/** A tier, a speed and a region, of 32 characters each. */
const TIERS = line(128);
/** Exact numbers as text. */
const DECIMAL = line(400);
/** What an upstream or the gateway says of a failure. */
const ERROR = prose(4000);
/** Contents of calls: the largest that the option LogContentMaxCharacters allows, and what bodies may have beyond it. */
const CONTENT = prose(205_000);

const FAILURE = { error: ERROR, error_reason: VALUE } as const;

const OTHER: BoundOf<LogOther> = {
  ...FAILURE,
  model_ratio: NUMBER,
  model_price: NUMBER,
  completion_ratio: NUMBER,
  group_ratio: NUMBER,
  user_group_ratio: NUMBER,
  group: NAME,
  claude: FLAG,
  cache_tokens: NUMBER,
  cache_ratio: NUMBER,
  cache_creation_tokens: NUMBER,
  cache_creation_tokens_1h: NUMBER,
  cache_creation_ratio: NUMBER,
  frt: NUMBER,
  is_model_mapped: FLAG,
  upstream_model_name: MODEL_NAME,
  requested_model: MODEL_NAME,
  reasoning_effort: line(32),
  service_tier: TIERS,
  reasoning_tokens: NUMBER,
  audio: FLAG,
  ws: FLAG,
  audio_input: NUMBER,
  audio_output: NUMBER,
  text_input: NUMBER,
  text_output: NUMBER,
  audio_ratio: NUMBER,
  audio_completion_ratio: NUMBER,
  image_input: NUMBER,
  image_output: NUMBER,
  image_ratio: NUMBER,
  image_completion_ratio: NUMBER,
  system_prompt: CONTENT,
  context: CONTENT,
  input_content: CONTENT,
  output_content: CONTENT,
  admin_info: {
    use_channel: list(200, line(32)),
    attempts: list(200, {
      ...FAILURE,
      channelId: NUMBER,
      channelName: NAME,
      status: NUMBER,
      startMs: NUMBER,
      firstByteMs: NUMBER,
      endMs: NUMBER,
      isCancelled: FLAG,
      code: line(128),
      problem: WORD,
      cost: NUMBER,
      channel_cost: CHARGE,
    }),
    key_index: NUMBER,
    upstream_cost: CHARGE,
    cache_saved: CHARGE,
    exchange: { client: CONTENT, upstream: CONTENT, format: line(32), cut: FLAG },
  },
  request_id: ID,
  receipt: {
    lines: list(100, { item: line(64), quantity: DECIMAL, factor: DECIMAL, amount: DECIMAL }),
    subtotal: DECIMAL,
    groupRatio: DECIMAL,
    discountPercent: DECIMAL,
    cacheHitPercent: NUMBER,
    ownKeyPercent: DECIMAL,
    ownKeyFee: DECIMAL,
    variant: line(200),
    contextOver: NUMBER,
    serviceTier: TIERS,
    isGeneralTier: FLAG,
    hours: line(200),
    rounding: DECIMAL,
    total: NUMBER,
    quotaPerUnit: DECIMAL,
  },
  usage_evidence: WORD,
  ending: WORD,
  stop_reason: line(32),
  dropped: list(100, line(200)),
  automatic_cache_saved: NUMBER,
  response_cache: { age_seconds: NUMBER, saved: CHARGE, miss: FLAG },
  own_key: { id: NUMBER, name: NAME, provider: NAME, worth: CHARGE },
  guardrails: {
    verdicts: list(50, {
      ...{ name: NAME, kind: line(32), phase: line(16), action: line(16), shadow: FLAG },
      found: list(20, { type: line(64), count: NUMBER }),
      failed: line(64),
      ms: NUMBER,
    }),
    held_characters: NUMBER,
    delay_ms: NUMBER,
  },
  reserved: NUMBER,
  uncovered: NUMBER,
  refunded: NUMBER,
  queued_ms: NUMBER,
  agent_session: {
    id: ID,
    by: WORD,
    step: ID,
    agent: ID,
    parent: ID,
    name: ID,
    tools: list(32, line(200)),
  },
  // Each is an entry of an index too: ten of the client's, the others of guardrails. Of 64 characters, each may be two units.
  tags: list(60, line(128)),
  // An entry of an index: 128 characters, each of which may be two units.
  end_user: line(256),
  plan_draws: list(100, {
    subscription: NUMBER,
    plan: NAME,
    units: NUMBER,
    until: NUMBER,
    calls: NUMBER,
    call: NUMBER,
  }),
  budgets: list(100, { id: NUMBER, scope: line(32), name: NAME, period: line(32) }),
  status: NUMBER,
};

/**
 * The bound of every field of a record: numbers are whole and in the range of their columns, texts are what Postgres can store
 * and index. Most of them come from a caller, an upstream or an operator; none of them may keep the record, and with it those
 * behind it, out of the database.
 */
export const RECORD_BOUNDS: BoundOf<UsageRecord> = {
  requestId: ID,
  createdAt: NUMBER,
  userId: NUMBER,
  username: NAME,
  tokenId: NUMBER,
  tokenName: NAME,
  tokenLimited: FLAG,
  modelName: MODEL_NAME,
  channelId: NUMBER,
  group: NAME,
  isStream: FLAG,
  failed: FLAG,
  elapsedMs: COUNT,
  promptTokens: COUNT,
  completionTokens: COUNT,
  quota: CHARGE,
  ip: line(64),
  content: ERROR,
  other: OTHER,
  unlogged: FLAG,
  budgets: list(100, NUMBER),
  plan: NUMBER,
  included: NUMBER,
};

/** The record with every field within its bound; the same object where nothing had to change. */
export const boundRecord = compileBound(RECORD_BOUNDS) as (record: UsageRecord) => UsageRecord;
