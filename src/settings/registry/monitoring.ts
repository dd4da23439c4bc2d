import { authenticityRules } from "../option/authenticity.ts";
import { jsonMap, type Shape } from "../option/json-option.ts";
import { address, bool, headerName, integer, line, lines, number, oneOf } from "../option/option.ts";
import { sensitiveWords } from "../sensitive-words.ts";

const MINUTES = { max: 43_200 };

/** When channels are switched off and on by themselves. */
export const monitoringOptions = {
  /** Seconds: a slower test disables the channel; 0: never. */
  ChannelDisableThreshold: number(5, { max: 86_400 }),
  AutomaticDisableChannelEnabled: bool(false),
  AutomaticEnableChannelEnabled: bool(false),
  /** A key is disabled after so many refusals … */
  AutomaticDisableFailures: integer(1, { min: 1, max: 1_000 }),
  /** … among so many of its last calls (at least as many as refusals) … */
  AutomaticDisableCalls: integer(1, { min: 1, max: 1_000 }),
  /** … within so many seconds. */
  AutomaticDisableSeconds: integer(300, { min: 1, max: 86_400 }),
  /** Server errors, timeouts and connections that fail count like refusals. */
  AutomaticDisableOnFaults: bool(false),
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

/** Who reads the metrics. */
export const metricsOptions = {
  /** A bearer token that /metrics asks for; empty: anybody reads them. */
  MetricsToken: line("", { secret: true }),
};

/** Days that log rows stay; refunds and late charges look at rows of the last days. */
const daysShape: Shape<number> = {
  name: '{"*": 365, "free": 30}',
  read: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 7 && value <= 36_500 ? value : undefined,
};

/** What is written down, and the data dashboard. */
export const loggingOptions = {
  /** Writes down whom clients make calls for, as they say, and lets limits count by it. */
  EndUsersEnabled: bool(false),
  /** A header that names the end user before all others; empty: none. */
  EndUserHeader: headerName(),
  LogConsumeEnabled: bool(true),
  /** Keeps prompts and answers in the log. */
  LogChatContentEnabled: bool(false),
  /** Of each text that is kept. */
  LogContentMaxCharacters: integer(16_000, { min: 100, max: 200_000 }),
  /** Keys, mail addresses and numbers of people are taken out first. */
  LogContentRedactEnabled: bool(true),
  LogContentRedactPatterns: sensitiveWords([]),
  /** Megabytes of playground chats that each user may store on the server; 0: none. */
  PlaygroundStorageMegabytes: integer(20, { max: 10_000 }),
  /** User group → days; `*`: all others. Rows of groups without an entry stay. */
  LogRetention: jsonMap({}, daysShape),
  /** Where rows go that fall out of retention. */
  LogArchive: oneOf(["off", "folder", "s3"], "off"),
  ArchiveS3Url: address(),
  ArchiveS3Region: line("us-east-1"),
  ArchiveS3Bucket: line(),
  /** Stands before the names of objects. */
  ArchiveS3Prefix: line(),
  ArchiveS3AccessKeyId: line(),
  ArchiveS3SecretAccessKey: line("", { secret: true }),
  DataExportEnabled: bool(true),
  /** Minutes. */
  DataExportInterval: integer(5, { min: 1, max: 1440 }),
  DataExportDefaultTime: oneOf(["hour", "day", "week"], "hour"),
};
