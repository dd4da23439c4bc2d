import { authenticityRules } from "../option/authenticity.ts";
import { bool, lines, number } from "../option/option.ts";

const MINUTES = { max: 43_200 };

/** When channels are switched off and on by themselves. */
export const monitoringOptions = {
  /** Seconds: a slower test disables the channel; 0: never. */
  ChannelDisableThreshold: number(5, { max: 86_400 }),
  AutomaticDisableChannelEnabled: bool(false),
  AutomaticEnableChannelEnabled: bool(false),
  /** Minutes between two tests of all channels; 0: never. */
  ChannelTestFrequency: number(0, MINUTES),
  /** Minutes between two queries of all balances; 0: never. */
  ChannelUpdateFrequency: number(0, MINUTES),
  /** In a balance's own currency: the super admin is notified of a balance that falls below; 0: never. */
  ChannelBalanceWarning: number(5, { max: 1_000_000_000 }),
  /** How channels are checked for the models that they claim to serve. */
  ChannelAuthenticity: authenticityRules({}),
  /** Hours between two comparisons of channels' models with what upstreams offer; 0: never. */
  ChannelModelListFrequency: number(24, { max: 8760 }),
  /** Minutes after which a key that was switched off automatically is tried again; 0: never. */
  ChannelKeyProbeMinutes: number(10, MINUTES),
  /** Found in an upstream's message (case ignored), they disable the channel. */
  AutomaticDisableKeywords: lines([
    "credit balance is too low",
    "organization has been disabled",
    "exceeded your current quota",
    "permission denied",
    "security token included in the request is invalid",
    "operation not allowed",
    "account is not authorized",
  ]),
};
