const COLON = 58;
const LF = 10;
const BRACKETS: ReadonlySet<number | undefined> = new Set([91, 123]);

/**
 * A JSON body without what servers write before it to keep the connection open: blank lines and comment lines of event
 * streams. A body that holds no JSON behind them is returned as it is.
 */
export function withoutKeepAlives(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let at = 0;
  while (at < body.length) {
    if (isBlank(body[at])) at += 1;
    else if (body[at] === COLON) {
      const end = body.indexOf(LF, at);
      if (end < 0) return body;
      at = end + 1;
    } else break;
  }
  return at > 0 && BRACKETS.has(body[at]) ? body.subarray(at) : body;
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;
