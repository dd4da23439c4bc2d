import pino from "pino";

export type Logger = pino.Logger;

/** Fields that could carry a secret are blanked wherever they stand in a log object. */
const REDACTED = ["authorization", "cookie", "key", "password", "secret", "token"].flatMap((name) => [
  name,
  `*.${name}`,
  `headers["${name}"]`,
]);

/** Creates the process's logger: one JSON object a line in production, readable lines in a terminal. */
export function createLogger(config: Readonly<{ logLevel: string; logFormat: "json" | "pretty" }>): Logger {
  const options: pino.LoggerOptions = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: REDACTED, censor: "[redacted]" },
  };
  return config.logFormat === "json" ? pino(options) : pino(options, { write: writeReadable });
}

function writeReadable(line: string): void {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${readable(value)}`);
  process.stdout.write(`${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${[msg, ...fields].join("  ")}\n`);
}

function readable(value: unknown): string {
  if (value && typeof value === "object" && "stack" in value) return String(value.stack);
  return typeof value === "string" ? value : JSON.stringify(value);
}
