/** A server sent more than it may; what a caller requests can bring that about, so it says nothing of the server. */
export class ResultTooLargeError extends Error {
  override name = "ResultTooLargeError";

  constructor(maxBytes: number) {
    super(`The MCP server sent more than ${maxBytes} bytes.`);
  }
}
