import { jsonMap, type Shape } from "../option/json-option.ts";
import { address, bool, integer, line, oneOf } from "../option/option.ts";
import { sensitiveWords } from "../sensitive-words.ts";

/** Days that log rows stay; refunds and late charges look at rows of the last days. */
const daysShape: Shape<number> = {
  name: '{"*": 365, "free": 30}',
  read: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 7 && value <= 36_500 ? value : undefined,
};

/** What is written down, and the data dashboard. */
export const loggingOptions = {
  LogConsumeEnabled: bool(true),
  /** Keeps prompts and answers in the log. */
  LogChatContentEnabled: bool(false),
  /** Of each text that is kept. */
  LogContentMaxCharacters: integer(16_000, { min: 100, max: 200_000 }),
  /** Keys, mail addresses and numbers of people are taken out first. */
  LogContentRedactEnabled: bool(true),
  LogContentRedactPatterns: sensitiveWords([]),
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
