import { bool, integer, oneOf } from "../option.ts";
import { sensitiveWords } from "../sensitive-words.ts";

/** What is written down, and the data dashboard. */
export const loggingOptions = {
  LogConsumeEnabled: bool(true),
  /** Keeps prompts and answers in the log. */
  LogChatContentEnabled: bool(false, { status: "log_chat_content_enabled" }),
  /** Of each text that is kept. */
  LogContentMaxCharacters: integer(16_000, { min: 100, max: 200_000 }),
  /** Keys, mail addresses and numbers of people are taken out first. */
  LogContentRedactEnabled: bool(true),
  LogContentRedactPatterns: sensitiveWords([]),
  DataExportEnabled: bool(true, { status: "enable_data_export" }),
  /** Minutes. */
  DataExportInterval: integer(5, { min: 1, max: 1440 }),
  DataExportDefaultTime: oneOf(["hour", "day", "week"], "hour", { status: "data_export_default_time" }),
};
