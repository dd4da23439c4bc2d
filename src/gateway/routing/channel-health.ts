import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { withoutKey } from "../../domain/channels/keys/keys.ts";
import { createFailureCounter, thresholdOf } from "../../domain/channels/status/failure-counter.ts";
import { keyAlone, mayGoOff, switchesOff, type UpstreamRefusal } from "../../domain/channels/status/refusal.ts";
import type { Reason } from "../../lib/reason.ts";
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
