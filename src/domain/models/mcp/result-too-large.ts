/** A server sent more than it may; what a caller requests can bring that about, so it says nothing of the server. */
export class ResultTooLargeError extends Error {
  override name = "ResultTooLargeError";

  constructor(maxBytes: number) {
    super(`The MCP server sent more than ${maxBytes} bytes.`);
  }
}

/** A server sent JSON that is nested so deep that to go through it would hold up everybody. */
export class ResultTooDeepError extends Error {
  override name = "ResultTooDeepError";

  constructor(most: number) {
    super(`The MCP server sent JSON that is nested deeper than ${most} levels.`);
  }
}
