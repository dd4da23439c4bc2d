import { bool, lines, number } from "../option.ts";

/** When channels are switched off and on by themselves. */
export const monitoringOptions = {
  /** Seconds: a slower test disables the channel; 0: never. */
  ChannelDisableThreshold: number(5, { max: 86_400 }),
  AutomaticDisableChannelEnabled: bool(false),
  AutomaticEnableChannelEnabled: bool(false),
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
