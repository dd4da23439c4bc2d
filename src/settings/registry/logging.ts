import { bool, integer, oneOf } from "../option/option.ts";
import { sensitiveWords } from "../sensitive-words.ts";

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
  DataExportEnabled: bool(true),
  /** Minutes. */
  DataExportInterval: integer(5, { min: 1, max: 1440 }),
  DataExportDefaultTime: oneOf(["hour", "day", "week"], "hour"),
};
