import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { withoutKey } from "../../domain/channels/keys/keys.ts";
import { keyAlone, mayGoOff, switchesOff, type UpstreamRefusal } from "../../domain/channels/status/refusal.ts";
import type { Reason } from "../../lib/reason.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Services } from "../call/services.ts";

type HealthServices = Pick<Services, "disableChannel" | "noticeNoCredit" | "settings">;

/** What an attempt failed with. */
type Failure = UpstreamRefusal & Readonly<{ answered: boolean; detail: Reason }>;

/** Between two notices that a channel has no credit, where it may not be switched off. */
const NOTICE_EVERY_MS = 3_600_000;

/**
 * Disables what an upstream will keep rejecting: the failing key, or the channel if that was its last one. Only with
 * AutomaticDisableChannelEnabled and the channel's auto_ban.
 */
export function createHealth(
  { settings, disableChannel, noticeNoCredit }: HealthServices,
  now: () => number = Date.now,
) {
  const counter = createFailureCounter(() => thresholdOf(settings), now);
  const noticedMs = new Map<number, number>();

  const notice = (channel: ChannelEntry, reason: string) => {
    const last = noticedMs.get(channel.id);
    if (last !== undefined && now() - last < NOTICE_EVERY_MS) return;
    noticedMs.set(channel.id, now());
    noticeNoCredit?.(channel, reason);
  };
  return {
    report(channel: ChannelEntry, key: string, failure: Failure): void {
      const isNoCredit = failure.accountProblem === "no_credit";
      const reason = `${failure.status}: ${withoutKey(failure.error.message, key)}`;
      const mayBeDisabled = mayGoOff(channel, settings);
      if (isNoCredit && !mayBeDisabled) notice(channel, reason);
      const isFault = !failure.answered || failure.status >= 500;
      const counts = isFault
        ? mayBeDisabled && settings.values.AutomaticDisableOnFaults
        : switchesOff(channel, failure, settings);
      if (!counts) return;
      // An account without credit stays so; other refusals may be a moment's.
      if (!isNoCredit && !counter.failed(channel.id, key)) return;
      disableChannel(channel, keyAlone(channel, key), failure.answered ? reason : failure.detail);
    },

    /** Keys that failed lately: only of these a success is news. */
    failing: counter.failing,

    /** A call succeeded. */
    succeeded: counter.succeeded,

    /**
     * Disables the channel of an image service without accounts. No test calls check such channels, so only an
     * administrator can enable them again.
     */
    noAccount(channel: ChannelEntry, message: string): void {
      if (!mayGoOff(channel, settings)) return;
      disableChannel(channel, null, message || { code: "why_no_account" }, CHANNEL_STATUS.disabled);
    },
  };
}

/** When failures of a key are enough: so many of its last calls within a time. */
type Threshold = Readonly<{ failures: number; calls: number; withinMs: number }>;

/** The threshold that the options state; one failure suffices unless they say otherwise. */
function thresholdOf(settings: SettingsReader): Threshold {
  const failures = settings.get("AutomaticDisableFailures");
  return {
    failures,
    calls: Math.max(failures, settings.get("AutomaticDisableCalls")),
    withinMs: settings.get("AutomaticDisableSeconds") * 1000,
  };
}

/** The end of one call. */
type Outcome = Readonly<{ atMs: number; failed: boolean }>;

/** Keys that are remembered; the oldest are forgotten first. */
const MOST_KEYS = 10_000;

/** Counts failures among the latest calls of each key, in this process. Keys that never failed are not remembered. */
export function createFailureCounter(readThreshold: () => Threshold, now: () => number = Date.now) {
  const outcomes = new Map<string, readonly Outcome[]>();
  const failing: ReadonlyMap<string, unknown> = outcomes;
  const nameOf = (channelId: number, key: string) => `${channelId} ${key}`;

  const add = (name: string, known: readonly Outcome[], failed: boolean, { calls, withinMs }: Threshold): Outcome[] => {
    const oldestMs = now() - withinMs;
    const latest = [...known, { atMs: now(), failed }].filter(({ atMs }) => atMs >= oldestMs).slice(-calls);
    outcomes.delete(name);
    if (latest.some((outcome) => outcome.failed)) outcomes.set(name, latest);
    return latest;
  };
  return {
    /** Keys with failures among their latest calls. */
    failing,

    /** Notes a failure; returns true when there are enough, and resets the count. */
    failed(channelId: number, key: string): boolean {
      const threshold = readThreshold();
      if (threshold.failures <= 1) return true;
      const name = nameOf(channelId, key);
      const [oldest] = outcomes.keys();
      if (outcomes.size >= MOST_KEYS && oldest !== undefined) outcomes.delete(oldest);
      const latest = add(name, outcomes.get(name) ?? [], true, threshold);
      const isEnough = latest.filter(({ failed }) => failed).length >= threshold.failures;
      if (isEnough) outcomes.delete(name);
      return isEnough;
    },

    /** Notes a success, which matters only after a failure. */
    succeeded(channelId: number, key: string): void {
      const name = nameOf(channelId, key);
      const known = outcomes.get(name);
      if (known) add(name, known, false, readThreshold());
    },
  };
}
