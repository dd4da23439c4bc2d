import pino from "pino";
export type Logger = pino.Logger;

/** Fields that may carry a secret; they are redacted at any depth of a log object. */
const REDACTED = ["authorization", "cookie", "key", "password", "secret", "token"].flatMap((name) => [
  name,
  `*.${name}`,
  `headers["${name}"]`,
]);

/** Options of every logger, whatever its destination. */
export const LOG_OPTIONS: pino.LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: REDACTED, censor: "[redacted]" },
  serializers: { error: errorFields },
};

/**
 * Creates the process's logger: one JSON object a line in production, readable lines in a terminal. `worker`: its number,
 * where several processes write to one stream; each line has it.
 */
export function createLogger(
  config: Readonly<{ logLevel: string; logFormat: "json" | "pretty" }>,
  worker: number | null = null,
): Logger {
  const options = { ...LOG_OPTIONS, level: config.logLevel, ...(worker !== null && { base: { worker } }) };
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

/** An error as the log shows it: without query parameters, which may be secrets, and without its other members. */
type ErrorFields = Readonly<{
  name: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorFields;
  errors?: readonly ErrorFields[];
}>;

/** Causes are logged up to here. */
const DEEPEST = 4;

/** What is logged of a failure; a value that is not an Error is logged as text. */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { name: "thrown", message: String(error) };
  const code = "code" in error && isCode(error.code) ? error.code : undefined;
  // The runtime's stack begins with the message; only the frames are logged.
  const places = error.stack?.split("\n").filter((line) => line.startsWith("    at "));
  const goesOn = depth < DEEPEST;
  return {
    name: error.name,
    message: messageOf(error),
    ...(code !== undefined && { code }),
    ...(places?.length && { stack: places.join("\n") }),
    ...(goesOn && error.cause !== undefined && { cause: errorFields(error.cause, depth + 1) }),
    ...(goesOn &&
      error instanceof AggregateError && { errors: error.errors.map((each) => errorFields(each, depth + 1)) }),
  };
}

/** The database layer writes a query's parameters into its message. */
const messageOf = (error: Error): string =>
  "query" in error && "params" in error ? `failed query: ${String(error.query)}` : error.message;

const isCode = (code: unknown): code is string | number => typeof code === "string" || typeof code === "number";
