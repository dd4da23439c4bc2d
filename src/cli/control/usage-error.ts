/** The command line makes no sense; the message says what would. */
export class UsageError extends Error {
  override name = "UsageError";

  constructor(
    message: string,
    /** What the process ends with. */
    readonly exitCode = 2,
  ) {
    super(message);
  }
}
