import pino from "pino";
import { type ErrorFields, errorFields } from "../values/error-fields.ts";

export type Logger = pino.Logger;

/** Fields that could carry a secret are blanked wherever they stand in a log object. */
const REDACTED = ["authorization", "cookie", "key", "password", "secret", "token"].flatMap((name) => [
  name,
  `*.${name}`,
  `headers["${name}"]`,
]);

/** How everything is logged, wherever it is written to. */
export const LOG_OPTIONS: pino.LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: REDACTED, censor: "[redacted]" },
  serializers: { error: errorFields },
};

/** Creates the process's logger: one JSON object a line in production, readable lines in a terminal. */
export function createLogger(config: Readonly<{ logLevel: string; logFormat: "json" | "pretty" }>): Logger {
  const options = { ...LOG_OPTIONS, level: config.logLevel };
  return config.logFormat === "json" ? pino(options) : pino(options, { write: writeReadable });
}

function writeReadable(line: string): void {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${readable(value)}`);
  process.stdout.write(`${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${[msg, ...fields].join("  ")}\n`);
}

function readable(value: unknown): string {
  if (value && typeof value === "object" && "message" in value) return readableError(value as ErrorFields);
  return typeof value === "string" ? value : JSON.stringify(value);
}

function readableError({ name, message, code, stack, cause }: ErrorFields): string {
  const words = `${name}: ${message}${code === undefined ? "" : ` (${code})`}${stack ? `\n${stack}` : ""}`;
  return cause ? `${words}\n  caused by ${readableError(cause)}` : words;
}
