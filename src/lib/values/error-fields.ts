/** An error as the log tells it: neither the parameters of queries, which may be secrets, nor other members of it. */
export type ErrorFields = Readonly<{
  name: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorFields;
  errors?: readonly ErrorFields[];
}>;

/** Causes are told up to here. */
const DEEPEST = 4;

/** What of a failure goes into the log; what is no error is told as text. */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { name: "thrown", message: String(error) };
  const code = "code" in error && isCode(error.code) ? error.code : undefined;
  // The runtime's stack begins with the message; the places alone are wanted.
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
