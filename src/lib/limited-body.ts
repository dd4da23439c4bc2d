/** A body that may not tell its length, as far as `maxBytes`; null: it is longer, and the rest is left unread. */
export async function bytesUpTo(
  { body }: Pick<Request, "body">,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** What a request says its body is long, in bytes; null: it does not say. */
export function toldLength({ headers }: Pick<Request, "headers">): number | null {
  const told = headers.get("content-length");
  return told === null ? null : Number(told);
}
