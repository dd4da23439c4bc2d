import type { UsageRecord } from "../../../billing/types.ts";
import type { HostSlots, ReleaseSlot } from "../../../lib/limits/host-slots.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import { createOwnSlots } from "../../../lib/limits/slots.ts";
import type { LimitRule } from "../../../settings/option/limit-rules.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import type { LimitPlaces } from "../../call/progress.ts";
import type { Choice } from "../../call/route.ts";

/** A call, of which there may be copies, for another model or with what served it: all have the same client. */
type LimitedCall = Pick<Call, "caller" | "progress" | "summary">;

/** What a rule that has nothing left says: seconds until it may have. */
export type LimitReached = Readonly<{ rule: LimitRule; seconds: number }>;

/** The site's limits (option LimitRules), counted over all processes. */
export type LimitRuleCounts = Readonly<{
  /** Counts a call that begins, in the rules about its caller. Rejects GatewayError 429. */
  begin(call: LimitedCall): Promise<void>;
  /** Counts an attempt in the rules about its channel; null: it may be made. */
  admit(call: LimitedCall, choice: Choice): Promise<LimitReached | null>;
  /** An attempt has failed: another one may take its place at the channel. */
  leave(call: LimitedCall, choice: Choice): void;
  /** Counts what a call has used, and ends it: also in the places (`ClientPresence`) of rules that were removed meanwhile. */
  end(
    call: LimitedCall & Pick<Call, "servedBy">,
    row: Pick<UsageRecord, "promptTokens" | "completionTokens" | "quota">,
  ): void;
}>;

/** `shared`: where processes count requests, tokens and quota together; `slots`: where they count concurrent calls. */
export function createLimitRuleCounts(
  settings: SettingsReader,
  shared: SharedLimits | null,
  slots: HostSlots = createOwnSlots(),
): LimitRuleCounts {
  const limiters = new Map<string, Limiter>();

  const limiterOf = (kind: "requests" | "tokens" | "quota", rule: LimitRule): Limiter => {
    const { id, windowMs } = rule;
    const count = rule[kind];
    const name = `rule-${kind}-${id}-${count}-${windowMs}`;
    const known = limiters.get(name);
    if (known) return known;
    const made = createLimiter(shared, `rule-${kind}-${id}`, { count, windowMs });
    limiters.set(name, made);
    return made;
  };

  /** Counts in all of the rules, or in none; the first that has nothing left. */
  const take = async (
    rules: readonly LimitRule[],
    call: LimitedCall,
    choice: Choice | null,
  ): Promise<LimitReached | null> => {
    const undo: (() => void)[] = [];
    const places: LimitPlaces[number][] = [];
    for (const rule of rules) {
      const key = keyOf(rule, call, choice);
      if (key === null) continue;
      const seconds = await takeOne(rule, key, undo, (release) =>
        places.push({ channel: choice?.channel ?? null, release }),
      );
      if (seconds === 0) continue;
      for (const back of undo) back();
      for (const { release } of places) release();
      return { rule, seconds };
    }
    const { client } = call.progress;
    if (places.length > 0) client.places = [...(client.places ?? []), ...places];
    return null;
  };

  const takeOne = async (
    rule: LimitRule,
    key: string,
    undo: (() => void)[],
    hold: (release: ReleaseSlot) => void,
  ): Promise<number> => {
    for (const kind of ["tokens", "quota"] as const) {
      const wait = rule[kind] > 0 ? await limiterOf(kind, rule).check(key) : 0;
      if (wait > 0) return wait;
    }
    if (rule.concurrency > 0) {
      const release = await slots.enter(`rule-${rule.id}`, rule.concurrency, key);
      if (!release) return 1;
      hold(release);
    }
    if (rule.requests === 0) return 0;
    const requests = limiterOf("requests", rule);
    const wait = await requests.take(key);
    if (wait === 0) undo.push(() => void requests.giveBack(key));
    return wait;
  };

  const use = (
    rules: readonly LimitRule[],
    call: LimitedCall,
    choice: Choice | null,
    tokens: number,
    quota: number,
  ) => {
    for (const rule of rules) {
      const key = rule.tokens + rule.quota > 0 ? keyOf(rule, call, choice) : null;
      if (key === null) continue;
      if (rule.tokens > 0 && tokens > 0) void limiterOf("tokens", rule).add(key, tokens);
      if (rule.quota > 0 && quota > 0) void limiterOf("quota", rule).add(key, quota);
    }
  };

  return {
    async begin(call) {
      const reached = await take(settings.values.LimitRules.ofCallers, call, null);
      if (reached) throw limitReached(reached);
    },
    admit: (call, choice) => take(settings.values.LimitRules.ofChannels, call, choice),
    leave({ progress: { client } }, { channel }) {
      for (const place of client.places ?? []) if (place.channel === channel) place.release();
      client.places = client.places?.filter((place) => place.channel !== channel) ?? null;
    },
    end(call, { promptTokens, completionTokens, quota }) {
      const { client } = call.progress;
      for (const { release } of client.places ?? []) release();
      client.places = null;
      const { ofCallers, ofChannels } = settings.values.LimitRules;
      const tokens = promptTokens + completionTokens;
      use(ofCallers, call, null, tokens, quota);
      if (call.servedBy) use(ofChannels, call, call.servedBy, tokens, quota);
    },
  };
}

/** What a rule counts a call under; null: it is not about such a call. */
function keyOf(rule: LimitRule, { caller, summary }: LimitedCall, choice: Choice | null): string | null {
  const { models, groups, users, keys, channels, per } = rule;
  const { user, token, group, endUser } = caller;
  const keyId = String(token?.id ?? 0);
  if (models && !models.has(summary.model)) return null;
  if (groups && !groups.has(group)) return null;
  if (users && !users.has(user.username) && !users.has(String(user.id))) return null;
  if (keys && !keys.has(keyId)) return null;
  // Limits of channels protect the site's accounts at providers.
  if (choice?.channel.ownKey) return null;
  if (channels && choice && !channels.has(choice.channel.name) && !channels.has(String(choice.channel.id))) return null;
  const parts: string[] = [];
  for (const dimension of per) {
    if (dimension === "model") parts.push(summary.model);
    else if (dimension === "group") parts.push(group);
    else if (dimension === "user") parts.push(String(user.id));
    else if (dimension === "key") parts.push(keyId);
    else if (dimension === "end_user") {
      if (endUser === undefined) return null;
      parts.push(endUser);
    } else if (choice) {
      parts.push(String(choice.channel.id));
      // A hash: keys of providers leave this process for their provider alone.
      if (dimension === "channel_key") parts.push(Bun.hash(choice.key).toString(36));
    }
  }
  return parts.join("\n");
}

/** The error of a call that a rule has nothing left for. */
export const limitReached = ({ rule: { name }, seconds }: LimitReached): GatewayError =>
  new GatewayError(
    429,
    "rate_limit_exceeded",
    { code: "gateway_limit_rule", params: { name, seconds } },
    { type: "rate_limit_error", retryAfterSeconds: seconds, limit: "limit_rule" },
  );
